"""Fit the judge's trees and choose its limits.

    python training/judge/fit.py GATHERED MODEL --train train7 train8 --choose choose

GATHERED holds pickles of `described.py`; MODEL the exported encoder and the shortlist, and receives
`trees.npz`, `bounds.npz` and `judge.json`. The trees are fitted on questions that the encoder was
not trained on; their number comes from five folds by event. Each question with a market counts
twice, as it is and as if that market did not exist; the trees for bounds read it as it is. The
limits and the calibration come from the questions to choose by, whose writers and events are
others. Prints both, with the curve of wrong against answered.
"""

from __future__ import annotations

import argparse
import json
import math
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import lightgbm
import numpy as np
from encoder import SEED
from labels import CLASSES, order, target, twin
from questions import BOUNDED

from augury.logic.joint_outcomes import ORDERS
from augury.matching.features import NAMES
from augury.matching.judge import (
    ENCODED,
    LISTED,
    MAX_CANDIDATES,
    Encoder,
    encoded_features,
    listed_features,
    relations,
    ruled_features,
    worth_reading,
)
from augury.matching.trees import Trees

SETTINGS = {
    "objective": "multiclass", "num_class": 3, "learning_rate": 0.05, "num_leaves": 15,
    "min_data_in_leaf": 30, "feature_fraction": 0.6, "bagging_fraction": 0.8, "bagging_freq": 1,
    "lambda_l2": 5.0, "max_depth": 6, "seed": SEED, "verbose": -1, "num_threads": 2,
    "deterministic": True,
}  # fmt: skip
SPARE = 4
"""Markets scored beyond those that the judge reads, so that there are others to read when the
question's own market is taken away."""
INPUTS = (*NAMES, *ENCODED, *LISTED)
AT = {name: n for n, name in enumerate(NAMES)}
LIMITS = {"same": 0.12, "opposite": 0.12}
"""From which probability on a market is taken to ask the question, or its opposite. That low,
because the finished answer is checked (`trust.py`): of 720 questions asked freely 303 are then
answered rightly and 117 wrongly before the check, 259 and 39 after it; at .3 289 and 112, 251 and
36."""
CONTRARY = 0.4
"""Least probability where the rules read the other side: below it neither is believed. Chosen with
`LIMITS`; it was .65 while nothing checked the answer."""
SIDED = 0.7
"""Least share of a side in both sides' probability: below it which side is asked is not known. Of
everyday questions to choose by 322 are then right and 7 inverted, of deceptive ones 146 and 15,
before the answer is checked; at .8 315 and 4, 133 and 11."""
AGREE = 0.02
"""Least probability at which the rules' own direct answer stands. Of such answers with a confidence
below .05, about this limit, on the questions to choose by 5 of 12 paraphrases and negations were
right, and of those to near misses that a reader judged 1 of 17. At .05 a few wrong answers fewer,
and of 195 near questions 11 fewer are bounded: `docs/experiments/judge.md`, "The limit `agree`"."""
BOUND = 0.07
"""Least probability at which a market that the rules order with the question bounds the answer."""
ABSENT = 0.1
"""Probability that a market asks the question or its opposite from which on no other market bounds
the answer, unless by proof: chosen with `BOUND` on the curve that this prints. Of the 150 questions
to choose by that logic bounds 57 are bounded, 49 rightly; of 2,404 that a market does ask 42, 8 of
them by a market that the asked one is ordered with in the same way; of 766 on another matter 181,
some rightly: another day or level may follow. Without this limit, at a `BOUND` of .1, 61 and 49, 89
and 32, 184."""
ORDER = 0.3
"""A market that the judge orders with the question, and the rules do not, bounds the answer if the
order's probability is at least this, 0 to 1. The limit is low because trust checks the finished
answer (`trust.py`). This script prints a curve over the limit. It counts questions with at least
one such market, those with one in the right order, and those with one in a wrong order:

- of 510 questions that a market bounds: 324, 299 and 92 at .15; 302, 281 and 57 at .3; 260, 245 and
  29 at .5;
- of 259 questions asked without a market in view: 69, 25 and 49; 45, 20 and 26; 27, 14 and 14.
"""
BOUND_SETTINGS = {**SETTINGS, "num_class": 1 + len(ORDERS), "min_data_in_leaf": 20}


