"""Fit the ranker's weights on judged queries, and measure them on queries left out of the fit.

    python -m augury.search.fit --labels F.jsonl --markets M.parquet

Retrieval here is exact (brute force over the whole catalogue), so the weights do not depend on the
search engine. The loss is pairwise logistic: of two judged markets, the better one should score
higher. Each pair is weighted by its gap in gain and by how much swapping the two would change nDCG
(LambdaRank; Burges 2010, "From RankNet to LambdaRank to LambdaMART").
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from augury.search import rank
from augury.search.embedding import Embedder, Vectors
from augury.search.evaluate import JudgedQuery, QueryScore, mean, per_query
from augury.search.records import family_key, record
from augury.search.text import (
    DocumentFrequencies,
    DocumentText,
    document_text,
    document_vector,
)

Floats = NDArray[np.float64]

POOL_MARKETS: Final = 100
"""For each judged query, this many markets with the highest lexical scores are candidates, and as
many with the highest cosines. A judged query is one whose markets were graded by relevance."""
FOLDS: Final = 6
FOLD_SEEDS: Final = (1, 2, 3, 4, 5, 6)
"""Random seeds for cross-validation: each gives another division of the judged queries into `FOLDS`
folds. Scores are means over the seeds."""
RIDGE_PENALTY: Final = 0.01
"""L2 penalty on the weights of the ranking features, which are scaled to a standard deviation of 1.
A larger penalty gives smaller weights. Chosen by hand."""
NONE_GAIN: Final = -0.5
"""Gain of a market that was judged irrelevant to the query. The fit tries to rank markets with a
larger gain first. A directly related market has a gain of 1 to 3, an indirectly related one
(upstream, downstream or correlated) a gain of 0; `NONE_GAIN` is below both. Chosen by hand."""


class Catalogue:
    """All markets of a file with their terms, vectors and ranking records, for exact (brute-force)
    search."""

    def __init__(self, frame: pl.DataFrame, embedder: Embedder) -> None:
        self.embedder = embedder
        self.keys: list[str] = frame["id"].to_list()
        self.row = {key: row for row, key in enumerate(self.keys)}
        rows = frame.to_dicts()
        documents = [_document(row) for row in rows]
        self.records = np.array(
            [
                record(
                    document,
                    family=family_key(row["platform"], row["event_id"], row["title"]),
                    closes=_epoch(row),
                    liquidity=row["liquidity"],
                    volume=row["volume"],
                )
                for row, document in zip(rows, documents, strict=True)
            ]
        )
        self.vectors: Vectors = embedder.embed_documents(documents)
        sparse = [document_vector(document) for document in documents]
        self.frequencies = DocumentFrequencies()
        self.frequencies.add_batch([ids for ids, _ in sparse])
        ids = np.concatenate([ids for ids, _ in sparse])
        owner = np.repeat(np.arange(len(sparse)), [len(ids) for ids, _ in sparse])
        order = np.argsort(ids, kind="stable")
        self._ids, self._owner = ids[order], owner[order]
        self._weights = np.concatenate([weights for _, weights in sparse])[order]

    def lexical(self, query: rank.RankQuery) -> NDArray[np.float32]:
        """Lexical score of every market, (markets,): the dot product of its term weights with the
        query's."""
        scores = np.zeros(len(self.keys), np.float32)
        for key, weight in zip(query.ids.tolist(), query.weights.tolist(), strict=True):
            start, stop = np.searchsorted(self._ids, [key, key + 1])
            scores[self._owner[start:stop]] += weight * self._weights[start:stop]
        return scores

    def candidates(self, text: str, query: rank.RankQuery) -> rank.Candidates:
        dense = self.vectors @ self.embedder.embed_query(text)
        lexical = self.lexical(query)
        best = [np.argsort(-side, kind="stable")[:POOL_MARKETS] for side in (lexical, dense)]
        # a market that has none of the query's terms is no lexical candidate
        found = np.unique(np.concatenate([best[0][lexical[best[0]] > 0], best[1]]))
        return rank.Candidates([self.keys[i] for i in found], self.records[found], dense[found])


