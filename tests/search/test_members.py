"""Which markets of one event come first in a list: candidates by price, dates from the next one on,
levels whose price says most. Markets of other events keep their places."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pytest

from augury.search.members import Members, first_families, in_reading_order, live_first
from augury.search.records import family_key, record
from augury.search.text import DocumentText

NOW = datetime(2026, 4, 18, tzinfo=UTC).timestamp()
LATER = datetime(2026, 12, 31, tzinfo=UTC)


def members(*markets: tuple[str, float | None, datetime], named: tuple[float, ...] = ()) -> Members:
    records = [
        record(
            DocumentText(title, "", ""),
            family=family_key("polymarket", None, title),
            closes=closes.timestamp(),
        )
        for title, _, closes in markets
    ]
    return Members(
        np.array(records),
        np.array(named or [0.5] * len(markets), np.float32),
        np.array([np.nan if price is None else price for _, price, _ in markets]),
        np.array([price is not None for _, price, _ in markets]),
        NOW,
    )


def race(who: str, price: float | None) -> tuple[str, float | None, datetime]:
    return f"Will {who} win the 2028 Democratic nomination?", price, LATER


def order(of: Members, scores: list[float] | None = None) -> list[int]:
    count = len(of.prices)
    given = np.array(scores or [0.8] * count)
    return in_reading_order(np.arange(count), given, of).tolist()


def test_the_candidates_of_a_contest_come_by_price_and_those_without_a_quote_last() -> None:
    found = members(race("Ann", 0.01), race("Bob", None), race("Cid", 0.4), race("Dee", 0.2))
    assert order(found) == [2, 3, 0, 1]


def test_whom_the_query_names_comes_first() -> None:
    found = members(race("Ann", 0.01), race("Bob", 0.6), named=(0.7, 0.5))
    assert order(found) == [0, 1]


def test_a_candidate_that_is_clearly_less_direct_keeps_its_place() -> None:
    found = members(race("Ann", 0.01), race("Bob", 0.02), race("Cid", 0.9))
    assert order(found, [0.9, 0.85, 0.5]) == [1, 0, 2]


def test_markets_of_other_events_keep_their_places() -> None:
    other = ("Is the convention held in Chicago?", 0.9, LATER)
    assert order(members(race("Ann", 0.1), other, race("Cid", 0.4))) == [2, 1, 0]


def test_dates_come_from_the_next_one_on_and_past_ones_last() -> None:
    dates = [(2026, 3), (2026, 12), (2026, 5), (2026, 2)]
    names = ["March", "December", "May", "February"]
    found = members(
        *(
            (f"Will it happen by {name} 31?", 0.5, datetime(year, month, 28, tzinfo=UTC))
            for (year, month), name in zip(dates, names, strict=True)
        )
    )
    assert order(found) == [2, 1, 0, 3]


def test_of_levels_those_come_first_whose_price_says_most() -> None:
    prices = (0.99, 0.001, 0.4, 0.7)
    found = members(
        *(
            (f"Will oil reach ${level} in 2026?", p, LATER)
            for level, p in zip((60, 200, 90, 80), prices, strict=True)
        )
    )
    assert order(found) == [2, 3, 0, 1]


@pytest.mark.parametrize(
    ("most", "each", "expected"), [(1, 2, [0, 2]), (2, 1, [0, 1]), (9, 9, [0, 1, 2])]
)
def test_a_folded_list_takes_the_first_families(most: int, each: int, expected: list[int]) -> None:
    other = ("Is the convention held in Chicago?", 0.9, LATER)
    found = members(race("Ann", 0.4), other, race("Cid", 0.1))
    assert first_families(np.arange(3), found, most, each).tolist() == expected


@pytest.mark.parametrize(
    ("share", "expected", "scores"),
    [
        (0.0, [1, 3, 0, 2], [0.8, 0.3, 0.3, 0.3]),
        (0.5, [1, 0, 2, 3], [0.8, 0.8, 0.7, 0.3]),
        (1.0, [0, 1, 2, 3], [0.9, 0.8, 0.7, 0.3]),
    ],
)
def test_what_is_no_longer_quoted_gives_way(
    share: float, expected: list[int], scores: list[float]
) -> None:
    names = ["Will it snow?", "Will it rain?", "Is it hot?", "Is it late?"]
    prices = (None, 0.2, None, 0.4)
    found = members(*((name, price, LATER) for name, price in zip(names, prices, strict=True)))
    given = np.array([0.9, 0.8, 0.7, 0.3], np.float32)
    moved, shown = live_first(np.arange(4), given, found, share)
    assert moved.tolist() == expected
    assert shown.tolist() == pytest.approx(scores)


def test_a_list_in_which_nothing_is_quoted_stays_as_it_is() -> None:
    found = members(race("Ann", None), race("Bob", None))
    given = np.array([0.9, 0.2], np.float32)
    moved, shown = live_first(np.arange(2), given, found, 0.0)
    assert (moved.tolist(), shown.tolist()) == ([0, 1], given.tolist())


def test_an_empty_list_stays_empty() -> None:
    none = np.empty(0, np.intp)
    found = members(race("Ann", 0.4))
    assert len(in_reading_order(none, np.empty(0), found)) == 0
    assert len(first_families(none, found, 3, 3)) == 0
