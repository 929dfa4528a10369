"""Deliveries to a receiver of our own: signed, retried, fair, at least once (R8, R12, R13)."""

from __future__ import annotations

import asyncio
import os
import random
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.deliveries.receiver import Receiver, flaky, receiving
from tests.deliveries.sending import endpoint, enqueue, log, sender_of, sending
from tests.net import hostile
from tests.net.conftest import Trap
from tests.pace import until
from tests.watchlists.conftest import World, market

from augury.deliveries import sender as module
from augury.deliveries import service as service_module
from augury.deliveries.schedule import OFF_AFTER, RETRY_PAUSES, retry_in, switches_off
from augury.deliveries.sender import Sender
from augury.deliveries.service import DeliveryService, NewEndpoint
from augury.deliveries.store import Logged
from augury.errors import Conflict, InvalidInput, NotFound
from augury.ids import new_id
from augury.net.addresses import AddressPolicy
from augury.settings import Settings

pytestmark = pytest.mark.anyio

PROCESS = Path(__file__).parent / "process.py"


async def until_ended(world: World, delivery_id: str) -> list[Logged]:
    async def ended() -> list[Logged]:
        found = await log(world, delivery_id)
        return [] if any(m.status == "pending" for m in found) else found

    return await until(ended, "no message is pending")


async def test_a_message_is_signed_by_the_standard_and_logged(world: World) -> None:
    async with receiving(Receiver()) as receiver, sending(sender_of(world)):
        id_ = await endpoint(world, receiver)
        [message] = await enqueue(world, id_)
        [logged] = await until_ended(world, id_)
    [(webhook_id, body, _)] = receiver.got
    assert (webhook_id, receiver.forged) == (message, 0)
    assert body["data"]["text"] == "é — 日本"
    assert (logged.status, logged.attempts, logged.log[0]["status_code"]) == ("delivered", 1, 204)


async def test_a_secret_of_the_owner_signs(world: World) -> None:
    secret = "whsec_" + "A" * 32
    async with receiving(Receiver()) as receiver, sending(sender_of(world)):
        id_ = await endpoint(world, receiver, secret=secret)
        assert receiver.secret == secret
        await enqueue(world, id_)
        await until_ended(world, id_)
    assert receiver.forged == 0
    for bad in ("x", "whsec_short", "whsec_" + "A" * 120, "A" * 32):
        with pytest.raises(InvalidInput):
            await endpoint(world, receiver, secret=bad)


async def test_failures_are_tried_again_under_the_same_id(world: World) -> None:
    answers = iter([500, 302, 0, 404, 204])
    async with (
        receiving(Receiver(answer=lambda _: next(answers))) as receiver,
        sending(sender_of(world, deadline=1.0)),
    ):
        id_ = await endpoint(world, receiver)
        [message] = await enqueue(world, id_)
        [logged] = await until_ended(world, id_)
        await receiver.until(lambda: len(receiver.got) == 5)
    assert {i for i, _, _ in receiver.got} == {message}
    assert (logged.status, logged.attempts) == ("delivered", 5)
    assert [a["status_code"] for a in logged.log] == [500, 302, None, 404, 204]
    assert "in time" in logged.log[2]["failure"]


async def test_it_gives_up_after_the_last_try_and_can_be_replayed(world: World) -> None:
    status = 500
    async with (
        receiving(Receiver(answer=lambda _: status)) as receiver,
        sending(sender_of(world)),
    ):
        id_ = await endpoint(world, receiver)
        [message] = await enqueue(world, id_)
        [logged] = await until_ended(world, id_)
        assert (logged.status, logged.attempts) == ("failed", 8)
        status = 200
        where = (world.account, world.watchlist, id_)
        [again] = await world.deliveries.replay(*where, since=world.now - timedelta(days=9000))
        assert await world.deliveries.replay(*where) == []
        [once_more] = await world.deliveries.replay(*where, message_id=message)
        await until_ended(world, id_)
        assert {again, once_more} <= set(receiver.ids())
        assert message not in receiver.ids()
        with pytest.raises(NotFound):
            await world.deliveries.replay(*where, message_id=new_id("msg"))
        pinged = await world.deliveries.ping(*where)
        await receiver.until(lambda: pinged in receiver.ids())


def test_the_schedule_is_the_standards() -> None:
    now = datetime(2026, 5, 1)
    assert [retry_in(n) for n in range(1, 9)] == [*RETRY_PAUSES, None]
    assert [s.total_seconds() for s in RETRY_PAUSES] == [5, 300, 1800, 7200, 18000, 36000, 36000]
    assert switches_off(500, now - OFF_AFTER, now)
    assert not switches_off(500, now - OFF_AFTER + timedelta(seconds=1), now)
    assert not switches_off(500, None, now)
    assert switches_off(410, None, now)


