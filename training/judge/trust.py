"""Fit the trees that say how likely an answer is right.

    python training/judge/trust.py gather OUT.json --questions Q.jsonl --markets M --prices P
    python training/judge/trust.py fit OUT.json ... --keep src/augury/forecast/trust.npz

`gather` asks the questions as `augury eval forecast` does, and keeps what is known of each answer
(`augury.forecast.trust.SIGNS`) with the verdict on it. `fit` prints how the trees do in five folds
by event, and writes `trust.npz`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from pathlib import Path
from typing import Any

import lightgbm
import numpy as np
from encoder import SEED
from fit import arrays
from labels import NOTHING
from questions import FOLDER, FREE, load, read_answers, read_markets

from augury.forecast import bounds
from augury.forecast.evaluate import Answered, EvaluationQuestion
from augury.forecast.trials import store
from augury.forecast.trust import SIGNS
from augury.logic.joint_outcomes import ORDERS
from augury.venues.dump import DumpFile

SETTINGS = {
    "objective": "multiclass", "num_class": 2, "learning_rate": 0.05, "num_leaves": 7,
    "min_data_in_leaf": 30, "feature_fraction": 0.5, "bagging_fraction": 0.8, "bagging_freq": 1,
    "lambda_l2": 5.0, "max_depth": 4, "seed": SEED, "verbose": -1, "num_threads": 2,
    "deterministic": True,
}  # fmt: skip
ROUNDS = 130
"""More or larger trees are better on held-out events (log loss .349 instead of .359), but not on
held-out parts, i.e. on other writers (.389, .386): `docs/experiments/judge.md`."""
FOLDS = 5
FREELY_ASKED = 2.0
"""Weight of an answer to a question that was asked freely, without a market in view. One to a
question written about a market counts 1: there are far more of these, and people ask the others.
With 2 and a smallest trust of .6 (its mean over three divisions into folds), 824 answers close to a
market are right and 37 wrong, of those about a market 1,835 and 173, of those to questions asked
freely 736 and 152. With 3, they are 809 and 38, 1,829 and 169, 731 and 148. The log loss is
smallest with 2."""
INVERTED = 3.0
"""Weight of an answer that is right for the opposite question, beside that of its question: nothing
is worse. With it, 23 of such answers are left beside 1,750 right ones, and 28 without it."""


SAME_NUMBER = 0.03
"""A reader's verdict on an answer counts for an answer whose probability differs by less. A bound
follows from what a reader says of a market if it is no narrower by more than this."""


async def gather(given: argparse.Namespace) -> None:
    """Ask the questions and keep what is known of the answers."""
    lines = given.questions.read_text(encoding="utf-8").splitlines()
    asked = [EvaluationQuestion.of(json.loads(line)) for line in lines]
    kept: list[dict[str, Any]] = []
    files = DumpFile(given.markets, kind="markets"), DumpFile(given.prices, kind="prices")
    async with store(*files) as services:
        for one in asked:
            found = (await services.forecast.forecast(one.question, as_of=one.as_of)).estimate
            answer = Answered(one, found.probability, found.lower, found.upper, 0.0)
            kept.append(
                {"qid": one.qid, "kind": one.kind, "event": one.market_id or one.qid,
                 "part": given.questions.stem,
                 "grade": found.grade, "confidence": found.confidence, "verdict": answer.outcome,
                 "p": found.probability, "null_ok": one.null_ok, "signs": found.signs,
                 "market": found.decisive and found.decisive.market.id,
                 "flipped": found.decisive and found.decisive.flipped,
                 "used": [(each.market.id, each.market.price(0), each.low, each.high)
                          for each in found.evidence if each.counts],
                 "question": one.question}
            )  # fmt: skip
    given.out.write_text(json.dumps(kept), encoding="utf-8")


def table(
    parts: list[Path], numbers: dict[str, dict[str, Any]]
) -> tuple[list[dict[str, Any]], np.ndarray, np.ndarray]:
    """The answers with what is known of them, one row each, and whether each is right (1) or not.

    The number given to a near miss, or to a question without a market, is right where a market
    asks or bounds it, as readers say of the number (`numbers`, from `questions.read_answers`)
    or of the market (`questions.read_markets`). A number that nobody read is left out, because it
    may be right. So is one of which the reader was not sure.
    """
    answers = [one for part in parts for one in json.loads(part.read_text(encoding="utf-8"))]
    answers = [one for one in answers if one["signs"] and one["verdict"] != "null"]
    markets = read_markets()
    named = {path.stem for path in FOLDER.glob("*.jsonl")} - {"answers", "asked"}
    kinds = {q.qid: q.kind for q in load(*sorted(named & {one["part"] for one in answers}))}
    for one in answers:
        one["written"] = kinds.get(one["qid"])
        if one["kind"] == "unanswerable" and one["p"] is not None:
            known = numbers.get(one["qid"])
            if known is not None and abs(known["p"] - one["p"]) < SAME_NUMBER:
                one["verdict"] = known["verdict"]
            elif one["grade"] == "asked":
                asks = _asks(one, one["market"], markets)
                one["verdict"] = _verdict(asks, flipped=one["flipped"])
            else:
                one["verdict"] = _on_bounds(one, markets)
    answers = [one for one in answers if one["verdict"] != "unsure"]
    rows = np.array([one["signs"] for one in answers])
    return answers, rows, np.array([int(one["verdict"] == "right") for one in answers])


def _on_bounds(one: dict[str, Any], markets: dict[tuple[str, str], str]) -> str:
    """The verdict on an answer that markets bound, by what readers say that the question is to each
    of these markets: right if all of the bounds follow, wrong if one does not."""
    said = [_asks(one, market, markets) for market, *_ in one["used"]]
    known = [
        (asks, *bound)
        for asks, (_, *bound) in zip(said, one["used"], strict=True)
        if asks not in ("unsure", "other") and bound[0] is not None
    ]
    if not all(_follows(*each) for each in known):
        return "wrong"
    return "right" if len(known) == len(said) > 0 else "unsure"


def _asks(one: dict[str, Any], market: str, markets: dict[tuple[str, str], str]) -> str:
    """What the question is to a market, by what a reader says. Of a question of kind "o" and the
    market that it was written about, the writer says it: neither answer follows from the other."""
    if one["written"] == "o" and market == one["event"]:
        return NOTHING
    return markets.get((one["qid"], market), "unsure")


def _follows(asks: str, price: float, low: float, high: float) -> bool:
    """Whether the bounds `low` and `high` follow from the price of a market's first outcome."""
    if asks in ("same", "opposite"):
        least = most = price if asks == "same" else 1 - price
    elif asks in ORDERS:
        least, most = bounds.limits(asks, price)
    else:
        return False
    return low <= least + SAME_NUMBER and high >= most - SAME_NUMBER


