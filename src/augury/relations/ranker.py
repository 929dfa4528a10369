"""The fitted trees that say in which relation a market stands to a query.

`training/relations/fit.py` writes `ranker.onnx` and, beside it, what it was fitted on.
"""

from __future__ import annotations

import json
from functools import cache
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import NDArray

from augury.relations.columns import COLUMNS, Floats

CLASSES = ("none", "direct", "upstream", "downstream", "correlated")
"""Of the trees, in their order."""


class Ranker:
    """Boosted trees in an ONNX session of one thread: a search's candidates take about 1 ms."""

    def __init__(self, content: bytes) -> None:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self._session = onnxruntime.InferenceSession(
            content, options, providers=["CPUExecutionProvider"]
        )

    def chances(self, rows: Floats) -> NDArray[np.float32]:
        """Rows of `COLUMNS` to the chance of each of `CLASSES`: (n, 5)."""
        if not len(rows):
            return np.zeros((0, len(CLASSES)), np.float32)
        raw = np.asarray(self._session.run(None, {"rows": rows})[0], np.float32)
        raw -= raw.max(axis=1, keepdims=True)
        odds = np.exp(raw)
        return odds / odds.sum(axis=1, keepdims=True)


@cache
def default() -> Ranker:
    """The one that comes with this version.

    Raises
    ------
    ValueError
        It was fitted on other columns than the code has.
    """
    folder = resources.files("augury.relations")
    told: dict[str, Any] = json.loads((folder / "ranker.json").read_text())
    if tuple(told["columns"]) != COLUMNS:
        raise ValueError("ranker.json names other columns: run training/relations/fit.py again")
    return Ranker((folder / "ranker.onnx").read_bytes())
