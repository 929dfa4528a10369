"""How sure an estimate is: its interval and its confidence, from the evidence. Pure.

The interval is for the price at which the question's market (a hypothetical one if there is none)
trades a week later, or at its close if that is sooner. It is meant to contain this price with a
chance of 80%. It says nothing of the outcome, which is 0 or 1. `docs/forecasting.md` shows how
often the price was inside.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from augury.forecast.bearing import Bearing
from augury.forecast.match import Comparison
from augury.forecast.pool import expit, logit
from augury.markets.records import Platform

Z80: Final = 1.2816

NOISE: Final[dict[Platform, tuple[float, float, float]]] = {
    "polymarket": (0.03, 3.9, 0.29),
    "kalshi": (0.28, 4.75, 0.29),
}
"""How far prices move, as (a, b, c) for each venue. In 80% of weeks, a price moves by at most (a +
b / sqrt(days + 2)) * (1 + c * |x|) in log-odds; `days` is the number of days left, and x the
log-odds of the price. So prices move further, in log-odds, if few days are left and if they are far
from 50%. Fitted on 58,521 weeks of 2,341 events that no evaluation question is about (table in
`docs/forecasting.md`).
For Polymarket, only resolved events were used; their prices move more than those of open events."""
UNKNOWN_DAYS: Final = 60.0


@dataclass(frozen=True, slots=True)
class Doubts:
    """The quantities from which an estimate's interval and confidence are computed. Each says how
    doubtful the evidence is in one respect."""

    match: float
    """Doubt whether the market on which the estimate mainly rests is about the same thing as the
    question: from 0 (both use the same words) to 1."""
    disagreement: float
    """How much the prices of the markets that ask the question itself disagree: their weighted
    standard deviation, in log-odds. Some markets have the same title as one of these and nearly the
    same closing time, but a clearly different price (`roles.are_contrary`). They are included,
    although the estimate does not use them. 0 with fewer than two markets."""
    age: float
    """Age, in days, of the prices on which the estimate rests. If markets ask the question itself:
    the weighted mean. If markets bound the answer: the age of the newest price. If related markets
    only hint at the answer: the age of the price of the one that fits the question best."""
    half_spread: float
    """Half the bid-ask spread, in log-odds, of the market on which the estimate mainly rests; 0 if
    unknown."""
    days_left: float | None
    """Days until the deadline that the question names. If it names none: days until the announced
    close of the market on which the estimate mainly rests. None if neither is known."""
    direct: int
    """Number of markets that ask the question itself."""
    slack: float
    """Width of the bounds that logic puts on the estimate: upper minus lower, as a probability;
    less than 0.05 counts as 0.05. Without such bounds: 0 if a market asks the question itself, 0.3
    if a related market only hints at the answer."""
    platform: Platform = "polymarket"
    """Venue of the market on which the estimate mainly rests. Of the markets that ask the question
    itself, this is the one with the largest weight; if there is none, it is the market nearest to
    the question."""


def deviation(p: float, d: Doubts) -> float:
    """Uncertainty of an estimate `p`: the standard deviation, in log-odds around `p`, of the price
    that a market on exactly this question would have a week after the estimate."""
    left = UNKNOWN_DAYS if d.days_left is None else max(0.0, d.days_left)
    level, steepness, tilt = NOISE[d.platform]
    drift = (level + steepness / math.sqrt(left + 2)) * (1 + tilt * abs(logit(p))) / Z80
    drift *= math.sqrt((7 + min(d.age, 30)) / 7)  # an old price has moved already
    return math.sqrt(
        drift**2 + (1.2 * d.match) ** 2 + d.disagreement**2 + d.half_spread**2
        + (2.5 * d.slack) ** 2 + (0.0 if d.direct else 0.35)
    )  # fmt: skip


def interval(p: float, d: Doubts) -> tuple[float, float]:
    """Lower and upper end, as probabilities, of the interval in which the price of the question's
    market will be a week later with a chance of 80%. The interval always contains the estimate
    `p`."""
    width = Z80 * deviation(p, d)
    lower, upper = expit(logit(p) - width), expit(logit(p) + width)
    return min(p, lower), max(p, upper)


def confidence(d: Doubts) -> float:
    """Confidence, 0 to 1: how far the evidence can be relied on. It does not depend on how likely
    the answer is.

    With one fresh market that asks the question itself, in the same words, it is 0.9 or more;
    without a market that asks the question, it is at most 0.5.
    """
    worth = 0.97 if d.direct else 0.5
    worth *= 1 - 0.5 * min(1.0, d.match)
    worth *= math.exp(-min(d.age, 30) / 45)
    worth *= 1 / (1 + d.disagreement + 0.5 * d.half_spread)
    worth *= 1 - 0.5 * min(1.0, d.slack)
    if d.direct > 1:
        worth = 1 - (1 - worth) * 0.8
    return round(max(0.02, min(0.99, worth)), 3)


def of_match(c: Comparison) -> float:
    """Doubt that market and question are about the same thing: 0 (the same words) to 1."""
    return max(0.0, min(1.0, (2.3 - c.content) / 1.6))


def half_spread(b: Bearing) -> float:
    """Half the bid-ask spread of a market outcome, in log-odds; 0 if unknown."""
    bid, ask = b.market.best_bid, b.market.best_ask
    if bid is None or ask is None or not 0 < bid < ask < 1:
        return 0.0
    return (logit(ask) - logit(bid)) / 2
