"""Equal calls at the same time are one, whoever gives up."""

from __future__ import annotations

import asyncio

import pytest

from augury.net.flights import Flights, GivenUp

pytestmark = pytest.mark.anyio


class Upstream:
    """Counts its calls and answers when told to."""

    def __init__(self) -> None:
        self.calls = 0
        self.go = asyncio.Event()
        self.failure: Exception | None = None

    async def __call__(self) -> int:
        self.calls += 1
        await self.go.wait()
        if self.failure is not None:
            raise self.failure
        return self.calls


async def test_equal_calls_are_one_and_later_ones_another() -> None:
    flights, upstream = Flights[int](), Upstream()
    callers = [asyncio.create_task(flights.join("a", upstream)) for _ in range(5)]
    other = asyncio.create_task(flights.join("b", upstream))
    await asyncio.sleep(0)
    assert len(flights) == 2
    assert "a" in flights
    upstream.go.set()
    assert len({await caller for caller in callers}) == 1
    await other
    assert upstream.calls == 2
    assert len(flights) == 0
    await flights.join("a", upstream)
    assert upstream.calls == 3


async def test_a_caller_that_gives_up_ends_nothing() -> None:
    flights, upstream = Flights[int](), Upstream()
    hasty = asyncio.create_task(flights.join("a", upstream))
    patient = asyncio.create_task(flights.join("a", upstream))
    await asyncio.sleep(0)
    hasty.cancel()
    with pytest.raises(asyncio.CancelledError):
        await hasty
    upstream.go.set()
    assert await patient == 1


async def test_a_failure_is_everybody_s_and_stays_with_nobody() -> None:
    flights, upstream = Flights[int](), Upstream()
    upstream.failure = ValueError("no")
    upstream.go.set()
    for failed in await asyncio.gather(
        *(flights.join("a", upstream) for _ in range(3)), return_exceptions=True
    ):
        assert isinstance(failed, ValueError)
    upstream.failure = None
    assert await flights.join("a", upstream) == 2


async def test_closing_is_told_from_being_cancelled() -> None:
    flights, upstream = Flights[int](), Upstream()
    caller = asyncio.create_task(flights.join("a", upstream))
    await asyncio.sleep(0)
    await flights.close()
    with pytest.raises(GivenUp):
        await caller
    assert len(flights) == 0
