"""Leagues, teams and players by their names."""

from __future__ import annotations

import pytest

from augury.extension import names


@pytest.mark.parametrize(
    ("one", "other", "league", "alike"),
    [
        ("Man City", "Manchester City FC", "epl", True),
        ("Man City", "Manchester United", "epl", False),
        ("Wolves", "Wolverhampton", "epl", True),
        ("Sixers", "Philadelphia 76ers", "nba", True),
        ("LA Clippers", "Los Angeles C", "nba", True),
        ("Lakers", "Los Angeles C", "nba", False),
        ("Mets", "New York M", "mlb", True),
        ("Yankees", "New York M", "mlb", False),
        ("Habs", "Montreal", "nhl", True),
        ("Aces", "Las Vegas", "wnba", True),
        ("Swiatek", "Iga Swiatek", "wta", True),
        ("J. Struff", "Jan-Lennard Struff", "atp", True),
        ("Venus Williams", "Serena Williams", "wta", False),
        ("LSG", "Lucknow Super Giants", "cricket", True),
        ("Rawalpindiz", "Rawalpindi Pindiz", "cricket", True),
        ("Real Madrid", "Real Sociedad", "laliga", False),
        ("PSG", "Paris Saint-Germain", "ligue1", True),
    ],
)
def test_names(one: str, other: str, league: str, alike: bool) -> None:
    assert names.same(names.name(one, league), names.name(other, league)) is alike


def test_only_a_clubs_name_of_one_word_may_be_a_town() -> None:
    weights = {text: max(weight for _, weight in meant) for text, meant in names.known().items()}
    assert weights["real", "madrid"] == weights["bayern", "munich"] == 0.8
    assert weights["liverpool",] == 0.4
