"""The age rule, which decides whether a market's status and price can still be relied on. Pure.

All code that shows, lists, counts, compares or reasons with markets uses this rule, so that a
market is active, closed or stale in the same way everywhere. `store.sql` has the same rule as SQL
conditions; a test checks that both agree.

- A market that is stored as active, but whose close has passed with no update from its venue since,
  is **overdue**: it is shown as closed and stale, never as active.
- A price older than `AgeRule.max_age` is **old**: it is no evidence, fires no rule, and is not
  compared with other prices.
- A market that is stored as active is **stale** when it is overdue, or when its price is old. A
  market that is stored as closed or resolved keeps its last price and is not stale, because no new
  price is due.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple, Protocol

from augury.markets.records import Status

MAX_AGE = timedelta(days=14)
"""Default age above which a price is too old to rely on (`AUGURY_PRICE_MAX_AGE`)."""

COMPARABLE_WITHIN = timedelta(days=1)
"""Two prices may be compared with each other only if their times are at most this far apart. The
limit is a day because an unchanged price is recorded only once a day."""


class Dated(Protocol):
    """The fields of a market that decide whether its status and price can still be relied on.
    Meaning as in `records.Market`."""

    @property
    def status(self) -> Status: ...
    @property
    def closes_at(self) -> datetime | None: ...
    @property
    def observed_at(self) -> datetime | None: ...
    @property
    def price_as_of(self) -> datetime | None: ...


class Standing(NamedTuple):
    """Which status to show for a market at a given time, and whether the market is stale, i.e. its
    status or price is too old to rely on."""

    status: Status
    """The status to show. It is `closed` if the market is overdue, i.e. its close has passed with
    no update from its venue since; otherwise it is the market's own status."""
    stale: bool
    """True if the market is overdue (its close has passed with no update from its venue since), or
    active with an old price."""
    why: str | None = None
    """Why the market is stale, as a sentence; None if it is not."""


class AgeRule(NamedTuple):
    """The age rule, which decides whether a market's status and price can still be relied on. Its
    one parameter, `max_age`, is the age above which a price is old."""

    max_age: timedelta = MAX_AGE

    def standing(self, market: Dated, now: datetime) -> Standing:
        """The status to show for the market at `now`, and whether the market is stale, i.e. its
        status or price is too old to rely on."""
        if is_overdue(market.status, market.closes_at, market.observed_at, market.price_as_of, now):
            return Standing("closed", True, f"{OVERDUE} ({market.closes_at:%Y-%m-%d}).")
        if market.status != "active":
            return Standing(market.status, False)
        # For a market without a quote, the time when the venue last listed it counts.
        last_update = market.price_as_of or market.observed_at
        if not self.is_old(last_update, now):
            return Standing("active", False)
        return Standing("active", True, self.why_old(last_update, now))

    def until(self, market: Dated, now: datetime) -> datetime | None:
        """When the market becomes stale if its venue sends no more updates; None: never."""
        if market.status != "active":
            return None
        last_update = market.price_as_of or market.observed_at
        moments = [market.closes_at] if market.closes_at and market.closes_at > now else []
        if last_update is not None:
            moments.append(last_update + self.max_age)
        return min(moments, default=None)

    def is_old(self, price_as_of: datetime | None, now: datetime) -> bool:
        """Whether a price quoted at `price_as_of` is too old to rely on. True if that time is not
        known."""
        return price_as_of is None or now - price_as_of > self.max_age

    def oldest(self, now: datetime) -> datetime:
        """The earliest quote time that a price may have and still be relied on at `now`."""
        return now - self.max_age

    def why_old(self, price_as_of: datetime | None, now: datetime) -> str:
        """Why a price is too old to rely on, as a sentence. Only for a price that `is_old`."""
        if price_as_of is None:
            return "The time of its last price is not known."
        age, limit = in_words(now - price_as_of), in_words(self.max_age)
        return f"Its last price is {age} old (limit: {limit})."


OVERDUE = "Its close has passed, and its venue has said nothing since"


def is_overdue(
    status: Status,
    closes_at: datetime | None,
    observed_at: datetime | None,
    price_as_of: datetime | None,
    now: datetime,
) -> bool:
    """Whether a market's close has passed with no update from its venue since.

    A status or price from before the close does not show that the market is still open. A venue
    may keep a market open past its scheduled close, but then updates arrive after that close.
    """
    if status != "active" or closes_at is None or closes_at > now:
        return False
    return all(
        last_update is None or last_update < closes_at for last_update in (observed_at, price_as_of)
    )


def are_comparable(one: datetime | None, other: datetime | None) -> bool:
    """Whether prices of these two times may be compared: the times are known and at most
    `COMPARABLE_WITHIN` apart."""
    return one is not None and other is not None and abs(one - other) <= COMPARABLE_WITHIN


def in_words(age: timedelta) -> str:
    """An age in words, rounded down to a whole unit, e.g. "12 days", "30 hours", "1 minute".

    The unit is days if the age, in whole minutes, is at least 2 days or exactly 1 day. Otherwise it
    is hours if the age is at least 2 hours or exactly 1 hour, else minutes: 24 hours -> "1 day",
    47 hours -> "47 hours", 48 hours -> "2 days".
    """
    minutes = max(0, int(age / timedelta(minutes=1)))
    for unit, size in (("day", 1440), ("hour", 60), ("minute", 1)):
        if minutes >= 2 * size or unit == "minute" or minutes == size:
            count = minutes // size
            return f"{count} {unit}" if count == 1 else f"{count} {unit}s"
    raise AssertionError(f"no unit was found for an age of {minutes} minutes")
