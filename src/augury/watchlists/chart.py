"""A target's values as a chart, in JSON or SVG. Pure.

Lines have gaps where no value is known. Thresholds are dashed lines. The time during which an alert
was open is shaded, and a triangle marks where it fired.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from math import floor, log10
from typing import Any, NamedTuple

from augury.pictures import cut, document, shown, text

WIDTH, HEIGHT = 960, 420
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 24, 56, 56
_SERIES_COLORS = (
    "#0060ad", "#c2410c", "#0f766e", "#7e22ce", "#a16207", "#be185d", "#475569", "#4d7c0f",
)  # fmt: skip
_SEVERITY_COLORS = {"info": "#0e7490", "warning": "#b45309", "critical": "#b91c1c"}
_TIME_STEPS = [timedelta(minutes=m) for m in (1, 5, 15, 30, 60, 180, 360, 720)] + [
    timedelta(days=d) for d in (1, 2, 7, 14, 30, 91, 182, 365)
]
_MOST_X_TICKS = 8
_MAX_SHARED_WORDS = 2
"""A chart's legend leaves out the words with which the names of all lines begin, if there are more
than this many such words."""


class ChartLine(NamedTuple):
    """A named line of a chart, as (time, value) points, ascending in time; the value None is a
    gap."""

    name: str
    points: Sequence[tuple[datetime, float | None]]


class ThresholdLine(NamedTuple):
    """The threshold of a rule (an alert condition), drawn in a chart as a horizontal line."""

    name: str
    op: str
    value: float
    severity: str


class Marker(NamedTuple):
    """An alert in a chart: when it fired, at which value, and when it ended (None: still open)."""

    time: datetime
    resolved_at: datetime | None
    alert_id: str
    severity: str
    label: str
    value: float | None


class Chart(NamedTuple):
    """All data that a watched target's chart shows, from `start` up to but not including `end`."""

    title: str
    unit: str
    start: datetime
    end: datetime
    lines: Sequence[ChartLine]
    thresholds: Sequence[ThresholdLine]
    markers: Sequence[Marker]
    origin: str | None = None
    """Where the values come from: `live`, `import` or `sample`; None if not known. With `sample`,
    the picture's title says so."""

    @property
    def as_of(self) -> datetime | None:
        """The time of the last known value in the chart's lines; None if no value is known."""
        times = [at for line in self.lines for at, value in line.points if value is not None]
        return max(times, default=None)


def fill_gaps(
    points: Sequence[tuple[datetime, float | None]], max_age: timedelta
) -> list[tuple[datetime, float | None]]:
    """(time, value) points with short gaps filled: a missing value is replaced by the last known
    one, unless that is older than `max_age`."""
    filled: list[tuple[datetime, float | None]] = []
    last: tuple[datetime, float] | None = None
    for at, value in points:
        if value is not None:
            last = at, value
        elif last is not None and at - last[0] <= max_age:
            value = last[1]
        filled.append((at, value))
    return filled


def to_json(chart: Chart) -> dict[str, Any]:
    """The chart's data as a dict of JSON fields. The points of each line are in order of time, and
    no time occurs twice."""
    return {
        "title": chart.title,
        "unit": chart.unit,
        "start": chart.start,
        "end": chart.end,
        "as_of": chart.as_of,
        "origin": chart.origin,
        "series": [
            {
                "name": line.name,
                "points": [{"time": at, "value": value} for at, value in _ascending(line.points)],
            }
            for line in chart.lines
        ],
        "thresholds": [t._asdict() for t in chart.thresholds],
        "markers": [m._asdict() for m in chart.markers],
    }


def _ascending(
    points: Sequence[tuple[datetime, float | None]],
) -> list[tuple[datetime, float | None]]:
    return sorted(dict(points).items())


