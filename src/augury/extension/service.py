"""From a page to markets: which kind of page, what to look for, what to show and why."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Final, Literal, NamedTuple

import structlog

from augury.clock import Clock, now
from augury.errors import InvalidInput, UpstreamFailed
from augury.extension import fitness, sports, store
from augury.extension.page import Page
from augury.extension.sports import Fixture, Reading
from augury.extension.store import Row
from augury.graph.schemas import MAX_QUESTION
from augury.graph.service import Drawn, GraphService
from augury.markets import store as markets
from augury.markets.records import Status
from augury.markets.store import Quote
from augury.net import fetch, guard
from augury.net.addresses import Policy
from augury.relations.service import RelationService
from augury.relations.teams import TEAMS
from augury.search.schemas import is_readable
from augury.search.service import SearchService
from augury.search.text import is_month, is_number, term_ids, terms
from augury.storage.database import Database

log = structlog.get_logger(__name__)

Mode = Literal["extension", "ads"]
AdsMode = Literal["fast", "thorough"]
SportsMode = Literal["auto", "direct", "fixture"]
Route = Literal["search", "sports"]

FETCH_SECONDS, FETCH_BYTES = 3.0, 2 * 1024 * 1024
ADS_CANDIDATES: Final = {"fast": 50, "thorough": 150}
GAME_CANDIDATES = 50
FACTORS_SAY: Final = {True: 0.4, False: -0.8}
"""What the best fitting factor says: of sports (and shows: the base keeps them together) or of
the world beside them."""
TOLD_WORDS = 3
"""Words named in a "why"."""
COMMON: Final = 2.5
"""Inverse document frequency below which a word tells nothing."""


class Shown(NamedTuple):
    """A market for a page, and why it is one."""

    row: Row
    score: float
    why: str


class Answer(NamedTuple):
    """What is shown beside a page."""

    route: Route
    query: str
    fixture: Fixture | None
    results: list[Shown]


class ExtensionService:
    """Markets for pages over one catalogue and its index.

    Parameters
    ----------
    policy
        Where pages may be fetched from; None: pages are never fetched.
    """

    def __init__(
        self,
        database: Database,
        search: SearchService,
        relations: RelationService,
        graphs: GraphService,
        *,
        policy: Policy | None = None,
        clock: Clock = now,
    ) -> None:
        self._database = database
        self._search = search
        self._relations = relations
        self._graphs = graphs
        self._clock = clock
        self._http = guard.client(policy, timeout=FETCH_SECONDS) if policy else None

    async def close(self) -> None:
        """Drop the connections."""
        if self._http is not None:
            await self._http.aclose()

    async def search(
        self,
        page: Page,
        *,
        mode: Mode = "extension",
        ads_mode: AdsMode = "fast",
        sports_mode: SportsMode = "auto",
        limit: int = 10,
        may_fetch: bool = False,
    ) -> Answer:
        """The markets for a page; a page on sports goes the way of `sports`."""
        page = await self._readable(page, may_fetch=may_fetch)
        reading = self._read(page)
        if reading.is_sports:
            return await self._of_sports(page, reading, sports_mode, None, mode, ads_mode, limit)
        if reading.fixture is not None and reading.score >= 0:
            # In doubt, a market on the very game settles it.
            found = await self._of_sports(page, reading, "fixture", None, mode, ads_mode, limit)
            if found.results:
                return found
        return await self._of_page(page, "search", mode, ads_mode, limit)

    async def sports(
        self,
        page: Page,
        *,
        mode: SportsMode = "auto",
        fixture: Fixture | None = None,
        limit: int = 10,
        may_fetch: bool = False,
    ) -> Answer:
        """The markets for a page on sports.

        `direct`: on what the page is about; `fixture`: on the game it names, or on `fixture`, and
        none else; `auto`: on the game where one is found, else `direct`.
        """
        if fixture is None:
            page = await self._readable(page, may_fetch=may_fetch)
        elif not is_readable(page.question):
            page = Page(query=f"{fixture.home.text} vs {fixture.away.text}")
        return await self._of_sports(
            page, self._read(page), mode, fixture, "extension", "fast", limit
        )

    async def graph(self, page: Page, *, may_fetch: bool = False) -> Drawn:
        """The causal graph of what a page is about."""
        page = await self._readable(page, may_fetch=may_fetch)
        return await self._graphs.build(page.question[:MAX_QUESTION])

    async def prices(self, ids: Sequence[str]) -> dict[str, Quote]:
        """The quotes of the known ones among `ids`."""
        # PostgreSQL keeps no NUL, so it can't be asked for one.
        async with self._database.reading() as conn:
            return await markets.quotes(conn, [i for i in dict.fromkeys(ids) if "\0" not in i])

    # Pages

    async def _readable(self, page: Page, *, may_fetch: bool) -> Page:
        known = is_readable(page.title + page.text + page.query)
        if page.url and not known and may_fetch and self._http is not None:
            try:
                found = await fetch.get(
                    self._http, page.url, deadline=FETCH_SECONDS, max_bytes=FETCH_BYTES
                )
                page = page.filled(found.body)
            except (UpstreamFailed, InvalidInput) as problem:
                # The address still has words of its own.
                log.info("page not fetched", problem=str(problem))
        if not is_readable(page.question):
            raise InvalidInput.at(
                "body",
                msg="Give a query, a title, a text or an address with words in it.",
                type="page_unreadable",
            )
        return page

    def _read(self, page: Page) -> Reading:
        title = page.query if is_readable(page.query) else page.heading or page.question
        return sports.read(
            title,
            host=page.host,
            path=page.path,
            text=page.text,
            told=self._told(title),
            now=self._clock(),
        )

    def _told(self, title: str) -> float:
        found = self._relations.matcher.match(title[:500])
        if not found:
            return 0.0
        return FACTORS_SAY[self._relations.factor(found[0].factor).domain == "sports"]

    # Results

    async def _of_page(
        self, page: Page, route: Route, mode: Mode, ads_mode: AdsMode, limit: int
    ) -> Answer:
        query = page.question
        status: Status = "active"
        wanted = max(limit, ADS_CANDIDATES[ads_mode]) if mode == "ads" else limit
        found = await self._search.search(
            query, dimensions=("direct",), top_k=wanted, status=status
        )
        scores = {result.id: result.score for result in found["direct"]}
        async with self._database.reading() as conn:
            rows = await store.rows(conn, list(scores))
        told = _Told(self._search, page)
        shown = [
            Shown(rows[id], score, told.why(rows[id])) for id, score in scores.items() if id in rows
        ]
        if mode == "ads":
            shown = self._advertised(shown, told, ads_mode)
        return Answer(route, query, None, shown[:limit])

    def _advertised(self, shown: Iterable[Shown], told: _Told, ads_mode: AdsMode) -> list[Shown]:
        moment = self._clock()
        fit = [one for one in shown if fitness.is_fit(one.row, moment) and told.shares(one.row)]
        if ads_mode == "fast" or not fit:
            return fit
        best = max(1e-9, max(one.score for one in fit))
        worth = {
            one.row.id: fitness.worth(one.row, max(0.0, one.score) / best, told.overlap(one.row))
            for one in fit
        }
        again = [one._replace(score=round(worth[one.row.id], 4)) for one in fit]
        return sorted(again, key=lambda one: (-one.score, one.row.id))

    async def _of_sports(
        self,
        page: Page,
        reading: Reading,
        mode: SportsMode,
        given: Fixture | None,
        serving: Mode,
        ads_mode: AdsMode,
        limit: int,
    ) -> Answer:
        fixture = given or reading.fixture
        if fixture is None and mode == "fixture":
            return Answer("sports", page.question, None, [])
        if fixture is not None and mode != "direct":
            shown = await self._of_game(fixture)
            if serving == "ads":
                moment = self._clock()
                shown = [one for one in shown if fitness.is_fit(one.row, moment)]
            if shown or mode == "fixture":
                return Answer("sports", _versus(fixture), fixture, shown[:limit])
        return (await self._of_page(page, "sports", serving, ads_mode, limit))._replace(
            fixture=fixture
        )

    async def _of_game(self, fixture: Fixture) -> list[Shown]:
        moment = self._clock()
        start = fixture.start
        near = (
            moment
            if start is None
            else start.at or datetime(*start.day.timetuple()[:3], 18, tzinfo=UTC)
        )
        found = await self._search.search(
            _versus(fixture), dimensions=("direct",), top_k=GAME_CANDIDATES
        )
        one, other = _names(fixture.home, fixture.league), _names(fixture.away, fixture.league)
        async with self._database.reading() as conn:
            rows = await store.rows(conn, [result.id for result in found["direct"]])
            if one and other:
                rows |= await store.games(conn, one, other, near)
        games = [
            game
            for row in rows.values()
            if (
                game := sports.game_of(
                    row.id,
                    row.question,
                    event=row.event_name,
                    slug=row.slug,
                    description=row.description,
                    closes_at=row.closes_at,
                    volume=row.volume,
                )
            )
        ]
        return [
            Shown(rows[game.id], round(1 - n / 1000, 3), _why_game(game))
            for n, game in enumerate(sports.matching(fixture, games, moment))
        ]


class _Told:
    """What a page tells, against which markets are explained."""

    def __init__(self, search: SearchService, page: Page) -> None:
        self._frequencies = search.frequencies
        self._title = set(terms(page.question))
        self._all = self._title | set(terms(page.title)) | set(terms(page.text))

    def _telling(self, row: Row) -> dict[str, float]:
        """The market's words that say what it is about, by how rare they are."""
        found = [
            t for t in dict.fromkeys(terms(row.question)) if not is_number(t) and not is_month(t)
        ]
        rarity = self._frequencies.idf(term_ids(found)).tolist()
        return {t: r for t, r in zip(found, rarity, strict=True) if r >= COMMON}

    def shares(self, row: Row) -> bool:
        """Whether the page names something of what the market is about."""
        return any(t in self._all for t in self._telling(row))

    def overlap(self, row: Row) -> float:
        telling = self._telling(row)
        total = sum(telling.values())
        return sum(r for t, r in telling.items() if t in self._all) / total if total else 0.0

    def why(self, row: Row) -> str:
        """In a reader's words."""
        telling = self._telling(row)
        for named, place in ((self._title, "The page is about"), (self._all, "The page mentions")):
            common = sorted((t for t in telling if t in named), key=lambda t: -telling[t])
            if common:
                return f"{place} {_spoken(row.question, common[:TOLD_WORDS])}."
        return "Close in meaning to the page, without a word in common."


