"""Kalshi: what to ask (query), how to read an answer's pages (extract), wire to records.

Both generations are spoken: prices in cents as integers (`yes_bid: 63`, until 2025) and in
dollars as strings (`yes_bid_dollars: "0.6300"`), counts as integers and as `*_fp` strings.
A market is told apart within its event by `yes_sub_title`, so its question is the event's title
and that label, and YES always is the side so named.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any
from urllib.parse import quote as quote_path

from augury.clock import Clock, now
from augury.markets.records import Market, MarketChange, Platform, PricePoint, Status, Strike
from augury.venues.http import BadAnswer, NoSuchRecord, VenueClient, VenueError, shape_of
from augury.venues.records import Cursor, Notes, Page, Refusal, Target
from augury.venues.wire import (
    QUESTION_LIMIT,
    TEXT_LIMIT,
    BadPrice,
    Wire,
    amount,
    flag,
    identifier,
    is_placeholder,
    labels,
    line,
    moment,
    number,
    probability,
    quote,
    text,
    two_sided,
)

EVENTS_PAGE = 200
MARKETS_PAGE = 1_000
BATCH = 100
"""Tickers in one look-up: a URL of about 3 KB."""
PARLAY_PREFIX = "KXMVE"
OUTCOMES = ("Yes", "No")

Params = Mapping[str, str | int | Sequence[str]]

STATUSES: dict[str, Status] = {
    "active": "active",
    "open": "active",
    "inactive": "closed",
    "paused": "closed",
    "closed": "closed",
    "determined": "closed",
    "disputed": "closed",
    "amended": "closed",
    "finalized": "resolved",
    "settled": "resolved",
}
"""Words of records and, since some generations mix them, of the filter. A `determined` result
may still be disputed or amended: it counts once finalized."""
_NOT_OPEN_YET = ("initialized", "unopened")
_STRIKES = (
    "greater",
    "greater_or_equal",
    "less",
    "less_or_equal",
    "between",
    "structured",
    "custom",
)


# --- query ---------------------------------------------------------------------------------


def events_query(*, status: str, cursor: str | None) -> tuple[str, Params]:
    """A page of events with their markets. This listing leaves out parlays by itself."""
    return _paged(
        "/events", {"status": status, "with_nested_markets": "true", "limit": EVENTS_PAGE}, cursor
    )


def markets_query(*, cursor: str | None, **filters: str | int) -> tuple[str, Params]:
    """A page of markets without parlays; filters as the OpenAPI document names them."""
    return _paged("/markets", {"mve_filter": "exclude", "limit": MARKETS_PAGE, **filters}, cursor)


def batch_query(tickers: Sequence[str]) -> tuple[str, Params]:
    """Markets by ticker, whatever their status."""
    return "/markets", {"tickers": ",".join(tickers), "limit": max(len(tickers), 1)}


def market_query(ticker: str, *, historical: bool = False) -> tuple[str, Params]:
    """One market; those settled before the cutoff are only in the historical part."""
    return f"{'/historical' if historical else ''}/markets/{_segment(ticker)}", {}


def event_query(event: str) -> tuple[str, Params]:
    """One event with its markets."""
    return f"/events/{_segment(event)}", {"with_nested_markets": "true"}


def series_query() -> tuple[str, Params]:
    """All series: their categories and tags, which newer events and markets lack."""
    return "/series", {}


def candles_query(
    ticker: str,
    series: str | None,
    *,
    start: datetime,
    end: datetime,
    minutes: int,
    historical: bool = False,
) -> tuple[str, Params]:
    """Candlesticks of 1, 60 or 1440 minutes in a window."""
    path = (
        f"/historical/markets/{_segment(ticker)}/candlesticks"
        if historical
        else f"/series/{_segment(series or series_of(ticker))}"
        f"/markets/{_segment(ticker)}/candlesticks"
    )
    return path, {
        "start_ts": int(start.timestamp()),
        "end_ts": int(end.timestamp()),
        "period_interval": minutes,
    }


def _segment(value: str) -> str:
    """An id that can't leave its place in a path."""
    return quote_path(value, safe="")


def _paged(path: str, params: dict[str, str | int], cursor: str | None) -> tuple[str, Params]:
    return path, params if not cursor else {**params, "cursor": cursor}


