"""The state machine of rules: by example, and by a machine that tries everything (R14, R15)."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from augury.watchlists.rules import Event, Observation, Rule, RuleState, due, step

T0 = datetime(2026, 3, 1, 12, tzinfo=UTC)
SECOND = timedelta(seconds=1)


def a_rule(**fields: Any) -> Rule:
    return Rule(**{"id": "rule_1", "metric": "probability", "op": "gt", "threshold": 0.5, **fields})


def play(
    rule: Rule, looks: list[tuple[float, float | str | None]], state: RuleState | None = None
) -> tuple[list[str], list[tuple[float, Event]], RuleState]:
    """The states and events of looks at (seconds after T0, value)."""
    state = state or RuleState()
    statuses, events = [], []
    for at, value in looks:
        now = T0 + timedelta(seconds=at)
        state, event = step(rule, state, Observation(value=value, as_of=now), now)
        statuses.append(state.status)
        if event:
            events.append((at, event))
    return statuses, events, state


def test_it_fires_at_once_without_a_hold_and_once_an_episode() -> None:
    statuses, events, state = play(a_rule(), [(0, 0.4), (1, 0.6), (2, 0.7), (3, 0.5), (4, 0.6)])
    assert statuses == ["ok", "firing", "firing", "resolved", "firing"]
    assert events == [(1, "fired"), (3, "recovered"), (4, "fired")]
    assert state.episode == 2


def test_a_hold_must_be_met_throughout() -> None:
    statuses, events, _ = play(
        a_rule(hold=10 * SECOND), [(0, 0.6), (9, 0.6), (9.5, 0.4), (10, 0.6), (19, 0.6), (20, 0.6)]
    )
    assert statuses == ["pending", "pending", "ok", "pending", "pending", "firing"]
    assert events == [(20, "fired")]


def test_without_data_a_hold_begins_anew() -> None:
    _, events, _ = play(
        a_rule(hold=10 * SECOND), [(0, 0.6), (5, None), (9, 0.6), (12, 0.6), (19, 0.6)]
    )
    assert events == [(19, "fired")]


def test_no_data_never_resolves() -> None:
    statuses, events, state = play(a_rule(), [(0, 0.6), (1, None), (2, None), (3, 0.7), (4, 0.1)])
    assert statuses == ["firing", "no_data", "no_data", "firing", "resolved"]
    assert events == [(0, "fired"), (4, "recovered")]
    assert state.episode == 1


def test_hysteresis_keeps_it_firing_until_the_value_is_well_back() -> None:
    statuses, events, _ = play(
        a_rule(hysteresis=0.1), [(0, 0.6), (1, 0.45), (2, 0.41), (3, 0.4), (4, 0.45), (5, 0.51)]
    )
    assert statuses == ["firing", "firing", "firing", "resolved", "resolved", "firing"]
    assert [e for _, e in events] == ["fired", "recovered", "fired"]


def test_a_cooldown_bounds_repeats() -> None:
    _, events, _ = play(
        a_rule(cooldown=60 * SECOND),
        [(0, 0.6), (1, 0.4), (2, 0.6), (59, 0.6), (60, 0.6), (61, 0.4)],
    )
    assert events == [(0, "fired"), (1, "recovered"), (60, "fired"), (61, "recovered")]


def test_a_crossing_needs_the_other_side_first() -> None:
    above = a_rule(op="crosses_above")
    assert play(above, [(0, 0.6), (1, 0.7)])[1] == []
    assert play(above, [(0, 0.6), (1, 0.5), (2, 0.6)])[1] == [(2, "fired")]
    assert play(above, [(0, 0.4), (1, None), (2, 0.6)])[1] == [(2, "fired")]
    below = a_rule(op="crosses_below")
    assert play(below, [(0, 0.5), (1, 0.4), (2, 0.5), (3, 0.4)])[1] == [
        (1, "fired"), (2, "recovered"), (3, "fired"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("op", "fires"),
    [
        ("gt", "567"), ("gte", "4567"), ("lt", "0123"), ("lte", "01234"), ("eq", "4"),
        ("ne", "0123567"),
    ],
)  # fmt: skip
def test_operators(op: Any, fires: str) -> None:
    for n in range(8):
        holds = a_rule(op=op, threshold=4.0).holds(float(n))
        assert holds == (str(n) in fires)


def test_a_status_is_compared_as_text() -> None:
    resolved = a_rule(metric="status", threshold=None, label="resolved", op="eq")
    statuses, events, _ = play(resolved, [(0, "active"), (1, "closed"), (2, "resolved")])
    assert statuses == ["ok", "ok", "firing"]
    assert events == [(2, "fired")]


def test_an_expired_rule_ends_its_alert_and_says_nothing_more() -> None:
    ending = a_rule(expires_at=T0 + 10 * SECOND)
    statuses, events, state = play(ending, [(0, 0.6), (10, 0.6), (11, 0.4), (12, 0.9)])
    assert events == [(0, "fired"), (10, "expired")]
    assert statuses[1:] == ["resolved"] * 3
    assert due(ending, state, T0 + 20 * SECOND) is None


def test_late_and_out_of_order_news_is_no_news() -> None:
    rule = a_rule()
    state, _ = step(rule, RuleState(), Observation(value=0.4, as_of=T0), T0)
    late, event = step(rule, state, Observation(value=0.9, as_of=T0 - SECOND), T0 + SECOND)
    assert (late.value, late.status, event) == (0.4, "ok", None)


def test_a_source_ahead_of_time_does_not_silence_what_follows() -> None:
    rule = a_rule()
    state, _ = step(rule, RuleState(), Observation(value=0.4, as_of=T0 + timedelta(days=400)), T0)
    assert state.as_of == T0
    _, event = step(rule, state, Observation(value=0.6, as_of=T0 + SECOND), T0 + SECOND)
    assert event == "fired"


@pytest.mark.parametrize("jump", [-3600, -1, 3600])
def test_a_clock_that_jumps_neither_repeats_nor_shortens(jump: int) -> None:
    rule = a_rule(hold=60 * SECOND)
    state, _ = step(rule, RuleState(), Observation(value=0.6, as_of=T0), T0)
    jumped = T0 + jump * SECOND
    state, event = step(rule, state, Observation(value=0.6, as_of=T0), jumped)
    assert (event == "fired") == (jump >= 60)
    again, event = step(rule, state, Observation(value=0.6, as_of=T0), T0)
    assert event is None
    assert again.evaluated_at == max(T0, jumped)


@pytest.mark.parametrize(
    "start",
    [
        datetime(2026, 3, 29, 0, 59, 30, tzinfo=UTC),  # Europe springs forward
        datetime(2026, 10, 25, 0, 59, 30, tzinfo=UTC),  # and falls back
        datetime(2026, 3, 8, 6, 59, 30, tzinfo=UTC),  # America springs forward
        datetime(2028, 2, 28, 23, 59, 30, tzinfo=UTC),  # into 29 February
        datetime(2026, 12, 31, 23, 59, 30, tzinfo=UTC),
    ],
)
def test_a_hold_is_exact_whatever_day_it_is(start: datetime) -> None:
    rule = a_rule(hold=60 * SECOND)
    state = RuleState()
    for second in range(61):
        now = start + second * SECOND
        state, event = step(rule, state, Observation(value=0.6, as_of=now), now)
        assert (event == "fired") == (second == 60)


def test_when_it_is_due() -> None:
    rule = a_rule(hold=60 * SECOND)
    state, _ = step(rule, RuleState(), Observation(value=0.6, as_of=T0), T0)
    assert due(rule, state, T0) == T0 + 60 * SECOND
    quiet, _ = step(rule, RuleState(), Observation(value=0.4, as_of=T0), T0)
    assert due(rule, quiet, T0) is None
    windowed = a_rule(metric="probability_change", span=timedelta(hours=6))
    assert due(windowed, RuleState(), T0) == T0 + timedelta(minutes=15)


values = st.one_of(st.none(), st.sampled_from([0.3, 0.45, 0.5, 0.55, 0.7]))


class Machine(RuleBasedStateMachine):
    """Looks of any kind at any time, kept beside the alerts a receiver would have seen."""

    @initialize(
        op=st.sampled_from(
            ["gt", "gte", "lt", "lte", "crosses_above", "crosses_below", "eq", "ne"]
        ),
        hold=st.sampled_from([0, 10]),
        cooldown=st.sampled_from([0, 25]),
        hysteresis=st.sampled_from([0.0, 0.1]),
        expires=st.sampled_from([None, 200]),
    )
    def begin(
        self, op: Any, hold: int, cooldown: int, hysteresis: float, expires: int | None
    ) -> None:
        self.rule = a_rule(
            op=op,
            hold=hold * SECOND,
            cooldown=cooldown * SECOND,
            hysteresis=hysteresis,
            expires_at=T0 + expires * SECOND if expires else None,
        )
        self.state = RuleState()
        self.now = T0
        self.opened: list[tuple[int, datetime]] = []
        self.open: int | None = None

    def look(self, seen: Observation, now: datetime) -> None:
        before = self.state
        self.state, event = step(self.rule, before, seen, now)
        if event == "fired":
            assert self.open is None, "one alert at a time"
            assert self.state.episode not in {e for e, _ in self.opened}, "a duplicate"
            assert seen.value is not None or before.value is not None
            assert self.state.value is not None
            assert self.rule.holds(self.state.value)
            at = self.state.fired_at
            assert at is not None
            if self.opened:
                assert at - self.opened[-1][1] >= self.rule.cooldown
            self.open = self.state.episode
            self.opened.append((self.open, at))
        elif event is not None:
            assert self.open == self.state.episode, "only what is open ends"
            assert event == "expired" or seen.value is not None, "no_data never resolves"
            self.open = None
        again, repeated = step(self.rule, self.state, seen, now)
        assert (again, repeated) == (self.state, None), "twice is as once"

    @rule(value=values, passed=st.integers(0, 15))
    def a_look(self, value: float | None, passed: int) -> None:
        self.now += passed * SECOND
        self.look(Observation(value=value, as_of=self.now if value is not None else None), self.now)

    @rule(value=values, age=st.integers(1, 50))
    def a_late_look(self, value: float | None, age: int) -> None:
        self.look(Observation(value=value, as_of=self.now - age * SECOND), self.now)

    @rule(value=values, back=st.sampled_from([1, 30, 3600]))
    def a_clock_set_back(self, value: float | None, back: int) -> None:
        self.look(Observation(value=value, as_of=self.now), self.now - back * SECOND)

    @rule()
    def a_restart(self) -> None:
        """What is kept is what is known."""
        self.state = msgspec.json.decode(msgspec.json.encode(self.state), type=RuleState)

    @invariant()
    def the_state_says_whether_an_alert_is_open(self) -> None:
        if hasattr(self, "state"):
            assert self.state.alerting == (self.open is not None)
            if self.state.status == "firing":
                assert self.state.alerting
            if self.state.status in ("ok", "pending", "resolved"):
                assert not self.state.alerting


Machine.TestCase.settings = settings(max_examples=150, stateful_step_count=50, deadline=None)
TestMachine = pytest.mark.heavy(Machine.TestCase)


@pytest.mark.slow
class TestMachineAtLength(Machine.TestCase):
    """R14 in full: 2,000 runs of 50 steps."""

    settings = settings(
        max_examples=int(os.environ.get("AUGURY_TEST_RUNS", "2000")),
        stateful_step_count=50,
        deadline=None,
        database=None,
    )
