"""The one rule of age: what a market's status and price are worth at a moment. Pure.

Everything that shows, lists, counts, compares or reasons with markets asks here, so that a market
is active, closed or stale in the same way everywhere. `store.sql` has the rule's conditions for
queries; a test holds the two together.

- A market whose close has passed without a word from its venue since is **overdue**: it is shown
  as closed and stale, never as active.
- A price older than `AgeRule.max_age` is **old**: it is no evidence, fires no rule, is compared
  with nothing.
- An active market is **stale** when it is overdue or when the last that was heard of its price is
  old. A closed or resolved market keeps its last price and is not stale: nothing new is due.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple, Protocol

from augury.markets.records import Status

MAX_AGE = timedelta(days=14)
"""Default age from which a price is old (`AUGURY_PRICE_MAX_AGE`)."""

COMPARABLE = timedelta(days=1)
"""Most time between two prices that are compared with each other: an unchanged price is recorded
once a day."""


class Dated(Protocol):
    """What the rule reads of a market. Fields as in `records.Market`."""

    @property
    def status(self) -> Status: ...
    @property
    def closes_at(self) -> datetime | None: ...
    @property
    def observed_at(self) -> datetime | None: ...
    @property
    def price_as_of(self) -> datetime | None: ...


class Standing(NamedTuple):
    """What a market is worth at a moment."""

    status: Status
    """As it is shown: an overdue market is closed."""
    stale: bool
    """Whether its venue owes a word: on the market's end, or on its price."""
    why: str | None = None
    """Of a stale market, in a sentence."""


class AgeRule(NamedTuple):
    """The rule with its one parameter."""

    max_age: timedelta = MAX_AGE

    def judge(self, market: Dated, now: datetime) -> Standing:
        """The market's status and staleness at `now`."""
        if is_overdue(market.status, market.closes_at, market.observed_at, market.price_as_of, now):
            return Standing("closed", True, f"{OVERDUE} ({market.closes_at:%Y-%m-%d}).")
        if market.status != "active":
            return Standing(market.status, False)
        # Without any quote, when the venue last listed the market.
        heard = market.price_as_of or market.observed_at
        if not self.is_old(heard, now):
            return Standing("active", False)
        return Standing("active", True, self.why_old(heard, now))

    def until(self, market: Dated, now: datetime) -> datetime | None:
        """When what is known now will have become stale, without another word; None: never."""
        if market.status != "active":
            return None
        heard = market.price_as_of or market.observed_at
        moments = [market.closes_at] if market.closes_at and market.closes_at > now else []
        if heard is not None:
            moments.append(heard + self.max_age)
        return min(moments, default=None)

    def is_old(self, price_as_of: datetime | None, now: datetime) -> bool:
        """Whether a price of that time is too old to count; one of no known time is."""
        return price_as_of is None or now - price_as_of > self.max_age

    def oldest(self, now: datetime) -> datetime:
        """The time from which on a price counts."""
        return now - self.max_age

    def why_old(self, price_as_of: datetime | None, now: datetime) -> str:
        """In a sentence, for a price that `is_old`."""
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
    """Whether a market's close has passed and its venue has said nothing since.

    What the venue said before, that it is active and at which price, is no evidence of now. A
    venue may keep a market open past the close it named: then it is heard of after it.
    """
    if status != "active" or closes_at is None or closes_at > now:
        return False
    return all(heard is None or heard < closes_at for heard in (observed_at, price_as_of))


def are_comparable(one: datetime | None, other: datetime | None) -> bool:
    """Whether prices of these times may be compared: at most `COMPARABLE` apart."""
    return one is not None and other is not None and abs(one - other) <= COMPARABLE


def in_words(age: timedelta) -> str:
    """In the largest unit of which it is two, rounded down: "12 days", "30 hours", "1 minute"."""
    minutes = max(0, int(age / timedelta(minutes=1)))
    for unit, size in (("day", 1440), ("hour", 60), ("minute", 1)):
        if minutes >= 2 * size or unit == "minute" or minutes == size:
            count = minutes // size
            return f"{count} {unit}" if count == 1 else f"{count} {unit}s"
    raise AssertionError("minutes are the smallest unit")
