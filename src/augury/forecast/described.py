"""Finds what a question describes instead of naming it: "the man in the Kremlin". Pure.

Every entity that has descriptions (`language.descriptions`) is compared with the question, by words
and by meaning. Trees that were fitted on questions with such descriptions
(`training/judge/described.py`) turn the comparison into a probability. An entity that is likely
enough is a guess. Guesses have three uses; no rule treats one as something that the question names:

- the search for markets also looks for the names of the likeliest guesses (`names_to_search`);
- trees choose which of the markets found the judge (the trained model) reads; they and the judge's
  own trees know the probability of the likeliest guess that a market names
  (`named_probabilities`);
- the judge reads the likeliest guesses that its markets name, as "perhaps = Vladimir Putin"
  (`names_to_read`).

A market names an entity if it has all words of the entity's name or of one of its aliases.
"""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from augury import compiled
from augury.caches import Once
from augury.language import calendar, descriptions, numerals, vocabulary
from augury.language.entities import Mention
from augury.language.vocabulary import KINDS, Entity, Vocabulary, fold, folded_words
from augury.matching import pairs
from augury.matching.trees import Trees
from augury.search import aliases, embedding, text
from augury.search.text import saturate, terms

Embed = Callable[[Sequence[str]], NDArray[np.float32]]
Floats = NDArray[np.floating]

MAX_SCORED: Final = 100
"""The entities most like the question, at most this many, get a probability from the trees."""
MIN_PROBABILITY: Final = 0.02
"""Smallest probability, 0 to 1, of a guess. With a larger value, fewer guesses reach the feature
`described`, so shortlist and trees have to be fitted again. Chosen by hand."""
MAX_GUESSES_READ: Final = 3
"""The judge (the trained model) reads at most this many guesses for one question."""
MIN_READ_PROBABILITY: Final = 0.08
"""Smallest probability, 0 to 1, of a guess that the judge reads. On `riddleschoose1` and
`riddleschoose2`, an encoder's log loss was 1.27 with up to three guesses of at least .08 that a
read market names, and 1.47 with up to two of at least .2, of any entity
(`docs/experiments/judge.md`)."""
MAX_GUESSES_SEARCHED: Final = 2
"""The search looks for at most this many guesses for one question. A third finds no more."""
MIN_SEARCHED_PROBABILITY: Final = 0.2
"""Smallest probability, 0 to 1, of a guess for which the search looks. A larger one finds fewer of
the markets that questions describe; a smaller one finds hardly more. Chosen on `riddleschoose1` and
`choose` (`docs/experiments/judge.md`)."""
FEATURES: Final = (
    "first_cosine", "second_cosine", "larger_cosine", "bm25", "name_cosine", "cosine_z", "bm25_z",
    "shared_terms", "rarest_term", "question_weight", "bm25_share", "likeness", "likeness_behind",
    "kind", "named", "question_terms", "parents_named", "children_named", "bm25_lead", "rank",
)  # fmt: skip
"""Names of the numbers that compare an entity with a question, in the order in which the trees read
them. The weight of a term is its inverse document frequency: the rarer the term, the larger.

- `first_cosine`, `second_cosine`, `larger_cosine`: cosine of the question with the descriptions of
  the first writer, with those of the second, and the larger of the two; `name_cosine`: with the
  name;
- `bm25`: BM25 score of the descriptions for the question's terms; `shared_terms`: number of terms
  that the two share; `rarest_term`: the largest weight of a shared term; `question_weight`: sum of
  the weights of the question's terms; `bm25_share`: `bm25` / (`question_weight` + 1); `bm25_lead`:
  `bm25` minus the largest of all other entities;
- `cosine_z`, `bm25_z`: sum of the two cosines, and `bm25`, in standard deviations from the mean of
  all entities; `likeness`: `cosine_z` + the standardized `larger_cosine` + 1.5 `bm25_z`; the
  entities are ordered by it; `likeness_behind`: the largest `likeness` minus this; `rank`: place
  in that order, from 0;
- `kind`: number of the entity's kind in alphabetical order; `named`: how many entities the question
  names; `parents_named`, `children_named`: how many of these the entity belongs to, and how many
  belong to it (`Entity.of`); `question_terms`: number of different terms in the question.
"""
MODEL: Final = Path(__file__).parent / "described.npz"
"""The trees shipped with this version."""
_KINDS: Final = {kind: number for number, kind in enumerate(sorted(KINDS))}
_UNKNOWN_WEIGHT: Final = 8.0
"""Weight of a term that no description has; about that of a term in one description."""
_BM25_WEIGHT: Final = 1.5
"""Weight of `bm25_z` in `likeness`, in which the two summands from cosines have weight 1. A larger
weight makes shared words count more. Chosen by hand. It decides which entities the trees score, and
three of their features depend on it, so a change needs new trees."""