async def test_an_endpoint_that_is_gone_is_switched_off(world: World) -> None:
    async with (
        receiving(Receiver(answer=lambda _: 410)) as receiver,
        sending(sender_of(world, each_unproven=1)),
    ):
        id_ = await endpoint(world, receiver)
        await enqueue(world, id_, 5)
        logged = await until_ended(world, id_)
    assert len(receiver.got) == 1
    assert [m.status for m in logged] == ["failed"] * 5
    [shown] = await world.deliveries.list(world.account, world.watchlist)
    assert (shown.enabled, shown.off_reason) == (False, "The endpoint answered 410 Gone.")
    with pytest.raises(Conflict):
        await world.deliveries.ping(world.account, world.watchlist, id_)
    on, _ = await world.deliveries.change(world.account, world.watchlist, id_, enabled=True)
    assert (on.enabled, on.off_reason) == (True, None)


async def test_an_endpoint_that_took_nothing_for_120_hours_is_switched_off(world: World) -> None:
    async with receiving(Receiver(answer=lambda _: 500)) as receiver:
        id_ = await endpoint(world, receiver)
        async with world.database.reading() as conn:
            await conn.execute(
                "update watch_deliveries set failing_since = now() - interval '120 hours'"
            )
        await enqueue(world, id_)
        async with sending(sender_of(world)):
            await until_ended(world, id_)
    [shown] = await world.deliveries.list(world.account, world.watchlist)
    assert not shown.enabled


async def test_a_slow_endpoint_delays_no_other(world: World) -> None:
    """Many that never answer, with much waiting for them, and one that is well."""
    async with (
        receiving(Receiver(answer=lambda _: 0)) as dead,
        receiving(Receiver()) as well,
    ):
        slow = [await endpoint(world, dead) for _ in range(8)]
        for id_ in slow:
            await enqueue(world, id_, 200)
        id_ = await endpoint(world, well)
        async with sending(sender_of(world, deadline=3.0, lease=9.0, at_once=64, each=4)):
            await dead.until(lambda: len(dead.got) >= 8)
            before = len(dead.got)
            await enqueue(world, id_, 50)
            await well.until(lambda: len(well.ids()) == 50)
            assert len(dead.got) - before <= 64, "more than one round of the silent ones"


async def test_many_slow_endpoints_leave_room(world: World) -> None:
    """They answer, but late: neither known as slow nor before can they take every place."""

    async def hang() -> None:
        await asyncio.sleep(1.2)

    async with (
        receiving(Receiver(before=hang)) as late,
        receiving(Receiver()) as well,
    ):
        slow = [await endpoint(world, late) for _ in range(8)]
        for id_ in slow:
            await enqueue(world, id_, 30)
        id_ = await endpoint(world, well)
        async with sending(sender_of(world, deadline=5.0, lease=15.0, at_once=16, each=8)):
            await late.until(lambda: len(late.ids()) >= 3)
            before = len(late.ids())
            await enqueue(world, id_, 30)
            await well.until(lambda: len(well.ids()) == 30)
            assert len(late.ids()) - before <= 2 * 16, "more than two rounds of the late ones"


async def test_two_processes_share_and_do_not_repeat(world: World) -> None:
    async with receiving(Receiver()) as receiver:
        id_ = await endpoint(world, receiver)
        messages = await enqueue(world, id_, 300)
        async with sending(sender_of(world)), sending(sender_of(world)):
            await until_ended(world, id_)
    assert receiver.ids() == dict.fromkeys(messages, 1)


async def test_what_was_under_way_at_the_end_is_recorded(world: World) -> None:
    async with receiving(Receiver()) as receiver:
        id_ = await endpoint(world, receiver)
        await enqueue(world, id_, 20)
        async with sending(sender_of(world)):
            await receiver.until(lambda: len(receiver.got) >= 1)
        delivered = [m for m in await log(world, id_) if m.status == "delivered"]
    assert len(delivered) == len(receiver.got)


async def test_a_deleted_endpoint_gets_nothing_more(world: World) -> None:
    async with receiving(Receiver()) as receiver:
        id_ = await endpoint(world, receiver)
        await enqueue(world, id_, 20)
        await world.deliveries.delete(world.account, world.watchlist, id_)
        async with sending(sender_of(world)):
            await asyncio.sleep(0.4)
    assert receiver.got == []