def _spoken(question: str, wanted: list[str]) -> str:
    """Terms as the question writes them, in its order."""
    words: dict[str, str] = {}
    for word in question.replace("*", "").split():
        plain = word.strip(".,:;?!()[]\"'“”’").removesuffix("'s").removesuffix("’s")
        for t in terms(plain):
            words.setdefault(t, plain)
    said = list(dict.fromkeys(word for t, word in words.items() if t in wanted)) or wanted
    return said[0] if len(said) == 1 else f"{', '.join(said[:-1])} and {said[-1]}"


def _versus(fixture: Fixture) -> str:
    return f"{fixture.home.text} vs {fixture.away.text}"


def _names(side: sports.Name, league: str | None) -> list[str]:
    """Up to three names of a side as questions write them, the surest first."""
    found: list[str] = []
    for key in sorted(side.keys):
        of, _, name = key.partition(":")
        if league in TEAMS and of != league:
            continue
        found.append(name)
        found += sports.cities(key)
    found += [word for word in side.text.split()[-1:] if len(word) > 2]
    if not side.keys:
        found.append(side.text)
    return [name for name in dict.fromkeys(found) if len(name) > 2][:3]


def _why_game(game: sports.Game) -> str:
    start = game.fixture.start
    if start is None:
        when = "time unknown"
    elif start.at is not None:
        when = f"{start.at:%d %b %Y %H:%M} UTC"
    else:
        when = f"{start.day:%d %b %Y}"
    about = "Who wins" if game.asks_winner else "On"
    return f"{about} the page's game: {_versus(game.fixture)}, {when}."
