"""Charts of past forecasts with their bands and the realized volatility, drawn as SVG. Pure.

The vertical axis is annualized volatility in percent, on a log scale because bands are lognormal.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from augury import pictures
from augury.rvol.store import ACTUAL_FIELDS, FORECAST_FIELDS

WIDTH, HEIGHT = 960, 420
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 24, 64, 44
_INK, _GRID, _LINE, _OUTER, _INNER, _REAL = (
    "#1f2937", "#e5e7eb", "#0060ad", "#dbeafe", "#93c5fd", "#c2410c",
)  # fmt: skip
_text = partial(pictures.text, fill=_INK)
_STEPS = (1, 2, 5, 10, 15, 20, 30, 40, 50, 60, 80, 100, 150, 200, 300, 500)

Rows = Sequence[tuple[Any, ...]]


def svg(forecasts: Rows, actuals: Rows) -> str:
    """The chart, as SVG, of the forecasts of one asset, horizon and model, with their bands and the
    realized volatility. It says "No forecasts yet" if there are none.

    Parameters
    ----------
    forecasts : rows of `FORECAST_FIELDS`
    actuals : rows of `ACTUAL_FIELDS`
        Rows whose `as_of` is not that of a forecast are left out.
    """
    found = sorted(
        (dict(zip(FORECAST_FIELDS, row, strict=True)) for row in forecasts),
        key=lambda f: f["as_of"],
    )
    if not found:
        nothing = _text(WIDTH / 2, HEIGHT / 2, "No forecasts yet", anchor="middle")
        return pictures.document(WIDTH, HEIGHT, "Empty", nothing)
    came = {
        row["as_of"]: row["variance"]
        for row in (dict(zip(ACTUAL_FIELDS, a, strict=True)) for a in actuals)
        if row["variance"]
    }
    # Converts the square root of a window's variance to annualized percent. The forecast, the bands
    # and the actual of a row share this factor.
    scale = [f["annualized"] / math.sqrt(f["variance"]) * 100 for f in found]
    values = {
        name: [math.sqrt(f[name]) * s for f, s in zip(found, scale, strict=True)]
        for name in ("variance", "lower_80", "upper_80", "lower_95", "upper_95")
    }
    real = [
        math.sqrt(came[f["as_of"]]) * s if f["as_of"] in came else None
        for f, s in zip(found, scale, strict=True)
    ]
    everything = [*values["lower_95"], *values["upper_95"], *(v for v in real if v is not None)]
    low, high = math.log(min(everything) * 0.95), math.log(max(everything) * 1.05)
    start, end = found[0]["as_of"], found[-1]["as_of"]
    span = max((end - start).total_seconds(), 1.0)

    def x(at: datetime) -> float:
        return _LEFT + (WIDTH - _LEFT - _RIGHT) * (at - start).total_seconds() / span

    def y(value: float) -> float:
        return _TOP + (HEIGHT - _TOP - _BOTTOM) * (high - math.log(value)) / (high - low)

    times = [f["as_of"] for f in found]
    first = found[0]
    title = f"{first['asset']} · {first['horizon']}d volatility, annualized %"
    parts = [*_axes(x, y, low, high, start, end)]
    for name, colour in (("95", _OUTER), ("80", _INNER)):
        upper = [(x(t), y(v)) for t, v in zip(times, values[f"upper_{name}"], strict=True)]
        lower = [(x(t), y(v)) for t, v in zip(times, values[f"lower_{name}"], strict=True)]
        shape = " ".join(f"{a:.1f},{b:.1f}" for a, b in [*upper, *reversed(lower)])
        parts.append(f'<polygon points="{shape}" fill="{colour}"/>')
    parts.append(_path(times, values["variance"], x, y, _LINE, 1.6))
    parts.append(_path(times, real, x, y, _REAL, 1.4))
    parts.append(_text(_LEFT, 24, title, size=15))
    sample = "SAMPLE, not real data · " if first["origin"] == "sample" else ""
    days = f"as of {start:%Y-%m-%d} to {end:%Y-%m-%d}, each at its origin"
    about = f"{sample}{first['model_id']}, {days}"
    parts.append(_text(_LEFT, 42, about, size=11))
    for n, (label, colour) in enumerate(
        (("forecast", _LINE), ("80%", _INNER), ("95%", _OUTER), ("realized", _REAL))
    ):
        at = WIDTH - 360 + n * 90
        parts.append(f'<rect x="{at}" y="32" width="14" height="10" fill="{colour}"/>')
        parts.append(_text(at + 19, 41, label, size=11))
    return pictures.document(WIDTH, HEIGHT, title, *parts)


def png(drawn: str) -> bytes:
    """Convert an SVG chart (`drawn`, made by `svg`) to a PNG of twice its width and height."""
    return pictures.png(drawn, width=2 * WIDTH)


def _axes(x: Any, y: Any, low: float, high: float, start: datetime, end: datetime) -> list[str]:
    parts = []
    for value in _STEPS:
        if low <= math.log(value) <= high:
            at = y(value)
            parts.append(
                f'<line x1="{_LEFT}" y1="{at:.1f}" x2="{WIDTH - _RIGHT}" y2="{at:.1f}"'
                f' stroke="{_GRID}"/>'
            )
            parts.append(_text(_LEFT - 8, at + 4, f"{value}", anchor="end", size=11))
    days = max((end - start).days, 1)
    step = next((s for s in (1, 2, 7, 14, 30, 61, 122, 365) if days / s <= 8), 730)
    at = start
    while at <= end:
        parts.append(
            _text(x(at), HEIGHT - _BOTTOM + 20, f"{at:%Y-%m-%d}", anchor="middle", size=11)
        )
        at += timedelta(days=step)
    return parts


def _path(
    times: Sequence[datetime], values: Sequence[float | None], x: Any, y: Any, colour: str, w: float
) -> str:
    """A line through the points (`times`, `values`) as an SVG path, interrupted where a value is
    None. The functions `x` and `y` convert a time and a value to pixels; `w` is the width of the
    line."""
    drawn, pen = [], "M"
    for at, value in zip(times, values, strict=True):
        if value is None:
            pen = "M"
            continue
        drawn.append(f"{pen}{x(at):.1f} {y(value):.1f}")
        pen = "L"
    return f'<path d="{"".join(drawn)}" fill="none" stroke="{colour}" stroke-width="{w}"/>'
