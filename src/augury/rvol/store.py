"""All SQL of realized volatility. What is published is added to and never changed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date, datetime
from typing import Any, Literal, LiteralString, NamedTuple, cast

import msgspec
import numpy as np
from psycopg import AsyncConnection
from psycopg.rows import args_row
from psycopg.types.json import Jsonb

from augury.rvol.calendars import number
from augury.rvol.issuing import Actual, Forecast

Connection = AsyncConnection[Any]
Origin = Literal["sample", "import", "exchange"]
Status = Literal["preliminary", "final", "incomplete"]

# As answers say it (`markets.records.ShownOrigin`, and `replay`).
_ASSET_ORIGIN = "case a.origin when 'exchange' then 'live' else a.origin end"
_FORECAST_ORIGIN = (
    f"case when a.origin <> 'sample' and s.issued = 'replay' then 'replay' else {_ASSET_ORIGIN} end"
)
# What is made of the sample was never issued for anybody.
_ISSUED = "case when a.origin = 'sample' then 'sample' else s.issued end"

_LOCK = "select pg_advisory_xact_lock(hashtextextended('rvol', 0))"


class Asset(msgspec.Struct, frozen=True, kw_only=True):
    """A covered asset."""

    asset: str
    display_name: str
    target_family: str
    calendar: str
    minutes: int
    source: str | None = None
    active: bool = True
    origin: Origin = "import"
    fetched_at: datetime | None = None
    failure: str | None = None
    data_through: date | None = None
    """The last day with measures that count."""


class DayRow(NamedTuple):
    """The measures of one day, None where there is none; in the order of the table."""

    asset: str
    day: date
    counts: bool
    rv: float
    bv: float | None
    rsv_neg: float | None
    rsv_pos: float | None
    medrv: float | None
    rk: float | None
    rq: float | None
    tq: float | None
    ret: float | None
    overnight: float | None
    close: float | None
    n_obs: int | None
    expected: int | None
    longest_fill: int | None
    bad: int | None
    early_close: bool


_DAY_TYPES = ["text", "date", "bool", *["float8"] * 11, *["int4"] * 4, "bool"]
_DAY_COLUMNS = ", ".join(DayRow._fields)


def _sql(text: str) -> LiteralString:
    # Put together from this module's own constants only; every value is a parameter.
    return cast(LiteralString, text)


async def lock(conn: Connection) -> None:
    """One writer at a time, until the transaction ends."""
    await conn.execute(_LOCK)


async def bump(conn: Connection) -> None:
    """Let everybody's kept answers go."""
    await conn.execute("update rvol_state set version = version + 1")


async def version(conn: Connection) -> int:
    """A number that grows whenever an answer may have changed."""
    rows = await conn.execute("select version from rvol_state")
    found = await rows.fetchone()
    return found[0] if found else 0


# --- assets --------------------------------------------------------------------------------


async def put_assets(conn: Connection, assets: Iterable[Asset]) -> None:
    """Add assets, or change how known ones are named and fetched; data stays."""
    for a in assets:
        await conn.execute(
            """
            insert into rvol_assets
              (asset, display_name, target_family, calendar, minutes, source, active, origin)
            values (%s, %s, %s, %s, %s, %s, %s, %s)
            on conflict (asset) do update set display_name = excluded.display_name,
              minutes = excluded.minutes, source = coalesce(excluded.source, rvol_assets.source),
              active = excluded.active, updated_at = now()
            """,
            (a.asset, a.display_name, a.target_family, a.calendar, a.minutes, a.source, a.active,
             a.origin),
        )  # fmt: skip


async def fetched(conn: Connection, asset: str, failure: str | None, at: datetime) -> None:
    """Note how the last fetch of an asset ended."""
    await conn.execute(
        "update rvol_assets set failure = %s,"
        " fetched_at = case when %s::text is null then %s else fetched_at end where asset = %s",
        (failure, failure, at, asset),
    )


async def drop_sample(conn: Connection) -> bool:
    """Take the sample away, with all that was made of it; False when there was none."""
    gone = await conn.execute("delete from rvol_assets where origin = 'sample'")
    if gone.rowcount:
        await conn.execute(
            "delete from rvol_sets s where not exists"
            " (select from rvol_forecasts f where f.set_id = s.set_id)"
        )
    return gone.rowcount > 0


