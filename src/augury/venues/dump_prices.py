"""Matches the rows of dump files of prices with markets and outcomes, turns them into price points,
and refuses bad rows.

Times without a zone are UTC. A price of 0 or 1 is refused, because it means "no quote".
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

import polars as pl

from augury.markets.quote_checks import MAX_SHRUNKEN, MIN_BATCH, MIN_EVENTS
from augury.markets.records import PricePoint
from augury.venues.dump import DumpFile
from augury.venues.records import KnownMarket
from augury.venues.wire import moment


def match_prices(file: DumpFile, known: Iterable[KnownMarket]) -> pl.DataFrame:
    """A price file's rows, each with its market and outcome, or with the reason for refusing it.

    The market id `kalshi:event:TICKER` names a whole event. The row's label is then the subtitle of
    the market meant, or Yes or No if the event has only one market.

    Returns
    -------
    DataFrame
        `given, label, market_id, outcome (index), at (UTC), price, source, reason`; reason is null
        for a row that can be stored.
    """
    frame = file.frame
    rows = frame.select(
        given=pl.col("market_id").cast(pl.String),
        label=(pl.col("outcome").cast(pl.String) if "outcome" in frame.columns else pl.lit("Yes")),
        at=_utc(frame, "ts"),
        price=pl.col("price").cast(pl.Float64, strict=False),
        source=pl.lit("dump:")
        + (
            pl.col("kind").cast(pl.String).fill_null("price").str.slice(0, 40)
            if "kind" in frame.columns
            else pl.lit("price")
        ),
    )
    lookup = _lookup(known, unlabeled="outcome" not in frame.columns)
    rows = rows.with_columns(key=_folded(pl.col("label"))).join(
        lookup, on=["given", "key"], how="left", maintain_order="left"
    )
    known_series = rows["given"].is_in(lookup["given"].unique().implode())
    price, is_event = pl.col("price"), pl.col("given").str.contains(":event:", literal=True)
    reason = (
        pl.when(pl.col("given").is_null() | pl.col("given").str.ends_with(":"))
        .then(pl.lit("no id"))
        .when(price.is_null() | price.is_nan() | (price < 0) | (price > 1))
        .then(pl.lit("bad price"))
        .when(pl.col("at").is_null())
        .then(pl.lit("bad time"))
        .when(pl.col("market_id").is_null() & is_event)
        .then(pl.lit("this label fits no market of the event, or several"))
        .when(pl.col("market_id").is_null() & ~known_series)
        .then(pl.lit("unknown market"))
        .when(pl.col("market_id").is_null())
        .then(pl.lit("unknown outcome"))
        .when((price == 0) | (price == 1))
        .then(pl.lit("no quote (0 or 1)"))
    )
    return rows.with_columns(reason=reason).select(
        "given", "label", "market_id", "outcome", "at", "price", "source", "reason"
    )


def in_another_unit(rows: pl.DataFrame, known: Iterable[KnownMarket]) -> pl.DataFrame:
    """Those of `rows` (from `match_prices`) whose prices look a hundred times too small.

    Rows with the same venue, source and time form a batch. A batch is returned if all its Yes
    prices are at most `MAX_SHRUNKEN` (a cent), and if it has at least `MIN_BATCH` markets of at
    least `MIN_EVENTS` events.
    """
    events = {market.id: market.event_id or market.id for market in known}
    key = ["venue", "source", "at"]
    rows = rows.with_columns(
        venue=pl.col("market_id").str.split(":").list.first(),
        event=pl.col("market_id").replace(events),
    )
    small = rows.group_by(key).agg(
        n=pl.col("market_id").n_unique(), events=pl.col("event").n_unique(), most=_yes().max()
    )
    small = small.filter(
        (pl.col("n") >= MIN_BATCH)
        & (pl.col("events") >= MIN_EVENTS)
        & (pl.col("most") <= MAX_SHRUNKEN)
    )
    return rows.join(small.select(key), on=key, how="semi").drop("venue", "event")


def _yes() -> pl.Expr:
    """Polars expression: a row's price if it is the price of the first outcome, else null."""
    return pl.when(pl.col("outcome") == 0).then(pl.col("price"))


def points(rows: pl.DataFrame) -> list[PricePoint]:
    """Price rows (as `match_prices` returns them, none of them refused) as price points."""
    columns = rows.select("market_id", "outcome", "at", "price", "source")
    return [
        PricePoint(market_id=id_, outcome=outcome, at=at, price=price, source=source)
        for id_, outcome, at, price, source in columns.iter_rows()
    ]


def _utc(frame: pl.DataFrame, name: str) -> pl.Expr:
    """Polars expression: column `name` as UTC times. Times without a zone are taken as UTC. Numbers
    are taken as seconds since 1970, or as milliseconds if they are above 1e11."""
    dtype = frame.schema[name]
    if isinstance(dtype, pl.Datetime):
        column = pl.col(name).cast(pl.Datetime("us", dtype.time_zone))
        if dtype.time_zone is None:
            return column.dt.replace_time_zone("UTC")
        return column.dt.convert_time_zone("UTC")
    aware = pl.Datetime("us", "UTC")
    if dtype.is_numeric():
        value = pl.col(name).cast(pl.Float64)
        seconds = pl.when(value.abs() > 1e11).then(value / 1000).otherwise(value)
        return (seconds * 1e6).cast(pl.Int64, strict=False).cast(pl.Datetime("us")).cast(aware)
    # Text: each distinct value is parsed once.
    stamps = frame[name].unique().drop_nulls().cast(pl.String)
    read: dict[str, datetime | None] = {stamp: moment(stamp) for stamp in stamps}
    return pl.col(name).cast(pl.String).replace_strict(read, default=None, return_dtype=aware)


def _folded(column: pl.Expr) -> pl.Expr:
    return column.fill_null("").str.strip_chars().str.to_lowercase()


def _lookup(known: Iterable[KnownMarket], *, unlabeled: bool) -> pl.DataFrame:
    """Maps (id in the price file, label in lower case) to (market id, index of the outcome).
    Ambiguous keys are left out. `unlabeled`: the file has no outcome column, so "Yes" stands for a
    market's first outcome."""
    given: list[str] = []
    keys: list[str] = []
    ids: list[str] = []
    places: list[int] = []

    def note(series: str, label: str, id_: str, place: int) -> None:
        given.append(series)
        keys.append(label.strip().lower())
        ids.append(id_)
        places.append(place)

    of_event: dict[str, list[KnownMarket]] = {}
    for one in known:
        for place, label in enumerate(one.outcomes):
            note(one.id, label, one.id, place)
        if unlabeled and "yes" not in {label.strip().lower() for label in one.outcomes}:
            note(one.id, "Yes", one.id, 0)
        for place, token in enumerate(one.token_ids):
            for label in one.outcomes[place : place + 1]:
                note(f"polymarket:token:{token}", label, one.id, place)
        if one.event_id is not None and one.id.startswith("kalshi:"):
            of_event.setdefault(f"kalshi:event:{one.event_id}", []).append(one)
    for series, members in of_event.items():
        for one in members:
            if one.subtitle:
                note(series, one.subtitle, one.id, 0)
        if len(members) == 1:
            note(series, "Yes", members[0].id, 0)
            note(series, "No", members[0].id, 1)
    return pl.DataFrame(
        {"given": given, "key": keys, "market_id": ids, "outcome": places},
        schema={
            "given": pl.String,
            "key": pl.String,
            "market_id": pl.String,
            "outcome": pl.Int16,
        },
        # If two markets of one event have the same label, it identifies neither of them.
    ).unique(["given", "key"], keep="none")
