"""Fit the trees that say in which relation a market stands to a query, and hold them against lists.

    python training/relations/fit.py OUT training/relations/judgments.jsonl

OUT holds `gather.py`'s features. Five folds by query; prints for the lists of the service (as
they were when the features were gathered) and for those of the fitted trees nDCG@10 as
`augury eval search` defines it, and of the judged ten the share without bearing and of another
relation. `--keep src/augury/relations` fits on all queries and writes what the service loads.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import lightgbm
import numpy as np

from augury.relations import rank, vectors
from augury.relations.causal.paths import RELATIONS
from augury.relations.columns import COLUMNS, DIRECT_COLUMNS
from augury.relations.ranker import CLASSES
from augury.search import rank as directly
from augury.search.evaluate import DIMENSIONS, JudgedQuery, _top, mean, ndcg10

SEED = 17
FOLDS = 5
COMMON_SETTINGS: dict[str, Any] = {
    "feature_fraction": 0.4, "bagging_fraction": 0.8, "bagging_freq": 1, "lambda_l2": 10.0,
    "verbose": -1, "num_threads": 1, "deterministic": True, "force_col_wise": True, "max_bin": 63,
}  # fmt: skip
SETTINGS: dict[str, Any] = COMMON_SETTINGS | {
    "objective": "multiclass", "num_class": len(CLASSES),
    "learning_rate": 0.1, "num_leaves": 32, "max_depth": 8, "min_data_in_leaf": 100,
}  # fmt: skip
"""Of the trees for relations, chosen in five folds of the 396 queries
(`docs/adr/0057-fewer-larger-trees.md`)."""
DIRECT_SETTINGS: dict[str, Any] = COMMON_SETTINGS | {
    "objective": "cross_entropy",
    "learning_rate": 0.08, "num_leaves": 8, "max_depth": 4, "min_data_in_leaf": 40,
}  # fmt: skip
"""Of the trees for `direct`: larger ones were no better."""
ROUNDS, SEEDS = 50, 2
"""Boosting rounds of a model for relations, and how many models, each with a seed of its own, are
averaged: with one, figures of held-out queries differ by .02 from seed to seed
(`docs/experiments/relations-ranker.md`)."""
DIRECT_ROUNDS, DIRECT_SEEDS = 110, 3
"""The same for `direct`."""
COST = 0.03
"""nDCG@10 that a floor may cost. In five folds of the 396 queries, floors that cost less than this
lower the unrelated shares of the three lists from 23, 26 and 33% to 13, 21 and 25%."""
MOST_UNRELATED = 0.05
"""Share of unrelated markets among the first ten direct results that the floor of `direct` may
leave in five folds of the 396 queries. When it was chosen, .04 made nDCG@10 .013 lower there, and
.03 lower on the 48, whose judge calls none of these results unrelated
(`docs/adr/0049-two-lists.md`)."""
DIRECT_GRID = (0.03, 0.04, 0.05, 0.06, 0.07, 0.08, 0.1, 0.12, 0.15, 0.2, 0.25, 0.3)
"""Grades that are tried as the floor of `direct`."""
GRID = (0.05, 0.06, 0.07, 0.08, 0.09, 0.1, 0.11, 0.12, 0.13, 0.15, 0.17, 0.2)
"""Floors that are tried; below the first no list gains (`docs/experiments/relations-ranker.md`)."""
FLOORS: dict[str, float] = dict.fromkeys(RELATIONS, GRID[0]) | {"direct": DIRECT_GRID[0]}
"""The smallest floors that are tried; `unjudged.py` lists markets with these."""
BY_GRADE = np.array([1.0, 0.7, 1.0, 1.5])
"""What a judgment of each grade counts: two judges differ most in whether something weak counts."""


class Query:
    """A query's candidates with their columns, its judgments and the service's lists."""

    def __init__(self, path: Path, judged: JudgedQuery) -> None:
        held = np.load(path)
        if tuple(held["columns"].tolist()) != DIRECT_COLUMNS:
            raise SystemExit(f"{path} has other columns: run gather.py again, with --packed")
        self.vectors = str(held["vectors"])
        self.qid, self.judged = path.stem, judged
        self.ids: list[str] = held["ids"].tolist()
        self.rows: np.ndarray = held["rows"]
        self.direct_rows: np.ndarray = held["direct_rows"]
        """Of the first candidates: those by words and meaning."""
        self.last: np.ndarray = held["last"]
        """Those of another time than the query names."""
        self.keys: np.ndarray = held["keys"]
        self.family: np.ndarray = held["family"]
        self.subject: np.ndarray = held["subject"]
        """The factor that each is most about, 0 for none."""
        self.closes: np.ndarray = held["closes"]
        self.titles: list[str] = held["titles"].tolist()
        self.events: list[str] = held["events"].tolist()
        self.lists: dict[str, list[str]] = {d: held[d].tolist() for d in DIMENSIONS}
        known = [judged.labels.get(one) for one in self.ids]
        self.known = np.array([one is not None for one in known])
        self.relation = np.array([CLASSES.index(x[0]) if x else 0 for x in known])
        self.grade = np.array([x[1] if x else 0 for x in known])


def load(out: Path, judgments: list[Path], queries: Path) -> list[Query]:
    """All queries that were judged; where two judged, the first one.

    Parameters
    ----------
    judgments
        Later files say of what the earlier ones leave out.
    """
    labels: dict[str, dict[str, tuple[str, int]]] = defaultdict(dict)
    for path in judgments:
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            if not row["judge"].endswith(".b"):
                for judgment, ids in row["ids"].items():
                    relation, grade = judgment.split()
                    for market in ids:
                        labels[row["qid"]].setdefault(market, (relation, int(grade)))
    told = {}
    for line in queries.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        told[row["qid"]] = row
    found = []
    for qid, row in sorted(told.items()):
        if qid in labels:
            judged = JudgedQuery(qid, row["query"], row["form"], row["domain"], labels[qid])
            found.append(Query(out / "features" / f"{qid}.npz", judged))
    return found


def with_vectors_that_ship(out: Path, judgments: list[Path], queries: Path) -> list[Query]:
    """As `load`; ends the script if the features were gathered with other relation vectors."""
    found = load(out, judgments, queries)
    if any(query.vectors != vectors.default().pair_version for query in found):
        raise SystemExit(f"{out} was gathered with other relation vectors: run gather.py again.")
    return found


Models = list[lightgbm.Booster]


def _trained(data: lightgbm.Dataset, settings: dict[str, Any], rounds: int, seeds: int) -> Models:
    return [
        lightgbm.train(settings | {"seed": SEED + n}, data, num_boost_round=rounds)
        for n in range(seeds)
    ]


def _scores(models: Models, rows: np.ndarray) -> np.ndarray:
    """The mean of the raw scores of all models."""
    told = [model.predict(rows, num_threads=1, raw_score=True) for model in models]
    return np.mean(np.asarray(told), axis=0)


def fit(queries: list[Query]) -> Models:
    """Trees of all queries; one with many judged siblings of a family counts like another."""
    relation = np.concatenate([q.relation[q.known] for q in queries])
    grade = np.concatenate([q.grade[q.known] for q in queries])
    weight = np.concatenate([family_weights(q) for q in queries]) * BY_GRADE[grade]
    rows = np.concatenate([q.rows[q.known] for q in queries])
    columns = list(COLUMNS)
    data = lightgbm.Dataset(
        rows, relation, weight=weight, feature_name=columns, free_raw_data=False
    )
    return _trained(data, SETTINGS, ROUNDS, SEEDS)


def fit_direct(queries: list[Query]) -> Models:
    """Trees of the grade in `direct`, as a share of the highest."""
    sizes = [len(q.direct_rows) for q in queries]
    known = [q.known[:n] for q, n in zip(queries, sizes, strict=True)]
    rows = np.concatenate([q.direct_rows[k] for q, k in zip(queries, known, strict=True)])
    direct = CLASSES.index("direct")
    grade = np.concatenate([
        np.where(q.relation[:n] == direct, q.grade[:n], 0)[k] / 3
        for q, n, k in zip(queries, sizes, known, strict=True)
    ])  # fmt: skip
    weight = np.concatenate([family_weights(q, n) for q, n in zip(queries, sizes, strict=True)])
    columns = list(DIRECT_COLUMNS)
    data = lightgbm.Dataset(rows, grade, weight=weight, feature_name=columns, free_raw_data=False)
    return _trained(data, DIRECT_SETTINGS, DIRECT_ROUNDS, DIRECT_SEEDS)


def grades(models: Models, query: Query) -> np.ndarray:
    """(n,) of the first candidates."""
    return 1 / (1 + np.exp(-_scores(models, query.direct_rows)))


def family_weights(query: Query, first: int | None = None) -> np.ndarray:
    """Weights of a query's judged markets, 100 in all: the more of a family were judged, the less
    each counts. `first`: of the first candidates alone."""
    _, place = np.unique(query.family[:first][query.known[:first]], return_inverse=True)
    weights = 1 / np.sqrt(np.bincount(place)[place])
    return weights / weights.sum() * 100


def chances(models: Models, query: Query) -> np.ndarray:
    """(n, 3): upstream, downstream, correlated."""
    raw = _scores(models, query.rows)
    odds = np.exp(raw - raw.max(axis=1, keepdims=True))
    return (odds / odds.sum(axis=1, keepdims=True))[:, 2:]


Told = tuple[np.ndarray, np.ndarray]
"""Of a query's candidates: chances of the relations, and grades in `direct` of the first ones."""


