"""An evidence gate: answers that rest on too little are refused. What that does to the Brier
score, beside the crowd's on the same questions. Pure.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from augury.forecast.evidence import Grade

GRADES: Final = frozenset[Grade](("asked", "bounded"))
"""Grades that pass."""
LEAST_CONFIDENCE: Final = 0.5
WIDEST_INTERVAL: Final = 0.5
"""Greatest distance between the ends of the interval."""
OLDEST_PRICE_HOURS: Final = 48.0
"""Greatest age of the newest price that counts. These four are the notebook's, set before any
real question was looked at."""


@dataclass(frozen=True, slots=True)
class TrialForecast:
    """A question whose end is known, and what was answered as of a moment before it.

    Probabilities are of the first outcome, 0 to 1; `outcome` is 1 where it happened.
    """

    event: str
    """What it is decided together with."""
    outcome: float
    crowd: float
    """The market's last recorded price before the moment."""
    probability: float | None
    grade: Grade = "none"
    confidence: float = 0.0
    width: float | None = None
    """Distance between the ends of the interval."""
    age_hours: float | None = None
    """Age of the newest price that counts."""


CONDITIONS: Final[Mapping[str, Callable[[TrialForecast], bool]]] = {
    "grade": lambda t: t.grade in GRADES,
    "confidence": lambda t: t.confidence >= LEAST_CONFIDENCE,
    "interval": lambda t: t.width is not None and t.width <= WIDEST_INTERVAL,
    "age": lambda t: t.age_hours is not None and t.age_hours <= OLDEST_PRICE_HOURS,
}


def effect(tried: Sequence[TrialForecast]) -> dict[str, Any]:
    """What each condition and all four do.

    Returns
    -------
    `asked` and `answered`, and `gates`: by condition (`none`: all answers; `all four`) the `kept`
    and the `refused` answers, each with `n`, `brier`, `crowd_brier`, and `worse`: the mean
    difference of the two, with its standard error over events (`error`). None where there is no
    answer, or no error where there are fewer than two events.
    """
    answered = [t for t in tried if t.probability is not None]
    gates: dict[str, Callable[[TrialForecast], bool]] = {
        "none": lambda _: True,
        **CONDITIONS,
        "all four": lambda t: all(passes(t) for passes in CONDITIONS.values()),
    }
    return {
        "asked": len(tried),
        "answered": len(answered),
        "gates": {
            name: {
                "kept": _scored([t for t in answered if passes(t)]),
                "refused": _scored([t for t in answered if not passes(t)]),
            }
            for name, passes in gates.items()
        },
    }


def _scored(rows: Sequence[TrialForecast]) -> dict[str, Any]:
    scores = [((t.probability or 0.0) - t.outcome) ** 2 for t in rows]
    crowd = [(t.crowd - t.outcome) ** 2 for t in rows]
    by_event: dict[str, list[float]] = defaultdict(list)
    for t, mine, theirs in zip(rows, scores, crowd, strict=True):
        by_event[t.event].append(mine - theirs)
    mean = _mean([mine - theirs for mine, theirs in zip(scores, crowd, strict=True)])
    error = None
    if mean is not None and len(by_event) > 1:
        # Questions of one event end together: their deviations are summed before they are squared.
        parts = [sum(gap - mean for gap in gaps) for gaps in by_event.values()]
        n = len(parts)
        error = (n / (n - 1) * sum(part**2 for part in parts)) ** 0.5 / len(rows)
    return {
        "n": len(rows),
        "events": len(by_event),
        "brier": _rounded(_mean(scores)),
        "crowd_brier": _rounded(_mean(crowd)),
        "worse": _rounded(mean),
        "error": _rounded(error),
    }


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
