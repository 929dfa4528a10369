"""The vocabulary: names as people say them, and never inside ordinary words."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from augury.language.entities import mentions
from augury.language.lint import lint
from augury.language.vocabulary import Vocabulary, VocabularyProblem, default, fold


@pytest.fixture(scope="module")
def vocabulary() -> Vocabulary:
    return default()


@pytest.mark.parametrize(
    ("text", "said", "name"),
    [
        ("will wemby win mvp", "wemby", "Victor Wembanyama"),
        ("does the GOP keep the house", "GOP", "Republican Party"),
        ("Cubbies win it all this year", "Cubbies", "Chicago Cubs"),
        ("Tar Heels to make the final four?", "Tar Heels", "North Carolina Tar Heels"),
        ("Will the Anaheim Ducks win?", "Anaheim Ducks", "Anaheim Ducks"),
        ("BoE holds in May", "BoE", "Bank of England"),
    ],
)
def test_names_are_found_as_people_say_them(
    vocabulary: Vocabulary, text: str, said: str, name: str
) -> None:
    found = {one.text: {e.name for e in one.entities} for one in mentions(text, vocabulary)}
    assert name in found[said]


@pytest.mark.parametrize(
    "text",
    [
        "will the heat in Arizona break the record",
        "she ducks every question about it",
        "they will apple-pick in autumn",
        "is it magic, or the jazz of it all",
        "a sky with two suns",
    ],
)
def test_ordinary_words_are_no_teams(vocabulary: Vocabulary, text: str) -> None:
    kinds = {e.kind for one in mentions(text, vocabulary) for e in one.entities}
    assert not kinds & {"team", "company"}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("do the celtics get to 60 wins", {"Boston Celtics"}),
        ("who is up ten on the knicks at the half", {"New York Knicks"}),
        ("no way the steelers beat him", {"Pittsburgh Steelers"}),
    ],
)
def test_words_of_grammar_name_nobody_beside_a_topic(
    vocabulary: Vocabulary, text: str, names: set[str]
) -> None:
    assert {e.name for one in mentions(text, vocabulary) for e in one.entities} == names


def test_a_guarded_name_counts_beside_its_topic(vocabulary: Vocabulary) -> None:
    found = mentions("do the heat beat the Celtics in the playoffs", vocabulary)
    assert {e.name for one in found for e in one.entities} >= {"Miami Heat", "Boston Celtics"}


def test_the_longest_name_wins_and_none_lies_inside_another(vocabulary: Vocabulary) -> None:
    found = mentions("Will the Bank of England cut before the England match?", vocabulary)
    assert "Bank of England" in [one.text for one in found]
    spans = [(one.start, one.end) for one in found]
    assert all(a[1] <= b[0] for a, b in pairwise(spans))


def test_a_mention_stands_where_it_says(vocabulary: Vocabulary) -> None:
    text = "Is Flávio Bolsonaro's party ahead of the PT?"
    for one in mentions(text, vocabulary):
        assert text[one.start : one.end] == one.text


def test_words_are_folded_without_case_accents_and_dots() -> None:
    assert [fold(w) for w in ("São", "U.S.", "O’Neill")] == ["sao", "us", "oneill"]


def test_the_vocabulary_is_sound_and_large(vocabulary: Vocabulary) -> None:
    errors = [one.text for one in lint(vocabulary) if one.level == "error"]
    assert errors == []
    assert len(vocabulary.entities) >= 6_000
    assert sum(len(entity.aliases) - 1 for entity in vocabulary.entities) >= 15_000


def test_names_at_a_word_are_those_of_a_scan(vocabulary: Vocabulary) -> None:
    long = max((a for e in vocabulary.entities for a in e.aliases), key=lambda a: len(a.words))
    for said in (
        list(long.words), "the new york giants of the new york city area".split(),
        "will the united states house of representatives pass it".split(), ["will"], ["qqq"],
    ):  # fmt: skip
        for first in range(len(said)):
            scanned = [
                one for one in vocabulary.aliases_starting(said[first])
                if tuple(said[first : first + len(one[0].words)]) == one[0].words
            ]  # fmt: skip
            assert vocabulary.aliases_at(said, first) == scanned


def test_a_wrong_entry_is_named_by_file_and_name(tmp_path: Path) -> None:
    (tmp_path / "odd.toml").write_text('kind = "planet"\n[entities]\n"Mars" = ["Red Planet"]\n')
    with pytest.raises(VocabularyProblem, match=r"odd\.toml: 'Mars' has an unknown kind, 'planet'"):
        Vocabulary.load(tmp_path)


def test_entries_of_one_name_and_kind_are_one_entity(tmp_path: Path) -> None:
    for name, alias in (("a", "Tommy"), ("b", "TB12")):
        (tmp_path / f"{name}.toml").write_text(
            f'kind = "person"\n[entities]\n"Tom Brady" = ["{alias}"]\n'
        )
    [entity] = Vocabulary.load(tmp_path).entities
    assert {alias.words for alias in entity.aliases} >= {("tommy",), ("tb12",), ("tom", "brady")}


def test_lint_shows_an_alias_that_is_an_ordinary_word(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text('kind = "team"\n[entities]\n"Miami Heat" = ["Heat"]\n')
    titles = [f"record heat in the summer of {year}" for year in range(1970, 2026)]
    [finding] = [one for one in lint(Vocabulary.load(tmp_path), titles) if one.level == "error"]
    assert "'heat' is an ordinary word in 56 titles" in finding.text
