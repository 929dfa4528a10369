"""How a market is related to a query by their texts alone, from two vectors. Pure numpy.

A market has a *relation vector*, and so has a query. Each has one part for every relation except
"none", and one number for each relation, "none" included. How likely a relation is depends on the
dot product of the two parts for it, and on the two numbers. So a market's vector is computed once,
when the market is indexed, and a search only multiplies.

Two small networks compute relation vectors from sentence vectors (`augury.search.embedding`). They
were fitted to give the same vectors as a transformer that had been trained on markets that readers
had judged for queries (`training/relations/vectors.py`).
"""

from __future__ import annotations

import hashlib
import io
from functools import cache
from importlib import resources
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from augury.relations.columns import Floats
from augury.search.related import RELATION_VECTOR_SIZE

PART_COUNT: Final = 4
"""Number of parts of a relation vector, one for each relation except "none": direct, upstream,
downstream, correlated."""
PART_SIZE: Final = 64
"""Length of the part of a relation vector that belongs to one relation."""
assert PART_COUNT * (PART_SIZE + 1) + 1 == RELATION_VECTOR_SIZE
CODE_VERSION: Final = "1"
"""Version of the code that computes a market's relation vector. Raise it whenever the same networks
give other vectors."""


class Network(NamedTuple):
    """Turns sentence vectors into relation vectors: two hidden layers, and beside them a linear
    map."""

    layers: tuple[tuple[Floats, Floats], ...]
    """Weights (inputs, outputs) and biases (outputs,) of the three layers, the last without an
    activation."""
    linear: Floats
    """(inputs, RELATION_VECTOR_SIZE): the linear map; its result is added to the last layer's
    output."""

    def __call__(self, sentences: Floats) -> Floats:
        """Relation vectors (n, RELATION_VECTOR_SIZE) for the sentence vectors (n, dim)."""
        hidden = sentences
        *inner, (weights, biases) = self.layers
        for inner_weights, inner_biases in inner:
            hidden = hidden @ inner_weights + inner_biases
            hidden = hidden / (1 + np.exp(-hidden))
        return np.asarray(hidden @ weights + biases + sentences @ self.linear, np.float32)


class RelationVectors:
    """Computes the relation vectors of markets and queries, and from these how likely each relation
    is."""

    def __init__(self, markets: Network, queries: Network, scales: Floats, version: str) -> None:
        """`scales` (RELATION_VECTOR_SIZE,): a market's vector is stored as whole numbers; each of
        them times the scale at its position is the value. `version` changes whenever markets may
        get other vectors."""
        self._markets, self._queries, self._scales = markets, queries, scales
        self.version = version

    def of_markets(self, sentences: Floats) -> NDArray[np.int8]:
        """The relation vectors of n markets as they are stored, (n, RELATION_VECTOR_SIZE).
        `sentences`: the markets' sentence vectors, (n, dim)."""
        whole = np.rint(self._markets(sentences) / self._scales)
        return np.clip(whole, -127, 127).astype(np.int8)

    def log_chances(self, sentence: Floats, markets: NDArray[np.int8]) -> Floats:
        """For each of n markets, how likely each relation to the query is, judged by the texts
        alone: natural logarithms of chances, (n, 5), in the order of
        `augury.relations.columns.TEXT_COLUMNS`.

        sentence : (dim,), the query's sentence vector; if it is zero (no known word), the chances
            depend on the market alone
        markets : (n, RELATION_VECTOR_SIZE), from `of_markets`
        """
        query = self._queries(sentence[None, :])[0]
        size = PART_COUNT * PART_SIZE
        # Column k of `weights` takes the dot product for class k; "none" has no part.
        weights = np.zeros((RELATION_VECTOR_SIZE, PART_COUNT + 1), np.float32)
        for part in range(PART_COUNT):
            own = slice(part * PART_SIZE, (part + 1) * PART_SIZE)
            weights[own, part + 1] = query[own] * self._scales[own]
        np.fill_diagonal(weights[size:], self._scales[size:])
        raw = markets.astype(np.float32) @ weights + query[size:]
        raw -= raw.max(axis=1, keepdims=True, initial=-np.inf)
        return np.asarray(raw - np.log(np.exp(raw).sum(axis=1, keepdims=True)), np.float32)


@cache
def default() -> RelationVectors:
    """The networks shipped with this version."""
    content = (resources.files("augury.relations") / "vectors.npz").read_bytes()
    with np.load(io.BytesIO(content)) as kept:
        return RelationVectors(
            _network(kept, "market"),
            _network(kept, "query"),
            kept["scales"].astype(np.float32),
            f"{CODE_VERSION}-{hashlib.sha256(content).hexdigest()[:8]}",
        )


def _network(kept: np.lib.npyio.NpzFile, side: str) -> Network:
    def read(name: str) -> Floats:
        return kept[f"{side}_{name}"].astype(np.float32)

    layers = tuple((read(f"weights{n}"), read(f"biases{n}")) for n in range(3))
    return Network(layers, read("linear"))
