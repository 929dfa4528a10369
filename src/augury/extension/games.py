"""Reads which game a market is about, and finds the markets on a page's game. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Final, NamedTuple

from augury.extension.fixtures import Fixture, fixture_of, has_squads, squad_of
from augury.extension.names import league_of, name, same
from augury.extension.times import EASTERN, Start, start_of
from augury.language import calendar
from augury.propositions.teams import TEAMS
from augury.search.text import fold


class Game(NamedTuple):
    """A market about one game of two sides (teams or players)."""

    id: str
    fixture: Fixture
    asks_winner: bool
    """Whether the market asks who wins the game, rather than e.g. about its points or its first
    half."""
    volume: float
    home_first: bool
    """Whether the market's question names the home side first."""


_TICKER = re.compile(
    r"^[a-z0-9]+-(?P<yy>\d\d)(?P<mon>[a-z]{3})(?P<dd>\d\d)(?P<time>\d{4})?(?P<rest>[a-z0-9]*)"
)
_SLUG_DAY = re.compile(r"-(?P<y>20\d\d)-(?P<m>\d\d)-(?P<d>\d\d)(?:-game-?(?P<n>[12])\b)?")
_SIDE_BET = re.compile(
    r"o/u|over/under|spread|handicap|\btotal\b|\bset \d|\bmap \d|\bgame \d|\b1h\b|\b2h\b|"
    r"both teams|"
    r"in a draw|— tie\b|\bdraw\b|canceled|run in the first|nrfi|first half|first (?:goal|basket)|"
    r"method of|rounds?\b.*(?:o/u|over)|odd/even|exact score|corners|player|points|assists|rebounds"
)


def ticker_or_slug(id: str, slug: str | None) -> str:
    """The venue's own identifier of a market (the ticker at Kalshi, the slug at Polymarket), which
    contains the league, the teams and the day of a game; empty if the market has neither."""
    return id.partition(":")[2].lower() if id.startswith("kalshi:") else (slug or "")


def game_of(
    id: str,
    question: str,
    *,
    event: str | None,
    slug: str | None,
    description: str | None,
    closes_at: datetime | None,
    volume: float | None,
) -> Game | None:
    """Which game a market is about, read from its texts; None if these do not name two sides (teams
    or players)."""
    native_name = ticker_or_slug(id, slug)
    league = league_of(native_name.partition("-")[0]) or league_of(question)
    fixture = fixture_of(question, league=league)
    if fixture is None and event:
        fixture = fixture_of(event, league=league)
    if fixture is None:
        return None
    start, number = _start_of_market(id, question, native_name, description, closes_at)
    squad = squad_of(f"{event or ''} {question}", fixture.league)
    home_first = question.find(fixture.home.text) <= question.find(fixture.away.text)
    fixture = replace(fixture, start=start, number=number, squad=squad)
    side_bet = _SIDE_BET.search(fold(question)) is not None
    return Game(id, fixture, not side_bet, volume or 0.0, home_first)


def _start_of_market(
    id: str, question: str, ticker_or_slug: str, description: str | None, closes_at: datetime | None
) -> tuple[Start | None, int | None]:
    near = closes_at or datetime(2026, 1, 1, tzinfo=UTC)
    if id.startswith("kalshi:"):
        found = _TICKER.match(ticker_or_slug)
        if found is None or found["mon"] not in calendar.MONTH_NUMBERS:
            return None, None
        try:
            day = date(2000 + int(found["yy"]), calendar.month(found["mon"]), int(found["dd"]))
            at = None
            if (time := found["time"]) and int(time[:2]) < 24 and int(time[2:]) < 60:
                local = datetime(
                    day.year, day.month, day.day, int(time[:2]), int(time[2:]), tzinfo=EASTERN
                )
                at = local.astimezone(UTC)
        except ValueError:
            return None, None
        second = re.search(r"g([12])$", found["rest"])
        return Start(day, at or _at(closes_at, day), True), int(second[1]) if second else None
    slugged = _SLUG_DAY.search(ticker_or_slug)
    number = int(slugged["n"]) if slugged and slugged["n"] and "mlb" in ticker_or_slug else None
    rules_text = description[:300] if description and "scheduled for" in description[:300] else ""
    if rules_text and (start := start_of(rules_text, near)) is not None:
        if slugged is not None:
            start = start._replace(
                day=date(int(slugged["y"]), int(slugged["m"]), int(slugged["d"]))
            )
        return start, number
    if slugged is not None:
        day = date(int(slugged["y"]), int(slugged["m"]), int(slugged["d"]))
        return Start(day, _at(closes_at, day), True), number
    if (start := start_of(question, near)) is not None:
        return start, number
    if closes_at is not None:
        at = closes_at if closes_at.hour or closes_at.minute else None
        return Start(
            closes_at.astimezone(EASTERN).date() if at else closes_at.date(), at, True
        ), None
    return None, None


