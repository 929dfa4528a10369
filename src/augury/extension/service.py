"""Finds the markets for a web page: is it on sports, what to search for, what to show and why."""

from __future__ import annotations

import asyncio
import gc
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import product
from typing import Final, Literal, NamedTuple

import structlog

from augury.clock import Clock, now, pause
from augury.errors import InvalidInput, UpstreamFailed
from augury.extension import fitness, games, sports, store
from augury.extension.fixtures import Fixture
from augury.extension.names import TeamName, league_of
from augury.extension.page import WebPage, words_of
from augury.extension.reasons import Explainer, versus, why_game
from augury.extension.roster import PARTLY, NamedGame, Roster
from augury.extension.sports import SportsReading
from augury.extension.sports_vote import Vote, filed_under_sports, vote_result
from augury.extension.store import PageMarketRow
from augury.graph.schemas import MAX_QUESTION
from augury.graph.service import Drawn, GraphService
from augury.markets import store as markets
from augury.markets.freshness import AgeRule, Standing
from augury.markets.records import Status
from augury.markets.store import Quote
from augury.net import fetch, guard
from augury.net.addresses import AddressPolicy
from augury.relations.causal import knowledge
from augury.relations.service import RelationService
from augury.search.schemas import is_readable
from augury.search.service import SearchService
from augury.search.text import term_ids, terms
from augury.storage.database import Database

log = structlog.get_logger(__name__)

Mode = Literal["extension", "ads"]
AdsMode = Literal["fast", "thorough"]
SportsMode = Literal["auto", "direct", "fixture"]
Route = Literal["search", "sports"]

FETCH_SECONDS, FETCH_BYTES = 3.0, 2 * 1024 * 1024
ADS_CANDIDATES: Final = {"fast": 50, "thorough": 150}
FACTOR_EVIDENCE: Final = {1: 0.4, 0: 0.0, -1: -0.8}
"""Result of `_sports_evidence` -> number that is added to `SportsReading.score`, the evidence that
a page is on sports. The function finds the factors (subjects of markets, e.g. a team's season) that
fit the page's title. 1: the factor that fits best is on sports; 0: another one is, or no factor
fits; -1: factors fit, but none is on sports. Chosen by hand."""
MAX_FACTORS = 3
"""Whether a text is on sports is judged by at most this many factors (subjects of markets, e.g. a
team's season): those that fit the text best. Chosen by hand."""
VOTERS, MAX_VOTE = 20, 0.6
"""If a page's words leave open whether it is on sports, the markets closest to it vote. `VOTERS`:
number of voting markets. `MAX_VOTE`: largest change, up or down, of `SportsReading.score` by the
vote. Chosen by hand."""
GAME_MARKETS = 100
SPORTS_CANDIDATES = 30
"""For a page on sports, at least this many search results are requested, because results that are
known not to be on sports are dropped before markets are chosen. Chosen by hand."""
TEXT_READ = 300
"""Number of characters, at the start of a page's text, in which the two sides (teams or players) of
a game are looked for. Chosen by hand."""
NEAR_DAYS, MIN_CERTAINTY = 10.0, 0.7
"""A page that may be on sports is taken to be on sports if it names both sides of a game that has
markets. The certainty of both names must be at least `MIN_CERTAINTY` (0 to 1), and the game at most
`NEAR_DAYS` days away. Chosen by hand."""
GAMES_READ, FOLLOW_SECONDS = 500, 5.0
"""Changed markets are looked up every `FOLLOW_SECONDS` seconds, to learn which games they are
about. They are read in batches of at most `GAMES_READ` markets. Chosen by hand."""
MANY_GAMES: Final = 10_000
"""Number of markets on games. If more than this are found in the first reading of all markets, the
objects in memory are excluded from garbage collection (`gc.freeze`) after each batch, because
collecting so many objects would block the process. Chosen by hand."""
GAMES_TURN, GAMES_REST = 0.002, 0.006
"""The service reads which games the markets are about. After every `GAMES_TURN` seconds of this
work, it pauses for `GAMES_REST` seconds, so that requests can be answered. Chosen by hand."""


class Shown(NamedTuple):
    """A market that is shown for a web page, and why it was chosen."""

    row: PageMarketRow
    score: float
    why: str


class PageAnswer(NamedTuple):
    """The markets for a web page. `fixture`: the game that the page is about; None: no game is
    known."""

    route: Route
    query: str
    fixture: Fixture | None
    results: list[Shown]


class _Game(NamedTuple):
    """A game that a page is about, and the markets on this game, if any. Markets on who wins come
    first."""

    fixture: Fixture
    markets: list[games.Game]
    days: float
    """Days between the game and the day that the page names (or today, if it names none), never
    negative. For a less likely game the number is larger: see `GameMarkets.days`."""
    certainty: float
    """Certainty, 0 to 1, that the page names both sides (teams or players) of the game."""


