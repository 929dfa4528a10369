"""Ranking of candidates by how directly they are about the query. Pure numpy.

A market's raw score is a weighted sum of seven features, which come from its question, its event's
name and its vector; the weights were fitted on judged queries (`augury.search.fit`). The score says
how directly a market is about the query. If the service has a factor base, and at least one market
matches the query by its title or is about one of the query's own factors, fitted decision trees
order the results instead (`by_grade`). What the features need to know about a market is packed into
a record of fixed size when the market is indexed, so that ranking 200 candidates reads 200 records
and nothing else.

A factor is something in the world that markets are about, such as a policy rate. A query's own
factors are those that it asks about; related factors drive these, follow from them or move with
them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from augury.search.records import MAX_TERMS, Records, is_fixture, named_months, named_numbers
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
"""A text with this many terms counts as of average length in the ranking feature `words` (a BM25
score). A typical question and its event's name together have about this many terms. A match in a
longer text counts less."""

WEIGHTS: Final[dict[str, float]] = {
    "words": 3.51,
    "precision": 2.90,
    "dense": 2.94,
    "family": 2.45,
    "year": 1.17,
    "number_conflict": -1.45,
    "fixture": -1.74,
}
"""Weight of each ranking feature in a market's raw score, fitted by `python -m augury.search.fit`
on 48 judged queries; nDCG@10 on held-out queries is 0.883."""
FEATURES: Final = tuple(WEIGHTS)
_WORDS, _PRECISION, _DENSE, _FAMILY = map(FEATURES.index, ("words", "precision", "dense", "family"))
_VECTOR: Final = np.array(list(WEIGHTS.values()), np.float32)

OWN_BONUS: Final = 2.0
"""Bonus added to the raw score of a market that is wholly about factors (things in the world, such
as a policy rate) that the query itself asks about. A market that is only partly about them gets the
bonus times the share (0 to 1) of it that is about them. Chosen on judged queries
(`docs/experiments/search.md`)."""
UNRELATED_PENALTY: Final = 1.0
"""Subtracted from the raw score of a market that merely shares a word or a date with the query: it
is about none of the factors (things in the world) that the query asks about, nor about a related
factor. This is done only if another candidate is surely about the query's factors (`SURE_MIN`).
Chosen on judged queries (`docs/experiments/search.md`)."""
SURE_MIN: Final = 0.6
"""A candidate that is about the query's factors (things in the world) to at least this degree, 0 to
1, is surely about them. Only if there is such a candidate is `UNRELATED_PENALTY` subtracted from
the candidates that are about neither these factors nor related ones. Chosen by hand."""
RELATED_PENALTY: Final = 4.0
"""Subtracted from the raw score of a market that is mainly about a related factor, i.e. one that
drives, follows from or moves with the factors (things in the world) that the query asks about. Such
a market belongs in another list than `direct`, however similar its words are. Chosen by hand."""
RELATED_MIN: Final = 0.05
"""`RELATED_PENALTY` is subtracted from the score of a market only if the market is about a related
factor (e.g. a cause of what the query asks about) to at least this degree, 0 to 1. Chosen by
hand."""
OUTWEIGHED_RATIO: Final = 0.75
"""`RELATED_PENALTY` is subtracted only if a market is mainly about related factors (e.g. causes of
what the query asks about). This means: the degree (0 to 1) to which it is about the query's own
factors (things in the world) is at most this share of the degree to which it is about related ones.
A larger share lowers the scores of more markets. Chosen by hand."""

FLOOR_SCORE: Final = 4.75
"""Raw score (weighted sum of a market's ranking features) below which the market is not shown; see
`MIN_LEXICAL_SCORE` for the exception. A higher floor makes lists shorter, with fewer irrelevant
markets. Chosen on judged queries (`docs/experiments/search.md`)."""
MIN_SHARE_OF_BEST: Final = 0.3
"""A market is not shown if its score (0 to 1) is less than this share of the best market's score.
So if one market is plainly what the query asks for, markets that merely share a word with it are
left out. Chosen on judged queries (`docs/adr/0002-embedding-and-ranking.md`)."""
MIN_LEXICAL_SCORE: Final = 0.5
"""If no market has a raw score of at least `FLOOR_SCORE`, markets with at least this lexical score
can still be shown. A lexical score also counts words in rules and tags; about 1 means that all of
the query's terms occur once. Chosen by reading the results of 166 queries
(`docs/experiments/search.md`)."""
FAMILY_POOL: Final = 150
"""The ranking feature `family` counts how many of the best candidates belong to a market's family
(e.g. to the same event). This is the number of best candidates that it looks at."""
FAMILY_SIZE: Final = 10
"""Of the markets of one family (e.g. of one event), this many keep their raw score: the best ones.
`FAMILY_PENALTY` is subtracted from the scores of the others. Both constants were chosen on judged
queries (`docs/adr/0002-embedding-and-ranking.md`)."""
FAMILY_PENALTY: Final = 1.0
"""Subtracted from the raw score of a market if at least `FAMILY_SIZE` markets of its family (e.g.
of the same event) are better. The market then ranks behind other markets that are nearly as direct,
but not behind those that are far less direct."""
OTHER_TIME_MULTIPLIER: Final = 0.25
"""Multiplier (0 to 1) of a market's grade if the market is about another year or month than the
query names. Chosen by hand."""
GRADE_TIE: Final = 0.01
"""Step to which grades (0 to 1) are rounded for ordering. Among markets with equal rounded grades,
the more traded one goes first. Chosen by hand."""
TIE_STEP: Final = 0.05
"""Step to which raw scores (weighted sums of ranking features) are rounded for ordering. Among
markets with equal rounded scores, the more traded one goes first
(`docs/adr/0002-embedding-and-ranking.md`)."""
_MIDDLE: Final = 5.7
_SLOPE: Final = 0.8
"""Parameters of the logistic curve that turns a raw score into a score between 0 and 1. `_MIDDLE`:
the raw score at which half of the judged markets were directly about the query; `_SLOPE`: how
steeply the curve rises there."""


@dataclass(frozen=True, slots=True)
class RankQuery:
    """What the ranker needs to know of a query: its terms with their weights, the years and numbers
    that it names, and whether it asks about one game."""

    ids: TermIds
    """Ids of the query's distinct terms, at most `MAX_QUERY_TERMS`."""
    weights: Weights
    """Weight of each term: the rarer the term (inverse document frequency), the heavier. Numbers,
    months and common headline words count half, and all words of a name together as much as the
    heaviest of them. The weights sum to 1."""
    years: NDArray[np.uint16]
    """Years that the query names; "before 2027" adds 2026."""
    months: TermIds
    """Ids of the terms for the months that the query names. "End of 2026" counts as December and
    January, because markets write it as "by December 31" or "before January 1"."""
    numbers: TermIds
    """Ids of those query terms that are numbers, except years."""
    fixture: bool
    """Whether the query asks about one game, or about a price within one short window. If so,
    markets on games and such windows lose no score."""

    @property
    def names_time(self) -> bool:
        """Whether the query names a year, a month or a quarter."""
        quarter = bool(np.isin(self.ids, QUARTER_IDS).any())
        return len(self.years) > 0 or len(self.months) > 0 or quarter

    @classmethod
    def of(cls, text: str, frequencies: DocumentFrequencies) -> RankQuery:
        found = list(dict.fromkeys(terms(text)))[: 4 * MAX_QUERY_TERMS]
        ids, weights = query_vector(found, frequencies)
        if len(ids) > MAX_QUERY_TERMS:
            # the rarest terms say most about the subject of a long text
            kept = np.sort(np.argsort(-weights, kind="stable")[:MAX_QUERY_TERMS])
            ids, weights = ids[kept], weights[kept] / weights[kept].sum()
        years, numbers = named_numbers(found, text)
        weights = _names_as_one_word(text, ids, weights)
        return cls(
            ids,
            weights,
            np.array(years, np.uint16),
            named_months(ids, text),
            np.array(numbers, np.uint32),
            is_fixture(text),
        )


@dataclass(frozen=True, slots=True)
class Candidates:
    """Markets to rank. Each attribute has one entry per market."""

    keys: Sequence[str] | NDArray[Any]
    """One id per market. It decides the order of markets that are equal in all else."""
    records: Records
    """One record per market, with at least the fields of `augury.search.records.RECORD`."""
    dense: NDArray[np.float32]
    """Cosine of the query's vector and each market's."""
    lexical: NDArray[np.float32] | None = None
    """The index's lexical scores, which count words in rules and tags too; None: unknown."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """Candidates in order, best first."""

    order: NDArray[np.intp]
    """Positions, among the candidates, of the markets to show, best first."""
    scores: NDArray[np.float32]
    """Score of each market in `order`, in (0, 1), in descending order. Not a probability."""
    by_title: bool = True
    """Whether at least one market matches the query by its question or its event's name, i.e. its
    raw score reaches `FLOOR_SCORE`. If False, the query matches only resolution rules or tags of
    markets. The decision trees read neither, so in this case the order that the trees give
    (`by_grade`) is used only if a market is about a factor (thing in the world) that the query asks
    about."""


def rank(
    query: RankQuery,
    candidates: Candidates,
    frequencies: DocumentFrequencies,
    *,
    collapse: bool = True,
) -> Ranking:
    """Order candidates by how directly they are about the query: compute their `features`, and pass
    these and `collapse` to `order`."""
    return order(candidates, features(query, candidates, frequencies), collapse=collapse)


def raw(features: Features) -> Features:
    """The raw score of each market (row): the sum of its features, weighted by `WEIGHTS`. The
    higher the score, the more directly the market is about the query; it has no fixed range."""
    return features @ _VECTOR


def factor_adjustment(
    own: NDArray[np.float32], related: NDArray[np.float32]
) -> NDArray[np.float32]:
    """What to add to each market's raw score, (n,), for the factors (things in the world) that the
    market is about.

    It is `OWN_BONUS` times `own`. `RELATED_PENALTY` is subtracted if the market is mainly about
    related factors. `UNRELATED_PENALTY` is subtracted if the market is about neither the query's
    factors nor related ones, but some other market is surely about the query's factors (at least
    `SURE_MIN` in `own`).

    own, related : (n,), from 0 to 1: how much each market is about the factors that the query asks
    about, and how much about factors related to these
    """
    elsewhere = (own <= OUTWEIGHED_RATIO * related) & (related >= RELATED_MIN)
    # If no market is surely about the query's factors, being about none of them says nothing.
    beside = (own == 0) & ~elsewhere & (own.max(initial=0) >= SURE_MIN)
    return (
        np.float32(OWN_BONUS) * own
        - np.float32(RELATED_PENALTY) * elsewhere
        - np.float32(UNRELATED_PENALTY) * beside
    )


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
        Added to the raw scores: see `factor_adjustment`.
    collapse
        Whether all but the best markets of a large family (e.g. of one event) rank behind others
        that are nearly as good. False if the query asks for a level or a game, because then all
        markets of the family are the answer.

    Notes
    -----
    Total order: score (in steps of `TIE_STEP`), then how much the market is traded, then key; so
    equal input gives equal output whatever the order of the candidates.
    """
    merit = raw(features)
    if adjust is not None:
        merit += adjust
    keys = np.asarray(candidates.keys)
    busy = candidates.records["salience"]
    best = _order(merit, busy, keys)
    if collapse:
        families = candidates.records["family"][best]
        crowded = best[place_in_family(families) >= FAMILY_SIZE]
        merit[crowded] -= FAMILY_PENALTY
        best = _order(merit, busy, keys)
    best = best[_is_shown(merit, candidates.lexical)[best]]
    score = 1 / (1 + np.exp(-_SLOPE * (merit[best] - _MIDDLE)))
    near = score >= MIN_SHARE_OF_BEST * score.max(initial=0)
    best, score = best[near], score[near]
    # within a tie a lower score may stand first; shown scores never rise
    by_title = bool((merit >= FLOOR_SCORE).any())
    return Ranking(best, np.minimum.accumulate(score).astype(np.float32), by_title)


