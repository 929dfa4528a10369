"""The MCP server inside the service: its tools call the API in this process, as the caller."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import httpx2
from starlette.requests import Request

from augury.errors import NotFound, missing_extra
from augury.net.cookies import no_cookies

if TYPE_CHECKING:
    from mcp.server.mcpserver import Context
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

_PASSED_ON = {b"authorization", b"host", b"forwarded", b"x-forwarded-for", b"x-forwarded-proto"}
"""Headers of an MCP request that are passed on to the API: who asks, and from where."""


class ToolEndpoint:
    """The MCP server of one process, started by the first request. It is stateless, so that any
    process can answer any request."""

    def __init__(self) -> None:
        self._manager: StreamableHTTPSessionManager | None = None
        self._running: asyncio.Task[None] | None = None
        self._starting = asyncio.Lock()
        self._ending = asyncio.Event()

    async def manager(self) -> StreamableHTTPSessionManager:
        """The session manager, which answers requests; the first call starts it.

        Raises
        ------
        NotFound
            The packages that the tools need are not installed.
        """
        if self._manager is None:
            async with self._starting:
                if self._manager is None:
                    self._manager = await self._start()
        return self._manager

    async def _start(self) -> StreamableHTTPSessionManager:
        try:
            manager = await asyncio.to_thread(_make_manager)
        except ModuleNotFoundError as error:
            if (advice := missing_extra(error)) is None:
                raise
            raise NotFound(advice) from None
        ready = asyncio.Event()

        async def run() -> None:
            async with manager.run():
                ready.set()
                await self._ending.wait()

        self._running = asyncio.create_task(run())
        await ready.wait()
        return manager

    async def close(self) -> None:
        """Stop the MCP server, and the requests that it is still answering."""
        self._ending.set()
        if self._running is not None:
            await self._running


def _make_manager() -> StreamableHTTPSessionManager:
    from mcp.server.transport_security import TransportSecuritySettings

    from augury.mcp import server

    made = server.make(_reach)
    # The guard has checked Host and the size; the route checks Origin.
    unchecked = TransportSecuritySettings(enable_dns_rebinding_protection=False)
    made.streamable_http_app(stateless_http=True, transport_security=unchecked)
    return made.session_manager


def _reach(ctx: Context) -> InProcessClient:
    request = ctx.request_context.request
    assert isinstance(request, Request)
    return InProcessClient(request)


class InProcessClient:
    """Sends requests to the API in this process, as the caller of an MCP request."""

    def __init__(self, request: Request) -> None:
        self._request = request

    async def __call__(
        self, method: str, path: str, *, body: Any = None, query: Mapping[str, Any] | None = None
    ) -> httpx2.Response:
        """The API's answer to one request, after every check that a request from outside goes
        through."""
        scope = self._request.scope
        peer = scope.get("client") or ("", 0)
        transport = httpx2.ASGITransport(
            scope["app"], client=(peer[0], peer[1]), raise_app_exceptions=False
        )
        headers = [(n, v) for n, v in scope["headers"] if n in _PASSED_ON]
        async with httpx2.AsyncClient(
            transport=transport, base_url="http://augury", cookies=no_cookies()
        ) as client:
            return await client.request(method, path, json=body, params=query, headers=headers)
