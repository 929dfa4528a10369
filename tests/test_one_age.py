"""A stale catalogue says the same of each market wherever it is asked: status, price, staleness."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import product
from typing import Any, NamedTuple

import msgspec
import pytest
from pydantic import SecretStr

from augury.extension import schemas as extension
from augury.graph.schemas import summary
from augury.markets import exports, store
from augury.markets import schemas as shapes
from augury.markets.records import STATUSES, Market, Status
from augury.markets.service import MarketService
from augury.services import running
from augury.settings import Settings
from augury.watchlists.observe import Observer
from augury.watchlists.rules import Rule
from augury.watchlists.store import Target

pytestmark = pytest.mark.anyio

NOW = datetime.now(UTC).replace(microsecond=0)
DAYS = timedelta(days=1)
COUNT = 1_000


class Told(NamedTuple):
    """What one place says of a market."""

    status: Status
    stale: bool
    price: float | None
    price_as_of: datetime | None


def catalogue() -> list[Market]:
    """Markets of an import of long ago: every mix of status, age of the price and close."""
    mixes = list(product(STATUSES, (None, 0, 13, 15, 108), (None, -200, -1, 30), (0, 20)))
    made = []
    for n in range(COUNT):
        status, quoted, closes, seen = mixes[n % len(mixes)]
        price = round(0.02 + n % 97 / 100, 2)
        made.append(
            Market(
                id=f"polymarket:{n}", platform="polymarket", platform_id=str(n),
                question=f"Will event number {n} happen?", title=f"Will event number {n} happen?",
                status=status, resolution="Yes" if status == "resolved" else None,
                prices=(None, None) if quoted is None else (price, round(1 - price, 2)),
                price_as_of=None if quoted is None else NOW - quoted * DAYS,
                closes_at=None if closes is None else NOW + closes * DAYS,
                observed_at=NOW - max(seen, quoted or 0) * DAYS, origin="dump", volume=float(n),
            )
        )  # fmt: skip
    return made


def told(row: dict[str, Any]) -> Told:
    prices = row["current_prices"] or {}
    return Told(row["status"], row["stale"], prices.get("Yes"), row["price_as_of"])


async def every(markets: MarketService, filters: store.Filters) -> list[store.StoredMarket]:
    """All markets of a list, read by pages."""
    page = await markets.page(filters, sort="volume", limit=200)
    found = page.markets
    while page.next is not None:
        page = await markets.page(filters, sort="volume", limit=200, after=page.next)
        found += page.markets
    return found


async def test_a_stale_catalogue_says_the_same_everywhere(
    database_url: str, settings: Settings
) -> None:
    settings = settings.model_copy(
        update={"database_url": SecretStr(database_url), "sync": "off", "sample": "off"}
    )
    given = catalogue()
    async with running(settings) as services:
        async with services.database.transaction() as conn:
            await store.upsert_markets(conn, given)
        await services.search.catch_up()
        markets = services.markets
        listed = {m.id: m for m in await every(markets, store.Filters())}
        assert len(listed) == COUNT
        said: dict[str, dict[str, Told]] = {
            "list": {id: told(shapes.record(m)) for id, m in listed.items()},
            "record": {},
            "search": {},
            "graph": {},
        }
        frame = exports.export_frame(list(listed.values()))
        said["export"] = {
            row["id"]: Told(row["status"], row["stale"], row["prices"][0], row["price_as_of"])
            for row in frame.iter_rows(named=True)
        }
        quotes = await services.extension.prices([m.id for m in given])
        said["prices"] = {
            id: told(extension.price(*found))._replace(price_as_of=found[0].price_as_of)
            for id, found in quotes.items()
        }
        for market in given:
            detail = await markets.detail(market.id)
            said["record"][market.id] = told(shapes.record(detail.market))
            found = await services.search.search(market.id, dimensions=("direct",), top_k=1)
            said["search"][market.id] = told(msgspec.structs.asdict(found["direct"][0]))
            shown = summary(detail.market).current_prices or {}
            said["graph"][market.id] = said["record"][market.id]._replace(price=shown.get("Yes"))
        for place, answers in said.items():
            differing = {
                i: (a, said["list"][i]) for i, a in answers.items() if a != said["list"][i]
            }
            assert differing == {}, place

        # Each list narrowed to a status or to the stale holds exactly these.
        for status, stale in product(STATUSES, (True, False)):
            filters = store.Filters(status=status, stale=stale)
            narrowed = [m.id for m in await every(markets, filters)]
            meant = {i for i, t in said["list"].items() if (t.status, t.stale) == (status, stale)}
            assert set(narrowed) == meant

        # A rule has a value exactly where the price counts, and then the same one.
        rule = Rule(id="r", metric="probability", op="gt", threshold=0.5)
        targets = [Target(m.id, "w", "market", m.id, None, None, NOW, NOW) for m in given]
        looks = await _looks(services, rule, targets)
        for market, look in zip(given, looks, strict=True):
            shown = said["list"][market.id]
            old = shown.price_as_of is None or NOW - shown.price_as_of > 14 * DAYS
            counts = not shown.stale and not old and shown.price is not None
            assert look.observation.value == (shown.price if counts else None), (market, look)

        health = (await services.health.report())["catalogue"]["polymarket"]
        by_status = {s: sum(t.status == s for t in said["list"].values()) for s in STATUSES}
        assert health["by_status"] == by_status
        assert health["stale"] == sum(t.stale for t in said["list"].values())


async def _looks(services: Any, rule: Rule, targets: list[Target]) -> list[Any]:
    """What rules see, with the membership of each target as `add_target` would store it."""
    from augury.watchlists import store as watchlists

    members = [(target.id, target.ref) for target in targets]

    async def of(conn: Any, ids: Any) -> list[tuple[str, str]]:
        return members

    observer = Observer()
    kept, watchlists.target_members = watchlists.target_members, of
    try:
        async with services.database.reading() as conn:
            return await observer.measure(conn, [(rule, target) for target in targets], NOW)
    finally:
        watchlists.target_members = kept
