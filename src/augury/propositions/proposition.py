"""The parts of what a market's Yes or a user's question asserts: subject, predicate, level, window
of time. Pure.

`propositions.reading` reads the parts from a text. Words that belong to no other part become terms
(stemmed words) of the subject. Two propositions with the same subject then differ only in parts
that logic can compare (`logic.relate`). `Proposition.read` has the words of each part.
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
"""What a proposition asserts of its subject. `contest`, `choice` (a contender, e.g. a team or a
candidate), `stage`, `threshold` (a range of values) and `window` are fields of `Proposition`.

- `wins`, `nominated`: the choice wins the contest, becomes the party's nominee;
- `shortlisted`: the choice is among several that are nominated for an award;
- `advances`: the choice reaches the stage of the contest;
- `ranks`: the choice finishes with a rank in the threshold (1 is the first);
- `rises`: a quantity is higher at the end of the window than at the start ("Up or Down");
- `says`, `announces`, `leaves`: the subject says the words, announces the thing, leaves the post;
- `value`: a quantity is in the threshold at the time of the window, or for the whole window;
- `touches`: a quantity gets into the threshold at some time in the window;
- `counts`: the number of events in the window is in the threshold; such a number only grows;
- `happens`: anything else, described only by the terms of the subject.
"""
CONTESTS: Final = frozenset({"wins", "nominated", "shortlisted", "advances", "ranks"})
"""Predicates that say how somebody does in a contest."""
AMOUNTS: Final = frozenset({"value", "touches", "counts"})
"""Predicates that say whether a quantity is in a range of values (the proposition's
`threshold`)."""
EVENTS: Final = frozenset({"happens", "announces", "leaves", "touches", "says"})
"""Predicates of events that may happen on any day, so that a later deadline makes them likelier."""

Slot = Literal["window", "threshold", "polarity", "predicate", "choice", "stage"]
"""A part of a proposition that is read from words of the text.

window: the time; threshold: the range of values or ranks; polarity: negations and other words that
reverse the meaning ("not", "loses"); predicate: the verb or other words for what is asserted;
choice: the contender; stage: the stage of a contest that is reached. """


class Threshold(msgspec.Struct, frozen=True, array_like=True):
    """The range of values that a proposition names, from `low` to `high`. `low_in` and `high_in`
    say whether the ends belong to the range. A denial does not change the range: both "above 100"
    and "not above 100" have 100 to infinity. `Proposition.positive` tells the two apart."""

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
    from which it was read."""

    slot: Slot
    text: str


class Proposition(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """What a market's Yes or a user's question asserts, in parts that logic can compare. If
    `positive` is False, the proposition asserts the opposite of what the other parts say."""

    contest: frozenset[str]
    """Terms (stemmed words) that say which contest, quantity or event the text is about. The name
    of the contender (`choice`) is not included, except in a game."""
    choice: frozenset[str] = frozenset()
    """Terms (stemmed words) of the name of the contender (a team, a candidate) that is said to win,
    be nominated, reach a stage or have a rank; empty if there is none."""
    predicate: Predicate = "happens"
    threshold: Threshold | None = None
    window: Window = Window()
    edition: int | None = None
    """Year of the contest: 2026 for "the 2025-26 season". None if no year is known, or the
    proposition is not on a contest."""
    stage: str | None = None
    """If the predicate is `advances`, the stage of the contest that is reached: "playoffs" or a key
    of `wording.STAGES` ("semifinal"); else None."""
    positive: bool = True
    """Whether the proposition asserts what its other fields say; False if it denies it ("does not
    win")."""
    exclusive: bool = False
    """Whether the predicate can be true of only one contender (team, candidate), as in a contest
    with one winner."""
    indefinite: bool = False
    """True if the contender that is said to win has no name in the text, only a description that
    fits several ("another party", "a team from the East")."""
    actor: str = ""
    """If the text has a verb for which it matters who acts on whom ("A strikes B"): who acts, as
    one term (stemmed word). The text is not parsed for this; its first term counts as the actor.
    Empty for any other text."""
    fixture: bool = False
    """Whether the proposition is about one game between two sides; `contest` then has the terms of
    both."""
    unclear: bool = False
    """Whether the text could not be read with certainty; logic then concludes nothing from the
    proposition."""
    read: tuple[WordsRead, ...] = ()
    """The parts of the proposition that were read from words of the text, with these words."""

    @property
    def terms(self) -> frozenset[str]:
        """All terms (stemmed words) of the subject (`contest` and `choice`), without dates, levels
        and negations ("not")."""
        return self.contest | self.choice

    def opposite(self) -> Proposition:
        """The opposite proposition: equal to this one, with `positive` inverted."""
        return msgspec.structs.replace(self, positive=not self.positive)

    def same_subject(self, other: Proposition) -> bool:
        """Whether two propositions are about the same subject: they have equal `terms`, `actor`,
        `indefinite` and `fixture`, and an equal `choice` unless one of the two is empty."""
        if not self.terms or (self.actor, self.indefinite, self.fixture) != (
            other.actor, other.indefinite, other.fixture,
        ):  # fmt: skip
            return False
        if self.choice and other.choice and self.choice != other.choice:
            return False
        return self.terms == other.terms