def _at(closes_at: datetime | None, day: date) -> datetime | None:
    """When a game on the day `day` begins, read from its market's close. Venues close a market when
    its game begins, or exactly one or two weeks later. So the game begins at the close, or one or
    two weeks before it: at the one of these three times that is on `day`. None if none of them is
    on `day`, or if the close is exactly at midnight UTC."""
    if closes_at is None or not (closes_at.hour or closes_at.minute):
        return None
    for weeks in range(3):
        at = closes_at - timedelta(weeks=weeks)
        if at.astimezone(EASTERN).date() == day:
            return at
    return None


_FAR: Final = 1e6
"""Distance in days between a page and a game if the page names no day and the day of the game is
not known either. It is larger than any real distance."""
_LESS_LIKELY_DAYS_FACTOR: Final = 4.0
"""A page that names no day is taken to be about the game nearest to today. Past games are less
likely to be meant than coming ones, so their distance in days is multiplied by this number first.
If the page says that its game is over, coming games are multiplied instead. Chosen by hand."""


class GameMarkets(NamedTuple):
    """The markets on the one game that fits a web page best."""

    days: float
    """How far in time the game is from the page, in days. The smaller the number, the likelier the
    page is about this game.

    If the page names a day, the number is the days between that day and the game. If not, it is the
    days between now and the game. For a less likely game, these days are multiplied by
    `_LESS_LIKELY_DAYS_FACTOR`, and then 1 is added. Past games are less likely. If the page says
    that its game is over, coming games are less likely instead."""
    games: list[Game]


def matching(page: Fixture, games: Iterable[Game], now: datetime) -> GameMarkets | None:
    """The markets, out of `games`, on the game that a web page is about; markets on who wins come
    first. None if there are none. `page`: the game as the page names it.

    If the page names no day, the game is the next one between the two sides, or their last one if
    that is much nearer. If the page says that the game is over, it is their last game, or the next
    one if that is much nearer.
    """
    alike = [game for game in games if _same_sides(page, game.fixture)]
    return nearest(page, alike, now)


def nearest(page: Fixture, games: Iterable[Game], now: datetime) -> GameMarkets | None:
    """The markets, out of `games`, on the game that fits a web page best by day and squad (e.g. the
    women's team); markets on who wins come first. None if no game fits.

    All `games` must be between the two sides (teams or players) that the page names. `matching`
    does not require this: it leaves out games between other sides."""
    games = [game for game in games if not _other_squad(page, game.fixture)]
    distance = {game.id: _distance(page, game.fixture.start, now) for game in games}
    if not distance:
        return None
    days = min(distance.values())
    if page.start is not None and days > (1.0 if page.start.exact else 5.0):
        return None
    chosen = [game for game in games if distance[game.id] <= days + 0.5]
    chosen = _of_doubleheader(page, chosen)
    chosen.sort(key=lambda g: (not g.asks_winner, distance[g.id], -g.volume, g.id))
    return GameMarkets(days, chosen)


def _other_squad(page: Fixture, market: Fixture) -> bool:
    return market.squad != page.squad and (market.squad != "" or has_squads(market.league))


def _same_sides(page: Fixture, market: Fixture) -> bool:
    if page.league and market.league and page.league in TEAMS and market.league in TEAMS:
        if page.league != market.league:
            return False
        market = Fixture(
            name(market.home.text, page.league), name(market.away.text, page.league), page.league
        )
    return (same(page.home, market.home) and same(page.away, market.away)) or (
        same(page.home, market.away) and same(page.away, market.home)
    )


def _distance(page: Fixture, market: Start | None, now: datetime) -> float:
    """Days between the start of a market's game (`market`) and the day that the page names or, if
    it names none, `now`; see `GameMarkets.days`.

    If the start is unknown (None), the distance is taken to be 0.9 days, or `_FAR` days if the page
    names no day either."""
    start = page.start
    if market is None:
        return _FAR if start is None else 0.9
    if start is not None:
        if start.at and market.at:
            return abs(start.at - market.at) / timedelta(days=1)
        days = abs((start.day - market.day).days)
        if days and market.at:
            # An evening in one time zone belongs to the next day in another.
            days = min(days, abs((start.day - market.at.date()).days) + 0.1)
        return float(days)
    ahead = (market.day - now.astimezone(EASTERN).date()).days
    if page.played:
        return float(-ahead) if ahead <= 0 else _LESS_LIKELY_DAYS_FACTOR * ahead + 1
    return float(ahead) if ahead >= 0 else 1 - _LESS_LIKELY_DAYS_FACTOR * ahead


def _of_doubleheader(page: Fixture, games: list[Game]) -> list[Game]:
    """Of the markets on a doubleheader, those on its first or second game if the page says which
    one; otherwise all."""
    wanted = page.number
    if wanted is None:
        return games
    numbered = [game for game in games if game.fixture.number == wanted]
    if numbered:
        return numbered
    times = sorted({g.fixture.start.at for g in games if g.fixture.start and g.fixture.start.at})
    if len(times) < 2 or times[-1] - times[0] < timedelta(hours=2):
        return games
    at = times[0] if wanted == 1 else times[-1]
    return [g for g in games if g.fixture.start and g.fixture.start.at == at]