def listed(query: Query, told: Told, floors: dict[str, float]) -> dict[str, list[str]]:
    """The four lists as the service would give them; `floors`: list -> smallest chance, for
    `direct` smallest grade."""
    relations, grade = told
    n = len(grade)
    records = {"salience": query.rows[:n, COLUMNS.index("salience")]}
    candidates = directly.Candidates(query.keys[:n], records, grade)  # type: ignore[arg-type]
    ranking = directly.by_grade(candidates, grade, query.last, floors["direct"])
    direct = np.zeros(len(query.keys), np.float32)
    direct[ranking.order] = ranking.scores
    gains = rank.gains(relations, direct)
    found = rank.ordered(gains, query.keys, query.family, query.subject, floors)  # type: ignore[arg-type]
    orders: dict[str, np.ndarray] = {relation: held for relation, (held, _) in found.items()}
    orders["direct"] = ranking.order
    return {name: [query.ids[at] for at in order] for name, order in orders.items()}


def floors_of(queries: list[Query], told: list[Told]) -> dict[str, float]:
    """The floor of each list: for a relation the largest that costs less than `COST` of nDCG@10,
    for `direct` the smallest with a share of unrelated results of at most `MOST_UNRELATED`. Prints
    nDCG@10 and this share for each floor tried. `told`: what trees say that did not see the
    query."""
    chosen = dict(FLOORS)
    for name in DIMENSIONS:
        curve = {}
        for floor in DIRECT_GRID if name == "direct" else GRID:
            tried = chosen | {name: floor}
            lists = [listed(q, x, tried) for q, x in zip(queries, told, strict=True)]
            curve[floor] = score(queries, lists)[name]
        if name == "direct":
            few = [floor for floor, x in curve.items() if x["unrelated"] <= MOST_UNRELATED]
            chosen[name] = min(few, default=DIRECT_GRID[-1])
        else:
            best = curve[GRID[0]]["ndcg10"]
            chosen[name] = max(f for f, x in curve.items() if best - x["ndcg10"] < COST)
        line = ", ".join(f"{f}: {x['ndcg10']:.3f} {x['unrelated']:.0%}" for f, x in curve.items())
        print(f"{name:>10}  floor {chosen[name]} of {line}")
    return chosen


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