def _verdict(asks: str, *, flipped: bool) -> str:
    """The verdict on an answer, by what a reader says that its market asks. `flipped`: the answer
    is 1 minus the market's price."""
    if asks in ("same", "opposite"):
        return "right" if (asks == "opposite") == flipped else "inverted"
    return "unsure" if asks == "unsure" else "wrong"


def fit(given: argparse.Namespace) -> None:
    """Fit the trees, print how they do on questions that they were not fitted on, and keep them."""
    numbers = read_answers()
    answers, rows, right = table(given.parts, numbers)
    events = {event: n for n, event in enumerate(sorted({one["event"] for one in answers}))}
    groups = np.random.default_rng(SEED).permutation(len(events))[
        [events[one["event"]] for one in answers]
    ]
    # A near miss that bounds answer is a range, too.
    asked_freely = np.array(
        [
            one["written"] == FREE or (one["kind"] == "range" and one["qid"] not in numbers)
            for one in answers
        ]
    )
    inverted = np.array([one["verdict"] == "inverted" for one in answers])
    weights = np.where(asked_freely, FREELY_ASKED, 1.0) * np.where(inverted, INVERTED, 1.0)
    held_out = np.zeros(len(rows))
    for k in range(FOLDS):
        out = groups % FOLDS == k
        data = lightgbm.Dataset(rows[~out], right[~out], weight=weights[~out])
        held_out[out] = lightgbm.train(SETTINGS, data, ROUNDS).predict(rows[out])[:, 1]
    near = np.array([one["kind"] == "near" for one in answers])
    for name, some in (
        ("asked freely", asked_freely), ("close to a market", near),
        ("about a market", ~asked_freely & ~near),
    ):  # fmt: skip
        print(name)
        for line in curve(
            held_out[some], right[some], [a for a, s in zip(answers, some, strict=True) if s]
        ):
            print(" ", json.dumps(line))
    model = lightgbm.train(SETTINGS, lightgbm.Dataset(rows, right, weight=weights), ROUNDS)
    trees = arrays(model, classes=2, depth=int(SETTINGS["max_depth"]))
    assert np.allclose(trees.probabilities(rows[:500]), model.predict(rows[:500]), atol=1e-6)
    gains = sorted(zip(SIGNS, model.feature_importance("gain"), strict=True), key=lambda g: -g[1])
    print("gain", [(name, round(gain)) for name, gain in gains[:16]])
    np.savez_compressed(given.keep, **trees.arrays())


def curve(
    trust: np.ndarray, right: np.ndarray, answers: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Right and wrong answers that are left, by smallest trust; also of those on bounds alone."""
    bounded = np.array([one["grade"] == "bounded" for one in answers], bool)
    inverted = np.array([one["verdict"] == "inverted" for one in answers], bool)
    no_market = np.array(
        [one["kind"] == "unanswerable" and one["verdict"] != "right" for one in answers], bool
    )
    lines = []
    for least in (0.0, 0.3, 0.4, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9):
        left = trust >= least
        lines.append(
            {"least": least, "right": int(right[left].sum()), "wrong": int((1 - right)[left].sum()),
             "inverted": int((inverted & left).sum()), "no market": int((no_market & left).sum()),
             "bounded right": int(right[left & bounded].sum()),
             "bounded wrong": int((1 - right)[left & bounded].sum())}
        )  # fmt: skip
    return lines


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    steps = parser.add_subparsers(required=True)
    gathering = steps.add_parser("gather")
    gathering.add_argument("out", type=Path)
    gathering.add_argument("--questions", type=Path, required=True)
    gathering.add_argument("--markets", type=Path, required=True)
    gathering.add_argument("--prices", type=Path, required=True)
    gathering.set_defaults(run=lambda given: asyncio.run(gather(given)))
    fitting = steps.add_parser("fit")
    fitting.add_argument("parts", type=Path, nargs="+")
    fitting.add_argument("--keep", type=Path, required=True)
    fitting.set_defaults(run=fit)
    given = parser.parse_args()
    given.run(given)


if __name__ == "__main__":
    main()
