"""How a market is related to a query by their texts alone, from two vectors.

A market has a *relation vector*, and so has a query. Each has one part for every relation except
"none", and one number for each relation, "none" included. How likely a relation is depends on the
dot product of the two parts for it, and on the two numbers. So a market's vector is computed once,
when the market is indexed, and a search only multiplies.

A query's vector is computed by a transformer that was trained on markets that readers had judged
for queries. For markets it would be too slow. Their vectors come from a small network that was
fitted to give the same vectors from sentence vectors (`augury.search.embedding`). Both are made by
`training/relations/vectors.py`; `refine.py` there then trained the transformer further.
"""

from __future__ import annotations

import hashlib
import io
from functools import cache, cached_property
from importlib import resources
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from augury.language import word_pieces
from augury.relations.columns import Floats
from augury.search.related import RELATION_VECTOR_SIZE

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

PART_COUNT: Final = 4
"""Number of parts of a relation vector, one for each relation except "none": direct, upstream,
downstream, correlated."""
PART_SIZE: Final = 64
"""Length of the part of a relation vector that belongs to one relation."""
assert PART_COUNT * (PART_SIZE + 1) + 1 == RELATION_VECTOR_SIZE
NETWORK: Final = "vectors.npz"
"""File name of the network for markets."""
QUERY_READER: Final = "query_reader.onnx"
"""File name of the transformer for queries."""
MAX_TOKENS: Final = 64
"""Maximum number of word pieces that are read of a query; the rest is cut off. The transformer was
trained on texts cut to this length."""
CODE_VERSION: Final = "1"
"""Version of the code that computes relation vectors. Raise it whenever the same network gives
markets other vectors, or the same transformer gives queries other vectors."""


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


class QueryReader:
    """The transformer that computes the relation vectors of queries. A query takes 2 to 6 ms of one
    core, the longer the more. The transformer is loaded when it is first used. Threads may share
    one reader."""

    def __init__(self, model: bytes) -> None:
        """`model`: the ONNX model that `training/relations/vectors.py` or `refine.py` writes."""
        self._model = model

    @cached_property
    def _session(self) -> InferenceSession:
        return word_pieces.session(self._model, threads=1)

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        return word_pieces.tokenizer(MAX_TOKENS)

    @cached_property
    def version(self) -> str:
        """Changes whenever queries may get other vectors from the same code."""
        return word_pieces.digest(self._model)

    def __call__(self, query: str) -> Floats:
        """The relation vector of a query, (RELATION_VECTOR_SIZE,)."""
        plain = query.encode("utf-8", "replace").decode()  # the tokenizer takes no surrogates
        words = word_pieces.table().vectors(np.array([self._tokenizer.encode(plain).ids]))
        (found,) = self._session.run(None, {"words": words})
        return np.asarray(found, np.float32)[0]


class RelationVectors:
    """Computes the relation vectors of markets and queries, and from these how likely each relation
    is.

    Attributes
    ----------
    version : str
        Changes whenever markets may get other vectors. The stored vectors are then computed again.
    """

    def __init__(
        self, markets: Network, queries: QueryReader, scales: Floats, version: str
    ) -> None:
        """`scales` (RELATION_VECTOR_SIZE,): a market's vector is stored as whole numbers; each of
        them times the scale at its position is the value."""
        self._markets, self._queries, self._scales = markets, queries, scales
        self.version = version

    @property
    def pair_version(self) -> str:
        """Changes whenever markets or queries may get other vectors. The trees that judge by the
        chances must then be fitted again."""
        return f"{self.version}-{self._queries.version}"

    def warm(self) -> None:
        """Load the transformer for queries now, so that the first search does not wait for it."""
        self._queries("")

    def of_markets(self, sentences: Floats) -> NDArray[np.int8]:
        """The relation vectors of n markets as they are stored, (n, RELATION_VECTOR_SIZE).
        `sentences`: the markets' sentence vectors, (n, dim)."""
        whole = np.rint(self._markets(sentences) / self._scales)
        return np.clip(whole, -127, 127).astype(np.int8)

    def log_chances(self, query: str, markets: NDArray[np.int8]) -> Floats:
        """For each of n markets, how likely each relation to the query is, judged by the texts
        alone: natural logarithms of chances, (n, 5), in the order of
        `augury.relations.columns.TEXT_COLUMNS`.

        query : the text that is searched for
        markets : (n, RELATION_VECTOR_SIZE), from `of_markets`
        """
        asked = self._queries(query)
        size = PART_COUNT * PART_SIZE
        # Column k of `weights` takes the dot product for class k; "none" has no part.
        weights = np.zeros((RELATION_VECTOR_SIZE, PART_COUNT + 1), np.float32)
        for part in range(PART_COUNT):
            own = slice(part * PART_SIZE, (part + 1) * PART_SIZE)
            weights[own, part + 1] = asked[own] * self._scales[own]
        np.fill_diagonal(weights[size:], self._scales[size:])
        raw = markets.astype(np.float32) @ weights + asked[size:]
        raw -= raw.max(axis=1, keepdims=True, initial=-np.inf)
        return np.asarray(raw - np.log(np.exp(raw).sum(axis=1, keepdims=True)), np.float32)


@cache
def default() -> RelationVectors:
    """The network and the transformer shipped with this version."""
    folder = resources.files("augury.relations")
    content, reader = ((folder / name).read_bytes() for name in (NETWORK, QUERY_READER))
    with np.load(io.BytesIO(content)) as kept:
        arrays = {name: kept[name].astype(np.float32) for name in kept.files}
    layers = tuple((arrays[f"weights{n}"], arrays[f"biases{n}"]) for n in range(3))
    return RelationVectors(
        Network(layers, arrays["linear"]),
        QueryReader(reader),
        arrays["scales"],
        f"{CODE_VERSION}-{hashlib.sha256(content).hexdigest()[:8]}",
    )
