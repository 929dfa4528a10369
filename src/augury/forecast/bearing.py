"""A market outcome as it stands to a question, and all of them as compared at a moment. Pure."""

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
    """A market outcome as it stands to the question."""

    market: Snapshot
    outcome: int
    view: View
    fit: Comparison
    positive: float
    """What it says about the question's proposition taken positively."""
    turned: bool
    """That is one minus its price."""
    age: float
    exact: bool = False
    """The question is in the market's own words."""
    relation: Relation = "none"
    """How logic has the question stand to the outcome."""
    share: float = 1.0
    """Of the markets with such a verdict of the judge, the share that asked the question itself;
    1 where it was not asked."""


@dataclass(frozen=True, slots=True)
class Compared:
    """A question beside the markets of a moment, compared once for all who go on from it."""

    reading: Reading
    markets: Sequence[Snapshot]
    at: datetime
    question: View
    bearings: list[Bearing]
    """Every side of every priced market, the best first."""
