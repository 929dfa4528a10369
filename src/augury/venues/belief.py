"""Decides which parts of a venue's answer about a stored market to believe. Pure: no I/O, no clock.

Two things in a venue's answers are sometimes wrong for a short time. One is the order of the
outcomes: if it is wrong, each price would be stored for the wrong outcome. The other is the
resolution: a resolved market must not become open again by mistake.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import msgspec

from augury.markets.records import Market, MarketChange, Status
from augury.venues.records import Refusal, StoredMarketRef

MIN_CONFIRMATIONS = 2
"""Number of times that a venue must repeat a claim before the claim is believed. A claim is an
answer that contradicts a market's stored resolution. The first answer does not count as a
repetition."""
CONFIRM_AFTER = timedelta(seconds=60)
"""Shortest time between a claim (an answer that contradicts a stored resolution) and its
repetition. A repetition after less time does not count, because it may be the same answer from the
venue's cache."""
FORGET_AFTER = timedelta(days=2)
"""A claim (an answer that contradicts a stored resolution) is dropped if the venue does not repeat
it within this time."""
MAX_CLAIMS = 2_000
"""Maximum number of unconfirmed claims that are stored per venue. A claim is an answer that
contradicts a stored resolution."""


def align(market: Market, known: StoredMarketRef) -> Market | Refusal:
    """The market of a venue's answer (`market`), with its outcomes, prices and tokens in the order
    of the stored market (`known`).

    A market is refused if its labels differ from the stored ones, or if the token of a label has
    changed: it is then uncertain which price belongs to which outcome. If the stored labels come
    from a dump, they may be guesses, and the venue's labels are accepted.
    """
    if known.origin != "venue" or market.outcomes == known.outcomes:
        order = list(range(len(market.outcomes)))
    elif sorted(market.outcomes) == sorted(known.outcomes):
        order = [market.outcomes.index(label) for label in known.outcomes]
    else:
        return Refusal(market.platform_id, "other outcomes", ", ".join(market.outcomes)[:120])
    tokens = tuple(market.token_ids[i] for i in order) if market.token_ids else ()
    if known.origin == "venue" and tokens and known.token_ids and tokens != known.token_ids:
        return Refusal(market.platform_id, "swapped outcomes", ", ".join(market.outcomes)[:120])
    if order == sorted(order):
        return market
    return msgspec.structs.replace(
        market,
        outcomes=known.outcomes,
        prices=tuple(market.prices[i] for i in order),
        token_ids=tokens,
        # Bid and ask belong to the outcome that came first.
        best_bid=None if market.best_ask is None else round(1 - market.best_ask, 6),
        best_ask=None if market.best_bid is None else round(1 - market.best_bid, 6),
    )


def as_change(market: Market, observed_at: datetime) -> MarketChange:
    """The fields of `market` that change over time (status, resolution, prices, volumes), without
    its texts, which may be incomplete in the venue's answer."""
    return MarketChange(
        id=market.id,
        observed_at=observed_at,
        status=market.status,
        resolution=market.resolution,
        resolved_at=market.resolved_at,
        prices=market.prices,
        price_as_of=market.price_as_of,
        best_bid=market.best_bid,
        best_ask=market.best_ask,
        volume=market.volume,
        volume_24h=market.volume_24h,
        liquidity=market.liquidity,
        open_interest=market.open_interest,
    )


class UnconfirmedClaims:
    """A venue's claims that contradict stored resolutions and wait for confirmation.

    They are stored between syncs as JSON.
    """

    def __init__(self, stored: Any = None) -> None:
        self._claims: dict[str, dict[str, Any]] = dict(stored) if isinstance(stored, dict) else {}
        self.changed = False

    def believes(
        self, known: StoredMarketRef, status: Status | None, resolution: str | None, at: datetime
    ) -> bool:
        """Whether to store a venue's answer that the stored market `known` has the status `status`
        and the resolution `resolution`.

        An answer that contradicts the stored resolution is a claim. The result is False until the
        venue has repeated the claim `MIN_CONFIRMATIONS` times.
        """
        if known.status != "resolved":
            return True
        if status in (None, "resolved") and resolution in (None, known.resolution):
            self._drop(known.id)
            # An answer that leaves out the known winner changes nothing.
            return status is not None and resolution == known.resolution
        if known.resolution is None and status == "resolved":
            return True
        claim = f"{status}:{resolution or ''}"
        held = self._claims.get(known.id)
        if held is None or held.get("claim") != claim:
            self._claims[known.id] = {"claim": claim, "times": 0, "at": at.isoformat()}
            self.changed = True
            return False
        if at - datetime.fromisoformat(held["at"]) < CONFIRM_AFTER:
            return False
        held |= {"times": held["times"] + 1, "at": at.isoformat()}
        self.changed = True
        if held["times"] < MIN_CONFIRMATIONS:
            return False
        del self._claims[known.id]
        return True

    def to_store(self, at: datetime) -> dict[str, Any]:
        """The unconfirmed claims, by market id, as data for JSON. A claim is an answer of the venue
        that contradicts a market's stored resolution. Claims that were last made `FORGET_AFTER` or
        longer before `at` are left out. Of the others, only the newest `MAX_CLAIMS` are kept."""
        fresh = {
            id_: claim
            for id_, claim in self._claims.items()
            if at - datetime.fromisoformat(claim["at"]) < FORGET_AFTER
        }
        return dict(list(fresh.items())[-MAX_CLAIMS:])

    def _drop(self, id_: str) -> None:
        if self._claims.pop(id_, None) is not None:
            self.changed = True
