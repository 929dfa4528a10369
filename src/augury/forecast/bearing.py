"""A bearing, which is a market outcome compared with a question, and all bearings of a question.

Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from augury.forecast.evidence import Snapshot
from augury.forecast.match import Comparison
from augury.forecast.normalise import Reading
from augury.forecast.view import View
from augury.relations.joint_outcomes import Relation


@dataclass(frozen=True, slots=True)
class Bearing:
    """The result of comparing one market outcome (e.g. the Yes of a market) with a question."""

    market: Snapshot
    outcome: int
    view: View
    fit: Comparison
    positive: float
    """Probability, 0 to 1, of what the question is about, as the price of the market outcome
    implies it. A negation in the question is left out: for "Will X not win?" this is the
    probability that X wins."""
    turned: bool
    """Whether `positive` is 1 minus the price, because the market outcome asserts the opposite of
    what the question is about (without the question's own negation)."""
    age: float
    """Days since the market's price was quoted."""
    exact: bool = False
    """Whether the question is the market's own title, word for word or with one "not" added or left
    out (`verbatim`)."""
    relation: Relation = "none"
    """What is logically certain between question and market outcome (the question implies the
    outcome, excludes it ...); `none`: nothing."""
    bounds: bool | None = None
    """Whether the judge (`matching.judge`) confirms that the price of this market outcome limits
    the answer from above or below, as the hand-written rules (`match`) find, e.g. because the
    market's deadline is earlier. None: the judge did not say; `roles.is_kin` and `roles.is_sure`
    decide."""
    share: float = 1.0
    """Upper limit, 0 to 1, of the confidence in an answer that takes this market outcome to ask the
    question: how often verdicts of the judge (`matching.judge`) that were as probable as this one
    were right on held-out questions. `opinion.TRUSTED` after a language model's opinion; 1 without
    either."""


@dataclass(frozen=True, slots=True)
class Compared:
    """A question compared with the markets as they stood at the moment `at`: the input of all later
    steps."""

    reading: Reading
    markets: Sequence[Snapshot]
    at: datetime
    question: View
    bearings: list[Bearing]
    """The market outcomes that were compared with the question, the best match first: those of all
    markets with a price (`words.sides` says which outcomes of a market are compared)."""
