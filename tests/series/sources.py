"""What sources of the tests share: a server of their own, and an answer that can be read."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

Handle = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]

_BODY = "time,value\n2026-01-01,1\n"
ONE_POINT = (
    f"HTTP/1.1 200 X\r\nContent-Length: {len(_BODY)}\r\nConnection: close\r\n\r\n{_BODY}".encode()
)


@asynccontextmanager
async def listening(handle: Handle) -> AsyncIterator[int]:
    """The port of this machine at which `handle` answers each connection."""
    server = await asyncio.start_server(handle, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1]
