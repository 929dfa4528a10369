"""Features: named numbers that compare a question with a market. Pure.

No feature decides anything by itself: the judge (the trained model) was fitted on all of them by
`training/judge/fit.py` and reads them in the order of `NAMES`. "The rules" are the hand-written
comparison of a question with a market (`augury.forecast.match`), which needs no trained model.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from augury.language import amounts
from augury.language.entities import Mention, mentions
from augury.language.offices import asked_mentions
from augury.language.results import GameRelation
from augury.language.vocabulary import Vocabulary

Matrix = NDArray[np.float32]

_ORDERS: Final = ("same", "opposite", "implies", "implied", "excludes", "differs")
PARTS: Final = ("window", "threshold", "stage", "choice", "edition")
"""Parts of a proposition (fields of `match.Comparison`). In each, the hand-written rules find how
question and market relate."""
FIT: Final = (
    "score", "asked", "named", "content", "missing", "extra", "foreign", "likeness", "called",
)  # fmt: skip
"""Fields of `match.Comparison` that are numbers. Each is used as a feature as it is."""
_FLAGS: Final = ("opposed", "lasting", "rival", "same")
_LOOSE_KINDS: Final = frozenset({"place", "league", "topic", "event", "award"})
"""Kinds of entities that do not count for `entities_conflict`: two texts may name different ones
and still be about the same thing, e.g. one a league and the other an award of that league."""
_NUMBER: Final = re.compile(r"\d+(?:[.,]\d+)*")

COMPARED: Final = (
    *FIT, *_FLAGS,
    *(f"{part}_{order}" for part in PARTS for order in _ORDERS),
    "gap_days", "turned", "asked_negative", "dense", "rank", "rule_rank", "score_behind",
    "likeness_behind", "predicate_same", "contest_same", "contest_opposite", "contest_other",
    "contest_both", "described",
)  # fmt: skip
"""Names of the features (numbers that compare a question with a market) that come from the
hand-written rules, from search, and from guesses of what the question describes. They are known of
every market that was found, before the judge reads any.

- `window_*`, `threshold_*`, `stage_*`, `choice_*`, `edition_*`: the first word is a part of both
  texts, the second a relation. 1 if the rules find this relation between question and market in
  this part, else 0. For example, `window_implies` is 1 if whatever happens in the question's window
  of time also happens in the market's;
- `score_behind`, `likeness_behind`: the largest `score` or `likeness` of all compared markets minus
  this market's;
- `contest_*`: 0 or 1. All are 0 unless the market is on a single game and it is certain which
  result the question asks for (`language.results`). `contest_same`, `contest_opposite`,
  `contest_other`: the question asks the same as the market, the complement, or neither.
  `contest_both`: the question names both sides of the game;
- `described`: the probability of the likeliest guess that the market names. A guess is an entity
  that the question may describe without naming it (`forecast.described`). 0 if it names none.
"""
TEXT_FEATURES: Final = (
    "entities_shared", "entities_unnamed", "entities_foreign", "entities_conflict",
    "numbers_shared", "numbers_unnamed", "numbers_foreign", "question_words", "market_words",
    "choice_first",
)  # fmt: skip
"""Names of the features (numbers that compare a question with a market) for which the market's text
has to be read, which takes about 0.5 ms of one core per market.

- `entities_shared`, `numbers_shared`: how many entities, or numbers, both texts name;
- `*_unnamed`: how many only the question names; `*_foreign`: how many only the market names;
- `entities_conflict`: 1 if each text names an entity that the other does not name, and the two are
  of the same kind (person, team ...), else 0;
- `question_words`, `market_words`: number of words of the text;
- `choice_first`: which entity the market's outcome is about, of those that both texts name: 1 for
  the question's first one (A in "A beats B"), -1 for a later one, 0 for none of them.
