"""What the closest markets say of a page."""

from __future__ import annotations

import pytest

from augury.extension.sports_vote import Vote, filed_under_sports, vote_result


@pytest.mark.parametrize(
    ("category", "tags", "says"),
    [
        ("Sports", [], 1),
        ("NBA Playoffs", [], 1),
        ("Esports", ["Games"], 1),
        (None, ["Sports", "Soccer"], 1),
        ("other", [], 0),
        (None, [], 0),
        ("Transportation", [], -1),
        ("Politics", ["All"], -1),
    ],
)
def test_what_a_venue_files_a_market_under(
    category: str | None, tags: list[str], says: int
) -> None:
    assert filed_under_sports(category, tags) == says


def test_votes() -> None:
    assert vote_result([]) == 0.0
    assert vote_result([Vote(1, 1.0)]) > 0.7
    assert vote_result([Vote(-1, 1.0)]) == -vote_result([Vote(1, 1.0)])
    # One on all of the headline outweighs many with a word of it.
    assert vote_result([Vote(-1, 0.9), *[Vote(1, 0.1)] * 10]) < 0
    # A word in common is little evidence, and unknown ones are none.
    assert vote_result([Vote(1, 0.1)]) < 0.3
    assert vote_result([Vote(0, 1.0)]) == 0.0
    assert vote_result([Vote(1, 0.5), Vote(-1, 0.5)]) > 0
