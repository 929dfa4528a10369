"""Keeps the price bars of covered coins (those whose volatility is forecast) up to date: decides
which days to fetch and from where, and records the result."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta

import msgspec
import structlog

from augury.clock import Clock, now
from augury.errors import AuguryError
from augury.rvol import calendars, store
from augury.rvol.calendars import ALWAYS, DAY_SECONDS, date_of, day_number
from augury.rvol.feeds import Archive, Exchanges, FeedFailed, Offline
from augury.rvol.ingest import Table, store_bars
from augury.rvol.store import CoveredAsset
from augury.settings import Settings
from augury.storage.database import Database

log = structlog.get_logger(__name__)

COINS = {
    "BTC": "Bitcoin", "ETH": "Ethereum", "SOL": "Solana", "XRP": "XRP", "BNB": "BNB",
    "DOGE": "Dogecoin", "ADA": "Cardano", "TRX": "TRON", "AVAX": "Avalanche", "LINK": "Chainlink",
    "DOT": "Polkadot", "LTC": "Litecoin", "BCH": "Bitcoin Cash", "NEAR": "NEAR", "UNI": "Uniswap",
    "APT": "Aptos", "ICP": "Internet Computer", "ETC": "Ethereum Classic", "XLM": "Stellar",
    "FIL": "Filecoin", "ATOM": "Cosmos", "ARB": "Arbitrum", "OP": "Optimism", "SUI": "Sui",
    "INJ": "Injective", "HBAR": "Hedera", "AAVE": "Aave", "ALGO": "Algorand", "SEI": "Sei",
    "TON": "Toncoin",
}  # fmt: skip
"""By asset key (e.g. BTC): display name of each coin whose volatility is forecast by default
(setting `AUGURY_RVOL_COINS`). Prices are in USDT. Stablecoins are left out: their variance is too
close to zero for models of its logarithm."""
BAR_MINUTES = 5
BACKFILL_DAYS = 400
"""Days of past price bars that are fetched for a new coin."""
RECHECK_DAYS = 3
"""Number of a coin's latest stored days that are fetched again each time, because exchanges correct
their price bars."""
COMPLETE_PAUSE = timedelta(hours=6)
"""Shortest time from a successful fetch of a coin to its next fetch, if the stored data are
complete, i.e. reach the last day that has ended. The next fetch then only looks for corrections of
past prices."""
INCOMPLETE_PAUSE = timedelta(minutes=30)
"""Shortest time from a successful fetch of a coin to its next fetch, if the stored data are
incomplete, i.e. do not reach the last day that has ended. A failed fetch is repeated in the next
round, without this wait."""
ARCHIVE_ABOVE_DAYS = 45
"""If a coin lacks more days than this, whole months are downloaded from an archive of monthly files
(`feeds.Archive`), which is faster, and only the remaining days are fetched from exchanges.
Otherwise all days are fetched from exchanges."""
CHUNK_DAYS = 30
"""Days of price bars that are fetched from an exchange and stored at a time. If a connection
breaks, only the current portion has to be fetched again."""


class Collected(msgspec.Struct):
    """What one round of fetching price bars did: how many assets were fetched, how many of their
    days were added and changed and, for each asset whose fetch failed, the reason."""

    assets: int = 0
    added: int = 0
    changed: int = 0
    failed: dict[str, str] = msgspec.field(default_factory=dict)


class Collector:
    """Keeps up to date the price bars of coins whose volatility is forecast: fetches missing bars
    from exchanges, and stores them with the daily measures computed from them."""

    def __init__(
        self,
        database: Database,
        settings: Settings,
        *,
        clock: Clock = now,
        exchanges: Exchanges | None = None,
        archive: Archive | None = None,
    ) -> None:
        self._database = database
        self._settings = settings
        self._clock = clock
        self._given = exchanges, archive

    async def collect(self) -> Collected:
        """Run one round: fetch the missing price bars of each coin. Stops early when no exchange
        can be reached. Returns what was fetched and which coins failed."""
        done = Collected()
        settings = self._settings
        exchanges = self._given[0] or Exchanges(
            settings.rvol_exchanges,
            deadline=settings.upstream_timeout,
            url=settings.rvol_exchange_url,
        )
        archive = self._given[1] or (
            Archive(settings.rvol_archive_url) if settings.rvol_archive_url else None
        )
        try:
            for asset in await self._covered():
                if not self._due(asset):
                    continue
                failure = None
                try:
                    added, changed = await self._one(asset, exchanges, archive)
                    done.assets += 1
                    done.added += added
                    done.changed += changed
                except Offline as error:
                    log.warning("no_exchange_reached", reason=str(error))
                    done.failed[asset.asset] = str(error)
                    await self._note(asset, str(error))
                    break
                except AuguryError as error:
                    failure = str(error)
                    done.failed[asset.asset] = failure
                await self._note(asset, failure)
        finally:
            await exchanges.close()
            if archive is not None:
                await archive.close()
        return done

    async def _covered(self) -> list[CoveredAsset]:
        """The assets to fetch: stored assets that are active and have a trading pair (`source`) to
        ask exchanges for, and coins named in the settings that are not stored yet."""
        async with self._database.reading() as conn:
            known = await store.assets(conn)
        real = {a.asset: a for a in known if a.origin != "sample"}
        new = [
            CoveredAsset(
                asset=coin, display_name=COINS.get(coin, coin), target_family="crypto",
                calendar=ALWAYS, minutes=BAR_MINUTES, source=f"{coin}/USDT", origin="exchange",
            )
            for coin in self._settings.rvol_coins
            if coin not in real
        ]  # fmt: skip
        return [a for a in real.values() if a.source and a.active] + new

    def _due(self, asset: CoveredAsset) -> bool:
        last = self._last_day()
        if asset.fetched_at is None:
            return True
        # A day with too many gaps never counts, so `behind` may stay true: INCOMPLETE_PAUSE keeps
        # such a day from being fetched in every round.
        behind = asset.data_through is None or day_number(asset.data_through) < last
        return self._clock() - asset.fetched_at > (INCOMPLETE_PAUSE if behind else COMPLETE_PAUSE)

    def _last_day(self) -> int:
        return calendars.calendar(ALWAYS).day_at(int(self._clock().timestamp()))

    async def _one(
        self, asset: CoveredAsset, exchanges: Exchanges, archive: Archive | None
    ) -> tuple[int, int]:
        last = self._last_day()
        first = last - BACKFILL_DAYS + 1
        if asset.data_through is not None:
            first = max(first, day_number(asset.data_through) - RECHECK_DAYS + 1)
        added = changed = 0
        if archive is not None and last - first >= ARCHIVE_ABOVE_DAYS:
            for month in _whole_months(first, last):
                try:
                    found = await archive.month(asset.source or "", month, asset.minutes)
                except FeedFailed as error:
                    # The exchanges have the same days, only slower.
                    log.warning("archive_download_failed", asset=asset.asset, reason=str(error))
                    break
                if found is None:
                    continue
                done = await store_bars(
                    self._database, Table(asset.asset, *found, asset.minutes), asset, "archive"
                )
                added, changed = added + done.added, changed + done.changed
                first = day_number(_following(month))
        while first <= last:
            upto = min(first + CHUNK_DAYS, last + 1)
            try:
                venue, found = await exchanges.bars(
                    asset.source or "", first * DAY_SECONDS, upto * DAY_SECONDS, asset.minutes
                )
            except FeedFailed as error:
                # No venue has bars from before the coin was listed.
                if isinstance(error, Offline) or upto > last:
                    raise
            else:
                done = await store_bars(
                    self._database, Table(asset.asset, *found, asset.minutes), asset, venue
                )
                added, changed = added + done.added, changed + done.changed
            first = upto
        return added, changed

    async def _note(self, asset: CoveredAsset, failure: str | None) -> None:
        async with self._database.transaction() as conn:
            await store.note_fetch(conn, asset.asset, failure, self._clock())
            await store.invalidate_answers(conn)


def _whole_months(first: int, last: int) -> Sequence[date]:
    """The first day of each month all of whose days lie from `first` to `last`, both inclusive
    (days since 1970-01-01)."""
    month = date_of(first).replace(day=1)
    if day_number(month) < first:
        month = _following(month)
    out = []
    while day_number(_following(month)) - 1 <= last:
        out.append(month)
        month = _following(month)
    return out


def _following(month: date) -> date:
    return (month + timedelta(days=32)).replace(day=1)
