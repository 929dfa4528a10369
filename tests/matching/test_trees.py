"""Trees from arrays give what walking each of them gives."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from augury.matching.trees import Trees


def _grown(seed: int, classes: int = 3, rounds: int = 4, depth: int = 3) -> Trees:
    rng = np.random.default_rng(seed)
    nodes = 2 ** (depth + 1) - 1
    shape = (classes * rounds, nodes)
    feature = rng.integers(0, 5, shape).astype(np.int32)
    feature[:, nodes // 2 :] = -1
    feature[rng.random(shape) < 0.2] = -1
    left = np.tile(2 * np.arange(nodes) + 1, (shape[0], 1)).astype(np.int32)
    return Trees(
        feature, rng.normal(size=shape), left, left + 1, rng.normal(size=shape), classes, depth
    )


def _walked(trees: Trees, row: np.ndarray) -> np.ndarray:
    raw = np.zeros(trees.classes)
    for t in range(len(trees.feature)):
        n = 0
        while (f := trees.feature[t, n]) >= 0:
            n = trees.left[t, n] if row[f] <= trees.threshold[t, n] else trees.right[t, n]
        raw[t % trees.classes] += trees.value[t, n]
    odds = np.exp(raw - raw.max())
    return odds / odds.sum()


@given(st.integers(0, 10_000))
def test_probabilities_are_those_of_the_slow_walk(seed: int) -> None:
    trees = _grown(seed)
    rows = np.random.default_rng(seed + 1).normal(size=(6, 5))
    found = trees.probabilities(rows)
    assert np.allclose(found, [_walked(trees, row) for row in rows])
    assert np.allclose(found.sum(axis=1), 1)


def test_arrays_keep_all_of_it() -> None:
    trees = _grown(1)
    rows = np.random.default_rng(2).normal(size=(3, 5))
    assert np.array_equal(Trees.of(trees.arrays()).probabilities(rows), trees.probabilities(rows))


def test_no_rows_have_no_scores() -> None:
    assert _grown(3).scores(np.zeros((0, 5))).shape == (0, 3)
