"""Ranking of candidates by how directly they are about the query. Pure numpy.

A weighted sum of seven features, each from the market's question, its event's name, and its
vector; the weights were fitted on judged queries (`augury.search.fit`). It says which markets a
query is about; where relations are known, their fitted grades order the results (`by_grade`). What
a market contributes is packed into a fixed-size record when it is indexed, so that ranking 200
candidates reads 200 records and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from augury.search.records import MAX_TERMS, Records, is_fixture, named_numbers
from augury.search.text import (
    MONTH_IDS,
    QUARTER_IDS,
    DocumentFrequencies,
    TermIds,
    Weights,
    query_vector,
    saturate,
    term_ids,
    terms,
)

Features = NDArray[np.float32]

MAX_QUERY_TERMS: Final = 32

AVERAGE_LENGTH: Final = 12.0
"""Terms of a typical question with its event's name."""

WEIGHTS: Final[dict[str, float]] = {
    "words": 3.51,
    "precision": 2.90,
    "dense": 2.94,
    "family": 2.45,
    "year": 1.17,
    "number_conflict": -1.45,
    "fixture": -1.74,
}
"""Fitted by `python -m augury.search.fit` on 48 judged queries; held out, nDCG@10 is 0.883."""
FEATURES: Final = tuple(WEIGHTS)
_WORDS, _PRECISION, _DENSE, _FAMILY = map(FEATURES.index, ("words", "precision", "dense", "family"))
_VECTOR: Final = np.array(list(WEIGHTS.values()), np.float32)

OWN: Final = 2.0
"""Raw score that a market gains which is about a factor of the query itself."""
BESIDE: Final = 1.0
"""Raw score that a market loses which is about no factor of the query's and about none that is
related, where another one surely is: what it shares with the query is a word or a date."""
TOLD_FROM: Final = 0.6
"""How much that other one has to be about the query's own factors."""
RELATED: Final = 4.0
"""Raw score that a market loses which is about none of these, but about a cause or a consequence:
it has its place in another relation, however alike the words are. See `docs/relations.md`."""
RELATED_FROM: Final = 0.05
"""How much it has to be about such a factor."""
OUTWEIGHED: Final = 0.75
"""Share of that up to which being about the query's own factors as well does not count."""

FLOOR: Final = 4.75
"""Raw scores below are no answer. A short honest list beats a long padded one."""
BESIDE_THE_BEST: Final = 0.3
"""A score below this share of the best one is no answer either: where one market is plainly what
was asked for, what merely shares a word with it is not."""
BODY_EVIDENCE: Final = 0.5
"""Lexical score from which words in rules or tags count where no title is above the floor; 1 is
about all of the query, said once."""
FAMILY_POOL: Final = 150
"""Candidates among which a family's members are counted."""
FAMILY_SIZE: Final = 10
"""So many markets of one family stand at their own score; a further one gives way."""
FAMILY_PENALTY: Final = 1.0
"""Raw score by which a further market of a family gives way: to what is nearly as direct, never
to what is far less."""
LEAST_GRADE: Final = 0.1
"""Fitted grade below which a market is no answer; see `by_grade`."""
OF_ANOTHER_TIME: Final = 0.25
"""Share of its grade that a market keeps which is of another year or month than the query names."""
GRADE_TIE: Final = 0.01
"""Grades within such a step count as equal."""
TIE: Final = 0.05
"""Raw scores within such a step count as equal; then the busier market goes first."""
_MIDDLE: Final = 5.7
_SLOPE: Final = 0.8
"""The raw score at which half of the judged were direct, and how steeply that share rises."""


