"""What is believed of an answer about a known market."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest
from tests.venues.conftest import make

from augury.markets.records import Market, Status
from augury.venues.belief import CONFIRM_AFTER, UnconfirmedClaims, align
from augury.venues.records import Refusal, StoredMarketRef

AT = datetime(2026, 5, 1, tzinfo=UTC)


def target(**fields: Any) -> StoredMarketRef:
    given = {
        "id": "polymarket:1",
        "platform_id": "1",
        "outcomes": ("Yes", "No"),
        "status": "active",
        "resolution": None,
        "token_ids": ("11", "22"),
        "series_id": None,
        "origin": "venue",
        "created_at": None,
    }
    return StoredMarketRef(**{**given, **fields})


def wired(**fields: Any) -> Market:
    return msgspec.structs.replace(
        make("polymarket", "1", "Will it?", 0.3, token_ids=("11", "22")), **fields
    )


def test_outcomes_in_another_order_are_put_back_with_prices_tokens_and_book() -> None:
    turned = wired(
        outcomes=("No", "Yes"),
        prices=(0.7, 0.3),
        token_ids=("22", "11"),
        best_bid=0.69,
        best_ask=0.72,
    )
    found = align(turned, target())
    assert isinstance(found, Market)
    assert found.outcomes == ("Yes", "No")
    assert found.prices == (0.3, 0.7)
    assert found.token_ids == ("11", "22")
    assert (found.best_bid, found.best_ask) == (0.28, 0.31)


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"outcomes": ("No", "Yes")}, "swapped outcomes"),  # labels moved, tokens did not
        ({"token_ids": ("22", "11")}, "swapped outcomes"),  # tokens moved, labels did not
        ({"outcomes": ("Up", "Down")}, "other outcomes"),
        ({"outcomes": ("Yes", "No", "Maybe"), "prices": (0.1, 0.2, 0.3)}, "other outcomes"),
    ],
)
def test_what_can_not_be_told_apart_is_refused(fields: dict[str, Any], reason: str) -> None:
    found = align(wired(**fields), target())
    assert isinstance(found, Refusal)
    assert found.reason == reason


def test_the_guessed_outcomes_of_a_dump_give_way_to_the_venue() -> None:
    market = wired(outcomes=("Up", "Down"))
    assert align(market, target(origin="dump", token_ids=())) is market


SETTLED = target(status="resolved", resolution="Yes")


@pytest.mark.parametrize(
    ("known", "status", "resolution", "believed"),
    [
        (target(), "closed", None, True),
        (target(), "resolved", "No", True),
        (target(status="closed"), "active", None, True),
        (SETTLED, "resolved", "Yes", True),
        (SETTLED, "resolved", None, False),
        (SETTLED, "resolved", "No", False),
        (SETTLED, "active", None, False),
        (SETTLED, "closed", None, False),
        (target(status="resolved"), "resolved", "No", True),
    ],
)
def test_at_first_sight(
    known: StoredMarketRef, status: Status, resolution: str | None, believed: bool
) -> None:
    assert UnconfirmedClaims().believes(known, status, resolution, AT) is believed


def test_another_claim_starts_anew_and_a_kept_one_goes_on() -> None:
    doubts = UnconfirmedClaims()
    step = CONFIRM_AFTER
    assert not doubts.believes(SETTLED, "active", None, AT)
    assert not doubts.believes(SETTLED, "active", None, AT + step)
    assert not doubts.believes(SETTLED, "closed", None, AT + 2 * step)
    doubts = UnconfirmedClaims(doubts.to_store(AT + 2 * step))
    assert not doubts.believes(SETTLED, "closed", None, AT + 3 * step)
    # The truth in between: the claim is gone.
    assert doubts.believes(SETTLED, "resolved", "Yes", AT + 4 * step)
    assert not doubts.believes(SETTLED, "closed", None, AT + 5 * step)
    assert not doubts.believes(SETTLED, "closed", None, AT + 6 * step)
    assert doubts.believes(SETTLED, "closed", None, AT + 7 * step)
    assert doubts.to_store(AT) == {}


def test_claims_nobody_repeats_are_forgotten() -> None:
    doubts = UnconfirmedClaims()
    doubts.believes(SETTLED, "active", None, AT)
    assert doubts.to_store(AT + timedelta(hours=1))
    assert not doubts.to_store(AT + timedelta(days=3))
