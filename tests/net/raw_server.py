"""A server that answers with the bytes it is given."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from augury.net.addresses import AddressPolicy

OPEN = AddressPolicy.of(["127.0.0.1"], http=True)


Respond = Callable[[str], bytes]


@asynccontextmanager
async def server(respond: Respond) -> AsyncIterator[int]:
    """A raw server on 127.0.0.1; `respond` is given the request and returns what is sent."""

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        request = await reader.readuntil(b"\r\n\r\n")
        writer.write(respond(request.decode("latin-1")))
        await writer.drain()
        writer.close()
        await writer.wait_closed()

    running = await asyncio.start_server(handle, "127.0.0.1", 0)
    async with running:
        yield running.sockets[0].getsockname()[1]


def answer(content: bytes = b"", status: str = "200 OK", **headers: str) -> bytes:
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(content)}", "Connection: close"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + content
