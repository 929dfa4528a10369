"""The process that serves HTTP requests, with its background work, until SIGTERM."""

from __future__ import annotations

import asyncio
from socket import socket
from typing import Any, Final

import structlog
import typer

from augury import background, service_file
from augury.access.sessions import LINK_LASTS, SessionService
from augury.app import create_app
from augury.background import Work
from augury.doctor.exposure import exposure_warnings
from augury.errors import SetupProblem
from augury.http.connections import raise_descriptor_limit
from augury.http.server import Server, config
from augury.settings import Settings
from augury.storage.failures import as_unavailable, retried

log = structlog.get_logger(__name__)

LINK_PATIENCE: Final = 2.0
"""If the database is unavailable when the service starts, the service keeps trying for this many
seconds to make the sign-in link, by which the owner of the machine enters the console."""


def run(settings: Settings) -> None:
    """Serve until SIGTERM or Ctrl-C.

    Raises
    ------
    SetupProblem : the service could not start because of a problem that the operator can solve
    """
    raise_descriptor_limit()
    for exposure in exposure_warnings(settings):
        log.warning("service_exposed", problem=exposure)
    server = _Server(settings)
    try:
        server.run()
    finally:
        # uvicorn exits with its own status code; this error replaces that exit
        if (problem := server.problem) is not None:
            raise problem


_ELSEWHERE: Final[dict[str, Work | None]] = {
    "child": background.child,
    "here": None,
    "elsewhere": background.nothing,
}


class _Server(Server):
    """The HTTP server of `augury serve`. Once it answers, it prints its address and makes itself
    known to other commands on this machine (`service_file`)."""

    def __init__(self, settings: Settings) -> None:
        self._app = create_app(settings, elsewhere=_ELSEWHERE[settings.work])
        super().__init__(config(self._app, settings))
        self._settings = settings

    @property
    def problem(self) -> SetupProblem | None:
        """Why the service did not start, in words for the operator; None if it did."""
        return getattr(self._app.state, "problem", None)

    async def startup(self, sockets: list[socket] | None = None) -> None:
        await super().startup(sockets)
        if self.should_exit or not self.servers:
            return
        host, port = self.servers[0].sockets[0].getsockname()[:2]
        if host in ("0.0.0.0", "::"):  # noqa: S104 - printed addresses should be reachable
            host = "127.0.0.1"
        await self._listen_in_folder()
        url = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
        service_file.announce(self._settings, url)
        typer.echo(
            f"Augury answers at {url}  (documentation: {url}/docs)\n"
            f"Try: curl -s {url}/v1/search -H 'content-type: application/json'"
            """ -d '{"query": "Fed rate cut"}'"""
        )
        await self._invite(url)

    async def _listen_in_folder(self) -> None:
        """Also answer on the Unix socket in the data folder, for commands on this machine."""
        try:
            listening = service_file.listen(self._settings)
        except OSError as error:
            log.warning(
                "command_socket_not_opened",
                folder=str(self._settings.data_dir),
                reason=str(error),
                effect="augury commands on this machine can't reach this service",
            )
            return

        def connection() -> asyncio.Protocol:
            make: Any = self.config.http_protocol_class
            return make(
                config=self.config, server_state=self.server_state, app_state=self.lifespan.state
            )

        loop = asyncio.get_running_loop()
        self.servers.append(await loop.create_unix_server(connection, sock=listening))

    async def _invite(self, url: str) -> None:
        if self._settings.console == "off":
            return
        if (link := await _sign_in_link(self._app.state.services.sessions)) is None:
            typer.echo(
                "Console: no sign-in link, because the database can't be reached at the moment.\n"
                "  (sign in with a key, or start the service again)"
            )
            return
        minutes = int(LINK_LASTS.total_seconds() / 60)
        typer.echo(
            f"Console: {url}/sign-in#{link}\n"
            f"  (signs you in on this machine; valid once, for {minutes} minutes)"
        )

    async def shutdown(self, sockets: list[socket] | None = None) -> None:
        service_file.withdraw(self._settings)
        await super().shutdown(sockets)


async def _sign_in_link(sessions: SessionService) -> str | None:
    """The secret part of a sign-in link to the console; None if the database stays unavailable for
    `LINK_PATIENCE`. The service then serves without a link, since the database may come back."""
    try:
        return await retried(sessions.new_link, LINK_PATIENCE)
    except Exception as error:
        if as_unavailable(error) is None:
            raise
        log.warning("sign_in_link_not_made", reason=str(error))
        return None
