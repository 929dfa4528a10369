"""Deliveries that tests enqueue and send, and the log of them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

from tests.deliveries.receiver import Receiver
from tests.watchlists.conftest import World

from augury.deliveries import store
from augury.deliveries.sender import Sender
from augury.deliveries.service import NewEndpoint
from augury.deliveries.store import Logged, Outgoing
from augury.ids import new_id

SOON = [timedelta(seconds=0.05)] * 7


NO_PACE = {"each_host": 10_000, "host_rate": 1e6, "host_burst": 1_000_000}
"""All receivers here are one host."""


def sender_of(world: World, **options: Any) -> Sender:
    given: dict[str, Any] = {"deadline": 10.0, "retries": SOON, "lease": 60.0, **NO_PACE}
    return Sender(world.database, world.vault, world.policy, **{**given, **options})


@asynccontextmanager
async def sending(sender: Sender) -> AsyncIterator[Sender]:
    stop = asyncio.Event()
    task = asyncio.create_task(sender.run(stop))
    try:
        yield sender
    finally:
        stop.set()
        await task


async def endpoint(world: World, receiver: Receiver, **fields: Any) -> str:
    made, secret = await world.deliveries.create(
        world.account, world.watchlist, NewEndpoint("webhook", receiver.url, **fields)
    )
    receiver.secret = secret or ""
    return made.id


async def enqueue(world: World, delivery_id: str, count: int = 1) -> list[str]:
    messages = [
        Outgoing(new_id("msg"), delivery_id, new_id("alr"), "alert.fired",
                 f'{{"type":"alert.fired","data":{{"n":{n},"text":"é — 日本"}}}}')
        for n in range(count)
    ]  # fmt: skip
    async with world.database.transaction() as conn:
        await store.enqueue(conn, messages)
    return [m.id for m in messages]


async def log(world: World, delivery_id: str) -> list[Logged]:
    return await world.deliveries.log(
        world.account, world.watchlist, delivery_id, limit=200, before=None
    )
