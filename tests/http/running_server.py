"""A server with few connections, and clients that open many."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fastapi import Response
from fastapi.responses import StreamingResponse
from tests.http.conftest import OpenLimiter, make_app
from tests.http.open_access import OpenAccess
from tests.http.raw_answers import Answer, receive
from tests.pace import PATIENCE, wait_until

from augury.http import server
from augury.http.connections import Connections
from augury.settings import Settings

HEALTH = b"GET /v1/health HTTP/1.1\r\nHost: augury\r\nConnection: close\r\n\r\n"


BIG = 32 * 1024 * 1024


@dataclass
class Running:
    address: tuple[str, int]
    open_ones: Connections

    def connect(self, source: str = "127.0.0.1", **options: int) -> socket.socket:
        made = socket.socket()
        for name, value in options.items():
            made.setsockopt(socket.SOL_SOCKET, getattr(socket, name), value)
        made.settimeout(PATIENCE)
        made.bind((source, 0))
        made.connect(self.address)
        return made

    def health(self, source: str = "127.0.0.1") -> int:
        with self.connect(source) as sock:
            sock.sendall(HEALTH)
            got = receive(sock)
            return Answer(got).status if got else 0


@contextmanager
def running(
    folder: Path, *, drain_window: float = 0.5, header_timeout: float = 10.0, **changed: Any
) -> Iterator[Running]:
    settings = Settings(data_dir=folder, sync="off", sample="off", port=0, **changed)
    app = make_app(settings, access=OpenAccess())
    app.state.traffic.limiter = OpenLimiter()

    @app.get("/big")
    async def big() -> Response:
        return Response(bytes(BIG), media_type="application/octet-stream")

    @app.get("/parts")
    async def parts() -> StreamingResponse:
        async def pieces() -> AsyncIterator[bytes]:
            for _ in range(BIG // 65536):
                yield bytes(65536)

        return StreamingResponse(pieces(), media_type="application/octet-stream")

    config = server.config(app, settings)
    kind: Any = server.protocol(settings, drain_window=drain_window, header_timeout=header_timeout)
    config.http = kind
    runner = server.Server(config)
    listener = socket.create_server(("127.0.0.1", 0), backlog=4096)
    thread = threading.Thread(
        target=lambda: asyncio.run(runner.serve(sockets=[listener])), daemon=True
    )
    thread.start()
    wait_until(lambda: runner.started, "the server has started", every=0.01)
    try:
        yield Running(listener.getsockname(), kind.open_ones)
    finally:
        runner.should_exit = True
        thread.join(PATIENCE)
        listener.close()
