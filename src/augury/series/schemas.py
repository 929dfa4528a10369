"""Request and response schemas of the API on external series. An external series is numbers over
time that an account provides."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictFloat, StrictInt, StrictStr

from augury.http.examples import example
from augury.http.fields import Duration, Name, duration_text
from augury.series.parse import MOST_POINTS
from augury.series.service import Kind, Refreshed
from augury.series.sources import Source, SourceType
from augury.series.store import Point, Revision, Series

_ID = "ser_019f3a5c7e1b7d2aa0c4b1f2d3e4f5a6"
_LATEST: dict[str, Any] = {
    "time": "2026-10-01T00:00:00Z",
    "value": 2.4,
    "as_of": "2026-10-01T00:00:00Z",
    "origin": "live",
}
_SERIES: dict[str, Any] = {
    "id": _ID,
    "name": "Consumer prices, year on year",
    "kind": "macro_indicator",
    "source": {
        "type": "csv",
        "host": "data.example.org",
        "time_path": "date",
        "value_path": "cpi_yoy",
        "header_names": [],
    },
    "unit": "percent",
    "frequency": "monthly",
    "refresh_every": "6h",
    "points": 240,
    "latest": {
        "time": "2026-10-01T00:00:00Z",
        "value": 2.4,
        "as_of": "2026-10-01T00:00:00Z",
        "origin": "live",
    },
    "fetched_at": "2026-11-21T09:00:00Z",
    "attempted_at": "2026-11-21T09:00:00Z",
    "failure": None,
    "created_at": "2026-11-01T08:00:00Z",
}


Path = Annotated[str, Field(min_length=1, max_length=200, strict=True)]


class SourceRequest(BaseModel):
    """Where the points of an external series come from, and how to read them."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [
                {
                    "type": "json",
                    "url": "https://data.example.org/cpi.json",
                    "time_path": "rows[*].month",
                    "value_path": "rows[*].yoy",
                }
            ]
        },
    )

    type: SourceType = Field(
        description="csv, json: a file of this format at `url`. fred: observations from the API "
        "of FRED, the St. Louis Fed's database. push: the caller sends the points."
    )
    url: str | None = Field(
        None,
        min_length=1,
        max_length=2048,
        strict=True,
        description="Address to fetch from; left out for type push. The API never returns it.",
    )
    time_path: Path | None = Field(
        None,
        description="Where to find the times in the file. csv: a column's name, by default the "
        "first column. json: a path like data[*].date, by default [*].time.",
    )
    value_path: Path | None = Field(
        None,
        description="Where to find the values in the file. csv: a column's name, by default the "
        "second column. json: a path like data[*].value, by default [*].value.",
    )
    headers: dict[Annotated[str, Field(max_length=100)], Annotated[str, Field(max_length=2000)]] = (
        Field(
            default={},
            max_length=10,
            description="HTTP headers to send to the source. Their values are stored encrypted "
            "and never returned.",
        )
    )


class SeriesRequest(BaseModel):
    """An external series to create: numbers over time that rules can watch, fetched from a source
    or sent by the caller."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [
                {
                    "name": "Consumer prices, year on year",
                    "kind": "macro_indicator",
                    "source": {"type": "csv", "url": "https://data.example.org/cpi.csv"},
                    "unit": "percent",
                    "refresh_every": "6h",
                }
            ]
        },
    )

    name: Name
    kind: Kind
    source: SourceRequest
    unit: Annotated[str, Field(max_length=60, strict=True)] | None = Field(
        None, description="Unit of the values, e.g. percent."
    )
    frequency: Annotated[str, Field(max_length=60, strict=True)] | None = Field(
        None,
        description="How often the source has new values, e.g. monthly. For readers only; has no "
        "effect.",
    )
    refresh_every: Duration | None = Field(
        None,
        description="Interval between fetches, e.g. 6h; at least 1m. Null: fetch only on request.",
    )

    def wanted(self) -> Source:
        """Where the requested series' points come from, as a `Source`."""
        return Source(**self.source.model_dump())


class SourceRecord(BaseModel):
    """Where the points of an external series come from, without the address and header values,
    which may be secret."""

    type: SourceType
    host: str | None = Field(description="Host of the source's address. Null for type push.")
    time_path: str | None = Field(
        description="Where the times are in the file. csv: a column's name; null: the first "
        "column. json: a path; null: [*].time. Types fred and push don't use this field."
    )
    value_path: str | None = Field(
        description="Where the values are in the file. csv: a column's name; null: the second "
        "column. json: a path; null: [*].value. Types fred and push don't use this field."
    )
    header_names: list[str] = Field(
        description="Names of the HTTP headers that are sent to the source."
    )


class LatestPoint(BaseModel):
    """The point of an external series that has the latest time."""

    time: datetime
    value: float = Field(description="Value of the point, in the unit of the series.")
    as_of: datetime = Field(description="The same as `time`.")
    origin: Literal["live"]


class SeriesRecord(BaseModel):
    """An external series (numbers over time that the account provides), its latest point, and how
    its last refresh ended."""

    model_config = example(**_SERIES)

    id: str
    name: str
    kind: Kind
    source: SourceRecord
    unit: str | None
    frequency: str | None = Field(
        description="How often the source has new values, e.g. monthly. Free text, given by the "
        "account that owns the series."
    )
    refresh_every: str | None = Field(
        description="Interval between fetches, e.g. 6h. Null: fetched only on request."
    )
    points: int = Field(description="Number of points stored.")
    latest: LatestPoint | None = Field(
        description="The point with the latest time. Null: the series has no points."
    )
    fetched_at: datetime | None = Field(
        description="When the last refresh succeeded. Null: none has."
    )
    attempted_at: datetime | None = Field(
        description="When the last refresh was tried, successful or not. Null: none was."
    )
    failure: str | None = Field(description="Why the last refresh failed. Null: it did not fail.")
    created_at: datetime


