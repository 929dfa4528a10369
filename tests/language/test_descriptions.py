"""Descriptions: of what the vocabulary knows, and never by its name."""

from __future__ import annotations

import pytest

from augury.language import descriptions
from augury.language.lint import lint_descriptions
from augury.language.vocabulary import default


def test_what_is_described_is_in_the_vocabulary_and_not_named() -> None:
    found = descriptions.parse(descriptions.texts())
    assert len(found) > 5_000
    assert not list(lint_descriptions(default(), found))
    wrong = {"person:Nobody At All": ("a man",), "person:Vladimir Putin": ("old vladimir putin",)}
    assert len(list(lint_descriptions(default(), wrong))) == 2


def test_every_file_is_of_one_kind() -> None:
    for file, text in descriptions.texts().items():
        (kind,) = {key.partition(":")[0] for key in descriptions.parse({file: text})}
        assert file == f"{kind}.toml"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('kind = "person"\n[entities]\n"Ada" = "the first of them"', "'Ada' has to be a list"),
        ('kind = "person"\n[entities]\n"Ada" = []', "'Ada' has to be a list"),
        ('kind = "person"\n[entities]\n"Ada" = ["one", " "]', "'Ada' has to be a list"),
        ('kind = "hero"\n[entities]\n"Ada" = ["one"]', "unknown kind, 'hero'"),
        ("kind = ", "not valid TOML"),
    ],
)
def test_a_faulty_file_says_what_is_wrong(text: str, problem: str) -> None:
    with pytest.raises(descriptions.DescriptionProblem, match=problem) as failure:
        descriptions.parse({"person.toml": text})
    assert "person.toml" in str(failure.value)
