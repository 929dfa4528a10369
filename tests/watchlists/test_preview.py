"""Rules tried on the past, silenced rules and snoozed alerts."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from augury.watchlists.preview import Point, foremost, lookback, measured, replay
from augury.watchlists.rules import Metric, Op, Rule

START = datetime(2026, 11, 1, tzinfo=UTC)
HOUR = timedelta(hours=1)


def rule(
    metric: Metric = "probability", op: Op = "gt", threshold: float = 0.5, **more: object
) -> Rule:
    return Rule(id="r", metric=metric, op=op, threshold=threshold, **more)  # type: ignore[arg-type]


def line(*values: float | None) -> list[Point]:
    return [(START + n * HOUR, value) for n, value in enumerate(values)]


def fired(made: Rule, *values: float | None) -> list[int]:
    return [int((one.fired_at - START) / HOUR) for one in replay(made, line(*values))]


def test_each_time_the_condition_comes_true_is_one_alert() -> None:
    assert fired(rule(), 0.4, 0.6, 0.7, 0.4, 0.6) == [1, 4]
    ended = replay(rule(), line(0.4, 0.6, 0.4))[0].resolved_at
    assert ended == START + 2 * HOUR
    assert replay(rule(), line(0.4, 0.6))[0].resolved_at is None


def test_a_crossing_takes_a_value_on_the_other_side_first() -> None:
    assert fired(rule(op="crosses_above"), 0.6, 0.7, 0.4, 0.6) == [3]


def test_hold_hysteresis_and_cooldown_count_as_in_service() -> None:
    assert fired(rule(hold=2 * HOUR), 0.6, 0.4, 0.6, 0.6, 0.6) == [4]
    assert fired(rule(hysteresis=0.2), 0.6, 0.45, 0.6, 0.2, 0.6) == [0, 4]
    assert fired(rule(cooldown=3 * HOUR), 0.6, 0.4, 0.6, 0.6) == [0, 3]


def test_a_gap_ends_nothing() -> None:
    assert fired(rule(), 0.6, None, 0.6) == [0]


def test_a_change_is_taken_over_its_window() -> None:
    made = rule("probability_change", threshold=0.15, span=2 * HOUR)
    assert lookback(made) == 2 * HOUR
    values = measured(made, line(0.1, 0.1, 0.2, 0.3, None), START + 2 * HOUR)
    assert values == [(START + 2 * HOUR, 0.1), (START + 3 * HOUR, 0.2), (START + 4 * HOUR, None)]
    assert len(replay(made, values)) == 1


def test_of_several_the_one_nearest_to_firing_speaks() -> None:
    lines = [line(0.1, None, 0.3), line(0.2, 0.5, None)]
    assert [value for _, value in foremost(rule(), lines)] == [0.2, 0.5, 0.3]
    assert [value for _, value in foremost(rule(op="lt"), lines)] == [0.1, 0.5, 0.3]


def test_a_move_is_unusual_against_those_before_it() -> None:
    made = rule("probability_zscore", threshold=3.0, span=HOUR)
    still = [0.5 + 0.01 * (n % 2) for n in range(120)]
    values = measured(made, line(*still, 0.8), START + 119 * HOUR)
    assert values[0][1] is not None
    assert len(replay(made, values)) == 1
    assert abs(values[0][1]) < 3
