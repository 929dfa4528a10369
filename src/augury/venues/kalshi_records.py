"""Turns Kalshi's JSON into records: markets, changes of markets, price points from candles.

Both generations of Kalshi's API are read: prices in cents as integers (`yes_bid: 63`, until 2025)
and in dollars as strings (`yes_bid_dollars: "0.6300"`), counts as integers and as `*_fp` strings.
The markets of an event differ by their label `yes_sub_title`, so a market's question consists of
the event's title and this label. YES is always the side that the label names.
"""

from __future__ import annotations

from datetime import datetime

from augury.markets.records import Market, MarketChange, PricePoint, Status, Strike
from augury.venues.kalshi_queries import series_of
from augury.venues.records import Notes, Refusal
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

PARLAY_PREFIX = "KXMVE"
OUTCOMES = ("Yes", "No")

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
"""Kalshi's name of a market's status -> Augury's status. Kalshi has different names in records and
in filters of listings; both are here, since some generations of its API mix them. A `determined`
market may still be disputed or amended, so only a `finalized` or `settled` one is resolved."""
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


def market(
    wire: object,
    observed_at: datetime,
    *,
    event: Wire | None = None,
    series: Wire | None = None,
    notes: Notes | None = None,
) -> Market | Refusal:
    """A market of Kalshi's JSON as a record, or as a refusal with its reason.

    Parameters
    ----------
    wire
        One element of `markets`.
    observed_at
        When the answer was requested.
    event, series
        The market's event and series (group of events) in Kalshi's JSON, if known. They give the
        market's title, category and tags. The event also says whether its markets exclude each
        other.
    notes
        Counter of oddities in the JSON that do not make the record unusable, e.g. an unknown strike
        type. Oddities of this market are added to it.
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
    """Whether the market is a parlay, i.e. a combination of sides of other markets.

    Kalshi's listings contain many parlays unless a request excludes them.
    """
    for key in ("ticker", "event_ticker", "mve_collection_ticker"):
        value = wire.get(key)
        if isinstance(value, str) and value.startswith(PARLAY_PREFIX):
            return True
    return bool(wire.get("mve_selected_legs"))


def question(title: str, subtitle: str | None, own_title: str | None = None) -> str:
    """A market's full question, `title — subtitle`: the event's title, and the subtitle that says
    which side the market is about, e.g. a team.

    Without a subtitle, the question is the market's own title, which says more than the event's.
    The subtitle is added even if the title contains it: "Los Angeles at Las Vegas" has a market for
    each team.
    """
    if subtitle is None:
        return own_title or title
    return f"{title} — {subtitle}"[:QUESTION_LIMIT]


def change(
    wire: object, observed_at: datetime, notes: Notes | None = None
) -> MarketChange | Refusal:
    """The current status, prices and volumes of a stored market, from Kalshi's JSON, or a refusal
    with its reason. The market's event is not needed, because texts are not read again."""
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
    """Candlesticks as price points of YES, each at the end of its period.

    The price is that of the period's last trade. If nothing was traded, it is the midpoint of bid
    and ask at the end of the period, by the same rule as for a live quote. A period without trade
    and quote gives no point. A point's volume is the running total since the first candlestick. If
    a candlestick has no volume, the total is None at its point and at all later ones.

    Raises
    ------
    ValueError
        When the answer has no `candlesticks`.
    """
    if not isinstance(answer, dict) or not isinstance(answer.get("candlesticks"), list):
        raise ValueError('expected an object with a list "candlesticks"')
    candles_by_end = {
        at: raw
        for raw in answer["candlesticks"]
        if isinstance(raw, dict) and (at := moment(raw.get("end_period_ts"))) is not None
    }
    points: list[PricePoint] = []
    volume: float | None = 0.0
    for at in sorted(candles_by_end):
        raw = candles_by_end[at]
        traded = _count(raw, "volume")
        volume = None if volume is None or traded is None else volume + traded
        try:
            last = _close(raw.get("price"))
            bid, ask = _close(raw.get("yes_bid")), _close(raw.get("yes_ask"))
        except BadPrice:
            continue
        price = last if last is not None and 0 < last < 1 else None
        if price is None and two_sided(bid, ask):
            price = quote(bid, ask, None)
        if price is not None:
            point = PricePoint(
                market_id=market_id, outcome=0, at=at, price=price, source="candle", volume=volume
            )
            points.append(point)
    return points


def _own_title(wire: Wire) -> str | None:
    return line(wire.get("title"), QUESTION_LIMIT)


def _subtitle(wire: Wire, event_title: str | None, own_title: str | None) -> str | None:
    """The label that distinguishes the market from others of its event, e.g. a team; None if the
    market has no such label. The label is in different fields in different generations of Kalshi's
    API."""
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
    """A price from 0 to 1; None if the record has none. The newer generation of Kalshi's API gives
    it in dollars, as the string `<key>_dollars`; the older one gives it in whole cents, as `<key>`.
    """
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
    """The closing price of a candle's trades, bids or asks, from 0 to 1; None if there is none.
    `side` is the part of the candle that holds them."""
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
    """The state of a market in Kalshi's JSON: status, winning label, YES price, settlement time,
    time of the price, best bid, best ask. If the JSON can't be read, a refusal is returned
    instead."""
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
