"""Turns Polymarket's JSON into records: markets, and price points from price histories."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from augury.markets.records import Market, PricePoint, Status
from augury.venues.records import Notes, Refusal
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

DECIDED_PRICE = 0.99
"""An outcome of a closed market is taken to be the winner if its price (0 to 1) is at least this.
Chosen by hand."""
_UNDER_REVIEW = ("proposed", "disputed", "challenged", "reproposed", "requested")


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
    """A market's status, the label of the winning outcome, and the price of each outcome. They are
    read together, because the status says what a price means. A refusal with its reason if the JSON
    can't be used or the market is not open yet."""
    own = identifier(wire.get("id"))
    closed, active = flag(wire.get("closed")), flag(wire.get("active"))
    if closed is None or (active is None and not closed):
        return Refusal(
            own, "unknown status", f"{wire.get('closed')!r} {wire.get('active')!r}"[:120]
        )
    try:
        labeled = [probability(price) for price in items(wire.get("outcomePrices")) or []]
        bid, ask = _book(wire)
        last = probability(wire.get("lastTradePrice"))
    except BadPrice as bad:
        return Refusal(own, "bad price", str(bad))
    if labeled and len(labeled) != len(outcomes):
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
            usable = bool(labeled) and all(p is not None and 0 < p < 1 for p in labeled)
            return "active", None, tuple(labeled) if usable else nothing
        return "active", None, _open_prices(labeled, bid, ask, last, len(outcomes)) or nothing
    settled = all(price is not None for price in labeled) and sum(p or 0 for p in labeled) > 0.5
    final = tuple(labeled) if settled else nothing
    review = text(wire.get("umaResolutionStatus"))
    if review is not None and review.lower() in _UNDER_REVIEW:
        return "closed", None, nothing
    if settled and max(p or 0 for p in labeled) >= DECIDED_PRICE:
        winner = max(range(len(outcomes)), key=lambda i: labeled[i] or 0)
        exact = tuple(1.0 if i == winner else 0.0 for i in range(len(outcomes)))
        return "resolved", outcomes[winner], exact
    if review is not None and review.lower() == "resolved":
        # Resolved without a single winner, e.g. 50-50: each side is paid its price.
        return "resolved", None, final
    return "closed", None, tuple(p if p and 0 < p < 1 else None for p in final)


def _open_prices(
    labeled: Sequence[float | None],
    bid: float | None,
    ask: float | None,
    last: float | None,
    count: int,
) -> tuple[float | None, ...] | None:
    """Prices of an open market's outcomes; None if nobody quotes or a labeled price is unusable.

    `labeled` are the prices that the venue states by outcome. With more than two outcomes, they
    are the result. With two, the first outcome's price is computed from bid, ask and last trade
    (`wire.quote`). That these are about the first outcome is only a convention: if the computed
    price is more than 0.10 away from the labeled one, the labeled prices are used.
    """
    usable = bool(labeled) and all(p is not None and 0 < p < 1 for p in labeled)
    if count > 2:
        return tuple(labeled) if usable else None
    price = quote(bid, ask, last)
    if price is None:
        # The labeled prices are no quote then: the venue fills in 0.5 or the last trade.
        return None
    if labeled and not usable:
        return None
    if usable and labeled[0] is not None and abs(labeled[0] - price) > 0.10:
        return tuple(labeled)
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
