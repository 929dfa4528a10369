"""`augury worker`: background work in a process that answers nobody, until SIGTERM."""

from __future__ import annotations

import asyncio
import signal

import typer

from augury import background, memory
from augury.logs import configure
from augury.settings import Settings
from augury.storage.database import Database


def worker() -> None:
    """Do the background work of a service, on this machine or another, until SIGTERM or Ctrl-C.

    Events and links across venues, prices that move together, realized volatility: what needs
    nothing but the database. With a search server (AUGURY_SEARCH_URL) also everything else:
    following the venues, the index, graphs, runs of forecasts, watchlists, deliveries. Any number
    of workers share the work. `augury serve` starts one by itself unless AUGURY_WORK says
    otherwise.

    Example: AUGURY_DATABASE_URL=postgresql://... augury worker
    """
    settings = Settings()
    configure(settings)
    memory.settle()
    asyncio.run(_work(settings))


async def _work(settings: Settings) -> None:
    stop = asyncio.Event()
    for sign in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(sign, stop.set)
    if settings.search_url is None:
        database = await Database.open(settings)
        try:
            async with background.running(background.building(settings, database)):
                typer.echo("The worker is at work.")
                await stop.wait()
        finally:
            await database.close()
        return
    from augury import app  # all of the service: not loaded for less

    async with app.running(settings) as services:
        work = app.following(services) | app.attending(services)
        async with background.running(work | background.building(settings, services.database)):
            typer.echo("The worker is at work.")
            await stop.wait()