class Guess(NamedTuple):
    """An entity that a question may describe."""

    entity: Entity
    probability: float
    """How likely the question means it, 0 to 1."""

    def is_named_in(self, words: frozenset[str]) -> bool:
        """Whether a text, given as folded words, has all words of an alias of the entity."""
        return any(words.issuperset(alias.words) for alias in self.entity.aliases)


class _StoredIndex(NamedTuple):
    """All descriptions as the compact file stores them. A posting says how much a term adds to the
    `bm25` of an entity."""

    keys: tuple[str, ...]
    vectors: bytes
    """float16, shape (3, entities, dim): of the first writer's descriptions, of the second's, of
    the names."""
    terms: tuple[str, ...]
    weights: bytes
    """float32, one for each of `terms`: the rarer in descriptions, the larger."""
    starts: bytes
    """int32: index of the first posting of each of `terms`, and the number of all postings."""
    positions: bytes
    """int32: for each posting, the position of the entity in `keys`."""
    amounts: bytes
    """float32: for each posting, what the term adds to the entity's `bm25`."""


class DescriptionIndex:
    """All descriptions, indexed. Its state is read-only, so threads may share one.

    known : the vocabulary that has the described entities
    trees : None before they are fitted; then only `features` works
    folder : where the index is kept if the folder of Python's compiled modules is read-only
    """

    def __init__(
        self, embed: Embed, known: Vocabulary, trees: Trees | None = None,
        folder: Path | None = None,
    ) -> None:  # fmt: skip
        by_key = {entity.key: entity for entity in known.entities}
        written = descriptions.texts()
        of = {"entities": "\n".join(f"{e.key}: {', '.join(e.of)}" for e in known.entities)}
        code = (sys.modules[__name__], descriptions, embedding, text, aliases, calendar, numerals)
        stored = compiled.load(
            "descriptions", _StoredIndex, written | of, lambda _: _index(written, by_key, embed),
            code, folder,
        )  # fmt: skip
        self.entities: Final = tuple(by_key[key] for key in stored.keys)
        self._embed, self._trees = embed, trees
        size = 3, len(stored.keys), -1
        self._vectors = np.frombuffer(stored.vectors, np.float16).reshape(size).astype(np.float32)
        self._term_numbers = {term: number for number, term in enumerate(stored.terms)}
        self._weights = np.frombuffer(stored.weights, np.float32)
        self._starts = np.frombuffer(stored.starts, np.int32)
        self._positions = np.frombuffer(stored.positions, np.int32)
        self._amounts = np.frombuffer(stored.amounts, np.float32)
        self._kinds = np.array([_KINDS[entity.kind] for entity in self.entities])

    def guesses(self, question: str, named: Sequence[Mention]) -> list[Guess]:
        """What the question may describe, likeliest first. Takes some milliseconds of one core.

        named : the mentions of entities that the question names; these are never guesses
        """
        if self._trees is None:
            return []
        top, rows = self.features(question, named)
        known = {key for one in named for key in one.keys}
        likely = 1 / (1 + np.exp(-self._trees.scores(rows)[:, 0]))
        found = [
            Guess(self.entities[position], float(probability))
            for position, probability in zip(top.tolist(), likely, strict=True)
            if probability >= MIN_PROBABILITY and self.entities[position].key not in known
        ]
        return sorted(found, key=lambda one: -one.probability)

    def features(self, question: str, named: Sequence[Mention]) -> tuple[NDArray[np.intp], Floats]:
        """The entities most like the question, as positions in `entities`, best first, and one row
        of `FEATURES` for each."""
        asked = tuple(dict.fromkeys(terms(question)))
        vector = self._embed([question])[0]
        first, second = (_cosines(writer, vector) for writer in self._vectors[:2])
        bm25, shared, rarest = self._by_terms(asked)
        larger = np.maximum(first, second)
        cosine_z, bm25_z = _standardized(first + second), _standardized(bm25)
        likeness = cosine_z + _standardized(larger) + _BM25_WEIGHT * bm25_z
        top = np.argsort(-likeness, kind="stable")[:MAX_SCORED]
        weight = sum(self._weight(term) for term in asked)
        theirs = [entity for one in named for entity in one.meant]
        names, parents = {e.name for e in theirs}, [set(e.of) for e in theirs]
        entities = [self.entities[position] for position in top.tolist()]
        runner_up, best = np.partition(bm25, -2)[-2:]
        columns = {
            "first_cosine": first[top], "second_cosine": second[top], "larger_cosine": larger[top],
            "bm25": bm25[top], "name_cosine": _cosines(self._vectors[2, top], vector),
            "cosine_z": cosine_z[top], "bm25_z": bm25_z[top],
            "shared_terms": shared[top], "rarest_term": rarest[top],
            "question_weight": weight, "bm25_share": bm25[top] / (weight + 1),
            "likeness": likeness[top], "likeness_behind": likeness[top[0]] - likeness[top],
            "kind": self._kinds[top], "named": len({e.key for e in theirs}),
            "question_terms": len(asked),
            "parents_named": [len(names.intersection(e.of)) for e in entities],
            "children_named": [sum(e.name in of for of in parents) for e in entities],
            "bm25_lead": bm25[top] - np.where(bm25[top] >= best, runner_up, best),
            "rank": np.arange(len(top)),
        }  # fmt: skip
        rows = np.empty((len(top), len(FEATURES)), np.float32)
        for column, feature in enumerate(FEATURES):
            rows[:, column] = columns[feature]
        return top, rows

    def _by_terms(self, asked: Sequence[str]) -> NDArray[np.float64]:
        """For all entities, shape (3, entities): `bm25`, `shared_terms` and `rarest_term`."""
        found = np.zeros((3, len(self.entities)))
        for term in asked:
            if (number := self._term_numbers.get(term)) is None:
                continue
            part = slice(self._starts[number], self._starts[number + 1])
            positions = self._positions[part]
            found[0, positions] += self._amounts[part]
            found[1, positions] += 1
            found[2, positions] = np.maximum(found[2, positions], self._weights[number])
        return found

    def _weight(self, term: str) -> float:
        number = self._term_numbers.get(term)
        return _UNKNOWN_WEIGHT if number is None else float(self._weights[number])


