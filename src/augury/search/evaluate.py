"""Scores of a ranking against judged markets. Pure.

Each judged market either has one relation to the query (its dimension: `direct`, `upstream`,
`downstream` or `correlated`) with a grade from 1 to 3, or it is irrelevant ("none"). Its gain is
the grade in its own dimension, and 0 in the others; an irrelevant market gains nothing. Unjudged
markets are removed from a ranking before it is scored, because their relevance is unknown.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log2
from typing import Any, Final

DIMENSIONS: Final = ("direct", "upstream", "downstream", "correlated")
CUT_RANK: Final = 10


@dataclass(frozen=True, slots=True)
class JudgedQuery:
    """A search query, with the markets that were judged for it. For each of these markets, `labels`
    has its relation to the query and its grade."""

    qid: str
    query: str
    form: str
    domain: str
    labels: Mapping[str, tuple[str, int]]
    """Market id -> (relation to the query, grade 1 to 3). The relation is one of `DIMENSIONS`, or
    "none" (irrelevant) with grade 0."""

    @classmethod
    def of(cls, line: Mapping[str, Any]) -> JudgedQuery:
        """The judged query in one line of a label file, given as the parsed JSON object."""
        labels = {str(i): ("none", 0) for i in line.get("none", ())}
        labels |= {str(x["id"]): (str(x["relation"]), int(x["grade"])) for x in line["labels"]}
        return cls(
            qid=str(line["qid"]),
            query=str(line["query"]),
            form=str(line.get("form", "")),
            domain=str(line.get("domain", "")),
            labels=labels,
        )

    def gain(self, market: str, dimension: str) -> int:
        relation, grade = self.labels[market]
        return grade if relation == dimension else 0


@dataclass(frozen=True, slots=True)
class QueryScore:
    """Scores of the results of one query, by relation (`direct`, `upstream`, ...). `ndcg10`:
    nDCG@10, i.e. how good the order of the first ten results is, 0 to 1; None for a relation to
    which no market was judged to belong. `none_share`: share (0 to 1) of irrelevant markets among
    the first ten judged results; None if no result was judged."""

    qid: str
    query: str
    form: str
    domain: str
    ndcg10: Mapping[str, float | None]
    none_share: Mapping[str, float | None]


def dcg(gains: Sequence[float]) -> float:
    """Discounted cumulative gain: sum of gain / log2(rank + 1), ranks from 1."""
    return sum(gain / log2(rank + 1) for rank, gain in enumerate(gains, 1))


def ndcg10(ranking: Iterable[str], judged: JudgedQuery, dimension: str) -> float | None:
    """nDCG@10 (0 to 1) of `ranking`, the ids of the markets found for one relation, best first.
    `dimension` is that relation, one of `DIMENSIONS`. None if no market was judged to have it."""
    ideal = sorted((judged.gain(m, dimension) for m in judged.labels), reverse=True)[:CUT_RANK]
    if not any(ideal):
        return None
    return dcg([judged.gain(m, dimension) for m in _top(ranking, judged)]) / dcg(ideal)


def none_share(ranking: Iterable[str], judged: JudgedQuery) -> float | None:
    """Share (0 to 1) of irrelevant markets (relation "none") among the first ten judged markets of
    `ranking`; None if it has no judged market."""
    top = _top(ranking, judged)
    if not top:
        return None
    return sum(judged.labels[m][0] == "none" for m in top) / len(top)


def per_query(rankings: Mapping[str, Sequence[str]], judged: JudgedQuery) -> QueryScore:
    """Scores of the results of one query. `rankings`: for each relation (`direct`, `upstream`,
    ...), the ids of the markets found, best first."""
    return QueryScore(
        qid=judged.qid,
        query=judged.query,
        form=judged.form,
        domain=judged.domain,
        ndcg10={d: ndcg10(rankings.get(d, ()), judged, d) for d in DIMENSIONS},
        none_share={d: none_share(rankings.get(d, ()), judged) for d in DIMENSIONS},
    )


def mean(values: Iterable[float | None]) -> float | None:
    """Mean of the values that are not None; None if there are none."""
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def summary(scores: Sequence[QueryScore]) -> dict[str, Any]:
    """The number of queries and, for each relation (`direct`, `upstream`, ...), the mean of each
    score, as `augury eval search` prints them. A mean is over the queries that have the score; None
    if no query has it."""
    return {
        "queries": len(scores),
        "ndcg10": {d: mean(s.ndcg10[d] for s in scores) for d in DIMENSIONS},
        "none_share": {d: mean(s.none_share[d] for s in scores) for d in DIMENSIONS},
    }


def _top(ranking: Iterable[str], judged: JudgedQuery) -> list[str]:
    top: list[str] = []
    seen: set[str] = set()
    for market in ranking:
        if market in judged.labels and market not in seen:
            seen.add(market)
            top.append(market)
            if len(top) == CUT_RANK:
                break
    return top