# --- extract -------------------------------------------------------------------------------


def read_page(answer: object, kind: str) -> tuple[list[Any], str | None]:
    """The records of a page and the cursor of the next one (None: this was the last).

    Raises
    ------
    ValueError
        When the answer has another shape.
    """
    if not isinstance(answer, dict) or not isinstance(answer.get(kind), list):
        raise ValueError(f"a page of {kind} was expected")
    return answer[kind], identifier(answer.get("cursor"), 4_000)


def read_one(answer: object, kind: str) -> dict[str, Any]:
    """The record in `{kind: {...}}`; an event's markets may stand beside it.

    Raises
    ------
    ValueError
        When the answer has another shape.
    """
    if not isinstance(answer, dict) or not isinstance(answer.get(kind), dict):
        raise ValueError(f"one {kind} was expected")
    beside = answer.get("markets")
    record = answer[kind]
    return {**record, "markets": beside} if beside and "markets" not in record else record


def event_markets(event: Wire) -> Iterable[dict[str, Any]]:
    """The markets nested in an event."""
    nested = event.get("markets")
    if isinstance(nested, list):
        yield from (wire for wire in nested if isinstance(wire, dict))


def series_of(ticker: str) -> str:
    """The series a ticker begins with: `KXCPI` of `KXCPI-25JUL-T0.3`."""
    return ticker.split("-", 1)[0]


# --- transform -----------------------------------------------------------------------------


def market(
    wire: object,
    observed_at: datetime,
    *,
    event: Wire | None = None,
    series: Wire | None = None,
    notes: Notes | None = None,
) -> Market | Refusal:
    """A market as a record.

    Parameters
    ----------
    wire
        One element of `markets`.
    observed_at
        When the answer was asked for.
    event, series
        Where its title, exclusivity, category and tags are, when known.
    """
    notes = Notes() if notes is None else notes
    event, series = event or {}, series or {}
    if not isinstance(wire, dict):
        return Refusal(None, "not a record")
    ticker = identifier(wire.get("ticker"))
    if ticker is None:
        return Refusal(None, "no id")
    if is_parlay(wire):
        return Refusal(ticker, "parlay")
    kind = wire.get("market_type")
    if kind not in (None, "", "binary"):
        return Refusal(ticker, f"{'scalar' if kind == 'scalar' else 'unknown'} market type")
    event_title, own_title = line(event.get("title"), QUESTION_LIMIT), _own_title(wire)
    title = event_title or own_title
    if title is None:
        return Refusal(ticker, "no question")
    subtitle = _subtitle(wire, event_title, own_title)
    if is_placeholder(None, subtitle) or is_placeholder(own_title, None):
        return Refusal(ticker, "placeholder", subtitle or own_title)
    state = _state(wire, ticker, observed_at, notes)
    if isinstance(state, Refusal):
        return state
    status, resolution, price, resolved_at, as_of, bid, ask = state
    event_ticker = identifier(wire.get("event_ticker")) or identifier(event.get("event_ticker"))
    series_ticker = identifier(event.get("series_ticker")) or series_of(event_ticker or ticker)
    tags = series.get("tags")
    return Market(
        id=f"kalshi:{ticker}",
        platform="kalshi",
        platform_id=ticker,
        question=question(title, subtitle, own_title),
        title=title,
        subtitle=subtitle,
        description=_rules(wire),
        outcomes=OUTCOMES,
        prices=(None, None) if price is None else (price, round(1 - price, 6)),
        price_as_of=None if price is None else as_of,
        status=status,
        resolution=resolution,
        created_at=moment(wire.get("created_time")) or moment(wire.get("open_time")),
        closes_at=moment(wire.get("close_time")),
        resolved_at=resolved_at,
        event_id=event_ticker,
        event_name=event_title,
        series_id=series_ticker,
        exclusive=flag(event.get("mutually_exclusive")),
        category=line(event.get("category"), 100)
        or line(series.get("category"), 100)
        or line(wire.get("category"), 100),
        tags=labels(tags) if isinstance(tags, list) else (),
        volume=_count(wire, "volume"),
        volume_24h=_count(wire, "volume_24h"),
        open_interest=_count(wire, "open_interest"),
        best_bid=bid,
        best_ask=ask,
        strike=_strike(wire, notes),
        url=f"https://kalshi.com/markets/{series_ticker.lower()}",
        slug=ticker.lower(),
        observed_at=observed_at,
    )


