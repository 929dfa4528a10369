"""The besieged service, and how attackers reach it."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SCOPES = ("search:read", "forecast:read", "watch:write")


def source(n: int) -> str:
    """An address of this machine that no other attacker of the class uses."""
    return f"127.{10 + n // 60_000}.{n // 250 % 240 + 1}.{n % 250 + 1}"


@dataclass
class Service:
    """The besieged: a process, its address, a key with the scopes of users."""

    process: subprocess.Popen[str]
    port: int
    key: str

    @classmethod
    def start(cls, folder: Path) -> Service:
        environment = os.environ | {
            "AUGURY_DATA_DIR": str(folder / "data"), "AUGURY_PORT": "0", "AUGURY_SYNC": "off",
            "AUGURY_LOG_LEVEL": "error", "AUGURY_RVOL_COINS": "", "AUGURY_OUTBOUND_HTTP": "on",
            "AUGURY_OUTBOUND_ALLOW": "127.0.0.0/8", "PYTHONSAFEPATH": "1",
        }  # fmt: skip
        command = [sys.executable, "-m", "augury"]
        with (folder / "log").open("w") as log:
            process = subprocess.Popen(
                [*command, "serve"], env=environment, stdout=subprocess.PIPE, stderr=log, text=True
            )
        assert process.stdout is not None
        said = process.stdout.readline()
        if not said.startswith("Augury answers at "):
            raise SystemExit((folder / "log").read_text()[-2000:])
        asked = [part for scope in SCOPES for part in ("--scope", scope)]
        made = subprocess.run(
            [*command, "keys", "create", "--account", "siege", *asked, "--json"],
            env=environment, capture_output=True, text=True, check=True,
        )  # fmt: skip
        return cls(process, int(said.split()[3].rpartition(":")[2]), json.loads(made.stdout)["key"])

    def stop(self) -> int:
        """The exit status; 0 where it ended by the signal itself, when everything was closed."""
        self.process.terminate()
        status = self.process.wait(30)
        return 0 if status == -signal.SIGTERM else status

    def tree(self) -> list[int]:
        """The service and its children, less the database."""
        found, queue = [], [self.process.pid]
        while queue:
            pid = queue.pop()
            with suppress(OSError):
                if b"postgres" in Path(f"/proc/{pid}/cmdline").read_bytes():
                    continue
                found.append(pid)
                for task in Path(f"/proc/{pid}/task").iterdir():
                    queue += map(int, (task / "children").read_text().split())
        return found

    def memory(self) -> float:
        """Megabytes of anonymous memory of service and worker."""
        total = 0
        for pid in self.tree():
            with suppress(OSError):
                # What a fork shares with its parent counts once.
                lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
                total += sum(int(s.split()[1]) for s in lines if s.startswith("Pss_Anon"))
        return total / 1000

    def descriptors(self) -> int:
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    async def connect(
        self, address: str, *, receive: int | None = None
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        made = socket.socket()
        made.setblocking(False)
        if receive is not None:
            made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive)
        made.bind((address, 0))
        await asyncio.get_running_loop().sock_connect(made, ("127.0.0.1", self.port))
        return await asyncio.open_connection(sock=made, limit=4096)

    async def ask(self, address: str, request: bytes, patience: float = 30.0) -> tuple[int, bytes]:
        """Status and first bytes of an answer; status 0 where there is none."""
        try:
            async with asyncio.timeout(patience):
                reader, writer = await self.connect(address)
                try:
                    writer.write(request)
                    got = await reader.read(4096)
                finally:
                    writer.close()
        except (OSError, TimeoutError):
            return 0, b""
        return (int(got[9:12]) if got[9:12].isdigit() else 0), got

    def request(
        self, method: str, path: str, body: bytes = b"", *, keyed: bool = False, **headers: str
    ) -> bytes:
        lines = [f"{method} {path} HTTP/1.1", "Host: localhost", "Connection: close"]
        if keyed:
            lines.append(f"Authorization: Bearer {self.key}")
        if body:
            lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


Found = dict[str, Any]
Attack = Callable[[Service, float], Awaitable[Found]]
