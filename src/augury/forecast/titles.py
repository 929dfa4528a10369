"""Questions with a known end: the titles of resolved markets, asked while they were open."""

from __future__ import annotations

import random
from bisect import bisect_right
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from augury.forecast.evaluate import Asked

if TYPE_CHECKING:
    import polars as pl

    from augury.venues.dump import DumpFile

LEAST_LEFT: Final = timedelta(days=3)
"""Time before the end at which a title may be asked."""
PER_EVENT: Final = 4
"""Titles of one event, which end together."""
DAYS_BEFORE: Final = (2, 5, 10, 20, 35)
"""Days before its end as of which a title may be asked, whatever its newest price then."""


def resolved(markets: pl.DataFrame, prices: pl.DataFrame, *, most: int, seed: int) -> list[Asked]:
    """At most `most` titles of Yes/No markets that were decided, each asked at one of its recorded
    prices (drawn by `seed`), at least `LEAST_LEFT` before its end.

    markets, prices : as in a dump
    """
    import polars as pl

    rng = random.Random(seed)
    decided = markets.filter(
        (pl.col("status") == "resolved")
        & pl.col("result").is_in(["Yes", "No"])
        & (pl.col("outcomes").list.first() == "Yes")
    ).with_columns(
        end=pl.min_horizontal("closes_at", "resolved_at"),
        event=pl.coalesce("event_id", "event_title", "id"),
    )
    priced = (
        prices.rename({"market_id": "id"})
        .join(decided.select("id", "question", "result", "event", "end"), on="id")
        .filter(
            (pl.col("ts") <= pl.col("end") - LEAST_LEFT) & pl.col("price").is_between(0.01, 0.99)
        )
        .sort("id", "ts")
    )
    by_market: dict[str, list[dict]] = {}
    for row in priced.iter_rows(named=True):
        by_market.setdefault(row["id"], []).append(row)
    found: list[Asked] = []
    of_event: dict[str, int] = {}
    for name in rng.sample(sorted(by_market), len(by_market)):
        row = rng.choice(by_market[name])
        of_event[row["event"]] = of_event.get(row["event"], 0) + 1
        if of_event[row["event"]] > PER_EVENT:
            continue
        found.append(
            Asked(
                qid=name, kind="paraphrase", question=row["question"],
                as_of=row["ts"].replace(tzinfo=UTC) + timedelta(minutes=1), market_id=name,
                p=row["price"], outcome=float(row["result"] == "Yes"), event=row["event"],
            )
        )  # fmt: skip
        if len(found) == most:
            break
    return found


def _is_before(at: datetime | None, end: datetime) -> bool:
    return at is not None and at < end


def before_the_end(markets: DumpFile, prices: DumpFile, *, most: int, seed: int) -> list[Asked]:
    """At most `most` titles of resolved markets of a dump in any form, each asked once, some days
    before its end (which of `DAYS_BEFORE`: by `seed`), at which it had been priced.

    `p` is the last price recorded before, however old it is then; `outcome` is 1 where the first
    outcome won.
    """
    from augury.clock import now
    from augury.markets.records import Market
    from augury.venues.dump import match_prices, read_markets
    from augury.venues.records import KnownMarket

    decided = {
        m.id: m
        for part in read_markets(markets)
        for m in part
        if isinstance(m, Market) and m.resolution is not None and (m.resolved_at or m.closes_at)
    }
    known = [
        KnownMarket(m.id, list(m.outcomes), m.event_id, m.subtitle, []) for m in decided.values()
    ]
    rows = match_prices(prices, known)
    rows = rows.filter(rows["reason"].is_null() & (rows["outcome"] == 0)).sort("market_id", "at")
    history: dict[str, tuple[list[datetime], list[float]]] = {}
    for name, at, price in rows.select("market_id", "at", "price").iter_rows():
        times, values = history.setdefault(name, ([], []))
        times.append(at)
        values.append(price)
    rng = random.Random(seed)
    found: list[Asked] = []
    of_event: dict[str, int] = {}
    for name in rng.sample(sorted(history), len(history)):
        market, (times, values) = decided[name], history[name]
        end = min(at for at in (market.closes_at, market.resolved_at) if at is not None)
        if end > now() or (market.resolved_at is None and _is_before(market.observed_at, end)):
            continue  # decided earlier than it was to close, and nobody says when
        moments = [at for n in DAYS_BEFORE if (at := end - timedelta(days=n)) > times[0]]
        event = market.event_id or market.event_name or market.id
        if not moments or of_event.get(event, 0) == PER_EVENT:
            continue
        of_event[event] = of_event.get(event, 0) + 1
        as_of = rng.choice(moments)
        found.append(
            Asked(
                qid=name, kind="paraphrase", question=market.question, as_of=as_of, market_id=name,
                p=values[bisect_right(times, as_of) - 1],
                outcome=float(market.resolution == market.outcomes[0]), event=event,
            )
        )  # fmt: skip
        if len(found) == most:
            break
    return found
