"""An exchange that answers like Binance and Bybit, or fails in every way one can."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import math
import threading
import time
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

MINUTES = 5
STEP = 60 * MINUTES * 1000
LISTED = 1_735_689_600_000
"""Milliseconds: nothing before this was traded."""


def bar(stamp: int) -> list[Any]:
    """The bar that opens at `stamp` (milliseconds): a function of the time alone."""
    n = stamp // STEP

    def price(k: int) -> float:
        return 100 * math.exp(0.02 * math.sin(k / 40) + 0.003 * math.sin(k * 12.9898))

    opened, closed = price(n - 1), price(n)
    return [
        stamp, f"{opened:.8f}", f"{max(opened, closed) * 1.0001:.8f}",
        f"{min(opened, closed) * 0.9999:.8f}", f"{closed:.8f}", "12.5",
    ]  # fmt: skip


class Exchange:
    """What the server does; tests set its faults by venue."""

    def __init__(self) -> None:
        self.faults: dict[str, str] = {}
        self.calls: list[str] = []
        self.missing: set[int] = set()
        self.corrected: dict[int, float] = {}
        self.url = ""

    def page(self, start: int, limit: int, end: int = 2**62) -> list[list[Any]]:
        first = max(-(-start // STEP) * STEP, LISTED)
        stamps = range(first, min(first + limit * STEP, end), STEP)
        rows = [bar(s) for s in stamps if s not in self.missing]
        for row in rows:
            if row[0] in self.corrected:
                row[4] = row[2] = f"{self.corrected[row[0]]:.8f}"
        return rows


FAULTS = (
    "429", "418", "500", "503", "html", "not json", "truncated", "empty body", "error object",
    "redirect", "silent", "drip", "bomb", "huge", "null", "object", "strings", "nan", "short rows",
    "seconds for milliseconds", "off the grid", "same page", "empty list", "cut off",
)  # fmt: skip


class _Handler(BaseHTTPRequestHandler):
    exchange: Exchange

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def do_GET(self) -> None:
        where = urlsplit(self.path)
        query = {k: v[0] for k, v in parse_qs(where.query).items()}
        venue = "bybit" if where.path.startswith("/v5") else "binance"
        if where.path.startswith("/data/"):
            venue = "archive"
        self.exchange.calls.append(f"{venue} {where.path}")
        fault = self.exchange.faults.get(venue, "")
        try:
            if venue == "archive":
                self._archive(where.path, fault)
            elif where.path.endswith(("/exchangeInfo", "/instruments-info")):
                self._json(_MARKETS[venue])
            elif not self._fails(fault):
                self._json(self._bars(venue, query, fault))
        except (BrokenPipeError, ConnectionResetError):
            pass

    def _bars(self, venue: str, query: dict[str, str], fault: str) -> Any:
        start = int(query.get("startTime", query.get("start", 0)))
        if fault == "same page":
            start = LISTED
        rows = self.exchange.page(start, int(query.get("limit", 500)))
        if fault == "empty list":
            rows = []
        elif fault == "null":
            return None
        elif fault == "object":
            return {"what": "is this"}
        elif fault == "strings":
            rows = [["x"] * 12 for _ in rows]
        elif fault == "nan":
            rows = [[r[0], *["NaN"] * 5] for r in rows]
        elif fault == "short rows":
            rows = [r[:2] for r in rows]
        elif fault == "seconds for milliseconds":
            rows = [[r[0] // 1000, *r[1:]] for r in rows]
        elif fault == "off the grid":
            rows = [[r[0] + 61_000, *r[1:]] for r in rows]
        if venue == "bybit":
            listed = [[str(r[0]), *r[1:], "0"] for r in reversed(rows)]
            result = {"symbol": "BTCUSDT", "category": "spot", "list": listed}
            return {"retCode": 0, "retMsg": "OK", "result": result, "time": 1}
        return [[*r, (r[0] or 0), "0", 1, "0", "0", "0"] for r in rows]

    def _fails(self, fault: str) -> bool:
        if fault.isdigit():
            self._json({"code": -1003, "msg": "no"}, status=int(fault))
        elif fault == "html":
            self._send(b"<html>maintenance</html>", "text/html")
        elif fault == "not json":
            self._send(b"{]", "application/json")
        elif fault == "truncated":
            self._send(json.dumps(self.exchange.page(LISTED, 50)).encode()[:-40])
        elif fault == "empty body":
            self._send(b"")
        elif fault == "error object":
            self._json({"code": -1121, "msg": "Invalid symbol."}, status=400)
        elif fault == "redirect":
            self.send_response(302)
            self.send_header("Location", "http://169.254.169.254/latest")
            self.send_header("Content-Length", "0")
            self.end_headers()
        elif fault == "silent":
            time.sleep(4)
        elif fault == "drip":
            self.send_response(200)
            self.send_header("Content-Length", "100000")
            self.end_headers()
            for _ in range(40):
                self.wfile.write(b"[")
                self.wfile.flush()
                time.sleep(0.1)
        elif fault == "bomb":
            self._send(gzip.compress(b" " * 40_000_000), encoding="gzip")
        elif fault == "huge":
            self._send(b" " * 17_000_000)
        elif fault == "cut off":
            self.send_response(200)
            self.send_header("Content-Length", "100000")
            self.end_headers()
            self.wfile.write(b"[[1,")
            self.close_connection = True
        else:
            return False
        return True

    def _archive(self, path: str, fault: str) -> None:
        name = path.rsplit("/", 1)[1].removesuffix(".CHECKSUM").removesuffix(".zip")
        month = time.strptime(name[-7:], "%Y-%m")
        start = int(time.mktime(month) - time.timezone) * 1000
        following = (month.tm_year + month.tm_mon // 12, month.tm_mon % 12 + 1)
        end = int(time.mktime((*following, 1, 0, 0, 0, 0, 0, 0)) - time.timezone) * 1000
        rows = self.exchange.page(start, 10_000, end)
        if fault == "404" or not rows:
            self._json({}, status=404)
            return
        scale = 1000 if month.tm_year >= 2025 else 1
        lines = [",".join(map(str, [r[0] * scale, *r[1:], 0, 0, 0, 0, 0, 0])) for r in rows]
        held = io.BytesIO()
        with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
            # Of one fixed time: the file and its checksum are asked for one after the other.
            archive.writestr(zipfile.ZipInfo(f"{name}.csv"), "\n".join(lines), zipfile.ZIP_DEFLATED)
        data = held.getvalue()
        if path.endswith(".CHECKSUM"):
            told = "0" * 64 if fault == "checksum" else hashlib.sha256(data).hexdigest()
            self._send(f"{told}  {name}.zip\n".encode(), "text/plain")
        elif fault == "not a zip":
            self._send(b"PK nonsense")
        else:
            self._send(data, "application/zip")

    def _json(self, body: Any, status: int = 200) -> None:
        self._send(json.dumps(body).encode(), status=status)

    def _send(
        self, body: bytes, kind: str = "application/json", status: int = 200, encoding: str = ""
    ) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        if encoding:
            self.send_header("Content-Encoding", encoding)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


_MARKETS: dict[str, Any] = {
    "binance": {
        "symbols": [
            {
                "symbol": f"{coin}USDT", "status": "TRADING", "baseAsset": coin,
                "quoteAsset": "USDT", "isSpotTradingAllowed": True, "permissions": ["SPOT"],
                "permissionSets": [["SPOT"]], "orderTypes": [], "filters": [],
                "baseAssetPrecision": 8, "quotePrecision": 8,
            }
            for coin in ("BTC", "ETH")
        ]
    },
    "bybit": {
        "retCode": 0,
        "result": {
            "category": "spot",
            "list": [
                {
                    "symbol": f"{coin}USDT", "baseCoin": coin, "quoteCoin": "USDT",
                    "status": "Trading", "marginTrading": "none",
                    "lotSizeFilter": {
                        "basePrecision": "0.000001", "quotePrecision": "0.0000001",
                        "minOrderQty": "0.000001", "maxOrderQty": "100", "minOrderAmt": "1",
                        "maxOrderAmt": "1000000",
                    },
                    "priceFilter": {"tickSize": "0.01"},
                }
                for coin in ("BTC", "ETH")
            ],
        },
    },
}  # fmt: skip


@contextmanager
def serving() -> Iterator[Exchange]:
    """An exchange at a free port until the block ends."""
    exchange = Exchange()
    handler = type("Handler", (_Handler,), {"exchange": exchange})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    exchange.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield exchange
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