def is_parlay(wire: Wire) -> bool:
    """A combination of other markets' sides, which a listing is full of unless told not to be."""
    for key in ("ticker", "event_ticker", "mve_collection_ticker"):
        value = wire.get(key)
        if isinstance(value, str) and value.startswith(PARLAY_PREFIX):
            return True
    return bool(wire.get("mve_selected_legs"))


def question(title: str, subtitle: str | None, own_title: str | None = None) -> str:
    """What is asked, whole: the event's title and the side.

    Without a side, the market's own title says more than its event's. A side that the title
    already names is still added: "Los Angeles at Las Vegas" has one market for each.
    """
    if subtitle is None:
        return own_title or title
    return f"{title} — {subtitle}"[:QUESTION_LIMIT]


def change(
    wire: object, observed_at: datetime, notes: Notes | None = None
) -> MarketChange | Refusal:
    """News of a market already known: needs no event, since texts don't change by it."""
    notes = Notes() if notes is None else notes
    if not isinstance(wire, dict):
        return Refusal(None, "not a record")
    ticker = identifier(wire.get("ticker"))
    if ticker is None:
        return Refusal(None, "no id")
    state = _state(wire, ticker, observed_at, notes)
    if isinstance(state, Refusal):
        return state
    status, resolution, price, resolved_at, as_of, bid, ask = state
    return MarketChange(
        id=f"kalshi:{ticker}",
        observed_at=observed_at,
        status=status,
        resolution=resolution,
        resolved_at=resolved_at,
        prices=(None, None) if price is None else (price, round(1 - price, 6)),
        price_as_of=None if price is None else as_of,
        best_bid=bid,
        best_ask=ask,
        volume=_count(wire, "volume"),
        volume_24h=_count(wire, "volume_24h"),
        open_interest=_count(wire, "open_interest"),
    )


def candles(answer: object, market_id: str) -> list[PricePoint]:
    """Candlesticks as points at the end of each period, of YES.

    The close of the trades; where nothing traded, the middle of a two-sided book at the close,
    under the same rule as a live quote; nothing where there is neither.

    Raises
    ------
    ValueError
        When the answer has no `candlesticks`.
    """
    if not isinstance(answer, dict) or not isinstance(answer.get("candlesticks"), list):
        raise ValueError("candlesticks were expected")
    points: dict[datetime, PricePoint] = {}
    for raw in answer["candlesticks"]:
        if not isinstance(raw, dict) or (at := moment(raw.get("end_period_ts"))) is None:
            continue
        try:
            last = _close(raw.get("price"))
            bid, ask = _close(raw.get("yes_bid")), _close(raw.get("yes_ask"))
        except BadPrice:
            continue
        price = last if last is not None and 0 < last < 1 else None
        if price is None and two_sided(bid, ask):
            price = quote(bid, ask, None)
        if price is not None:
            points[at] = PricePoint(
                market_id=market_id, outcome=0, at=at, price=price, source="candle"
            )
    return [points[at] for at in sorted(points)]


def _own_title(wire: Wire) -> str | None:
    return line(wire.get("title"), QUESTION_LIMIT)


def _subtitle(wire: Wire, event_title: str | None, own_title: str | None) -> str | None:
    """What tells the market apart within its event; some generations keep it elsewhere."""
    for key in ("yes_sub_title", "subtitle"):
        label = line(wire.get(key))
        if label is not None and label not in (event_title, own_title, "Yes"):
            return label
    strike = wire.get("custom_strike")
    if isinstance(strike, dict) and len(strike) == 1:
        return line(next(iter(strike.values())))
    return None


def _rules(wire: Wire) -> str | None:
    parts = [text(wire.get(key), TEXT_LIMIT) for key in ("rules_primary", "rules_secondary")]
    return text("\n\n".join(part for part in parts if part), TEXT_LIMIT)


