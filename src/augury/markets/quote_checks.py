"""Checks that find quotes which can't be right, before they are committed to the catalogue.

Pure: no I/O, no clock. A quote that fails a check is put into quarantine with the reason, and its
market then has no quote. The limits of the checks are wide, so that few correct quotes are caught;
docs/operations.md has the measurement. The reasons:

- `unit`: prices a hundred times too small. Signs of it: a Kalshi bid or ask lies between two ticks;
  a price is a hundredth of the previously recorded one; all quotes of one venue and day are at a
  cent or less.
- `book`: a price far outside the market's bid and ask, or a bid above the ask.
- `event_sum`: at most one market of an event resolves Yes, but the bids of its markets sum to more
  than `MAX_SUM`, or their asks to less than `MIN_SUM`.
- `twin`: the same contract is listed on two venues, and one quote is about a hundred times the
  other.

Quotes from a sync (not from an import) are checked only for ticks, the previous price and `twin`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from typing import Final, Literal, NamedTuple, get_args

Reason = Literal["unit", "book", "event_sum", "twin"]
REASONS: tuple[Reason, ...] = get_args(Reason)

MAX_SHRUNKEN: Final = 0.0101
"""A quote is suspected to be a hundred times too small, i.e. given in another unit, if its price,
bid and ask are all at most this, in probability. A true price is at most 1, so a hundredth of it is
at most 0.01; 0.0001 is added for rounding."""
KALSHI_TICK: Final = 0.001
"""Smallest step of prices in Kalshi's order books, in probability."""
MIN_BATCH, MIN_EVENTS = 20, 10
"""If all imported quotes of one venue and day are at a cent or less, they are taken to be a hundred
times too small and put into quarantine. This needs at least MIN_BATCH quotes above 0, from at least
MIN_EVENTS events, since all the long shots of one event may rightly be at a cent or less."""
MAX_OUTSIDE_BOOK: Final = 0.2
"""An imported quote is put into quarantine if its price lies further than this, in probability,
outside the range from bid to ask. The limit is wide, because bid and ask move on after the last
trade. docs/operations.md tells how many correct quotes it catches."""
MAX_CROSSED: Final = 0.01
"""An imported quote is put into quarantine if its bid is above its ask by more than this, in
probability."""
MAX_SUM, MIN_SUM = 1.5, 0.1
"""Limits, in probability, for imported events in which at most one market resolves Yes. All quotes
of such an event are put into quarantine if the bids of its markets sum to more than MAX_SUM, or the
asks of its markets to less than MIN_SUM."""
MIN_MEMBERS: Final = 3
"""Smallest number of quoted markets for which the sum of an event's asks is compared with
`MIN_SUM`. For an event with fewer, this sum is not checked."""
TWIN_RATIO, TWIN_FLOOR = 50.0, 0.1
"""If two markets of the same contract on different venues have very different prices, both quotes
are put into quarantine: the higher price must be at least TWIN_RATIO times the lower one, and at
least TWIN_FLOOR in probability."""


class ScreenedQuote(NamedTuple):
    """A market's stored quote, which is to be checked for prices that can't be right. Fields as in
    `records.Market`.

    `at` is when the price was quoted; if there is no price, when the market was observed.
    `imported` is True for a market from a dump file, False for one from a sync.
    """

    id: str
    platform: str
    event_id: str | None
    prices: Sequence[float | None]
    best_bid: float | None
    best_ask: float | None
    at: datetime
    imported: bool = True


class HoldReason(NamedTuple):
    """Why a quote is held in quarantine."""

    reason: Reason
    detail: str


def is_shrunken(quote: ScreenedQuote) -> bool:
    """Whether a quote may be a hundred times too small: the first outcome has a price, bid or ask,
    and none of these is above a cent."""
    known = [quote.prices[0], quote.best_bid, quote.best_ask]
    return max((value for value in known if value is not None), default=1.0) <= MAX_SHRUNKEN


def wrong_quotes(
    quotes: Iterable[ScreenedQuote], before: Mapping[str, float]
) -> dict[str, HoldReason]:
    """Find the quotes that are a hundred times too small (given in another unit) or outside the bid
    and ask of their own order book.

    Returns market id -> reason to put the quote into quarantine; markets whose quotes passed the
    checks are left out.

    Parameters
    ----------
    quotes
        The quotes to check. Each quote is checked by itself. In addition, the imported quotes of
        one venue and day are checked as a group (`is_in_another_unit`).
    before
        Market id -> the first outcome's last recorded price before the quote. Only needed for
        quotes that are at a cent or less (`is_shrunken`).
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
    """Whether the quotes of one venue and day (`batch`) seem to be a hundred times too small: all
    are at a cent or less, although they come from many events.

    Quotes of zero are ignored: zero is the same in every unit, and outcomes that have lost are
    quoted at zero.
    """
    priced = [quote for quote in batch if quote.prices[0]]
    if len(priced) < MIN_BATCH or not all(map(is_shrunken, priced)):
        return False
    return len({quote.event_id or quote.id for quote in priced}) >= MIN_EVENTS


def are_apart(one: float | None, other: float | None) -> bool:
    """Whether the prices (0 to 1) of two markets of the same contract, on different venues, differ
    too much for both to be right (see `TWIN_RATIO`). False if one of them is None or 0.

    Yes of one market may be No of the other, so both `other` and 1 - `other` have to be far from
    `one`.
    """
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
                    "unit", f"The {name} {value:g} is between two price steps of its venue."
                )
    price = quote.prices[0]
    if price and before and abs(100 * price / before - 1) <= 0.01:
        return HoldReason(
            "unit", f"The price {price:g} is a hundredth of the previous price, {before:g}."
        )
    return None


def _book(quote: ScreenedQuote) -> HoldReason | None:
    price, bid, ask = quote.prices[0], quote.best_bid, quote.best_ask
    if not quote.imported:
        return None
    if bid is not None and ask is not None and bid > ask + MAX_CROSSED:
        return HoldReason("book", f"The bid {bid:g} is above the ask {ask:g}.")
    if price is None or bid is None or ask is None:
        return None
    if max(bid - price, price - ask) > MAX_OUTSIDE_BOOK:
        return HoldReason(
            "book", f"The price {price:g} is far outside its order book, {bid:g} to {ask:g}."
        )
    return None
