"""What is known of a candidate's relation to a query, as one row of numbers. Pure numpy.

All of it is at hand when a search has gathered its candidates: the paths of the causal base, the
market's factors and how well they fit, whose contest it is, words, vectors, dates, its family.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from augury.relations.knowledge import Base
from augury.relations.paths import RELATIONS, SAME_KIND, STRENGTH, Reached
from augury.relations.rank import SUBJECT, YEAR
from augury.search import rank as words

Floats = NDArray[np.float32]

FAR: float = 10.0
"""Years beyond which a date is only far."""


class Ground:
    """What the whole base says of each factor, by number; 0 is none."""

    def __init__(self, base: Base) -> None:
        numbers = {key: n for n, key in enumerate(base.factors, 1)}
        every = list(base.factors.values())
        self.size = len(every) + 1
        self.domain = _coded([f.domain for f in every])
        self.pattern = _coded([f.pattern for f in every])
        self.hearsay = np.array([False, *(f.hearsay for f in every)])
        self.level = np.array([False, *(f.is_level for f in every)])
        self._cause = np.array([numbers[e.cause] for e in base.edges])
        self._effect = np.array([numbers[e.effect] for e in base.edges])
        self._weight = np.array([STRENGTH[e.strength] for e in base.edges])
        self._driven = self._norm(self._effect)
        self._drives = self._norm(self._cause)

    def _norm(self, end: NDArray[Any]) -> NDArray[Any]:
        return np.maximum(np.sqrt(np.bincount(end, self._weight**2, self.size)), 1)

    def common(self, asked: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        """How much each factor shares the causes, and the effects, of those asked for: cosines."""
        found = []
        for near, far, norm in (
            (self._effect, self._cause, self._driven),
            (self._cause, self._effect, self._drives),
        ):
            shared = np.bincount(far, asked[near] * self._weight, self.size)
            size = max(float(np.sqrt((shared**2).sum())), 1.0)
            found.append(np.bincount(near, shared[far] * self._weight, self.size) / norm / size)
        return found[0], found[1]


def _coded(values: list[str]) -> NDArray[np.int32]:
    codes: dict[str, int] = {}
    return np.array([0, *(codes.setdefault(v, len(codes) + 1) for v in values)], np.int32)


class Seen(NamedTuple):
    """Candidates of one query, column by column; n of them."""

    ground: Ground
    text: str
    """The query as it was asked."""
    named: Floats
    """(n, query terms): whether a market's title or event names each; the heaviest term first."""
    weights: Floats
    """Shares of the query's rarity, one a term, the heaviest first."""
    length: Floats
    """Terms of each market's title and event."""
    reached: Reached
    factors: list[tuple[int, float]]
    """The query's own factors with their weights, the strongest first."""
    tags: NDArray[np.uint16]
    """(n, MOST_TAGS), 0 pads"""
    fits: Floats
    """(n, MOST_TAGS), in [0, 1]"""
    search: Floats
    """(n, 7): the columns of `augury.search.rank.FEATURES`"""
    lexical: Floats
    salience: Floats
    fixture: Floats
    """0, 1 for one game, 2 for a side bet"""
    closes: NDArray[np.uint32]
    family: NDArray[np.uint64]
    foreign: NDArray[np.bool_]
    rivals: NDArray[np.bool_]
    unnamed: NDArray[np.bool_]
    """(n, MOST_TAGS)"""
    same: NDArray[np.bool_]
    """Markets about an entity that the query's factors are of."""
    ties: Floats
    voters: NDArray[np.intp]
    """The candidates that say what the query is about."""
    when: int
    terms: int
    """Words of the query that count."""