_default: Final = Once[DescriptionIndex]()


def default(embed: Embed, folder: Path | None = None) -> DescriptionIndex:
    """The descriptions shipped with this version, and the trees fitted on them. Each process loads
    the index once, which takes .2 s if there is a compact file, else 3 s. Only the first call uses
    the arguments.

    folder : where compact files are kept if the folder of Python's compiled modules is read-only
    """

    def made() -> DescriptionIndex:
        with np.load(MODEL) as kept:
            if tuple(kept["features"]) != FEATURES:
                raise RuntimeError(
                    "The trees for descriptions were fitted on a different set of features from "
                    "the one that this code computes. Refit them with training/judge/described.py."
                )
            trees = Trees.of(kept)
        return DescriptionIndex(embed, vocabulary.default(folder), trees, folder)

    return _default.get(made)


def is_loaded() -> bool:
    """Whether `default` returns at once."""
    return bool(_default)


def names_to_search(guesses: Sequence[Guess]) -> list[str]:
    """Names of the guesses for which the search looks, likeliest first."""
    likely = [one for one in guesses if one.probability >= MIN_SEARCHED_PROBABILITY]
    return [one.entity.name for one in likely[:MAX_GUESSES_SEARCHED]]


def names_to_read(guesses: Sequence[Guess], markets: Sequence[str]) -> list[str]:
    """Names of the guesses that the judge (the trained model) reads, likeliest first.

    markets : texts of the markets that it reads (`pairs.market_text`)
    """
    likely = [one for one in guesses if one.probability >= MIN_READ_PROBABILITY]
    if not likely:
        return []
    titles = [folded_words(pairs.before_close(market)) for market in markets]
    named = [one.entity.name for one in likely if any(one.is_named_in(title) for title in titles)]
    return named[:MAX_GUESSES_READ]


