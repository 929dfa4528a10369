"""What the judge reads from the whole list of markets."""

from __future__ import annotations

import numpy as np
import pytest

from augury.logic.joint_outcomes import ORDERS
from augury.matching.features import NAMES
from augury.matching.judge import (
    ENCODED,
    LISTED,
    LONE_LEAD,
    encoded_features,
    listed_features,
)


def listed(best: list[float]) -> dict[str, list[float]]:
    """The features `LISTED` by name, of markets with these log-odds that they ask the question."""
    odds = np.exp(np.array(best, np.float64))
    shares = np.zeros((len(best), 3 + len(ORDERS)))
    shares[:, 1] = odds / (1 + odds)
    shares[:, 0] = 1 - shares[:, 1]
    scores = np.log(np.maximum(shares, 1e-9)).astype(np.float32)
    rows = np.hstack([np.zeros((len(best), len(NAMES)), np.float32), encoded_features(scores)])
    assert rows.shape[1] == len(NAMES) + len(ENCODED)
    return dict(zip(LISTED, listed_features(rows).T.tolist(), strict=True))


def test_the_best_leads_the_second_and_the_others_are_behind_it() -> None:
    found = listed([1.0, 4.0, -2.0])
    assert found["encoder_lead"] == pytest.approx([-3.0, 3.0, -6.0], abs=1e-4)
    assert found["encoder_most"] == pytest.approx([4.0, 4.0, 4.0], abs=1e-4)
    assert found["encoder_likely"] == [2.0, 2.0, 2.0]


def test_two_that_are_equally_good_lead_by_nothing() -> None:
    assert listed([3.0, 3.0])["encoder_lead"] == [0.0, 0.0]


def test_one_market_has_no_second() -> None:
    assert listed([-1.0])["encoder_lead"] == pytest.approx([LONE_LEAD])


def test_no_market_has_no_features() -> None:
    empty = np.zeros((0, len(NAMES) + len(ENCODED)), np.float32)
    assert listed_features(empty).shape == (0, len(LISTED))