@dataclass(frozen=True, slots=True)
class Example:
    """One judged query (a query whose markets were graded by relevance), with the ranking features
    of its candidate markets."""

    judged: JudgedQuery
    candidates: rank.Candidates
    features: Floats
    gains: Floats
    """(candidates,): the gain of each candidate; the fit tries to rank those with a larger gain
    first. It is the grade, 1 to 3, if the market was judged `direct`; 0 if it was judged to have
    another relation; `NONE_GAIN` if it was judged irrelevant; NaN if it was not judged."""
    ideal: float


def example(catalogue: Catalogue, judged: JudgedQuery) -> Example:
    query = rank.RankQuery.of(judged.query, catalogue.frequencies)
    found = catalogue.candidates(judged.query, query)
    matrix = rank.features(query, found, catalogue.frequencies).astype(np.float64)
    gains = np.array([_gain(judged, key) for key in found.keys])
    best = sorted((judged.gain(m, "direct") for m in judged.labels), reverse=True)[:10]
    ideal = float((np.array(best) / np.log2(np.arange(len(best)) + 2)).sum())
    return Example(judged, found, matrix, gains, ideal)


def fit(examples: Sequence[Example], ridge: float = RIDGE_PENALTY) -> Floats:
    """The ranker's weights, fitted on judged queries: shape (features,), to be multiplied with
    unscaled features. `ridge`: L2 penalty, see `RIDGE_PENALTY`.

    Every weight has the sign that `rank.WEIGHTS` gives its feature, which follows from the
    feature's meaning. A weight that would come out with the other sign is set to 0.
    """
    sign = np.sign(list(rank.WEIGHTS.values()))
    free = np.ones(len(sign), bool)
    while True:
        weights = np.zeros(len(sign))
        weights[free] = _fit([replace(e, features=e.features[:, free]) for e in examples], ridge)
        wrong = weights * sign < 0
        if not wrong.any():
            return weights
        free &= ~wrong


def _fit(examples: Sequence[Example], ridge: float) -> Floats:
    scale = np.vstack([e.features for e in examples]).std(axis=0) + 1e-9
    weights = np.zeros(len(scale))
    for step in range(3):
        gaps, importance = [], []
        for e in examples:
            judged = ~np.isnan(e.gains)
            x, gain = e.features[judged] / scale, e.gains[judged]
            better, worse = np.nonzero(gain[:, None] > gain[None, :])
            if not len(better) or not e.ideal:
                continue
            value = gain[better] - gain[worse]
            if step:
                place = np.argsort(np.argsort(-(x @ weights), kind="stable"), kind="stable")
                discount = 1 / np.log2(place + 2)
                # + 0.02: pairs far down keep some weight, as other weights may rank them higher
                value = value * (np.abs(discount[better] - discount[worse]) + 0.02)
            gaps.append(x[better] - x[worse])
            importance.append(value / value.sum() / len(examples))
        weights = _logistic(np.vstack(gaps), np.concatenate(importance), ridge, weights)
    return weights / scale


def _logistic(gaps: Floats, importance: Floats, ridge: float, start: Floats) -> Floats:
    """The weights w that minimize sum(importance * log(1 + exp(-gaps w))) + ridge |w|^2 / 2, by
    Newton's method from `start`.

    gaps : (pairs, features), features of the better market minus those of the worse one
    importance : (pairs,), weight of each pair of markets in the loss
    """
    weights = start.copy()
    for _ in range(30):
        p = 1 / (1 + np.exp(np.clip(gaps @ weights, -30, 30)))
        gradient = ridge * weights - gaps.T @ (importance * p)
        curvature = (gaps * (importance * p * (1 - p))[:, None]).T @ gaps
        step = np.linalg.solve(curvature + ridge * np.eye(len(weights)), gradient)
        weights -= step * min(1.0, 2.0 / (np.abs(step).max() + 1e-12))
        if np.abs(step).max() < 1e-6:
            break
    return weights


def scores(e: Example, weights: Floats) -> QueryScore:
    return _scored(e, np.argsort(-(e.features @ weights), kind="stable"))


