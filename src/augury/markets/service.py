"""The operations on the catalogue: lists of markets, one market with its history, the quarantine of
quotes that can't be right, and the sample (invented markets for a new installation)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta

from augury.clock import Clock, now
from augury.errors import InvalidInput, NotFound
from augury.markets import samples, store
from augury.markets.files import Files
from augury.markets.freshness import AgeRule
from augury.markets.history import Detail, History, complement
from augury.markets.naming import read_name
from augury.markets.paging import MarketPage, read_page, shown
from augury.markets.quote_checks import Reason
from augury.markets.store import Bucket, Filters, Position, Sort, StoredMarket
from augury.markets.volume import bars
from augury.storage.database import Database

INTERVALS = (1, 5, 60, 1440)
"""Lengths, in minutes, that the intervals of a price history may have."""

MAX_INTERVALS = 10_000
"""Largest number of intervals that one price history may span."""

SPARK_DAYS = 30
"""Number of daily prices in a sparkline."""

_WINDOW = {
    1: timedelta(days=1),
    5: timedelta(days=7),
    60: timedelta(days=30),
    1440: timedelta(days=365),
}
"""Length of the intervals of a price history, in minutes -> default length of the whole history."""
_RELATED = 50
"""A market's details list at most this many other markets of the same event or family."""
_LATEST_PRICES = 200
"""A market's details contain at most this many recorded prices of each outcome, the latest ones."""


class MarketService:
    """The operations on the catalogue of markets in one database. They list markets, give a
    market's details and past prices, handle the quarantine of quotes that can't be right, and add
    or delete the sample (invented markets for a new installation).

    The fields `status` and `stale` of the returned markets come from the age rule (`freshness`),
    which decides whether a status and a price can still be relied on.
    """

    def __init__(
        self,
        database: Database,
        *,
        age: AgeRule = AgeRule(),
        clock: Clock = now,
    ) -> None:
        self._database = database
        self._age = age
        self._clock = clock
        self.files = Files(database.url, age, clock)

    async def close(self) -> None:
        """End the process that makes files of markets; files in progress are not finished."""
        await self.files.close()

    def shown(self, markets: Iterable[StoredMarket]) -> list[StoredMarket]:
        """The given markets with the status and staleness that they have now."""
        return shown(markets, self._age, self._clock())

    async def page(
        self, filters: Filters, *, sort: Sort, limit: int, after: Position | None = None
    ) -> MarketPage:
        """At most `limit` markets of the list with these filters and sort order: those after the
        position `after`; None: from the beginning."""
        async with self._database.reading() as conn:
            return await read_page(
                conn, filters, sort, limit=limit, after=after, age=self._age, at=self._clock()
            )

    async def detail(self, market_id: str) -> Detail:
        """One market, given by its id, UUID, address or slug, with its latest prices and other
        markets: first those of its event, then those of other events that have the same name.
        Raises NotFound."""
        async with self._database.reading() as conn:
            market = await self._market(conn, market_id)
            prices = await store.latest_prices(conn, market, _LATEST_PRICES)
            related = await store.fetch_related(conn, market, _RELATED)
        [market, *related] = self.shown([market, *related])
        return Detail(market, prices, related)

    async def history(
        self,
        market_id: str,
        *,
        start: datetime | None = None,
        end: datetime | None = None,
        interval_minutes: int = 60,
    ) -> History:
        """A market's prices over a window, one per interval. Intervals are aligned to midnight UTC.

        Without `end`, the window ends now. But if `start` is missing, too, and the market is no
        longer active, the window ends with the last recorded price. Without `start`, the window is
        a day, a week, a month or a year long, depending on the interval.
        """
        async with self._database.reading() as conn:
            market = await self._market(conn, market_id)
            if end is None:
                end = self._clock()
                if market.status != "active" and start is None:
                    last = await store.last_price_at(conn, market.seq)
                    end = min(end, last + timedelta(microseconds=1)) if last else end
            start = start or end - _WINDOW[interval_minutes]
            _check_window(start, end, interval_minutes)
            buckets = await store.history(
                conn, market.seq, start=start, end=end, interval_minutes=interval_minutes
            )
            readings = await store.volume_readings(
                conn, market.seq, start=start, end=end, interval_minutes=interval_minutes
            )
        width = timedelta(minutes=interval_minutes)
        series = to_series(buckets, len(market.outcomes), width)
        traded = bars(readings, start, width)
        [market] = self.shown([market])
        window = (start.astimezone(UTC), end.astimezone(UTC))
        return History(market, *window, interval_minutes, series, traded)

    async def native_ids(self, market_ids: Sequence[str]) -> list[str]:
        """For each name (id, UUID, address or slug), the id of the market that it names. A name of
        no market is returned unchanged."""
        async with self._database.reading() as conn:
            names = await store.native_ids(conn, market_ids)
        return [names.get(id_, id_) for id_ in market_ids]

    async def sparklines(self, market_ids: Sequence[str]) -> list[store.Spark]:
        """Thirty daily prices (`SPARK_DAYS`) of each of these markets, up to the time of its quote.
        Markets without a quote are left out. The markets are given by id, UUID, address or slug."""
        async with self._database.reading() as conn:
            names = await store.native_ids(conn, market_ids)
            own = [names.get(id_, id_) for id_ in market_ids]
            return await store.sparks(conn, own, SPARK_DAYS)

    async def _market(self, conn: store.Connection, market_id: str) -> StoredMarket:
        # PostgreSQL cannot store NUL in text, and refuses queries that contain it.
        found = [] if "\0" in market_id else await store.fetch(conn, [market_id])
        if not found:
            names = await store.native_ids(conn, [market_id])
            found = await store.fetch(conn, list(names.values()))
        if found:
            return found[0]
        name = read_name(market_id)
        if name is not None and len(several := await store.named_by(conn, name)) > 1:
            raise NotFound(
                f"This id names several markets. Choose one of them: {', '.join(several)}"
            )
        raise NotFound("No market has this id.")

    async def quarantined(
        self, ids: Sequence[str] | None = None, *, reason: Reason | None = None, limit: int
    ) -> list[store.Held]:
        """Quotes and recorded prices that are held in quarantine because they can't be right, at
        most `limit`.

        ids : names (id, UUID, address or slug) of the markets; None: all markets
        """
        async with self._database.reading() as conn:
            names = None if ids is None else await self._named(conn, ids)
            return await store.held(conn, ids=names, reason=reason, limit=limit)

    async def release(
        self, ids: Sequence[str] | None = None, *, reason: Reason | None = None
    ) -> tuple[int, int]:
        """Give quotes and recorded prices in quarantine back to their markets. Returns how many
        quotes and how many recorded prices these were.

        ids : names (id, UUID, address or slug) of the markets; None: all markets
        """
        async with self._database.transaction() as conn:
            names = None if ids is None else await self._named(conn, ids)
            return await store.release(conn, ids=names, reason=reason)

    @staticmethod
    async def _named(conn: store.Connection, ids: Sequence[str]) -> list[str]:
        names = await store.native_ids(conn, ids)
        if unknown := [one for one in ids if one not in names]:
            raise NotFound(f"No market has the id {unknown[0]}.")
        return list(names.values())

    async def drop_sample(self) -> int:
        """Delete the sample data (invented markets and prices). Returns the number of markets
        deleted."""
        async with self._database.transaction() as conn:
            await store.lock_for_ingest(conn)
            return await store.drop_sample(conn)

    async def ensure_sample(self) -> int:
        """Add the sample, a small invented catalogue, if there are no markets at all. Returns the
        number of markets added."""
        async with self._database.transaction() as conn:
            await store.lock_for_ingest(conn)
            if not await store.is_empty(conn):
                return 0
            markets, points = samples.generate(self._clock())
            summary = await store.upsert_markets(conn, markets)
            await store.append_prices(conn, points)
            return summary.inserted