def read(folder: Path, names: list[str], model: Path) -> list[dict[str, Any]]:
    """Questions with the markets that may be read for them: the first by the shortlist, with its
    scores, the comparison by the rules and the scores of the encoder."""
    found = []
    encoder = Encoder.load(model)
    with np.load(model / "shortlist.npz") as kept:
        shortlist = Trees.of(kept)
    for name in names:
        for one in pickle.loads((folder / f"{name}.pickle").read_bytes()):
            listed = {"part": name, "listed": [], "compared": np.zeros((0, len(NAMES)))}
            if one["candidates"]:
                rows = np.stack([c["features"] for c in one["candidates"]])
                near = shortlist.scores(rows)[:, 0]
                order = np.argsort(-near, kind="stable")[: MAX_CANDIDATES + SPARE]
                first = [one["candidates"][n] for n in order]
                said = encoder.score(one["asked"], [c["text"] for c in first])
                listed |= {"listed": first, "compared": rows[order], "near": near[order],
                           "said": said}  # fmt: skip
            found.append({**one, **listed})
    return found


def judged(one: dict[str, Any], *, absent: bool = False) -> dict[str, Any]:
    """The question with the candidates that the judge reads, and all its features of them.

    absent : as if the question's own market, and those of the same words, did not exist
    """

    def is_gone(candidate: dict[str, Any]) -> bool:
        return absent and (candidate["id"] == one["market_id"] or twin(one, candidate))

    kind = "absent" if absent else one["kind"]
    left = np.array([n for n, c in enumerate(one["listed"]) if not is_gone(c)], int)
    if not len(left):
        return {**one, "kind": kind, "first": [], "rows": np.zeros((0, len(INPUTS)))}
    rows = _without(one, is_gone) if absent else one["compared"]
    left = left[worth_reading(one["near"][left], rows[left])]
    rows = np.hstack([rows[left], encoded_features(one["said"][left])])
    rows = np.hstack([rows, listed_features(rows)])
    return {**one, "kind": kind, "first": [one["listed"][n] for n in left], "rows": rows}


def whole(one: dict[str, Any]) -> dict[str, Any]:
    """The question with the first candidates of the shortlist, also those too far behind to be
    read, and their features without `LISTED`: what the trees for bounds learn from."""
    first = one["listed"][:MAX_CANDIDATES]
    if not first:
        return {**one, "first": [], "rows": np.zeros((0, len(NAMES) + len(ENCODED)))}
    compared, said = one["compared"][:MAX_CANDIDATES], one["said"][:MAX_CANDIDATES]
    return {**one, "first": first, "rows": np.hstack([compared, encoded_features(said)])}


def _without(one: dict[str, Any], is_gone: Callable[[dict[str, Any]], bool]) -> np.ndarray:
    """The comparison of `listed` as it is when some candidates are not there: places and distances
    from the best one."""
    rows = one["compared"].copy()
    left = np.stack([c["features"] for c in one["candidates"] if not is_gone(c)])
    gone = [c["features"] for c in one["candidates"] if is_gone(c)]
    for name in ("score", "likeness"):
        rows[:, AT[f"{name}_behind"]] = left[:, AT[name]].max() - rows[:, AT[name]]
    for name in ("rank", "rule_rank"):
        places = np.unique([math.expm1(row[AT[name]]) for row in gone])
        now = np.expm1(rows[:, AT[name]])
        before = (now[:, None] > places[None, :] + 0.5).sum(axis=1)
        rows[:, AT[name]] = np.log1p(np.maximum(0, now - before))
    return rows