async def sampled(conn: Connection) -> set[str]:
    """The assets whose days are of the sample."""
    rows = await conn.execute("select asset from rvol_assets where origin = 'sample'")
    return {name for (name,) in await rows.fetchall()}


async def assets(conn: Connection, *, inactive: bool = True) -> list[Asset]:
    """Covered assets by name."""
    async with conn.cursor(row_factory=args_row(_asset), binary=True) as cursor:
        await cursor.execute(
            """
            select a.asset, display_name, target_family, calendar, minutes, source, active, origin,
                   fetched_at, failure,
                   (select max(day) from rvol_days d where d.asset = a.asset and current and counts)
            from rvol_assets a where active or %s order by a.asset
            """,
            (inactive,),
        )
        return await cursor.fetchall()


def _asset(*values: Any) -> Asset:
    return Asset(**dict(zip(Asset.__struct_fields__, values, strict=True)))


class Newest(NamedTuple):
    """The newest data of one origin and kind of calendar."""

    origin: Origin
    always: bool
    """Of markets that never close."""
    through: datetime
    """The end of the newest day."""


async def newest(conn: Connection) -> list[Newest]:
    """How far the data of covered assets reach, by origin and kind of calendar."""
    rows = await conn.execute(
        """
        select origin, calendar = '24/7', (max(d.day) + 1)::timestamp at time zone 'UTC'
        from rvol_assets a cross join lateral (
          select max(day) as day from rvol_days d where d.asset = a.asset and current
        ) d
        where active and d.day is not null group by 1, 2 order by 1, 2
        """
    )
    return [Newest(*row) for row in await rows.fetchall()]


async def asset_names(conn: Connection) -> list[str]:
    """All assets, by name."""
    rows = await conn.execute("select asset from rvol_assets order by asset")
    return [row[0] for row in await rows.fetchall()]


# --- bars and measures ---------------------------------------------------------------------


async def put_bars(
    conn: Connection,
    asset: str,
    day: date,
    *,
    minutes: int,
    n: int,
    source: str,
    data: bytes,
    fingerprint: str,
) -> bool:
    """Keep a day's bars; False when the newest revision says the same already."""
    done = await conn.execute(
        """
        with last as (
          select revision, fingerprint from rvol_bars where asset = %(asset)s and day = %(day)s
          order by revision desc limit 1
        )
        insert into rvol_bars (asset, day, revision, minutes, n, source, data, fingerprint)
        select %(asset)s, %(day)s, coalesce((select revision + 1 from last), 0), %(minutes)s,
               %(n)s, %(source)s, %(data)s, %(fingerprint)s
        where (select fingerprint from last) is distinct from %(fingerprint)s
        """,
        {
            "asset": asset, "day": day, "minutes": minutes, "n": n, "source": source, "data": data,
            "fingerprint": fingerprint,
        },
    )  # fmt: skip
    return done.rowcount > 0


async def bars(conn: Connection, asset: str, day: date) -> bytes | None:
    """The newest revision of a day's bars, packed."""
    rows = await conn.execute(
        "select data from rvol_bars where asset = %s and day = %s order by revision desc limit 1",
        (asset, day),
    )
    found = await rows.fetchone()
    return found[0] if found else None


async def put_days(conn: Connection, rows: Sequence[DayRow]) -> tuple[int, int]:
    """Keep measures; returns how many days are new and how many changed (a new revision)."""
    if not rows:
        return 0, 0
    await conn.execute(
        _sql(
            f"""
            create temp table if not exists news_days on commit drop
            as select {_DAY_COLUMNS} from rvol_days with no data
            """  # noqa: S608
        )
    )
    await conn.execute("truncate news_days")
    async with (
        conn.cursor() as cursor,
        cursor.copy(_sql(f"copy news_days ({_DAY_COLUMNS}) from stdin (format binary)")) as copy,
    ):
        copy.set_types(_DAY_TYPES)
        for row in rows:
            await copy.write_row(row)
    # A change of less than a billionth is the same day summed in another order.
    done = await conn.execute(
        _sql(
            f"""
            with news as (
              select n.*, o.revision from news_days n
              left join rvol_days o on o.asset = n.asset and o.day = n.day and o.current
              where o.asset is null or o.counts <> n.counts
                 or abs(o.rv - n.rv) > 1e-9 * o.rv
                 or (n.bv is not null
                     and abs(coalesce(o.bv, 0) - n.bv) > 1e-9 * abs(n.bv))
                 or (n.ret is not null and abs(coalesce(o.ret, 0) - n.ret) > 1e-12)
            ), old as (
              update rvol_days d set current = false from news
              where d.asset = news.asset and d.day = news.day and d.current
              returning d.asset
            ), added as (
              insert into rvol_days ({_DAY_COLUMNS}, revision, current)
              select {_DAY_COLUMNS}, coalesce(revision + 1, 0), (select count(*) from old) >= 0
              from news returning revision
            )
            select count(*) filter (where revision = 0), count(*) filter (where revision > 0)
            from added
            """  # noqa: S608
        )
    )
    found = await done.fetchone()
    return (found[0], found[1]) if found else (0, 0)