def to_svg(chart: Chart) -> str:
    """The chart as an SVG image of 960 by 420 pixels with a white background."""
    plot = _Plot(chart)
    title = f"SAMPLE · {chart.title}" if chart.origin == "sample" else chart.title
    parts = [
        text(_LEFT, 26, cut(title, 92), size=16, bold=True, fill="#111"),
        *plot.grid(),
        *plot.episodes(),
        *plot.thresholds(),
        *plot.lines(),
        *plot.markers(),
        *plot.labels(),
        *plot.legend(),
        text(WIDTH - _RIGHT, HEIGHT - 10, _until(chart), size=11, fill="#555", anchor="end"),
    ]
    return document(WIDTH, HEIGHT, cut(title, 200), *parts)


def _until(chart: Chart) -> str:
    last = max(
        (at for line in chart.lines for at, value in line.points if value is not None),
        default=None,
    )
    if last is None:
        return "no data in this window"
    return f"last value {last.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


class _Plot:
    """Draws the parts of a chart (axes, lines, alerts) as SVG, scaled to the chart's values."""

    def __init__(self, chart: Chart) -> None:
        self.chart = chart
        values = [v for line in chart.lines for _, v in line.points if v is not None]
        values += [t.value for t in chart.thresholds]
        values += [m.value for m in chart.markers if m.value is not None]
        low, high = (min(values), max(values)) if values else (0.0, 1.0)
        pad = (high - low) * 0.08 or abs(high) * 0.1 or 0.1
        low, high = low - pad, high + pad
        if values and 0.0 <= min(values) <= max(values) <= 1.0 and chart.unit == "probability":
            low, high = max(low, 0.0), min(high, 1.0)
        self.step = _nice((high - low) / 5)
        self.low, self.high = low, high

    def x(self, at: datetime) -> float:
        share = (at - self.chart.start) / (self.chart.end - self.chart.start)
        return _LEFT + min(max(share, 0.0), 1.0) * (WIDTH - _LEFT - _RIGHT)

    def y(self, value: float) -> float:
        share = (value - self.low) / (self.high - self.low)
        return HEIGHT - _BOTTOM - share * (HEIGHT - _TOP - _BOTTOM)

    def grid(self) -> list[str]:
        parts = []
        tick = floor(self.low / self.step + 1)
        while (value := tick * self.step) <= self.high:
            y = self.y(value)
            parts.append(
                f'<path d="M{_LEFT} {y:.1f}H{WIDTH - _RIGHT}" stroke="#e5e7eb"/>'
                + text(_LEFT - 8, y + 4, self.number(value), fill="#444", anchor="end")
            )
            tick += 1
        bottom = HEIGHT - _BOTTOM
        for at, label in self.times():
            x = self.x(at)
            parts.append(
                f'<path d="M{x:.1f} {bottom}v5" stroke="#888"/>'
                + text(x, bottom + 20, label, fill="#444", anchor="middle")
            )
        parts.append(f'<path d="M{_LEFT} {bottom}H{WIDTH - _RIGHT}" stroke="#888"/>')
        return parts

    def number(self, value: float) -> str:
        if self.chart.unit == "probability":
            return f"{value * 100:g}%" if self.step >= 0.01 else f"{value * 100:.2f}%"
        return f"{value:,.{max(0, -floor(log10(self.step)))}f}"

    def times(self) -> list[tuple[datetime, str]]:
        start, end = self.chart.start.astimezone(UTC), self.chart.end.astimezone(UTC)
        step = next(
            (s for s in _TIME_STEPS if (end - start) / s <= _MOST_X_TICKS),
            max(_TIME_STEPS[-1], (end - start) / _MOST_X_TICKS),
        )
        midnight = start.replace(hour=0, minute=0, second=0, microsecond=0)
        at = midnight + -(-(start - midnight) // step) * step
        pattern = "%H:%M" if step < timedelta(days=1) else "%d %b"
        if end - start > timedelta(days=300):
            pattern = "%b %Y"
        found = []
        while at < end:
            is_day = at.hour == 0 and at.minute == 0 and pattern == "%H:%M"
            found.append((at, f"{at:%d %b}" if is_day else f"{at:{pattern}}"))
            at += step
        return found

    def lines(self) -> list[str]:
        parts = []
        for n, line in enumerate(self.chart.lines):
            color = _SERIES_COLORS[n % len(_SERIES_COLORS)]
            for run in _runs(_ascending(line.points)):
                where = " ".join(f"{self.x(at):.1f},{self.y(value):.1f}" for at, value in run)
                if len(run) == 1:
                    x, y = where.split(",")
                    parts.append(f'<circle cx="{x}" cy="{y}" r="2.5" fill="{color}"/>')
                else:
                    parts.append(
                        f'<polyline points="{where}" fill="none" stroke="{color}" '
                        'stroke-width="2" stroke-linejoin="round"/>'
                    )
        return parts

    def thresholds(self) -> list[str]:
        return [
            f'<path d="M{_LEFT} {self.y(t.value):.1f}H{WIDTH - _RIGHT}" '
            f'stroke="{_SEVERITY_COLORS[t.severity]}" stroke-width="1.5" stroke-dasharray="6 4"/>'
            for t in self.chart.thresholds
        ]

    def labels(self) -> list[str]:
        parts = []
        for t in self.chart.thresholds:
            above = t.op in ("gt", "gte", "crosses_above")
            y, color = self.y(t.value) + (-5 if above else 14), _SEVERITY_COLORS[t.severity]
            name = cut(t.name, 60)
            parts.append(text(WIDTH - _RIGHT - 4, y, name, fill=color, anchor="end", halo=True))
        return parts

    def episodes(self) -> list[str]:
        return [
            f'<rect x="{self.x(m.time):.1f}" y="{_TOP}" '
            f'width="{max(1.0, self.x(m.resolved_at or self.chart.end) - self.x(m.time)):.1f}" '
            f'height="{HEIGHT - _TOP - _BOTTOM}" fill="{_SEVERITY_COLORS[m.severity]}" '
            'opacity="0.10"/>'
            for m in self.chart.markers
        ]

    def markers(self) -> list[str]:
        parts = []
        for m in self.chart.markers:
            x = self.x(m.time)
            y = self.y(m.value) if m.value is not None else _TOP + 10.0
            caption = f"{shown(cut(m.label, 80))} {m.time:%Y-%m-%d %H:%M} UTC"
            parts.append(
                f'<path d="M{x:.1f} {y - 7:.1f}l6 11h-12z" fill="{_SEVERITY_COLORS[m.severity]}" '
                f'stroke="#fff"><title>{caption}</title></path>'
            )
        return parts

    def legend(self) -> list[str]:
        if len(self.chart.lines) < 2:
            name = self.chart.lines[0].name if self.chart.lines else ""
            return [text(_LEFT, 45, cut(name, 110), fill=_SERIES_COLORS[0])]
        shown = without_shared_start([line.name for line in self.chart.lines[:4]])
        room = (WIDTH - _LEFT - _RIGHT) / min(len(self.chart.lines), 4)
        return [
            text(_LEFT + n * room, 45, cut(name, int(room / 7.5)), fill=_SERIES_COLORS[n])
            for n, name in enumerate(shown)
        ]


def without_shared_start(names: list[str]) -> list[str]:
    """Names for a chart's legend, without the words with which all of them begin: "… Arsenal" for
    "Winner of the Premier League: Arsenal". With at most `_MAX_SHARED_WORDS` such words, the names
    stay as they are."""
    words = [name.split() for name in names]
    same = 0
    for column in zip(*(line[:-1] for line in words), strict=False):
        if len(set(column)) > 1:
            break
        same += 1
    return ["… " + " ".join(line[same:]) for line in words] if same > _MAX_SHARED_WORDS else names


def _runs(points: list[tuple[datetime, float | None]]) -> list[list[tuple[datetime, float]]]:
    """The (time, value) points, split into runs of neighbors at the gaps (value None)."""
    runs: list[list[tuple[datetime, float]]] = [[]]
    for at, value in points:
        if value is None:
            runs.append([])
        else:
            runs[-1].append((at, value))
    return [run for run in runs if run]


def _nice(step: float) -> float:
    """`step`, the distance between two marks of an axis, rounded up to 1, 2, 5 or 10 times a power
    of ten: 0.03 -> 0.05."""
    scale = 10.0 ** floor(log10(step))
    return next(scale * m for m in (1, 2, 5, 10) if scale * m >= step * 0.999)
