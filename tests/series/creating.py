"""Series that tests create."""

from __future__ import annotations

from typing import Any

from tests.watchlists.conftest import World

from augury.series.service import SeriesService
from augury.series.sources import Source


async def create(
    world: World,
    series: SeriesService,
    source: Source,
    **fields: Any,
) -> str:
    made = await series.create(world.account, "CPI", "macro_indicator", source, **fields)
    return made.id
