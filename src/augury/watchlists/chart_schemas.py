"""The JSON records of a target's chart: lines, thresholds, markers."""

from __future__ import annotations

from datetime import datetime

from pydantic import BaseModel, Field

from augury.http.examples import example
from augury.markets.records import ShownOrigin
from augury.watchlists.rules import Op, Severity


class ChartPoint(BaseModel):
    """One point of a line on the chart."""

    time: datetime
    value: float | None = Field(description="In the chart's unit. Null: not known at this time.")


class ChartSeries(BaseModel):
    """A line of the chart. Its points are in order of time, and no time occurs twice."""

    name: str
    points: list[ChartPoint]


class ChartThreshold(BaseModel):
    """A rule's threshold: a horizontal line on the chart."""

    name: str
    op: Op
    value: float
    severity: Severity


class ChartMarker(BaseModel):
    """An alert: a triangle on the chart where it fired."""

    time: datetime = Field(description="When the alert fired.")
    resolved_at: datetime | None = Field(description="When it ended. Null: it is open.")
    alert_id: str
    severity: Severity
    label: str = Field(description="Name of the rule.")
    value: float | None = Field(
        description="The value that fired it. Null: the alert is on a metric that is not drawn."
    )


class ChartData(BaseModel):
    """A target's values with thresholds and alerts."""

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

    title: str
    unit: str = Field(
        description="probability (0 to 1), volatility (per year, as a fraction), or the unit of "
        "the series."
    )
    start: datetime
    end: datetime = Field(description="End of the window, exclusive.")
    as_of: datetime | None = Field(description="Time of the last value shown.")
    origin: ShownOrigin | None = Field(
        description="Where the values come from. sample: from invented data."
    )
    series: list[ChartSeries]
    thresholds: list[ChartThreshold]
    markers: list[ChartMarker]