class SeriesList(BaseModel):
    """One page of the account's external series, oldest first."""

    model_config = example(items=[_SERIES], next_cursor=None)

    items: list[SeriesRecord]
    next_cursor: str | None = Field(
        description="Pass as `cursor` for the next page. Null: this is the last one."
    )


class PushedPoint(BaseModel):
    """A point to add to an external series of type push: a value and the time that it is for."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"time": "2026-11-21T00:00:00Z", "value": 2.4}]},
    )

    time: StrictStr | StrictInt | StrictFloat = Field(
        description="Time that the value is for: ISO 8601 (without a zone: UTC), a month "
        "(2026-11), a quarter (2026Q4), or seconds since 1970."
    )
    value: StrictInt | StrictFloat = Field(
        description="Value of the point, in the unit of the series."
    )


class RefreshRequest(BaseModel):
    """Body of a refresh of an external series: the points to store in a series of type push. Series
    of other types are fetched, so they take no points."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [{"points": [{"time": "2026-11-21T00:00:00Z", "value": 2.4}]}]
        },
    )

    points: list[PushedPoint] | None = Field(
        None,
        min_length=1,
        max_length=MOST_POINTS,
        description="The points to store; only for a series of type push.",
    )


class RefreshResult(BaseModel):
    """The result of refreshing an external series: how many of its points are new or changed."""

    model_config = example(
        series_id=_ID,
        fetched_at="2026-11-21T09:00:00Z",
        status="ok",
        points_added=1,
        points_changed=0,
        latest={
            "time": "2026-10-01T00:00:00Z",
            "value": 2.4,
            "as_of": "2026-10-01T00:00:00Z",
            "origin": "live",
        },
    )

    series_id: str
    fetched_at: datetime
    status: Literal["ok", "not_modified"] = Field(
        description="ok: the points were read and stored. not_modified: the source answered that "
        "its file has not changed (HTTP 304)."
    )
    points_added: int = Field(description="Number of new points.")
    points_changed: int = Field(
        description="Number of points whose value changed. The old values are kept as revisions."
    )
    latest: LatestPoint | None = Field(
        description="The series' point with the latest time. Null: it has no points."
    )


class RevisionRecord(BaseModel):
    """A value that a point of an external series had until a newer one replaced it."""

    value: float = Field(
        description="The value that the newer one replaced, in the unit of the series."
    )
    known_at: datetime = Field(description="When Augury received this value.")
    replaced_at: datetime = Field(
        description="When Augury received the newer value, which replaced this one."
    )


class PointRecord(BaseModel):
    """A point of an external series: a time, its current value, and its earlier values, which newer
    values have replaced."""

    time: datetime
    value: float = Field(description="The current value, in the unit of the series.")
    known_at: datetime = Field(description="When Augury received the current value.")
    revisions: list[RevisionRecord] = Field(
        description="Earlier values of the point, oldest first, at most 50. Empty: the value never "
        "changed."
    )
    as_of: datetime = Field(description="The same as `time`.")
    origin: Literal["live"]


class PointList(BaseModel):
    """One page of an external series' points, in order of time."""

    model_config = example(
        items=[
            {
                "time": "2026-10-01T00:00:00Z",
                "value": 2.4,
                "known_at": "2026-11-12T13:30:05Z",
                "revisions": [],
                "as_of": "2026-10-01T00:00:00Z",
                "origin": "live",
            }
        ],
        next_cursor=None,
    )

    items: list[PointRecord]
    next_cursor: str | None = Field(
        description="Pass as `cursor` for the next page. Null: this is the last one."
    )


def _latest(found: Series) -> dict[str, Any] | None:
    if found.latest_time is None:
        return None
    return {
        "time": found.latest_time,
        "value": found.latest_value,
        **_as_of_and_origin(found.latest_time),
    }


def _as_of_and_origin(time: datetime) -> dict[str, Any]:
    """Two fields of a point in an API answer: `as_of` and `origin`. `as_of` is the time that the
    point is for. `origin` is always "live": each point was fetched from the series' source or sent
    by the caller, and none is invented (origin "sample")."""
    return {"as_of": time, "origin": "live"}


def record(found: Series) -> dict[str, Any]:
    """A series as the fields of the API record `SeriesRecord`."""
    return {
        "id": found.id,
        "name": found.name,
        "kind": found.kind,
        "source": {
            "type": found.source_type,
            "host": found.host,
            "time_path": found.time_path,
            "value_path": found.value_path,
            "header_names": found.header_names,
        },
        "unit": found.unit,
        "frequency": found.frequency,
        "refresh_every": duration_text(found.refresh_every) if found.refresh_every else None,
        "points": found.points,
        "latest": _latest(found),
        "fetched_at": found.fetched_at,
        "attempted_at": found.attempted_at,
        "failure": found.failure,
        "created_at": found.created_at,
    }


def refreshed(found: Refreshed) -> dict[str, Any]:
    """The result of fetching a series as the fields of the API record `RefreshResult`."""
    return {
        "series_id": found.series.id,
        "fetched_at": found.at,
        "status": found.status,
        "points_added": found.added,
        "points_changed": found.changed,
        "latest": _latest(found.series),
    }


def point(found: Point, earlier: list[Revision]) -> dict[str, Any]:
    """A point of a series, and its earlier values, as the fields of the API record
    `PointRecord`."""
    return {
        **found._asdict(),
        "revisions": [
            {"value": r.value, "known_at": r.known_at, "replaced_at": r.replaced_at}
            for r in earlier
        ],
        **_as_of_and_origin(found.time),
    }