def _check_window(start: datetime, end: datetime, interval_minutes: int) -> None:
    if start >= end:
        raise InvalidInput.at("query", "start", msg="start must be before end")
    count = (end - start) / timedelta(minutes=interval_minutes)
    if count > MAX_INTERVALS:
        raise InvalidInput.at(
            "query",
            "start",
            msg=f"The window spans {count:,.0f} intervals of {interval_minutes} min; the maximum "
            f"is {MAX_INTERVALS:,}. Shorten the window or use longer intervals",
            type="window_too_long",
        )


def to_series(
    buckets: list[Bucket], outcomes: int, interval: timedelta
) -> list[list[tuple[datetime, float | None]]]:
    """For each outcome, a list of pairs: the start of an interval, and the last price in that
    interval (None: no price). The list reaches from the first to the last interval with a price.
    `buckets`: the recorded prices. If one of two outcomes has no price, it gets 1 minus the price
    of the other."""
    by_start: dict[datetime, dict[int, float]] = {}
    for bucket in buckets:
        by_start.setdefault(bucket.start, {})[bucket.outcome] = bucket.price
    known: list[dict[datetime, float]] = [{} for _ in range(outcomes)]
    for start, prices in by_start.items():
        for outcome, price in complement(prices, outcomes).items():
            if outcome < outcomes:
                known[outcome][start] = price
    series: list[list[tuple[datetime, float | None]]] = []
    for points in known:
        if not points:
            series.append([])
            continue
        first, last = min(points), max(points)
        steps = (last - first) // interval
        at = [first + n * interval for n in range(steps + 1)]
        series.append([(moment, points.get(moment)) for moment in at])
    return series
