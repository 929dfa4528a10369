"""Fit relation and grade of a candidate, and compare with the order of today.

    python training/relations/fit.py OUT training/relations/judgments.jsonl

OUT holds `gather.py`'s features. Five folds by query; a fold's floors come from the queries it was
fitted on. Prints, for the order of the service and for the fitted one: nDCG@10 as `augury eval
search` defines it, and of the judged ten the share without bearing and of another relation.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import lightgbm
import numpy as np

from augury.search.evaluate import DIMENSIONS, JudgedQuery, _top, mean, ndcg10

SEED = 17
FOLDS = 5
SETTINGS: dict[str, Any] = {
    "learning_rate": 0.08, "num_leaves": 15, "max_depth": 6, "min_data_in_leaf": 40,
    "feature_fraction": 0.4, "bagging_fraction": 0.8, "bagging_freq": 1, "lambda_l2": 10.0,
    "seed": SEED, "verbose": -1, "num_threads": 1, "deterministic": True,
    "force_col_wise": True, "max_bin": 63,
}  # fmt: skip
ROUNDS = 60
ABSENT = 60
"""Place of a market in a list that does not hold it."""
LEFT_OUT = frozenset({"undated"})


class Query:
    """A query's candidates with their columns, its judgments and the service's lists."""

    def __init__(self, path: Path, judged: JudgedQuery) -> None:
        held = np.load(path)
        self.qid, self.judged = path.stem, judged
        self.ids: list[str] = held["ids"].tolist()
        self.names: list[str] = held["names"].tolist()
        self.rows: np.ndarray = held["rows"]
        self.family: np.ndarray = held["family"]
        self.lists = {d: held[d].tolist() for d in DIMENSIONS}
        self.places = np.full((len(self.ids), len(DIMENSIONS)), ABSENT, np.float32)
        at = {one: n for n, one in enumerate(self.ids)}
        for nth, relation in enumerate(DIMENSIONS):
            for place, one in enumerate(self.lists[relation]):
                if one in at:
                    self.places[at[one], nth] = place
        self.rows = np.hstack([self.rows, self.places])
        self.names += [f"place_{relation}" for relation in DIMENSIONS]
        known = [judged.labels.get(one) for one in self.ids]
        self.known = np.array([one is not None for one in known])
        self.relation = np.array(
            [0 if x is None or x[0] == "none" else 1 + DIMENSIONS.index(x[0]) for x in known]
        )
        self.grade = np.array([0 if x is None else x[1] for x in known])


def load(out: Path, judgments: Path, queries: Path) -> list[Query]:
    """All queries that were judged; where two judged, the first one."""
    labels: dict[str, dict[str, tuple[str, int]]] = defaultdict(dict)
    for line in judgments.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if not row["judge"].endswith(".b"):
            for judgment, ids in row["ids"].items():
                relation, grade = judgment.split()
                labels[row["qid"]] |= dict.fromkeys(ids, (relation, int(grade)))
    told = {}
    for line in queries.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        told[row["qid"]] = row
    found = []
    for qid, judged in sorted(labels.items()):
        row = told[qid]
        one = JudgedQuery(qid, row["query"], row["form"], row["domain"], judged)
        found.append(Query(out / "features" / f"{qid}.npz", one))
    return found


def columns(queries: list[Query]) -> list[int]:
    """Which columns are fitted on."""
    return [n for n, name in enumerate(queries[0].names) if name not in LEFT_OUT]


Model = Callable[[np.ndarray], np.ndarray]
"""Rows to the gain expected in each relation, (n, 4)."""


def fit(queries: list[Query], kept: list[int], rounds: int = ROUNDS) -> tuple[Model, list[Any]]:
    """Two things: the chance of each relation, and its grade where it holds."""
    rows = np.concatenate([q.rows[q.known] for q in queries])[:, kept]
    relation = np.concatenate([q.relation[q.known] for q in queries])
    grade = np.concatenate([q.grade[q.known] for q in queries])
    # a query with many judged siblings of one family counts like another
    weight = np.concatenate([_weights(q) for q in queries])
    chance = lightgbm.train(
        SETTINGS | {"objective": "multiclass", "num_class": 5},
        lightgbm.Dataset(rows, relation, weight=weight),
        num_boost_round=rounds,
    )
    held = relation > 0
    grades = lightgbm.train(
        SETTINGS | {"objective": "regression"},
        lightgbm.Dataset(
            np.hstack([rows, relation[:, None]])[held], grade[held], weight=weight[held]
        ),
        num_boost_round=rounds,
    )

    def model(asked: np.ndarray) -> np.ndarray:
        asked = asked[:, kept]
        shares = np.asarray(chance.predict(asked, num_threads=1))[:, 1:]
        expected = np.stack(
            [
                np.asarray(
                    grades.predict(
                        np.hstack([asked, np.full((len(asked), 1), nth, np.float32)]), num_threads=1
                    )
                )
                for nth in range(1, 5)
            ],
            axis=1,
        )
        return shares * np.clip(expected, 0.5, 3)

    return model, [chance, grades]


def _weights(query: Query) -> np.ndarray:
    _, place = np.unique(query.family[query.known], return_inverse=True)
    size = np.bincount(place)[place]
    weights = 1 / np.sqrt(size)
    return weights / weights.sum() * 100


def ordered(query: Query, gains: np.ndarray, floors: np.ndarray) -> dict[str, list[str]]:
    """The four lists: each market where most is expected of it, above the relation's floor."""
    best = gains.argmax(axis=1)
    lists = {}
    for nth, relation in enumerate(DIMENSIONS):
        held = np.flatnonzero((best == nth) & (gains[:, nth] >= floors[nth]))
        order = held[np.lexsort((held, -gains[held, nth]))]
        lists[relation] = [query.ids[n] for n in order]
    return lists


