"""One host is not overrun, however many endpoints lead to it and whoever has them."""

from __future__ import annotations

import asyncio
import time

import pytest
from tests.deliveries.receiver import Receiver, receiving
from tests.deliveries.sending import endpoint, enqueue, log, sender_of, sending
from tests.watchlists.conftest import World

from augury.deliveries.service import NewEndpoint

pytestmark = pytest.mark.anyio

PER_SECOND, BURST = 10.0, 15


async def crowd(world: World, receiver: Receiver, endpoints: int, messages: int) -> None:
    """Endpoints of the account at one receiver, over several watchlists, each with messages."""
    for n in range(endpoints):
        if n % 10 == 0:
            made = await world.watchlists.create(world.account, f"No. {n}", None)
            world.watchlist = made.watchlist.id
        await enqueue(world, await endpoint(world, receiver), messages)


async def test_a_host_is_sent_to_at_its_pace_by_all_endpoints_together(world: World) -> None:
    async with receiving(Receiver()) as receiver:
        await crowd(world, receiver, 30, 5)
        began = time.monotonic()
        async with sending(sender_of(world, host_rate=PER_SECOND, host_burst=BURST)):
            await receiver.until(lambda: len(receiver.got) >= BURST + 5)
        seconds = time.monotonic() - began
    assert len(receiver.got) <= BURST + PER_SECOND * seconds + 1


async def test_a_host_has_only_so_many_requests_at_once(world: World) -> None:
    under_way = most = 0

    async def hold() -> None:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        await asyncio.sleep(0.1)
        under_way -= 1

    async with receiving(Receiver(before=hold)) as receiver:
        await crowd(world, receiver, 30, 2)
        async with sending(sender_of(world, each_host=8)):
            await receiver.until(lambda: len(receiver.got) == 60)
    assert most <= 8


async def test_accounts_take_turns_at_a_host(world: World) -> None:
    """Who has many endpoints at a host keeps nobody else's message to it waiting."""
    async with receiving(Receiver()) as receiver:
        await crowd(world, receiver, 30, 5)
        key, _ = await world.access.create_key("another", ["watch:write"])
        world.account = key.account_id
        world.watchlist = (await world.watchlists.create(world.account, "One", None)).watchlist.id
        made, _ = await world.deliveries.create(
            world.account, world.watchlist, NewEndpoint("webhook", receiver.url)
        )
        [message] = await enqueue(world, made.id)
        async with sending(sender_of(world, host_rate=0.001, host_burst=4)):
            await receiver.until(lambda: len(receiver.got) == 4)
        [logged] = await log(world, made.id)
    assert (logged.id, logged.attempts) == (message, 1)


async def test_a_crowded_host_delays_no_other(world: World) -> None:
    world.policy = type(world.policy).of(["127.0.0.1", "localhost"], http=True)
    world.deliveries._policy = world.policy
    async with receiving(Receiver()) as crowded, receiving(Receiver()) as other:
        await crowd(world, crowded, 25, 5)
        made, secret = await world.deliveries.create(
            world.account, world.watchlist,
            NewEndpoint("webhook", f"http://localhost:{other.port}/hook"),
        )  # fmt: skip
        other.secret = secret or ""
        sender = sender_of(world, host_rate=0.001, host_burst=3, at_once=8)
        sender._dials = None  # both are one address here
        async with sending(sender):
            await crowded.until(lambda: len(crowded.got) == 3)
            sent = await enqueue(world, made.id, 3)
            await other.until(lambda: len(other.got) == 3)
    assert set(other.ids()) == set(sent)
    assert len(crowded.got) == 3
