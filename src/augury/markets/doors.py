"""Which quotes can't be right: the checks at the catalogue's door. Pure: no I/O, no clock.

A quote that fails is held in quarantine with its reason. The bounds are wide, since a sound quote
that is held is missed: docs/operations.md has the measurement.

- `unit`: prices a hundred times too small. A book of Kalshi between its ticks; most quotes of one
  venue and day at or below a cent; a price of exactly a hundredth of the one recorded before.
- `book`: a price far outside its own book, or a bid above the ask.
- `event_sum`: markets of which one at most comes true, with prices that sum far from one.
- `twin`: a quote a hundred times that of the same contract on the other venue.

Of quotes that a sync brings only the ticks, the price before and the twin are looked at.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from typing import Final, Literal, NamedTuple, get_args

Reason = Literal["unit", "book", "event_sum", "twin"]
REASONS: tuple[Reason, ...] = get_args(Reason)

SHRUNKEN: Final = 0.0101
"""Highest probability that a price divided by a hundred can have, and what rounding adds."""
KALSHI_TICK: Final = 0.001
"""Smallest step of a Kalshi book, in probability."""
MIN_BATCH, MIN_EVENTS = 20, 10
"""Fewest quotes of one venue and day, and of how many events, that say something of the unit: long
shots of one event are all small by right."""
OUTSIDE_BOOK: Final = 0.2
"""Most by which a last price may lie outside its book, in probability: books move on after it."""
CROSSED: Final = 0.01
"""Most by which a bid may be above its ask, in probability."""
MAX_SUM, MIN_SUM = 1.5, 0.1
"""Bounds of what exclusive markets sum to, at their bids and at their asks."""
MIN_MEMBERS: Final = 3
"""Fewest markets of an event whose sum may be too small."""
TWIN_RATIO, TWIN_FLOOR = 50.0, 0.1
"""From which ratio on a quote is not its twin's, and the least that the greater must be."""


class ScreenedQuote(NamedTuple):
    """A market's quote as stored. Fields as in `records.Market`."""

    id: str
    platform: str
    event_id: str | None
    prices: Sequence[float | None]
    best_bid: float | None
    best_ask: float | None
    at: datetime
    imported: bool = True


class HoldReason(NamedTuple):
    """Why a quote is held."""

    reason: Reason
    detail: str


def is_shrunken(quote: ScreenedQuote) -> bool:
    """Whether all that is quoted of the first outcome is a cent or less."""
    known = [quote.prices[0], quote.best_bid, quote.best_ask]
    return max((value for value in known if value is not None), default=1.0) <= SHRUNKEN


def judge(quotes: Iterable[ScreenedQuote], before: Mapping[str, float]) -> dict[str, HoldReason]:
    """The quotes that can't be right, by market.

    Parameters
    ----------
    quotes
        What arrived together, as it came.
    before
        The first outcome's price recorded last before its quote, of markets that are shrunken.
    """
    found: dict[str, HoldReason] = {}
    batches: dict[tuple[str, date], list[ScreenedQuote]] = defaultdict(list)
    for quote in quotes:
        if quote.imported:
            batches[quote.platform, quote.at.date()].append(quote)
        verdict = _unit(quote, before.get(quote.id)) or _book(quote)
        if verdict is not None:
            found[quote.id] = verdict
    for (platform, day), batch in batches.items():
        if is_in_another_unit(batch):
            why = f"All {len(batch)} quotes of {platform} of {day} are at most one cent."
            found |= {quote.id: HoldReason("unit", why) for quote in batch if quote.id not in found}
    return found


def is_in_another_unit(batch: Sequence[ScreenedQuote]) -> bool:
    """Whether quotes of one venue and day are all a cent or less, over many events.

    Zero is zero in every unit, and what a lost market is quoted at: it says nothing.
    """
    priced = [quote for quote in batch if quote.prices[0]]
    if len(priced) < MIN_BATCH or not all(map(is_shrunken, priced)):
        return False
    return len({quote.event_id or quote.id for quote in priced}) >= MIN_EVENTS


def are_apart(one: float | None, other: float | None) -> bool:
    """Whether two quotes of a contract, or of it and its complement, differ a hundredfold."""
    if not one or not other:
        return False
    ratios = [max(one, p) / min(one, p) for p in (other, 1 - other) if p > 0]
    greater = max(one, other)
    return len(ratios) == 2 and min(ratios) >= TWIN_RATIO and greater >= TWIN_FLOOR


def _unit(quote: ScreenedQuote, before: float | None) -> HoldReason | None:
    if not is_shrunken(quote):
        return None
    if quote.platform == "kalshi":
        for name, value in (("bid", quote.best_bid), ("ask", quote.best_ask)):
            if value and abs(value / KALSHI_TICK - round(value / KALSHI_TICK)) > 1e-6:
                return HoldReason(
                    "unit", f"The {name} {value:g} is between two ticks of its venue."
                )
    price = quote.prices[0]
    if price and before and abs(100 * price / before - 1) <= 0.01:
        return HoldReason(
            "unit", f"The price {price:g} is a hundredth of the one before, {before:g}."
        )
    return None


def _book(quote: ScreenedQuote) -> HoldReason | None:
    price, bid, ask = quote.prices[0], quote.best_bid, quote.best_ask
    if not quote.imported:
        return None
    if bid is not None and ask is not None and bid > ask + CROSSED:
        return HoldReason("book", f"The bid {bid:g} is above the ask {ask:g}.")
    if price is None or bid is None or ask is None:
        return None
    if max(bid - price, price - ask) > OUTSIDE_BOOK:
        return HoldReason("book", f"The price {price:g} is outside its book, {bid:g} to {ask:g}.")
    return None
