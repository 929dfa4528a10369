"""Reads bars and daily measures from files, checks them, and computes the measures of each day."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from augury.errors import SetupProblem
from augury.rvol import bars, calendars, measures, store
from augury.rvol.calendars import ALWAYS, Calendar
from augury.rvol.panel import Floats, Ints
from augury.rvol.store import CoveredAsset, DayRow
from augury.storage.database import Database

MAX_BAR_MINUTES = 30
"""Longest price bars, in minutes, that are accepted; a day's variance can't be measured from longer
ones."""
_TIMES = ("timestamp", "time", "date", "datetime", "open_time", "ts")
_NAMES = ("asset", "symbol", "ticker")
_PRICES = ("open", "high", "low", "close")
_MEASURES = ("bv", "rsv_neg", "rsv_pos", "medrv", "rk", "rq", "tq")

Progress = Callable[[int], None]
"""Called while days are imported, with the number of days done since the last call."""


class Imported(msgspec.Struct):
    """The result of importing the price bars or daily measures of one asset. All numbers count
    days, except `bad`, which counts bars."""

    asset: str
    days: int = 0
    added: int = 0
    changed: int = 0
    incomplete: int = 0
    """Number of days with too few bars, too long a gap, or no variance: they are stored, but models
    do not use them."""
    outside: int = 0
    """Number of days left out because the calendar has no session on them."""
    bad: int = 0
    """Number of bars refused, as bad prints (wrong prices) or because their values contradict each
    other."""


class Table(msgspec.Struct):
    """The price bars of one asset: `stamps`, (n), are opening times in seconds since 1970,
    ascending; `ohlcv`, (n, 5), are open, high, low, close and volume."""

    asset: str
    stamps: Any
    ohlcv: Any
    minutes: int


def read(file: Path, asset: str | None) -> list[Table] | list[tuple[str, str | None, Any]]:
    """Read a CSV or Parquet file. Returns a `Table` of price bars for each asset or, if the file
    holds daily realized measures, a tuple for each asset: the asset, its group (from the column
    group; None without that column), and a data frame of its measures. `asset` names the asset if
    the file has no column for it.

    Bars have an opening time (ISO, or seconds, milliseconds, microseconds or nanoseconds since
    1970), open, high, low, close, optionally volume, and a column asset or symbol if there are
    several assets.

    A file of measures has the columns date and rv, and a column asset or symbol if there are
    several assets. Columns for other measures are optional: bv, rsv_neg, rsv_pos, medrv, rk, rq,
    tq, open_to_close, overnight, close, n_obs.

    Raises
    ------
    SetupProblem
        The file can be read neither as bars nor as measures.
    """
    import polars as pl

    try:
        if file.suffix.lower() == ".parquet":
            frame = pl.read_parquet(file)
        elif file.suffix.lower() == ".csv":
            frame = pl.read_csv(file, try_parse_dates=True, infer_schema_length=10_000)
        else:
            raise SetupProblem(f"{file.name} is neither .csv nor .parquet.")
    except (OSError, pl.exceptions.PolarsError) as error:
        reason = str(error).splitlines()[0]
        raise SetupProblem(f"{file.name} can't be read: {reason}") from None
    frame = frame.rename({name: name.strip().lower() for name in frame.columns})
    time = next((name for name in _TIMES if name in frame.columns), None)
    named = next((name for name in _NAMES if name in frame.columns), None)
    if time is None:
        raise SetupProblem(f"{file.name} has no column {', '.join(_TIMES[:-1])} or {_TIMES[-1]}.")
    try:
        seconds = _seconds(frame[time])
        if "rv" in frame.columns and "high" not in frame.columns:
            return _daily(frame, seconds, named, asset or file.stem)
        missing = [name for name in _PRICES if name not in frame.columns]
        if missing:
            raise SetupProblem(
                f"{file.name} is missing columns. If it holds price bars, add "
                f"{', '.join(missing)}. If it holds daily measures, it needs a column named "
                "rv and must not have one named high."
            )
        if "volume" not in frame.columns:
            frame = frame.with_columns(pl.lit(0.0).alias("volume"))
        frame = frame.select(
            seconds.alias("stamp"),
            (frame[named].cast(pl.String) if named else pl.lit(asset or _name_of(file))).alias(
                "asset"
            ),
            *(pl.col(name).cast(pl.Float64) for name in (*_PRICES, "volume")),
        ).drop_nulls(["stamp", "asset"])
    except pl.exceptions.PolarsError as error:
        raise SetupProblem(f"{file.name}: {str(error).splitlines()[0]}") from None
    return [
        _table(str(name), own)
        for (name,), own in frame.sort("asset", "stamp").group_by(["asset"], maintain_order=True)
    ]


def _name_of(file: Path) -> str:
    """The asset that a file is named after: BTCUSDT for `BTCUSDT_5m.parquet` and
    `BTCUSDT-5m-2025-01.csv`."""
    return file.stem.split("_")[0].split("-")[0]


def _table(asset: str, own: Any) -> Table:
    stamps: Ints = own["stamp"].to_numpy()
    steps = np.sort(np.diff(np.unique(stamps)))
    if not len(steps):
        raise SetupProblem(
            f"{asset} has fewer than two price bars with different times in this file. Import a "
            "file with more: augury rvol import FILE."
        )
    typical = int(steps[len(steps) // 2])
    minutes = typical // 60
    if not 1 <= minutes <= MAX_BAR_MINUTES or 60 % minutes:
        raise SetupProblem(
            f"The bars of {asset} are {typical} s apart. Import bars of 1 to {MAX_BAR_MINUTES} "
            "minutes whose length divides an hour evenly, e.g. 1, 5 or 15 minutes."
        )
    return Table(asset, stamps, own.select(*_PRICES, "volume").to_numpy(), minutes)


def _seconds(column: Any) -> Any:
    """A column of times as seconds since 1970. The times may be dates, ISO texts, or numbers in any
    unit from seconds to nanoseconds."""
    import polars as pl

    if column.dtype == pl.String:
        column = column.str.to_datetime(time_zone="UTC", strict=False)
    if column.dtype.is_temporal():
        return column.cast(pl.Datetime("us")).dt.epoch("s")
    numbers = column.cast(pl.Int64)
    largest = abs(numbers.max() or 0)
    unit = next(u for u in (1, 10**3, 10**6, 10**9, 10**12) if largest // u < 10**11)
    return numbers // unit


def _daily(frame: Any, seconds: Any, named: str | None, asset: str) -> list[Any]:
    import polars as pl

    frame = frame.with_columns(
        # Half a day is added because some sources date a session by midnight in another time zone.
        ((seconds + 43_200) // 86_400).alias("day"),
        (pl.col(named).cast(pl.String) if named else pl.lit(asset)).alias("asset"),
    ).sort("asset", "day")
    return [
        (str(name), str(own["group"][0]) if "group" in own.columns else None, own)
        for (name,), own in frame.group_by(["asset"], maintain_order=True)
    ]


def measure(
    asset: str, day: int, found: bars.Day, *, previous: float | None, early: bool
) -> DayRow:
    """The realized measures of one day, from its price bars. The day's variance includes the return
    from the previous day's last close (`previous`) to the open. `early`: the exchange closed
    earlier than usual."""
    m = measures.daily(found.path, found.minutes)
    opened, closed = float(found.path[0]), float(found.path[-1])
    night = math.log(opened / previous) if previous and math.isfinite(opened) else 0.0
    rv = float(m.rv) + night * night
    of = {name: float(getattr(m, name)) for name in (*_MEASURES, "open_to_close")}
    known = {name: value for name, value in of.items() if math.isfinite(value)}
    intraday = known.get("open_to_close")
    return DayRow(
        asset=asset,
        day=calendars.date_of(day),
        counts=found.counts and rv > 0,
        rv=rv if math.isfinite(rv) else 0.0,
        **{name: known.get(name) for name in _MEASURES},
        ret=None if intraday is None else intraday + night,
        overnight=night,
        close=closed if math.isfinite(closed) else None,
        n_obs=found.present,
        expected=found.expected,
        longest_fill=found.longest_fill,
        bad=found.bad,
        early_close=early,
    )


def by_day(
    table: Table, on: Calendar, previous: float | None
) -> Iterable[tuple[int, Ints, Floats, DayRow]]:
    """For each trading day in a table of price bars: its day number (days since 1970-01-01), the
    times and values of its bars, and its realized measures. `previous` is the last close before the
    table."""
    if not len(table.stamps):
        return
    first = int(table.stamps[0]) - calendars.DAY_SECONDS
    for day in on.days_of(first, int(table.stamps[-1]) + 60 * table.minutes).tolist():
        hours = on.hours(day)
        if hours is None:
            continue
        low, high = np.searchsorted(table.stamps, hours)
        if low == high:
            continue
        stamps, ohlcv = table.stamps[low:high], table.ohlcv[low:high]
        found = bars.on_grid(
            stamps, ohlcv, start=hours[0], end=hours[1], minutes=table.minutes, previous=previous
        )
        yield (
            day,
            stamps,
            ohlcv,
            measure(table.asset, day, found, previous=previous, early=on.is_early(day)),
        )
        if math.isfinite(found.path[-1]):
            previous = float(found.path[-1])


async def store_bars(
    database: Database,
    table: Table,
    asset: CoveredAsset,
    source: str,
    progress: Progress | None = None,
) -> Imported:
    """Store an asset's price bars and the daily measures computed from them, in one transaction.
    Returns how many days were stored, added or changed. `source` is the exchange or file that the
    bars come from.

    The sample data (simulated coins) are deleted: real data replace them.
    """
    on = await asyncio.to_thread(calendars.calendar, asset.calendar)
    done = Imported(table.asset)
    async with database.reading() as conn:
        first = calendars.date_of(
            int(table.stamps[0]) // calendars.DAY_SECONDS if len(table.stamps) else 0
        )
        previous = await store.last_close(conn, table.asset, first)
    days = await asyncio.to_thread(lambda: list(by_day(table, on, previous)))
    packed = await asyncio.to_thread(
        lambda: [(bars.packed(s, v), bars.fingerprint(s, v)) for _, s, v, _ in days]
    )
    async with database.transaction() as conn:
        await store.lock(conn)
        await store.drop_sample(conn)
        await store.put_assets(conn, [asset])
        for (day, stamps, _, row), (data, mark) in zip(days, packed, strict=True):
            done.days += 1
            done.bad += row.bad or 0
            done.incomplete += not row.counts
            await store.put_bars(
                conn, table.asset, calendars.date_of(day), minutes=table.minutes, n=len(stamps),
                source=source, data=data, fingerprint=mark,
            )  # fmt: skip
            if progress is not None:
                progress(1)
        done.added, done.changed = await store.put_days(conn, [row for *_, row in days])
        await store.invalidate_answers(conn)
    return done


def read_import(
    file: Path, *, asset: str | None = None, calendar: str | None = None, family: str | None = None
) -> list[tuple[CoveredAsset, Any]]:
    """Read a file of price bars or daily measures. Returns for each asset its record and its data:
    a `Table` of bars, or a data frame of measures. See `read` for the columns.

    Raises
    ------
    SetupProblem
        The file can't be read, or it is not known on which calendar an asset trades.
    """
    work: list[tuple[CoveredAsset, Any]] = []
    for table in read(file, asset):
        if isinstance(table, Table):
            about = asset_record(table.asset, calendar or ALWAYS, family, table.minutes)
            work.append((about, table))
            continue
        name, group, frame = table
        chosen = ALWAYS if group == "crypto" else calendar
        if chosen is None:
            raise SetupProblem(
                f"{file.name}: name the calendar on which {name} trades, e.g. --calendar XNYS."
            )
        work.append((asset_record(name, chosen, family or group, 5), frame))
    return work


async def import_prepared(
    database: Database,
    work: Iterable[tuple[CoveredAsset, Any]],
    source: str,
    progress: Progress | None = None,
) -> list[Imported]:
    """Store what `read_import` read from the file named `source`. Returns one result for each
    asset."""
    return [
        await store_bars(database, data, about, source, progress)
        if isinstance(data, Table)
        else await _store_measures(database, about, data)
        for about, data in work
    ]


async def import_file(
    database: Database,
    file: Path,
    *,
    asset: str | None = None,
    calendar: str | None = None,
    family: str | None = None,
    progress: Progress | None = None,
) -> list[Imported]:
    """Import a file of price bars or of daily realized measures. Returns one result for each asset.
    See `read` for the file's columns."""
    work = await asyncio.to_thread(read_import, file, asset=asset, calendar=calendar, family=family)
    return await import_prepared(database, work, file.name, progress)


