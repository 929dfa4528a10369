"""Texts of alerts: what happened, why a metric has no value, and values with units. Pure."""

from __future__ import annotations

from typing import Final

from augury.watchlists.measures import LEAST_MOVES, LEAST_VOLUMES
from augury.watchlists.rules import Metric, Rule

_OPS = {
    "gt": "above", "gte": "at or above", "lt": "below", "lte": "at or below",
    "crosses_above": "having risen above", "crosses_below": "having fallen below", "eq": "equal to",
    "ne": "not equal to",
}  # fmt: skip
_NAMES: dict[Metric, str] = {  # staleness has its own sentence in `summary`
    "probability": "The probability is",
    "probability_change": "The probability moved by",
    "probability_zscore": "The price move is",
    "volume_24h": "The 24-hour volume is",
    "volume_spike": "The traded volume is",
    "spread": "The spread is",
    "divergence": "The venues differ by",
    "hours_to_close": "The time to the close is",
    "status": "The status is",
    "series_value": "The value is",
    "series_change": "The value changed by",
    "rvol_forecast": "The volatility forecast is",
    "rvol_ratio": "Realized volatility divided by its forecast is",
}

NO_MARKET: Final = "The market is not in the catalogue."
NO_MEMBERS: Final = "The catalogue has no market of this event or search."
NO_QUOTE: Final = "The outcome has no quote."
NO_PAST_PRICE: Final = "No price is recorded from the start of the rule's window."
TOO_FEW_MOVES: Final = (
    f"The history is too short: fewer than {LEAST_MOVES} earlier price moves are recorded."
)
NO_DAILY_VOLUME: Final = "The venue does not report a 24-hour volume."
NO_VOLUME: Final = "The venue does not report a volume."
TOO_FEW_VOLUMES: Final = (
    f"Fewer than {LEAST_VOLUMES} windows with volume have been recorded since this market was "
    f"first watched by such a rule."
)
NO_SPREAD: Final = "The order book lacks a bid or an ask."
NOT_TWO_OUTCOMES: Final = "Only markets with two outcomes are compared."
PRICES_APART: Final = "The venues' prices are from times more than a day apart."
NOTHING_TO_COMPARE: Final = "No other venue has the same contract with a recent price."
PAST_CLOSE: Final = "The announced closing time has passed."
NO_CLOSE: Final = "The market has no closing time."
NEVER_CONFIRMED: Final = "No update of this market from its venue is known."
NO_POINTS: Final = "The series has no points."
NO_EARLIER_POINT: Final = "The series has no point as old as one window before its last point."
NO_VOLATILITY: Final = "There is no volatility forecast for this asset."
NO_COMPLETED_WINDOW: Final = "No completed window has both a forecast and a realized volatility."


def already_ended(status: str) -> str:
    """Sentence that says why the metric `hours_to_close` has no value for a market with this
    status, e.g. "The market is already resolved."."""
    return f"The market is already {status}."


def summary(rule: Rule, value: float | str | None) -> str:
    """The sentence that says why an alert fired: "The probability is 62%, having risen above 60%.",
    for a rule that fires when the probability crosses above 0.6."""
    limit = rule.label if rule.label is not None else amount(rule.metric, rule.threshold or 0.0)
    shown = value if isinstance(value, str) else amount(rule.metric, value or 0.0)
    if rule.metric == "staleness":
        return f"No update from the source for {shown} (threshold: {limit})."
    if rule.op == "eq" and shown == limit:
        return f"{_NAMES[rule.metric]} {shown}."
    return f"{_NAMES[rule.metric]} {shown}, {_OPS[rule.op]} {limit}."


def amount(metric: Metric, value: float) -> str:
    """A metric's value as text, with its unit: `probability`, 0.62 -> "62%"."""
    match metric:
        case "probability" | "rvol_forecast":
            return f"{number(100 * value)}%"
        case "probability_change" | "spread" | "divergence":
            return f"{number(100 * value)} percentage points"
        case "probability_zscore":
            return f"{number(value)} standard deviations"
        case "volume_spike":
            return f"{number(value)} times the usual"
        case "hours_to_close":
            return duration(3600 * value)
        case "staleness":
            return duration(value)
        case _:
            return number(value)


def number(value: float) -> str:
    """A number as text with four significant digits, or whole from 1,000 on: 1234567.8 ->
    "1,234,568", 12.3456 -> "12.35"."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def duration(seconds: float) -> str:
    """A duration as text: 5400 -> "1.5 hours". The unit is the largest that gives at least 1. Days,
    hours and minutes are rounded to a tenth, seconds to whole ones. A negative duration keeps its
    minus sign: "-1.5 hours" to a market's close means that the market closed 1.5 hours ago."""
    for unit, length in (("days", 86_400), ("hours", 3_600), ("minutes", 60)):
        if abs(seconds) >= length:
            size = f"{round(seconds / length, 1):,g}"
            return f"{size} {unit.removesuffix('s') if size == '1' else unit}"
    return f"{seconds:.0f} seconds"