async def test_a_secret_that_can_t_be_opened_is_no_attempt(world: World, tmp_path: Path) -> None:
    """A process with another key harms nothing: one with the right key delivers it."""
    async with receiving(Receiver()) as receiver:
        id_ = await endpoint(world, receiver)
        await enqueue(world, id_)
        other = World(world.database, Settings(data_dir=tmp_path / "other"))
        async with sending(sender_of(other, retries=[], lease=0.2)):
            await asyncio.sleep(0.6)
        assert receiver.got == []
        async with sending(sender_of(world, lease=0.2)):
            [logged] = await until_ended(world, id_)
    assert logged.status == "delivered"
    assert len(receiver.got) == 1


async def test_no_webhook_leads_inward(
    world: World, trap: Trap, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R12: refused when it is made, and when it is sent, whatever is stored."""
    real = module.guard.client
    monkeypatch.setattr(
        module.guard,
        "client",
        lambda policy, **kw: real(policy, **{**kw, "resolver": hostile.lying_resolver}),
    )
    monkeypatch.setattr(service_module, "MAX_ENDPOINTS", 1000)
    policy = AddressPolicy(http=True)
    strict = DeliveryService(world.database, world.vault, policy)
    refused = 0
    endpoints = []
    for url in hostile.urls(trap.port):
        try:
            await strict.create(world.account, world.watchlist, NewEndpoint("webhook", url))
        except InvalidInput:
            refused += 1
        made, _ = await strict.create(
            world.account, world.watchlist, NewEndpoint("webhook", "http://example.org/")
        )
        sealed = world.vault.seal(url.encode(), made.id)
        async with world.database.reading() as conn:
            await conn.execute(
                "update watch_deliveries set url = %s where id = %s", (sealed, made.id)
            )
        await enqueue(world, made.id)
        endpoints.append(made.id)
    async with sending(Sender(world.database, world.vault, policy, deadline=2, retries=[])):
        for id_ in endpoints:
            [logged] = await until_ended(world, id_)
            assert logged.status == "failed"
    assert refused > 150
    assert trap.caught == []


async def test_redirects_inward_are_not_followed(world: World, trap: Trap) -> None:
    receiver = Receiver(answer=lambda _: 307, location=f"http://127.0.0.1:{trap.port}/")
    async with receiving(receiver), sending(sender_of(world, retries=[])):
        id_ = await endpoint(world, receiver)
        await enqueue(world, id_)
        [logged] = await until_ended(world, id_)
    assert logged.log[0]["status_code"] == 307
    assert trap.caught == []


# Notifications: apprise in a process of its own


async def test_only_the_operator_enables_notifications(world: World) -> None:
    for schemes, url in ((), "json://example.org"), (("tgram",), "json://example.org"):
        service = DeliveryService(world.database, world.vault, world.policy, notify_schemes=schemes)
        with pytest.raises(InvalidInput):
            await service.create(world.account, world.watchlist, NewEndpoint("notify", url))


@pytest.mark.parametrize("inward", [True, False])
async def test_a_notification_goes_out_but_not_inward(
    world: World, trap: Trap, inward: bool
) -> None:
    pytest.importorskip("apprise")
    policy = AddressPolicy(http=True) if inward else world.policy
    service = DeliveryService(world.database, world.vault, policy, notify_schemes=("json",))
    async with receiving(Receiver(answer=lambda _: 200)) as receiver:
        port = trap.port if inward else receiver.port
        made, secret = await service.create(
            world.account, world.watchlist, NewEndpoint("notify", f"json://127.0.0.1:{port}/")
        )
        assert secret is None
        assert made.host == "json"
        await enqueue(world, made.id)
        sender = Sender(world.database, world.vault, policy, retries=[])
        async with sending(sender):
            [logged] = await until_ended(world, made.id)
    assert logged.status == ("failed" if inward else "delivered")
    assert trap.caught == []
    assert len(receiver.got) == (0 if inward else 1)


@pytest.mark.slow
async def test_no_notification_leads_inward(trap: Trap) -> None:
    """R12 for apprise: in its confined process, every hostile host."""
    script = (
        "import sys; from augury.deliveries.notify import confine, send; import apprise;"
        "from augury.net.addresses import AddressPolicy; confine(AddressPolicy(http=True));"
        "[send(u.strip(), {'type': 'ping'}) for u in sys.stdin]"
    )
    urls = [u.replace("http://", "json://", 1) for u in hostile.urls(trap.port) if "\n" not in u]
    done = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-c", script],
        input="\n".join(urls),
        text=True,
        capture_output=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert trap.caught == []


@pytest.mark.heavy
@pytest.mark.parametrize("confined", [True, False])
def test_no_notification_opens_a_file(tmp_path: Path, confined: bool) -> None:
    """Templates, keys and key rings are named by path in the addresses of some services."""
    secret = tmp_path / "secret.json"
    secret.write_text('{"title": "the secret"}')
    script = (
        "import sys, apprise\n"
        "from augury.deliveries.notify import confine, send\n"
        "from augury.net.addresses import AddressPolicy\n"
        "if sys.argv[2] == 'True': confine(AddressPolicy(http=True))\n"
        "def seen(event, found):\n"
        "    if event == 'open' and str(found[0]) == sys.argv[1]: print('opened')\n"
        "    if event == 'socket.connect': raise PermissionError\n"
        "sys.addaudithook(seen)\n"
        "for url in ('workflows://host:443/workflow/signature/?template=' + sys.argv[1],\n"
        "            'fcm://project/device/?keyfile=' + sys.argv[1]):\n"
        "    try: send(url, {'type': 'ping'})\n"
        "    except PermissionError: pass\n"
        "try: open(sys.argv[1] + '.new', 'w')\n"
        "except PermissionError: print('refused')\n"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", script, str(secret), str(confined)],
        capture_output=True, text=True, timeout=100,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    assert set(done.stdout.split()) == ({"refused"} if confined else {"opened"})


# Crashes (R8, R13)


async def _survives(
    world: World, postgres_url: str, folder: Path, alerts: int, kills: int, hold: float
) -> dict[str, Any]:
    """`alerts` that fire in a process killed `kills` times, to a receiver that fails 30 % and
    hangs 5 %; what came of it."""
    began = time.monotonic()
    rng = random.Random(7)
    world.now = datetime.now(UTC)  # the killed process reads the real clock; no old price fires
    async with receiving(Receiver(answer=flaky(0.30, 0.05))) as receiver:
        await endpoint(world, receiver)
        targets = (alerts + 1) // 2
        await world.put(*[market(n, 0.4) for n in range(targets)])
        for n in range(targets):
            await world.target(f"polymarket:{n}")
        await world.rule()
        await world.rule(op="gte", threshold=0.55, severity="critical")
        world.passes(1)
        await world.put(*[market(n, 0.6, world.now) for n in range(targets)])

        def told() -> bool:
            return len({m["data"]["id"] for _, m, s in receiver.got if s == 204}) >= alerts

        killed = 0
        while True:
            process = subprocess.Popen(
                [sys.executable, str(PROCESS), postgres_url, str(folder)],
                stdout=subprocess.PIPE,
                env={**os.environ, "PYTHONPATH": "src"},
            )
            assert process.stdout
            try:
                await asyncio.to_thread(process.stdout.readline)
                if killed < kills:
                    await asyncio.sleep(rng.uniform(0.0, hold))
                else:
                    await until(told, "every alert is received", 120 + alerts / 20)
            finally:
                process.kill()
                process.wait()
                process.stdout.close()
            if killed == kills:
                break
            killed += 1
        taken = receiver.ids()
        by_alert: dict[str, set[str]] = {}
        for webhook_id, message, status in receiver.got:
            if status == 204:
                by_alert.setdefault(message["data"]["id"], set()).add(webhook_id)
    async with world.database.reading() as conn:
        rows = await conn.execute("select id from alerts")
        stored = {row[0] for row in await rows.fetchall()}
    assert len(stored) == alerts, "each alert fired once"
    assert set(by_alert) == stored, "each alert was received"
    assert all(len(ids) == 1 for ids in by_alert.values()), "duplicates share the webhook id"
    assert receiver.forged == 0, "each signature verifies"
    return {
        "alerts": alerts,
        "kills": killed,
        "requests": len(receiver.got),
        "taken": sum(taken.values()),
        "taken_twice": sum(n - 1 for n in taken.values()),
        "seconds": round(time.monotonic() - began, 1),
    }


@pytest.mark.whole
async def test_alerts_survive_crashes_and_a_bad_receiver(
    world: World, database_url: str, settings: Settings
) -> None:
    await _survives(world, database_url, Path(settings.data_dir), alerts=60, kills=2, hold=1.0)


@pytest.mark.slow
async def test_alerts_survive_crashes_and_a_bad_receiver_at_length(
    world: World, database_url: str, settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    """R13 in full: 10,000 alerts, 20 kills."""
    found = await _survives(
        world, database_url, Path(settings.data_dir), alerts=10_000, kills=20, hold=4.0
    )
    with capsys.disabled():
        print(f"\nR13: {found}")
