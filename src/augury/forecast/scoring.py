"""The scorecard: Brier score, log score and calibration of forecasts whose questions have been
decided, and the Brier score of the crowd (the market's price) on the same questions. Pure."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any, Final, Protocol

BINS: Final = 10
HORIZONS: Final = (
    ("up to a day", timedelta(days=1)),
    ("up to a week", timedelta(days=7)),
    ("up to a month", timedelta(days=31)),
    ("up to a quarter", timedelta(days=92)),
)


class Decided(Protocol):
    """A forecast whose question has been decided, with the fields from which scores are computed.
    `store.Scored` has these fields."""

    @property
    def probability(self) -> float: ...
    @property
    def crowd(self) -> float | None: ...
    @property
    def outcome(self) -> float: ...
    @property
    def domain(self) -> str | None: ...
    @property
    def horizon(self) -> timedelta | None: ...


def scorecard(rows: Sequence[Decided], *, issued: int, answered: int) -> dict[str, Any]:
    """The public scorecard over forecasts whose questions have been decided (`rows`), as JSON data.

    issued, answered : how many forecasts were made, and how many of them gave a probability
    """
    return {
        "forecasts": issued,
        "answered": answered,
        **scores(rows),
        "calibration": calibration([(r.probability, r.outcome) for r in rows]),
        "by_domain": _by(rows, lambda row: row.domain or "other"),
        "by_horizon": _by(rows, lambda row: horizon(row.horizon)),
    }


def scores(rows: Sequence[Decided]) -> dict[str, Any]:
    """Number, Brier score and log score of the forecasts, as JSON data. For the questions on which
    the market's price (the crowd's) is known, also the Brier scores of that price and of the
    forecasts. A score without forecasts is None."""
    both = [row for row in rows if row.crowd is not None]
    return {
        "n": len(rows),
        "brier": _mean([(row.probability - row.outcome) ** 2 for row in rows]),
        "log_score": _mean([log_loss(row.probability, row.outcome) for row in rows]),
        "crowd_n": len(both),
        "crowd_brier": _mean([((row.crowd or 0.0) - row.outcome) ** 2 for row in both]),
        "brier_on_crowd_questions": _mean([(row.probability - row.outcome) ** 2 for row in both]),
    }


def log_loss(probability: float, outcome: float) -> float:
    """The log score: minus the natural logarithm of the probability given to what happened
    (`outcome` 1: the event, 0: its absence), clipped to 0.001 and 0.999. 0 would be perfect."""
    given = probability if outcome >= 0.5 else 1 - probability
    return -math.log(min(0.999, max(0.001, given)))


def calibration(pairs: Sequence[tuple[float, float]]) -> list[dict[str, Any]]:
    """The calibration table of forecasts, given as pairs of (probability, outcome): for each of ten
    bins of equal width its range, the number of pairs, the mean probability and the share of events
    that happened."""
    bins: list[list[tuple[float, float]]] = [[] for _ in range(BINS)]
    for probability, outcome in pairs:
        bins[min(BINS - 1, int(probability * BINS))].append((probability, outcome))
    return [
        {
            "lower": i / BINS,
            "upper": (i + 1) / BINS,
            "n": len(held),
            "forecast": _mean([p for p, _ in held]),
            "happened": _mean([o for _, o in held]),
        }
        for i, held in enumerate(bins)
    ]


def horizon(length: timedelta | None) -> str:
    """The class in which a forecast is scored, by the time from the forecast to the market's close
    (`length`): "up to a week", "longer" ...; "unknown" if `length` is None."""
    if length is None:
        return "unknown"
    return next((name for name, most in HORIZONS if length <= most), "longer")


def _by(rows: Sequence[Decided], key: Callable[[Decided], str]) -> dict[str, Any]:
    groups: dict[str, list[Decided]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return {name: scores(groups[name]) for name in sorted(groups)}


def _mean(values: Sequence[float]) -> float | None:
    return round(sum(values) / len(values), 4) if values else None
