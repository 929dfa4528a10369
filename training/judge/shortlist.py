"""Fit which markets the judge reads at all.

    python training/judge/shortlist.py GATHERED MODEL --train train7 train8 --choose choose

GATHERED holds pickles of `described.py`, with every market that the rules compared; MODEL receives
`shortlist.npz`: trees over `features.COMPARED`, fitted to bring the question's own market among the
first. Prints in how many questions of the part to choose by it is among the first n, beside the
order that they had before: the better of the places by the index and by the rules.
"""

from __future__ import annotations

import argparse
import pickle
from pathlib import Path
from typing import Any

import lightgbm
import numpy as np
from encoder import SEED
from fit import arrays
from labels import target

from augury.matching.features import COMPARED
from augury.matching.trees import Trees

DEPTH = 6
ROUNDS = 150
"""More change nothing that can be told from chance on the part to choose by."""
SETTINGS = {
    "objective": "lambdarank", "label_gain": [0, 1], "lambdarank_truncation_level": 12,
    "learning_rate": 0.05, "num_leaves": 15, "min_data_in_leaf": 50, "feature_fraction": 0.6,
    "bagging_fraction": 0.8, "bagging_freq": 1, "lambda_l2": 5.0, "max_depth": DEPTH, "seed": SEED,
    "verbose": -1, "num_threads": 2, "deterministic": True,
}  # fmt: skip
FIRST = (4, 6, 8, 10, 12, 16)


def read(folder: Path, names: list[str]) -> list[dict[str, Any]]:
    """Questions that some market asks, by what it is or by its complement."""
    asked = [
        one for name in names for one in pickle.loads((folder / f"{name}.pickle").read_bytes())
    ]
    return [one for one in asked if one["kind"] in ("p", "n")]


def rows(one: dict[str, Any]) -> np.ndarray:
    """`COMPARED` of all candidates of a question."""
    return np.stack([c["features"][: len(COMPARED)] for c in one["candidates"]])


def fitted(asked: list[dict[str, Any]]) -> Trees:
    """Trees over the questions whose market was found at all."""
    kept, labels, groups = [], [], []
    for one in asked:
        known = [target(one, c) for c in one["candidates"]]
        if not any(known):
            continue
        told = [n for n, label in enumerate(known) if label is not None]
        kept.append(rows(one)[told])
        labels += [int(known[n] != 0) for n in told]
        groups.append(len(told))
    data = lightgbm.Dataset(np.vstack(kept), np.array(labels), group=groups)
    return arrays(lightgbm.train(SETTINGS, data, num_boost_round=ROUNDS), classes=1, depth=DEPTH)


def places(asked: list[dict[str, Any]], trees: Trees) -> tuple[list[int], list[int]]:
    """The place of each question's market, before and by the trees; a large number where it was
    not found."""
    before, now = [], []
    for one in asked:
        own = [n for n, c in enumerate(one["candidates"]) if c["id"] == one["market_id"]]
        if not own:
            before.append(10**6)
            now.append(10**6)
            continue
        old = sorted(range(len(one["candidates"])), key=lambda n: _before(one["candidates"][n]))
        new = np.argsort(-trees.scores(rows(one))[:, 0], kind="stable").tolist()
        before.append(min(old.index(n) for n in own))
        now.append(min(new.index(n) for n in own))
    return before, now


def _before(candidate: dict[str, Any]) -> tuple[int, int]:
    return min(candidate["rank"], candidate["rule_rank"]), candidate["rule_rank"]


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("gathered", type=Path)
    parser.add_argument("model", type=Path)
    parser.add_argument("--train", nargs="+", required=True)
    parser.add_argument("--choose", nargs="+", required=True)
    given = parser.parse_args()
    trees = fitted(read(given.gathered, given.train))
    for name in given.choose:
        asked = read(given.gathered, [name])
        for kind in ("p", "n"):
            part = [one for one in asked if one["kind"] == kind]
            for label, found in zip(("before", "now"), places(part, trees), strict=True):
                shares = "  ".join(f"{n}: {np.mean(np.array(found) < n):.3f}" for n in FIRST)
                print(f"{name} {kind} {len(part)} {label:6}  {shares}")
    np.savez_compressed(
        given.model / "shortlist.npz", features=np.array(COMPARED), **trees.arrays()
    )


if __name__ == "__main__":
    main()
