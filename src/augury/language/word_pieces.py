"""Cuts texts into word pieces and gives each piece its vector: the first step of the transformers
that read texts (the judge's encoder and the reader of queries).

Pieces and vectors are those of the model all-MiniLM-L6-v2, from which these transformers were
trained. Training leaves the vectors as they are, so all transformers share one table.
"""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import onnxruntime
    from tokenizers import Tokenizer

FOLDER: Final = Path(__file__).parent / "word_pieces"
"""Folder with `tokenizer.json` and `table.npz`, which `training/judge/export.py` writes."""


class WordTable(NamedTuple):
    """The vectors of all word pieces, in 256 levels."""

    levels: NDArray[np.uint8]
    """(pieces, width)"""
    values: NDArray[np.float32]
    """(256,): the number that each level stands for."""

    def vectors(self, ids: NDArray[np.integer[Any]]) -> NDArray[np.float32]:
        """The vectors of word pieces, (..., width), from their ids (...)."""
        return self.values[self.levels[ids]]


@cache
def table() -> WordTable:
    """The table that is shipped with this version."""
    with np.load(FOLDER / "table.npz") as kept:
        return WordTable(kept["levels"], kept["values"])


def tokenizer(most: int) -> Tokenizer:
    """A tokenizer that cuts a text, or a pair of texts, into at most `most` word pieces. In a
    batch, shorter texts are padded to the length of the longest."""
    from tokenizers import Tokenizer

    found = Tokenizer.from_file(str(FOLDER / "tokenizer.json"))
    found.enable_truncation(most, strategy="longest_first")
    found.enable_padding()
    return found


def digest(*models: bytes) -> str:
    """Identifies transformers together with the tokenizer and the table that they are given: 8
    hexadecimal digits."""
    files = ((FOLDER / name).read_bytes() for name in ("tokenizer.json", "table.npz"))
    return hashlib.sha256(b"".join([*models, *files])).hexdigest()[:8]


def session(model: Path | bytes, threads: int) -> onnxruntime.InferenceSession:
    """A transformer, ready to run on the vectors of word pieces. `model`: an ONNX model or its
    file; `threads`: how many threads one call may use."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    # Otherwise a memory plan is kept for every input shape: 60 MB after 240 shapes.
    options.enable_mem_pattern = False
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
