"""The connector for Polymarket: makes requests, reads pages of answers, and turns their JSON into
records.

It uses two of Polymarket's APIs: `gamma` (metadata, prices, status) and `clob` (price history). Two
generations of listings are read: arrays paged by `limit` and `offset`, and `/keyset` listings with
`next_cursor`. Price refreshes use gamma, not the order books: one request for 100 markets returns
price, best bid and ask, volume and status, so a market that closed between two refreshes is noticed
at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any
from urllib.parse import quote as quote_path

from augury.clock import Clock, now
from augury.markets.records import Market, Platform, PricePoint, Status
from augury.venues.http import (
    BadAnswer,
    NoSuchRecord,
    RequestRejected,
    VenueClient,
    parsing_answer_of,
)
from augury.venues.records import Cursor, Notes, Page, Refusal, StoredMarketRef
from augury.venues.wire import (
    LABEL_LIMIT,
    QUESTION_LIMIT,
    TEXT_LIMIT,
    BadPrice,
    Wire,
    amount,
    flag,
    identifier,
    is_placeholder,
    items,
    labels,
    line,
    moment,
    number,
    probability,
    quote,
    text,
)

EVENTS_PAGE = 100
"""Events per page. Each comes with all its markets, so larger pages would take megabytes."""
MARKETS_PAGE = 100
"""Markets per page: the most that `/markets/keyset` returns."""
BATCH_IDS = 100
"""Maximum number of ids in one request for markets by id; 100 make a URL of about 1 KB."""

DECIDED_PRICE = 0.99
"""An outcome of a closed market is taken to be the winner if its price (0 to 1) is at least this.
Chosen by hand."""
_UNDER_REVIEW = ("proposed", "disputed", "challenged", "reproposed", "requested")

Params = Mapping[str, str | int | Sequence[str]]


# --- query ---------------------------------------------------------------------------------


def events_query(*, keyset: bool, closed: bool, after: str | int | None) -> tuple[str, Params]:
    """Path and parameters of the request for a page of events with their markets. Open events are
    sorted by id, closed ones by closing time, the latest first."""
    params: dict[str, str | int] = {
        "limit": EVENTS_PAGE,
        "closed": "true" if closed else "false",
        "order": "closedTime" if closed else "id",
        "ascending": "false" if closed else "true",
    }
    return _paged("/events", params, keyset=keyset, after=after)


def created_query(*, keyset: bool, after: str | int | None) -> tuple[str, Params]:
    """Path and parameters of the request for a page of open markets, the latest created first.

    They are not sorted by `updatedAt`: every trade changes that field, so nearly all markets would
    count as updated and be fetched again.

    `after`: where the page starts; None: at the beginning.
    """
    params: dict[str, str | int] = {
        "limit": MARKETS_PAGE,
        "closed": "false",
        "order": "createdAt",
        "ascending": "false",
        "include_tag": "true",
    }
    return _paged("/markets", params, keyset=keyset, after=after)


def batch_query(ids: Sequence[str], *, closed: bool = False) -> tuple[str, Params]:
    """Path and parameters of the request for markets by id. The request finds only open markets or,
    if `closed` is set, only closed ones."""
    return "/markets", {
        "id": ids,
        "limit": len(ids),
        "closed": "true" if closed else "false",
        "include_tag": "true",
    }


def market_query(market_id: str) -> tuple[str, Params]:
    """Path and parameters of the request for one market by id, whatever its status."""
    return f"/markets/{quote_path(market_id, safe='')}", {"include_tag": "true"}


def history_query(
    token: str, *, start: datetime, end: datetime, minutes: int
) -> tuple[str, Params]:
    """Path and parameters of the request for one token's prices in a window, at most one price for
    each period of `minutes`."""
    return "/prices-history", {
        "market": token,
        "startTs": int(start.timestamp()),
        "endTs": int(end.timestamp()),
        "fidelity": minutes,
    }


def _paged(
    path: str, params: dict[str, str | int], *, keyset: bool, after: str | int | None
) -> tuple[str, Params]:
    if keyset:
        return path + "/keyset", params if after is None else {**params, "after_cursor": after}
    return path, {**params, "offset": 0 if after is None else after}


# --- extract -------------------------------------------------------------------------------


def read_page(
    answer: object, kind: str, *, keyset: bool, after: str | int | None
) -> tuple[list[Any], str | int | None]:
    """The records of a page of Polymarket's answer, and where the next page starts; None after the
    last page.

    Raises
    ------
    ValueError
        When the answer has the shape of neither generation of the API.
    """
    if isinstance(answer, list):
        # Only an empty page ends a listing by offset: the server may apply a lower `limit`.
        start = after if isinstance(after, int) else 0
        return answer, (start + len(answer)) if answer and not keyset else None
    if isinstance(answer, dict) and isinstance(answer.get(kind), list):
        cursor = identifier(answer.get("next_cursor"), 4_000)
        return answer[kind], cursor if answer[kind] else None
    raise ValueError(f'expected a list, or an object with a list "{kind}"')


def event_markets(event: Wire) -> Iterable[dict[str, Any]]:
    """The markets nested in an event, each with its event in `events`, as `/markets` returns it."""
    nested = event.get("markets")
    if not isinstance(nested, list):
        return
    shell = {key: value for key, value in event.items() if key != "markets"}
    for wire in nested:
        if isinstance(wire, dict):
            yield {**wire, "events": [shell]}


# --- transform -----------------------------------------------------------------------------


def market(wire: object, observed_at: datetime, notes: Notes | None = None) -> Market | Refusal:
    """A market as a record, from the JSON of Polymarket's Gamma API; a refusal with its reason if
    the JSON can't be used.

    Parameters
    ----------
    wire
        The market's JSON object: an element of the answer to `/markets`, or an element of an
        event's `markets` to which the event was added under the key `events`.
    observed_at
        When the answer was requested.
    """
    notes = Notes() if notes is None else notes
    if not isinstance(wire, dict):
        return Refusal(None, "not a record")
    own = identifier(wire.get("id"))
    if own is None:
        return Refusal(None, "no id")
    question = line(wire.get("question"), QUESTION_LIMIT)
    if question is None:
        return Refusal(own, "no question")
    label = line(wire.get("groupItemTitle"))
    if is_placeholder(question, label):
        return Refusal(own, "placeholder", question[:120])
    outcomes = _outcomes(wire)
    if outcomes is None:
        return Refusal(own, "bad outcomes", question[:120])
    state = _state(wire, outcomes)
    if isinstance(state, Refusal):
        return state
    status, resolution, prices = state
    event = _event(wire)
    closed_time = moment(wire.get("closedTime"))
    slug = identifier(wire.get("slug"))
    event_slug = identifier(event.get("slug"))
    tokens = items(wire.get("clobTokenIds")) or []
    token_ids = tuple(t for t in (identifier(token) for token in tokens) if t is not None)
    if len(token_ids) != len(outcomes):
        if token_ids:
            notes["tokens do not match outcomes"] += 1
        token_ids = ()
    series = event.get("series")
    first_series = series[0] if isinstance(series, list) and series else None
    bid, ask = _book(wire)
    tags = [
        tag.get("label")
        for source in (event.get("tags"), wire.get("tags"))
        if isinstance(source, list)
        for tag in source
        if isinstance(tag, dict)
    ]
    known_tags = tuple(tag for tag in labels(tags) if tag != "All")
    priced = any(price is not None for price in prices)
    return Market(
        id=f"polymarket:{own}",
        platform="polymarket",
        platform_id=own,
        question=question,
        title=question,
        subtitle=label,
        description=text(wire.get("description"), TEXT_LIMIT),
        outcomes=outcomes,
        prices=prices,
        price_as_of=(closed_time or observed_at if status == "resolved" else observed_at)
        if priced
        else None,
        status=status,
        resolution=resolution,
        created_at=moment(wire.get("createdAt")) or moment(wire.get("startDate")),
        closes_at=moment(wire.get("endDate")) or moment(event.get("endDate")),
        resolved_at=closed_time if status == "resolved" else None,
        event_id=identifier(event.get("id")),
        event_name=line(event.get("title"), QUESTION_LIMIT),
        series_id=identifier(first_series.get("id")) if isinstance(first_series, dict) else None,
        exclusive=_exclusive(wire, event),
        category=line(wire.get("category"), 100)
        or line(event.get("category"), 100)
        or (known_tags[0] if known_tags else None),
        tags=known_tags,
        volume=_first_amount(wire, "volumeNum", "volume"),
        volume_24h=amount(wire.get("volume24hr")),
        liquidity=_first_amount(wire, "liquidityNum", "liquidity"),
        best_bid=bid,
        best_ask=ask,
        url=f"https://polymarket.com/event/{event_slug}/{slug}"
        if event_slug and slug
        else f"https://polymarket.com/market/{slug}"
        if slug
        else None,
        slug=slug,
        token_ids=token_ids,
        observed_at=observed_at,
    )


def history(answer: object, market_id: str, outcome: int) -> list[PricePoint]:
    """An answer of `/prices-history` as price points. Prices of 0 or 1 and unreadable ones are left
    out.

    Raises
    ------
    ValueError
        When the answer has no `history`.
    """
    if not isinstance(answer, dict) or not isinstance(answer.get("history"), list):
        raise ValueError('expected an object with a list "history"')
    points: dict[datetime, PricePoint] = {}
    for raw in answer["history"]:
        if not isinstance(raw, dict):
            continue
        at, price = moment(raw.get("t")), number(raw.get("p"))
        if at is not None and price is not None and 0 < price < 1:
            points[at] = PricePoint(
                market_id=market_id, outcome=outcome, at=at, price=price, source="history"
            )
    return [points[at] for at in sorted(points)]


def _outcomes(wire: Wire) -> tuple[str, ...] | None:
    raw = items(wire.get("outcomes"))
    if raw is None or not 2 <= len(raw) <= 100:
        return None
    found = [line(label, LABEL_LIMIT) for label in raw]
    complete = tuple(label for label in found if label is not None)
    return complete if len(complete) == len(found) == len(set(complete)) else None


def _book(wire: Wire) -> tuple[float | None, float | None]:
    """Best bid and ask of the market's first outcome; None for 0 or 1, which mean that nobody
    quotes."""
    bid, ask = probability(wire.get("bestBid")), probability(wire.get("bestAsk"))
    return (bid if bid and bid < 1 else None), (ask if ask and ask < 1 else None)


def _state(
    wire: Wire, outcomes: tuple[str, ...]
) -> tuple[Status, str | None, tuple[float | None, ...]] | Refusal:
    """A market's status, winning label and price of each outcome, or a refusal. They are read
    together, because the status says what a price means."""
    own = identifier(wire.get("id"))
    closed, active = flag(wire.get("closed")), flag(wire.get("active"))
    if closed is None or (active is None and not closed):
        return Refusal(
            own, "unknown status", f"{wire.get('closed')!r} {wire.get('active')!r}"[:120]
        )
    try:
        labelled = [probability(price) for price in items(wire.get("outcomePrices")) or []]
        bid, ask = _book(wire)
        last = probability(wire.get("lastTradePrice"))
    except BadPrice as bad:
        return Refusal(own, "bad price", str(bad))
    if labelled and len(labelled) != len(outcomes):
        return Refusal(own, "prices do not match outcomes")
    nothing: tuple[float | None, ...] = (None,) * len(outcomes)
    if not closed:
        if not active:
            return Refusal(own, "not open yet")
        if flag(wire.get("archived")):
            return "closed", None, nothing
        if all(wire.get(key) is None for key in ("bestBid", "bestAsk", "lastTradePrice")):
            # A market with an automated market maker (before 2023) has no order book: the prices
            # next to its labels are its quote.
            usable = bool(labelled) and all(p is not None and 0 < p < 1 for p in labelled)
            return "active", None, tuple(labelled) if usable else nothing
        return "active", None, _open_prices(labelled, bid, ask, last, len(outcomes)) or nothing
    settled = all(price is not None for price in labelled) and sum(p or 0 for p in labelled) > 0.5
    final = tuple(labelled) if settled else nothing
    review = text(wire.get("umaResolutionStatus"))
    if review is not None and review.lower() in _UNDER_REVIEW:
        return "closed", None, nothing
    if settled and max(p or 0 for p in labelled) >= DECIDED_PRICE:
        winner = max(range(len(outcomes)), key=lambda i: labelled[i] or 0)
        exact = tuple(1.0 if i == winner else 0.0 for i in range(len(outcomes)))
        return "resolved", outcomes[winner], exact
    if review is not None and review.lower() == "resolved":
        # Resolved without a single winner, e.g. 50-50: each side is paid its price.
        return "resolved", None, final
    return "closed", None, tuple(p if p and 0 < p < 1 else None for p in final)


def _open_prices(
    labelled: Sequence[float | None],
    bid: float | None,
    ask: float | None,
    last: float | None,
    count: int,
) -> tuple[float | None, ...] | None:
    """Prices of an open market's outcomes; None if nobody quotes or a labelled price is unusable.

    `labelled` are the prices that the venue states by outcome. With more than two outcomes, they
    are the result. With two, the first outcome's price is computed from bid, ask and last trade
    (`wire.quote`). That these are about the first outcome is only a convention: if the computed
    price is more than 0.10 away from the labelled one, the labelled prices are used.
    """
    usable = bool(labelled) and all(p is not None and 0 < p < 1 for p in labelled)
    if count > 2:
        return tuple(labelled) if usable else None
    price = quote(bid, ask, last)
    if price is None:
        # The labelled prices are no quote then: the venue fills in 0.5 or the last trade.
        return None
    if labelled and not usable:
        return None
    if usable and labelled[0] is not None and abs(labelled[0] - price) > 0.10:
        return tuple(labelled)
    return price, round(1 - price, 6)


def _event(wire: Wire) -> Wire:
    events = wire.get("events")
    if isinstance(events, list) and events and isinstance(events[0], dict):
        return events[0]
    return {}


def _exclusive(wire: Wire, event: Wire) -> bool | None:
    for source, key in ((wire, "negRisk"), (event, "negRisk"), (event, "enableNegRisk")):
        if (value := flag(source.get(key))) is not None:
            return value
    return None


def _first_amount(wire: Wire, *keys: str) -> float | None:
    for key in keys:
        if (value := amount(wire.get(key))) is not None:
            return value
    return None


# --- the connector -------------------------------------------------------------------------

BASES = ("gamma", "clob")
LIMITS = {"gamma": 100.0, "gamma/events": 20.0, "gamma/markets": 12.0, "clob": 50.0}
"""Maximum number of requests per second, by base URL or by base URL and first part of the path.
Each is less than half of what Polymarket allows; e.g. it allows 500 requests for events in 10 s."""


class Polymarket:
    """The connector for Polymarket (the code that asks its API); methods as in `records.Venue`."""

    platform: Platform = "polymarket"
    full: tuple[str, ...] = ("open", "closed")
    incremental: tuple[str, ...] = ("created", "closed")

    def __init__(self, client: VenueClient, clock: Clock = now) -> None:
        self._client = client
        self._clock = clock
        self._keyset = True

    async def listing(self, phase: str, after: Cursor, since: datetime) -> Page:
        """A page of the listing named `phase`: "open" events, events "closed" since `since`, or
        markets "created" since then."""
        observed_at = self._clock()
        try:
            return await self._listing(phase, after, since, observed_at)
        except (NoSuchRecord, RequestRejected):
            if not self._keyset or after is not None:
                raise
            # The older generation of the listing: offset pages.
            self._keyset = False
            return await self._listing(phase, after, since, observed_at)

    async def _listing(
        self, phase: str, after: Cursor, since: datetime, observed_at: datetime
    ) -> Page:
        # A listing continues in the generation of the API in which its checkpoint was made.
        keyset = isinstance(after, str) if after is not None else self._keyset
        kind = "markets" if phase == "created" else "events"
        path, params = (
            created_query(keyset=keyset, after=after)
            if kind == "markets"
            else events_query(keyset=keyset, closed=phase == "closed", after=after)
        )
        answer = await self._client.get("gamma", path, params)
        with parsing_answer_of(self.platform):
            raw, following = read_page(answer, kind, keyset=keyset, after=after)
        wires: list[object] = []
        newest: datetime | None = None
        for record in raw:
            if not isinstance(record, dict):
                wires.append(record)
                continue
            wires.extend([record] if kind == "markets" else event_markets(record))
            at = moment(record.get("createdAt" if kind == "markets" else "closedTime"))
            if at is not None and (newest is None or at > newest):
                newest = at
        page = Page(after=following, records=len(raw), partial=phase == "created")
        for wire in wires:
            page.add(market(wire, observed_at, page.notes))
        past_the_window = newest is not None and newest < since
        if phase != "open" and past_the_window:
            page.after = None
        return page

    async def complete(self, event_ids: Mapping[str, str]) -> Page:
        """An empty page: Polymarket's records always have their event, so there is nothing to
        complete."""
        return Page()

    async def current_states(self, targets: Sequence[StoredMarketRef]) -> Page:
        """Ask the venue, by id, for the current state of markets that are already stored. The open
        markets are asked for first, then those not found among the closed ones."""
        observed_at = self._clock()
        page = Page(partial=True)
        wanted = [t.platform_id for t in targets if t.platform_id.isdecimal()]
        for closed in (False, True):
            if not wanted:
                break
            path, params = batch_query(wanted, closed=closed)
            answer = await self._client.get("gamma", path, params)
            with parsing_answer_of(self.platform):
                raw, _ = read_page(answer, "markets", keyset=False, after=None)
            page.records += len(raw)
            for wire in raw:
                page.add(market(wire, observed_at, page.notes))
            seen = page.ids()
            wanted = [own for own in wanted if own not in seen]
        return page

    async def lookup(self, platform_id: str) -> Market | Refusal:
        """One market, whatever its status.

        Raises
        ------
        NoSuchRecord
            When the venue does not know the market.
        """
        observed_at = self._clock()
        path, params = market_query(platform_id)
        found = market(await self._client.get("gamma", path, params), observed_at)
        if isinstance(found, Market) and found.platform_id != platform_id:
            raise BadAnswer(self.platform, "answered with a different market than requested")
        return found

    async def history(
        self, target: StoredMarketRef, start: datetime, end: datetime
    ) -> list[PricePoint]:
        """The market's prices of each outcome, one per hour, or one per 12 hours if the market is
        resolved. If it has two outcomes, only prices of the first."""
        # For resolved markets, the venue returns nothing below 12 hours.
        minutes = 720 if target.status == "resolved" else 60
        points: list[PricePoint] = []
        tokens = target.token_ids[:1] if len(target.outcomes) == 2 else target.token_ids
        for outcome, token in enumerate(tokens):
            path, params = history_query(token, start=start, end=end, minutes=minutes)
            with parsing_answer_of(self.platform):
                points += history(await self._client.get("clob", path, params), target.id, outcome)
        return points
