"""Boosted trees stored as arrays: a few array operations apply all trees to all rows. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]


@dataclass(frozen=True)
class Trees:
    """Boosted decision trees as arrays. Row t of each array is tree t; column n is its node n.

    A node with feature -1 is a leaf: the `value` of the leaf is added to the raw score of the
    tree's class. Any other node leads to the node `left` if the input's value of the node's feature
    is at most `threshold`, else to the node `right`.
    """

    feature: Ints
    threshold: Floats
    left: Ints
    right: Ints
    value: Floats
    classes: int
    """Number of classes to which the trees give scores, e.g. 3 for "something else, the same, the
    opposite", 2 for "wrong, right"; 1 if the trees give each row only one score."""
    depth: int
    """Largest number of steps from the root of a tree to a leaf."""

    def probabilities(self, rows: NDArray[np.floating[Any]]) -> Floats:
        """Probability of each class for each row of features, shape (rows, classes)."""
        raw = self.scores(rows)
        raw -= raw.max(axis=1, keepdims=True)
        odds = np.exp(raw)
        return odds / odds.sum(axis=1, keepdims=True)

    def scores(self, rows: NDArray[np.floating[Any]]) -> Floats:
        """Raw scores, shape (rows, classes): for each class the sum of its trees' leaf values.

        Tree t belongs to class t modulo `classes`.
        """
        feature, threshold, left, right, value = self._flat
        at = np.tile(
            np.arange(len(self.feature), dtype=np.intp) * self.feature.shape[1], (len(rows), 1)
        )
        given, width = np.ascontiguousarray(rows).ravel(), rows.shape[1]
        start = np.arange(len(rows), dtype=np.intp)[:, None] * width
        for _ in range(self.depth):
            below = given.take(start + feature.take(at)) <= threshold.take(at)
            at = np.where(below, left.take(at), right.take(at))
        rounds = len(self.feature) // self.classes
        return value.take(at).reshape(len(rows), rounds, self.classes).sum(axis=1)

    @cached_property
    def _flat(self) -> tuple[NDArray[np.intp], Floats, NDArray[np.intp], NDArray[np.intp], Floats]:
        """`feature`, `threshold`, `left`, `right` and `value` of all trees one after another, with
        places in these arrays instead of node numbers. Both ways from a leaf lead to the leaf."""
        trees, nodes = self.feature.shape
        first = np.arange(trees)[:, None] * nodes
        itself = np.arange(trees * nodes).reshape(trees, nodes)
        inner = self.feature >= 0
        left, right = (np.where(inner, first + way, itself) for way in (self.left, self.right))
        return (
            np.maximum(self.feature, 0).astype(np.intp).ravel(), self.threshold.ravel(),
            left.astype(np.intp).ravel(), right.astype(np.intp).ravel(), self.value.ravel(),
        )  # fmt: skip

    def arrays(self) -> dict[str, Any]:
        """The trees as arrays that `numpy.savez` can store."""
        return {
            "feature": self.feature, "threshold": self.threshold, "left": self.left,
            "right": self.right, "value": self.value,
            "shape": np.array([self.classes, self.depth], np.int32),
        }  # fmt: skip

    @classmethod
    def of(cls, kept: Any) -> Trees:
        """Restore the `Trees` from `kept`, the arrays that `arrays` returned, e.g. loaded from a
        file."""
        classes, depth = (int(n) for n in kept["shape"])
        return cls(
            kept["feature"], kept["threshold"], kept["left"], kept["right"], kept["value"],
            classes, depth,
        )  # fmt: skip