class Series(NamedTuple):
    """One asset's days that count, ascending."""

    days: np.ndarray
    measures: dict[str, np.ndarray]


_LOADED = ("rv", "bv", "rsv_neg", "rsv_pos", "rq", "ret")


async def series(
    conn: Connection, family: str, calendar: str, *, known_at: datetime | None = None
) -> dict[str, Series]:
    """The measures of a family's active assets: as they are, or as they were known at a time."""
    columns = ", ".join(f"array_agg({c} order by day)" for c in _LOADED)
    which = (
        "rvol_days d where current"
        if known_at is None
        else "(select distinct on (asset, day) * from rvol_days where known_at <= %(known_at)s"
        " order by asset, day, revision desc) d where true"
    )
    async with conn.cursor(binary=True) as cursor:
        await cursor.execute(
            _sql(
                f"""
                select asset, array_agg((day - '1970-01-01'::date)::int8 order by day), {columns}
                from {which} and counts and asset in (
                  select asset from rvol_assets
                  where target_family = %(family)s and calendar = %(calendar)s and active
                ) group by asset order by asset
                """  # noqa: S608
            ),
            {"family": family, "calendar": calendar, "known_at": known_at},
        )
        found = {}
        for asset, days, *values in await cursor.fetchall():
            measures = {
                name: np.array(own, dtype=float) for name, own in zip(_LOADED, values, strict=True)
            }
            found[asset] = Series(np.array(days, dtype=np.int64), measures)
        return found


async def clock(conn: Connection) -> datetime:
    """The database's time: what `known_at` is told by."""
    rows = await conn.execute("select clock_timestamp()")
    return cast(tuple[datetime], await rows.fetchone())[0]


async def changed_from(conn: Connection, family: str, calendar: str) -> date | None:
    """The first day whose measures are news since the family's actuals were last made."""
    rows = await conn.execute(
        """
        with own as (
          select asset from rvol_assets where target_family = %(family)s
            and calendar = %(calendar)s and active
        )
        select min(d.day) from own
        join lateral (select coalesce(max(known_at), '-infinity') as upto from rvol_actuals a
                      where a.asset = own.asset) a on true
        join rvol_days d on d.asset = own.asset and d.current and d.known_at > a.upto
        """,
        {"family": family, "calendar": calendar},
    )
    found = await rows.fetchone()
    return found[0] if found else None


async def last_close(conn: Connection, asset: str, day: date) -> float | None:
    """The last close before a day."""
    rows = await conn.execute(
        "select close from rvol_days where asset = %s and day < %s and current"
        " and close is not null order by day desc limit 1",
        (asset, day),
    )
    found = await rows.fetchone()
    return found[0] if found else None


# --- models --------------------------------------------------------------------------------


async def put_model(
    conn: Connection,
    model_id: str,
    model_version: str,
    *,
    code: str,
    families: Sequence[str],
    members: Sequence[str],
    training: str,
) -> None:
    """Register a version. One that is there stays as it is."""
    await conn.execute(
        "insert into rvol_models (model_id, model_version, code, families, members, training)"
        " values (%s, %s, %s, %s, %s, %s) on conflict do nothing",
        (model_id, model_version, code, list(families), list(members), training),
    )


