"""The JSON records of a target's chart: lines, thresholds, markers."""

from __future__ import annotations

from datetime import datetime

from pydantic import BaseModel, Field

from augury.http.examples import example
from augury.markets.records import ShownOrigin
from augury.watchlists.rules import Op, Severity


class ChartPoint(BaseModel):
    """A value at one time: a point of a line on a target's chart, or of a metric in a rule's
    preview."""

    time: datetime
    value: float | None = Field(
        description="The value, in the unit of the chart or, in a preview, of the rule's metric. "
        "Null: not known at this time."
    )


class ChartSeries(BaseModel):
    """One line of a target's chart. Its points are in order of time, and no time occurs twice."""

    name: str = Field(
        description="Label of the line: an outcome's name, a market's question, a series' name, or "
        "forecast or realized volatility."
    )
    points: list[ChartPoint]


class ChartThreshold(BaseModel):
    """The threshold of a rule, drawn as a horizontal line on a target's chart."""

    name: str = Field(description="Name of the rule.")
    op: Op = Field(description="How the rule compares its metric with the threshold.")
    value: float = Field(description="The threshold, in the unit of the chart.")
    severity: Severity


class ChartMarker(BaseModel):
    """An alert, drawn as a triangle on a target's chart at the time at which it fired."""

    time: datetime = Field(description="When the alert fired.")
    resolved_at: datetime | None = Field(description="When the alert ended. Null: it is open.")
    alert_id: str
    severity: Severity
    label: str = Field(description="Name of the rule that fired.")
    value: float | None = Field(
        description="The value that fired the alert, in the unit of the chart. Null: the alert is "
        "on a metric that the chart does not show."
    )


class ChartData(BaseModel):
    """The chart of a watchlist's target: its values over time, its rules' thresholds, and its
    alerts."""

    model_config = example(
        title="Cut in March",
        unit="probability",
        start="2026-11-20T00:00:00Z",
        end="2026-11-21T00:00:00Z",
        as_of="2026-11-20T00:00:00Z",
        origin="live",
        series=[{"name": "Yes", "points": [{"time": "2026-11-20T00:00:00Z", "value": 0.55}]}],
        thresholds=[
            {"name": "Cut is likely", "op": "crosses_above", "value": 0.6, "severity": "warning"}
        ],
        markers=[],
    )

    title: str = Field(
        description="The target's label; without one, its market's question, its series' name, or "
        "its `ref`."
    )
    unit: str = Field(
        description="Unit of all values: probability (0 to 1), volatility (per year, as a "
        "fraction), or the unit of the series."
    )
    start: datetime = Field(description="Start of the window that the chart shows.")
    end: datetime = Field(description="End of the window that the chart shows, exclusive.")
    as_of: datetime | None = Field(description="Time of the last value shown.")
    origin: ShownOrigin | None = Field(
        description="Where the values come from. sample: invented data."
    )
    series: list[ChartSeries] = Field(
        description="The lines: one for each of the target's first 8 markets, one for a series, "
        "two (forecast and realized volatility) for an asset."
    )
    thresholds: list[ChartThreshold] = Field(
        description="Thresholds of the rules on the metric that the chart shows."
    )
    markers: list[ChartMarker] = Field(
        description="Alerts on the target that fired in the window, oldest first."
    )