def of_another_time(query: RankQuery, records: Records) -> NDArray[np.bool_]:
    """Whether each market is about another year or month than the query names: (n,).

    A market is about the query's year if its text names that year. If its text names no year, or
    only the year before (a season may begin then), the close decides: it must be in the query's
    year or in the following January. A market is about another month if its text names months and
    none of them is in the query.
    """
    other = np.zeros(len(records), np.bool_)
    if len(query.years):
        asked = query.years.astype(np.int64)
        begins = (asked.astype("U4").astype("M8[s]")).astype(np.int64)
        ends = ((asked + 1).astype("U4").astype("M8[s]")).astype(np.int64) + _JANUARY_SECONDS
        closes = records["closes"].astype(np.int64)[:, None]
        closing = ((closes >= begins) & (closes < ends)).any(axis=1)
        named = records["years"]
        shared = np.isin(named, asked).any(axis=1)
        season = (named[:, 0] == 0) | np.isin(named, asked - 1).any(axis=1)
        other = ~shared & ~(closing & season)
    if len(query.months):
        held = np.where(np.arange(MAX_TERMS) < records["length"][:, None], records["terms"], 0)
        months = np.isin(held, MONTH_IDS).any(axis=1)
        other |= months & ~np.isin(held, query.months).any(axis=1)
    return other


