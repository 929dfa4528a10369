"""Sports pages and markets, read: games, names, times, doubleheaders."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from augury.extension import sports
from augury.extension.sports import Fixture, Game, Start

NOW = datetime(2026, 4, 15, 12, tzinfo=UTC)


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
    found = sports.fixture_of(text)
    assert found is not None
    assert (found.home.text, found.away.text) == (home, away)
    if "Grand Prix" not in text:  # a tennis tournament may be named like a race
        assert found.league == league


@pytest.mark.parametrize(
    "text",
    ["Powell speaks at Jackson Hole", "Trump and Xi meet", "Lakers trade Davis to Dallas", ""],
)
def test_no_game_where_there_is_none(text: str) -> None:
    assert sports.fixture_of(text) is None


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
    assert sports.same(sports.name(one, league), sports.name(other, league)) is alike


@pytest.mark.parametrize(
    ("text", "day", "at"),
    [
        ("April 18, 7:30 PM ET", date(2026, 4, 18), datetime(2026, 4, 18, 23, 30, tzinfo=UTC)),
        (
            "Jan. 18 2026, 7:30 p.m. EST",
            date(2026, 1, 18),
            datetime(2026, 1, 19, 0, 30, tzinfo=UTC),
        ),
        ("18 April 2026 19:45 BST", date(2026, 4, 18), datetime(2026, 4, 18, 18, 45, tzinfo=UTC)),
        ("2026-04-18 20:00 CEST", date(2026, 4, 18), datetime(2026, 4, 18, 18, 0, tzinfo=UTC)),
        ("4/18/2026 6pm PT", date(2026, 4, 18), datetime(2026, 4, 19, 1, 0, tzinfo=UTC)),
        ("19 Apr, 9:30 AM AEST", date(2026, 4, 19), datetime(2026, 4, 18, 23, 30, tzinfo=UTC)),
        ("December 28", date(2025, 12, 28), None),
        ("tonight at 7", date(2026, 4, 15), None),
        ("tomorrow", date(2026, 4, 16), None),
        ("Saturday's game", date(2026, 4, 18), None),
        ("February 30", None, None),
        ("no day", None, None),
    ],
)
def test_times(text: str, day: date | None, at: datetime | None) -> None:
    found = sports.start_of(text, NOW)
    assert (found and found.day, found and found.at) == (day, at)


def game(id: str = "polymarket:1", question: str = "Suns vs. Magic", **told: Any) -> Game | None:
    fields = {"event": None, "slug": None, "description": None, "closes_at": None, "volume": 1.0}
    return sports.game_of(id, question, **(fields | told))


def test_when_a_market_s_game_begins() -> None:
    ticker = game("kalshi:KXMLBGAME-25SEP271310STLCHCG2-STL", "St. Louis at Chicago C Winner?")
    assert ticker is not None
    assert ticker.fixture.start == Start(
        date(2025, 9, 27), datetime(2025, 9, 27, 17, 10, tzinfo=UTC), True
    )
    assert (ticker.fixture.number, ticker.fixture.league) == (2, "mlb")
    # Two weeks after the game to the minute
    late = game(
        "kalshi:KXNFLGAME-25AUG16SFLV-LV",
        "San Francisco at Las Vegas Winner?",
        closes_at=datetime(2025, 8, 30, 20, tzinfo=UTC),
    )
    assert late is not None
    assert late.fixture.start is not None
    assert late.fixture.start.at == datetime(2025, 8, 16, 20, tzinfo=UTC)
    told = game(
        description="In the upcoming NBA game, scheduled for April 15 at 7:30PM ET: ...",
        closes_at=datetime(2026, 4, 22, tzinfo=UTC),
    )
    assert told is not None
    assert told.fixture.start is not None
    assert told.fixture.start.at == datetime(2026, 4, 15, 23, 30, tzinfo=UTC)
    assert game(question="Will it rain in Phoenix?") is None


def test_side_bets_come_after_the_winner() -> None:
    for question in ("Suns vs. Magic: O/U 230.5", "Set 1 Winner: Sinner vs Rune", "A vs B — Tie"):
        read = game(question=question)
        assert read is None or not read.asks_winner


def page(
    home: str = "Yankees",
    away: str = "Red Sox",
    start: Start | None = None,
    number: int | None = None,
) -> Fixture:
    return Fixture(sports.name(home, "mlb"), sports.name(away, "mlb"), "mlb", start, number)


def market(
    id: str,
    at: datetime,
    *,
    question: str = "Boston Red Sox vs. New York Yankees",
    n: int | None = None,
) -> Game:
    read = game(id, question, slug=f"mlb-bos-nyy-{at:%Y-%m-%d}", closes_at=at)
    assert read is not None
    fixture = read.fixture
    return read._replace(
        fixture=Fixture(fixture.home, fixture.away, fixture.league, Start(at.date(), at, True), n)
    )


def ids(found: list[Game]) -> list[str]:
    return [one.id for one in found]


def test_the_next_game_where_no_day_is_said_else_the_last() -> None:
    games = [market(f"polymarket:{d}", NOW + timedelta(days=d)) for d in (-9, -2, 3, 4)]
    assert ids(sports.matching(page(), games, NOW)) == ["polymarket:3"]
    assert ids(sports.matching(page(), games[:2], NOW)) == ["polymarket:-2"]


def test_the_day_counts() -> None:
    games = [market(f"polymarket:{d}", NOW + timedelta(days=d)) for d in (0, 1, 2)]
    on = Start((NOW + timedelta(days=2)).date(), None, True)
    assert ids(sports.matching(page(start=on), games, NOW)) == ["polymarket:2"]
    far = Start(date(2026, 6, 1), None, True)
    assert sports.matching(page(start=far), games, NOW) == []
    about = Start((NOW + timedelta(days=5)).date(), None, False)
    assert ids(sports.matching(page(start=about), games, NOW)) == ["polymarket:2"]


def test_an_evening_game_is_the_next_day_s_in_utc() -> None:
    late = market("polymarket:1", datetime(2026, 4, 19, 2, 10, tzinfo=UTC))
    in_the_west = Start(date(2026, 4, 18), None, True)
    assert ids(sports.matching(page(start=in_the_west), [late], NOW)) == ["polymarket:1"]


def test_doubleheaders() -> None:
    noon, evening = NOW.replace(hour=17), NOW.replace(hour=23)
    games = [market("polymarket:1", noon), market("polymarket:2", evening)]
    assert ids(sports.matching(page(), games, NOW)) == ["polymarket:1", "polymarket:2"]
    for n in (1, 2):
        assert ids(sports.matching(page(number=n), games, NOW)) == [f"polymarket:{n}"]
    at_night = Start(NOW.date(), evening, True)
    assert ids(sports.matching(page(start=at_night), games, NOW))[0] == "polymarket:2"
    numbered = [market("polymarket:3", noon, n=2), market("polymarket:4", noon, n=1)]
    assert ids(sports.matching(page(number=2), numbered, NOW)) == ["polymarket:3"]
    assert sports.number_of("Yankees take nightcap of doubleheader") == 2
    assert sports.number_of("Yankees vs Red Sox, Game 1 of doubleheader") == 1


def test_other_sides_and_leagues_do_not_match() -> None:
    other = market("polymarket:1", NOW, question="Boston Red Sox vs. New York Mets")
    assert sports.matching(page(), [other], NOW) == []
    bruins = Fixture(sports.name("Boston", "nhl"), sports.name("New York", "nhl"), "nhl")
    assert sports.matching(bruins, [market("polymarket:1", NOW)], NOW) == []


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
