"""A minimal load client: keep-alive sockets, one thread per client, latencies to standard output.

It uses very little processor time, so that on a machine of two cores the figures are those of the
service: `python -m augury.search.load URL QUERIES.json --clients 8 --requests 4000 [--key KEY]`.
With `--rate 100 --seconds 600` requests are due at fixed times, however slow the answers are, and
each latency counts from the time its request was due.
"""

from __future__ import annotations

import argparse
import json
import socket
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit


def percentiles(seconds: list[float]) -> dict[str, float]:
    """The percentiles p50, p90, p95, p99 and the maximum of `seconds`, in milliseconds."""
    ordered = sorted(seconds)
    at = {"p50": 0.5, "p90": 0.9, "p95": 0.95, "p99": 0.99, "max": 1.0}
    last = len(ordered) - 1
    return {name: round(ordered[round(q * last)] * 1000, 2) for name, q in at.items()}


class _Client(threading.Thread):
    def __init__(self, host: str, port: int, requests: list[bytes]) -> None:
        super().__init__(daemon=True)
        self._address, self._requests = (host, port), requests
        self.seconds: list[float] = []
        self.statuses: dict[int, int] = {}

    def run(self) -> None:
        with socket.create_connection(self._address) as connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for request in self._requests:
                started = time.perf_counter()
                connection.sendall(request)
                status = self._answer(connection)
                self.seconds.append(time.perf_counter() - started)
                self.statuses[status] = self.statuses.get(status, 0) + 1

    @staticmethod
    def _answer(connection: socket.socket) -> int:
        data = b""
        while (end := data.find(b"\r\n\r\n")) < 0:
            data += _received(connection)
        head = data[:end].lower()
        start = head.index(b"content-length:") + 15
        rest = end + 4 + int(head[start:].split(b"\r\n", 1)[0]) - len(data)
        while rest > 0:
            rest -= len(_received(connection))
        return int(head[9:12])


def _received(connection: socket.socket) -> bytes:
    chunk = connection.recv(262_144)
    if not chunk:
        raise ConnectionError("the service closed the connection")
    return chunk


def search_requests(
    url: str, bodies: list[dict[str, Any]], key: str | None, path: str = "/v1/search"
) -> list[bytes]:
    """For each body, the bytes of an HTTP request that POSTs it to `path`, with the API key
    `key`."""
    extra = f"Authorization: Bearer {key}\r\n" if key else ""
    requests = []
    for body in bodies:
        content = json.dumps(body).encode()
        head = (
            f"POST {path} HTTP/1.1\r\nHost: {urlsplit(url).netloc}\r\n{extra}"
            f"Content-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n"
        )
        requests.append(head.encode() + content)
    return requests


def load(
    url: str,
    bodies: list[dict[str, Any]],
    *,
    clients: int,
    requests: int,
    key: str | None = None,
    path: str = "/v1/search",
) -> dict[str, Any]:
    """Send `requests` POSTs, with the `bodies` in turn, from `clients` threads at the same time.
    Returns latencies in ms, requests a second and status codes."""
    parts = urlsplit(url)
    prepared = search_requests(url, bodies, key, path)
    each = requests // clients
    threads = [
        _Client(
            parts.hostname or "127.0.0.1",
            parts.port or 80,
            [prepared[(c * each + k) % len(prepared)] for k in range(each)],
        )
        for c in range(clients)
    ]
    started = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    elapsed = time.perf_counter() - started
    seconds = [s for thread in threads for s in thread.seconds]
    statuses: dict[str, int] = {}
    for thread in threads:
        for status, n in thread.statuses.items():
            statuses[str(status)] = statuses.get(str(status), 0) + n
    return {
        "clients": clients,
        "requests": len(seconds),
        "per_second": round(len(seconds) / elapsed, 1),
        "statuses": statuses,
        "latency_ms": percentiles(seconds),
    }


class _Steady(threading.Thread):
    """One of many threads that share a schedule: each takes the next request, sends it when it is
    due and records the time from then until the answer."""

    def __init__(
        self,
        address: tuple[str, int],
        requests: list[bytes],
        due: Iterator[tuple[int, float]],
        taking: threading.Lock,
    ) -> None:
        super().__init__(daemon=True)
        self._address, self._requests, self._due, self._taking = address, requests, due, taking
        self.seconds: list[float] = []
        self.statuses: dict[str, int] = {}

    def run(self) -> None:
        connection: socket.socket | None = None
        while True:
            with self._taking:
                number, at = next(self._due, (0, None))
            if at is None:
                break
            time.sleep(max(0.0, at - time.perf_counter()))
            request = self._requests[number % len(self._requests)]
            try:
                if connection is None:
                    connection = socket.create_connection(self._address, timeout=30)
                    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                connection.sendall(request)
                outcome = str(_Client._answer(connection))
            except OSError as error:
                connection, outcome = None, type(error).__name__
            self.seconds.append(time.perf_counter() - at)
            self.statuses[outcome] = self.statuses.get(outcome, 0) + 1
        if connection is not None:
            connection.close()


def steady(
    url: str,
    bodies: list[dict[str, Any]],
    *,
    rate: float,
    seconds: float,
    key: str | None = None,
    path: str = "/v1/search",
    clients: int = 64,
) -> dict[str, Any]:
    """Send `rate` POSTs a second for `seconds`, with the `bodies` in turn, from `clients` threads.
    Returns latencies in ms (counted from when each request was due), requests a second and status
    codes.

    While the service stalls, further requests become due and their waiting time counts, so the
    latencies are free of coordinated omission.
    """
    parts = urlsplit(url)
    prepared = search_requests(url, bodies, key, path)
    began = time.perf_counter() + 0.2
    due = ((n, began + n / rate) for n in range(round(rate * seconds)))
    taking = threading.Lock()
    address = (parts.hostname or "127.0.0.1", parts.port or 80)
    threads = [_Steady(address, prepared, due, taking) for _ in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    elapsed = time.perf_counter() - began
    statuses: dict[str, int] = {}
    for thread in threads:
        for status, n in thread.statuses.items():
            statuses[status] = statuses.get(status, 0) + n
    latencies = [s for thread in threads for s in thread.seconds]
    return {
        "requests": len(latencies),
        "per_second": round(len(latencies) / elapsed, 1),
        "statuses": statuses,
        "latency_ms": percentiles(latencies),
    }


def main() -> None:
    """Run the load client from the command line; prints its report as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url")
    parser.add_argument("bodies", type=Path, help="file with a JSON list of search requests")
    parser.add_argument("--clients", type=int, default=1)
    parser.add_argument("--requests", type=int, default=1000)
    parser.add_argument(
        "--rate",
        type=float,
        help="send this many requests per second for --seconds, instead of --requests in all",
    )
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--key")
    parser.add_argument("--path", default="/v1/search")
    given = parser.parse_args()
    bodies = json.loads(given.bodies.read_text())
    if given.rate:
        result = steady(
            given.url, bodies, rate=given.rate, seconds=given.seconds, key=given.key,
            path=given.path,
        )  # fmt: skip
    else:
        result = load(
            given.url, bodies, clients=given.clients, requests=given.requests, key=given.key,
            path=given.path,
        )  # fmt: skip
    json.dump(result, sys.stdout)


if __name__ == "__main__":
    main()
