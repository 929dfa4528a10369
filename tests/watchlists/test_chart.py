"""Charts: well-formed whatever is in them, gaps kept, nothing escapes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from augury.watchlists.chart import (
    Chart,
    ChartLine,
    Marker,
    ThresholdLine,
    fill_gaps,
    to_json,
    to_svg,
    without_shared_start,
)

T0 = datetime(2026, 5, 1, tzinfo=UTC)
numbers = st.one_of(
    st.none(), st.floats(-1e15, 1e15, allow_nan=False), st.sampled_from([0.0, 0.4, 1e-12])
)


@pytest.mark.heavy
@given(
    title=st.text(max_size=120),
    values=st.lists(numbers, max_size=30),
    threshold=st.floats(-1e15, 1e15),
    span=st.sampled_from([1e-6, 1, 3600, 86_400, 86_400 * 30, 86_400 * 366, 86_400 * 9000]),
    unit=st.sampled_from(["probability", "", "USD"]),
)
def test_any_chart_is_well_formed(
    title: str, values: list[float | None], threshold: float, span: float, unit: str
) -> None:
    end = T0 + timedelta(seconds=span)
    step = timedelta(seconds=span) / max(1, len(values))
    line = ChartLine(title, [(T0 + n * step, value) for n, value in enumerate(values)])
    chart = Chart(
        title,
        unit,
        T0,
        end,
        [line, ChartLine("b", [])],
        [ThresholdLine(title, "gt", threshold, "critical")],
        [Marker(T0, None, "alr_1", "info", title, None)],
    )
    ElementTree.fromstring(to_svg(chart))
    times = [p["time"] for p in to_json(chart)["series"][0]["points"]]
    assert times == sorted(set(times))


def test_text_of_others_stays_text() -> None:
    chart = Chart("<script>alert(1)</script>&\"'\x00\x0b", "", T0, T0 + timedelta(1), [], [], [])
    svg = to_svg(chart)
    assert "<script" not in svg
    ElementTree.fromstring(svg)


def test_a_gap_breaks_the_line() -> None:
    points = [(T0 + timedelta(hours=n), None if n == 2 else 0.5) for n in range(5)]
    chart = Chart("t", "probability", T0, T0 + timedelta(hours=5), [ChartLine("a", points)], [], [])
    assert to_svg(chart).count("<polyline") == 2
    assert to_json(chart)["series"][0]["points"][2]["value"] is None


def test_a_price_stands_for_a_while_and_then_is_a_gap() -> None:
    points = [(T0 + timedelta(hours=n), 0.5 if n in (1, 5) else None) for n in range(8)]
    stood = [value for _, value in fill_gaps(points, timedelta(hours=2))]
    assert stood == [None, 0.5, 0.5, 0.5, None, 0.5, 0.5, 0.5]


def test_siblings_are_named_by_what_tells_them_apart() -> None:
    siblings = ["Will the next chair be Ann?", "Will the next chair be Bob Lee?"]
    assert without_shared_start(siblings) == ["… Ann?", "… Bob Lee?"]
    assert without_shared_start(["Fed cut", "Fed hike"]) == ["Fed cut", "Fed hike"]
    assert without_shared_start(["Will it rain today?"] * 2) == ["… today?"] * 2