async def set_alias(
    conn: Connection, alias: str, model_id: str, model_version: str | None, reason: str
) -> bool:
    """Let an alias name another model from now on; False when it does already."""
    current = (await aliases(conn)).get(alias)
    if current == (model_id, model_version):
        return False
    await conn.execute(
        "insert into rvol_aliases (alias, model_id, model_version, reason) values (%s, %s, %s, %s)",
        (alias, model_id, model_version, reason),
    )
    return True


async def aliases(conn: Connection) -> dict[str, tuple[str, str | None]]:
    """What each alias names now: model and version (None: the newest)."""
    rows = await conn.execute(
        "select distinct on (alias) alias, model_id, model_version from rvol_aliases"
        " order by alias, since desc"
    )
    return {alias: (model_id, version) for alias, model_id, version in await rows.fetchall()}


class Model(msgspec.Struct, frozen=True):
    """One version of a model."""

    model_id: str
    model_version: str
    families: list[str]
    members: list[str]
    training: str
    code: str
    created_at: datetime
    trained_through: datetime | None
    """The newest origin it was fitted at."""
    updated_at: datetime | None
    """When it last published."""


async def models(conn: Connection) -> list[Model]:
    """All versions of all models, the newest of each first."""
    async with conn.cursor(row_factory=args_row(Model), binary=True) as cursor:
        await cursor.execute(
            """
            select m.model_id, m.model_version, families, members, training, code, created_at,
                   (select max(as_of) from rvol_forecasts f where f.model_id = m.model_id
                    and f.model_version = m.model_version),
                   (select s.published_at from rvol_sets s where s.set_id = (
                      select f.set_id from rvol_forecasts f where f.model_id = m.model_id
                      and f.model_version = m.model_version order by as_of desc limit 1))
            from rvol_models m order by model_id, created_at desc, model_version desc
            """
        )
        return await cursor.fetchall()


# --- publications --------------------------------------------------------------------------


async def issued_days(conn: Connection, family: str, since: date) -> dict[date, set[str]]:
    """By day from `since` on: the assets a set was made for, forecast or too short to be."""
    rows = await conn.execute(
        "select day, assets from rvol_sets where family = %s and day >= %s", (family, since)
    )
    found: dict[date, set[str]] = {}
    for day, names in await rows.fetchall():
        found.setdefault(day, set()).update(names)
    return found


_FORECAST_COLUMNS = (
    "asset", "horizon", "model_id", "model_version", "as_of", "set_id", "target_start_at",
    "target_end_at", "steps", "variance", "annualized", "lower_80", "upper_80", "lower_90",
    "upper_90", "lower_95", "upper_95", "families", "members",
)  # fmt: skip
_FORECAST_TYPES = [
    "text", "int2", "text", "text", "timestamptz", "int8", "timestamptz", "timestamptz", "int2",
    *["float8"] * 8, "jsonb", "jsonb",
]  # fmt: skip


async def publish(
    conn: Connection,
    forecasts: Sequence[Forecast],
    *,
    family: str,
    day: date,
    issued: Literal["live", "replay"],
    known_at: datetime,
    inputs: str,
    model_version: str,
    assets: Sequence[str],
) -> int:
    """Publish a set for `assets`; what one was already given for the day stays. Returns how many
    forecasts were added."""
    rows = await conn.execute(
        "insert into rvol_sets (family, day, issued, known_at, inputs, assets)"
        " values (%s, %s, %s, %s, %s, %s) returning set_id",
        (family, day, issued, known_at, inputs, list(assets)),
    )
    (set_id,) = cast(tuple[int], await rows.fetchone())
    columns = ", ".join(_FORECAST_COLUMNS)
    await conn.execute(
        "create temp table if not exists news_forecasts (like rvol_forecasts) on commit drop"
    )
    await conn.execute("truncate news_forecasts")
    async with (
        conn.cursor() as cursor,
        cursor.copy(_sql(f"copy news_forecasts ({columns}) from stdin (format binary)")) as copy,
    ):
        copy.set_types(_FORECAST_TYPES)
        for f in forecasts:
            await copy.write_row((
                f.asset, f.horizon, f.model_id, model_version, f.as_of, set_id, f.target_start_at,
                f.target_end_at, f.steps, f.variance, f.annualized, *f.bands,
                None if f.families is None else Jsonb(f.families),
                None if f.members is None else Jsonb(f.members),
            ))  # fmt: skip
    added = await conn.execute(
        _sql(
            f"insert into rvol_forecasts ({columns}) select {columns} from news_forecasts n"  # noqa: S608
            " where not exists (select from rvol_forecasts o where o.asset = n.asset"
            " and o.horizon = n.horizon and o.model_id = n.model_id and o.as_of = n.as_of)"
        )
    )
    return added.rowcount


