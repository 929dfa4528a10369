"""A trap: a listener that nobody may ever reach."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import pytest


@dataclass
class Trap:
    """Listens on every loopback address; `caught` are the connections that came."""

    port: int
    caught: list[str] = field(default_factory=list)


@pytest.fixture
async def trap(anyio_backend: str) -> AsyncIterator[Trap]:
    caught: list[str] = []

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        caught.append(str(writer.get_extra_info("peername")))
        writer.close()

    first = await asyncio.start_server(connected, "0.0.0.0", 0)
    port = first.sockets[0].getsockname()[1]
    servers = [first]
    try:
        servers.append(await asyncio.start_server(connected, "::1", port))
    except OSError:
        pass  # a machine without IPv6
    yield Trap(port, caught)
    for server in servers:
        server.close()
        await server.wait_closed()
