"""The commands `augury serve` and `augury worker`. Each imports what it needs when it runs. The
imports take seconds, and a list of all commands needs none of them."""

from __future__ import annotations

from typing import Annotated

import typer


def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on.")] = None,
    port: Annotated[
        int | None, typer.Option(min=0, max=65_535, help="Port to listen on; 0 picks a free one.")
    ] = None,
) -> None:
    """Serve the API and keep the markets up to date with the venues, until SIGTERM or Ctrl-C.

    An empty catalogue is filled at once with a small sample of invented markets, marked as such, so
    that the first answer does not wait for the venues. The first real sync or import replaces it.

    Example: augury serve --port 8080
    """
    from augury import serving
    from augury.logs import configure
    from augury.settings import Settings

    settings = Settings()
    changes = {"host": host, "port": port}
    settings = settings.model_copy(update={k: v for k, v in changes.items() if v is not None})
    configure(settings)
    serving.run(settings)


def worker() -> None:
    """Do the background work of a service until SIGTERM or Ctrl-C. The worker need not run on the
    service's machine.

    By default it does the work that needs only the database: linking equal events of the venues,
    reading markets' texts for forecasts, finding prices that move together, realized volatility,
    imports, backups. With a search server (AUGURY_SEARCH_URL) it does all other background work
    too: it follows the venues, updates the index, and makes graphs, runs of forecasts, watchlist
    alerts and deliveries. Any number of workers share the work. `augury serve` starts one worker
    itself unless AUGURY_WORK says otherwise. With AUGURY_WORKER_METRICS_PORT a worker serves
    /metrics for Prometheus.

    Example: AUGURY_DATABASE_URL=postgresql://... augury worker
    """
    from augury import worker
    from augury.logs import configure
    from augury.settings import Settings

    settings = Settings()
    configure(settings)
    worker.run(settings)