async def set_of(conn: Connection, set_id: int) -> tuple[str, date, datetime]:
    """Family, day and state of knowledge of a published set."""
    rows = await conn.execute(
        "select family, day, known_at from rvol_sets where set_id = %s", (set_id,)
    )
    return cast(tuple[str, date, datetime], await rows.fetchone())


async def proven_version(conn: Connection, model_id: str, origins: int) -> str | None:
    """The newest version of a model whose windows of one day ended at least so many times."""
    rows = await conn.execute(
        """
        select model_version from rvol_models m where model_id = %(model_id)s and %(origins)s <= (
          select count(distinct f.as_of) from rvol_forecasts f
          join rvol_actuals a using (asset, horizon, as_of)
          where f.model_id = m.model_id and f.model_version = m.model_version and a.current
            and f.horizon = (select min(horizon) from rvol_forecasts))
        order by created_at desc limit 1
        """,
        {"model_id": model_id, "origins": origins},
    )
    found = await rows.fetchone()
    return found[0] if found else None


class ActualsSummary(NamedTuple):
    """What new actuals did."""

    added: int
    revised: int


async def put_actuals(
    conn: Connection,
    actuals: Sequence[Actual],
    *,
    now: datetime,
    settle: float,
    known_at: datetime,
) -> ActualsSummary:
    """Keep what was realized; a changed value is a new revision.

    Preliminary until `settle` seconds after the window's end, then final. `known_at` is when the
    measures were read: what changes after it is news to `changed_from`.
    """
    await conn.execute(
        "create temp table if not exists news_actuals (asset text, horizon int2, as_of timestamptz,"
        " target_start_at timestamptz, target_end_at timestamptz, steps int2, variance float8)"
        " on commit drop"
    )
    await conn.execute("truncate news_actuals")
    async with (
        conn.cursor() as cursor,
        cursor.copy("copy news_actuals from stdin (format binary)") as copy,
    ):
        copy.set_types(
            ["text", "int2", "timestamptz", "timestamptz", "timestamptz", "int2", "float8"]
        )
        for a in actuals:
            await copy.write_row((
                a.asset, a.horizon, a.as_of, a.target_start_at, a.target_end_at, a.steps,
                a.variance,
            ))  # fmt: skip
    rows = await conn.execute(
        """
        with news as (
          select n.*, o.revision from news_actuals n
          left join rvol_actuals o on o.asset = n.asset and o.horizon = n.horizon
            and o.as_of = n.as_of and o.current
          where o.asset is null or (o.variance is null) <> (n.variance is null)
             or abs(o.variance - n.variance) > 1e-9 * o.variance
        ), old as (
          update rvol_actuals a set current = false from news
          where a.asset = news.asset and a.horizon = news.horizon and a.as_of = news.as_of
            and a.current
          returning a.asset
        ), added as (
          insert into rvol_actuals (asset, horizon, as_of, revision, target_start_at,
            target_end_at, steps, variance, status, known_at, current)
          select asset, horizon, as_of, coalesce(revision + 1, 0), target_start_at,
            target_end_at, steps, variance,
            case when variance is null then 'incomplete'
                 when target_end_at + %(settle)s * interval '1 second' <= %(now)s then 'final'
                 else 'preliminary' end,
            %(known_at)s, (select count(*) from old) >= 0
          from news returning revision
        )
        select count(*) filter (where revision = 0), count(*) filter (where revision > 0) from added
        """,
        {"now": now, "settle": settle, "known_at": known_at},
    )
    found = await rows.fetchone()
    await conn.execute(
        "update rvol_actuals set status = 'final' where current and status = 'preliminary'"
        " and target_end_at + %s * interval '1 second' <= %s",
        (settle, now),
    )
    return ActualsSummary(*(found or (0, 0)))


# --- answers -------------------------------------------------------------------------------


