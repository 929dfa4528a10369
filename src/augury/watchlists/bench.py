"""Benchmark of watchlists: rule evaluation, time from a price change to its webhook, deliveries.

The receiver of webhooks runs in the same process, so the figures of deliveries include its work.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from rich.console import Console

from augury import clock
from augury.deliveries import store as deliveries
from augury.deliveries.service import NewEndpoint
from augury.deliveries.store import Outgoing
from augury.ids import new_id
from augury.jobs.worker import Worker
from augury.markets import store as markets
from augury.markets.records import Market, MarketChange, PricePoint
from augury.services import Services, running
from augury.settings import Settings
from augury.watchlists import jobs, store
from augury.watchlists.rules import Metric, Op, Severity
from augury.watchlists.store import StoredRule, Target

MIX: tuple[tuple[Metric, Op, float], ...] = (
    ("probability", "gt", 0.9), ("probability", "crosses_below", 0.1),
    ("probability_change", "gt", 0.3), ("probability_change", "lt", -0.3),
    ("spread", "gt", 0.2), ("hours_to_close", "lt", 24.0), ("volume_24h", "gt", 1e9),
    ("staleness", "gt", 86_400.0), ("probability_zscore", "gt", 20.0),
    ("volume_spike", "gt", 50.0),
)  # fmt: skip
"""Metric, operator and threshold of the rules (alert conditions) that the benchmark creates.
Each entry is used for a tenth of the rules."""
HISTORY_POINTS = 97
ROUNDS = 3
SMALL_ROUNDS = 20
_NONE = timedelta(0)


async def run(
    *, targets: int, rules: int, messages: int, alerts: int, quiet: bool
) -> dict[str, Any]:
    """Run the benchmark: evaluate `rules` rules (alert conditions) on `targets` markets, then send
    `messages` webhooks and fire `alerts` alerts. Returns the measurements by name."""
    console = Console(stderr=True, quiet=quiet, markup=False)
    result: dict[str, Any] = {"targets": targets, "rules": rules, "cpus": os.cpu_count()}
    with TemporaryDirectory(prefix="augury-bench-") as folder:
        settings = Settings(
            data_dir=Path(folder), sync="off", sample="off", search_url=None,
            outbound_http="on", outbound_allow=("127.0.0.1",),
            database_url=None, database_direct_url=None,
        )  # fmt: skip
        async with running(settings) as services:
            key, _ = await services.access.create_key("bench", ["watch:write"])
            console.print(f"Making {targets:,} markets with {HISTORY_POINTS} prices each ...")
            ids = await _markets(services, targets)
            watchlist = await _watchlist(services, key.account_id, ids, rules)
            await services.evaluator.tick()
            console.print("Evaluating ...")
            result["all_moved_s"] = [
                await _evaluate(services, ids, round_) for round_ in range(ROUNDS)
            ]
            few = max(1, len(ids) // 100)
            result["one_percent_moved_s"] = [
                await _evaluate(services, random.sample(ids, few), round_)
                for round_ in range(SMALL_ROUNDS)
            ]
            async with _receiver() as (port, arrivals):
                console.print("Delivering ...")
                made, _ = await services.deliveries.create(
                    key.account_id, watchlist,
                    NewEndpoint("webhook", f"http://127.0.0.1:{port}/"),
                )  # fmt: skip
                result["deliveries_a_second"] = await _deliver(
                    services, made.id, messages, arrivals
                )
                console.print("Time from a price change to its webhook ...")
                result["price_to_webhook_s"] = await _latency(
                    services, key.account_id, port, ids, alerts, arrivals
                )
    return result


async def _markets(services: Services, count: int) -> list[str]:
    now = clock.now()
    rng = random.Random(1)
    made, points = [], []
    for n in range(count):
        price = round(rng.uniform(0.2, 0.8), 2)
        made.append(
            Market(
                id=f"polymarket:{n}", platform="polymarket", platform_id=str(n),
                question=f"Will number {n} happen?", title=f"Will number {n} happen?",
                prices=(price, round(1 - price, 2)), price_as_of=now, observed_at=now,
                best_bid=price - 0.01, best_ask=price + 0.01, volume=1000.0, volume_24h=100.0,
                closes_at=now + timedelta(days=30),
            )
        )  # fmt: skip
        points += [
            PricePoint(
                market_id=f"polymarket:{n}",
                outcome=0,
                at=now - timedelta(hours=hour + 0.5),
                price=min(0.99, max(0.01, price + 0.01 * rng.randint(-2, 2))),
            )
            for hour in range(HISTORY_POINTS)
        ]
    async with services.database.transaction() as conn:
        await markets.upsert_markets(conn, made)
        await markets.append_prices(conn, points)
    return [market.id for market in made]


async def _watchlist(services: Services, account_id: str, ids: Sequence[str], rules: int) -> str:
    watchlist = (await services.watchlists.create(account_id, "bench", None)).watchlist.id
    now = clock.now()
    async with services.database.transaction() as conn:
        made = [
            Target(new_id("tgt"), watchlist, "market", market_id, None, None, None, now)
            for market_id in ids
        ]
        for target in made:
            await store.insert_target(conn, target, [target.ref])
        for n in range(rules):
            metric, op, threshold = MIX[(n * 7 + n // len(made)) % len(MIX)]
            await store.insert_rule(
                conn, _rule(watchlist, made[n % len(made)].id, metric, op, threshold, "info")
            )
        await conn.execute("analyze")
    return watchlist


def _rule(
    watchlist: str, target: str | None, metric: Metric, op: Op, threshold: float, severity: Severity
) -> StoredRule:
    return StoredRule(
        new_id("rule"), watchlist, target, "Rule", metric, op, threshold, None, None, _NONE, _NONE,
        0.0, severity, None, clock.now(),
    )  # fmt: skip


async def _move(services: Services, ids: Sequence[str], price: float) -> datetime:
    """Set a new price for these markets. Returns the time at which the change was committed."""
    now = clock.now()
    news = [
        MarketChange(
            id=i, observed_at=now, prices=(price, round(1 - price, 4)), price_as_of=now,
            best_bid=price - 0.01, best_ask=price + 0.01,
        )
        for i in ids
    ]  # fmt: skip
    async with services.database.transaction() as conn:
        await markets.apply_changes(conn, news)
    return clock.now()


async def _evaluate(services: Services, ids: Sequence[str], round_: int) -> float:
    await _move(services, ids, 0.5 + 0.001 * (round_ + 1))
    began = time.perf_counter()
    await services.evaluator.tick()
    return round(time.perf_counter() - began, 4)


async def _deliver(
    services: Services, delivery_id: str, count: int, arrivals: dict[str, float]
) -> float:
    text = json.dumps({"type": "alert.fired", "data": {"market": {"id": ""}, "pad": "x" * 1200}})
    async with services.database.transaction() as conn:
        await deliveries.enqueue(
            conn,
            [
                Outgoing(new_id("msg"), delivery_id, new_id("alr"), "alert.fired", text)
                for _ in range(count)
            ],
        )
    before = len(arrivals)
    stop = asyncio.Event()
    began = time.perf_counter()
    sending = asyncio.create_task(services.sender.run(stop))
    while len(arrivals) < before + count:  # noqa: ASYNC110
        await asyncio.sleep(0.005)
    took = time.perf_counter() - began
    stop.set()
    await sending
    return round(count / took, 1)


async def _latency(
    services: Services,
    account_id: str,
    port: int,
    ids: Sequence[str],
    count: int,
    arrivals: dict[str, float],
) -> dict[str, float]:
    """Seconds from a price change to the arrival of the webhook about its alert: median, 99th
    percentile and maximum over `count` markets.

    As under `augury serve`, a worker evaluates the rules on schedule and the sender delivers.
    """
    endpoint = [NewEndpoint("webhook", f"http://127.0.0.1:{port}/")]
    made = await services.watchlists.create(account_id, "latency", None, endpoint)
    watchlist = made.watchlist.id
    moved = random.sample(list(ids), count)
    for market_id in moved:
        await services.watchlists.add_target(account_id, watchlist, "market", market_id)
    async with services.database.transaction() as conn:
        await store.insert_rule(conn, _rule(watchlist, None, "probability", "gt", 0.95, "info"))
    worker = Worker(services.database)
    jobs.register(worker, services.evaluator, services.database)
    stop = asyncio.Event()
    tasks = [
        asyncio.create_task(worker.run(stop)),
        asyncio.create_task(services.sender.run(stop)),
    ]
    await asyncio.sleep(2)
    sent: dict[str, float] = {}
    rng = random.Random(2)
    for market_id in moved:
        sent[market_id] = (await _move(services, [market_id], 0.97)).timestamp()
        await asyncio.sleep(rng.uniform(0.05, 0.4))
    async with asyncio.timeout(60):
        while not all(f"alert.fired {m}" in arrivals for m in moved):  # noqa: ASYNC110
            await asyncio.sleep(0.05)
    stop.set()
    await asyncio.gather(*tasks)
    took = sorted(arrivals[f"alert.fired {m}"] - sent[m] for m in moved)
    return {
        "p50": round(took[len(took) // 2], 3),
        "p99": round(took[int(len(took) * 0.99)], 3),
        "max": round(took[-1], 3),
    }


@asynccontextmanager
async def _receiver() -> AsyncIterator[tuple[int, dict[str, float]]]:
    """An HTTP server that accepts every message. Yields its port, and when each message first
    arrived (seconds since 1970).

    The keys of these times are "<message type> <market id>" or, for messages without a market, the
    webhook id.
    """
    arrivals: dict[str, float] = {}

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
                fields = dict(x.split(": ", 1) for x in head.split("\r\n")[1:] if ": " in x)
                body = json.loads(await reader.readexactly(int(fields["content-length"])))
                name = f"{body['type']} {body['data']['market']['id']}"
                at = clock.now().timestamp()
                arrivals.setdefault(name if name[-1] != " " else fields["webhook-id"], at)
                writer.write(b"HTTP/1.1 204 No Content\r\n\r\n")
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(handle, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1], arrivals
    finally:
        server.close()


def table(result: dict[str, Any]) -> str:
    """The measurements that `run` returned, as lines of text."""
    full, few = sorted(result["all_moved_s"]), sorted(result["one_percent_moved_s"])
    way = result["price_to_webhook_s"]
    return "\n".join(
        [
            f"{result['rules']:,} rules, {result['targets']:,} targets, {result['cpus']} CPUs",
            f"everything moved: {full[len(full) // 2]:.2f} s (worst {full[-1]:.2f})",
            f"1% moved: {few[len(few) // 2] * 1000:.0f} ms (worst {few[-1] * 1000:.0f})",
            f"deliveries: {result['deliveries_a_second']:.0f} a second",
            f"price to webhook: p50 {way['p50']:.2f} s, p99 {way['p99']:.2f} s",
        ]
    )
