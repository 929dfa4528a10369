"""Besieges one service of its own: clients that take and give nothing, bombs, floods.

    PYTHONPATH=src python -m tests.siege [CLASS ...]

Starts `augury serve` on an empty folder with its default limits, and for each class (default: all)
attacks it over real sockets from addresses of 127.0.0.0/8, while somebody else asks for its health
ten times a second. Prints a JSON object: for each class what was tried, what became of it, how long
health took, and by how much memory (of service and worker) and descriptors grew. What is held is
decided by each class itself; ends with 1 where one was not. tests/test_siege.py runs it small.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
import os
import random
import resource
import socket
import struct
import subprocess
import sys
import tempfile
import time
import zlib
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

SCOPES = ("search:read", "forecast:read", "watch:write")
HEALTH = b"GET /v1/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
HEAD_SECONDS, BODY_SECONDS, DRAIN_SECONDS, IDLE_SECONDS = 10.0, 10.0, 20.0, 30.0
"""What the service promises: a whole head, a whole body, the least rate of reading, the end of a
connection without a request."""
LATE = 8.0
"""Seconds after these in which a busy machine may still be at it."""


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
        self.process.terminate()
        return self.process.wait(30)

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


@dataclass
class Watch:
    """Somebody who asks for health ten times a second."""

    service: Service
    took: list[float] = field(default_factory=list)
    failed: int = 0

    async def run(self) -> None:
        while True:
            began = time.perf_counter()
            status, _ = await self.service.ask("127.9.9.9", HEALTH)
            self.took.append(time.perf_counter() - began)
            self.failed += status != 200
            await asyncio.sleep(max(0.0, 0.1 - self.took[-1]))

    def told(self) -> dict[str, Any]:
        took = sorted(self.took) or [0.0]
        at = {"p50": len(took) // 2, "p99": len(took) * 99 // 100, "worst": len(took) - 1}
        ms = {name: round(took[n] * 1000, 1) for name, n in at.items()}
        return {"asked": len(self.took), "failed": self.failed, "ms": ms}


Found = dict[str, Any]
Attack = Callable[[Service, float], Awaitable[Found]]


async def _trickle(
    service: Service, address: str, head: bytes, drop: bytes, most: float
) -> tuple[str, float]:
    """Send `head`, then `drop` twice a second; what came of it, after how many seconds."""
    began = time.monotonic()
    try:
        reader, writer = await service.connect(address)
    except OSError:
        return "not connected", 0.0
    got = b""
    with suppress(OSError):
        writer.write(head)
        while time.monotonic() - began < most:
            try:
                more = await asyncio.wait_for(reader.read(4096), 0.5)
            except TimeoutError:
                writer.write(drop)
                await writer.drain()
                continue
            if not more:
                break
            got += more
    seconds = time.monotonic() - began
    writer.close()
    if seconds >= most:
        return f"kept {head.split(b' HTTP')[0].decode()} {got[9:12].decode()}".strip(), seconds
    return (got[9:12].decode() or "cut"), seconds


async def _trickles(tries: list[Awaitable[tuple[str, float]]]) -> Found:
    ends = await asyncio.gather(*tries)
    kinds = Counter(kind for kind, _ in ends)
    return {
        "tries": len(ends), "ended": dict(kinds), "longest_s": round(max(s for _, s in ends), 1),
        "held": not any(kind.startswith("kept") for kind in kinds),
    }  # fmt: skip


async def slow_heads(service: Service, scale: float) -> Found:
    """A header line twice a second, one byte twice a second, and nothing at all."""
    kinds = (
        (b"GET /v1/health HTTP/1.1\r\nHost: localhost\r\n", b"X: y\r\n"),
        (b"G", b"E"),
        (b"", b""),
        (b"\r\n", b"\r\n"),
        (b"\x16\x03\x01\x02\x00", b"\x01"),
    )
    count = round(400 * scale)
    return await _trickles(
        [_trickle(service, source(n), *kinds[n % 5], HEAD_SECONDS + LATE) for n in range(count)]
    )


async def slow_bodies(service: Service, scale: float) -> Found:
    """A byte of the body twice a second, announced and in chunks, with and without a key."""
    tries = []
    for n in range(round(320 * scale)):
        path = ("/v1/search", "/v1/forecast-runs", "/v1/watchlists", "/mcp")[n % 4]
        chunked = n % 16 < 8
        size: dict[str, Any] = (
            {"Transfer-Encoding": "chunked"} if chunked else {"Content-Length": "60000"}
        )
        size["Content-Type"] = "application/json"
        head = service.request("POST", path, keyed=n % 8 < 4, **size)
        head = head.replace(b"Connection: close\r\n", b"")
        drop = b"1\r\n \r\n" if chunked else b" "
        tries.append(_trickle(service, source(n), head, drop, 2 * BODY_SECONDS + LATE))
    return await _trickles(tries)


async def never_reading(service: Service, scale: float) -> Found:
    """Pipelined pages, whole exports and streams of forecasts that nobody reads."""
    ask = json.dumps({"question": "Will the Fed cut rates in December 2026?"}).encode()
    kinds = (
        service.request("GET", "/openapi.json").replace(b"Connection: close\r\n", b"") * 100,
        service.request("GET", "/v1/markets?limit=200", keyed=True).replace(
            b"Connection: close\r\n", b""
        )
        * 100,
        service.request("GET", "/v1/markets?format=csv", keyed=True),
        service.request("POST", "/v1/forecast/stream", ask, keyed=True),
    )  # fmt: skip
    before, began = service.descriptors(), time.monotonic()
    count = round(240 * scale)
    held: list[asyncio.StreamWriter] = []
    for n in range(count):
        reader, writer = await service.connect(source(n), receive=4096)
        reader._transport.pause_reading()  # type: ignore[attr-defined]
        writer.write(kinds[n % 4])
        held.append(writer)
    await asyncio.sleep(2)
    # What nobody reads keeps the kernel's side open; the service has let go of its own by then.
    # Nine may be left: the pool of the database grows by eight.
    highest = service.descriptors()
    most = DRAIN_SECONDS + IDLE_SECONDS + LATE
    while (left := service.descriptors() - before) > 9 and time.monotonic() - began < most:
        await asyncio.sleep(0.2)
    seconds = time.monotonic() - began
    for writer in held:
        writer.transport.abort()
    return {
        "tries": count, "at_once": highest - before, "left": max(0, left),
        "longest_s": round(seconds, 1), "held": left <= 9,
    }  # fmt: skip


async def idle(service: Service, scale: float) -> Found:
    """Ten thousand connections that say nothing, 400 of an address."""
    count = round(10_000 * scale)
    held: list[asyncio.StreamWriter] = []
    refused = 0
    for n in range(count):
        try:
            _, writer = await service.connect(f"127.0.{n // 400 + 1}.1")
            held.append(writer)
        except OSError:
            refused += 1
        if n % 100 == 99:
            await asyncio.sleep(0.01)
    await asyncio.sleep(2)
    descriptors = service.descriptors()
    for writer in held:
        writer.transport.abort()
    return {
        "tries": count, "opened": len(held), "refused": refused, "descriptors_then": descriptors,
        "held": descriptors < 5_000,
    }  # fmt: skip


async def half_open(service: Service, scale: float) -> Found:
    """Half of a request and a closed side; half of a request and a reset; streams left at once."""
    count = round(2_000 * scale)
    body = b'{"query": "Fed rate cut"}'
    whole = service.request("POST", "/v1/search", body)
    ask = json.dumps({"question": "Will the Fed cut rates in December 2026?"}).encode()
    stream = service.request("POST", "/v1/forecast/stream", ask, keyed=True)
    ends: Counter[str] = Counter()

    async def one(n: int) -> None:
        try:
            reader, writer = await service.connect(source(n % 5_000))
        except OSError:
            ends["not connected"] += 1
            return
        with suppress(OSError):
            if n % 3 == 0:
                writer.write(whole[:-9])
                writer.write_eof()
                try:
                    got = await asyncio.wait_for(reader.read(4096), BODY_SECONDS + LATE)
                    ends[got[9:12].decode() or "cut"] += 1
                except TimeoutError:
                    ends["kept"] += 1
            else:
                writer.write(whole[:-9] if n % 3 == 1 else stream)
                await asyncio.sleep(0.01)
                linger = struct.pack("ii", 1, 0)
                writer.get_extra_info("socket").setsockopt(
                    socket.SOL_SOCKET, socket.SO_LINGER, linger
                )
                ends["reset by us"] += 1
        writer.transport.abort()

    for n in range(0, count, 100):
        await asyncio.gather(*(one(k) for k in range(n, min(n + 100, count))))
    until = time.monotonic() + 60  # those that were left count at the key's rate
    while (status := (await service.ask("127.9.9.8", stream))[0]) == 429:
        if time.monotonic() > until:
            break
        await asyncio.sleep(1)
    return {
        "tries": count, "ended": dict(ends), "stream_afterwards": status,
        "held": not ends["kept"] and status == 200,
    }  # fmt: skip


async def load(service: Service, scale: float) -> Found:
    """Searches as fast as they are answered, of 64 addresses, beside a caller with a key."""
    ends: Counter[int] = Counter()
    until = time.monotonic() + 20 * scale
    own: list[float] = []

    async def stranger(n: int) -> None:
        rng = random.Random(n)
        while time.monotonic() < until:
            body = json.dumps({"query": f"{rng.choice(('Fed', 'Bitcoin', 'gold'))} {rng.random()}"})
            status, _ = await service.ask(
                source(n), service.request("POST", "/v1/search", body.encode())
            )
            ends[status] += 1

    async def user() -> None:
        n = 0
        while time.monotonic() < until:
            n += 1
            body = json.dumps({"query": f"Will the Fed cut rates in {n}?"}).encode()
            began = time.perf_counter()
            status, _ = await service.ask(
                "127.9.9.7", service.request("POST", "/v1/search", body, keyed=True)
            )
            own.append(time.perf_counter() - began)
            assert status in (200, 429), status
            await asyncio.sleep(0.1)

    await asyncio.gather(user(), *(stranger(n) for n in range(64)))
    own.sort()
    return {
        "tries": sum(ends.values()), "ended": {str(k): v for k, v in sorted(ends.items())},
        "with_a_key_ms": {
            "p50": round(own[len(own) // 2] * 1000), "p99": round(own[len(own) * 99 // 100] * 1000)
        },
        "held": not any(status >= 500 and status != 503 for status in ends),
    }  # fmt: skip


BOMB = 1 << 30
"""Bytes of zeros that a bomb becomes."""


def _bomb(size: int) -> bytes:
    deflate = zlib.compressobj(9, wbits=31)
    block = bytes(1 << 20)
    return b"".join(deflate.compress(block) for _ in range(size >> 20)) + deflate.flush()


async def decompression(service: Service, scale: float) -> Found:
    """Compressed bodies of requests, and sources of series whose answers are bombs."""
    small, bomb = gzip.compress(b'{"query": "Fed"}'), _bomb(round(BOMB * scale))
    twice = gzip.compress(bomb)
    ends: Counter[str] = Counter()
    for encoding, body in (
        ("gzip", small), ("gzip", bomb[:60_000]), ("deflate", zlib.compress(b'{"query": "Fed"}')),
        ("br", b"\x1b\x0f\x00"), ("zstd", b"\x28\xb5\x2f\xfd"), ("gzip, gzip", twice), ("x", b"{"),
    ):  # fmt: skip
        for path in ("/v1/search", "/v1/forecast", "/mcp", "/v1/watchlists"):
            request = service.request("POST", path, body, keyed=True, Content_Encoding=encoding)
            status, _ = await service.ask("127.9.9.6", request)
            ends[f"request {status}"] += 1

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked = (await reader.readuntil(b"\r\n\r\n")).split()[1].decode()
        body, encoding = {
            "/gzip": (bomb, "gzip"), "/twice": (twice, "gzip, gzip"),
            "/lie": (bomb, "identity"), "/cut": (bomb[: len(bomb) // 2], "gzip"),
        }[asked]  # fmt: skip
        head = f"HTTP/1.1 200 OK\r\nContent-Type: text/csv\r\nContent-Encoding: {encoding}\r\n"
        writer.write(f"{head}Content-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode())
        writer.write(body)
        with suppress(OSError):
            await writer.drain()
        writer.close()

    there = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = there.sockets[0].getsockname()[1]
    highest = before = service.memory()

    async def watch() -> None:
        nonlocal highest
        while True:
            highest = max(highest, service.memory())
            await asyncio.sleep(0.05)

    watching = asyncio.create_task(watch())

    async def made(path: str, body: bytes) -> tuple[int, bytes]:
        until = time.monotonic() + 30
        while True:
            request = service.request("POST", path, body, keyed=True)
            status, got = await service.ask("127.9.9.6", request, 60)
            if status != 429 or time.monotonic() > until:
                return status, got
            await asyncio.sleep(1)

    async with there:
        for path in ("gzip", "twice", "lie", "cut"):
            url = f"http://127.0.0.1:{port}/{path}"
            spec = {"name": path, "kind": "macro_indicator",
                    "source": {"type": "csv", "url": url}}  # fmt: skip
            status, got = await made("/v1/external-series", json.dumps(spec).encode())
            if status == 201:
                its = json.loads(got.partition(b"\r\n\r\n")[2])["id"]
                status, got = await made(f"/v1/external-series/{its}/refresh", b"{}")
            ends[f"source {path} {status}"] += 1
    watching.cancel()
    most = round(highest - before)
    return {
        "tries": sum(ends.values()), "ended": dict(ends), "highest_growth_mb": most,
        "held": most < 400 and not any(name.split()[-1] in ("0", "200", "500") for name in ends
                                       if not name.startswith("request")),
    }  # fmt: skip


SCRIPTS = ("abcdefghijklmnopqrstuvwxyz", "абвгдежзиклмн", "αβγδεζηθ", "漢字仮名交文", "𐐀𐐁𐐂𐐃𐐄")


def hostile(rng: random.Random) -> str:
    """A text of words that nobody has written before, some of them long."""
    letters = rng.choice(SCRIPTS)
    lengths = [rng.choice((5, 12, 60, 400)) for _ in range(rng.choice((1, 4, 8)))]
    return " ".join("".join(rng.choices(letters, k=n)) for n in lengths)[:480]


async def texts(service: Service, scale: float) -> Found:
    """100,000 new hostile texts: searches, forecasts and pages, each from an address of its own."""
    count = max(300, round(100_000 * scale))
    rng = random.Random(14)
    ends: Counter[str] = Counter()
    marks: list[float] = []
    queue: asyncio.Queue[tuple[int, str]] = asyncio.Queue(100)
    began = time.monotonic()

    async def caller() -> None:
        while True:
            n, text = await queue.get()
            path, body = (
                ("/v1/forecast", {"question": text}) if n % 20 == 0
                else ("/extension/v1/search", {"title": text}) if n % 20 == 1
                else ("/v1/search", {"query": text})
            )  # fmt: skip
            # Without a key each address has a rate of its own; forecasts need a key.
            request = service.request("POST", path, json.dumps(body).encode(), keyed=n % 20 == 0)
            status, _ = await service.ask(source(n), request, 60)
            ends[f"{path} {status}"] += 1
            queue.task_done()

    callers = [asyncio.create_task(caller()) for _ in range(6)]
    for n in range(count):
        if n % (count // 10) == 0:
            await queue.join()
            marks.append(round(service.memory()))
        await queue.put((n, hostile(rng)))
    await queue.join()
    for one in callers:
        one.cancel()
    marks.append(round(service.memory()))
    return {
        "tries": count, "ended": dict(ends), "memory_mb_by_tenths": marks,
        "a_second": round(count / (time.monotonic() - began)),
        "held": marks[-1] - marks[len(marks) // 2] < 60
        and not any(name.split()[1] in ("0", "500") for name in ends),
    }  # fmt: skip


ATTACKS: dict[str, Attack] = {
    "slow heads": slow_heads,
    "slow bodies": slow_bodies,
    "never reading": never_reading,
    "idle": idle,
    "half open": half_open,
    "load": load,
    "decompression": decompression,
    "texts": texts,
}


async def besiege(service: Service, names: list[str], scale: float) -> dict[str, Found]:
    """Each class in turn, and what it cost."""
    found: dict[str, Found] = {}
    for name in names:
        watch = Watch(service)
        watching = asyncio.create_task(watch.run())
        memory, descriptors, began = service.memory(), service.descriptors(), time.monotonic()
        told = await ATTACKS[name](service, scale)
        told["seconds"] = round(time.monotonic() - began)
        watching.cancel()
        await asyncio.sleep(3)
        told["health"] = watch.told()
        told["memory_grown_mb"] = round(service.memory() - memory)
        told["descriptors_grown"] = service.descriptors() - descriptors
        told["held"] = told["held"] and not watch.failed and told["descriptors_grown"] < 30
        found[name] = told
        print(f"{name}: {json.dumps(told)}", file=sys.stderr, flush=True)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("classes", nargs="*", help=", ".join(ATTACKS))
    parser.add_argument("--scale", type=float, default=1.0, help="Part of the tries; default: 1.")
    given = parser.parse_args()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 14_000)), hard))
    with tempfile.TemporaryDirectory(prefix="augury-siege-") as folder:
        service = Service.start(Path(folder))
        try:
            names = given.classes or list(ATTACKS)
            found: dict[str, Any] = asyncio.run(besiege(service, names, given.scale))
        finally:
            status = service.stop()
    found["left_with"] = status
    print(json.dumps(found, indent=1, ensure_ascii=False))
    return 0 if status == 0 and all(f["held"] for f in found.values() if f != status) else 1


if __name__ == "__main__":
    sys.exit(main())