def table(
    asked: list[dict[str, Any]],
    rows_of: Callable[[dict[str, Any]], np.ndarray] = lambda one: one["rows"],
    class_of: Callable[[dict[str, Any], dict[str, Any]], int | None] = target,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows, classes and event numbers of all pairs whose class is known."""
    events = {group: n for n, group in enumerate(sorted({one["group"] for one in asked}))}
    rows, classes, groups = [], [], []
    for one in asked:
        for candidate, row in zip(one["first"], rows_of(one), strict=True):
            if (label := class_of(one, candidate)) is not None:
                rows.append(row)
                classes.append(label)
                groups.append(events[one["group"]])
    return np.stack(rows), np.array(classes), np.array(groups)


def order_class(one: dict[str, Any], candidate: dict[str, Any]) -> int | None:
    """The class of a candidate for the trees for bounds (0: no bound, then `ORDERS`); None where it
    is not known."""
    asks = target(one, candidate)
    if asks is None:
        return None
    found = "other" if asks else order(one, candidate)  # what a market asks, it does not bound
    return None if found is None else max(0, CLASSES.index(found) - 2)


def bounds_rows(one: dict[str, Any]) -> np.ndarray:
    """The features that the trees for bounds read, of each candidate."""
    rows = one["rows"][:, : len(NAMES) + len(ENCODED)]
    return np.hstack([rows, ruled_features(relations(rows))])


def fitted(
    rows: np.ndarray, classes: np.ndarray, groups: np.ndarray, settings: dict[str, Any] = SETTINGS
) -> tuple[Any, float]:
    """The model, with as many rounds as five folds by event find best; the folds' log loss."""
    folds = [(np.flatnonzero(groups % 5 != k), np.flatnonzero(groups % 5 == k)) for k in range(5)]
    data = lightgbm.Dataset(rows, classes, free_raw_data=False)
    history = lightgbm.cv(
        settings, data, num_boost_round=500, folds=folds,
        callbacks=[lightgbm.early_stopping(30, verbose=False)],
    )  # fmt: skip
    losses = history["valid multi_logloss-mean"]
    return lightgbm.train(settings, data, num_boost_round=len(losses)), float(losses[-1])


def arrays(model: Any, classes: int, depth: int) -> Trees:
    """The model as arrays; tree t of the dump belongs to class t modulo `classes`."""
    dumped = [one["tree_structure"] for one in model.dump_model()["tree_info"]]
    listed = [_nodes(root) for root in dumped]
    most = max(len(nodes) for nodes in listed)
    shape = (len(listed), most)
    feature = np.full(shape, -1, np.int32)
    left, right = np.zeros(shape, np.int32), np.zeros(shape, np.int32)
    threshold, value = np.zeros(shape), np.zeros(shape)
    for t, nodes in enumerate(listed):
        for n, node in enumerate(nodes):
            if "split_feature" in node:
                feature[t, n], threshold[t, n] = node["split_feature"], node["threshold"]
                left[t, n], right[t, n] = node["at"]
            else:
                value[t, n] = node["leaf_value"]
    return Trees(feature, threshold, left, right, value, classes, depth)


def _nodes(root: dict[str, Any]) -> list[dict[str, Any]]:
    nodes = [root]
    for node in nodes:  # grows while it is read
        if "split_feature" in node:
            node["at"] = (len(nodes), len(nodes) + 1)
            nodes += [node["left_child"], node["right_child"]]
    return nodes


def answers(asked: list[dict[str, Any]], trees: Trees) -> list[tuple[float, int, bool, str]]:
    """For each question the best market: (probability, side, whether it is right, kind)."""
    found = []
    for one in asked:
        if not len(one["rows"]):
            continue
        p = trees.probabilities(one["rows"])[:, 1:]
        n, side = divmod(int(p.argmax()), 2)
        label = target(one, one["first"][n])
        if label is None:
            continue  # a twin of the question's market: neither right nor wrong can be said
        found.append((float(p[n, side]), side + 1, label == side + 1, one["kind"]))
    return found


def calibration(found: list[tuple[float, int, bool, str]]) -> list[tuple[float, float]]:
    """(probability, share right) over ten equal parts, made monotone by pooling neighbours."""
    ordered = sorted((p, float(right)) for p, _, right, _ in found)
    parts = [ordered[k * len(ordered) // 10 : (k + 1) * len(ordered) // 10] for k in range(10)]
    blocks = [[*(float(np.mean(column)) for column in zip(*part, strict=True)), len(part)]
              for part in parts if part]  # fmt: skip
    pooled: list[list[float]] = []
    for block in blocks:
        pooled.append(block)
        while len(pooled) > 1 and pooled[-2][1] > pooled[-1][1]:
            (pa, ra, na), (pb, rb, nb) = pooled[-2:]
            n = na + nb
            pooled[-2:] = [[(pa * na + pb * nb) / n, (ra * na + rb * nb) / n, n]]
    return [(round(p, 4), round(r, 4)) for p, r, _ in pooled]


def curve(found: list[tuple[float, int, bool, str]]) -> list[dict[str, Any]]:
    """Wrong against answered, by limit and kind of question."""
    lines = []
    for at in (0.3, 0.42, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95):
        line: dict[str, Any] = {"limit": at}
        for kinds in ("p", "n", "ge le ex cv", "x", "o", "u", "absent"):
            part = [(p, right) for p, _, right, kind in found if kind in kinds.split()]
            said = [right for p, right in part if p >= at]
            line[kinds] = {"n": len(part), "right": sum(said), "wrong": len(said) - sum(said)}
        lines.append(line)
    return lines


def bounded(asked: list[dict[str, Any]], trees: Trees, bounds: Trees) -> list[dict[str, Any]]:
    """Of the questions that hardly any market asks, how many a market bounds, by limit and kind:
    where the rules order it with the question (`ruled`), and by the judge alone. `right`: by their
    own market, or by one whose order is known, and in the right order; `wrong`: in another."""
    lines = []
    for at in (0.03, 0.07, 0.15, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9):
        line: dict[str, Any] = {"limit": at}
        for one in asked:
            cell = line.setdefault("ge le ex cv" if one["kind"] in BOUNDED
                                   else one["kind"], dict.fromkeys(COUNTED, 0))  # fmt: skip
            cell["n"] += 1
            if not len(one["rows"]) or trees.probabilities(one["rows"])[:, 1:].max() >= ABSENT:
                continue
            rows = bounds_rows(one)
            said, ruled = bounds.probabilities(rows)[:, 1:], relations(rows)
            by_rules = [(n, ORDERS.index(of)) for n, of in enumerate(ruled) if of]  # type: ignore[arg-type]
            for name, found in (("ruled", by_rules), ("judged", list(enumerate(said.argmax(1))))):
                labels = [(order_class(one, one["first"][n]), of + 1) for n, of in found
                          if said[n, of] >= at]  # fmt: skip
                cell[name] += bool(labels)
                cell[f"{name} right"] += any(label == of for label, of in labels)
                cell[f"{name} wrong"] += any(label not in (None, of) for label, of in labels)
        lines.append(line)
    return lines


COUNTED = ("n", "ruled", "ruled right", "ruled wrong", "judged", "judged right", "judged wrong")


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("gathered", type=Path)
    parser.add_argument("model", type=Path)
    parser.add_argument("--train", nargs="+", required=True)
    parser.add_argument("--choose", nargs="+", required=True)
    given = parser.parse_args()
    asked, asked_to_choose = (
        read(given.gathered, names, given.model) for names in (given.train, given.choose)
    )
    train, choose = (
        [judged(one, absent=absent) for one in part for absent in (False, True)
         if not absent or one["kind"] in ("p", "n")]
        for part in (asked, asked_to_choose)
    )  # fmt: skip
    rows, classes, groups = table(train)
    model, loss = fitted(rows, classes, groups)
    trees = arrays(model, classes=3, depth=int(SETTINGS["max_depth"]))
    assert np.allclose(trees.probabilities(rows[:500]), model.predict(rows[:500]), atol=1e-6)
    bounding_model, bounds_loss = fitted(
        *table([whole(one) for one in asked], bounds_rows, order_class), settings=BOUND_SETTINGS
    )
    bounds = arrays(bounding_model, classes=1 + len(ORDERS), depth=int(SETTINGS["max_depth"]))
    found = answers(choose, trees)
    limits = {**LIMITS, "contrary": CONTRARY, "agree": AGREE, "sided": SIDED, "bound": BOUND,
              "order": ORDER, "absent": ABSENT}  # fmt: skip
    steps = calibration(found)
    gains = sorted(zip(INPUTS, model.feature_importance("gain"), strict=True),
                   key=lambda one: -one[1])  # fmt: skip
    lines = curve(found)
    for name in given.choose:
        print(name)
        for line in curve(answers([one for one in choose if one["part"] == name], trees)):
            print(line)
        for line in bounded([one for one in choose if one["part"] == name], trees, bounds):
            print("bounds", line)
    print("log loss of the folds for bounds", round(bounds_loss, 4))
    print("limits", limits, "\ncalibration", steps, "\nlog loss of the folds", round(loss, 4))
    print("gain", [(name, round(gain)) for name, gain in gains[:16]])
    np.savez_compressed(given.model / "trees.npz", **trees.arrays())
    np.savez_compressed(given.model / "bounds.npz", **bounds.arrays())
    about = {
        "features": INPUTS, "limits": limits, "calibration": steps, "seed": SEED,
        "trained_on": {"encoder": "see docs/model-card.md", "trees": given.train},
        "chosen_on": given.choose, "fold_log_loss": round(loss, 4), "curve": lines,
        "bounds_fold_log_loss": round(bounds_loss, 4),
        "pairs": len(rows),
    }  # fmt: skip
    (given.model / "judge.json").write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