"""
NAMES: Final = (*COMPARED, *TEXT_FEATURES)
"""Names of all features (numbers that compare a question with a market), in the order in which the
judge (the trained model) reads them."""
_AT: Final = {name: n for n, name in enumerate(NAMES)}
_ORDERING: Final = ("window", "threshold", "stage", "choice")
"""Aspects (window of time, level, stage, contender) in which the hand-written rules may find that a
question and a market imply or exclude each other (`forecast.roles.limits_of`)."""


@dataclass(frozen=True, slots=True)
class TextNames:
    """The entities and numbers that a text names, and the number of words of the text."""

    entities: tuple[Mention, ...]
    """The mentions of entities in the text."""
    choice: frozenset[str]
    """Keys (`Entity.key`) of the entities that a market's outcome is about, e.g. of the team that
    wins the game, or of the candidate. Empty for a question."""
    numbers: frozenset[str]
    """The numbers in the text, as digits."""
    words: int
    """Number of words of the text."""


def read_names(
    text: str, vocabulary: Vocabulary, choice: str = "", asked_on: date | None = None
) -> TextNames:
    """Find the entities and numbers that a text names, and count the words of the text.

    choice : for a market, the words that distinguish the outcome from other ones (`pairs.choice`)
    asked_on : for a question, the day of asking; an office then also stands for its holder
    """
    named = asked_mentions(text, vocabulary, asked_on) if asked_on else mentions(text, vocabulary)
    return TextNames(
        entities=tuple(named),
        choice=frozenset(key for one in mentions(choice, vocabulary, text) for key in one.keys),
        numbers=frozenset(n.replace(",", "") for n in _NUMBER.findall(amounts.normalized(text))),
        words=len(text.split()),
    )


def compared(
    dense: Sequence[float], bearings: Sequence[Any], ranks: Sequence[tuple[int, int]],
    game_relations: Sequence[GameRelation | None], guessed: Sequence[float], *, asked: Any,
) -> Matrix:  # fmt: skip
    """The features `COMPARED` of all markets of one question, shape (markets, len(COMPARED)).

    Parameters
    ----------
    dense
        Cosine similarity of each market's text with the question, -1 to 1.
    bearings
        The comparison of each market by the hand-written rules (`forecast.bearing.Bearing`).
    ranks
        Two ranks of each market: in the search results, and in the order of the hand-written rules
        from the best match to the worst. 0 is the best.
    game_relations
        For a market on a single game, how the question relates to the market
        (`results.GameRelation`). None for any other market, or if the relation is not certain.
    guessed
        The feature `described` of each market.
    asked
        What the question asserts, as a `Proposition`.
    """
    if not bearings:
        return np.zeros((0, len(COMPARED)), np.float32)
    best = max(b.fit.score for b in bearings)
    likest = max(b.fit.likeness for b in bearings)
    rows = []
    for b, near, (rank, place), relation, guess in zip(
        bearings, dense, ranks, game_relations, guessed, strict=True
    ):
        fit = b.fit
        row = [float(getattr(fit, name)) for name in FIT]
        row += [float(getattr(fit, name)) for name in _FLAGS]
        for part in PARTS:
            order = getattr(fit, part)
            row += [float(order == one) for one in _ORDERS]
        row += [
            math.copysign(math.log1p(abs(fit.gap)), fit.gap), float(b.turned),
            float(not asked.positive), float(near), math.log1p(rank), math.log1p(place),
            best - fit.score, likest - fit.likeness,
            float(asked.predicate == b.view.proposition.predicate), *_contest(relation),
            guess,
        ]  # fmt: skip
        rows.append(row)
    return np.asarray(rows, np.float32)


def ordered(rows: Matrix) -> NDArray[np.str_]:
    """The logical relation of the question to each market, as the hand-written rules find it, shape
    (rows,).

    - "implied": the market implies the question;
    - "implies": the question implies the market;
    - "excludes": at most one of the two can come true;
    - "": any other case. This includes rivals (e.g. two contenders for one title), although at most
      one of them can win. The feature `rival` marks them.

    rows : one row for each market, one column for each feature in `NAMES`; the columns after those
        of `COMPARED` may be left out
    """
    holds = {
        order: rows[:, [_AT[f"{part}_{order}"] for part in _ORDERING]].any(axis=1)
        for order in ("implies", "implied", "excludes")
    }
    one_way = holds["implies"] != holds["implied"]
    found = np.where(one_way, np.where(holds["implied"], "implied", "implies"), "")
    found = np.where(holds["excludes"], "excludes", found)
    return np.where(rows[:, _AT["rival"]] > 0, "", found)


def name_features(question: TextNames, markets: Sequence[TextNames]) -> Matrix:
    """The features `TEXT_FEATURES`, one row for each market, shape (markets, len(TEXT_FEATURES)):
    how well the entities and numbers that the market names agree with those that the question
    names.

    question, markets : the entities and numbers found in the texts by `read_names`
    """
    rows = []
    for market in markets:
        shared = question.numbers & market.numbers
        rows.append([
            *_names(question.entities, market.entities),
            len(shared), len(question.numbers - shared), len(market.numbers - shared),
            question.words, market.words,
            _choice_first(question.entities, market),
        ])  # fmt: skip
    return np.asarray(rows, np.float32).reshape(-1, len(TEXT_FEATURES))


def _choice_first(ours: Sequence[Mention], market: TextNames) -> float:
    shared = frozenset(key for one in market.entities for key in one.keys) | market.choice
    shared_keys = [one.keys for one in ours if one.keys & shared]
    places = [n for n, keys in enumerate(shared_keys) if keys & market.choice]
    if not places:
        return 0.0
    return 1.0 if places[0] == 0 else -1.0


def _contest(relation: GameRelation | None) -> tuple[float, float, float, float]:
    if relation is None:
        return 0.0, 0.0, 0.0, 0.0
    same, opposite = relation.bearing == "same", relation.bearing == "opposite"
    return float(same), float(opposite), float(not (same or opposite)), float(relation.both)


def _names(ours: Sequence[Mention], theirs: Sequence[Mention]) -> list[float]:
    shared = unnamed = 0
    matched: set[int] = set()
    left: set[str] = set()
    for one in ours:
        same = [n for n, other in enumerate(theirs) if one.keys & other.keys]
        if same:
            shared += 1
            matched.update(same)
        else:
            unnamed += 1
            left |= {entity.kind for entity in one.entities}
    foreign = [other for n, other in enumerate(theirs) if n not in matched]
    other_kinds = {entity.kind for one in foreign for entity in one.entities}
    conflict = bool((left & other_kinds) - _LOOSE_KINDS)
    return [float(shared), float(unnamed), float(len(foreign)), float(conflict)]