class Filters(msgspec.Struct, frozen=True):
    """What a caller wants to see; None is everything."""

    model_id: str | None = None
    model_version: str | None = None
    asset: str | None = None
    horizon: int | None = None
    start: datetime | None = None
    end: datetime | None = None


class Position(msgspec.Struct, frozen=True, array_like=True):
    """The last row of a page: newest origins first, then by asset, horizon and model."""

    as_of: datetime
    asset: str
    horizon: int
    model_id: str = ""
    model_version: str = ""


FORECAST_FIELDS = (
    "model_id", "model_version", "asset", "horizon", "as_of", "target_start_at", "target_end_at",
    "steps", "variance", "annualized", "lower_80", "upper_80", "lower_90", "upper_90", "lower_95",
    "upper_95", "issued", "published_at", "origin",
)  # fmt: skip
_MADE = {
    "issued": f"{_ISSUED} as issued",
    "published_at": "s.published_at",
    "origin": f"{_FORECAST_ORIGIN} as origin",
}
_FORECAST_SELECT = ", ".join(_MADE.get(c, f"f.{c}") for c in FORECAST_FIELDS)


_NEWEST = """
(select n.* from rvol_assets a
 cross join (select unnest(%(horizons)s::int2[]) as horizon) h
 cross join (select unnest(%(models)s::text[]) as model_id) m
 cross join lateral (
   select * from rvol_forecasts n where n.asset = a.asset and n.horizon = h.horizon
   and n.model_id = m.model_id
   and (%(newest_version)s::text is null or n.model_version = %(newest_version)s)
   order by n.as_of desc limit 1
 ) n)
"""
"""The newest forecast of each asset, horizon and model: one look at the index for each."""


async def _newest(conn: Connection, filters: Filters) -> dict[str, Any]:
    """The parameters of `_NEWEST`."""
    horizons = await known_horizons(conn) if filters.horizon is None else [filters.horizon]
    return {
        "horizons": horizons,
        "models": [filters.model_id],
        "newest_version": filters.model_version,
    }


def _where(filters: Filters, alias: str, params: dict[str, Any]) -> list[str]:
    found = []
    for name in ("model_id", "model_version", "asset", "horizon"):
        if (value := getattr(filters, name)) is not None:
            found.append(f"{alias}.{name} = %({name})s")
            params[name] = value
    if filters.start is not None:
        found.append(f"{alias}.as_of >= %(start)s")
        params["start"] = filters.start
    if filters.end is not None:
        found.append(f"{alias}.as_of <= %(end)s")
        params["end"] = filters.end
    return found


def _after(alias: str, after: Position, keys: Sequence[str], params: dict[str, Any]) -> str:
    params |= {f"after_{k}": getattr(after, k) for k in ("as_of", *keys)}
    left = ", ".join(f"{alias}.{k}" for k in keys)
    right = ", ".join(f"%(after_{k})s" for k in keys)
    return (
        f"({alias}.as_of < %(after_as_of)s"
        f" or ({alias}.as_of = %(after_as_of)s and ({left}) > ({right})))"
    )


Page = list[Any]
"""A page of an answer: its rows as tuples, or, for files, its columns as lists."""


async def _page(
    conn: Connection,
    fields: Sequence[str],
    select: str,
    params: dict[str, Any],
    *,
    by_column: bool,
) -> Page:
    """What a query finds. As columns it takes half of this process's time that rows take."""
    async with conn.cursor(binary=True) as cursor:
        if not by_column:
            await cursor.execute(_sql(select), params)
            return await cursor.fetchall()
        columns = ", ".join(f"array_agg({name})" for name in fields)
        await cursor.execute(_sql(f"select {columns} from ({select}) found"), params)  # noqa: S608
        found = await cursor.fetchone()
        return [column or [] for column in found or ()]


