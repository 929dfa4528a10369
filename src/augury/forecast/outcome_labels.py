"""The words by which the outcomes of one event differ from each other, for people to read. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from typing import TYPE_CHECKING

from augury.forecast import explain

if TYPE_CHECKING:
    from augury.forecast.bearing import Bearing


def label(b: Bearing) -> str:
    """The words by which a market outcome differs from the other outcomes of its event, e.g. a name
    or "above 100"."""
    if len(b.market.outcomes) > 2:
        return explain.shortened(b.market.outcomes[b.outcome])
    if b.market.subtitle and b.market.subtitle.casefold() != "yes":
        return explain.shortened(b.market.subtitle)
    slots = ("threshold", "choice", "window")
    read = b.view.proposition.read
    text = next((r.text for slot in slots for r in read if r.slot == slot), "")
    return explain.shortened(text or b.market.outcomes[b.outcome])


def labels(family: Sequence[Bearing]) -> dict[tuple[int, int], str]:
    """Labels of the outcomes of one event, by (market number, index of the outcome). A label is the
    outcome's name. If an outcome has no name, the labels are instead the parts in which the
    markets' questions differ: "X" and "Y" for "Will X come first?" and "Will Y come first?"."""
    plain = {b.key: label(b) for b in family}
    titles = [b.market.question.rstrip("?").split() for b in family]
    unnamed = any(
        len(b.market.outcomes) == 2 and not b.market.subtitle and not b.view.proposition.choice
        for b in family
    )
    if not unnamed or len(family) < 2:
        return plain
    head = _shared(titles)
    tail = _shared([words[head:][::-1] for words in titles])
    left = [" ".join(words[head : len(words) - tail]) for words in titles]
    if not all(left) or len(set(left)) < len(left):
        return plain
    return {key: explain.shortened(text) for key, text in zip(plain, left, strict=True)}


def _shared(titles: Sequence[Sequence[str]]) -> int:
    """Number of words at the beginning that all titles have in common."""
    alike = takewhile(lambda words: len(set(words)) == 1, zip(*titles, strict=False))
    return sum(1 for _ in alike)
