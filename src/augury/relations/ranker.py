"""Fitted decision trees that judge how a market is related to a query (upstream, downstream,
correlated), and how directly it is about the query.

`training/relations/fit.py` writes them to `ranker.onnx` (relations) and `direct.onnx`, each with a
JSON file that says what it was fitted on.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import NDArray

from augury.relations.columns import COLUMNS, DIRECT_COLUMNS, Floats
from augury.search.schemas import Dimension

CLASSES = ("none", "direct", "upstream", "downstream", "correlated")
"""The possible relations of a market to a query, in the order in which the decision trees output
their chances."""


class Ranker:
    """Boosted decision trees that judge markets by their features for a query. Those for relations
    take some 4 ms for the candidates of one search (400 markets), those for `direct` less than one.
    """

    def __init__(self, content: bytes, floors: Mapping[Dimension, float], threads: int = 1) -> None:
        """`content`: an ONNX model; `threads`: how many threads one call may use."""
        import onnxruntime

        self.floors = floors
        """List -> floor, 0 to 1: a market is in the list only if its chance to belong there (for
        `direct`, its grade) is at least this. A larger floor gives shorter lists with fewer
        unrelated markets. The trees from `default()` have floors for upstream, downstream and
        correlated: the largest of the values tried that lowers nDCG@10 on held-out queries by less
        than 0.03. The trees from `direct()` have one for direct: the smallest of the values tried
        with which at most 5% of the first ten results of held-out queries are unrelated."""

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        # A waiting thread sleeps, else it would take a core from other searches.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self._session = onnxruntime.InferenceSession(
            content, options, providers=["CPUExecutionProvider"]
        )

    def chances(self, rows: Floats) -> NDArray[np.float32]:
        """The chance (0 to 1) of each market to be in each of `CLASSES` (how it is related to the
        query): (n, 5). `rows`: the features `COLUMNS` of each market, (n, len(COLUMNS))."""
        if not len(rows):
            return np.zeros((0, len(CLASSES)), np.float32)
        raw = self._raw(rows)
        raw -= raw.max(axis=1, keepdims=True)
        odds = np.exp(raw)
        return odds / odds.sum(axis=1, keepdims=True)

    def grades(self, rows: Floats) -> NDArray[np.float32]:
        """How directly each market is about the query: an array of shape (n,), with values between
        0 and 1. A value is the grade of relevance that a reader would give the market, as predicted
        by the trees and divided by the highest grade.

        rows : the features `DIRECT_COLUMNS` of each market, (n, len(DIRECT_COLUMNS))
        """
        if not len(rows):
            return np.zeros(0, np.float32)
        return np.asarray(1 / (1 + np.exp(-self._raw(rows)[:, 0])), np.float32)

    def _raw(self, rows: Floats) -> NDArray[np.float32]:
        return np.asarray(self._session.run(None, {"rows": rows})[0], np.float32)


@cache
def default() -> Ranker:
    """The decision trees shipped with this version that judge how a market is related to a query
    (upstream, downstream, correlated, direct or not at all).

    Raises
    ------
    ValueError
        The trees were fitted on a different set of features from the one that this code computes.
    """
    return _fitted("ranker", COLUMNS, threads=2)


@cache
def direct() -> Ranker:
    """The decision trees shipped with this version that judge how directly a market is about a
    query.

    Raises
    ------
    ValueError
        The trees were fitted on a different set of features from the one that this code computes.
    """
    return _fitted("direct", DIRECT_COLUMNS)


def _fitted(name: str, columns: tuple[str, ...], threads: int = 1) -> Ranker:
    folder = resources.files("augury.relations")
    fitted: dict[str, Any] = json.loads((folder / f"{name}.json").read_text())
    if tuple(fitted["columns"]) != columns:
        raise ValueError(
            f"{name}.onnx was fitted on a different set of features from the one that this code "
            "computes. Fit it again with training/relations/fit.py."
        )
    return Ranker((folder / f"{name}.onnx").read_bytes(), fitted["floors"], threads)