def shares(query: Query, ranking: list[str], relation: str) -> tuple[float, float] | None:
    """Of the judged ten: without bearing, and of another relation; None for an empty list."""
    top = _top(ranking, query.judged)
    if not top:
        return None
    said = [query.judged.labels[market][0] for market in top]
    return (
        sum(one == "none" for one in said) / len(top),
        sum(one not in ("none", relation) for one in said) / len(top),
    )


def _judged(ranking: list[str], judged: JudgedQuery) -> float | None:
    """Of the first ten, the share that was judged: what no judge saw is taken out of a score."""
    first = ranking[:10]
    return sum(one in judged.labels for one in first) / len(first) if first else None


def score(queries: list[Query], lists: list[dict[str, list[str]]]) -> dict[str, dict[str, float]]:
    """By relation: nDCG@10, share unrelated, share of another relation, empty lists, share
    of the first ten that was judged."""
    found: dict[str, dict[str, float]] = {}
    for relation in DIMENSIONS:
        pairs = list(zip(queries, lists, strict=True))
        parts = [one for q, x in pairs if (one := shares(q, x[relation], relation)) is not None]
        found[relation] = {
            "ndcg10": mean(ndcg10(x[relation], q.judged, relation) for q, x in pairs) or 0.0,
            "unrelated": float(np.mean([a for a, _ in parts])) if parts else 0.0,
            "other": float(np.mean([b for _, b in parts])) if parts else 0.0,
            "empty": 1 - len(parts) / len(queries),
            "judged": mean(_judged(x[relation], q.judged) for q, x in pairs) or 0.0,
        }
    return found


LOST = 0.01
"""Most nDCG@10 that a floor may cost on the queries it is fitted on: it takes out filler."""
TRIED = np.arange(0.0, 1.2, 0.05)


def by_floor(queries: list[Query], gains: list[np.ndarray]) -> np.ndarray:
    """nDCG@10 by query, relation and floor tried; NaN where nothing was judged in a relation."""
    found = np.full((len(queries), 4, len(TRIED)), np.nan)
    for n, (query, gain) in enumerate(zip(queries, gains, strict=True)):
        best = gain.argmax(axis=1)
        for nth, relation in enumerate(DIMENSIONS):
            held = np.flatnonzero(best == nth)
            order = held[np.lexsort((held, -gain[held, nth]))]
            for m, floor in enumerate(TRIED):
                ids = [query.ids[x] for x in order if gain[x, nth] >= floor]
                value = ndcg10(ids, query.judged, relation)
                if value is not None:
                    found[n, nth, m] = value
    return found


def fitted_floors(values: np.ndarray) -> np.ndarray:
    """For each relation the highest floor that costs at most `LOST`."""
    means = np.nanmean(values, axis=0)
    return np.array([TRIED[np.flatnonzero(row >= row[0] - LOST).max()] for row in means])


def held_out(queries: list[Query], kept: list[int], rounds: int) -> list[np.ndarray]:
    """Gains of every query by a model that saw none of its fold."""
    gains: list[np.ndarray] = [np.zeros(0)] * len(queries)
    dice = np.random.default_rng(SEED).permutation(len(queries))
    for fold in range(FOLDS):
        test = set(dice[fold::FOLDS].tolist())
        model, _ = fit([q for n, q in enumerate(queries) if n not in test], kept, rounds)
        for n in test:
            gains[n] = model(queries[n].rows)
    return gains


def cross_floors(queries: list[Query], gains: list[np.ndarray]) -> list[np.ndarray]:
    """Floors of every query from the held-out gains of the other folds."""
    values = by_floor(queries, gains)
    dice = np.random.default_rng(SEED).permutation(len(queries))
    floors: list[np.ndarray] = [np.zeros(4)] * len(queries)
    for fold in range(FOLDS):
        test = dice[fold::FOLDS]
        rest = np.setdiff1d(dice, test)
        found = fitted_floors(values[rest])
        for n in test:
            floors[n] = found
    return floors


