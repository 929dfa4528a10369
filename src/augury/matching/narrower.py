"""Finds markets that ask for one case of what a question leaves open: one country for "any
country", a meeting in one place for "do they meet". Pure.

Such a market is one way for the question to come true, so its price is no answer. The judge (the
trained model) may take it for the question, because all words but one are the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from augury.language.entities import Mention
from augury.language.vocabulary import folded_words

_CASES: Final = frozenset({"person", "team", "party", "company", "work", "coin", "place"})
"""Kinds of entities that a question may leave open: "any country" asks for some place, "a Canadian
team" for some team."""
_WHERE: Final = re.compile(r"\bin (?:the )?$", re.I)
"""Matches the words right before the name of a place in which something happens: "in the " in "Will
they meet in the Vatican?"."""


def is_one_case(
    title: str, named: Sequence[Mention], question: frozenset[str], asked: frozenset[str],
    others: Iterable[str], *, indefinite: bool, names_place: bool,
) -> bool:  # fmt: skip
    """Whether a market asks for one case of what the question leaves open, e.g. about one state if
    the question names none.

    Parameters
    ----------
    title
        The market's title.
    named
        The mentions of entities in `title`.
    question
        The words of the question, without case and accents.
    asked
        Keys (`Entity.key`) of the entities that the question names.
    others
        The titles of the other markets compared with the question. If one of them is `title` with
        another place ("in Ohio" instead of "in Texas"), and the question names no place, the place
        is one case of several.
    indefinite
        Whether the question is about some member of a class ("a Canadian team", "any country").
    names_place
        Whether the question names a place, as found by the function `names_place`.
    """
    # "The New Hampshire Senate race" is one entity, and names the place.
    added = [
        one for one in named if not one.keys & asked and not folded_words(one.text) <= question
    ]
    if names_place:  # whether it is the same place is compared elsewhere
        added = [one for one in added if not _is_place(one)]
    if indefinite and any(_is_case(one) for one in added):
        return True
    places = [one for one in added if _is_place(one) and _WHERE.search(title[: one.start])]
    return any(_has_sibling(title, one, others) for one in places)


def names_place(named: Sequence[Mention]) -> bool:
    """Whether a text names a place, or an event that may be named after one ("the Maine Senate
    race"). `named`: the mentions of entities in the text."""
    return any(entity.kind in ("place", "event") for one in named for entity in one.entities)


def _is_place(one: Mention) -> bool:
    return all(entity.kind == "place" for entity in one.entities)


def _is_case(one: Mention) -> bool:
    return all(entity.kind in _CASES for entity in one.entities)


def _has_sibling(title: str, place: Mention, others: Iterable[str]) -> bool:
    """Whether one of the titles `others` differs from `title` only in the passage `place`, where it
    has another short text: "Will Ada win in Ohio?", "Will Ada win in Texas?"."""
    before, after = title[: place.start], title[place.end :]
    return any(
        other != title and other.startswith(before) and other.endswith(after)
        and 0 < len(other) - len(before) - len(after) <= 2 * len(place.text) + 20
        for other in others
    )  # fmt: skip