async def forecasts(
    conn: Connection,
    filters: Filters,
    *,
    limit: int,
    after: Position | None = None,
    latest: bool = False,
    by_column: bool = False,
) -> Page:
    """`FORECAST_FIELDS` of forecasts, newest origins first; with `latest` only each asset's
    newest."""
    params: dict[str, Any] = {"limit": limit}
    if latest:
        params |= await _newest(conn, filters)
    conditions = _where(filters, "f", params)
    keys = ("asset", "horizon", "model_id", "model_version")
    if after is not None:
        conditions.append(_after("f", after, keys, params))
    where = f"where {' and '.join(conditions)}" if conditions else ""
    return await _page(
        conn,
        FORECAST_FIELDS,
        f"""
        select {_FORECAST_SELECT}
        from {_NEWEST if latest else "rvol_forecasts"} f join rvol_sets s using (set_id)
        join rvol_assets a on a.asset = f.asset
        {where}
        order by f.as_of desc, f.asset, f.horizon, f.model_id, f.model_version
        limit %(limit)s
        """,  # noqa: S608
        params,
        by_column=by_column,
    )


ACTUAL_FIELDS = (
    "asset", "horizon", "as_of", "target_start_at", "target_end_at", "steps", "variance", "status",
    "revision", "known_at", "origin",
)  # fmt: skip
_ACTUAL_SELECT = ", ".join(
    f"{_ASSET_ORIGIN} as origin" if c == "origin" else f"r.{c}" for c in ACTUAL_FIELDS
)


async def actuals(
    conn: Connection,
    filters: Filters,
    *,
    limit: int,
    after: Position | None = None,
    by_column: bool = False,
) -> Page:
    """`ACTUAL_FIELDS` of the newest revision of each actual, newest origins first."""
    params: dict[str, Any] = {"limit": limit}
    conditions = ["r.current", *_where(filters, "r", params)]
    if after is not None:
        conditions.append(_after("r", after, ("asset", "horizon"), params))
    return await _page(
        conn,
        ACTUAL_FIELDS,
        f"""
        select {_ACTUAL_SELECT} from rvol_actuals r join rvol_assets a on a.asset = r.asset
        where {" and ".join(conditions)}
        order by r.as_of desc, r.asset, r.horizon limit %(limit)s
        """,  # noqa: S608
        params,
        by_column=by_column,
    )


async def feature_rows(
    conn: Connection, filters: Filters, *, limit: int, after: Position | None = None
) -> list[tuple[Any, ...]]:
    """(asset, horizon, as_of, model_version, families, origin) of each asset's newest blend."""
    params: dict[str, Any] = {"limit": limit, **await _newest(conn, filters)}
    conditions = ["f.families is not null", *_where(filters, "f", params)]
    if after is not None:
        conditions.append(_after("f", after, ("asset", "horizon"), params))
    async with conn.cursor(binary=True) as cursor:
        await cursor.execute(
            _sql(
                f"""
                select f.asset, f.horizon, f.as_of, f.model_version, f.families,
                       {_FORECAST_ORIGIN}
                from {_NEWEST} f join rvol_sets s using (set_id)
                join rvol_assets a on a.asset = f.asset
                where {" and ".join(conditions)}
                order by f.as_of desc, f.asset, f.horizon limit %(limit)s
                """  # noqa: S608
            ),
            params,
        )
        return await cursor.fetchall()


async def known_horizons(conn: Connection) -> list[int]:
    """Horizons there is a forecast or an actual of."""
    found: set[int] = set()
    for table in ("rvol_forecasts", "rvol_actuals"):
        # One look at the index for each, however many rows there are.
        rows = await conn.execute(
            _sql(
                f"""
                with recursive h as (
                  select min(horizon) as horizon from {table}
                  where asset = (select min(asset) from {table})
                  union all
                  select (select min(t.horizon) from {table} t
                          where t.asset = (select min(asset) from {table})
                            and t.horizon > h.horizon)
                  from h where h.horizon is not null
                ) select horizon from h where horizon is not null
                """  # noqa: S608
            )
        )
        found.update(row[0] for row in await rows.fetchall())
    return sorted(found)


class Volatility(NamedTuple):
    """An asset's volatility, annualized: the champion's newest forecast, and what the last window
    of that length realized."""

    as_of: datetime
    forecast: float
    realized: float | None
    origin: str = "live"


