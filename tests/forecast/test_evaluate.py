"""What the evaluation counts as hit, inverted, held."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from augury.forecast.evaluate import (
    Answered,
    EvaluationQuestion,
    by_grade,
    hint_floor,
    later_price,
    summary,
)

AT = "2026-05-01T00:00:00Z"


def asked(kind: str, **more: object) -> EvaluationQuestion:
    return EvaluationQuestion.of({"qid": "q", "kind": kind, "question": "?", "as_of": AT, **more})


def answered(one: EvaluationQuestion, p: float | None) -> Answered:
    return Answered(one, p, None if p is None else p - 0.1, None if p is None else p + 0.1, 0.01)


@pytest.mark.parametrize(
    ("p", "verdict"), [(0.83, "hit"), (0.7, "miss"), (0.2, "inverted"), (None, "null")]
)
def test_a_priced_question(p: float | None, verdict: str) -> None:
    assert answered(asked("paraphrase", p=0.8, outcome=1), p).verdict == verdict


@pytest.mark.parametrize(
    ("op", "p", "verdict"),
    [("le", 0.41, "held"), ("le", 0.43, "broken"), ("ge", 0.39, "held"), ("ge", None, "null")],
)
def test_a_bound(op: str, p: float | None, verdict: str) -> None:
    one = asked("near", market_id="m", bound={"op": op, "value": 0.4})
    assert answered(one, p).verdict == verdict


def test_the_summary_has_the_published_shape() -> None:
    answers = [
        answered(asked("paraphrase", p=0.8, outcome=1), 0.8),
        answered(asked("negation", p=0.2, outcome=0), 0.8),
        answered(asked("near", bound={"op": "le", "value": 0.4}), 0.3),
        answered(asked("unanswerable"), None),
    ]
    result = summary(answers, {"p50": 1.0})
    assert result["paraphrase"]["hit"] == 1.0
    assert result["paraphrase"]["brier"] == pytest.approx(0.04)
    assert result["negation"]["inverted"] == 1.0
    assert result["near"]["bound_held"] == 1.0
    assert result["unanswerable"]["null_share"] == 1.0
    assert [line["verdict"] for line in result["per_question"]] == [
        "hit", "inverted", "held", "null",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("p", "null_ok", "verdict"),
    [
        (0.25, False, "right"), (0.5, False, "wrong"), (0.75, False, "inverted"),
        (None, False, "null"), (None, True, "right"), (0.5, True, "wrong"),
    ],
)  # fmt: skip
def test_a_trap_is_right_within_its_range(p: float | None, null_ok: bool, verdict: str) -> None:
    line = {"qid": "q", "question": "?", "as_of": AT, "lo": 0.2, "hi": 0.3, "null_ok": null_ok}
    assert answered(EvaluationQuestion.of(line), p).verdict == verdict


def test_a_trap_that_no_number_answers() -> None:
    line = {"qid": "q", "question": "?", "as_of": AT, "null_ok": True}
    assert answered(EvaluationQuestion.of(line), None).verdict == "right"
    assert answered(EvaluationQuestion.of(line), 0.5).verdict == "wrong"


def test_every_kind_prints_right_wrong_inverted_and_null() -> None:
    trap = EvaluationQuestion.of({"qid": "q", "question": "?", "as_of": AT, "lo": 0.2, "hi": 0.3,
                     "null_ok": False})  # fmt: skip
    sure = replace(answered(trap, 0.75), confidence=0.9)
    result = summary([answered(asked("unanswerable"), None), sure], {"p50": 1.0})
    for kind in ("paraphrase", "negation", "near", "unanswerable", "range"):
        assert {"right", "wrong", "inverted", "null", "surely_wrong"} <= result[kind].keys()
    assert result["unanswerable"]["right"] == 1.0
    assert result["range"]["inverted"] == result["range"]["surely_wrong"] == 1.0


def test_the_price_of_a_week_on_is_turned_with_the_question() -> None:
    at = datetime(2026, 5, 1, tzinfo=UTC)
    prices = [(at + timedelta(days=d), p) for d, p in ((-1, 0.1), (1, 0.2), (6, 0.3), (13, 0.9))]
    assert later_price(prices, at, asked("paraphrase", p=0.5)) == 0.3
    assert later_price(prices, at, asked("negation", p=0.5)) == 0.7
    assert later_price(prices[:2], at, asked("paraphrase", p=0.5)) is None


def hint(market: int, p: float, outcome: float, confidence: float) -> Answered:
    one = asked("paraphrase", market_id=f"m{market}", p=p, outcome=outcome)
    return replace(
        answered(one, None), grade="hinted", hint=p, confidence=confidence, lower=None, upper=None
    )


def test_a_floor_for_hints_takes_enough_markets_that_beat_the_base_rate() -> None:
    good = [hint(n, 0.9 if n % 2 else 0.1, n % 2, 0.4) for n in range(24)]
    bad = [hint(100 + n, 0.1 if n % 2 else 0.9, n % 2, 0.2) for n in range(24)]
    assert hint_floor(good)["floor"] == 0.0
    assert hint_floor(good + bad)["floor"] == 0.25
    assert hint_floor(bad)["floor"] is None
    assert hint_floor(good[:19])["floor"] is None
    # A question asked often is one market.
    assert hint_floor([hint(n % 10, 0.9, 1, 0.4) for n in range(200)])["floor"] is None


def test_answers_are_told_apart_by_grade() -> None:
    direct = replace(answered(asked("paraphrase", p=0.8, outcome=1), 0.8), grade="asked")
    found = by_grade([direct, hint(1, 0.3, 0, 0.2)])
    assert (found["asked"]["n"], found["asked"]["mean_distance"]) == (1, 0.0)
    assert found["hinted"]["brier"] == 0.09
    assert found["none"]["n"] == 0
