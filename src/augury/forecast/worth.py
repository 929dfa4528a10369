"""What answers without a market of their own are worth: against the base rate, by kind. Pure.

The asked market is taken away, and what is left answers. Questions are halved by their market: on
one half it is chosen which answers may stand, the other half says how good that was.
"""

from __future__ import annotations

import zlib
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any, Final

from augury.forecast.evaluate import Answered

WIDTHS: Final = (0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 1.0)
"""Distances between the bounds of an answer."""
LEAST: Final = 20
"""Events with decided answers below which nothing is said to be better than the base rate."""
SURE: Final = -2.0
"""Standard errors by which the Brier score has to be below the base rate's."""


def half(answer: Answered) -> int:
    """0: choose by it; 1: report on it. Questions on one event are in one half."""
    return zlib.crc32((answer.asked.event or answer.asked.market_id or "").encode()) % 2


def worth(answers: Sequence[Answered]) -> dict[str, Any]:
    """Brier scores of all answers but those that a market asks, beside base rate and crowd.

    Returns
    -------
    `chosen` and `reported`, the two halves: by kind (`asked` by another market, `hinted`,
    `bounded`, `bounded as shown` (those not withheld), `bounded from WAY`, `bounded within W` by
    anything but rivals) `n`, `events`, `brier`, `base_brier` (the share of all questions of the
    choosing half that came true), `crowd_brier` (the price of the market taken away), and `t`: the
    difference to the base rate's in standard errors over events, below 0 where it is better.
    `widest`: the greatest width of bounds at and below which bounded answers of the choosing half
    beat the base rate beyond doubt; None: there is none.
    """
    decided = [a for a in answers if a.asked.outcome is not None and a.asked.p is not None]
    halves = [[a for a in decided if half(a) == which] for which in (0, 1)]
    outcomes = [a.asked.outcome or 0.0 for a in halves[0]]
    base = sum(outcomes) / len(outcomes) if outcomes else 0.0
    kinds = _kinds(decided)
    told = [
        {name: _scored([a for a in rows if is_of(a)], base) for name, is_of in kinds.items()}
        for rows in halves
    ]
    widest = next((w for w in reversed(WIDTHS) if _is_sure(told[0][f"bounded within {w}"])), None)
    return {"base_rate": round(base, 4), "widest": widest, "chosen": told[0], "reported": told[1]}


def width(answer: Answered) -> float:
    """Distance between the bounds of an answer, 1 where there are none."""
    return 1.0 if answer.bounds is None else answer.bounds[1] - answer.bounds[0]


def _kinds(answers: Sequence[Answered]) -> dict[str, Callable[[Answered], bool]]:
    ways = sorted({a.way for a in answers if a.grade == "bounded" and a.way})
    return {
        "asked": lambda a: a.grade == "asked",
        "hinted": lambda a: a.grade == "hinted",
        "bounded": lambda a: a.grade == "bounded",
        "bounded as shown": lambda a: a.grade == "bounded" and a.probability is not None,
        **{f"bounded {way}": _by_way(way) for way in ways},
        **{f"bounded within {w}": _by_width(w) for w in WIDTHS},
    }


def _by_way(way: str) -> Callable[[Answered], bool]:
    return lambda a: a.grade == "bounded" and a.way == way


def _by_width(most: float) -> Callable[[Answered], bool]:
    return lambda a: a.grade == "bounded" and a.way != "from rivals" and width(a) <= most


def _is_sure(cell: dict[str, Any]) -> bool:
    return cell["events"] >= LEAST and cell["t"] <= SURE


def _scored(rows: Sequence[Answered], base: float) -> dict[str, Any]:
    gains: dict[str, list[float]] = defaultdict(list)
    scores: list[tuple[float, float, float]] = []
    for a in rows:
        p, outcome, crowd = a.said, a.asked.outcome, a.asked.p
        if p is None or outcome is None or crowd is None:
            continue
        mine, knowing_nothing = (p - outcome) ** 2, (base - outcome) ** 2
        scores.append((mine, knowing_nothing, (crowd - outcome) ** 2))
        gains[a.asked.event or a.asked.market_id or ""].append(mine - knowing_nothing)
    by_event = [sum(found) / len(found) for found in gains.values()]
    n = len(by_event)
    mean = sum(by_event) / n if n else 0.0
    spread = (sum((g - mean) ** 2 for g in by_event) / (n - 1) / n) ** 0.5 if n > 1 else 0.0
    names = ("brier", "base_brier", "crowd_brier")
    means = [sum(column) / len(scores) for column in zip(*scores, strict=True)] or [None] * 3
    return {
        "n": len(scores),
        "events": n,
        **{k: None if v is None else round(v, 4) for k, v in zip(names, means, strict=True)},
        "t": round(mean / spread, 2) if spread else 0.0,
    }
