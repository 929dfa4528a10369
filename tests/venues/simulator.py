"""Both venues over real HTTP, from any list of markets, in two wire generations, with faults.

    python -m tests.venues.simulator --port 9100 --generate 2000
    AUGURY_POLYMARKET_GAMMA_URL=http://127.0.0.1:9100/gamma
    AUGURY_POLYMARKET_CLOB_URL=http://127.0.0.1:9100/clob
    AUGURY_KALSHI_URL=http://127.0.0.1:9100/kalshi

`generation="new"` is 2026's wire (keyset pages, dollar strings, `*_fp`), "old" the one before
(offset pages, cents as integers). A fault stays until it is taken back.
"""

from __future__ import annotations

import argparse
import asyncio
import random
from collections import Counter
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote

import msgspec
import uvicorn
from tests.venues.asgi_replies import Answer, bomb, cursor_at, head, position_of, raw_reply, reply
from tests.venues.wire_faults import DATA_FAULTS, HTTP_FAULTS, SPOILERS, epoch
from tests.venues.wire_markets import (
    Generation,
    Wire,
    as_shown,
    event_id,
    gamma_event,
    gamma_wire,
    iso,
    kalshi_wire,
    parlay,
    token_of,
)

from augury.markets.records import Market

Query = dict[str, list[str]]