class ExtensionService:
    """Finds markets for web pages, in one catalogue and its index.

    Parameters
    ----------
    policy
        Where pages may be fetched from; None: pages are never fetched.
    age
        The rule by which markets count as stale.
    """

    def __init__(
        self,
        database: Database,
        search: SearchService,
        relations: RelationService,
        graphs: GraphService,
        *,
        policy: AddressPolicy | None = None,
        age: AgeRule = AgeRule(),
        clock: Clock = now,
    ) -> None:
        self._age = age
        self._database = database
        self._search = search
        self._relations = relations
        self._graphs = graphs
        self._clock = clock
        self.roster = Roster()
        self._position = 0
        self._http = guard.client(policy, timeout=FETCH_SECONDS) if policy else None

    async def close(self) -> None:
        """Close the connections that pages are fetched over."""
        if self._http is not None:
            await self._http.aclose()

    async def search(
        self,
        page: WebPage,
        *,
        mode: Mode = "extension",
        ads_mode: AdsMode = "fast",
        sports_mode: SportsMode = "auto",
        limit: int = 10,
        may_fetch: bool = False,
    ) -> PageAnswer:
        """Find at most `limit` markets for a web page; for a page on sports, as `sports` does.

        `mode`: "extension" for all markets on the page's subject, "ads" for those that suit any
        audience. `ads_mode`: how thoroughly the latter are chosen. `sports_mode`: the mode of
        `sports`, if the page is on sports. `may_fetch`: whether the page may be fetched if the
        caller sends neither its title, nor its text, nor a query.
        """
        page = await self._readable(page, may_fetch=may_fetch)
        reading = await self._settled(page, self._read(page))
        found = None if page.is_of_venue else self._game(page, reading, None)
        if reading.is_sports or (found is not None and self._settles(found, reading)):
            return await self._of_sports(page, found, sports_mode, mode, ads_mode, limit)
        return await self._of_page(page, "search", mode, ads_mode, limit)

    async def sports(
        self,
        page: WebPage,
        *,
        mode: SportsMode = "auto",
        fixture: Fixture | None = None,
        limit: int = 10,
        may_fetch: bool = False,
    ) -> PageAnswer:
        """The markets for a web page on sports.

        The game is `fixture` or, if that is None, the game that the page names. Mode `fixture`:
        only markets on the game. Mode `direct`: markets on the page's subject. Mode `auto`: markets
        on the game if there are any, else markets on the page's subject.
        """
        if fixture is None:
            page = await self._readable(page, may_fetch=may_fetch)
        elif not is_readable(page.question):
            page = WebPage(query=versus(fixture))
        found = self._game(page, self._read(page), fixture)
        return await self._of_sports(page, found, mode, "extension", "fast", limit)

    async def graph(self, page: WebPage, *, may_fetch: bool = False) -> Drawn:
        """Draw the causal graph of a page's subject."""
        page = await self._readable(page, may_fetch=may_fetch)
        return await self._graphs.build(page.question[:MAX_QUESTION])

    async def prices(self, ids: Sequence[str]) -> dict[str, tuple[Quote, Standing]]:
        """The current prices of the known markets among `ids`, by id: a market's quote, and its
        status and staleness."""
        async with self._database.reading() as conn:
            names = await markets.native_ids(conn, ids)
            found = await markets.quotes(conn, list(names.values()))
        at = self._clock()
        return {
            name: (quote, self._age.standing(quote, at))
            for name, id in names.items()
            if (quote := found.get(id)) is not None
        }

    async def _rows(self, ids: Sequence[str]) -> dict[str, PageMarketRow]:
        """The known markets among `ids`, with their current status and staleness."""
        async with self._database.reading() as conn:
            found = await store.rows(conn, ids)
        at = self._clock()
        for id, row in found.items():
            standing = self._age.standing(row, at)
            if standing.stale:
                found[id] = row._replace(status=standing.status, stale=True)
        return found

    # Pages

    async def _readable(self, page: WebPage, *, may_fetch: bool) -> WebPage:
        known = is_readable(page.title + page.text + page.query)
        if page.url and not known and may_fetch and self._http is not None:
            try:
                found = await fetch.get(
                    self._http, page.url, deadline=FETCH_SECONDS, max_bytes=FETCH_BYTES
                )
                page = await asyncio.to_thread(page.filled, found.body)
            except (UpstreamFailed, InvalidInput) as problem:
                # The words in the address can still be searched for.
                log.info("page_not_fetched", reason=str(problem))
        if not is_readable(page.question):
            raise InvalidInput.at(
                "body",
                msg="No words to search for. Send a query, title, text or URL that contains words.",
                type="page_unreadable",
            )
        return page

    def _read(self, page: WebPage) -> SportsReading:
        title = _title(page)
        return sports.read(
            title,
            host=page.host,
            path=page.path,
            text=page.text,
            factor_evidence=self._factor_evidence(title),
            now=self._clock(),
        )

    def _factor_evidence(self, title: str) -> float:
        return FACTOR_EVIDENCE[self._sports_evidence(title)]

    def _sports_evidence(self, text: str) -> int:
        """Evidence that a text is on sports: 1, 0 or -1. It rests on the factors (subjects of
        markets) that fit the text best, at most `MAX_FACTORS`. 1: the factor that fits best is on
        sports. 0: the best one is not on sports, but another one is; or no factor fits. -1: factors
        fit, but none is on sports."""
        found = self._relations.matcher.match(text[:500])[:MAX_FACTORS]
        sports_alone = knowledge.written_in("sports_")
        of = [self._relations.factor(one.factor).pattern in sports_alone for one in found]
        if not of:
            return 0
        return 1 if of[0] else 0 if any(of) else -1

    async def _settled(self, page: WebPage, reading: SportsReading) -> SportsReading:
        """The page's `reading` with its final `score`, the evidence that the page is on sports. If
        the score is within `MAX_VOTE` of the limit `IS_SPORTS`, a vote is held: each of the markets
        closest to the page votes for or against sports. The result raises or lowers the score.
        Otherwise the score stays as it is."""
        if abs(reading.score - sports.IS_SPORTS) > MAX_VOTE:
            return reading
        found = await self._search.search(page.question, dimensions=("direct",), top_k=VOTERS)
        rows = await self._rows([result.id for result in found["direct"]])
        words = list(dict.fromkeys(terms(page.question)))
        rarity = dict(
            zip(words, self._search.frequencies.idf(term_ids(words)).tolist(), strict=True)
        )
        whole = sum(rarity.values()) or 1.0
        votes: list[Vote] = []
        for result in found["direct"]:
            if (row := rows.get(result.id)) is not None:
                market_words = set(terms(f"{row.question} {row.event_name or ''}"))
                share = sum(r for word, r in rarity.items() if word in market_words) / whole
                votes.append(Vote(self._is_of_sports(row), share))
        return replace(reading, score=reading.score + MAX_VOTE * vote_result(votes))

    def _is_of_sports(self, row: PageMarketRow) -> int:
        if league_of(games.ticker_or_slug(row.id, row.slug).partition("-")[0]) is not None:
            return 1
        return filed_under_sports(row.category, row.tags) or self._sports_evidence(row.question)

    # Results

    async def _of_page(
        self, page: WebPage, route: Route, mode: Mode, ads_mode: AdsMode, limit: int
    ) -> PageAnswer:
        query = page.question
        status: Status = "active"
        wanted = max(limit, ADS_CANDIDATES[ads_mode]) if mode == "ads" else limit
        if route == "sports":
            wanted = max(wanted, SPORTS_CANDIDATES)
        found = await self._search.search(
            query, dimensions=("direct",), top_k=wanted, status=status
        )
        scores = {result.id: result.score for result in found["direct"]}
        rows = await self._rows(list(scores))
        if route == "sports":
            rows = {id: row for id, row in rows.items() if self._is_of_sports(row) >= 0}
        explainer = Explainer(self._search, page)
        shown = [
            Shown(rows[id], score, explainer.why(rows[id]))
            for id, score in scores.items()
            if id in rows
        ]
        if mode == "ads":
            shown = self._advertised(shown, explainer, ads_mode)
        return PageAnswer(route, query, None, shown[:limit])

    def _advertised(
        self, shown: Iterable[Shown], explainer: Explainer, ads_mode: AdsMode
    ) -> list[Shown]:
        moment = self._clock()
        fit = [
            one for one in shown if fitness.is_fit(one.row, moment) and explainer.shares(one.row)
        ]
        if ads_mode == "fast" or not fit:
            return fit
        best = max(1e-9, max(one.score for one in fit))
        worth = {
            one.row.id: fitness.worth(
                one.row, max(0.0, one.score) / best, explainer.overlap(one.row)
            )
            for one in fit
        }
        again = [one._replace(score=round(worth[one.row.id], 4)) for one in fit]
        return sorted(again, key=lambda one: (-one.score, one.row.id))

    async def _of_sports(
        self,
        page: WebPage,
        found: _Game | None,
        mode: SportsMode,
        serving: Mode,
        ads_mode: AdsMode,
        limit: int,
    ) -> PageAnswer:
        if found is not None and mode != "direct":
            shown = await self._of_game(found.markets[:GAME_MARKETS])
            if serving == "ads":
                moment = self._clock()
                shown = [one for one in shown if fitness.is_fit(one.row, moment)]
            if shown or mode == "fixture":
                return PageAnswer("sports", versus(found.fixture), found.fixture, shown[:limit])
        if mode == "fixture":
            return PageAnswer("sports", page.question, None, [])
        answer = await self._of_page(page, "sports", serving, ads_mode, limit)
        return answer._replace(fixture=found.fixture if found else None)

    async def _of_game(self, markets: Sequence[games.Game]) -> list[Shown]:
        rows = await self._rows([game.id for game in markets])
        known = [game for game in markets if game.id in rows]
        return [
            Shown(rows[game.id], round(1 - n / 1000, 3), why_game(game))
            for n, game in enumerate(known)
        ]

    # Games

    def _game(self, page: WebPage, reading: SportsReading, given: Fixture | None) -> _Game | None:
        """The game that a page is about, by the first of these that exists: `given`; the game that
        the page's words state, if there are markets on it; a game in the catalogue whose two sides
        the words name; the stated game, without markets. None if none exists."""
        moment = self._clock()
        stated = given or reading.fixture
        if stated is not None:
            day = games.matching(stated, self.roster.between(stated.home, stated.away), moment)
            if day is not None:
                return _Game(stated, day.games, day.days, 1.0)
            if given is not None:
                return _Game(given, [], 0.0, 1.0)
        title = _title(page)
        texts = (title, words_of(page.url), f"{title} {page.text[:TEXT_READ]}")
        for text, league in product(dict.fromkeys(texts), dict.fromkeys((reading.league, None))):
            if (found := self._named(text, league, reading)) is not None:
                return found
        return _Game(stated, [], 0.0, 0.0) if stated else None

    def _named(self, text: str, league: str | None, reading: SportsReading) -> _Game | None:
        of: defaultdict[frozenset[TeamName], list[NamedGame]] = defaultdict(list)
        for one in self.roster.named_in(text, league):
            of[frozenset(one.sides)].append(one)
        best: tuple[tuple[float, ...], _Game] | None = None
        for alike in of.values():
            fixture = replace(alike[0].game.fixture, **reading.hints._asdict())
            day = games.nearest(fixture, [one.game for one in alike], self._clock())
            certainty = max(one.certainty for one in alike)
            if day is None or (certainty <= PARTLY and day.days > NEAR_DAYS):
                continue
            order = (
                certainty,
                float(day.days <= NEAR_DAYS),
                -min(one.gap for one in alike),
                -day.days,
            )
            if best is None or order > best[0]:
                best = order, _Game(day.games[0].fixture, day.games, day.days, certainty)
        return best[1] if best else None

    def _settles(self, found: _Game, reading: SportsReading) -> bool:
        """Whether the game `found` on a page shows that the page is on sports.

        It does if the catalogue has markets on the game, the game is at most `NEAR_DAYS` away (see
        `_Game.days`), the page names it with at least the certainty `MIN_CERTAINTY`, and the other
        evidence does not speak against sports.
        """
        return bool(found.markets) and (
            reading.score >= 0 and found.days <= NEAR_DAYS and found.certainty >= MIN_CERTAINTY
        )

    async def catch_up(self, *, rest: float = 0.0) -> None:
        """For the markets that changed since the last call, read which games they are about.

        `rest`: seconds to pause after every `GAMES_TURN` seconds of reading, so that other work
        can run.
        """
        first, began = not self._position, time.perf_counter()
        while True:
            async with self._database.reading() as conn:
                rows = await store.games_since(conn, self._position, GAMES_READ)
            for row in rows:
                self.roster.drop(row.id)
                game = games.game_of(
                    row.id,
                    row.question,
                    event=row.event_name,
                    slug=row.slug,
                    description=row.description,
                    closes_at=row.closes_at,
                    volume=row.volume,
                )
                if game is not None:
                    self.roster.add(game, games.ticker_or_slug(row.id, row.slug))
                if time.perf_counter() - began > GAMES_TURN:
                    await asyncio.sleep(rest)
                    began = time.perf_counter()
            if not rows:
                return
            self._position = rows[-1].change
            if first and len(self.roster) > MANY_GAMES:
                gc.freeze()  # a garbage collection over a million objects would block the process

    async def follow(self, stop: asyncio.Event) -> None:
        """Keep the known games up to date with the catalogue until `stop` is set."""
        while not stop.is_set():
            await self.catch_up(rest=GAMES_REST)
            await pause(stop, FOLLOW_SECONDS)


def _title(page: WebPage) -> str:
    return page.query if is_readable(page.query) else page.heading or page.question
