"""R8: the whole service under all its work, killed at any moment; then the books are checked.

One service lives through many lives on one data folder. Clients write watchlists, series, points,
keys, jobs and runs without a pause; simulated venues add markets and move prices; a receiver takes
webhooks. Each life ends at a random moment: the service is killed, or the machine's power goes
(service and database at once), or only the database is killed, which the service must outlive.
What was acknowledged is written down and must all be there in the end. The long run:

    AUGURY_TEST_KILLS=200 ./augury test tests/test_crashes.py
"""

from __future__ import annotations

import asyncio
import os
import random
import signal
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from tests.crashing import (
    KILLS,
    LIFE,
    MARKETS,
    PATIENCE,
    RVOL_DAYS,
    SECRET,
    SEED,
    UNLIMITED,
    Books,
    Clients,
    Down,
    Service,
)
from tests.deliveries.receiver import Receiver, receiving
from tests.serving import served
from tests.venues.simulator import Simulator
from tests.zygote import Zygote

from augury.markets.generator import generate

pytestmark = pytest.mark.anyio


def trade(simulator: Simulator, stop: Callable[[], bool]) -> None:
    """New markets and moved prices, until told to stop."""
    rng = random.Random(SEED)
    extra = generate(100_000, seed=77, first=10_000)
    while not stop():
        time.sleep(0.05)
        ids = [i for i, m in simulator.markets.items() if m.status == "active"]
        simulator.move(rng.choice(ids), round(rng.uniform(0.05, 0.95), 3))
        if rng.random() < 0.1:
            simulator.put(next(extra))


