"""What alerts say."""

from __future__ import annotations

from datetime import timedelta

import pytest

from augury.watchlists import wording
from augury.watchlists.rules import Metric, Op, Rule


def rule(metric: Metric, op: Op, threshold: float | None, label: str | None = None) -> Rule:
    return Rule(
        id="rule_1", name="A rule", metric=metric, op=op, threshold=threshold, label=label,
        span=None, hold=timedelta(0), cooldown=timedelta(0), hysteresis=0.0, severity="info",
        expires_at=None,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("metric", "op", "threshold", "value", "text"),
    [
        (
            "probability",
            "crosses_above",
            0.6,
            0.62,
            "The probability is 62%, having risen above 60%.",
        ),
        ("probability", "lt", 0.01, 0.0005, "The probability is 0.05%, below 1%."),
        (
            "spread",
            "gt",
            0.1,
            0.12,
            "The spread is 12 percentage points, above 10 percentage points.",
        ),
        (
            "staleness",
            "gt",
            1800.0,
            1789119.8,
            "No update from the source for 20.7 days (threshold: 30 minutes).",
        ),
        ("hours_to_close", "lt", 24.0, 18.5, "The time to the close is 18.5 hours, below 1 day."),
        ("series_value", "gte", 3.0, 3.3, "The value is 3.3, at or above 3."),
        (
            "volume_24h",
            "gt",
            1e6,
            1234567.8,
            "The 24-hour volume is 1,234,568, above 1,000,000.",
        ),
        (
            "volume_spike",
            "gt",
            8.0,
            9.25,
            "The traded volume is 9.25 times the usual, above 8 times the usual.",
        ),
    ],
)
def test_summaries(metric: Metric, op: Op, threshold: float, value: float, text: str) -> None:
    assert wording.summary(rule(metric, op, threshold), value) == text


def test_a_status_is_a_word() -> None:
    said = wording.summary(rule("status", "eq", None, "resolved"), "resolved")
    assert said == "The status is resolved."
