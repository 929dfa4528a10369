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
    value: float | None = Field(description="Null: a gap.")


class ChartSeries(BaseModel):
    """A line. Its points ascend in time, and each time occurs once."""

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

    time: datetime
    resolved_at: datetime | None
    alert_id: str
    severity: Severity
    label: str
    value: float | None = Field(description="Null if the alert was on another metric.")


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
    unit: str
    start: datetime
    end: datetime
    as_of: datetime | None = Field(description="When the last value shown was quoted.")
    origin: ShownOrigin | None = Field(description="sample: not real data.")
    series: list[ChartSeries]
    thresholds: list[ChartThreshold]
    markers: list[ChartMarker]