def asset_record(asset: str, calendar: str, family: str | None, minutes: int) -> CoveredAsset:
    """The record of an imported asset whose bars are `minutes` long. Without `family`, its family
    is `crypto` for the calendar `24/7`, else the calendar's name in lower case with `equity-` in
    front."""
    kind = family or ("crypto" if calendar == ALWAYS else f"equity-{calendar.lower()}")
    if not 1 <= len(asset) <= 100 or not asset.isprintable():
        raise SetupProblem("The name of an asset must have 1 to 100 printable characters.")
    return CoveredAsset(
        asset=asset, display_name=asset, target_family=kind, calendar=calendar, minutes=minutes
    )


async def _store_measures(database: Database, about: CoveredAsset, frame: Any) -> Imported:
    on = await asyncio.to_thread(calendars.calendar, about.calendar)
    done = Imported(about.asset)
    rows: list[DayRow] = []
    for row in frame.iter_rows(named=True):
        done.days += 1
        if on.hours(row["day"]) is None:
            done.outside += 1
            continue
        value = {k: row.get(k) for k in (*_MEASURES, "open_to_close", "overnight", "close", "rv")}
        known = {k: float(v) for k, v in value.items() if v is not None and math.isfinite(v)}
        rv, intraday, n = known.get("rv", 0.0), known.get("open_to_close"), row.get("n_obs")
        done.incomplete += rv <= 0
        rows.append(
            DayRow(
                asset=about.asset,
                day=calendars.date_of(row["day"]),
                counts=rv > 0,
                rv=rv,
                **{name: known.get(name) for name in _MEASURES},
                ret=None if intraday is None else intraday + known.get("overnight", 0.0),
                overnight=known.get("overnight"),
                close=known.get("close"),
                n_obs=None if n is None else int(n),
                expected=None,
                longest_fill=None,
                bad=None,
                early_close=on.is_early(row["day"]),
            )
        )
    last = {row.day: row for row in rows}  # if a day is given twice, the last row counts
    async with database.transaction() as conn:
        await store.lock(conn)
        await store.drop_sample(conn)
        await store.put_assets(conn, [about])
        done.added, done.changed = await store.put_days(conn, list(last.values()))
        await store.invalidate_answers(conn)
    return done
