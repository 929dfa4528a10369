"""Reading untrusted wire values."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from augury.venues import wire


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("  Will it rain? ", "Will it rain?"),
        ("nul\x00 and \ud800lone", "nul and lone"),
        ("turned \u202eround", "turned round"),
        ("\x00 ", None),
        (["a"], None),
        (None, None),
        (7, "7"),
        (True, None),
    ],
)
def test_text_is_cleaned(value: object, expected: str | None) -> None:
    assert wire.text(value) == expected


def test_text_is_bounded_and_one_line() -> None:
    assert len(wire.text("x" * 10_000, 50) or "") == 50
    assert wire.line("a\n **bold**  b") == "a bold b"


@settings(deadline=None)
@given(st.text())
def test_text_can_always_be_stored(value: str) -> None:
    found = wire.text(value)
    assert found is None or ("\x00" not in found and found.encode())


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2026-05-01T12:00:00Z", datetime(2026, 5, 1, 12, tzinfo=UTC)),
        ("2026-05-01T12:00:00.123456Z", datetime(2026, 5, 1, 12, 0, 0, 123456, UTC)),
        ("2021-12-05 20:37:01+00", datetime(2021, 12, 5, 20, 37, 1, tzinfo=UTC)),
        ("2026-05-01T08:00:00-04:00", datetime(2026, 5, 1, 12, tzinfo=UTC)),
        ("2026-05-01", datetime(2026, 5, 1, tzinfo=UTC)),
        (1_777_636_800, datetime(2026, 5, 1, 12, tzinfo=UTC)),
        (1_777_636_800_000, datetime(2026, 5, 1, 12, tzinfo=UTC)),
        ("1777636800000", datetime(2026, 5, 1, 12, tzinfo=UTC)),
        ("0001-01-01T00:00:00Z", None),
        ("9999-12-31T23:59:59-12:00", None),
        (10**30, None),
        (float("nan"), None),
        ("soon", None),
        ({}, None),
        (True, None),
    ],
)
def test_times_of_every_generation(value: object, expected: datetime | None) -> None:
    assert wire.moment(value) == expected


@pytest.mark.parametrize(
    ("bid", "ask", "last", "expected"),
    [
        (0.40, 0.44, 0.10, 0.42),  # a real book: its middle, whatever traded last
        (0.30, 0.60, 0.35, 0.35),  # wide: the last trade
        (0.30, 0.60, 0.90, 0.60),  # wide, and the last trade is stale: the nearer side
        (0.30, 0.60, None, None),  # wide and never traded
        (0.01, 0.99, None, None),  # the ghost book
        (0.001, 0.999, 0.0, None),
        (0.01, 0.99, 0.2, 0.2),
        (None, 0.004, 0.02, 0.004),  # nobody bids: the last trade, no higher than the ask
        (0.97, None, 0.5, 0.97),
        (None, None, 0.3, 0.3),
        (None, None, 1.0, None),
        (None, None, 0.0, None),
        (0.0, 1.0, None, None),
        (0.6, 0.4, 0.5, 0.5),  # crossed: not a book
        (0.6, 0.4, None, None),
    ],
)
def test_a_quote_is_a_real_book_else_the_last_trade(
    bid: float | None, ask: float | None, last: float | None, expected: float | None
) -> None:
    assert wire.quote(bid, ask, last) == expected


_side = st.none() | st.floats(0, 1)


@settings(deadline=None)
@given(_side, _side, _side)
def test_a_quote_is_never_certainty(
    bid: float | None, ask: float | None, last: float | None
) -> None:
    found = wire.quote(bid, ask, last)
    assert found is None or 0 <= found <= 1
    if found in (0, 1):
        # Only by rounding of a book as narrow as that.
        assert bid is not None
        assert ask is not None


@pytest.mark.parametrize("value", [1.7, -0.1, "1.7000", 2])
def test_a_price_outside_the_unit_interval_is_refused(value: object) -> None:
    with pytest.raises(wire.BadPrice):
        wire.probability(value)


@pytest.mark.parametrize(
    ("question", "label"),
    [
        ("Will Player Y win the award?", "Player Y"),
        ("Will Artist 27 be the top artist?", None),
        ("Will Placeholder 20 be first?", None),
        ("Will placeholder X be the second?", None),
        ("Anything", "Person AB"),
        (None, "TBD"),
    ],
)
def test_unfilled_slots_are_placeholders(question: str | None, label: str | None) -> None:
    assert wire.is_placeholder(question, label)


@pytest.mark.parametrize(
    ("question", "label"),
    [
        ("Will Queen (Player 817) win the games?", None),
        ("LoL: A vs B - Game 2 Winner", None),
        ("Game 1: Any Player Penta Kill?", None),
        ("Will The Super Mario Galaxy Movie be the top film?", "The Super Mario Galaxy Movie"),
        ("Will a song be first?", "Another song"),
        ("Will Country music win the chart?", "Country music"),
        ("Will Player One win?", None),
        ("Will State of the Union run over an hour?", None),
    ],
)
def test_real_names_are_not_placeholders(question: str, label: str | None) -> None:
    assert not wire.is_placeholder(question, label)


def test_ids_are_text() -> None:
    assert wire.identifier(517310) == "517310"
    token = "1" * 77
    assert wire.identifier(int(token)) == token
    assert wire.identifier("a b") is None
    assert wire.identifier("") is None
    assert wire.identifier(1.5) is None


@pytest.mark.heavy
@settings(max_examples=40, deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_odd_values_never_raise(value: object) -> None:
    wire.text(value)
    wire.number(value)
    wire.amount(value)
    wire.flag(value)
    wire.moment(value)
    wire.items(value)
    wire.identifier(value)