def held_out(queries: list[Query], more: Sequence[Query] = ()) -> list[Told]:
    """What trees say of every query that saw none of its fold; all of them see `more`."""
    found: dict[int, Told] = {}
    dice = np.random.default_rng(SEED).permutation(len(queries))
    for fold in range(FOLDS):
        test = set(dice[fold::FOLDS].tolist())
        seen = [*(q for n, q in enumerate(queries) if n not in test), *more]
        models = fit(seen), fit_direct(seen)
        found |= {n: told_by(models, queries[n]) for n in test}
    return [found[n] for n in range(len(queries))]


def told_by(models: tuple[Models, Models], query: Query) -> Told:
    """What the trees for relations and those for `direct` say."""
    return chances(models[0], query), grades(models[1], query)


def gained(
    queries: list[Query], lists: list[dict[str, list[str]]]
) -> dict[str, tuple[float, float, float]]:
    """By relation: mean difference of nDCG@10 from the service's lists, and where 95% of the
    means of queries drawn anew lie."""
    found = {}
    dice = np.random.default_rng(SEED)
    for relation in DIMENSIONS:
        differences = np.array([
            after - (ndcg10(q.lists[relation], q.judged, relation) or 0.0)
            for q, x in zip(queries, lists, strict=True)
            if (after := ndcg10(x[relation], q.judged, relation)) is not None
        ])  # fmt: skip
        drawn = dice.integers(0, len(differences), (2000, len(differences)))
        low, high = np.percentile(differences[drawn].mean(axis=1), [2.5, 97.5])
        found[relation] = float(differences.mean()), float(low), float(high)
    return found