async def volatility(conn: Connection, assets: Sequence[str]) -> dict[str, Volatility]:
    """The newest reading of each asset that has one: over a week, or five sessions."""
    named = await aliases(conn)
    rows = await conn.execute(
        f"""
        select a.asset, f.as_of, f.annualized, sqrt(r.variance * k.per_year / r.steps),
               {_ASSET_ORIGIN}
        from rvol_assets a
        join (values (true, 7, 365), (false, 5, 252)) k (always, horizon, per_year)
          on k.always = (a.calendar = '24/7')
        join lateral (select as_of, annualized from rvol_forecasts f where f.asset = a.asset
                      and f.horizon = k.horizon and f.model_id = %(model_id)s
                      order by as_of desc limit 1) f on true
        left join lateral (select variance, steps from rvol_actuals r where r.asset = a.asset
                           and r.horizon = k.horizon and r.current and r.variance is not null
                           order by as_of desc limit 1) r on true
        where a.asset = any(%(assets)s)
        """,  # noqa: S608
        {"model_id": named.get("champion", ("blend", None))[0], "assets": list(assets)},
    )
    return {asset: Volatility(*values) for asset, *values in await rows.fetchall()}


async def volatility_history(
    conn: Connection, asset: str, start: datetime, end: datetime
) -> tuple[list[tuple[datetime, float]], list[tuple[datetime, float]]]:
    """What `volatility` would have said over [start, end): forecasts, and what was realized, each
    at the origin of its window."""
    named = await aliases(conn)
    given = {
        "asset": asset, "start": start, "end": end,
        "model_id": named.get("champion", ("blend", None))[0],
    }  # fmt: skip
    forecast = await conn.execute(
        """
        select f.as_of, f.annualized from rvol_assets a
        join rvol_forecasts f on f.asset = a.asset and f.model_id = %(model_id)s
          and f.horizon = case when a.calendar = '24/7' then 7 else 5 end
        where a.asset = %(asset)s and f.as_of >= %(start)s and f.as_of < %(end)s order by 1
        """,
        given,
    )
    realized = await conn.execute(
        """
        select r.as_of,
               sqrt(r.variance * case when a.calendar = '24/7' then 365 else 252 end / r.steps)
        from rvol_assets a
        join rvol_actuals r on r.asset = a.asset and r.current and r.variance is not null
          and r.horizon = case when a.calendar = '24/7' then 7 else 5 end
        where a.asset = %(asset)s and r.as_of >= %(start)s and r.as_of < %(end)s order by 1
        """,
        given,
    )
    return (
        [(at, value) for at, value in await forecast.fetchall()],
        [(at, value) for at, value in await realized.fetchall()],
    )


class Scored(NamedTuple):
    """Forecasts of one asset, horizon and model beside what came, by origin."""

    asset: str
    horizon: int
    model_id: str
    days: np.ndarray
    forecast: np.ndarray
    actual: np.ndarray
    bands: np.ndarray
    """(origins, 6)"""
    live: np.ndarray
    origin: str = "live"
    """Of the asset's data."""


async def scored(conn: Connection, filters: Filters) -> list[Scored]:
    """Every forecast whose window is over, joined with what was realized."""
    params: dict[str, Any] = {}
    conditions = ["r.current", "r.variance > 0", *_where(filters, "f", params)]
    bands = ("lower_80", "upper_80", "lower_90", "upper_90", "lower_95", "upper_95")
    columns = ", ".join(f"array_agg(f.{c} order by f.as_of)" for c in bands)
    async with conn.cursor(binary=True) as cursor:
        await cursor.execute(
            _sql(
                f"""
                select f.asset, f.horizon, f.model_id, array_agg(s.day order by f.as_of),
                       array_agg(f.variance order by f.as_of),
                       array_agg(r.variance order by f.as_of),
                       array_agg(s.issued = 'live' and a.origin <> 'sample' order by f.as_of),
                       {_ASSET_ORIGIN}, {columns}
                from rvol_forecasts f join rvol_sets s using (set_id)
                join rvol_actuals r using (asset, horizon, as_of)
                join rvol_assets a using (asset)
                where {" and ".join(conditions)}
                group by 1, 2, 3, a.origin order by 1, 2, 3
                """  # noqa: S608
            ),
            params,
        )
        return [
            Scored(
                asset, horizon, model_id, np.array([number(d) for d in days]), np.array(forecast),
                np.array(actual), np.array(bounds).T, np.array(live), origin,
            )
            for asset, horizon, model_id, days, forecast, actual, live, origin, *bounds
            in await cursor.fetchall()
        ]  # fmt: skip
