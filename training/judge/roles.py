"""Choose the limits by which the rules give a market its role (`augury.forecast.roles`), on
finished answers.

    python training/judge/roles.py OUT.json --asked M.parquet P.parquet Q.jsonl ...

`--asked` may be given several times: a catalogue with its prices, and the questions to ask of it.
Each question is asked once, as `augury eval forecast` does; then its answer is made again from the
same markets and verdicts for each value of each limit. One limit after the other takes the value
with which the answers are worth most, twice around; of equally good values the one nearest to the
middle of their range. The same choice on four fifths of the events is tried on the other fifth.
Writes values, worth and folds to OUT.json.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from encoder import SEED

from augury.forecast import engine as engines
from augury.forecast import grade, match, roles, weighing
from augury.forecast.bearing import Compared
from augury.forecast.engine import Engine
from augury.forecast.evaluate import Answered, EvaluationQuestion
from augury.forecast.judging import Verdicts
from augury.forecast.trials import store
from augury.venues.dump import DumpFile

GRIDS: Final[dict[str, tuple[float, float]]] = {
    "MIN_DIRECT_SCORE": (0.0, 2.4), "MIN_DIRECT_CONTENT": (0.0, 1.8),
    "MIN_DIRECT_ASKED": (0.0, 0.72), "MIN_DIRECT_LIKENESS": (-4.5, 2.7),
    "MAX_SCORE_GAP": (0.0, 1.2), "MIN_RELATED_CONTENT": (0.0, 1.7),
    "MIN_RELATED_ASKED": (0.0, 0.68), "MIN_BOUND_LIKENESS": (-4.5, 2.7),
    "MIN_STAGE_LIKENESS": (-5.9, 1.3), "EXCLUDED_LIKENESS": (0.0, 6.0),
    "FOREIGN_WEIGHT": (0.2, 2.0), "MAX_DEADLINE_EXTRA": (0.0, 1.8), "CONTENT_LEAD": (0.0, 1.6),
    "FULL_SHARE": (0.6, 1.0), "PARTIAL_SHARE": (0.0, 1.0), "TWIN_GAP": (0.0, 0.4),
    "FAVORITES_SUM": (0.0, 1.0), "SIBLING_LOSS": (0.0, 1.8),
}  # fmt: skip
"""Limit -> the range in which its value is sought."""
STEPS: Final = 9
"""Values tried of each limit, evenly spaced, beside the one that it has."""
WORTH: Final = {"right": 1.0, "null": 0.0, "wrong": -3.0, "inverted": -6.0}
"""What an answer is worth by its verdict: a wrong number costs what three right ones bring."""
FOLDS: Final = 5
ROUNDS: Final = 2
MODULES: Final = (roles, weighing, engines, match)


@dataclass(frozen=True)
class Kept:
    """All from which one answer was made."""

    asked: EvaluationQuestion
    compared: Compared
    verdicts: Verdicts


async def keep(markets: Path, prices: Path, questions: list[Path]) -> tuple[Engine, list[Kept]]:
    """Ask the questions; keep those whose answer was made at one go."""
    kept: list[Kept] = []
    made: list[tuple[Compared, Verdicts]] = []
    estimate = Engine.estimate

    def noting(self: Engine, compared: Compared, opinions: Any = (), verdicts: Any = ()) -> Any:
        made.append((compared, verdicts))
        return estimate(self, compared, opinions or {}, verdicts or {})

    Engine.estimate = noting  # type: ignore[method-assign]
    try:
        async with store(
            DumpFile(markets, kind="markets"), DumpFile(prices, kind="prices")
        ) as all_:
            for path in questions:
                for line in path.read_text(encoding="utf-8").splitlines():
                    asked = EvaluationQuestion.of(json.loads(line))
                    made.clear()
                    await all_.forecast.forecast(asked.question, as_of=asked.as_of)
                    if len(made) == 1:
                        kept.append(Kept(asked, *made[0]))
                print(path.stem, len(kept), flush=True)
            return all_.forecast._engine, kept
    finally:
        Engine.estimate = estimate  # type: ignore[method-assign]


def worth(engine: Engine, kept: list[Kept]) -> np.ndarray:
    """What each answer is worth with the limits as they are now."""
    found = np.zeros(len(kept))
    for n, one in enumerate(kept):
        made = grade.public(engine.estimate(one.compared, verdicts=one.verdicts))
        answer = Answered(one.asked, made.probability, made.lower, made.upper, made.confidence)
        found[n] = WORTH.get(answer.outcome, 0.0)
    return found


def values(name: str) -> np.ndarray:
    """The values to try of a limit, in ascending order."""
    now = getattr(_home(name), name)
    return np.unique(np.round([*np.linspace(*GRIDS[name], STEPS), now], 4))


def _home(name: str) -> Any:
    return next(module for module in MODULES if hasattr(module, name))


def put(name: str, value: float) -> None:
    """Set a limit wherever it is known."""
    for module in MODULES:
        if hasattr(module, name):
            setattr(module, name, value)


def best(worths: np.ndarray, found: np.ndarray) -> int:
    """The place of the value to take: in the middle of the longest run of the best ones.

    worths : worth of all answers, of each value
    found : the values
    """
    tops = np.flatnonzero(worths >= worths.max() - 1e-9)
    runs = np.split(tops, np.flatnonzero(np.diff(tops) > 1) + 1)
    run = max(runs, key=lambda one: found[one[-1]] - found[one[0]])
    middle = (found[run[0]] + found[run[-1]]) / 2
    return int(run[np.abs(found[run] - middle).argmin()])


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--asked", nargs="+", type=Path, action="append", required=True)
    given = parser.parse_args()
    parts = [asyncio.run(keep(m, p, questions)) for m, p, *questions in given.asked]
    everything = [one for _, kept in parts for one in kept]
    events = {one.asked.market_id or one.asked.qid for one in everything}
    order = dict(
        zip(sorted(events), np.random.default_rng(SEED).permutation(len(events)), strict=True)
    )
    folds = np.array([order[one.asked.market_id or one.asked.qid] % FOLDS for one in everything])

    def now() -> np.ndarray:
        return np.concatenate([worth(engine, kept) for engine, kept in parts])

    before = now()
    print(len(before), "answers, worth", before.sum(), flush=True)
    report: dict[str, Any] = {
        "answers": len(before),
        "worth_before": float(before.sum()),
        "limits": {},
    }
    for turn in range(ROUNDS):
        for name in GRIDS:
            old, tried = getattr(_home(name), name), values(name)
            found = []
            for value in tried:
                put(name, float(value))
                found.append(now())
            table = np.stack(found)
            held_out = sum(
                float(table[best(table[:, folds != k].sum(1), tried)][folds == k].sum())
                for k in range(FOLDS)
            )
            taken = best(table.sum(1), tried)
            put(name, float(tried[taken]))
            line = {
                "before": float(old), "value": float(tried[taken]),
                "worth": dict(zip(tried.tolist(), table.sum(1).tolist(), strict=True)),
                "held_out": held_out,
            }  # fmt: skip
            report["limits"][name] = line
            print(turn, name, line, flush=True)
    after = now()
    report["worth_after"] = float(after.sum())
    print("worth", before.sum(), "->", after.sum())
    given.out.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
