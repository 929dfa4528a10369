"""Files of bars and measures, whatever their columns and units."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from tests.rvol.bar_files import bars, written

from augury.errors import SetupProblem
from augury.rvol import calendars, ingest, store
from augury.storage.database import Database

pytestmark = pytest.mark.anyio


UNITS = {
    "seconds": lambda c: c,
    "milliseconds": lambda c: c * 1_000,
    "microseconds": lambda c: c * 1_000_000,
    "nanoseconds": lambda c: c * 1_000_000_000,
    "times": lambda c: pl.from_epoch(c, time_unit="s"),
    "iso": lambda c: pl.from_epoch(c, time_unit="s").dt.strftime("%Y-%m-%dT%H:%M:%SZ"),
}


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("kind", ["csv", "parquet"])
async def test_times_of_any_unit_are_read(
    database: Database, tmp_path: Path, unit: str, kind: str
) -> None:
    frame = bars().with_columns(UNITS[unit](pl.col("timestamp")).alias("timestamp"))
    frame = frame.rename({"timestamp": "Date", "close": "Close"})
    [done] = await ingest.import_file(database, written(frame, tmp_path / f"BTCUSDT_5m.{kind}"))
    assert (done.asset, done.days, done.added, done.incomplete) == ("BTCUSDT", 3, 3, 0)
    async with database.reading() as conn:
        [asset] = await store.assets(conn)
        series = await store.series(conn, "crypto", "24/7")
    assert (asset.calendar, asset.minutes, asset.data_through) == ("24/7", 5, date(2026, 11, 18))
    assert series["BTCUSDT"].measures["rv"][0] == pytest.approx(288e-6, rel=0.3)


async def test_a_file_read_twice_changes_nothing_and_a_correction_is_a_revision(
    database: Database, tmp_path: Path
) -> None:
    file = written(bars(), tmp_path / "A.csv")
    await ingest.import_file(database, file)
    [again] = await ingest.import_file(database, file)
    assert (again.added, again.changed) == (0, 0)
    frame = bars().with_columns(
        pl.when(pl.int_range(pl.len()) >= 700).then(pl.col(c) * 1.05).otherwise(pl.col(c)).alias(c)
        for c in ("open", "high", "low", "close")
    )
    [third] = await ingest.import_file(database, written(frame, tmp_path / "A.csv"))
    assert (third.added, third.changed) == (0, 1)
    async with database.reading() as conn:
        rows = await conn.execute("select day::text, max(revision) from rvol_bars group by 1")
        assert dict(await rows.fetchall()) == {
            "2026-11-16": 0, "2026-11-17": 0, "2026-11-18": 1,
        }  # fmt: skip


async def test_many_assets_in_one_file(database: Database, tmp_path: Path) -> None:
    both = pl.concat(
        [bars(seed=n).with_columns(pl.lit(name).alias("symbol")) for n, name in enumerate("XY")]
    )
    done = await ingest.import_file(database, written(both, tmp_path / "all.parquet"))
    assert [d.asset for d in done] == ["X", "Y"]


async def test_sessions_take_their_own_hours_and_the_night_before(
    database: Database, tmp_path: Path
) -> None:
    start = int(datetime(2026, 11, 23, tzinfo=UTC).timestamp())  # the week of Thanksgiving
    frame = bars(days=6, start=start)
    [done] = await ingest.import_file(
        database, written(frame, tmp_path / "f.csv"), asset="SPY", calendar="XNYS"
    )
    assert (done.days, done.incomplete) == (4, 0)
    async with database.reading() as conn:
        rows = await conn.execute(
            "select day, n_obs, early_close, rv, overnight from rvol_days order by day"
        )
        found = await rows.fetchall()
    assert [row[0].day for row in found] == [23, 24, 25, 27]
    assert [row[1] for row in found] == [78, 78, 78, 42]
    assert [row[2] for row in found] == [False, False, False, True]
    assert found[0][4] == 0
    nights = [row[4] for row in found[1:]]
    assert all(night != 0 for night in nights)
    at = {int(s): n for n, s in enumerate(frame["timestamp"])}
    on = calendars.calendar("XNYS")
    monday, tuesday = (on.hours(calendars.day_number(date(2026, 11, d))) for d in (23, 24))
    assert monday is not None
    assert tuesday is not None
    opened = frame["open"][at[tuesday[0]]]
    closed = frame["close"][at[monday[1] - 300]]
    assert nights[0] == pytest.approx(np.log(opened / closed))
    inside = np.diff(np.log(np.r_[opened, frame["close"][at[tuesday[0]] : at[tuesday[0]] + 78]]))
    assert found[1][3] == pytest.approx((inside**2).sum() + nights[0] ** 2)


async def test_daily_measures_are_taken_as_they_are(database: Database, tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {
            "asset": ["I", "I", "I", "C"],
            "group": ["index", "index", "index", "crypto"],
            "date": ["2026-11-19", "2026-11-20", "2026-11-21", "2026-11-21"],
            "rv": [1e-4, 2e-4, 3e-4, 4e-4],
            "open_to_close": [0.01, 0.02, 0.03, 0.04],
            "close": [1.0, 2.0, 3.0, 4.0],
        }
    )
    file = written(frame, tmp_path / "realized.parquet")
    with pytest.raises(SetupProblem, match="--calendar"):
        await ingest.import_file(database, file)
    done = {d.asset: d for d in await ingest.import_file(database, file, calendar="XNYS")}
    assert (done["I"].added, done["I"].outside) == (2, 1)  # a Saturday
    assert done["C"].added == 1
    async with database.reading() as conn:
        assert [a.calendar for a in await store.assets(conn)] == ["24/7", "XNYS"]


BROKEN: dict[str, tuple[pl.DataFrame | bytes, str]] = {
    "a.csv": (b"", "can't be read"),
    "b.parquet": (b"PAR1 nonsense", "can't be read"),
    "c.txt": (b"x", "neither .csv nor .parquet"),
    "d.csv": (pl.DataFrame({"x": [1]}), "has no column"),
    "e.csv": (pl.DataFrame({"date": ["2026-01-01"], "close": [1.0]}), "missing columns"),
    "f.csv": (bars(days=60, minutes=1440), "apart"),
    "g.csv": (bars().head(1), "fewer than two"),
    "h.csv": (bars().with_columns(pl.lit("x").alias("close")), "h.csv"),
}


@pytest.mark.parametrize("name", BROKEN)
async def test_files_that_are_none_are_refused_in_plain_words(
    database: Database, tmp_path: Path, name: str
) -> None:
    content, says = BROKEN[name]
    file = tmp_path / name
    if isinstance(content, bytes):
        file.write_bytes(content)
    else:
        written(content, file)
    with pytest.raises(SetupProblem, match=says):
        await ingest.import_file(database, file)
    async with database.reading() as conn:
        assert await store.assets(conn) == []


async def test_one_minute_bars_are_subsampled(database: Database, tmp_path: Path) -> None:
    [done] = await ingest.import_file(database, written(bars(minutes=1), tmp_path / "M.parquet"))
    assert (done.days, done.incomplete) == (3, 0)
    async with database.reading() as conn:
        [asset] = await store.assets(conn)
    assert asset.minutes == 1
