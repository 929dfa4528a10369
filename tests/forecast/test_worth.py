"""What answers without a market of their own are worth, and titles asked of resolved markets."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta

import pytest

from augury.forecast.evaluate import Answered, EvaluationQuestion
from augury.forecast.evidence import Grade
from augury.forecast.titles import MIN_TIME_LEFT, PER_EVENT, resolved
from augury.forecast.worth import worth

AT = datetime(2026, 1, 1, tzinfo=UTC)


def answered(n: int, p: float, outcome: float, *, wide: float, way: str = "from stages",
             grade: Grade = "bounded") -> Answered:  # fmt: skip
    asked = EvaluationQuestion(
        qid=str(n), kind="paraphrase", question="?", as_of=AT, market_id=f"m{n}", p=0.5,
        outcome=outcome, event=f"e{n}",
    )  # fmt: skip
    return Answered(asked, None, None, None, 0.0, grade=grade, hint=p, bounds=(0.0, wide), way=way)


def test_narrow_bounds_that_know_something_stand_and_wide_ones_that_do_not_fall() -> None:
    rng = random.Random(5)
    answers = []
    for n in range(800):
        outcome = float(rng.random() < 0.4)
        narrow = n % 2 == 0
        p = (0.8 if outcome else 0.2) if narrow else (0.1 if outcome else 0.9)
        answers.append(answered(n, p, outcome, wide=0.25 if narrow else 0.95))
    told = worth(answers)
    assert told["widest"] == 0.9
    assert told["base_rate"] == pytest.approx(0.4, abs=0.05)
    for half in ("chosen", "reported"):
        cells = told[half]
        assert cells["bounded"]["n"] > 300
        assert cells["bounded as shown"]["n"] == 0
        assert cells["bounded within 0.3"]["brier"] == pytest.approx(0.04)
        assert cells["bounded within 0.3"]["t"] < -2
        assert cells["bounded"]["t"] > 2
        assert cells["bounded"]["crowd_brier"] == pytest.approx(0.25)
    assert told["chosen"]["bounded"]["n"] + told["reported"]["bounded"]["n"] == 800


def test_what_rivals_leave_is_a_kind_of_its_own() -> None:
    answers = [answered(n, 0.9, float(n % 2), wide=0.2, way="from rivals") for n in range(200)]
    told = worth(answers)["chosen"]
    assert told["bounded from rivals"]["n"] > 50
    assert told["bounded within 0.3"]["n"] == 0
    assert worth(answers)["widest"] is None


def test_few_events_say_nothing() -> None:
    answers = [answered(n, float(n % 2), float(n % 2), wide=0.2) for n in range(20)]
    assert worth(answers)["widest"] is None
    assert worth([])["widest"] is None


def test_titles_of_resolved_markets_are_asked_at_a_recorded_price_before_their_end() -> None:
    pl = pytest.importorskip("polars")
    end = datetime(2026, 3, 1)
    markets = pl.DataFrame(
        [
            {"id": f"polymarket:{n}", "question": f"Will event {n} happen?", "status": status,
             "result": "Yes" if n % 3 == 0 else "No", "outcomes": ["Yes", "No"],
             "closes_at": end, "resolved_at": end, "event_id": f"e{n // 10}", "event_title": None}
            for n, status in enumerate(["resolved"] * 30 + ["active"] * 5)
        ]
    )  # fmt: skip
    prices = pl.DataFrame(
        [
            {"market_id": f"polymarket:{n}", "ts": end - timedelta(days=days), "price": 0.3}
            for n in range(35)
            for days in (1, 10, 20)
        ]
    )
    asked = resolved(markets, prices, most=100, seed=1)
    assert len(asked) == 3 * PER_EVENT
    assert {one.as_of.replace(tzinfo=None) for one in asked} <= {
        end - timedelta(days=days) + timedelta(minutes=1) for days in (10, 20)
    }
    assert all(one.as_of.replace(tzinfo=None) <= end - MIN_TIME_LEFT + timedelta(minutes=1)
               for one in asked)  # fmt: skip
    assert all(one.outcome == float(int(one.qid.split(":")[1]) % 3 == 0) for one in asked)
    assert asked == resolved(markets, prices, most=100, seed=1)
    assert asked != resolved(markets, prices, most=100, seed=2)
    assert len(resolved(markets, prices, most=5, seed=1)) == 5
