"""How many of a thing an account may have holds for requests that come at once, too."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from tests.watchlists.conftest import World

from augury.deliveries import service as deliveries
from augury.deliveries.service import NewEndpoint
from augury.errors import Conflict
from augury.series import service as series
from augury.series.service import SeriesService
from augury.series.sources import Source
from augury.watchlists import service as watchlists

pytestmark = pytest.mark.anyio
MOST, AT_ONCE = 3, 12


async def made(create: Callable[[int], Awaitable[object]]) -> int:
    """How many of those sent at once were let in."""
    answers = await asyncio.gather(*map(create, range(AT_ONCE)), return_exceptions=True)
    refused = [a for a in answers if isinstance(a, BaseException)]
    assert all(isinstance(a, Conflict) and "at most 3" in str(a) for a in refused)
    return AT_ONCE - len(refused)


async def test_watchlists_of_an_account(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watchlists, "MOST_WATCHLISTS", MOST)
    others = await made(lambda n: world.watchlists.create(world.account, f"No. {n}", None))
    assert others == MOST - 1  # it has one


async def test_deliveries_of_a_watchlist(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deliveries, "MAX_ENDPOINTS", MOST)
    assert (
        await made(
            lambda n: world.deliveries.create(
                world.account, world.watchlist, NewEndpoint("webhook", f"http://127.0.0.1/{n}")
            )
        )
        == MOST
    )


async def test_series_of_an_account(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(series, "MOST_SERIES", MOST)
    service = SeriesService(world.database, world.vault, world.policy)
    assert (
        await made(
            lambda n: service.create(world.account, f"No. {n}", "macro_indicator", Source("push"))
        )
        == MOST
    )
    await service.close()
