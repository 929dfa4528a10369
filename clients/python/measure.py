"""Measures what the client costs: CPU time beyond a bare call, of making a data frame, of import.

    PYTHONPATH=clients/python/src python clients/python/measure.py

Nothing but the client is measured: a server in another process gives the same answers at once.
"""

from __future__ import annotations

import json
import multiprocessing
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

NOW = datetime(2026, 11, 22, tzinfo=timezone.utc)
MARKET: dict[str, Any] = {
    "id": "polymarket:1", "platform": "polymarket", "platform_id": "1",
    "question": "Will the Fed cut rates in December?", "outcomes": ["Yes", "No"],
    "status": "active", "resolution": None, "created_at": None, "closes_at": NOW.isoformat(),
    "resolved_at": None, "platform_event_id": None, "platform_event_name": None,
    "event_group_id": None, "event_group_name": None, "category": None, "tags": [],
    "market_type": "binary", "volume": 1.0, "liquidity": None, "platform_url": None,
    "description": None, "current_prices": {"Yes": 0.4, "No": 0.6},
    "price_as_of": NOW.isoformat(), "best_bid": None, "best_ask": None, "volume_24h": None,
    "linked_market_ids": [], "stale": False, "origin": "live", "observed_at": None,
    "updated_at": NOW.isoformat(),
}  # fmt: skip
FOUND = {
    "score": 0.9,
    "dimension": "direct",
    "event_id": None,
    "twin_ids": [],
    "reason": "Asks it.",
}
SEARCH = {
    "request_id": "r", "query": "x", "total_markets": 50_000, "latency_ms": 9,
    "results": {
        d: [{**MARKET, **FOUND, "dimension": d}] * 20
        for d in ("direct", "upstream", "downstream", "correlated")
    },
}  # fmt: skip
HISTORY = {
    "market": MARKET, "start": NOW.isoformat(), "end": NOW.isoformat(), "interval_minutes": 1,
    "price_as_of": NOW.isoformat(), "origin": "live",
    "series": [{"outcome": "Yes", "points": [
        {"timestamp": (NOW + timedelta(minutes=n)).isoformat(), "probability": n / 10_000}
        for n in range(10_000)
    ]}],
}  # fmt: skip


class _Answers(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    texts = {False: json.dumps(SEARCH).encode(), True: json.dumps(HISTORY).encode()}  # noqa: RUF012

    def _answer(self) -> None:
        self.rfile.read(int(self.headers.get("content-length", 0)))
        text = self.texts["history" in self.path]
        self.send_response(200)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    do_GET = do_POST = _answer

    def log_message(self, *_: object) -> None:
        pass


def _serve(port: Any) -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Answers)
    port.put(server.server_port)
    server.serve_forever()


def cpu(call: Callable[[], object], times: int) -> float:
    """Median CPU time of this thread, in ms."""
    taken: list[float] = []
    for _ in range(times):
        started = time.thread_time()
        call()
        taken.append(time.thread_time() - started)
    return statistics.median(taken) * 1000


def main() -> None:
    """Measure, and print JSON."""
    import httpx2

    from augury_client import Augury

    context = multiprocessing.get_context("spawn")
    ports: Any = context.Queue()
    server = context.Process(target=_serve, args=(ports,), daemon=True)
    server.start()
    url = f"http://127.0.0.1:{ports.get(timeout=60)}"
    bare = httpx2.Client(base_url=url, trust_env=False)
    try:
        with Augury(url) as client:
            told = {
                "search_bare_ms": cpu(
                    lambda: bare.post("/v1/search", json={"query": "x"}).json(), 300
                ),
                "search_client_ms": cpu(lambda: client.search("x"), 300),
                "history_10000_to_polars_ms": cpu(lambda: client.history("a").to_polars(), 20),
            }
    finally:
        server.terminate()
    code = "import time; t = time.process_time(); import {}; print(time.process_time() - t)"
    for name in ("augury_client", "httpx2"):
        runs = [
            float(subprocess.check_output([sys.executable, "-c", code.format(name)]))
            for _ in range(5)
        ]
        told[f"import_{name}_ms"] = min(runs) * 1000
    print(json.dumps({name: round(value, 2) for name, value in told.items()}, indent=1))


if __name__ == "__main__":
    main()