@dataclass(frozen=True, slots=True)
class RankQuery:
    """What the ranker reads of a query."""

    ids: TermIds
    """Distinct terms, at most `MAX_QUERY_TERMS`."""
    weights: Weights
    """Shares of the query's rarity, one a term, that sum to 1."""
    years: NDArray[np.uint16]
    """Years named; 2026 too where "before 2027" stands."""
    numbers: TermIds
    """Ids of the other numbers named."""
    fixture: bool
    """The query itself asks for one game or window, so that being one is no fault."""

    @classmethod
    def of(cls, text: str, frequencies: DocumentFrequencies) -> RankQuery:
        found = list(dict.fromkeys(terms(text)))[: 4 * MAX_QUERY_TERMS]
        ids, weights = query_vector(found, frequencies)
        if len(ids) > MAX_QUERY_TERMS:
            # the rarest say most of what a long text is about
            kept = np.sort(np.argsort(-weights, kind="stable")[:MAX_QUERY_TERMS])
            ids, weights = ids[kept], weights[kept] / weights[kept].sum()
        years, numbers = named_numbers(found, text)
        weights = _once_a_name(text, ids, weights)
        return cls(
            ids,
            weights,
            np.array(years, np.uint16),
            np.array(numbers, np.uint32),
            is_fixture(text),
        )


