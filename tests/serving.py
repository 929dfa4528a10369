"""Applications on real HTTP, on one event loop in a thread that a process keeps for all of them."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

import uvicorn
from uvicorn.server import ServerState


@contextmanager
def served(app: Any) -> Iterator[int]:
    """`app` on a free port of this machine until the block ends; its requests end with it.

    By uvicorn's protocol and without its server, which takes 0.2 s to end. Answers carry no date.
    """
    config = uvicorn.Config(app, log_level="critical", lifespan="off", proxy_headers=False)
    config.load()
    protocol: Any = config.http_protocol_class
    state, loop = ServerState(), _loop()

    async def start(sock: socket.socket) -> asyncio.Server:
        return await loop.create_server(
            lambda: protocol(config=config, server_state=state, app_state={}), sock=sock
        )

    async def end(server: asyncio.Server) -> None:
        # A connection that is just being accepted is let in, to be ended with the others:
        # a server that is closed meanwhile would forget its socket.
        for listener in server.sockets:
            loop.remove_reader(listener.fileno())
        for _ in range(3):
            await asyncio.sleep(0)
        server.close()
        for task in (tasks := list(state.tasks)):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for connection in list(state.connections):
            connection.shutdown()

    sock = socket.create_server(("127.0.0.1", 0), backlog=256)
    server = asyncio.run_coroutine_threadsafe(start(sock), loop).result(10)
    try:
        yield sock.getsockname()[1]
    finally:
        asyncio.run_coroutine_threadsafe(end(server), loop).result(10)
        sock.close()


@lru_cache
def _loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, daemon=True).start()
    return loop
