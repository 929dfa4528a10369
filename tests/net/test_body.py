"""Bodies of strangers, read in small steps."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import AsyncIterator
from datetime import timedelta

import httpx2
import pytest

from augury.net import body
from augury.net.budget import Budget

pytestmark = pytest.mark.anyio
MIB = 1 << 20


def response(content: bytes) -> httpx2.Response:
    async def parts() -> AsyncIterator[bytes]:
        yield content

    return httpx2.Response(200, headers={"Content-Encoding": "gzip"}, content=parts())


async def test_a_bomb_is_read_in_steps_between_which_others_have_their_turn() -> None:
    bomb = gzip.compress(bytes(5 * MIB))
    assert len(bomb) < 6_000
    turns = 0

    async def other() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    beside = asyncio.create_task(other())
    pieces: list[int] = []
    assert await body.read(response(bomb), 5 * MIB, pieces.append) == bytes(5 * MIB)
    beside.cancel()
    assert sum(pieces) == 5 * MIB
    assert max(pieces) <= body.STEP_BYTES
    assert turns >= 5 * MIB // body.STEP_BYTES


async def test_what_is_too_large_is_counted_until_it_is_refused() -> None:
    pieces: list[int] = []
    with pytest.raises(body.TooLarge):
        await body.read(response(gzip.compress(bytes(50 * MIB))), MIB, pieces.append)
    assert MIB < sum(pieces) <= MIB + body.STEP_BYTES


async def test_a_broken_or_damaged_answer_is_told() -> None:
    whole = gzip.compress(b"x" * 1000)
    assert await body.read(response(whole), MIB) == b"x" * 1000
    with pytest.raises(body.Broken):
        await body.read(response(whole[:-9]), MIB)
    with pytest.raises(body.BodyError):
        await body.read(response(b"no gzip at all"), MIB)


def test_a_budget_is_of_one_caller_and_comes_back() -> None:
    now = 1000.0
    budget = Budget(3600, timedelta(hours=1), monotonic=lambda: now)
    budget.spend("a", 5000)
    assert (budget.left("a"), budget.left("b")) == (0, 3600)
    now += 1400
    assert budget.left("a") == 0
    now += 600
    assert budget.left("a") == 600
    now += 3600
    assert budget.left("a") == 3600
    assert budget.spenders() == []
