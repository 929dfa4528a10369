"""Which pages are on sports."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from augury.extension import sports

NOW = datetime(2026, 4, 15, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("title", "host", "is_sports"),
    [
        ("Suns vs. Magic prediction", "", True),
        ("The story of the night", "espn.com", True),
        ("Chelsea sign midfielder on loan deal", "", True),
        ("Trump v. United States: the ruling explained", "", False),
        ("Bitcoin vs Ethereum: which will lead?", "", False),
        ("Senators strike a budget deal", "", False),
        ("", "", False),
    ],
)
def test_which_pages_are_on_sports(title: str, host: str, is_sports: bool) -> None:
    assert sports.read(title, host=host, now=NOW).is_sports is is_sports