def _price(wire: Wire, key: str) -> float | None:
    """A price in either generation: `key_dollars` as a string, or `key` in whole cents."""
    dollars = wire.get(f"{key}_dollars")
    if isinstance(dollars, str) or (isinstance(dollars, float) and not isinstance(dollars, bool)):
        found = probability(dollars)
        if found is not None:
            return found
    raw = wire.get(key)
    if isinstance(raw, str) and "." in raw:
        return probability(raw)
    cents = number(raw)
    return None if cents is None else probability(cents / 100)


def _close(side: object) -> float | None:
    """The close of one side of a candle, in either generation."""
    if not isinstance(side, dict):
        return None
    return _price(side, "close")


def _count(wire: Wire, key: str) -> float | None:
    found = amount(wire.get(f"{key}_fp"))
    return amount(wire.get(key)) if found is None else found


def _strike(wire: Wire, notes: Notes) -> Strike | None:
    kind = wire.get("strike_type")
    if kind in (None, "", "functional"):
        return None
    if kind not in _STRIKES:
        notes["unknown strike type"] += 1
        return None
    return Strike(
        kind=kind, floor=number(wire.get("floor_strike")), cap=number(wire.get("cap_strike"))
    )


def _state(
    wire: Wire, ticker: str, observed_at: datetime, notes: Notes
) -> (
    tuple[
        Status,
        str | None,
        float | None,
        datetime | None,
        datetime,
        float | None,
        float | None,
    ]
    | Refusal
):
    """Status, winner, YES price, time of settlement, time of the price, best bid and ask."""
    word = wire.get("status")
    if word in _NOT_OPEN_YET:
        return Refusal(ticker, "not open yet")
    status = STATUSES.get(word) if isinstance(word, str) else None
    if status is None:
        return Refusal(ticker, "unknown status", str(word)[:60])
    try:
        bid, ask = _price(wire, "yes_bid"), _price(wire, "yes_ask")
        last = _price(wire, "last_price")
        settlement = _price(wire, "settlement_value")
    except BadPrice as bad:
        return Refusal(ticker, "bad price", str(bad))
    bid, ask = (bid if bid and bid < 1 else None), (ask if ask and ask < 1 else None)
    if status == "active":
        return status, None, quote(bid, ask, last), None, observed_at, bid, ask
    traded = last if last is not None and 0 < last < 1 else None
    if status == "closed":
        return status, None, traded, None, observed_at, None, None
    resolved_at = moment(wire.get("settlement_ts"))
    result = wire.get("result")
    as_of = resolved_at or observed_at
    if result in ("yes", "no"):
        won = result == "yes"
        return status, OUTCOMES[0 if won else 1], float(won), resolved_at, as_of, None, None
    if result not in (None, "", "scalar", "void"):
        notes["unknown result"] += 1
    return status, None, settlement, resolved_at, as_of, None, None


# --- the connector -------------------------------------------------------------------------

BASES = ("api",)
LIMITS = {"api": 8.0}
"""Requests a second: under half of the 20 a keyless caller has."""
COMPLETED_AT_ONCE = 40
"""Events looked up for the new markets of one page; a full sync brings the rest."""


