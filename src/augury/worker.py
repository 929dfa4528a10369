"""A process that only does background work. It answers no requests of the API, and ends at SIGTERM
or Ctrl-C."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager

import structlog
import typer
from prometheus_client import start_http_server

from augury import background, gc_tuning
from augury.settings import Settings
from augury.storage import scheduled
from augury.storage.database import Database

log = structlog.get_logger(__name__)

WORKER_NICENESS = 5
"""Added to the niceness of a worker's process, so that requests come before background work. With
the same niceness as requests, background work took 20 seconds of processor time from searches in
the 30 seconds after an import of 50,000 markets."""


def run(settings: Settings) -> None:
    """Do background work until SIGTERM or Ctrl-C."""
    gc_tuning.freeze()
    os.nice(WORKER_NICENESS)
    with metrics_served(settings):
        asyncio.run(_work(settings))


@contextmanager
def metrics_served(settings: Settings) -> Iterator[None]:
    """Serve the worker's `/metrics` until the `with` block ends, if the settings name a port.

    If the port is taken, a warning is logged and the worker runs without metrics: the work matters
    more, and a second worker on the same machine may read the same settings.
    """
    host, port = settings.worker_metrics_host, settings.worker_metrics_port
    if port is None:
        yield
        return
    scheduled.measure(settings)
    try:
        server, thread = start_http_server(port, host)
    except OSError as error:
        log.warning(
            "worker_metrics_not_served",
            host=host, port=port, reason=error.strerror or str(error),
            fix="set AUGURY_WORKER_METRICS_PORT to a free port and AUGURY_WORKER_METRICS_HOST to an"
            " address of this machine",
        )  # fmt: skip
        yield
        return
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


async def _work(settings: Settings) -> None:
    stop = asyncio.Event()
    for sign in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(sign, stop.set)
    if settings.search_url is None:
        database = await Database.open(settings)
        try:
            async with background.running(background.building(settings, database)):
                typer.echo("The worker is running.")
                await stop.wait()
        finally:
            await database.close()
        return
    from augury import service_work, services  # they import nearly all of Augury, so only here

    async with services.running(settings) as opened:
        work = service_work.following(opened) | service_work.work_beside_search(opened)
        async with background.running(work | background.building(settings, opened.database)):
            typer.echo("The worker is running.")
            await stop.wait()
