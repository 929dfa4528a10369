"""Feeds become points, exactly in UTC, or are refused with the place (R15)."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from augury.series.parse import BadFeed, check_path, parse, points, read_time

UTC_TIMES = [
    ("2026-03-01", datetime(2026, 3, 1)),
    ("2026-03-01T12:00:00Z", datetime(2026, 3, 1, 12)),
    ("2026-03-01 12:00:00", datetime(2026, 3, 1, 12)),
    ("2026-03-01T12:00:00.123456Z", datetime(2026, 3, 1, 12, 0, 0, 123456)),
    ("2026-03-29T02:30:00+01:00", datetime(2026, 3, 29, 1, 30)),  # a local time that never was
    ("2026-03-29T03:30:00+02:00", datetime(2026, 3, 29, 1, 30)),
    ("2026-10-25T02:30:00+02:00", datetime(2026, 10, 25, 0, 30)),  # and one that was twice
    ("2026-10-25T02:30:00+01:00", datetime(2026, 10, 25, 1, 30)),
    ("2026-03-08T02:30:00-05:00", datetime(2026, 3, 8, 7, 30)),
    ("2028-02-29", datetime(2028, 2, 29)),
    ("2028-02-29T23:59:59-12:00", datetime(2028, 3, 1, 11, 59, 59)),
    ("2026-12-31T23:59:59-01:00", datetime(2027, 1, 1, 0, 59, 59)),
    ("2027-01-01T00:30:00+14:00", datetime(2026, 12, 31, 10, 30)),
    ("2026-06-01T00:00:00+05:45", datetime(2026, 5, 31, 18, 15)),
    ("20260301", datetime(2026, 3, 1)),
    ("2026", datetime(2026, 1, 1)),
    ("2026-11", datetime(2026, 11, 1)),
    ("202611", datetime(2026, 11, 1)),
    ("2026M11", datetime(2026, 11, 1)),
    ("2026Q4", datetime(2026, 10, 1)),
    ("2026-q1", datetime(2026, 1, 1)),
    ("2026-W01-1", datetime(2025, 12, 29)),
    (1772366400, datetime(2026, 3, 1, 12)),
    (1772366400000, datetime(2026, 3, 1, 12)),
    ("1772366400", datetime(2026, 3, 1, 12)),
    (1772366400.5, datetime(2026, 3, 1, 12, 0, 0, 500000)),
    ("1947-01-01", datetime(1947, 1, 1)),
]


@pytest.mark.parametrize(("raw", "moment"), UTC_TIMES)
def test_times_are_exact_in_utc(raw: Any, moment: datetime) -> None:
    assert read_time(raw) == moment.replace(tzinfo=UTC)


@pytest.mark.parametrize(
    "raw",
    ["", "yesterday", "2027-02-29", "2026-13-01", "2026-02-30", "01/02/2026", "2026-03-01T25:00",
     "2026Q5", True, None, [], 1e300, float("nan"), "9999-12-31", "0001-01-01", "1" * 40,
     "2026-03-01T12:00:00+99:00"],
)  # fmt: skip
def test_times_that_are_none(raw: Any) -> None:
    with pytest.raises((ValueError, OverflowError)):
        read_time(raw)


def test_csv_by_default_and_by_name() -> None:
    body = "\ufeffDate;Open;CPI\n2026-01-01;1;2.5\n2026-02-01;3;.\n2026-03-01;4;2.75\n".encode()
    by_name = parse("csv", body, "date", "cpi")
    assert [v for _, v in by_name] == [2.5, 2.75]
    assert [v for _, v in parse("csv", body, None, None)] == [1.0, 3.0, 4.0]


def test_json_by_path() -> None:
    body = json.dumps({"data": {"rows": [{"d": "2026-01", "v": "1.5"}, {"d": "2026-02"}]}}).encode()
    assert parse("json", body, "data.rows[*].d", "$.data.rows[*].v") == [
        (datetime(2026, 1, 1, tzinfo=UTC), 1.5)
    ]
    pairs = json.dumps([[1772366400, 1], [1772370000, 2]]).encode()
    assert [v for _, v in parse("json", pairs, "[*][0]", "[*][1]")] == [1.0, 2.0]
    plain = json.dumps([{"time": "2026-01-01", "value": 7}]).encode()
    assert [v for _, v in parse("json", plain, None, None)] == [7.0]


def test_fred_skips_what_is_missing() -> None:
    rows = [{"date": "2026-01-01", "value": "."}, {"date": "2026-02-01", "value": "4.33"}]
    body = json.dumps({"observations": rows}).encode()
    assert parse("fred", body, None, None) == [(datetime(2026, 2, 1, tzinfo=UTC), 4.33)]


def test_of_two_points_of_one_time_the_later_counts_and_order_does_not_matter() -> None:
    found = points([("2026-02-01", 1), ("2026-01-01", 2), ("2026-02-01T00:00:00Z", 3)])
    assert [(t.month, v) for t, v in found] == [(1, 2.0), (2, 3.0)]


@pytest.mark.parametrize(
    ("kind", "body", "text"),
    [
        ("csv", b"", "not CSV"),
        ("csv", b"a,b\n2026-01-01,1\n2026-01-02\n", "Row 2 has only 1"),
        ("csv", b"a,b\n2026-01-01,1\nx,1\n", "Row 2: its time"),
        ("csv", b"a,b\n2026-01-01,1e400\n", "Row 1: its value"),
        ("csv", b"a,b\n2026-01-01,\"1,5\"\n", "its value is not a number"),
        ("json", b"{", "not JSON"),
        ("json", b"<html>", "not JSON"),
        ("json", b"[" * 100_000, "not JSON"),
        ("json", b"{}", "not point to a list"),
        ("json", b'[{"time": "2026-01-01", "value": true}]', "not a number"),
        ("json", b'[{"time": "2026-01-01", "value": NaN}]', "between"),
        ("fred", b"[]", "has nothing at observations"),
        ("fred", b'{"observations": {}}', "not point to a list"),
    ],
)  # fmt: skip
def test_what_is_no_series_says_where(kind: str, body: bytes, text: str) -> None:
    with pytest.raises(BadFeed, match=text):
        parse(kind, body, None, None)


def test_a_missing_column_is_named() -> None:
    with pytest.raises(BadFeed, match="no column cpi"):
        parse("csv", b"a,b\n2026-01-01,1\n", None, "cpi")


@pytest.mark.parametrize("path", ["a", "a.b", "[*].a", "a[*]", "a[0].b[*].c", "$.a", "ä b"])
def test_paths(path: str) -> None:
    check_path(path)


@pytest.mark.parametrize("path", ["", "$", "a..b", "a[", "a[x]", "[*", "a.", "a[-1]", "a]"])
def test_paths_that_are_none(path: str) -> None:
    with pytest.raises(ValueError, match="should look like"):
        check_path(path)


@given(st.binary(max_size=300), st.sampled_from(["csv", "json", "fred"]))
def test_any_bytes_are_points_or_refused(body: bytes, kind: str) -> None:
    try:
        found = parse(kind, body, None, None)
    except BadFeed:
        return
    assert [t for t, _ in found] == sorted({t for t, _ in found})


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.sampled_from(["time", "value", "a"]), inner, max_size=3)
        ),
    )
)
def test_any_json_is_points_or_refused(document: Any) -> None:
    try:
        parse("json", json.dumps(document).encode(), None, None)
    except BadFeed:
        pass