class Kalshi:
    """Kalshi as the sync sees it (`sync.Venue`)."""

    platform: Platform = "kalshi"
    full: tuple[str, ...] = ("open", "closed", "settled")
    incremental: tuple[str, ...] = ("created", "updated", "settling")

    def __init__(self, client: VenueClient, clock: Clock = now) -> None:
        self._client = client
        self._clock = clock
        self._series: dict[str, Wire] = {}

    async def listing(self, phase: str, after: Cursor, since: datetime) -> Page:
        """A page of whole events (full sync) or of markets without their event (incremental)."""
        observed_at = self._clock()
        cursor = after if isinstance(after, str) else None
        if phase in self.full:
            if cursor is None:
                await self._refresh_series()
            path, params = events_query(status=phase, cursor=cursor)
            if phase != "open":
                params = {**params, "min_close_ts": int(since.timestamp())}
            raw, following = await self._page(path, params, "events")
            page = Page(after=following, records=len(raw))
            for event in raw:
                self._add_event(page, event, observed_at)
            return page
        filters: dict[str, dict[str, str | int]] = {
            "created": {"min_created_ts": int(since.timestamp()), "status": "open"},
            "updated": {"min_updated_ts": int(since.timestamp())},
            "settling": {"min_settled_ts": int(since.timestamp()), "status": "settled"},
        }
        path, params = markets_query(cursor=cursor, **filters[phase])
        raw, following = await self._page(path, params, "markets")
        page = Page(after=following, records=len(raw), partial=True)
        for wire in raw:
            self._add_news(page, wire, observed_at)
        return page

    async def complete(self, kin: Mapping[str, str]) -> Page:
        """Whole records of new markets, through their events: `kin` is market id to event id."""
        page = Page()
        for event in list(dict.fromkeys(kin.values()))[:COMPLETED_AT_ONCE]:
            observed_at = self._clock()
            path, params = event_query(event)
            try:
                with shape_of(self.platform):
                    answer = await self._client.get("api", path, params)
                    self._add_event(page, read_one(answer, "event"), observed_at)
            except NoSuchRecord:
                page.notes["event unknown to the venue"] += 1
        return page

    async def news(self, targets: Sequence[Target]) -> Page:
        """Known markets by ticker."""
        observed_at = self._clock()
        path, params = batch_query([t.platform_id for t in targets])
        raw, _ = await self._page(path, params, "markets")
        page = Page(records=len(raw), partial=True)
        for wire in raw:
            self._add_news(page, wire, observed_at)
        return page

    async def lookup(self, platform_id: str) -> Market | Refusal:
        """One market with its event, also from the historical part.

        Raises
        ------
        NoSuchRecord
            When the venue does not know it.
        """
        observed_at = self._clock()
        wire: dict[str, Any] = {}
        for historical in (False, True):
            path, params = market_query(platform_id, historical=historical)
            try:
                with shape_of(self.platform):
                    wire = read_one(await self._client.get("api", path, params), "market")
                    break
            except NoSuchRecord:
                if historical:
                    raise
        if wire.get("ticker") != platform_id:
            raise BadAnswer(self.platform, "answered with another market than the one asked for")
        event: Wire = {}
        if (ticker := identifier(wire.get("event_ticker"))) is not None:
            path, params = event_query(ticker)
            try:
                event = read_one(await self._client.get("api", path, params), "event")
            except (NoSuchRecord, ValueError):
                event = {}
        series = self._series.get(series_of(platform_id))
        return market(wire, observed_at, event=event, series=series)

    async def history(self, target: Target, start: datetime, end: datetime) -> list[PricePoint]:
        """Hourly candles, from the historical part when the live one no longer has them."""
        for historical in (False, True):
            path, params = candles_query(
                target.platform_id,
                target.series_id,
                start=start,
                end=end,
                minutes=60,
                historical=historical,
            )
            try:
                with shape_of(self.platform):
                    return candles(await self._client.get("api", path, params), target.id)
            except NoSuchRecord:
                if historical:
                    return []
        return []

    async def _page(self, path: str, params: Params, kind: str) -> tuple[list[Any], str | None]:
        answer = await self._client.get("api", path, params)
        with shape_of(self.platform):
            return read_page(answer, kind)

    async def _refresh_series(self) -> None:
        """Categories and tags. Worth having, never worth failing for."""
        path, params = series_query()
        try:
            raw, _ = await self._page(path, params, "series")
        except VenueError:
            return
        self._series = {
            ticker: wire
            for wire in raw
            if isinstance(wire, dict) and (ticker := identifier(wire.get("ticker"))) is not None
        }

    def _add_event(self, page: Page, event: object, observed_at: datetime) -> None:
        if not isinstance(event, dict):
            page.add(Refusal(None, "not a record"))
            return
        series = self._series.get(str(event.get("series_ticker")))
        for wire in event_markets(event):
            page.add(market(wire, observed_at, event=event, series=series, notes=page.notes))

    def _add_news(self, page: Page, wire: object, observed_at: datetime) -> None:
        found = (
            Refusal(identifier(wire.get("ticker")), "parlay")
            if isinstance(wire, dict) and is_parlay(wire)
            else change(wire, observed_at, page.notes)
        )
        page.add(found)
        if isinstance(found, MarketChange) and isinstance(wire, dict):
            event = identifier(wire.get("event_ticker"))
            if event is not None:
                page.kin[found.id] = event