class Simulator:
    """The venues' state, and an ASGI application that shows it on the wire."""

    def __init__(
        self,
        markets: Iterable[Market],
        *,
        generation: Generation = "new",
        parlays: int = 3,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.markets = {market.id: as_shown(market) for market in markets}
        self.generation: Generation = generation
        self.fault: str | None = None
        self.inward = "http://127.0.0.1:1/"
        """Where the redirect faults lead."""
        self.hidden: set[str] = set()
        """Ids left out of listings, but known by id."""
        self.archived: set[str] = set()
        """Kalshi ids that only the historical part knows."""
        self.requests: Counter[str] = Counter()
        self.parlays = parlays
        self.page_size: int | None = None
        """Cap of every page, below what is asked for."""
        self.delay = 0.0
        """Seconds before every answer."""
        self.still = False
        """Nothing is going to change: listings are made once (for large catalogues)."""
        self._made: dict[str, list[Wire]] = {}
        self._now = now
        self._touched = {id_: market.created_at for id_, market in self.markets.items()}

    # --- mutations between calls

    def put(self, market: Market) -> None:
        """Add a market, or replace it."""
        self.markets[market.id] = market
        self._touched[market.id] = self._now()

    def edit(self, id_: str, **fields: Any) -> Market:
        """Change fields of a market."""
        market = msgspec.structs.replace(self.markets[id_], **fields)
        self.put(market)
        return market

    def move(self, id_: str, price: float) -> Market:
        """A new price of the first outcome."""
        return self.edit(id_, prices=(price, round(1 - price, 6)))

    def close(self, id_: str) -> Market:
        """Stop trading."""
        return self.edit(id_, status="closed", prices=(None, None), closes_at=self._now())

    def resolve(self, id_: str, outcome: int = 0) -> Market:
        """Settle with a winner."""
        market = self.markets[id_]
        count = len(market.outcomes)
        return self.edit(
            id_,
            status="resolved",
            resolution=market.outcomes[outcome],
            prices=tuple(float(i == outcome) for i in range(count)),
            resolved_at=self._now(),
        )

    # --- ASGI

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            while (await receive())["type"] != "lifespan.shutdown":
                await send({"type": "lifespan.startup.complete"})
            await send({"type": "lifespan.shutdown.complete"})
            return
        path = unquote(scope["raw_path"].decode())
        query = parse_qs(scope["query_string"].decode())
        self.requests[path] += 1
        if self.delay:
            await asyncio.sleep(self.delay)
        if self.fault in HTTP_FAULTS:
            await self._break_http(self.fault, path, send)
            return
        try:
            body = self.answer(path, query)
        except Answer as answer:
            await reply(send, answer.status, answer.body or {"error": "no"}, answer.headers)
            return
        await reply(send, 200, body, {}, packed=True)

    async def _break_http(self, fault: str, path: str, send: Any) -> None:
        match fault:
            case "429_retry_after":
                await reply(send, 429, {"error": "slow down"}, {"retry-after": "7"})
            case "429_bare":
                await reply(send, 429, {"error": "slow down"}, {})
            case "500" | "503":
                await reply(send, int(fault), {"error": "oops"}, {})
            case "html":
                await raw_reply(send, 200, b"<!doctype html><p>Just a moment", "text/html")
            case "redirect_loop":
                await reply(send, 302, {}, {"location": path})
            case "redirect_inward":
                await reply(send, 302, {}, {"location": self.inward})
            case "gzip_bomb":
                await raw_reply(send, 200, bomb(), "application/json", {"content-encoding": "gzip"})
            case "truncated":
                await head(send, 200, "application/json", {"content-length": "5000"})
                await send({"type": "http.response.body", "body": b'{"markets": [{'})
            case _:
                await head(send, 200, "application/json", {})
                for _ in range(30):
                    await send({"type": "http.response.body", "body": b" ", "more_body": True})
                    await asyncio.sleep(1)

    # --- routes

    def answer(self, path: str, query: Query) -> Any:
        """The JSON at a path, data faults included."""
        venue, _, rest = path.strip("/").partition("/")
        parts = rest.split("/")
        if venue == "gamma":
            return self._gamma(parts, query)
        if venue == "clob" and parts == ["prices-history"]:
            return self._prices_history(query)
        if venue == "kalshi":
            return self._kalshi(parts, query)
        raise Answer(404)

    def _of(self, platform: str) -> list[Market]:
        return [m for m in self.markets.values() if m.platform == platform]

    # --- Polymarket

    def _gamma(self, parts: list[str], query: Query) -> Any:
        match parts:
            case ["markets" | "events" as kind]:
                return self._gamma_page(kind, query, keyset=False)
            case ["markets" | "events" as kind, "keyset"] if self.generation == "new":
                return self._gamma_page(kind, query, keyset=True)
            case ["markets", own]:
                market = self.markets.get(f"polymarket:{own}")
                if market is None:
                    raise Answer(404)
                return self._spoil(self.gamma_market(market, whole=True), "polymarket")
        raise Answer(404)

    def _gamma_page(self, kind: str, query: Query, *, keyset: bool) -> Any:
        if keyset and "offset" in query:
            raise Answer(422, {"error": "offset is not supported"})
        closed = query.get("closed", ["false"])[0] == "true"
        order = query.get("order", ["id"])[0]
        falling = query.get("ascending", ["true"])[0] == "false"
        wanted = query.get("id")
        if kind == "markets":
            rows = [
                self.gamma_market(m, whole=True)
                for m in self._of("polymarket")
                if (m.id not in self.hidden or wanted)
                and (m.status != "active") == closed
                and (wanted is None or m.platform_id in wanted)
            ]
        else:
            events = self._once("gamma events", self._gamma_events)
            rows = [e for e in events if e["closed"] == closed]
        rows.sort(key=lambda row: (str(row.get(order) or ""), row["id"]), reverse=falling)
        if order == "id":
            rows.sort(key=lambda row: (len(row["id"]), row["id"]), reverse=falling)
        limit = min(int(query.get("limit", ["20"])[0]), 100 if kind == "markets" else 500)
        limit = min(limit, self.page_size or limit)
        if keyset:
            start = position_of(query.get("after_cursor", [""])[0])
        else:
            start = int(query.get("offset", ["0"])[0])
        start = self._faulty_start(start, limit)
        page = [self._spoil(row, "polymarket") for row in rows[start : start + limit]]
        page = self._multiply(page)
        if not keyset:
            return page
        more = start + limit < len(rows) or (self.fault == "page_loop" and page)
        return {kind: page} | ({"next_cursor": cursor_at(start + limit)} if more else {})

    def _once(self, kind: str, make: Callable[[], list[Wire]]) -> list[Wire]:
        if not self.still:
            return make()
        if kind not in self._made:
            self._made[kind] = make()
        return self._made[kind]

    def _gamma_events(self) -> list[Wire]:
        events: dict[str, list[Market]] = {}
        for market in self._of("polymarket"):
            if market.id not in self.hidden:
                events.setdefault(event_id(market), []).append(market)
        return [
            {
                **gamma_event(members[0]),
                "closed": all(m.status != "active" for m in members),
                "closedTime": max(
                    (iso(m.resolved_at or m.closes_at) or "" for m in members), default=""
                )
                if all(m.status != "active" for m in members)
                else None,
                "markets": [self.gamma_market(m) for m in members],
            }
            for members in events.values()
        ]

    def gamma_market(self, market: Market, *, whole: bool = False) -> Wire:
        """A market as gamma shows it, in this simulator's generation."""
        return gamma_wire(market, self.generation, self._touched.get(market.id), whole=whole)

    def _prices_history(self, query: Query) -> Any:
        token = query.get("market", [""])[0]
        for market in self._of("polymarket"):
            tokens = market.token_ids or tuple(
                token_of(market, i) for i in range(len(market.outcomes))
            )
            if token in tokens:
                price = market.prices[tokens.index(token)]
                points = [{"t": t, "p": p} for t, p in self._past(price)]
                return self._spoil_history({"history": points}, "history", "t", "p")
        return {"history": []}

    # --- Kalshi

    def _kalshi(self, parts: list[str], query: Query) -> Any:
        match parts:
            case ["events"]:
                return self._kalshi_events(query)
            case ["events", ticker]:
                for event in self._kalshi_event_list():
                    if event["event_ticker"] == ticker:
                        nested = [self._spoil(m, "kalshi") for m in event["markets"]]
                        return {"event": {**event, "markets": nested}}
                raise Answer(404)
            case ["markets"]:
                return self._kalshi_markets(query, archived=False)
            case ["historical", "markets"]:
                return self._kalshi_markets(query, archived=True)
            case ["historical", "cutoff"]:
                stamp = iso(self._now() - timedelta(days=90))
                return {
                    "market_settled_ts": stamp,
                    "trades_created_ts": stamp,
                    "orders_updated_ts": stamp,
                }
            case ["markets", ticker]:
                return self._kalshi_one(ticker, archived=False)
            case ["historical", "markets", ticker]:
                return self._kalshi_one(ticker, archived=True)
            case ["series"]:
                known = {m.series_id: m for m in self._of("kalshi") if m.series_id}
                return {
                    "series": [
                        {"ticker": s, "title": s, "category": m.category, "tags": list(m.tags)}
                        for s, m in known.items()
                    ]
                }
            case ["series", _, "markets", ticker, "candlesticks"]:
                return self._candles(ticker, archived=False)
            case ["historical", "markets", ticker, "candlesticks"]:
                return self._candles(ticker, archived=True)
        raise Answer(404)

    def _kalshi_one(self, ticker: str, *, archived: bool) -> Any:
        market = self.markets.get(f"kalshi:{ticker}")
        if market is None or (market.id in self.archived) != archived:
            raise Answer(404)
        return {"market": self._spoil(self.kalshi_market(market), "kalshi")}

    def _kalshi_event_list(self) -> list[Wire]:
        events: dict[str, list[Market]] = {}
        for market in self._of("kalshi"):
            if market.id not in self.hidden:
                events.setdefault(event_id(market), []).append(market)
        return [
            {
                "event_ticker": ticker,
                "series_ticker": members[0].series_id or ticker.split("-")[0],
                "title": members[0].event_name or members[0].title,
                "sub_title": "",
                "mutually_exclusive": bool(members[0].exclusive),
                # The newer generation has the category on the series only.
                "category": members[0].category if self.generation == "old" else "",
                "markets": [self.kalshi_market(m) for m in members if m.id not in self.archived],
            }
            for ticker, members in sorted(events.items())
        ]

    def _kalshi_events(self, query: Query) -> Any:
        status = query.get("status", [""])[0]
        since = int(query.get("min_close_ts", ["0"])[0])
        rows = []
        for event in self._once("kalshi events", self._kalshi_event_list):
            words = {m["status"] for m in event["markets"]}
            state = (
                "open" if "active" in words else "settled" if words <= {"finalized"} else "closed"
            )
            ends = max((epoch(m["close_time"]) for m in event["markets"]), default=0)
            if status in ("", state) and ends >= since and event["markets"]:
                rows.append(event)
        return self._kalshi_page("events", rows, query, most=200)

    def _kalshi_markets(self, query: Query, *, archived: bool) -> Any:
        wanted = query.get("tickers", [""])[0].split(",") if "tickers" in query else None
        status = query.get("status", [""])[0]
        words = {
            "open": ("active",),
            "closed": ("closed", "inactive"),
            "settled": ("finalized",),
        }.get(status)
        rows: list[Wire] = []
        if query.get("mve_filter", [""])[0] != "exclude" and wanted is None:
            rows += [parlay(n) for n in range(self.parlays)]
        bounds = (
            ("min_created_ts", lambda m: m.created_at),
            ("min_updated_ts", lambda m: self._touched.get(m.id)),
            ("min_settled_ts", lambda m: m.resolved_at),
            ("min_close_ts", lambda m: m.closes_at),
        )
        for market in self._of("kalshi"):
            if (market.id in self.archived) != archived:
                continue
            if market.id in self.hidden and wanted is None:
                continue
            if wanted is not None and market.platform_id not in wanted:
                continue
            wire = self.kalshi_market(market)
            if words is not None and wire["status"] not in words:
                continue
            low = [(int(query[name][0]), of(market)) for name, of in bounds if name in query]
            if all(at is not None and at.timestamp() >= bound for bound, at in low):
                rows.append(wire)
        return self._kalshi_page("markets", rows, query, most=1_000)

    def _kalshi_page(self, kind: str, rows: list[Wire], query: Query, *, most: int) -> Any:
        limit = min(int(query.get("limit", ["100"])[0]), most)
        limit = min(limit, self.page_size or limit)
        start = self._faulty_start(position_of(query.get("cursor", [""])[0]), limit)
        page = self._multiply([self._spoil(row, "kalshi") for row in rows[start : start + limit]])
        more = start + limit < len(rows) or (self.fault == "page_loop" and page)
        return {kind: page, "cursor": cursor_at(start + limit) if more else ""}

    def kalshi_market(self, market: Market) -> Wire:
        """A market as Kalshi shows it, in this simulator's generation."""
        return kalshi_wire(market, self.generation)

    def _candles(self, ticker: str, *, archived: bool) -> Any:
        market = self.markets.get(f"kalshi:{ticker}")
        if market is None or (market.id in self.archived) != archived:
            raise Answer(404)
        rows = []
        for at, price in self._past(market.prices[0]):
            if self.generation == "old":
                side = {"close": round(price * 100)}
                rows.append({"end_period_ts": at, "price": side, "yes_bid": {}, "yes_ask": {}})
            else:
                side = {"close": f"{price:.4f}"}
                nothing = {"close": None}
                rows.append(
                    {"end_period_ts": at, "price": side, "yes_bid": nothing, "yes_ask": nothing}
                )
        return self._spoil_history(
            {"candlesticks": rows, "ticker": ticker}, "candlesticks", "end_period_ts", "price"
        )

    # --- what both share

    def _past(self, price: float | None) -> list[tuple[int, float]]:
        """A day of hourly prices around the current one."""
        end = int(self._now().timestamp()) // 3600 * 3600
        level = 0.5 if price is None or not 0 < price < 1 else price
        wobble = random.Random(f"{level}")
        return [
            (end - 3600 * hour, round(min(0.99, max(0.01, level + wobble.uniform(-0.02, 0.02))), 2))
            for hour in range(24, 0, -1)
        ]

    def _faulty_start(self, start: int, limit: int) -> int:
        if self.fault == "page_loop":
            return 0
        if self.fault == "page_gap" and start:
            return start + limit
        return start

    def _multiply(self, page: list[Wire]) -> list[Wire]:
        if self.fault == "silent_empty":
            return []
        return [*page, *page] if self.fault == "duplicate_ids" else page

    def _spoil(self, wire: Wire, platform: str) -> Wire:
        """A record under the data fault in force; events pass it on to their markets."""
        spoil = SPOILERS.get(self.fault or "")
        if spoil is None:
            return wire
        if "markets" in wire:
            return {**wire, "markets": [spoil(dict(m), platform) for m in wire["markets"]]}
        return spoil(dict(wire), platform)

    def _spoil_history(self, answer: Wire, kind: str, time_key: str, price_key: str) -> Wire:
        for row in answer[kind]:
            if self.fault == "ms_for_s":
                row[time_key] *= 1000
            if self.fault == "price_1.7":
                row[price_key] = 1.7 if kind == "history" else {"close_dollars": "1.7000"}
            if self.fault == "changed_types":
                row[time_key] = str(row[time_key])
        if self.fault == "silent_empty":
            answer[kind] = []
        if self.fault == "duplicate_ids":
            answer[kind] = [*answer[kind], *answer[kind]]
        return answer


def main() -> None:
    """Serve until interrupted."""
    from augury.markets.generator import generate

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--port", type=int, default=9100)
    parser.add_argument("--markets", type=Path, help="a dump file of markets")
    parser.add_argument("--generate", type=int, default=500, metavar="N")
    parser.add_argument("--generation", choices=("old", "new"), default="new")
    parser.add_argument("--fault", choices=(*HTTP_FAULTS, *DATA_FAULTS))
    parser.add_argument("--delay", type=float, default=0.0, help="seconds before each answer")
    given = parser.parse_args()
    if given.markets:
        from augury.venues.dump import DumpFile
        from augury.venues.dump_markets import read_markets

        rows = (m for part in read_markets(DumpFile(given.markets)) for m in part)
        markets = [
            m
            for m in rows
            if isinstance(m, Market) and (m.platform == "kalshi" or m.platform_id.isdecimal())
        ]
    else:
        markets = list(generate(given.generate))
    simulator = Simulator(markets, generation=given.generation)
    simulator.fault, simulator.delay = given.fault, given.delay
    simulator.still = True
    print(f"{len(markets)} markets on http://127.0.0.1:{given.port} (/gamma, /clob, /kalshi)")
    uvicorn.run(simulator, host="127.0.0.1", port=given.port, log_level="warning", lifespan="off")


if __name__ == "__main__":
    main()
