"""`augury mcp`: the tools for a desktop client or an agent, over standard input and output."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Annotated, Any, Final

import httpx2
import typer

from augury import __version__, service_file
from augury.access.service import OPERATOR, AccessService
from augury.errors import SetupProblem
from augury.net.cookies import no_cookies
from augury.settings import Settings
from augury.storage.database import Database

ANSWER_SECONDS: Final = 100.0
"""Maximum time, in seconds, to wait for the service's answer. The service's own deadlines are all
shorter."""
SCOPES = ("search:read", "forecast:read", "rvol:read", "watch:write")


def mcp(
    url: Annotated[
        str | None, typer.Option(help="Address of the service. Default: AUGURY_URL.")
    ] = None,
) -> None:
    """Serve tools to a language model over standard input and output.

    A desktop client or an agent starts this itself; docs/mcp.md shows its configuration. It uses
    the service of this data folder, or the one at AUGURY_URL with the key in AUGURY_API_KEY.

    Example: augury mcp --url https://augury.example.org
    """
    settings = Settings()
    if url is not None:
        settings = settings.model_copy(update={"url": url})
    asyncio.run(_serve(settings))


async def _serve(settings: Settings) -> None:
    from augury.mcp import server

    client = ServiceClient(settings)
    await client.start()
    made = server.make(lambda _: client)
    try:
        await made.run_stdio_async()
    finally:
        await client.aclose()


class ServiceClient:
    """Sends the tools' requests to one Augury service. If the settings have an address, this is the
    service at the address, called with the key of the settings. Otherwise it is the service that
    runs on the data folder, called with a temporary key that is renewed when it expires."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._client = httpx2.AsyncClient(cookies=no_cookies())
        self._temporary_key_id: str | None = None
        self._renewing = asyncio.Lock()
        self._open = AsyncExitStack()

    async def start(self) -> None:
        """Find the service and connect to it.

        Raises
        ------
        SetupProblem
            No address is configured, and no service runs on this data folder.
        """
        settings = self._settings
        if settings.url is None:
            await self._borrow()
            return
        headers = {"User-Agent": f"augury-mcp/{__version__}"}
        if settings.api_key is not None:
            headers["Authorization"] = f"Bearer {settings.api_key.get_secret_value()}"
        self._client = await self._open.enter_async_context(
            httpx2.AsyncClient(
                base_url=settings.url.rstrip("/"),
                headers=headers,
                timeout=ANSWER_SECONDS,
                cookies=no_cookies(),
            )
        )

    async def _borrow(self) -> None:
        settings = self._settings
        if await asyncio.to_thread(service_file.health, settings) is None:
            raise SetupProblem(
                f"No service is running on the data folder {settings.data_dir}. Start it with "
                "'augury serve', or set AUGURY_URL and AUGURY_API_KEY to use another service."
            )
        async with _access(settings) as access:
            self._temporary_key_id, key = await access.create_temporary_key(*SCOPES)
            # Whoever can read the data folder can read everything in it, so this temporary key may
            # read realized volatility too.
            await access.set_rvol_approved(OPERATOR, True)
        await self._open.aclose()
        self._client = await self._open.enter_async_context(
            service_file.client(settings, key, patience=ANSWER_SECONDS)
        )

    async def __call__(
        self, method: str, path: str, *, body: Any = None, query: Mapping[str, Any] | None = None
    ) -> httpx2.Response:
        """The API's answer to one request."""
        client = self._client
        try:
            answer = await client.request(method, path, json=body, params=query)
            if answer.status_code != 401 or self._temporary_key_id is None:
                return answer
        except httpx2.ConnectError:
            if self._temporary_key_id is None:
                raise
        # The temporary key has expired, or the service was restarted.
        async with self._renewing:
            if client is self._client:
                try:
                    await self._borrow()
                except SetupProblem as problem:
                    raise httpx2.ConnectError(str(problem)) from None
            client = self._client
        return await client.request(method, path, json=body, params=query)

    async def aclose(self) -> None:
        """Close the connection and delete the temporary key, if there is one."""
        await self._open.aclose()
        if (
            self._temporary_key_id is None
            or await asyncio.to_thread(service_file.health, self._settings) is None
        ):
            return
        async with _access(self._settings) as access:
            await access.revoke_temporary_key(self._temporary_key_id)


@asynccontextmanager
async def _access(settings: Settings) -> AsyncIterator[AccessService]:
    database = await Database.open(settings)
    try:
        yield AccessService(database)
    finally:
        await database.close()
