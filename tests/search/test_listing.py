"""Search results in a terminal: each with price, age, close with its year, volume and link."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from augury.search.listing import SAMPLE, lines

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)
LONG = "Will the Federal Reserve lower the upper bound of its target range at the December meeting"


def row(**more: Any) -> dict[str, Any]:
    return {
        "id": "polymarket:512345",
        "question": f"{LONG} of 2026, or announce it before the end of the year?",
        "current_prices": {"Yes": 0.4375, "No": 0.5625},
        "price_as_of": "2026-11-22T09:00:00Z",
        "closes_at": "2027-01-10T00:00:00Z",
        "volume": 1234567.8,
        "status": "active",
        "stale": False,
        "origin": "live",
        "score": 0.914,
        "reason": "Rate cuts follow from inflation.",
        "platform_url": "https://polymarket.com/event/" + "a-long-name-" * 8,
    } | more


def test_a_row_has_what_a_person_needs_in_100_columns() -> None:
    told = list(lines({"direct": [row()], "upstream": []}, 100, NOW))
    assert told[2] == (" 0.91   43.8%  3 hours ago     2027-01-10    $1,234,568  active")
    links = [line for line in told if "https://" in line]
    assert links == [f"       polymarket:512345  {row()['platform_url']}"]
    assert all(len(line) <= 100 for line in told if line not in links)
    assert " ".join(line.strip() for line in told[3:5]) == row()["question"]
    assert not any(line.startswith("upstream") for line in told)


def test_a_family_is_one_row_that_names_the_others() -> None:
    others = [
        {"label": f"Name {n}", "price": None if n else 0.204, "status": "active"} for n in range(8)
    ]
    others[1]["status"] = "closed"
    family = {"kind": "contest", "label": "Zuppi", "size": 9, "more": others}
    told = " ".join(line.strip() for line in lines({"direct": [row(family=family)]}, 100, NOW))
    assert "and 8 more: Name 0 20.4%, Name 1 (closed), Name 2," in told
    assert "Name 5 ..." in told
    assert "Name 6" not in told


def test_what_is_not_known_is_a_dash_and_what_is_no_yes_is_named() -> None:
    bare = {
        "id": "kalshi:X",
        "current_prices": {"Chicago": None},
        "price_as_of": None,
        "closes_at": None,
        "volume": None,
        "platform_url": None,
        "stale": True,
        "origin": "sample",
    }
    told = list(lines({"correlated": [row(**bare)]}, 100, NOW))
    assert told[2].split() == ["0.91", "-", "-", "-", "-", "active", "(stale)"]
    assert "(price of “Chicago”)" in " ".join(told)
    assert "       Rate cuts follow from inflation." in told
    assert told[-2] == SAMPLE
    contracts = list(lines({"direct": [row(id="kalshi:X")]}, 100, NOW))
    assert "1,234,568" in contracts[2]
    assert "$" not in contracts[2]
