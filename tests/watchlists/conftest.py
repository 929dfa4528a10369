"""Watchlists over a real database, with a clock set by hand."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from augury.access.service import AccessService
from augury.deliveries.service import DeliveryService
from augury.markets import store as markets
from augury.markets.records import Market, PricePoint
from augury.net.addresses import AddressPolicy
from augury.rvol import store as rvol
from augury.rvol.store import CoveredAsset
from augury.settings import Settings
from augury.storage.database import Database
from augury.storage.vault import Vault
from augury.watchlists.evaluation import Evaluator
from augury.watchlists.observe import Observer
from augury.watchlists.rules import Rule
from augury.watchlists.service import WatchlistService

T0 = datetime(2026, 5, 1, 12, tzinfo=UTC)
SECOND = timedelta(seconds=1)


def market(n: int | str = 1, price: float | None = 0.4, at: datetime = T0, **fields: Any) -> Market:
    """Market `polymarket:<n>` with its first outcome at `price`."""
    defaults: dict[str, Any] = {
        "id": f"polymarket:{n}",
        "platform": "polymarket",
        "platform_id": str(n),
        "question": f"Will number {n} happen?",
        "title": f"Will number {n} happen?",
        "prices": (price, None if price is None else round(1 - price, 6)),
        "price_as_of": at,
        "observed_at": at,
    }
    return Market(**{**defaults, **fields})


def a_rule(**fields: Any) -> Rule:
    defaults: dict[str, Any] = {"id": "", "name": "High", "metric": "probability", "op": "gt",
                                "threshold": 0.5}  # fmt: skip
    return Rule(**{**defaults, **fields})


class World:
    """One database with its services, and a clock."""

    def __init__(self, database: Database, settings: Settings) -> None:
        self.database = database
        self.now = T0
        self.found: list[str] = []
        self.woken = 0
        self.links: dict[str, list[tuple[str, bool]]] = {}
        self.readings: dict[str, Any] = {}
        self.vault = Vault(settings)
        self.policy = AddressPolicy.of(["127.0.0.1"], http=True)
        self.deliveries = DeliveryService(database, self.vault, self.policy)
        self.evaluator = Evaluator(
            database,
            Observer(find_twins=self._find_twins, volatility=self._volatility),
            self._search,
            wake=self._woken,
            clock=self.clock,
        )
        self.watchlists = WatchlistService(
            database, self.evaluator, self.deliveries, clock=self.clock
        )
        self.access = AccessService(database, remember=0)
        self.account = ""
        self.watchlist = ""

    async def _find_twins(self, conn: Any, seqs: Any) -> dict[int, list[tuple[int, bool]]]:
        names = {one for i, others in self.links.items() for one in (i, *(o for o, _ in others))}
        seq = {i: quote.seq for i, quote in (await markets.quotes(conn, list(names))).items()}
        return {
            seq[i]: [(seq[other], inverted) for other, inverted in others]
            for i, others in self.links.items()
            if seq[i] in seqs
        }

    async def _volatility(self, conn: Any, assets: Any) -> dict[str, Any]:
        return {a: self.readings[a] for a in assets if a in self.readings}

    async def _search(self, query: str, most: int) -> list[str]:
        return self.found[:most]

    def _woken(self) -> None:
        self.woken += 1

    def clock(self) -> datetime:
        return self.now

    def passes(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)

    async def begin(self) -> None:
        """An account with a watchlist."""
        key, _ = await self.access.create_key("owner", ["watch:write"])
        self.account = key.account_id
        self.watchlist = (await self.watchlists.create(self.account, "Mine", None)).watchlist.id

    async def put(self, *given: Market) -> None:
        async with self.database.transaction() as conn:
            await markets.upsert_markets(conn, given)

    async def quote(self, n: int | str, price: float | None, **fields: Any) -> None:
        """A new price, now."""
        await self.put(market(n, price, self.now, **fields))

    async def history(self, n: int, points: list[tuple[datetime, float]]) -> None:
        async with self.database.transaction() as conn:
            await markets.append_prices(
                conn,
                [
                    PricePoint(market_id=f"polymarket:{n}", outcome=0, at=at, price=price)
                    for at, price in points
                ],
            )

    async def target(self, ref: str, kind: Any = "market", **fields: Any) -> str:
        if kind == "asset" and ref.isalnum():
            covered = CoveredAsset(
                asset=ref, display_name=ref, target_family="x", calendar="24/7", minutes=5
            )
            async with self.database.transaction() as conn:
                await rvol.put_assets(conn, [covered])
        made = await self.watchlists.add_target(self.account, self.watchlist, kind, ref, **fields)
        return made.id

    async def rule(self, target: str | None = None, **fields: Any) -> str:
        made = await self.watchlists.add_rule(
            self.account, self.watchlist, a_rule(**fields), target
        )
        return made.id

    async def evaluate(self) -> list[tuple[str, Any]]:
        """(state, value) of every pair."""
        _, evaluated, _ = await self.watchlists.evaluate(self.account, self.watchlist)
        return [(one.state.status, one.state.value) for one in evaluated]

    async def why(self) -> str | None:
        """The reason of the first pair."""
        _, evaluated, _ = await self.watchlists.evaluate(self.account, self.watchlist)
        return evaluated[0].state.reason

    async def alerts(self, **filters: Any) -> list[Any]:
        given: dict[str, Any] = {"state": None, "severity": None, "since": None, "limit": 100,
                                 "before": None}  # fmt: skip
        return await self.watchlists.alerts(self.account, self.watchlist, **{**given, **filters})


@pytest.fixture
async def world(database: Database, settings: Settings) -> World:
    made = World(database, settings)
    await made.begin()
    return made
