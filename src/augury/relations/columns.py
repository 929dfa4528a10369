"""Features from which decision trees judge how a market is related to a query: one row of numbers
for each market. Pure numpy.

A factor is something in the world that markets are about, e.g. a policy rate. The query's own
factors are those that the query is about. Paths along the edges and links of the factor base (which
factor drives which) lead from them to other factors. The fit (0 to 1) of a market and a factor is
the share of the words of the market's question that name the factor (`factors.Match.fit`).

`training/relations/fit.py` fits the trees of `augury.relations.ranker` on these columns. After a
column is changed, added or removed, the trees have to be fitted again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from augury.relations.causal.judged import CODES, Around
from augury.relations.causal.paths import RELATIONS, Reached
from augury.search.rank import FEATURES
from augury.search.related import Pool

Floats = NDArray[np.float32]

SUBJECT_SHARE: Final = 0.5
"""How much (0 to 1) a market is about a factor (something in the world, e.g. a policy rate) depends
on the part of its question that names the factor (`factors.Match.fit`). It rises linearly from this
value, for a tiny part, to 1, for the whole question. Chosen by hand."""
NAMING_SCORE: Final = 0.15
"""A market counts as mentioning something that the query mentions if the BM25 score of its question
and event name against the query's words (`Pool.words`) is at least this. Chosen by hand."""
YEAR_SECONDS: Final = 31_557_600
"""Number of seconds in a year of 365.25 days."""
MAX_YEARS_APART: Final = 10.0
"""The column `after` says how many years a market closes after the median close of the query's best
direct results (markets on the question itself, `Pool.median_close`). It is negative if the market
closes before. Values are limited to this many years before or after."""
RANK_WEIGHTS: Final = (1.0, 0.7, 0.5, 0.4)
"""Weights (0 to 1) of the verdicts (`judged`) on a factor (thing in the world) of the query and a
factor of a market. The first number is for the query's strongest factor, the second for its second
strongest, and so on. Verdicts on the query's fifth and further factors are not used. Chosen by
hand."""
SECONDARY_WEIGHT: Final = 0.7
"""A market has several factors (things in the world), ordered by how well they fit. The weight of a
verdict (`judged`) on a factor of the query and a factor of the market is multiplied by this number
(0 to 1), unless the market's factor is its first one. Chosen by hand."""

TEXT_COLUMNS: Final = ("t_none", "t_direct", "t_up", "t_do", "t_co")
"""Names of the features that say how likely each relation is by the texts alone (`vectors`), in the
order of `augury.relations.ranker.CLASSES`."""
COLUMNS: Final = (
    "names_weight", "names_share", "directness", "after", "words", "dense", "salience", "fixture",
    "rival", "foreign", "own", "own_fit", "own_all", "own_main", "own_over_path", "path",
    "path_margin", "up_over_do", "voted",
    "up_path", "up_all", "up_fit", "up_main", "up_below_best",
    "do_path", "do_all", "do_fit", "do_main", "do_below_best",
    "co_path", "co_all", "co_fit", "co_main", "co_below_best",
    "j_cause", "j_effect", "j_self", "j_code", "j_main", "j_none", "j_best", "j_ce", "j_co",
    "j1_cause", "j1_driver", "j1_none",
    "family_own", "family_directness", "directness_below_best", "dense_below_best",
    "q_own", "q_first", "q_up", "q_do", "q_co", "q_best", "q_heaviest", "q_factors", "q_terms",
    *TEXT_COLUMNS,
)  # fmt: skip
"""Names of the features of a market for one query: the input of the trees that judge how the market
is related to the query.

The beginning of a name says what the feature is about. `own`: how much the market is about the
query's own factors (things in the world); `up`, `do`, `co`: the paths in the factor base by which
the market is upstream of, downstream of or correlated with the query; `j`, `j1`: verdicts on how
the market's factors are related to the query's (`judged`), for `j1` only to the query's strongest
factor; `q`: the query itself (e.g. its number of factors), or all markets that may be listed for it
(e.g. the largest value among them); `t`: how likely each relation is by the texts of query and
market alone (`vectors`); `family`: means over the market's family."""

DIRECT_COLUMNS: Final = (*COLUMNS, "precision", "siblings", "year", "conflict")
"""Names of the features from which fitted decision trees (`direct.onnx`) judge how directly a
market is about the query: `COLUMNS` and four features of `augury.search.rank.features`."""
_DIRECT_FEATURES: Final = [
    FEATURES.index(one) for one in ("precision", "family", "year", "number_conflict")
]
"""Positions in `FEATURES` (search's ranking features) of the four features that `DIRECT_COLUMNS`
adds to `COLUMNS`."""


_AT: Final = {name: nth for nth, name in enumerate(COLUMNS)}


