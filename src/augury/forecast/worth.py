"""Measures how good the answers are, compared with the base rate, when no market asks the question
itself. Pure.

A market's question is asked while that market is left out, so that the other markets have to
answer. The questions are split into two halves; questions on one event are in the same half. The
first half is used to choose which kinds of answers may be shown. The second half is used to measure
how good these answers are.
"""

from __future__ import annotations

import zlib
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any, Final

from augury.forecast.evaluate import Answered

WIDTHS: Final = (0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 1.0)
"""Limits on the width of the bounds that logic puts on an answer (upper minus lower, as a
probability). For each limit, the bounded answers with at most this width are scored together, but
not those derived from rivals."""
MIN_EVENTS: Final = 20
"""A kind of answer (e.g. hints) can count as better than the base rate only if it was scored on
questions about at least this number of events."""
SURE_T: Final = -2.0
"""A kind of answer (e.g. hints) counts as better than the base rate only if t is at most this. t is
the answers' Brier score minus that of the base rate, in standard errors; below 0, the answers are
better."""


def half(answer: Answered) -> int:
    """The half of the questions, 0 or 1, to which this answer's question belongs. Half 0 is used to
    choose which kinds of answers may be shown. Half 1 is used to measure how good these answers
    are. Questions on one event are in the same half."""
    return zlib.crc32((answer.asked.event or answer.asked.market_id or "").encode()) % 2


def worth(answers: Sequence[Answered]) -> dict[str, Any]:
    """Brier scores of the answers, compared with those of the base rate and of the crowd (market
    prices).

    The questions are split into two halves. The first (`chosen`) is used to choose which kinds of
    answers may be shown, e.g. up to which width of the bounds (`widest`). The second (`reported`)
    is used to measure how good these answers are. Each question was answered without the market
    that asks it. The price of this market is the crowd's answer.

    Returns
    -------
    `base_rate`: share of the questions in the first half that came true.
    `chosen`, `reported`: for each half, the scores by kind of answer. Kinds: `asked` (another
    market asks the question), `hinted` (a related market hints at the answer), `bounded` (markets
    bound it), `bounded as shown` (only bounded answers that give a probability), `bounded WAY` (by
    how the bounds were found, e.g. `bounded from rivals`), `bounded within W` (bounds no wider than
    W, not from rivals). Each has `n`, `events`, `brier`, `base_brier`, `crowd_brier` and
    `t`: `brier` minus `base_brier` in standard errors over events; below 0 is better.
    `widest`: the largest W for which the answers `bounded within W` of the first half are reliably
    better than the base rate (`MIN_EVENTS`, `SURE_T`); None if there is no such W.
    """
    decided = [a for a in answers if a.asked.outcome is not None and a.asked.p is not None]
    halves = [[a for a in decided if half(a) == which] for which in (0, 1)]
    outcomes = [a.asked.outcome or 0.0 for a in halves[0]]
    base = sum(outcomes) / len(outcomes) if outcomes else 0.0
    kinds = _kinds(decided)
    scores = [
        {name: _scored([a for a in rows if is_of(a)], base) for name, is_of in kinds.items()}
        for rows in halves
    ]
    widest = next((w for w in reversed(WIDTHS) if _is_sure(scores[0][f"bounded within {w}"])), None)
    chosen, reported = scores
    return {"base_rate": round(base, 4), "widest": widest, "chosen": chosen, "reported": reported}


def width(answer: Answered) -> float:
    """Distance between the lower and the upper bound that logic puts on an answer, as a
    probability; 1 without bounds."""
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
    return cell["events"] >= MIN_EVENTS and cell["t"] <= SURE_T


def _scored(rows: Sequence[Answered], base: float) -> dict[str, Any]:
    gains: dict[str, list[float]] = defaultdict(list)
    scores: list[tuple[float, float, float]] = []
    for a in rows:
        p, outcome, crowd = a.any_probability, a.asked.outcome, a.asked.p
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
