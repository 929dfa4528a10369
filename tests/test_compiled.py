"""Texts that are read from one compact file: the factor base, and how the file is kept."""

import sys
from pathlib import Path

import pytest

from augury import compiled
from augury.caches import Once
from augury.language import vocabulary
from augury.relations.causal import knowledge
from augury.relations.causal.factors import Matcher

TEXT = """
domain = "test"
[factors.rain]
name = "Rain"
up = "more rain"
match = ["rain"]
effects = [["umbrellas", "+", 3, 1, "Wet people buy umbrellas."]]
[factors.umbrellas]
name = "Umbrellas sold"
up = "more umbrellas sold"
match = ["umbrella & !{none}", "brolly|parasol"]
[entities.town]
fields = ["key", "name"]
rows = [["york", "York"]]
"""


@pytest.fixture(autouse=True)
def written(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    texts = {"test.toml": TEXT}
    monkeypatch.setattr(knowledge, "texts", lambda: texts)
    monkeypatch.setattr(knowledge, "_kept", Once())
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # only the given folder may be written
    return texts


def load(folder: Path) -> knowledge.Base:
    """As another process does."""
    knowledge._kept = Once()
    return knowledge.load(folder)


def kept(folder: Path) -> Path:
    (file,) = folder.iterdir()
    return file


def test_the_base_comes_back_whole_without_its_texts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = load(tmp_path)
    monkeypatch.setattr(knowledge, "parse", None)
    again = load(tmp_path)
    assert vars(again) == vars(first)
    assert knowledge.load() is again
    assert knowledge.load(tmp_path / "other") is again  # read once a process
    assert Matcher(again).match("Will a brolly be sold?") == Matcher(first).match(
        "Will a brolly be sold?"
    )


def test_a_changed_text_is_read_anew_and_the_old_file_goes(
    tmp_path: Path, written: dict[str, str]
) -> None:
    load(tmp_path)
    old = kept(tmp_path)
    written["test.toml"] = TEXT.replace("Rain", "Much rain")
    assert load(tmp_path).factors["rain"].name == "Much rain"
    assert kept(tmp_path) != old


@pytest.mark.parametrize("damage", ["short", "flipped", "empty"])
def test_a_damaged_file_is_made_anew(tmp_path: Path, damage: str) -> None:
    whole = vars(load(tmp_path))
    file = kept(tmp_path)
    content = bytearray(file.read_bytes())
    if damage == "flipped":
        content[len(content) // 2] ^= 1
    file.write_bytes({"short": content[:-7], "flipped": content, "empty": b""}[damage])
    assert vars(load(tmp_path)) == whole
    assert len(file.read_bytes()) == len(content)


def test_a_folder_that_cannot_be_written_costs_the_reading_only(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert load(tmp_path / "file" / "cache").factors


def test_a_file_stands_beside_compiled_modules_where_these_are_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(compiled, "cache_from_source", lambda _: str(tmp_path / "own" / "x.pyc"))
    load(tmp_path / "cache")
    assert [file.name[:12] for file in (tmp_path / "own").iterdir()] == ["causal-base-"]
    assert not (tmp_path / "cache").exists()
    monkeypatch.setattr(knowledge, "parse", None)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    assert load(tmp_path / "cache").factors  # also read where none may be written


@pytest.mark.heavy
def test_the_vocabulary_comes_back_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "cache_from_source", lambda _: str(tmp_path / "own" / "x.pyc"))
    whole = vocabulary.Vocabulary(vocabulary.parse(vocabulary.texts())).entities
    for _ in range(2):  # from the texts, then from the file
        monkeypatch.setattr(vocabulary, "_default", Once())
        assert vocabulary.default(tmp_path).entities == whole
        monkeypatch.setattr(vocabulary, "parse", None)