class Paths(NamedTuple):
    """How strongly each of n markets is tied to a query, by two measures. `own`: how much the
    market is about the query's own factors (the things in the world that the query is about).
    `weights`: how strongly the query's own factors are connected to the market's factors, by paths
    of the factor base."""

    own: Floats
    """(n markets, MOST_TAGS factors of each), 0 to 1: how much the market is about the factor
    (thing in the world), times how much the query is about it; 0 if the query is not about the
    factor."""
    weights: Floats
    """(3 relations, n markets, MOST_TAGS factors of each), 0 to 1: how much the market is about the
    factor (thing in the world), times the weight of the strongest path from the query's own factors
    to it."""


def subject_weights(tags: NDArray[np.uint16], fits: NDArray[np.float32]) -> Floats:
    """How much each of n markets is about each of its factors (things in the world): (n,
    MOST_TAGS), 0 to 1.

    tags : (n, MOST_TAGS), ids of the markets' factors, 0 for none
    fits : (n, MOST_TAGS), how well each factor fits the market, 0 to 1 (`factors.Match.fit`)
    """
    return np.where(tags > 0, SUBJECT_SHARE + (1 - SUBJECT_SHARE) * fits, 0).astype(np.float32)


def paths(reached: Reached, pool: Pool, unnamed: NDArray[np.bool_]) -> Paths:
    """Compute, for each market of a pool (the markets that may be listed for a query), how much it
    is about the query's own factors (the things in the world that the query is about), and how
    strongly paths of the factor base lead from these to the market's factors.

    reached : the paths from the query's own factors
    unnamed : (n, MOST_TAGS), True for factors that mean a different thing in each market ("the song
        in question", `Factor.differs_by_market`); a path to such a factor counts only if the
        market's question or event name mentions something that the query mentions (`NAMING_SCORE`)
    """
    about = subject_weights(pool.tags, pool.fits)
    weights = reached.weights[:, pool.tags] * about
    weights[:, unnamed & (pool.words < NAMING_SCORE)[:, None]] = 0
    return Paths(reached.own[pool.tags] * about, weights)


def table(
    reached: Reached,
    factors: Sequence[tuple[int, float]],
    pool: Pool,
    found: Paths,
    foreign: NDArray[np.bool_],
    rivals: NDArray[np.bool_],
    judged: Sequence[Around],
    texts: Floats,
) -> Floats:
    """The features (`COLUMNS`) of each market of a pool (the markets that may be listed for a
    query): (n, len(COLUMNS)). The columns that compare a market with the other markets stay 0; the
    function `compared` fills them.

    Parameters
    ----------
    factors
        The factors (things in the world) that the query is about, as (id, weight from 0 to 1), the
        strongest first.
    found
        From the function `paths`.
    foreign : (n,)
        True for the markets about another entity (e.g. a team or bank) than the query.
    rivals : (n,)
        True for the markets on the same contest as the query but at the other level: the whole
        contest if the query is about one contender, a contender if it is about the whole contest.
    judged
        Verdicts on how a factor is related to all other factors, for the first
        `len(RANK_WEIGHTS)` of `factors`, in their order.
    texts : (n, 5)
        From `vectors.RelationVectors.log_chances`.
    """
    columns: dict[str, Any] = {
        "names_weight": pool.matched_weight, "names_share": pool.matched_share,
        "directness": pool.directness, "words": pool.words, "dense": pool.dense,
        "salience": pool.salience, "fixture": pool.fixture, "rival": rivals,
        "foreign": foreign, "q_first": factors[0][1] if factors else 0.0,
        "q_heaviest": pool.max_term_weight, "q_factors": len(factors),
        "q_terms": np.log1p(pool.terms),
    }  # fmt: skip
    years = np.where(
        pool.closes > 0, (pool.closes.astype(np.float64) - pool.median_close) / YEAR_SECONDS, 0
    )
    columns["after"] = np.clip(years, -MAX_YEARS_APART, MAX_YEARS_APART)
    columns |= _by_paths(reached, pool, found)
    columns |= _by_verdicts(pool.tags, judged)
    columns |= dict(zip(TEXT_COLUMNS, texts.T, strict=True))
    out = np.zeros((len(COLUMNS), len(pool.tags)), np.float32)
    for name, values in columns.items():
        out[_AT[name]] = values
    return np.ascontiguousarray(out.T)


def compared(rows: Floats, family: NDArray[np.uint64]) -> Floats:
    """A copy of `rows` (from `table`) in which the columns that compare a market with the other
    markets of the query are filled in.

    Parameters
    ----------
    family : (n,)
        A hash for each market that is equal for the markets of one family (the levels of one
        quantity, the contenders of one contest ...).
    """
    out = rows.copy()
    for name in ("directness", "dense", "up_path", "do_path", "co_path"):
        values = rows[:, _AT[name]]
        best = values.max(initial=0)
        out[:, _AT[f"{name.removesuffix('_path')}_below_best"]] = best - values
        if name != "dense":
            out[:, _AT["q_best" if name == "directness" else f"q_{name[:2]}"]] = best
    own = rows[:, _AT["own"]]
    out[:, _AT["q_own"]] = np.mean(own > 0) if len(own) else 0
    _, place = np.unique(family, return_inverse=True)
    size = np.maximum(np.bincount(place, minlength=1), 1)
    for name in ("own", "directness"):
        total = np.bincount(place, rows[:, _AT[name]], minlength=len(size))
        out[:, _AT[f"family_{name}"]] = (total / size)[place]
    return out


