"""A market outcome compared with a question, and all outcomes compared at one moment. Pure."""

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
    """Probability, 0 to 1, that the price implies for the question's proposition, without the
    question's negation."""
    turned: bool
    """Whether `positive` is 1 minus the price, because the outcome asserts the opposite."""
    age: float
    """Days since the price was quoted."""
    exact: bool = False
    """Whether the question is in the market's own words."""
    relation: Relation = "none"
    """Logical relation of the question to the outcome; `none`: nothing is certain."""
    share: float = 1.0
    """Upper limit of the confidence in a direct answer, 0 to 1: the share of markets with such a
    verdict of the judge that did ask the question. 1 without a verdict."""


@dataclass(frozen=True, slots=True)
class Compared:
    """A question compared with the markets of one moment: the input of all later steps."""

    reading: Reading
    markets: Sequence[Snapshot]
    at: datetime
    question: View
    bearings: list[Bearing]
    """All outcomes that are read of the markets with a price, the best match first."""
