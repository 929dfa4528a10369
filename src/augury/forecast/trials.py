"""A throw-away store that holds a dump: where `augury eval` asks its questions."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from augury.settings import Settings

if TYPE_CHECKING:
    from augury.app import Services
    from augury.venues.dump import DumpFile


@asynccontextmanager
async def store(
    markets: DumpFile, prices: DumpFile, *, with_model: bool = False
) -> AsyncIterator[Services]:
    """The service's parts over the markets and prices of two files, and nothing else.

    `with_model`: with the language model that the settings name.
    """
    from augury.app import running
    from augury.venues.importing import import_file

    with TemporaryDirectory(prefix="augury-eval-") as folder:
        # Whatever database the environment names is somebody's own: nothing is imported there.
        settings = Settings(
            data_dir=Path(folder), database_url=None, database_direct_url=None, search_url=None,
            sync="off", sample="off",
        )  # fmt: skip
        if not with_model:
            settings.llm_url = None
        async with running(settings) as services:
            await import_file(services.database, markets)
            await import_file(services.database, prices)
            await services.search.catch_up()
            yield services