def direct_table(rows: Floats, features: Floats) -> Floats:
    """The features from which the trees judge how directly a market is about the query, (n,
    len(DIRECT_COLUMNS)): for each market its row of `rows`, followed by four columns of its row of
    `features` (precision, family, year, number conflict).

    rows : (n, len(COLUMNS)), from `compared`
    features : (n, 7), the rows of `Pool.features` for the same markets
    """
    return np.concatenate([rows, features[:, _DIRECT_FEATURES]], axis=1)


def _by_paths(reached: Reached, pool: Pool, found: Paths) -> dict[str, Any]:
    tags, fits = pool.tags, pool.fits
    at = np.arange(len(tags))
    best = found.own.argmax(axis=1)
    own = found.own[at, best]
    strongest = found.weights.max(axis=2, initial=0)
    path = strongest.max(axis=0)
    ordered = np.sort(strongest, axis=0)
    columns: dict[str, Any] = {
        "own": own,
        "own_fit": np.where(own > 0, fits[at, best], 0),
        "own_main": reached.own[tags[:, 0]],
        "own_all": found.own.sum(axis=1),
        "own_over_path": own - path,
        "path": path,
        "path_margin": ordered[2] - ordered[1],
        "up_over_do": strongest[0] - strongest[1],
        "voted": _voted(tags, pool.voters),
    }
    for nth, relation in enumerate(RELATIONS):
        short = relation[:2]
        weights = found.weights[nth]
        through = weights.argmax(axis=1)
        weight = strongest[nth]
        columns |= {
            f"{short}_path": weight,
            f"{short}_all": weights.sum(axis=1),
            f"{short}_fit": np.where(weight > 0, fits[at, through], 0),
            f"{short}_main": reached.weights[nth][tags[:, 0]] * (tags[:, 0] > 0),
        }
    return columns


def _voted(tags: NDArray[np.uint16], voters: NDArray[np.intp]) -> NDArray[Any] | float:
    """For each market, the share (0 to 1) of the best direct results (markets on the question
    itself) that have a factor (thing in the world) in common with the market; 0 if there are none.

    tags : (n, MOST_TAGS), ids of the markets' factors, 0 for none
    voters : positions of the best direct results among the markets
    """
    if not len(voters):
        return 0.0
    votes = np.zeros((len(voters), int(tags.max(initial=0)) + 1), np.bool_)
    votes[np.arange(len(voters))[:, None], tags[voters]] = True
    votes[:, 0] = False
    return np.asarray(votes[:, tags].any(axis=2).mean(axis=0))


def _by_verdicts(tags: NDArray[np.uint16], judged: Sequence[Around]) -> dict[str, Any]:
    n = len(tags)
    best = {code: np.zeros(n, np.float32) for code in (*CODES, "self")}
    some = tags > 0
    nones, looked_at = np.zeros(n), np.maximum(some.sum(axis=1) * max(len(judged), 1), 1)
    share = np.full(tags.shape[1], SECONDARY_WEIGHT, np.float32)
    share[0] = 1
    first: dict[str, Any] = {}
    for around, weight in zip(judged, RANK_WEIGHTS, strict=False):
        codes = np.where(some, around.codes[tags], 0)
        strengths = around.strengths[tags] * (weight * share)
        for number, code in enumerate((*CODES, "self"), 1):
            of_code = codes == number
            if code == "none":
                nones += of_code.sum(axis=1)
            best[code] = np.maximum(best[code], (strengths * of_code).max(axis=1, initial=0))
        if not first:
            main = codes[:, 0]
            first["j_code"] = np.where(main == CODES.index("none") + 1, -1, main)
            first["j_main"] = np.where(main > 0, around.strengths[tags[:, 0]], 0)
            for code in ("cause", "driver"):
                of_code = codes == CODES.index(code) + 1
                first[f"j1_{code}"] = (around.strengths[tags] * of_code).max(axis=1, initial=0)
            first["j1_none"] = (codes == CODES.index("none") + 1).any(axis=1)
    first = first or dict.fromkeys(("j_code", "j_main", "j1_cause", "j1_driver", "j1_none"), 0)
    return first | {
        "j_cause": best["cause"],
        "j_effect": best["effect"],
        "j_self": best["self"],
        "j_none": nones / looked_at,
        "j_best": np.max(list(best.values()), axis=0),
        "j_ce": best["cause"] - best["effect"],
        "j_co": best["driver"] + best["rival"],
    }
