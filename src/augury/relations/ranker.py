"""The fitted trees that say in which relation a market stands to a query, and how directly.

`training/relations/fit.py` writes `ranker.onnx` and `direct.onnx` and, beside each, what it was
fitted on.
"""

from __future__ import annotations

import json
from functools import cache
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import NDArray

from augury.relations.columns import COLUMNS, DIRECT_COLUMNS, Floats

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
        raw = self._raw(rows)
        raw -= raw.max(axis=1, keepdims=True)
        odds = np.exp(raw)
        return odds / odds.sum(axis=1, keepdims=True)

    def grades(self, rows: Floats) -> NDArray[np.float32]:
        """Rows of `DIRECT_COLUMNS` to the grade expected in `direct`, as a share of the highest:
        (n,) in (0, 1)."""
        if not len(rows):
            return np.zeros(0, np.float32)
        return np.asarray(1 / (1 + np.exp(-self._raw(rows)[:, 0])), np.float32)

    def _raw(self, rows: Floats) -> NDArray[np.float32]:
        return np.asarray(self._session.run(None, {"rows": rows})[0], np.float32)


@cache
def default() -> Ranker:
    """The one of relations that comes with this version.

    Raises
    ------
    ValueError
        It was fitted on other columns than the code has.
    """
    return _fitted("ranker", COLUMNS)


@cache
def direct() -> Ranker:
    """The one of `direct`, likewise."""
    return _fitted("direct", DIRECT_COLUMNS)


def _fitted(name: str, columns: tuple[str, ...]) -> Ranker:
    folder = resources.files("augury.relations")
    told: dict[str, Any] = json.loads((folder / f"{name}.json").read_text())
    if tuple(told["columns"]) != columns:
        raise ValueError(f"{name}.json names other columns: run training/relations/fit.py again")
    return Ranker((folder / f"{name}.onnx").read_bytes())