def names_past_year(records: Records, year: int) -> NDArray[np.bool_]:
    """Shape (n,): True for each market that is about the past, i.e. that names only years before
    `year`, and whose close is also before `year` or not known."""
    latest = records["years"].max(axis=1, initial=0)
    begins = np.datetime64(f"{year}", "s").astype(np.int64)
    return (latest > 0) & (latest < year) & (records["closes"] < begins)


_JANUARY_SECONDS: Final = 31 * 86_400
"""Length of January, in seconds: a market that closes in the January after a year may still be
about that year."""


def by_grade(
    candidates: Candidates, grades: NDArray[np.float32], last: NDArray[np.bool_], floor: float
) -> Ranking:
    """Order candidates by `grades`, best first, and leave out those below `floor`. A grade says how
    directly the market is about the query, in (0, 1). Fitted decision trees compute it.

    Ties are broken as in `order`. `last` marks markets about another year or month than the query
    names (`of_another_time`); their grades are multiplied by `OTHER_TIME_MULTIPLIER`.
    """
    keys = np.asarray(candidates.keys)
    grades = np.where(last, OTHER_TIME_MULTIPLIER * grades, grades).astype(np.float32)
    steps = np.round(grades / GRADE_TIE)
    best = np.lexsort((keys, -candidates.records["salience"], -steps))
    best = best[grades[best] >= floor]
    return Ranking(best, np.minimum.accumulate(grades[best]).astype(np.float32))