def gained(
    queries: list[Query], lists: list[dict[str, list[str]]]
) -> dict[str, tuple[float, float, float]]:
    """By relation: mean difference of nDCG@10 from the service's lists, and where 95% of the
    means of queries drawn anew lie."""
    found = {}
    dice = np.random.default_rng(SEED)
    for relation in DIMENSIONS:
        differences = np.array([
            after - (before or 0.0)
            for q, x in zip(queries, lists, strict=True)
            if (after := ndcg10(x[relation], q.judged, relation)) is not None
            and (before := ndcg10(q.lists[relation], q.judged, relation)) is not None
        ])  # fmt: skip
        drawn = dice.integers(0, len(differences), (2000, len(differences)))
        low, high = np.percentile(differences[drawn].mean(axis=1), [2.5, 97.5])
        found[relation] = float(differences.mean()), float(low), float(high)
    return found


def show(title: str, found: dict[str, dict[str, float]]) -> None:
    """One line a relation."""
    print(title)
    for relation, values in found.items():
        told = "  ".join(f"{name} {value:.3f}" for name, value in values.items())
        print(f"  {relation:>10}  {told}")


def importance(queries: list[Query], kept: list[int], rounds: int) -> None:
    """What each column is worth to the models, the most first."""
    _, models = fit(queries, kept, rounds)
    names = [*(queries[0].names[n] for n in kept), "relation"]
    for model in models:
        gain = sorted(
            zip(names, model.feature_importance("gain"), strict=False), key=lambda x: -x[1]
        )
        print("gain", [(name, round(value)) for name, value in gain[:25]])


def listed(query: Query, gains: np.ndarray) -> np.ndarray:
    """The gains with nothing expected of markets that no list of the service holds."""
    held = (query.places < ABSENT).any(axis=1)
    return np.where(held[:, None], gains, -1)


def report(fitted: list[Query], asked: list[Query], kept: list[int], rounds: int) -> None:
    """Score queries that nothing was fitted on; those worded like a fitting one are left out."""
    known = {q.judged.query.casefold() for q in fitted}
    asked = [q for q in asked if q.judged.query.casefold() not in known]
    model, _ = fit(fitted, kept, rounds)
    print("report:", len(asked), "queries", sum(int(q.known.sum()) for q in asked), "pairs")
    show("the service", score(asked, [q.lists for q in asked]))
    gains = [model(q.rows) for q in asked]
    none = np.zeros(4)
    for title, found in (
        ("fitted, all candidates", gains),
        (
            "fitted, what the service lists",
            [listed(q, g) for q, g in zip(asked, gains, strict=True)],
        ),
    ):
        lists = [ordered(q, g, none) for q, g in zip(asked, found, strict=True)]
        show(title, score(asked, lists))
        for relation, (value, low, high) in gained(asked, lists).items():
            print(f"  {relation:>10}  {value:+.3f} ({low:+.3f} to {high:+.3f})")


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("judgments", type=Path)
    parser.add_argument("--queries", type=Path, default=Path(__file__).with_name("queries.jsonl"))
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--curve", action="store_true", help="Also with fewer queries.")
    parser.add_argument("--importance", action="store_true", help="What each column is worth.")
    parser.add_argument(
        "--report", type=Path, nargs=2, metavar=("QUERIES", "JUDGMENTS"),
        help="Score these once, by a model of all queries, instead of folds.",
    )  # fmt: skip
    parser.add_argument("--gains", type=Path, help="Keep the held-out gains (npz).")
    given = parser.parse_args()
    queries = load(given.out, given.judgments, given.queries)
    kept = columns(queries)
    print(len(queries), "queries", sum(int(q.known.sum()) for q in queries), "pairs")
    if given.report:
        asked = load(given.out, given.report[1], given.report[0])
        report(queries, asked, kept, given.rounds)
        return
    show("the service", score(queries, [q.lists for q in queries]))
    gains = held_out(queries, kept, given.rounds)
    pairs = list(zip(queries, gains, strict=True))
    show("fitted, no floor", score(queries, [ordered(q, g, np.zeros(4)) for q, g in pairs]))
    if given.gains:
        np.savez_compressed(given.gains, **dict(zip([q.qid for q in queries], gains, strict=True)))
    among = [ordered(q, listed(q, g), np.zeros(4)) for q, g in pairs]
    show("fitted, what the service lists", score(queries, among))
    for relation, (value, low, high) in gained(queries, among).items():
        print(f"  {relation:>10}  {value:+.3f} ({low:+.3f} to {high:+.3f})")
    floors = cross_floors(queries, gains)
    lists = [ordered(q, g, f) for (q, g), f in zip(pairs, floors, strict=True)]
    show(f"fitted, floors such as {floors[0].round(2).tolist()}", score(queries, lists))
    for relation, (value, low, high) in gained(queries, lists).items():
        print(f"  {relation:>10}  {value:+.3f} ({low:+.3f} to {high:+.3f})")
    if given.importance:
        importance(queries, kept, given.rounds)
    if given.curve:
        for share in (0.125, 0.25, 0.5):
            part = queries[: int(share * len(queries))]
            found = held_out(part, kept, given.rounds)
            lists = [ordered(q, g, np.zeros(4)) for q, g in zip(part, found, strict=True)]
            show(f"{len(part)} queries", score(part, lists))


if __name__ == "__main__":
    main()
