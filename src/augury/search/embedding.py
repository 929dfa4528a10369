"""Sentence vectors from a static table: a mean of token vectors, no network, no model to run.

The table is WordLlama's 256-dimensional `l2_supercat` (MIT license). It comes with the Python
package `wordllama`. Only data files of the package are read; its code is not imported. A static
table turns thousands of texts a second into vectors on one core, where a small transformer manages
about a hundred.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import importlib.util
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from augury.search.aliases import STOP_WORDS
from augury.search.text import MAX_CHARS, DocumentText

Vectors = NDArray[np.float32]

PACKAGE: Final = "wordllama"
_WEIGHTS: Final = "weights/l2_supercat_256.safetensors"
_TOKENIZER: Final = "tokenizers/l2_supercat_tokenizer_config.json"
_WEIGHTS_SHA256: Final = "64b47a2dc493cb8e85944076601189739852d7b64e0e1eedcb1937a251cd9fd5"
_CHUNK: Final = 2_048
"""Number of texts embedded per step; it limits the memory of one call to about ten megabytes."""
_KEPT: Final = frozenset({"not", "no", "between"})


class EmbeddingProblem(RuntimeError):
    """The table of token vectors is missing, or is not the one that this version of Augury
    needs."""


class Embedder:
    """Turns texts into unit vectors. Its state is read-only, so threads may share one embedder.

    Attributes
    ----------
    dim : int
        Length of a vector.
    name : str
        Identifies the table of token vectors. It is part of an index's schema, so an index with
        other vectors is rebuilt.
    """

    def __init__(self, table: Vectors, tokenizer: Tokenizer, name: str) -> None:
        self._table = table
        self._tokenizer = tokenizer
        self.dim: int = int(table.shape[1])
        self.name = name

    @classmethod
    def load(cls) -> Embedder:
        """The embedder with the table of token vectors in the installed package WordLlama. Loading
        takes about 0.3 s.

        Raises
        ------
        EmbeddingProblem
            If that package is missing or contains the wrong table.
        """
        root = _package_folder()
        raw = (root / _WEIGHTS).read_bytes()
        if hashlib.sha256(raw).hexdigest() != _WEIGHTS_SHA256:
            version = importlib.metadata.version(PACKAGE)
            raise EmbeddingProblem(
                f"{PACKAGE} {version} contains the wrong table of word vectors for this version of "
                f"Augury. Install the version of {PACKAGE} that Augury requires."
            )
        tokenizer = Tokenizer.from_file(str(root / _TOKENIZER))
        tokenizer.no_padding()
        tokenizer.no_truncation()
        return cls(_read_table(raw), tokenizer, f"{PACKAGE}-l2-supercat-256")

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors of texts.

        Returns
        -------
        float32 array, shape (len(texts), dim)
            A text without tokens gets the zero vector, whose cosine with any vector is 0.
        """
        out = np.zeros((len(texts), self.dim), np.float32)
        for start in range(0, len(texts), _CHUNK):
            chunk = [content(text) for text in texts[start : start + _CHUNK]]
            encoded = self._tokenizer.encode_batch_fast(chunk, add_special_tokens=False)
            for row, encoding in enumerate(encoded, start):
                if encoding.ids:
                    out[row] = self._table[encoding.ids].sum(axis=0)
        return _unit(out)

    def embed_query(self, text: str) -> Vectors:
        """The unit vector of one text, as `embed` makes it: float32, shape (dim,)."""
        # Not as a batch of one: the tokenizer hands every batch to other threads.
        ids = self._tokenizer.encode(content(text), add_special_tokens=False).ids
        vector = np.zeros(self.dim, np.float32)
        return _unit(self._table[ids].sum(axis=0) if ids else vector)

    def rarity(self, word: str) -> float:
        """How specific a word is: the length of its longest token vector, from 3 ("the") to 25. A
        word without a token has 0.

        Training makes the vectors of words with little meaning short, because a text's vector is
        the sum of its tokens' vectors. Unlike a document frequency, this does not depend on a
        catalogue.
        """
        ids = self._tokenizer.encode(word, add_special_tokens=False).ids
        return float(np.linalg.norm(self._table[ids], axis=1).max()) if ids else 0.0

    def embed_documents(self, documents: Sequence[DocumentText]) -> Vectors:
        """Unit vectors of markets, shape (len(documents), dim).

        A market's vector has the direction of the sum of two unit vectors: that of its question and
        that of its event's name, if it has one. The event's name states the subject without the
        level, name or date that distinguishes the market from others of the event.
        """
        titles = [document.title for document in documents]
        distinct = dict.fromkeys(document.event for document in documents if document.event)
        place = {event: row for row, event in enumerate(distinct)}
        vectors = self.embed(titles)
        events = self.embed(list(distinct))
        rows = [row for row, document in enumerate(documents) if document.event]
        if rows:
            vectors[rows] += events[[place[documents[row].event] for row in rows]]
        return _unit(vectors)


def content(text: str) -> str:
    """A text without its stop words ("the", "of"), but with "not", "no" and "between": "the price
    of gold" -> "price gold". A text of stop words alone keeps them."""
    text = text[:MAX_CHARS].replace("**", "")
    if not text.isascii():
        text = text.encode("utf-8", "replace").decode("utf-8")  # the tokenizer takes no surrogates
    words = text.split()
    kept = [w for w in words if (bare := w.lower().strip(".,;:?!'\"()")) not in STOP_WORDS
            or bare in _KEPT]  # fmt: skip
    return " ".join(kept or words)


def _unit(vectors: Vectors) -> Vectors:
    norms = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return (vectors / np.where(norms > 0, norms, 1)).astype(np.float32)


def _package_folder() -> Path:
    # find_spec, not import: the package's own imports are slow and not needed
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise EmbeddingProblem(
            f"the package {PACKAGE}, which has the table of word vectors, is not installed"
        )
    return Path(next(iter(spec.submodule_search_locations)))


def _read_table(raw: bytes) -> Vectors:
    """The token vectors in a safetensors file, float32 (tokens, dim). `raw` is the file: 8 bytes
    for the length of the header, the header in JSON, and the values, which have to be float16."""
    size = int.from_bytes(raw[:8], "little")
    header = json.loads(raw[8 : 8 + size])
    tensor = header["embedding.weight"]
    start, stop = tensor["data_offsets"]
    if tensor["dtype"] != "F16":
        raise EmbeddingProblem(f"the table of word vectors holds {tensor['dtype']}, not F16")
    data = raw[8 + size + start : 8 + size + stop]
    return np.frombuffer(data, "<f2").reshape(tensor["shape"]).astype(np.float32)