def _is_shown(raw: Features, lexical: NDArray[np.float32] | None) -> NDArray[np.bool_]:
    """Whether each candidate is shown, i.e. whether its score in `raw` reaches `FLOOR_SCORE`.

    If no candidate reaches `FLOOR_SCORE`, the query may be about something that only resolution
    rules name. Then only candidates with a lexical score of at least `MIN_LEXICAL_SCORE` can be
    shown: the one with the highest score in `raw`, and those whose score is at most 1 lower.
    """
    above = raw >= FLOOR_SCORE
    if above.any() or lexical is None or not len(raw):
        return above
    worded = lexical >= MIN_LEXICAL_SCORE
    if not worded.any():
        return above
    return worded & (raw >= raw[worded].max() - 1)


def _order(raw: Features, busy: NDArray[np.float32], keys: NDArray[Any]) -> NDArray[np.intp]:
    return np.lexsort((keys, -busy, -np.round(raw / TIE_STEP)))


def place_in_family(families: NDArray[np.integer]) -> NDArray[np.intp]:
    """For each market, how many markets before it are of the same family. `families`: a hash of
    each market's family, or another number that is equal for the markets of a group, best market
    first."""
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

    - words: BM25 score of question and event name, with the weights of the query's terms
    - precision: share (0 to 1), weighted by rarity, of the market's words that are in the query,
      too. The smaller the share, the more the market is about something that the query does not
      name: another subject, a cause or a consequence
    - dense: cosine of the query's vector and the market's
    - family: ln(1 + n) / 5, where n is the number of markets of the market's family (e.g. of its
      event) among the best candidates; a query is more often about a subject that has many markets
      than about one that a single market mentions
    - year: 1 if query and market name the same year
    - number_conflict: 1 if query and market both name numbers, or months, or quarters, but none of
      them is the same
    - fixture: 1 for a market on one game, or on a price within one short window, unless the query
      asks about one, too
    """
    out = features_without_family(query, candidates, frequencies)
    count_families(out, candidates.records["family"])
    return out


def features_without_family(
    query: RankQuery, candidates: Candidates, frequencies: DocumentFrequencies
) -> Features:
    """The feature matrix of `features`, but with 0 in the column `family`. The other columns of a
    market depend on this market alone, so rows can be computed in parts; `count_families` then
    fills in the column `family`."""
    records = candidates.records
    n = len(records)
    out = np.zeros((n, len(FEATURES)), np.float32)
    if n == 0:
        return out
    # Copied out of the records: the comparisons below then take a third of the time.
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
        if len(asked := query.ids[np.isin(query.ids, periods)]):
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
    """Fill in the column `family` of the matrix `features` (one row per candidate market), in
    place: the more of the `FAMILY_POOL` best rows belong to a row's family, the higher the row's
    value. The argument `family` has a hash of each row's family.

    The number `FAMILY_POOL` is fixed, so that a search for more results ranks markets in the same
    way as one for fewer.
    """
    if not len(features):
        return
    merit = features[:, _WORDS] + features[:, _PRECISION] + features[:, _DENSE]
    best = np.lexsort((family, -merit))[:FAMILY_POOL]
    _, place = np.unique(family, return_inverse=True)
    found = np.bincount(place[best], minlength=place.max() + 1)[place]
    features[:, _FAMILY] = np.log1p(found) / 5


# Words have at most 60 letters: else a long run of capitals would be scanned anew from each letter.
_NAME = re.compile(r"[A-Z][^\W\d_]{1,60}(?:['’]s)?(?:\s+[A-Z][^\W\d_]{1,60}(?:['’]s)?)+")


def _names_as_one_word(text: str, ids: TermIds, weights: Weights) -> Weights:
    """The weights of the query terms `ids`, scaled so that a name of several words weighs as much
    as its heaviest word alone. All weights together sum to 1.

    Markets often give only a surname ("Starmer out by June?"); a full name in the query would
    otherwise outweigh what is asked about the person. If every word of the query `text` has a
    capital, names cannot be recognized, and the weights stay as they are.
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
