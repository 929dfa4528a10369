"""Boosted trees from arrays: all trees of all rows in a few array operations. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]


@dataclass(frozen=True)
class Trees:
    """An ensemble; row t of each array is tree t, column n its node n.

    A node with feature -1 is a leaf; `value` then holds what it adds to the tree's class.
    """

    feature: Ints
    threshold: Floats
    left: Ints
    right: Ints
    value: Floats
    classes: int
    depth: int

    def probabilities(self, rows: NDArray[np.floating[Any]]) -> Floats:
        """Of each class, shape (rows, classes)."""
        raw = self.scores(rows)
        raw -= raw.max(axis=1, keepdims=True)
        odds = np.exp(raw)
        return odds / odds.sum(axis=1, keepdims=True)

    def scores(self, rows: NDArray[np.floating[Any]]) -> Floats:
        """Sums of the leaves, shape (rows, classes); tree t belongs to class t modulo `classes`."""
        n, trees = len(rows), len(self.feature)
        index = np.arange(trees)[None, :]
        at = np.zeros((n, trees), np.int32)
        row = np.arange(n)[:, None]
        for _ in range(self.depth):
            feature = self.feature[index, at]
            inner = feature >= 0
            below = rows[row, np.maximum(feature, 0)] <= self.threshold[index, at]
            follow = np.where(below, self.left[index, at], self.right[index, at])
            at = np.where(inner, follow, at)
        return self.value[index, at].reshape(n, -1, self.classes).sum(axis=1)

    def arrays(self) -> dict[str, Any]:
        """What `numpy.savez` keeps of it."""
        return {
            "feature": self.feature, "threshold": self.threshold, "left": self.left,
            "right": self.right, "value": self.value,
            "shape": np.array([self.classes, self.depth], np.int32),
        }  # fmt: skip

    @classmethod
    def of(cls, kept: Any) -> Trees:
        """From what `arrays` gave."""
        classes, depth = (int(n) for n in kept["shape"])
        return cls(
            kept["feature"], kept["threshold"], kept["left"], kept["right"], kept["value"],
            classes, depth,
        )  # fmt: skip