@asynccontextmanager
async def at_work(clients: Clients) -> AsyncIterator[None]:
    works = (clients.watching, clients.changing, clients.running, clients.reading,
             clients.operating)  # fmt: skip
    tasks = [asyncio.create_task(work()) for work in works]
    try:
        yield
    finally:
        failed = [task.exception() for task in tasks if task.done()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for failure in failed:
            if failure is not None:
                raise failure


async def until(condition: Callable[[], Any], what: str, seconds: float = PATIENCE) -> None:
    deadline, last = time.monotonic() + seconds, None
    while True:
        try:
            if (last := await condition()) is True:
                return
        except Down:
            pass
        assert time.monotonic() < deadline, f"not within {seconds:g} s: {what}; last {last!r}"
        await asyncio.sleep(0.3)


async def test_nothing_is_lost_however_the_service_dies(tmp_path: Path) -> None:
    rng = random.Random(SEED)
    data_dir = tmp_path / "data"
    simulator = Simulator(list(generate(MARKETS, seed=1)))
    zygote = Zygote(tmp_path)
    deaths: Counter[str] = Counter()
    began = time.monotonic()
    with served(simulator) as port:
        async with receiving(Receiver(secret=SECRET)) as receiver:
            venue = f"http://127.0.0.1:{port}"
            env = UNLIMITED | {
                "AUGURY_DATA_DIR": str(data_dir),
                "AUGURY_PORT": "0",
                "AUGURY_LOG_LEVEL": "warning",
                "AUGURY_POLYMARKET_GAMMA_URL": f"{venue}/gamma",
                "AUGURY_POLYMARKET_CLOB_URL": f"{venue}/clob",
                "AUGURY_KALSHI_URL": f"{venue}/kalshi",
                "AUGURY_SYNC_INCREMENTAL_EVERY": "1",
                "AUGURY_PRICE_REFRESH_EVERY": "1",
                "AUGURY_RVOL_COINS": "",
                "AUGURY_RVOL_REPLAY_DAYS": str(RVOL_DAYS),
                "AUGURY_OUTBOUND_HTTP": "on",
                "AUGURY_OUTBOUND_ALLOW": "127.0.0.1",
            }
            service = Service(zygote, env, data_dir)
            books = Books()
            clients = Clients(service, books, receiver.url, tmp_path)
            try:
                await service.start()
                scopes = ("search:read", "forecast:read", "watch:write", "internal")
                flags = [part for scope in scopes for part in ("--scope", scope)]
                made = await clients._run("keys", "create", "--account", "crash", *flags, "--json")
                assert made is not None
                service.key = made["key"]
                over = False
                trading = asyncio.create_task(asyncio.to_thread(trade, simulator, lambda: over))
                try:
                    async with at_work(clients):
                        for _ in range(KILLS):
                            deaths[await end_a_life(service, rng)] += 1
                finally:
                    over = True
                    await trading
                await check(service, books, clients, receiver, simulator)
                assert await service.stop() < 10
                print(
                    f"\nR8: {dict(deaths)}; {dict(clients.done)}; statuses"
                    f" {dict(service.statuses)}; webhooks {len(receiver.got)}, of them again"
                    f" {len(receiver.got) - len(receiver.ids())}; slowest start"
                    f" {service.slowest_start:.1f} s; {time.monotonic() - began:.0f} s"
                )
            finally:
                if service.process is not None and service.process.code is None:
                    await service.kill()
                await service.client.aclose()
                zygote.close()


async def end_a_life(service: Service, rng: random.Random) -> str:
    """End this life in one of five ways and begin the next; which way."""
    await asyncio.sleep(rng.uniform(0.0, LIFE))
    way = rng.choices(("killed", "power", "database", "backend", "stillborn"), (60, 14, 8, 8, 10))[
        0
    ]
    if way in ("database", "backend"):
        # The service stays, and answers again once its database does.
        victims = service.server()
        if victims:
            pid = victims[0] if way == "database" else rng.choice(victims[1:] or victims)
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

        async def well() -> bool:
            answer = await service.ask("GET", "/v1/health")
            return answer.json()["status"] != "down"

        try:
            await until(well, f"answers after its {way} was killed", 60)
        except AssertionError as error:
            error.add_note(service.told())
            raise
        return way
    await service.kill(power=way == "power")
    if way == "stillborn":
        await service.start(wait=False)
        await asyncio.sleep(rng.uniform(0.0, 1.5))
        await service.kill()
    await service.start()
    return way


async def check(
    service: Service, books: Books, clients: Clients, receiver: Receiver, simulator: Simulator
) -> None:
    """All that was acknowledged is there, once, and nothing hangs."""
    assert not service.broken, service.broken[:5]

    async def cleared() -> bool:
        # Claims of the dead are given up after two minutes; a short run does not wait for that.
        return await clients.clear_up() == 0 or KILLS < 20

    await until(cleared, "an answer to every repeated request", 300)

    # Watchlists: names as last acknowledged; what was deleted stays so.
    found: dict[str, str] = {}
    cursor = ""
    while True:
        page = (await service.ask("GET", f"/v1/watchlists?limit=200{cursor}")).json()
        found |= {w["id"]: w["name"] for w in page["items"]}
        if page["next_cursor"] is None:
            break
        cursor = f"&cursor={page['next_cursor']}"
    for id_, name in books.names.items():
        assert id_ in found, "an acknowledged watchlist is missing"
        assert not name or found[id_] == name, "an acknowledged change is missing"
    assert not books.deleted & set(found), "what was deleted is back"

    for id_, points in books.points.items():
        page = (await service.ask("GET", f"/v1/external-series/{id_}/points")).json()
        there = {(p["time"], p["value"]) for p in page["items"]}
        assert points <= there, "an acknowledged point is missing"

    # Keys told are in force, revoked ones are not.
    for key, in_force in books.keys.items():
        answer = await service.ask("GET", "/v1/watchlists", key=key)
        assert answer.status_code == (200 if in_force else 401)

    # Jobs end, and the queue is empty; each question is answered once.
    async def jobs_end() -> Any:
        with service.database() as db:
            left = db.execute(
                "select (select count(*) from jobs where status in ('queued', 'running')),"
                " (select count(*) from pgqueuer)"
            ).fetchone()
            return left == (0, 0) or left

    await until(jobs_end, "every job has ended")
    for job in books.jobs:
        state = (await service.ask("GET", f"/internal/v1/graph/jobs/{job}")).json()
        canceled = books.canceled.get(job, False)
        if canceled is not None:
            assert state["status"] == ("canceled" if canceled else "succeeded"), state
        assert state["status"] == "canceled" or state["graph"]["nodes"]
    answered = 0
    for run, questions in books.runs.items():
        state = (await service.ask("GET", f"/internal/v1/forecast/runs/{run}")).json()
        assert state["status"] == "succeeded", state
        assert [r["place"] for r in state["results"]] == list(range(len(questions)))
        assert [r["question"] for r in state["results"]] == questions
        answered += len(questions)
    with service.database() as db:
        row = db.execute(
            "select (select count(*) from forecasts), (select count(*) from forecast_run_answers),"
            # A refresh that twenty lives in a row had no time for is given up, and asked for anew.
            " (select count(*) from jobs where status = 'failed' and kind <> 'rvol.refresh')"
        ).fetchone()
        assert row
        remembered, run_answers, failed = row
    assert failed == 0
    assert run_answers >= answered
    assert remembered >= run_answers + books.forecasts, "an issued forecast is missing"

    # Alerts: each fired once, and was received, always under one id.
    async def received() -> bool:
        told = {m["data"]["rule_id"] for _, m, status in receiver.got if status == 204}
        return set(books.alerts) <= told

    await until(received, "every alert is received")
    assert receiver.forged == 0
    ids: dict[str, set[str]] = {}
    for webhook_id, message, _ in receiver.got:
        ids.setdefault(message["data"]["id"], set()).add(webhook_id)
    assert all(len(some) == 1 for some in ids.values()), "duplicates share the webhook id"
    with service.database() as db:
        rows = db.execute("select rule_id, count(*) from alerts group by 1").fetchall()
    fired = dict(rows)
    assert all(fired.get(rule) == 1 for rule in books.alerts), "each alert fired once"

    # Venues, catalogue and index agree.
    async def agree() -> Any:
        report = (await service.ask("GET", "/v1/health")).json()
        if report["index"]["lag"] or (
            report["index"]["documents"] != report["catalogue"]["markets"]
        ):
            return report
        with service.database() as db:
            prices = dict(db.execute("select id, prices[1] from markets").fetchall())
        assert books.imported <= set(prices), "an acknowledged import is missing"
        return [
            (id_, m.prices[0], prices.get(id_, "missing"))
            for id_, m in simulator.markets.items()
            if m.status == "active" and m.prices[0] is not None
            if id_ not in prices or abs((prices[id_] or 0) - m.prices[0]) >= 0.02
        ] or True

    await until(agree, "catalogue and index agree with the venues")
    listed = {id_ for id_, m in simulator.markets.items() if m.status == "active"}
    there = sorted(books.imported | listed)
    for id_ in random.Random(1).sample(there, min(25, len(there))):
        answer = await service.ask("POST", "/v1/search", {"query": id_})
        assert answer.json()["results"]["direct"][0]["id"] == id_

    # Volatility: whole sets, and after one more refresh every day has its set.
    with service.database() as db:
        db.execute("update schedules set due_at = now() where name = 'rvol.refresh'")

    async def issued() -> bool:
        with service.database() as db:
            rows = db.execute(
                "select count(f.asset) from rvol_sets s left join rvol_forecasts f using (set_id)"
                " group by s.set_id"
            ).fetchall()
        assert len({n for (n,) in rows}) == 1, "a half-published set"
        return len(rows) == RVOL_DAYS

    await until(issued, "every day has its volatility forecasts")
