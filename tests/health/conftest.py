"""A search engine for tests of health."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from augury.search.service import SearchService
from augury.settings import Settings
from augury.storage.database import Database


@pytest.fixture
async def search(database: Database, settings: Settings) -> AsyncIterator[SearchService]:
    service = await SearchService.open(settings, database)
    yield service
    await service.close()
