"""The scorecard's figures against values reckoned by hand."""

from __future__ import annotations

import math
from datetime import timedelta

import pytest

from augury.forecast import scoring
from augury.forecast.store import Scored


def row(p: float, crowd: float | None, outcome: float, days: float = 5) -> Scored:
    return Scored(p, crowd, None, None, outcome, "sports", timedelta(days=days))


def test_brier_and_log_score_beside_the_crowd() -> None:
    card = scoring.scorecard(
        [row(0.8, 0.7, 1), row(0.3, 0.4, 0), row(0.5, None, 1, days=400)], issued=9, answered=7
    )
    assert (card["forecasts"], card["answered"], card["n"]) == (9, 7, 3)
    assert card["brier"] == pytest.approx((0.04 + 0.09 + 0.25) / 3, abs=1e-4)
    assert card["crowd_brier"] == pytest.approx((0.09 + 0.16) / 2, abs=1e-4)
    assert card["brier_on_crowd_questions"] == pytest.approx((0.04 + 0.09) / 2, abs=1e-4)
    logs = -(math.log(0.8) + math.log(0.7) + math.log(0.5)) / 3
    assert card["log_score"] == pytest.approx(logs, abs=1e-4)
    assert card["by_horizon"]["up to a week"]["n"] == 2
    assert card["by_horizon"]["longer"]["n"] == 1
    assert card["by_domain"]["sports"]["n"] == 3
    assert sum(b["n"] for b in card["calibration"]) == 3


def test_an_empty_scorecard_has_no_figures() -> None:
    card = scoring.scorecard([], issued=0, answered=0)
    assert card["brier"] is None
    assert card["crowd_brier"] is None
    assert [b["n"] for b in card["calibration"]] == [0] * 10