@dataclass(frozen=True, slots=True)
class Candidates:
    """Markets to rank, column by column."""

    keys: Sequence[str] | NDArray[Any]
    """Stable names, whose order breaks the last ties."""
    records: Records
    """Array of the same length with at least the fields of `RECORD`."""
    dense: NDArray[np.float32]
    """Cosine of query and market vector."""
    lexical: NDArray[np.float32] | None = None
    """The index's own lexical score, which sees resolution rules and tags too; None: unknown."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """Candidates in order, best first."""

    order: NDArray[np.intp]
    """Positions into the candidates."""
    scores: NDArray[np.float32]
    """Score of each position of `order`, in (0, 1), never rising. Not a probability."""
    by_title: bool = True
    """Whether question or event's name speak for some; else only rules or tags do, which no
    fitted grade has read."""


def rank(
    query: RankQuery,
    candidates: Candidates,
    frequencies: DocumentFrequencies,
    *,
    collapse: bool = True,
) -> Ranking:
    """Order candidates by how directly they are about the query: `features`, then `order`."""
    return order(candidates, features(query, candidates, frequencies), collapse=collapse)


def raw(features: Features) -> Features:
    """The weighted sum of each row of `features`: how direct, on an open scale."""
    return features @ _VECTOR


def bearing(own: NDArray[np.float32], related: NDArray[np.float32]) -> NDArray[np.float32]:
    """What relations add to raw scores, from how much each market is about the query's own
    factors and how much about related ones."""
    elsewhere = (own <= OUTWEIGHED * related) & (related >= RELATED_FROM)
    # Where nothing is surely about the query's factors, being about none of them tells nothing.
    beside = (own == 0) & ~elsewhere & (own.max(initial=0) >= TOLD_FROM)
    return np.float32(OWN) * own - np.float32(RELATED) * elsewhere - np.float32(BESIDE) * beside


def order(
    candidates: Candidates,
    features: Features,
    *,
    adjust: NDArray[np.float32] | None = None,
    collapse: bool = True,
) -> Ranking:
    """Order candidates by how directly they are about the query, best first.

    Parameters
    ----------
    adjust
        Added to the raw scores: see `bearing`.
    collapse
        Whether many markets of one family give way to others nearly as good. Off when the
        query asks for a level or a game, where the siblings are the answer.

    Notes
    -----
    Total order: score (in steps of `TIE`), then salience, then key; so equal input gives equal
    output whatever the order of the candidates.
    """
    merit = raw(features)
    if adjust is not None:
        merit += adjust
    keys = np.asarray(candidates.keys)
    busy = candidates.records["salience"]
    best = _order(merit, busy, keys)
    if collapse:
        families = candidates.records["family"][best]
        crowded = best[_place_in_family(families) >= FAMILY_SIZE]
        merit[crowded] -= FAMILY_PENALTY
        best = _order(merit, busy, keys)
    best = best[_answers(merit, candidates.lexical)[best]]
    score = 1 / (1 + np.exp(-_SLOPE * (merit[best] - _MIDDLE)))
    near = score >= BESIDE_THE_BEST * score.max(initial=0)
    best, score = best[near], score[near]
    # within a tie a lower score may stand first; shown scores never rise
    by_title = bool((merit >= FLOOR).any())
    return Ranking(best, np.minimum.accumulate(score).astype(np.float32), by_title)


def of_another_time(query: RankQuery, records: Records) -> NDArray[np.bool_]:
    """Which markets are of another year or month than the query names.

    A market that names no year is about the one in which it closes, or closes in the January after;
    so is one of a season that is called by the year in which it began.
    """
    other = np.zeros(len(records), np.bool_)
    if len(query.years):
        asked = query.years.astype(np.int64)
        begins = (asked.astype("U4").astype("M8[s]")).astype(np.int64)
        ends = ((asked + 1).astype("U4").astype("M8[s]")).astype(np.int64) + _JANUARY
        closes = records["closes"].astype(np.int64)[:, None]
        closing = ((closes >= begins) & (closes < ends)).any(axis=1)
        named = records["years"]
        shared = np.isin(named, asked).any(axis=1)
        season = (named[:, 0] == 0) | np.isin(named, asked - 1).any(axis=1)
        other = ~shared & ~(closing & season)
    if len(asked_months := _asked_of(query, MONTH_IDS)):
        held = np.where(np.arange(MAX_TERMS) < records["length"][:, None], records["terms"], 0)
        months = np.isin(held, MONTH_IDS).any(axis=1)
        other |= months & ~np.isin(held, asked_months).any(axis=1)
    return other


def _asked_of(query: RankQuery, periods: TermIds) -> TermIds:
    """The months, or the quarters, that a query names."""
    return query.ids[(query.ids[:, None] == periods).any(axis=1)]


_JANUARY: Final = 31 * 86_400
"""Seconds."""


def by_grade(
    candidates: Candidates, grades: NDArray[np.float32], last: NDArray[np.bool_]
) -> Ranking:
    """Order candidates by fitted grades in (0, 1), best first: those from `LEAST_GRADE` on.

    Ties go as in `order`. Those that are to stand `last`, being of another time than the query
    names, keep `OF_ANOTHER_TIME` of their grade.
    """
    keys = np.asarray(candidates.keys)
    grades = np.where(last, OF_ANOTHER_TIME * grades, grades).astype(np.float32)
    steps = np.round(grades / GRADE_TIE)
    best = np.lexsort((keys, -candidates.records["salience"], -steps))
    best = best[grades[best] >= LEAST_GRADE]
    return Ranking(best, np.minimum.accumulate(grades[best]).astype(np.float32))


def _answers(raw: Features, lexical: NDArray[np.float32] | None) -> NDArray[np.bool_]:
    """Which candidates are shown: those above the floor.

    Where none is, the query may be about something that only resolution rules name; then the
    best that hold a good part of its words are shown.
    """
    above = raw >= FLOOR
    if above.any() or lexical is None or not len(raw):
        return above
    worded = lexical >= BODY_EVIDENCE
    if not worded.any():
        return above
    return worded & (raw >= raw[worded].max() - 1)


def _order(raw: Features, busy: NDArray[np.float32], keys: NDArray[Any]) -> NDArray[np.intp]:
    return np.lexsort((keys, -busy, -np.round(raw / TIE)))


def _place_in_family(families: NDArray[np.uint64]) -> NDArray[np.intp]:
    """How many of the same family stand before each position."""
    grouped = np.argsort(families, kind="stable")
    first = np.r_[True, families[grouped][1:] != families[grouped][:-1]]
    starts = np.maximum.accumulate(np.where(first, np.arange(len(families)), 0))
    place = np.empty(len(families), np.intp)
    place[grouped] = np.arange(len(families)) - starts
    return place


def features(
    query: RankQuery, candidates: Candidates, frequencies: DocumentFrequencies
) -> Features:
    """The feature matrix, columns as in `FEATURES`: float32, shape (candidates, 7).

    - words: BM25 of question and event name under the query's weights
    - precision: share of the market's own rarity (words only) that the query names; what is left
      is what the market adds of its own: another subject, a cause, a consequence
    - dense: cosine
    - family: how many of the best candidates share its family, ln(1 + n) / 5; a subject with a
      ladder of markets is what the question is about more often than a stray mention
    - year: 1 where they share a year
    - number_conflict: 1 where both name numbers, both name months, or both name quarters, and
      share none
    - fixture: 1 for one game or one short window, unless the query asks for such
    """
    out = read(query, candidates, frequencies)
    count_families(out, candidates.records["family"])
    return out


def read(query: RankQuery, candidates: Candidates, frequencies: DocumentFrequencies) -> Features:
    """`features`, each row by itself: without the column that counts families."""
    records = candidates.records
    n = len(records)
    out = np.zeros((n, len(FEATURES)), np.float32)
    if n == 0:
        return out
    # Apart from the records the comparisons below take a third of the time.
    tokens: NDArray[np.uint32] = np.ascontiguousarray(records["terms"])
    length = records["length"].astype(np.float32)
    kept = np.arange(MAX_TERMS) < records["length"][:, None]
    match = (tokens[None, :, :] == query.ids[:, None, None]) & kept
    counts = match.sum(axis=2, dtype=np.float32)  # (query terms, n)
    words = query.weights @ saturate(counts, length / np.float32(AVERAGE_LENGTH))

    marks = (records["marks"][:, None] >> np.arange(MAX_TERMS, dtype=np.uint32)) & 1
    telling = kept & (marks == 0)
    rarity = np.zeros(tokens.shape, np.float32)
    rarity[telling] = frequencies.idf(tokens[telling])
    total = rarity.sum(axis=1)
    named = (rarity * match.any(axis=0)).sum(axis=1)
    precision = named / np.maximum(total, 1e-6)

    year = conflict = np.zeros(n, np.bool_)
    if len(query.years):
        year = np.isin(records["years"], query.years).any(axis=1)
    if len(query.numbers):
        shared = np.isin(records["numbers"], query.numbers).any(axis=1)
        conflict = (records["numbers"][:, 0] != 0) & ~shared
    for periods in (MONTH_IDS, QUARTER_IDS):
        if len(asked := _asked_of(query, periods)):
            named = np.isin(tokens, periods) & kept
            other = named.any(axis=1) & ~np.isin(tokens, asked).any(axis=1)
            conflict = conflict | other

    columns: dict[str, Any] = {
        "words": words,
        "precision": precision,
        "dense": candidates.dense,
        "year": year,
        "number_conflict": conflict,
        "fixture": (records["fixture"] > 0) & (not query.fixture),
    }
    for name, values in columns.items():
        out[:, FEATURES.index(name)] = values
    return out


def count_families(features: Features, family: NDArray[np.uint64]) -> None:
    """Fill in how many of the `FAMILY_POOL` best rows are of each row's family.

    Of a fixed number, so that a deeper search ranks as a shallow one does.
    """
    if not len(features):
        return
    merit = features[:, _WORDS] + features[:, _PRECISION] + features[:, _DENSE]
    best = np.lexsort((family, -merit))[:FAMILY_POOL]
    _, place = np.unique(family, return_inverse=True)
    found = np.bincount(place[best], minlength=place.max() + 1)[place]
    features[:, _FAMILY] = np.log1p(found) / 5


# Words of at most 60 letters: a long run of capitals could begin a name at each of them.
_NAME = re.compile(r"[A-Z][^\W\d_]{1,60}(?:['’]s)?(?:\s+[A-Z][^\W\d_]{1,60}(?:['’]s)?)+")


def _once_a_name(text: str, ids: TermIds, weights: Weights) -> Weights:
    """The weights with each name of several words weighing as much as its rarest word alone.

    Markets name people in short ("Starmer out by June?"): a name in full would otherwise drown
    what is asked about its bearer. Capitals tell names only where not every word has one.
    """
    words = text.split()
    if all(word[0].isupper() for word in words):
        return weights
    weights = weights.copy()
    for name in _NAME.finditer(text):
        held = np.isin(ids, term_ids(terms(name.group())))
        if held.sum() > 1:
            weights[held] *= weights[held].max() / weights[held].sum()
    total = weights.sum()
    return weights / total if total > 0 else weights
