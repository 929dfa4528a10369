"""Measures what an evidence gate (a filter that refuses answers with weak evidence) does to the
Brier score, compared with the score of the market's price (the crowd) on the same questions.
Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from augury.forecast.evidence import Grade

GRADES: Final = frozenset[Grade](("asked", "bounded"))
"""Grades that pass the evidence gate (the filter that refuses answers with weak evidence). `asked`:
a market asks the question itself. `bounded`: prices of other markets bound the answer by logic."""
LEAST_CONFIDENCE: Final = 0.5
"""An answer passes the evidence gate (a filter against answers with weak evidence) only if its
confidence, 0 to 1, is at least this. Set before any real question was looked at."""
WIDEST_INTERVAL: Final = 0.5
"""An answer passes the evidence gate (a filter against answers with weak evidence) only if its 80%
interval is at most this wide: upper minus lower end, as a probability. Set before any real question
was looked at."""
OLDEST_PRICE_HOURS: Final = 48.0
"""An answer passes the evidence gate (a filter against answers with weak evidence) only if the
newest price behind it is at most this many hours old. Set, like the gate's other conditions, in
`docs/notebooks/evidence_gate.py` before any real question was looked at."""


@dataclass(frozen=True, slots=True)
class TrialForecast:
    """A question (the title of a resolved market), and the answer given as of an earlier moment.

    Probabilities, 0 to 1, are those of this market's first outcome. `outcome` is 1 if the first
    outcome happened, else 0.
    """

    event: str
    """Id of the event that the question is about. Questions on one event are resolved together."""
    outcome: float
    crowd: float
    """The market's own probability, 0 to 1, with which the forecast is compared: the last price of
    the market's first outcome before the answer's time (`as_of`)."""
    probability: float | None
    grade: Grade = "none"
    confidence: float = 0.0
    width: float | None = None
    """Width of the answer's 80% interval: upper minus lower end, as a probability."""
    age_hours: float | None = None
    """Age, in hours, of the newest price on which the answer rests, at the answer's time (`as_of`).
    None: the answer rests on no price."""


CONDITIONS: Final[Mapping[str, Callable[[TrialForecast], bool]]] = {
    "grade": lambda t: t.grade in GRADES,
    "confidence": lambda t: t.confidence >= LEAST_CONFIDENCE,
    "interval": lambda t: t.width is not None and t.width <= WIDEST_INTERVAL,
    "age": lambda t: t.age_hours is not None and t.age_hours <= OLDEST_PRICE_HOURS,
}


def effect(tried: Sequence[TrialForecast]) -> dict[str, Any]:
    """Brier scores of the answers that pass the evidence gate (a filter against answers with weak
    evidence) and of those refused, for each of the gate's four conditions alone and for all
    together.

    Returns
    -------
    `asked`, `answered`: counts. `gates`: an entry for each condition, for `none` (passes every
    answer) and for `all four`. Each entry has two parts, `kept` and `refused` (answers), with:

    - `n`, `events`: counts of answers and events;
    - `brier`, `crowd_brier`: score of the answers, and of the market's price;
    - `worse`: mean of the answer's score minus the price's. Above 0: the answers are worse;
    - `error`: standard error of `worse`, clustered by event.

    Scores are None without an answer. `error` is also None with fewer than two events.
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