def table(seen: Seen) -> tuple[list[str], Floats]:
    """Names of the columns, and (n, columns)."""
    n = len(seen.tags)
    columns: dict[str, Any] = dict(zip(words.FEATURES, seen.search.T, strict=True))
    directness = words.raw(seen.search)
    columns |= {"directness": directness, "lexical": seen.lexical, "salience": seen.salience}
    columns |= {"game": seen.fixture}
    columns |= _paths(seen)
    columns |= _base(seen)
    columns |= _naming(seen)
    columns |= {
        "foreign": seen.foreign,
        "rival": seen.rivals,
        "unnamed": seen.unnamed.any(axis=1),
        "same_entity": seen.same,
        "tie": seen.ties,
    }
    known = seen.closes > 0
    years = np.where(known, (seen.closes.astype(np.float64) - seen.when) / YEAR, 0)
    columns |= {"after": np.clip(years, -FAR, FAR), "away": np.clip(abs(years), 0, FAR)}
    columns |= {"undated": ~known}
    for name in ("directness", "dense", "words"):
        values = columns[name]
        columns[f"{name}_below_best"] = values.max(initial=0) - values
        columns[f"{name}_place"] = np.argsort(np.argsort(-values, kind="stable")) / max(n, 1)
    columns |= _family(seen, columns)
    columns |= _query(seen, columns)
    table = np.zeros((n, len(columns)), np.float32)
    for at, values in enumerate(columns.values()):
        table[:, at] = values
    return list(columns), table


def _paths(seen: Seen) -> dict[str, Any]:
    tags, fits, reached = seen.tags, seen.fits, seen.reached
    n = len(tags)
    at = np.arange(n)
    held = np.where(tags > 0, SUBJECT + (1 - SUBJECT) * fits, 0).astype(np.float32)
    asked = reached.asked[tags]
    own = asked * held
    best = own.argmax(axis=1)
    columns: dict[str, Any] = {
        "own": own[at, best],
        "own_fit": np.where(own[at, best] > 0, fits[at, best], 0),
        "own_main": asked[:, 0],
        "own_all": own.sum(axis=1),
        "factors": (tags > 0).sum(axis=1),
        "fit_main": fits[:, 0],
    }
    first = seen.factors[0][0] if seen.factors else 0
    columns["own_first"] = np.where((tags == first) & (tags > 0), fits, 0).max(axis=1)
    voted = tags[seen.voters]
    shared = (tags[:, None, :, None] == voted[None, :, None, :]) & (tags > 0)[:, None, :, None]
    columns["voted"] = shared.any(axis=(2, 3)).mean(axis=1) if len(voted) else 0.0
    paths = reached.weights[:, tags] * held
    paths[:, seen.unnamed & (columns_words(seen) < 0.15)[:, None]] = 0
    for nth, relation in enumerate(RELATIONS):
        through = paths[nth].argmax(axis=1)
        weight = paths[nth, at, through]
        via = np.where(weight > 0, tags[at, through], 0)
        about = _about(reached, nth, via)
        short = relation[:2] if relation != "correlated" else "co"
        columns |= {
            f"{short}_path": weight,
            f"{short}_all": paths[nth].sum(axis=1),
            f"{short}_raw": np.where(weight > 0, reached.weights[nth][via], 0),
            f"{short}_fit": np.where(weight > 0, fits[at, through], 0),
            f"{short}_main": reached.weights[nth][tags[:, 0]] * (tags[:, 0] > 0),
            f"{short}_nth": np.where(weight > 0, through, -1),
            f"{short}_below_best": weight.max(initial=0) - weight,
        } | {f"{short}_{name}": values for name, values in about.items()}
        _, place = np.unique(via, return_inverse=True)
        crowd = np.bincount(place, minlength=1)[place]
        columns[f"{short}_crowd"] = np.where(via > 0, np.log1p(crowd), 0)
    strongest = paths.max(axis=2)
    columns["path"] = strongest.max(axis=0)
    columns["own_over_path"] = columns["own"] - strongest.max(axis=0)
    ordered = np.sort(strongest, axis=0)
    columns["path_margin"] = ordered[2] - ordered[1]
    columns["up_over_do"] = strongest[0] - strongest[1]
    return columns


