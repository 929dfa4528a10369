"""How people describe the entities of the vocabulary without naming them: "the man in the Kremlin".

The descriptions are in the TOML files of the folder `descriptions`, one file for each kind of
entity. An entity has one or two strings with descriptions, each by another writer; the second
writer saw the first one's and wrote others.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from augury.language.vocabulary import KINDS

FOLDER: Final = Path(__file__).parent / "descriptions"
MAX_LISTS: Final = 2
"""Maximum number of lists, i.e. of writers, for one entity."""

Descriptions = dict[str, tuple[str, ...]]
"""Key of an entity (`Entity.key`, e.g. "person:Vladimir Putin") -> its descriptions. Each element
is the list of one writer, with commas between the descriptions."""


class DescriptionProblem(ValueError):
    """A file with descriptions cannot be used; the message names the file and the entry."""


def texts(folder: Path = FOLDER) -> dict[str, str]:
    """The files with descriptions in a folder: file name -> content, as TOML."""
    return {path.name: path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.toml"))}


def parse(written: Mapping[str, str]) -> Descriptions:
    """The descriptions in some files. `written`: file name -> content, as TOML.

    Raises
    ------
    DescriptionProblem
        An entry cannot be used; the message names its file.
    """
    found: Descriptions = {}
    for file, text in written.items():
        try:
            raw = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise DescriptionProblem(f"{file} is not valid TOML: {error}") from error
        if (kind := raw.get("kind")) not in KINDS:
            raise DescriptionProblem(
                f"{file} has an unknown kind, {kind!r}. Use one of: {', '.join(sorted(KINDS))}."
            )
        for name, lists in raw.get("entities", {}).items():
            found[f"{kind}:{name}"] = _lists(file, name, lists)
    return found


def _lists(file: str, name: str, lists: Any) -> tuple[str, ...]:
    is_usable = (
        isinstance(lists, list)
        and 0 < len(lists) <= MAX_LISTS
        and all(isinstance(one, str) and one.strip() for one in lists)
    )
    if not is_usable:
        raise DescriptionProblem(
            f"{file}: the entry {name!r} has to be a list of one or two texts in quotation marks."
        )
    return tuple(lists)
