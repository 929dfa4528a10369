"""Games found by the sides a headline names."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from augury.extension import games
from augury.extension.roster import Roster

HELD = [
    # ticker or slug, question
    ("kalshi:KXMLBGAME-25AUG26BOSBAL-BOS", None, "Boston at Baltimore Winner?"),
    ("kalshi:KXWNBAGAME-25SEP01LASEA-SEA", None, "LA at SEA"),
    ("kalshi:KXNCAAFGAME-25AUG31VTSCAR-VT", None, "Virginia Tech at South Carolina"),
    ("kalshi:KXATPMATCH-25AUG29DJONOR-DJO", None, "Will Novak Djokovic win: Djokovic vs Norrie?"),
    ("kalshi:KXLIGUE1GAME-25SEP12OMFCL-OM", None, "Marseille vs Lorient Winner?"),
    ("kalshi:KXMLSGAME-25AUG30MINPOR-MIN", None, "Minnesota vs Portland Winner?"),
    ("polymarket:1", "wta-venus-muchova-2026-03-24", "Miami Open: Venus Williams vs K. Muchova"),
    ("polymarket:2", "wta-serena-muchova-2026-03-26", "Miami Open: Serena Williams vs K. Muchova"),
    ("polymarket:3", "cs2-mglz-eye-2026-04-05", "Counter-Strike: TheMongolz vs EYEBALLERS (BO3)"),
    ("polymarket:4", "epl-mun-bur-2026-04-05", "Manchester United FC vs. Burnley FC"),
    ("polymarket:5", "nba-lal-orl-2026-03-21", "Lakers vs. Magic"),
    ("polymarket:6", "mlb-nym-bos-2026-03-21", "New York Mets vs. Boston Red Sox"),
    ("polymarket:7", "cricipl-pun-mum-2026-03-21", "IPL: Punjab Kings vs Mumbai Indians"),
    ("polymarket:8", "cricipl-chn-mum-2026-03-22", "IPL: Chennai Super Kings vs Mumbai Indians"),
]  # fmt: skip


@pytest.fixture(scope="module")
def roster() -> Roster:
    held = Roster()
    for id, slug, question in HELD:
        game = games.game_of(
            id,
            question,
            event=None,
            slug=slug,
            description=None,
            closes_at=datetime(2026, 4, 15, tzinfo=UTC),
            volume=1.0,
        )
        assert game is not None, question
        held.add(game, games.ticker_or_slug(id, slug))
    return held


@pytest.mark.parametrize(
    ("title", "found"),
    [
        ("Orioles try to slow down Red Sox at Camden Yards", 0),
        ("Sparks vs. Storm: best bets for Monday", 1),
        ("LA @ SEA live score", 1),
        ("Hokies and Gamecocks meet in Atlanta", 2),
        ("Cameron Norrie gets another shot at Novak Djokovic in New York", 3),
        ("Djokovic-Norrie head to head", 3),
        ("OM - Lorient : compos probables", 4),
        ("Loons look for revenge against Timbers", 5),
        ("Venus Williams falls to Muchova in three", 6),
        ("Serena Williams falls to Muchova in three", 7),
        ("The MongolZ take on EYEBALLERS", 8),
        ("United edge Burnley with a late penalty", 9),
        ("LeBron leads Lakers into Orlando to face Magic", 10),
        ("LAL at ORL", 10),
        ("MI v PBKS: Rohit headlines Wankhede night", 12),
        ("mets vs red sox", 11),
        ("New York Yankees host Boston", None),
        ("Orioles rest their closer", None),
        ("Williams wins", None),
        ("", None),
    ],
)
def test_both_sides_are_named(roster: Roster, title: str, found: int | None) -> None:
    named = [one.game.id for one in roster.named_in(title)]
    assert named == ([] if found is None else [HELD[found][0]])


def test_a_league_keeps_others_out(roster: Roster) -> None:
    assert roster.named_in("Red Sox and Orioles", "mlb")
    assert roster.named_in("Red Sox and Orioles", "nhl") == []


def test_a_market_that_changed_is_read_anew(roster: Roster) -> None:
    size = len(roster)
    game = roster.named_in("Lakers at Magic")[0].game
    roster.drop(game.id)
    roster.drop("polymarket:unknown")
    assert (len(roster), roster.named_in("Lakers at Magic")) == (size - 1, [])
    roster.add(game)
    roster.add(game)
    assert len(roster) == size
    assert [one.game for one in roster.named_in("Lakers at Magic")] == [game]
