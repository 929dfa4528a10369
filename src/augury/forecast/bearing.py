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
    """A market outcome compared with the question."""

    market: Snapshot
    outcome: int
    view: View
    fit: Comparison
    positive: float
    """Probability, 0 to 1, that the price gives to the question's proposition. A negation in the
    question is left out: for "Will X not win?" this is the probability that X wins."""
    turned: bool
    """Whether `positive` is 1 minus the price, because the outcome asserts the opposite of that
    proposition."""
    age: float
    """Days since the price was quoted."""
    exact: bool = False
    """Whether the question is the market's own title, word for word or with one "not" added or left
    out (`verbatim`)."""
    relation: Relation = "none"
    """How the question relates to the outcome by logic (implies, excludes ...); `none`: no relation
    is certain."""
    bounds: bool | None = None
    """Whether the judge finds that the outcome bounds the question in the way that the hand-written
    rules (`match`) read, e.g. as the earlier of two deadlines; None without a verdict: then
    `roles.is_kin` and `roles.is_sure` decide."""
    share: float = 1.0
    """Upper limit, 0 to 1, of the confidence in a direct answer from this outcome: the share of the
    judge's verdicts with such a probability that were right on held-out questions, or
    `opinion.TRUSTED` after a language model's opinion. 1 without either."""


@dataclass(frozen=True, slots=True)
class Compared:
    """A question compared with the markets as they stood at the moment `at`: the input of all later
    steps."""

    reading: Reading
    markets: Sequence[Snapshot]
    at: datetime
    question: View
    bearings: list[Bearing]
    """The compared outcomes (`words.sides`) of all markets with a price, the best match first."""
