"""What series share with the tests of others."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from tests.net.conftest import trap
from tests.watchlists.conftest import World, world

from augury.series.service import SeriesService

__all__ = ["trap", "world"]


@pytest.fixture
async def series(world: World) -> AsyncIterator[SeriesService]:
    made = SeriesService(world.database, world.vault, world.policy, clock=world.clock)
    yield made
    await made.close()