def cross_validate(
    examples: Sequence[Example], seeds: Sequence[int] = FOLD_SEEDS
) -> list[list[QueryScore]]:
    """Held-out scores: for each seed in `seeds` (which divides the queries into folds) a list
    with the score of every query, under weights that were fitted without the query's fold."""
    out = []
    for seed in seeds:
        fold = np.random.RandomState(seed).permutation(len(examples)) % FOLDS
        held: dict[int, QueryScore] = {}
        for k in range(FOLDS):
            weights = fit([e for e, f in zip(examples, fold, strict=True) if f != k])
            held |= {i: scores(examples[i], weights) for i in np.nonzero(fold == k)[0].tolist()}
        out.append([held[i] for i in range(len(examples))])
    return out


def load(labels: Path, markets: Path) -> tuple[list[JudgedQuery], Catalogue]:
    lines = labels.read_text(encoding="utf-8").splitlines()
    judged = [JudgedQuery.of(json.loads(line)) for line in lines if line.strip()]
    return judged, Catalogue(pl.read_parquet(markets), Embedder.load())


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--labels", type=Path, required=True)
    parser.add_argument("--markets", type=Path, required=True)
    arguments = parser.parse_args(argv)
    judged, catalogue = load(arguments.labels, arguments.markets)
    examples = [example(catalogue, q) for q in judged]
    _report(catalogue, examples)


def _report(catalogue: Catalogue, examples: Sequence[Example]) -> None:
    runs = cross_validate(examples)
    seen = [scores(e, fit(examples)) for e in examples]
    print("query by query (mean over seeds, held out): nDCG@10, judged none")
    for i, e in enumerate(examples):
        print(f"  {_line([run[i] for run in runs])}  {e.judged.qid} {e.judged.query}")
    for name in ("form", "domain"):
        print(f"by {name}")
        for value in sorted({getattr(e.judged, name) for e in examples}):
            these = [s for run in runs for s in run if getattr(s, name) == value]
            print(f"  {_line(these)}  {value}")
    for seed, run in zip(FOLD_SEEDS, runs, strict=True):
        print(f"seed {seed}: {_line(run)}")
    print(f"cross-validated: {_line([s for run in runs for s in run])}")
    print(f"seen in fitting: {_line(seen)}")
    print(f"as served: {_line([_served(catalogue, e) for e in examples])}")
    print("weights")
    for name, weight in zip(rank.FEATURES, fit(examples), strict=True):
        print(f'    "{name}": {weight:.2f},')


def _served(catalogue: Catalogue, e: Example) -> QueryScore:
    """How good the results of a query are (`QueryScore`) if its candidates are ranked as the
    service ranks them: with the weights `rank.WEIGHTS`, the limit `rank.FLOOR_SCORE` below which a
    market is not shown, the penalty for large families, and the more traded market first in a tie.
    """
    query = rank.RankQuery.of(e.judged.query, catalogue.frequencies)
    return _scored(e, rank.rank(query, e.candidates, catalogue.frequencies).order)


def _scored(e: Example, order: NDArray[np.intp]) -> QueryScore:
    ranking = [e.candidates.keys[int(i)] for i in order]
    return per_query({"direct": ranking}, e.judged)


def _line(found: Sequence[QueryScore]) -> str:
    gain = mean(s.ndcg10["direct"] for s in found)
    noise = mean(s.none_share["direct"] for s in found)
    return f"{gain if gain is not None else float('nan'):.4f} {noise or 0:.3f}"


def _document(row: dict[str, object]) -> DocumentText:
    def text(name: str) -> str | None:
        return None if row[name] is None else str(row[name])

    tags = row["tags"]
    return document_text(
        str(row["question"]),
        event_name=text("event_title"),
        description=text("description"),
        category=text("category"),
        tags=[str(tag) for tag in tags] if isinstance(tags, list) else (),
    )


def _epoch(row: dict[str, object]) -> float | None:
    from datetime import UTC, datetime

    for name in ("closes_at", "resolved_at"):
        moment = row[name]
        if isinstance(moment, datetime):
            return moment.replace(tzinfo=moment.tzinfo or UTC).timestamp()
    return None


def _gain(judged: JudgedQuery, key: str) -> float:
    if key not in judged.labels:
        return np.nan
    relation, grade = judged.labels[key]
    return NONE_GAIN if relation == "none" else float(grade) if relation == "direct" else 0.0


if __name__ == "__main__":
    main()
