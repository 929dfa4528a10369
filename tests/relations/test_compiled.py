"""The factor base as one compact file."""

from pathlib import Path

import pytest

from augury.relations.causal import compiled, knowledge
from augury.relations.causal.factors import Matcher
from augury.remembered import Once

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
    return texts


def load(folder: Path) -> knowledge.Base:
    """As another process does."""
    knowledge._kept = Once()
    return compiled.load(folder)


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
    assert compiled.load(tmp_path / "other") is again  # read once a process
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
