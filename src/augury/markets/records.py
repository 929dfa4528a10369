"""Records of markets and prices, as the connectors (the code for the venues) produce them and the
catalogue stores them. No I/O."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Literal

import msgspec

Platform = Literal["polymarket", "kalshi"]
Status = Literal["active", "closed", "resolved"]
MarketType = Literal["binary", "sum_to_one", "winner_take_all", "threshold_ladder"]
Origin = Literal["venue", "dump", "sample"]
"""Source of a market: synced from its venue, imported from a dump file, or the invented sample."""

PLATFORMS: tuple[Platform, ...] = ("polymarket", "kalshi")
STATUSES: tuple[Status, ...] = ("active", "closed", "resolved")

ShownOrigin = Literal["live", "import", "sample"]
"""Where a price or other number comes from, as answers show it: `live` (a venue), `import` (a dump
file) or `sample` (invented). A replayed answer (as of an earlier time) shows `replay` instead."""
SHOWN_ORIGINS: tuple[ShownOrigin, ...] = ("sample", "import", "live")
"""Origins, the least reliable first. A value made from data of several origins shows the least
reliable one of them."""
ORIGINS: dict[Origin, ShownOrigin] = {"venue": "live", "dump": "import", "sample": "sample"}


def labels(outcomes: Sequence[str]) -> list[str]:
    """Outcome labels made unique, to serve as keys: a repeated label is numbered, "Draw (2)"."""
    taken: dict[str, None] = {}
    for label in outcomes:
        name, n = label, 1
        while name in taken:
            n += 1
            name = f"{label} ({n})"
        taken[name] = None
    return list(taken)


def priced(
    outcomes: Sequence[str], prices: Sequence[float | None]
) -> dict[str, float | None] | None:
    """Probability by outcome label; None if no outcome has a quote."""
    known = dict(zip(outcomes, prices, strict=False))
    if len(known) < len(outcomes):
        known = dict(zip(labels(outcomes), prices, strict=False))
    return known if any(price is not None for price in prices) else None


def origin_of_source(source: str) -> ShownOrigin:
    """The origin of a recorded price (live, import or sample) that became known through `source`
    (see `PricePoint.source`)."""
    if source == "sample":
        return "sample"
    return "import" if source.startswith("dump:") else "live"


class Market(msgspec.Struct, frozen=True, kw_only=True):
    """One market of one venue: a question with two or more outcomes.

    `id` is `polymarket:<gamma id>` or `kalshi:<ticker>`. Times are aware, in UTC. Prices are
    probabilities in [0, 1], in the order of `outcomes`; None means "no quote". On an active market
    a price of 0 or 1 counts as no quote, never as certainty; so does an order book with a bid of
    0.01 and an ask of 0.99. Money is in US dollars, except Kalshi volumes, which are contracts.
    """

    id: str
    platform: Platform
    platform_id: str
    question: str
    """The full question; for Kalshi "event's title — market's subtitle"."""
    title: str
    subtitle: str | None = None
    """What distinguishes the market from the others of its event: a strike, a name, a date."""
    description: str | None = None
    """Resolution rules, as the venue wrote them. Untrusted text."""
    outcomes: tuple[str, ...] = ("Yes", "No")
    prices: tuple[float | None, ...] = (None, None)
    price_as_of: datetime | None = None
    """When the venue quoted `prices`; None if no outcome has a price."""
    status: Status = "active"
    resolution: str | None = None
    """The label of the outcome that won ("Yes", "Trump"); None if the market is not resolved, or
    its winner is not known."""
    created_at: datetime | None = None
    closes_at: datetime | None = None
    resolved_at: datetime | None = None
    event_id: str | None = None
    """The venue's own id of the event the market belongs to."""
    event_name: str | None = None
    series_id: str | None = None
    """The venue's id of the recurring series of events (Kalshi's series ticker)."""
    exclusive: bool | None = None
    """Whether the venue says that at most one market of the event resolves Yes; None if the venue
    does not say whether this is so."""
    category: str | None = None
    tags: tuple[str, ...] = ()
    volume: float | None = None
    volume_24h: float | None = None
    liquidity: float | None = None
    open_interest: float | None = None
    best_bid: float | None = None
    best_ask: float | None = None
    strike: Strike | None = None
    url: str | None = None
    slug: str | None = None
    token_ids: tuple[str, ...] = ()
    """Polymarket's order-book (CLOB) token of each outcome: text of about 77 digits, never a
    number. Empty for Kalshi."""
    origin: Origin = "venue"
    observed_at: datetime | None = None
    """When this state of the market was read from its source."""


class Strike(msgspec.Struct, frozen=True, kw_only=True):
    """The levels that a threshold market compares a value with: Yes if the value lies between
    `floor` and `cap` (None: no bound on that side)."""

    kind: str
    """Kalshi's strike_type: greater, greater_or_equal, less, less_or_equal, between,
    structured, custom; or `parsed` when read from the text."""
    floor: float | None = None
    cap: float | None = None


class PricePoint(msgspec.Struct, frozen=True, kw_only=True):
    """One price of one outcome at one time. `source` says how it came to be known."""

    market_id: str
    outcome: int
    """Index into the market's `outcomes`."""
    at: datetime
    price: float
    """Probability in [0, 1]."""
    source: str = "snapshot"
    """How the price became known: snapshot, trade, candle, history, dump:<kind> or sample."""
    volume: float | None = None
    """The market's total volume up to `at`, in the venue's unit. In a `candle` point it is counted
    from the first candle fetched, not over the market's life."""


class MarketChange(msgspec.Struct, frozen=True, kw_only=True):
    """New values of a stored market's fields, as its venue reports them. A field that is None
    leaves the stored value unchanged."""

    id: str
    observed_at: datetime
    status: Status | None = None
    resolution: str | None = None
    resolved_at: datetime | None = None
    prices: tuple[float | None, ...] | None = None
    price_as_of: datetime | None = None
    best_bid: float | None = None
    best_ask: float | None = None
    volume: float | None = None
    volume_24h: float | None = None
    liquidity: float | None = None
    open_interest: float | None = None
