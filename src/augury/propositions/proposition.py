"""The parts of what a market's Yes or a user's question asserts: subject, predicate, level, window.

Pure. `propositions.reading` reads the parts from a text. Words that belong to no other part are
terms of the subject, so that two propositions with the same subject differ only in parts that logic
can compare (`logic.relate`). `Proposition.read` has the words of each part.
"""

from __future__ import annotations

import math
from typing import Final, Literal

import msgspec

from augury.markets.quantities import Unit
from augury.propositions.windows import Window

Predicate = Literal[
    "wins", "nominated", "shortlisted", "advances", "ranks", "rises", "says", "announces",
    "leaves", "value", "touches", "counts", "happens",
]  # fmt: skip
"""What a proposition asserts of its subject. Its choice is a contender, e.g. a team or a candidate.

- `wins`, `nominated`: the choice wins the contest, becomes the party's nominee;
- `shortlisted`: the choice is among several that are nominated for an award;
- `advances`: the choice reaches the `stage` of the contest;
- `ranks`: the choice finishes at a place in [low, high] of the threshold;
- `rises`: the value at the end of the window is above that at its start ("Up or Down");
- `says`, `announces`, `leaves`: the subject says the words, announces the thing, leaves the post;
- `value`: a quantity is within the threshold at the window's time, or for the window as a whole;
- `touches`: a quantity gets into the threshold at any time in the window;
- `counts`: the number of events in the window is in the threshold; such a number only grows;
- `happens`: anything else, described only by its terms.
"""
CONTESTS: Final = frozenset({"wins", "nominated", "shortlisted", "advances", "ranks"})
"""Predicates that say how somebody does in a contest."""
AMOUNTS: Final = frozenset({"value", "touches", "counts"})
"""Predicates that say whether a quantity is within a range, the proposition's `threshold`."""
EVENTS: Final = frozenset({"happens", "announces", "leaves", "touches", "says"})
"""Predicates of events that may happen on any day: the later the deadline, the likelier."""

Slot = Literal["window", "threshold", "polarity", "predicate", "choice", "stage"]


class Threshold(msgspec.Struct, frozen=True, array_like=True):
    """The range of values, from `low` to `high`, that a proposition names: 100 to infinity for both
    "above 100" and "not above 100" (whose `Proposition.positive` is False). `low_in` and `high_in`
    say whether the ends belong to the range."""

    low: float = -math.inf
    high: float = math.inf
    low_in: bool = True
    high_in: bool = True
    unit: Unit = "none"

    @property
    def direction(self) -> Literal["above", "below", "between", "exactly"]:
        """Where the range lies: above or below a number, between two numbers, or at exactly one."""
        if self.low == self.high:
            return "exactly"
        if math.isinf(self.high):
            return "above"
        return "below" if math.isinf(self.low) else "between"


class WordsRead(msgspec.Struct, frozen=True, array_like=True):
    """A part of a proposition (`slot`: the window, the predicate ...), and the words of the text
    that it was read from."""

    slot: Slot
    text: str


class Proposition(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """What a market's Yes or a user's question asserts, in parts that logic can compare. If
    `positive` is False, the proposition asserts the opposite of what its other parts say."""

    contest: frozenset[str]
    """Terms (stems) that say which contest, quantity or event the text is about. The name of the
    contender (`choice`) is not included, except in a game."""
    choice: frozenset[str] = frozenset()
    """Terms of the name of the contender (a team, a candidate) that is said to win, be nominated,
    advance or rank; empty if there is none."""
    predicate: Predicate = "happens"
    threshold: Threshold | None = None
    window: Window = Window()
    edition: int | None = None
    """Year of the contest: 2026 for "the 2025-26 season". None if no year is known, or the
    proposition is not on a contest."""
    stage: str | None = None
    """Stage of the contest that is reached, if the predicate is `advances`: "playoffs" or a key of
    `wording.STAGES` ("semifinal"); else None."""
    positive: bool = True
    exclusive: bool = False
    """Whether the assertion can be true of only one choice (team, candidate), as in a contest with
    one winner."""
    indefinite: bool = False
    """Whether the choice (who is said to win) is a class of contenders ("another party", "a team
    from the East") and not a name."""
    lead: str = ""
    """The one who acts, in a text with a verb for which it matters who acts on whom: "A strikes B"
    -> A. The first term of the text is taken. Empty for other texts."""
    fixture: bool = False
    """Whether the proposition is about one game between two sides; `contest` then has the terms of
    both."""
    unclear: bool = False
    """Whether the text could not be read with certainty; logic then concludes nothing from the
    proposition."""
    read: tuple[WordsRead, ...] = ()

    @property
    def terms(self) -> frozenset[str]:
        """All terms of the subject (`contest` and `choice`), without dates, numbers of thresholds,
        and words that deny."""
        return self.contest | self.choice

    def denied(self) -> Proposition:
        """The opposite proposition: equal but for `positive`, which is inverted."""
        return msgspec.structs.replace(self, positive=not self.positive)

    def same_subject(self, other: Proposition) -> bool:
        """Whether two propositions are about the same subject: `terms`, `lead`, `indefinite` and
        `fixture` are equal, and so are the choices unless one of them is empty."""
        if not self.terms or (self.lead, self.indefinite, self.fixture) != (
            other.lead, other.indefinite, other.fixture,
        ):  # fmt: skip
            return False
        if self.choice and other.choice and self.choice != other.choice:
            return False
        return self.terms == other.terms
