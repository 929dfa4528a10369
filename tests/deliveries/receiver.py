"""A webhook receiver that fails as told and verifies what it takes by the public library."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from standardwebhooks import Webhook
from tests.pace import PATIENCE


@dataclass
class Receiver:
    """Answers by `answer(body) -> status` (0: never); keeps what it got."""

    answer: Callable[[bytes], int] = lambda body: 204
    secret: str = ""
    port: int = 0
    got: list[tuple[str, dict[str, Any], int]] = field(default_factory=list)
    """(webhook-id, message, status answered) of each request, verified."""
    forged: int = 0
    location: str = ""
    before: Callable[[], Awaitable[None]] | None = None
    """Awaited before each answer."""
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/hook"

    def ids(self) -> Counter[str]:
        """How often each webhook-id came and was taken."""
        return Counter(id_ for id_, _, status in self.got if 200 <= status < 300)

    async def until(self, enough: Callable[[], bool], seconds: float = PATIENCE) -> None:
        """Wait until `enough()` holds."""
        async with asyncio.timeout(seconds):
            while not enough():
                self.changed.clear()
                await self.changed.wait()

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                lines = head.split("\r\n")[1:]
                headers = {k.lower(): v for k, _, v in (x.partition(": ") for x in lines) if v}
                body = await reader.readexactly(int(headers.get("content-length", 0)))
                if self.before is not None:
                    await self.before()
                status = self.answer(body)
                try:
                    message = Webhook(self.secret).verify(body, headers)
                except Exception:
                    self.forged += 1
                    message = {}
                self.got.append((headers.get("webhook-id", ""), message, status))
                self.changed.set()
                if status == 0:
                    await asyncio.sleep(3600)
                extra = f"Location: {self.location}\r\n" if self.location else ""
                writer.write(f"HTTP/1.1 {status} X\r\n{extra}Content-Length: 0\r\n\r\n".encode())
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass
        finally:
            writer.close()


def flaky(failing: float, hanging: float, seed: int = 1) -> Callable[[bytes], int]:
    """An answer that fails and hangs at random, at these shares."""
    rng = random.Random(seed)

    def answer(body: bytes) -> int:
        lot = rng.random()
        return 0 if lot < hanging else 500 if lot < hanging + failing else 204

    return answer


@asynccontextmanager
async def receiving(receiver: Receiver) -> AsyncIterator[Receiver]:
    tasks: set[asyncio.Task[None]] = set()

    def accepted(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.ensure_future(receiver.handle(reader, writer))
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    server = await asyncio.start_server(accepted, "127.0.0.1", 0, backlog=1024)
    receiver.port = server.sockets[0].getsockname()[1]
    try:
        yield receiver
    finally:
        server.close()
        for task in list(tasks):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await server.wait_closed()