def _base(seen: Seen) -> dict[str, Any]:
    """Kind and surroundings of a market's factors against those of the query's."""
    ground, tags = seen.ground, seen.tags
    held = np.where(tags > 0, SUBJECT + (1 - SUBJECT) * seen.fits, 0)
    asked = [number for number, _ in seen.factors]
    causes, effects = ground.common(seen.reached.asked)
    main = tags[:, 0]
    some = tags > 0
    return {
        "common_causes": (causes[tags] * held).max(axis=1),
        "common_effects": (effects[tags] * held).max(axis=1),
        "same_domain": np.isin(ground.domain[main], ground.domain[asked]) & (main > 0),
        "same_pattern": (np.isin(ground.pattern[tags], ground.pattern[asked]) & some).any(axis=1),
        "hearsay": ground.hearsay[tags].any(axis=1),
        "level": ground.level[main],
    }


def _naming(seen: Seen) -> dict[str, Any]:
    """Which of the query's words a market names."""
    terms = np.zeros((len(seen.tags), 3), np.float32)
    terms[:, : min(3, seen.named.shape[1])] = seen.named[:, :3]
    return {
        "names_first": terms[:, 0],
        "names_second": terms[:, 1],
        "names_third": terms[:, 2],
        "names_share": seen.named.mean(axis=1) if seen.named.shape[1] else 0.0,
        "names_weight": seen.named @ seen.weights,
        "length": seen.length,
    }


_ASKS = re.compile(
    r"\?|^(?:will|would|who|what|when|how|which|is|are|can|could|do|does|did|was|should|where)\b",
    re.IGNORECASE,
)


def columns_words(seen: Seen) -> Floats:
    """How much of the query each title names."""
    return seen.search[:, words.FEATURES.index("words")]


def _about(reached: Reached, nth: int, via: NDArray[Any]) -> dict[str, Floats]:
    """Of each factor's way: steps, lag, sign, weakest step, and whether it is only a sibling."""
    known: dict[int, tuple[float, ...]] = {0: (0, 0, 0, 0, 0, 0)}
    for factor in np.unique(via).tolist():
        if factor not in known:
            way = reached.way(nth, factor)
            sign = float(np.prod([step.sign for step in way])) if way else 0
            known[factor] = (
                len(way),
                float(np.log1p(sum(abs(step.lag) for step in way))),
                sign,
                min((step.weight for step in way), default=0.0),
                float(any(step.reason == SAME_KIND for step in way)),
                float(reached.asked[way[0].source]) if way else 0.0,
            )
    rows = np.array([known[factor] for factor in via.tolist()], np.float32).reshape(len(via), 6)
    names = ("steps", "lag", "sign", "weakest", "sibling", "source")
    return dict(zip(names, rows.T, strict=True))


def _family(seen: Seen, columns: dict[str, Any]) -> dict[str, Any]:
    _, place = np.unique(seen.family, return_inverse=True)
    size = np.bincount(place, minlength=1)
    found: dict[str, Any] = {"family_size": np.log1p(size[place])}
    for name in ("directness", "own", "up_path", "do_path", "co_path"):
        values = np.asarray(columns[name], np.float64)
        mean = np.bincount(place, values, minlength=len(size)) / np.maximum(size, 1)
        found[f"family_{name}"] = mean[place]
    inside = np.isin(seen.family, seen.family[seen.voters])
    return found | {"family_voted": inside}


def _query(seen: Seen, columns: dict[str, Any]) -> dict[str, Any]:
    """What is the same for all candidates: how surely the query is about its factors."""
    weights = [weight for _, weight in seen.factors] + [0.0, 0.0]
    found = {
        "q_terms": np.log1p(seen.terms),
        "q_words": len(seen.text.split()),
        "q_asks": _ASKS.search(seen.text) is not None,
        "q_capitals": float(np.mean([word[0].isupper() for word in seen.text.split()] or [0])),
        "q_heaviest": float(seen.weights.max(initial=0)),
        "q_level": any(seen.ground.level[number] for number, _ in seen.factors[:1]),
        "q_factors": len(seen.factors),
        "q_first": weights[0],
        "q_second": weights[1],
        "q_best": float(np.max(columns["directness"], initial=0)),
        "q_own": float(np.mean(np.asarray(columns["own"]) > 0)) if len(seen.tags) else 0.0,
    }
    for short in ("up", "do", "co"):
        found[f"q_{short}"] = float(np.max(columns[f"{short}_path"], initial=0))
    return found
