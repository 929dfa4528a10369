"""`augury serve`: the HTTP service with its background work, until SIGTERM."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Annotated

import typer
import uvicorn

from augury.app import create_app
from augury.http.server import config
from augury.logs import configure
from augury.settings import Settings

ADDRESS_FILE = "service.json"


def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on.")] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on; 0 picks a free one.")] = None,
) -> None:
    """Serve the API and follow the venues, until SIGTERM or Ctrl-C.

    An empty catalogue is filled with a small, clearly marked sample at once, so the first answer
    does not wait for the venues; the first real sync or import replaces it.

    Example: augury serve --port 8080
    """
    settings = Settings()
    changes = {"host": host, "port": port}
    settings = settings.model_copy(update={k: v for k, v in changes.items() if v is not None})
    configure(settings)
    _Server(settings).run()


class _Server(uvicorn.Server):
    """Says where it listens once it answers, and leaves the address for other commands."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(config(create_app(settings), settings))
        self._settings = settings

    @property
    def _note(self) -> Path:
        return Path(self._settings.data_dir) / ADDRESS_FILE

    async def startup(self, sockets: list[object] | None = None) -> None:
        await super().startup(sockets)  # type: ignore[arg-type]
        if self.should_exit or not self.servers:
            return
        host, port = self.servers[0].sockets[0].getsockname()[:2]
        if host in ("0.0.0.0", "::"):  # noqa: S104 - reached by its own name from here
            host = "127.0.0.1"
        url = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
        self._note.write_text(json.dumps({"url": url, "pid": os.getpid()}))
        typer.echo(
            f"Augury answers at {url}  (documentation: {url}/docs)\n"
            f"Try: curl -s {url}/v1/search -H 'content-type: application/json'"
            """ -d '{"query": "Fed rate cut"}'"""
        )

    async def shutdown(self, sockets: list[object] | None = None) -> None:
        self._note.unlink(missing_ok=True)
        await super().shutdown(sockets)  # type: ignore[arg-type]


def running_service(settings: Settings) -> str | None:
    """The address of the service on this data folder, if one answers there."""
    import httpx2

    try:
        note = json.loads((Path(settings.data_dir) / ADDRESS_FILE).read_text())
        httpx2.get(f"{note['url']}/v1/health", timeout=2, trust_env=False).raise_for_status()
    except (OSError, ValueError, KeyError, httpx2.HTTPError):
        return None
    return note["url"]
