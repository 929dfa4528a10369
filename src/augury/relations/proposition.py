"""The parts of what a market's Yes, or a free question, asserts: subject, predicate, level, window.

Pure. `augury.relations.reading` reads them from a text; whatever is in none of them stays a term of
the subject, so that two propositions of the same subject differ in parts that logic can compare
(`augury.relations.logic`). Each part keeps the words it was read from (`Proposition.read`).
"""

from __future__ import annotations

import math
from typing import Final, Literal

import msgspec

from augury.markets.quantities import Unit
from augury.relations.windows import Window

Predicate = Literal[
    "wins", "nominated", "shortlisted", "advances", "ranks", "rises", "says", "announces",
    "leaves", "value", "touches", "counts", "happens",
]  # fmt: skip
"""What is asserted of the subject.

- `wins`, `nominated`: the choice wins the contest, becomes the party's nominee;
- `shortlisted`: is among several nominated for an award;
- `advances`: reaches the `stage` of the contest; `ranks`: finishes at a place in [low, high];
- `rises`: ends the window above its start ("Up or Down");
- `says`, `announces`, `leaves`: says the words, announces the thing, leaves the post;
- `value`: a quantity lies in the threshold at the window's time, or for the window as a whole;
- `touches`: a quantity gets there at any time in the window;
- `counts`: so many events fall into the window (only whole numbers, never falling with time);
- `happens`: anything else, told by its words.
"""
CONTESTS: Final = frozenset({"wins", "nominated", "shortlisted", "advances", "ranks"})
"""Predicates that tell how a contest goes for its choice."""
AMOUNTS: Final = frozenset({"value", "touches", "counts"})
"""Predicates with a quantity in the threshold."""

Slot = Literal["window", "threshold", "polarity", "predicate", "choice", "stage"]


class Threshold(msgspec.Struct, frozen=True, array_like=True):
    """Yes where the value lies between `low` and `high`; an end counts where it is `in`."""

    low: float = -math.inf
    high: float = math.inf
    low_in: bool = True
    high_in: bool = True
    unit: Unit = "none"

    @property
    def direction(self) -> Literal["above", "below", "between", "exactly"]:
        """Which side of the number means Yes."""
        if self.low == self.high:
            return "exactly"
        if math.isinf(self.high):
            return "above"
        return "below" if math.isinf(self.low) else "between"


class WordsRead(msgspec.Struct, frozen=True, array_like=True):
    """A part of the proposition and the words it was read from."""

    slot: Slot
    text: str


class Proposition(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """One assertion. `positive` False: the assertion is that the rest does not hold."""

    contest: frozenset[str]
    """Terms of what it is about, the choice apart: the contest, the quantity, the event."""
    choice: frozenset[str] = frozenset()
    """Terms of the one that is said to win, be nominated, do it; empty where none is told apart."""
    predicate: Predicate = "happens"
    threshold: Threshold | None = None
    window: Window = Window()
    edition: int | None = None
    """Year of the contest: 2026 for "the 2025-26 season". None where none is named."""
    stage: str | None = None
    """Stage that `advances` reaches: a key of `wording.STAGES`."""
    positive: bool = True
    exclusive: bool = False
    """At most one choice can have it: one winner, one nominee."""
    indefinite: bool = False
    """The choice is a class ("another party", "a team from the East"), not one of the named."""
    lead: str = ""
    """First term, where it matters who does it to whom ("A strikes B"); else empty."""
    fixture: bool = False
    """One game between two sides; `contest` then holds both."""
    unclear: bool = False
    """The text could not be read for certain; nothing follows from it."""
    read: tuple[WordsRead, ...] = ()

    @property
    def terms(self) -> frozenset[str]:
        """All content terms, dates, numbers of thresholds and words of polarity apart."""
        return self.contest | self.choice

    def denied(self) -> Proposition:
        """The complement."""
        return msgspec.structs.replace(self, positive=not self.positive)

    def same_subject(self, other: Proposition) -> bool:
        """Whether both speak of the same thing and the same choice of it, by their terms."""
        if not self.terms or (self.lead, self.indefinite, self.fixture) != (
            other.lead, other.indefinite, other.fixture,
        ):  # fmt: skip
            return False
        if self.choice and other.choice and self.choice != other.choice:
            return False
        return self.terms == other.terms