def named_probabilities(guesses: Sequence[Guess], titles: Iterable[str]) -> list[float]:
    """For each title, the probability of the likeliest guess that it names; 0 if it names none."""
    # Few titles name a guess. To look for one word of each alias is far quicker than to split all
    # titles into words, and keeps them out of the cache of `words`.
    sought = [
        (max(alias.words, key=len).replace("'", ""), one)
        for one in guesses for alias in one.entity.aliases
    ]  # fmt: skip
    found = []
    for title in titles:
        folded = fold(title) if sought else ""
        likely = [one for word, one in sought if word in folded]
        words = folded_words(title) if likely else frozenset()
        found.append(
            max((one.probability for one in likely if one.is_named_in(words)), default=0.0)
        )
    return found


def _cosines(vectors: Floats, vector: Floats) -> Floats:
    """Cosines of unit vectors (n, dim) with a unit vector (dim,). Not by `@`, whose helper threads
    wait actively for milliseconds after it and so take the cores from the judge."""
    return np.einsum("nd,d->n", vectors, vector)


def _standardized(values: Floats) -> Floats:
    """Values in standard deviations from their mean."""
    return (values - values.mean()) / (values.std() + 1e-6)


def _index(written: Mapping[str, str], by_key: Mapping[str, Entity], embed: Embed) -> _StoredIndex:
    """The index of the descriptions in some files. Takes 3 s.

    written : file name -> content, as TOML
    by_key : the entities of the vocabulary, by `Entity.key`
    """
    described = {k: v for k, v in descriptions.parse(written).items() if k in by_key}
    entities = [by_key[key] for key in described]
    writers = [[(*lists, "")[n] for lists in described.values()] for n in (0, 1)]
    vectors = [embed(part) for part in (*writers, [entity.name for entity in entities])]
    counted = [
        Counter(terms(", ".join((*lists, *entity.of))))
        for lists, entity in zip(described.values(), entities, strict=True)
    ]
    spread = Counter(term for one in counted for term in one)
    weights = [math.log(1 + (len(counted) - n + 0.5) / (n + 0.5)) for n in spread.values()]
    numbers = {term: number for number, term in enumerate(spread)}
    lengths = np.array([one.total() for one in counted], np.float32)
    postings = np.array(
        sorted((numbers[t], position, n) for position, one in enumerate(counted)
               for t, n in one.items()),
        np.int32,
    )  # fmt: skip
    term, position, count = postings.T
    amounts = saturate(count.astype(np.float32), (lengths / lengths.mean())[position])
    return _StoredIndex(
        tuple(described), np.stack(vectors).astype(np.float16).tobytes(), tuple(numbers),
        np.array(weights, np.float32).tobytes(),
        np.searchsorted(term, np.arange(len(numbers) + 1)).astype(np.int32).tobytes(),
        position.tobytes(), (amounts * np.array(weights, np.float32)[term]).tobytes(),
    )  # fmt: skip