def show(title: str, queries: list[Query], told: list[Told], floors: dict[str, float]) -> None:
    """The service's lists and those of the chances, a line a relation."""
    lists = [listed(q, x, floors) for q, x in zip(queries, told, strict=True)]
    pairs = sum(int(q.known.sum()) for q in queries)
    print(f"{title}: {len(queries)} queries, {pairs} pairs")
    for name, found in (("lists as gathered", [q.lists for q in queries]), ("fitted", lists)):
        print(f"  {name}")
        for relation, values in score(queries, found).items():
            line = "  ".join(f"{key} {value:.3f}" for key, value in values.items())
            print(f"    {relation:>10}  {line}")
    for relation, (value, low, high) in gained(queries, lists).items():
        print(f"    {relation:>10}  {value:+.3f} ({low:+.3f} to {high:+.3f})")


def keep(
    folder: Path,
    models: tuple[Models, Models],
    queries: list[Query],
    floors: dict[str, float],
) -> None:
    """Write the trees and, beside them, what they were fitted on."""
    import trees_to_onnx

    pairs = {
        "ranker": sum(int(q.known.sum()) for q in queries),
        "direct": sum(int(q.known[: len(q.direct_rows)].sum()) for q in queries),
    }
    sizes = (ROUNDS, SEEDS), (DIRECT_ROUNDS, DIRECT_SEEDS)
    for name, model, (rounds, seeds) in zip(pairs, models, sizes, strict=True):
        (folder / f"{name}.onnx").write_bytes(trees_to_onnx.content(model))
        told: dict[str, Any] = {
            "columns": list(COLUMNS if name == "ranker" else DIRECT_COLUMNS), "rounds": rounds,
            "vectors": vectors.default().pair_version,
            "seed": SEED, "seeds": seeds, "queries": len(queries), "pairs": pairs[name],
        }  # fmt: skip
        if name == "ranker":
            told |= {"classes": list(CLASSES), "floors": {one: floors[one] for one in RELATIONS}}
        else:
            told["floors"] = {"direct": floors["direct"]}
        (folder / f"{name}.json").write_text(json.dumps(told, indent=1) + "\n")


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("judgments", type=Path, nargs="+")
    parser.add_argument(
        "--more", type=Path, nargs=3, action="append", default=[],
        metavar=("OUT", "QUERIES", "JUDGMENTS"),
        help="Fit on these queries, too. They are in no fold.",
    )  # fmt: skip
    parser.add_argument("--queries", type=Path, default=Path(__file__).with_name("queries.jsonl"))
    parser.add_argument("--importance", action="store_true", help="What each column is worth.")
    parser.add_argument(
        "--report", type=Path, nargs=3, action="append", default=[],
        metavar=("OUT", "QUERIES", "JUDGMENTS"), help="Score these by trees of all queries.",
    )  # fmt: skip
    parser.add_argument("--keep", type=Path, help="Write the trees of all queries there.")
    given = parser.parse_args()
    queries = with_vectors_that_ship(given.out, given.judgments, given.queries)
    more: list[Query] = []
    for folder, asked, said in given.more:
        more += with_vectors_that_ship(folder, [said], asked)
    apart = held_out(queries, more)
    floors = floors_of(queries, apart)
    show("five folds", queries, apart, floors)
    seen = queries + more
    models = fit(seen), fit_direct(seen)
    for out, asked, judgments in given.report:
        others = with_vectors_that_ship(out, [judgments], asked)
        show(str(asked), others, [told_by(models, q) for q in others], floors)
    if given.importance:
        for several in models:
            gains = [model.feature_importance("gain") for model in several]
            gain = zip(several[0].feature_name(), np.mean(gains, axis=0), strict=True)
            for name, value in sorted(gain, key=lambda x: -x[1]):
                print(f"{name:>20} {value:8.0f}")
    if given.keep:
        keep(given.keep, models, seen, floors)


if __name__ == "__main__":
    main()
