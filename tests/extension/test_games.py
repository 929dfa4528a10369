"""Markets of games: when they begin, which of them a page is about, doubleheaders."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

from augury.extension import games, names, times
from augury.extension.fixtures import Fixture
from augury.extension.games import Game
from augury.extension.times import Start

NOW = datetime(2026, 4, 15, 12, tzinfo=UTC)


def game(id: str = "polymarket:1", question: str = "Suns vs. Magic", **told: Any) -> Game | None:
    fields = {"event": None, "slug": None, "description": None, "closes_at": None, "volume": 1.0}
    return games.game_of(id, question, **(fields | told))


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
    return Fixture(names.name(home, "mlb"), names.name(away, "mlb"), "mlb", start, number)


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


def matching(page: Fixture, of: list[Game]) -> list[Game]:
    day = games.matching(page, of, NOW)
    return day.games if day else []


def ids(found: list[Game]) -> list[str]:
    return [one.id for one in found]


def test_the_next_game_where_no_day_is_said_else_the_last() -> None:
    held = [market(f"polymarket:{d}", NOW + timedelta(days=d)) for d in (-9, -2, 3, 4)]
    assert ids(matching(page(), held)) == ["polymarket:3"]
    assert ids(matching(page(), held[:2])) == ["polymarket:-2"]


def test_the_day_counts() -> None:
    held = [market(f"polymarket:{d}", NOW + timedelta(days=d)) for d in (0, 1, 2)]
    on = Start((NOW + timedelta(days=2)).date(), None, True)
    assert ids(matching(page(start=on), held)) == ["polymarket:2"]
    far = Start(date(2026, 6, 1), None, True)
    assert matching(page(start=far), held) == []
    about = Start((NOW + timedelta(days=5)).date(), None, False)
    assert ids(matching(page(start=about), held)) == ["polymarket:2"]


def test_an_evening_game_is_the_next_day_s_in_utc() -> None:
    late = market("polymarket:1", datetime(2026, 4, 19, 2, 10, tzinfo=UTC))
    in_the_west = Start(date(2026, 4, 18), None, True)
    assert ids(matching(page(start=in_the_west), [late])) == ["polymarket:1"]


def test_doubleheaders() -> None:
    noon, evening = NOW.replace(hour=17), NOW.replace(hour=23)
    held = [market("polymarket:1", noon), market("polymarket:2", evening)]
    assert ids(matching(page(), held)) == ["polymarket:1", "polymarket:2"]
    for n in (1, 2):
        assert ids(matching(page(number=n), held)) == [f"polymarket:{n}"]
    at_night = Start(NOW.date(), evening, True)
    assert ids(matching(page(start=at_night), held))[0] == "polymarket:2"
    numbered = [market("polymarket:3", noon, n=2), market("polymarket:4", noon, n=1)]
    assert ids(matching(page(number=2), numbered)) == ["polymarket:3"]
    assert times.number_of("Yankees take nightcap of doubleheader") == 2
    assert times.number_of("Yankees vs Red Sox, Game 1 of doubleheader") == 1


def test_other_sides_and_leagues_do_not_match() -> None:
    other = market("polymarket:1", NOW, question="Boston Red Sox vs. New York Mets")
    assert matching(page(), [other]) == []
    bruins = Fixture(names.name("Boston", "nhl"), names.name("New York", "nhl"), "nhl")
    assert matching(bruins, [market("polymarket:1", NOW)]) == []


def test_a_page_that_tells_of_a_game_as_over_means_the_last() -> None:
    held = [market(f"polymarket:{d}", NOW + timedelta(days=d)) for d in (-1, 1)]
    assert ids(matching(page(), held)) == ["polymarket:1"]
    over = replace(page(), played=True)
    assert ids(matching(over, held)) == ["polymarket:-1"]
    assert ids(matching(page(), [held[0], market("polymarket:60", NOW + timedelta(days=60))])) == [
        "polymarket:-1"
    ]


def test_women_youth_and_reserves_have_games_of_their_own() -> None:
    sides = names.name("Arsenal", "epl"), names.name("Chelsea", "epl")
    men, women = (
        game(f"polymarket:{n}", question, slug="epl-ars-che-2026-04-16")
        for n, question in enumerate(("Arsenal vs. Chelsea", "Arsenal Women vs. Chelsea Women"))
    )
    assert men is not None
    assert women is not None
    for squad, found in (("", "polymarket:0"), ("women", "polymarket:1")):
        about = Fixture(*sides, "epl", squad=squad)
        assert ids(matching(about, [men, women])) == [found]
    assert matching(Fixture(*sides, "epl", squad="youth"), [men, women]) == []
