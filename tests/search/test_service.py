"""Search over a real database and a real index: what is found, followed, repaired."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import cast

import msgspec
import numpy as np
import pytest
from numpy.typing import NDArray
from tests.pace import PATIENCE
from tests.search.stored_markets import NOW, market, put

from augury.markets import store as markets
from augury.markets.generator import generate
from augury.markets.records import MarketChange
from augury.relations.service import RelationService
from augury.search import store
from augury.search.related import NOTHING, Lookup, Pool, Ranked, Relation, Unrelated
from augury.search.scoring import voters
from augury.search.service import SearchService
from augury.settings import Settings
from augury.storage.database import Database

pytestmark = pytest.mark.anyio


FED = market(1, "Will the Fed cut rates in December 2026?", slug="fed-cut-december")
ECB = market(2, "Will the ECB raise its deposit rate in December 2026?")
BTC = market(3, "Will Bitcoin reach $150,000 in 2026?")
RAIN = market(
    4, "Will it rain more than 5 inches in Seattle in November 2026?",
    url="https://polymarket.com/event/rain-in-seattle",
)  # fmt: skip
OLD = market(5, "Will the Fed cut rates in September 2025?", status="resolved", resolution="Yes",
             closes_at=NOW - timedelta(days=400))  # fmt: skip
TICKER = market(
    6, "Fed decision in December? — Hike 25bps", id="kalshi:KXFEDDECISION-26DEC-H25",
    platform="kalshi", platform_id="KXFEDDECISION-26DEC-H25", event_id="KXFEDDECISION-26DEC",
)  # fmt: skip
CATALOGUE = [FED, ECB, BTC, RAIN, OLD, TICKER]


@pytest.fixture
async def service(database: Database, settings: Settings) -> AsyncIterator[SearchService]:
    await put(database, *CATALOGUE)
    service = await SearchService.open(settings, database)
    await service.catch_up()
    yield service
    await service.close()


async def found(service: SearchService, query: str, **more: object) -> list[str]:
    results = await service.search(query, dimensions=("direct",), **more)  # type: ignore[arg-type]
    return [result.id for result in results["direct"]]


async def test_the_market_on_the_question_comes_first(service: SearchService) -> None:
    assert (await found(service, "fed rate cut december"))[0] == FED.id
    assert (await found(service, "bitcoin price 150k"))[0] == BTC.id


async def test_folded_lists_have_one_row_a_family(
    service: SearchService, database: Database
) -> None:
    names = ["Peter Erdo", "Matteo Zuppi", "Luis Tagle", "Pietro Parolin", "Robert Prevost"]
    popes = [
        market(200 + n, f"Who will the next Pope be? — {name}", event_id="POPE",
               prices=(0.1 * (n + 1), 1 - 0.1 * (n + 1)))
        for n, name in enumerate(names)
    ]  # fmt: skip
    await put(database, *popes)
    await service.catch_up()
    plain = (await service.search("who will be the next pope", top_k=3))["direct"]
    assert {row.event_id for row in plain} == {"POPE"}
    assert all(row.family is None for row in plain)
    (row, *rest) = (await service.search("who will be the next pope", top_k=3, fold=True))["direct"]
    assert row.event_id == "POPE"
    assert "POPE" not in {other.event_id for other in rest}
    assert row.family is not None
    assert (row.family.kind, row.family.label, row.family.size) == ("contest", names[4], 5)
    assert [one.label for one in row.family.more] == [names[3], names[2], names[1], names[0]]
    assert [one.price for one in row.family.more] == pytest.approx([0.4, 0.3, 0.2, 0.1])


async def test_a_folded_list_names_one_cause_twice(database: Database, settings: Settings) -> None:
    asked = [
        "Fed rate hike in 2027?", "Will no Fed rate cuts happen in 2027?",
        "Will the Fed decrease interest rates by 25 bps after the September 2027 meeting?",
        "Will the Fed's lower bound reach 3.0% or lower before 2028?",
    ]  # fmt: skip
    await put(database, *(market(300 + n, question) for n, question in enumerate(asked)))
    service = await SearchService.open(settings, database, RelationService())
    await service.catch_up()
    try:
        plain = (await service.search("gold price"))["upstream"]
        rows = (await service.search("gold price", fold=True))["upstream"]
    finally:
        await service.close()
    assert [(row.question, row.also) for row in plain] == [(row.question, []) for row in plain]
    assert {row.question for row in plain} == set(asked)
    first, second = rows
    assert first.also == []
    assert {first.question, second.question, *(one.label for one in second.also)} == set(asked)


async def test_what_the_query_names_is_found_in_other_words(
    database: Database, settings: Settings
) -> None:
    title = market(7, "Will the Boston Celtics win the 2027 NBA Finals?")
    games = [
        market(number, f"Celtics Media Cup, championship of editors, round {number}?")
        for number in range(100, 320)
    ]
    await put(database, title, *games)
    service = await SearchService.open(settings, database, RelationService())
    await service.catch_up()
    try:
        assert title.id in await found(service, "Celtics championship")
    finally:
        await service.close()


async def test_a_headline_finds_the_markets_on_its_subject_although_it_shares_one_word_with_them(
    database: Database, settings: Settings
) -> None:
    gold = market(7, "Will Gold (GC) settle at $5,800-$6,200 in June 2027?")
    await put(database, *CATALOGUE, gold)
    service = await SearchService.open(settings, database, RelationService())
    await service.catch_up()
    headline = "Gold holds near record high as central banks keep buying and savers sell"
    try:
        assert await found(service, headline) == [gold.id]
    finally:
        await service.close()


async def test_games_do_not_say_what_a_question_about_a_title_is_about() -> None:
    order = np.arange(4)
    fixtures = np.array([1, 0, 2, 0], np.uint8)
    assert voters(order, fixtures, asks_game=False).tolist() == [1, 3]
    assert voters(order, fixtures, asks_game=True).tolist() == [0, 1, 2, 3]
    assert voters(order, np.ones(4, np.uint8), asks_game=False).tolist() == [0, 1, 2, 3]
    assert voters(order[:0], fixtures, asks_game=False).tolist() == []


async def test_results_carry_what_the_specification_names(service: SearchService) -> None:
    results = await service.search("Will Bitcoin reach $150,000?", top_k=1)
    assert list(results) == ["direct", "upstream", "downstream", "correlated"]
    (result,) = results["direct"]
    shown = msgspec.to_builtins(result) | {"score": 0}
    specified = {
        "id": BTC.id,
        "platform": "polymarket",
        "question": BTC.question,
        "outcomes": ["Yes", "No"],
        "status": "active",
        "platform_url": "https://example.com/3",
        "score": 0,
        "dimension": "direct",
    }
    assert {name: shown[name] for name in specified} == specified  # it may carry more


class EveryMarketUpstream(Unrelated):
    """Finds that all candidates are direct results, and upstream of the query, too."""

    def ask(self, *asked: object, **more: object) -> Lookup:
        return cast("Lookup", EverythingDirect())


class EverythingDirect:
    tags = unanswered = ()
    direct_floor = 0.5
    factor_shares = staticmethod(NOTHING.factor_shares)

    def read(self, pool: Pool) -> EverythingDirect:
        self.count = pool.direct_count
        self.best = int(pool.words[: self.count].argmax())
        return self

    def direct(self) -> NDArray[np.float32]:
        grades = np.full(self.count, 0.4, np.float32)
        grades[self.best] = 0.9
        return grades

    def rank(self, direct: NDArray[np.float32]) -> dict[Relation, Ranked]:
        assert (direct > 0).sum() <= 1  # the others are below the floor of `direct`
        every = np.arange(self.count)
        return {"upstream": Ranked(every, 0.9 - 0.01 * every, np.zeros(self.count, np.uint16))}

    def reason(self, *of: object) -> str:
        return "It drives the question."

    def direct_reasons(self, positions: NDArray[np.intp]) -> list[str]:
        return [""] * len(positions)


async def test_a_market_may_be_direct_and_in_another_list(
    database: Database, settings: Settings
) -> None:
    await put(database, *CATALOGUE)
    service = await SearchService.open(settings, database, EveryMarketUpstream())
    await service.catch_up()
    try:
        results = await service.search("Will Bitcoin reach $150,000?")
        alone = await service.search("Will Bitcoin reach $150,000?", dimensions=("upstream",))
        named = await service.search(BTC.id)
    finally:
        await service.close()
    (direct,) = results["direct"]
    assert direct.id in [row.id for row in results["upstream"]]
    assert len(results["upstream"]) > 1  # also those below the floor of `direct`
    assert [row.id for row in alone["upstream"]] == [row.id for row in results["upstream"]]
    assert BTC.id not in [row.id for row in named["upstream"]]


async def test_a_status_filter_leaves_the_others_out(service: SearchService) -> None:
    assert OLD.id in await found(service, "Fed cut rates September 2025")
    assert OLD.id not in await found(service, "Fed cut rates September 2025", status="active")
    assert await found(service, "Fed cut rates September 2025", status="resolved") == [OLD.id]


@pytest.mark.parametrize(
    "query",
    [
        "kalshi:KXFEDDECISION-26DEC-H25",
        "KXFEDDECISION-26DEC-H25",
        "https://kalshi.com/markets/kxfeddecision/fed-decision/kxfeddecision-26dec",
    ],
)
async def test_a_named_market_comes_first(service: SearchService, query: str) -> None:
    assert (await found(service, query))[0] == TICKER.id


async def test_an_address_of_polymarket_names_its_market(service: SearchService) -> None:
    query = "https://polymarket.com/event/fed-december/fed-cut-december?tid=1"
    assert (await found(service, query))[0] == FED.id


async def test_scores_fall_and_no_market_comes_twice(service: SearchService) -> None:
    results = (await service.search("Fed rates December", dimensions=("direct",)))["direct"]
    scores = [result.score for result in results]
    assert scores == sorted(scores, reverse=True)
    assert len({result.id for result in results}) == len(results)


async def test_news_is_followed(service: SearchService, database: Database) -> None:
    stop = asyncio.Event()
    following = asyncio.create_task(service.follow(stop))
    new = market(7, "Will Quorzatide win approval in 2027?")
    await put(database, new)
    async with database.transaction() as conn:
        change = MarketChange(
            id=BTC.id, observed_at=NOW + timedelta(hours=1), status="resolved", resolution="No"
        )
        await markets.apply_changes(conn, [change])
    async with asyncio.timeout(PATIENCE):
        while new.id not in await found(service, "Quorzatide approval"):
            await asyncio.sleep(0.05)
        while BTC.id in await found(service, "Bitcoin 150,000", status="active"):
            await asyncio.sleep(0.05)
        while BTC.id not in await found(service, "Bitcoin 150,000", status="resolved", top_k=1):
            await asyncio.sleep(0.05)
    stop.set()
    await following


async def test_results_are_shown_without_the_database(
    service: SearchService, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(service.engine, "shown", lambda _: {})
        wanted = await service.explore("Bitcoin 150,000")
    assert wanted.results["direct"]
    monkeypatch.setattr(Database, "reading", None)
    assert (await service.explore("Bitcoin 150,000")).results == wanted.results


async def test_an_index_is_taken_up_where_it_was_left(
    service: SearchService, database: Database, settings: Settings
) -> None:
    before = await found(service, "Fed rates December")
    await service.close()
    again = await SearchService.open(settings, database)
    try:
        assert await again.catch_up() == 0
        assert await found(again, "Fed rates December") == before
    finally:
        await again.close()


async def test_an_index_of_another_database_is_built_anew(
    service: SearchService, database: Database, settings: Settings
) -> None:
    await service.close()
    async with database.transaction() as conn:
        await conn.execute("delete from search_indexes")  # backups leave it out
        await conn.execute("delete from markets where id = %s", (BTC.id,))
    again = await SearchService.open(settings, database)
    try:
        await again.catch_up()
        assert BTC.id not in await found(again, "Bitcoin 150,000")
        assert (await again.index_report(None))["documents"] == len(CATALOGUE) - 1
    finally:
        await again.close()


async def test_a_market_is_counted_once_however_often_it_changes(
    service: SearchService, database: Database
) -> None:
    counted = service.frequencies.documents
    for hour in range(1, 4):
        again = msgspec.structs.replace(
            RAIN,
            question=f"{RAIN.question} (amended {hour})",
            observed_at=NOW + timedelta(hours=hour),
        )
        await put(database, again)
        await service.catch_up()
    assert service.frequencies.documents == counted == len(CATALOGUE)


async def test_two_indexes_of_one_catalogue_order_alike(
    database: Database, settings: Settings, tmp_path: Path
) -> None:
    await put(database, *generate(2_000))
    services = []
    for name in ("one", "two"):
        own = settings.model_copy(update={"data_dir": tmp_path / name})
        services.append(await SearchService.open(own, database))
        await services[-1].catch_up()
    try:
        for record in list(generate(2_000))[::100]:
            first, second = [await found(s, record.question, top_k=50) for s in services]
            assert first == second
    finally:
        for service in services:
            await service.close()


async def test_named_markets_are_found_by_id_slug_event_and_series(
    service: SearchService, database: Database
) -> None:
    async with database.reading() as conn:
        rows = await store.named_markets(conn, [ECB.id], [("polymarket", "FED-CUT-DECEMBER")], 10)
        event = await store.named_markets(conn, [], [("kalshi", "kxfeddecision-26dec")], 10)
        series = await store.named_markets(conn, [], [("kalshi", "kxfeddecision")], 10)
        page = await store.named_markets(conn, [], [("polymarket", "rain-in-seattle")], 10)
    assert {row.id for row in rows} == {ECB.id, FED.id}
    assert [row.id for row in event] == [row.id for row in series] == [TICKER.id]
    assert [row.id for row in page] == [RAIN.id]


async def test_a_quoted_phrase_must_stand_in_the_result(service: SearchService) -> None:
    assert set(await found(service, 'Fed "cut rates"')) == {FED.id, OLD.id}
    assert await found(service, '"no such phrase" Fed rates') == []


async def test_the_same_question_is_answered_from_memory_until_the_index_moves(
    service: SearchService, database: Database
) -> None:
    first = await service.search("Fed rates December")
    assert await service.search("Fed rates December") is first
    assert await service.search("Fed rates December", top_k=1) is not first
    new = market(8, "Will the Fed keep rates unchanged in December 2026?")
    await put(database, new)
    await service.catch_up()
    assert new.id in await found(service, "Fed rates December")
    assert new.id in [r.id for r in (await service.search("Fed rates December"))["direct"]]


async def test_active_leaves_out_what_closed_without_a_word_since(
    service: SearchService, database: Database
) -> None:
    """A dump of long ago says "active" of markets that closed since."""
    past = {"closes_at": NOW - timedelta(days=30)}
    before = {"observed_at": NOW - timedelta(days=40), "price_as_of": NOW - timedelta(days=40)}
    heard = {"observed_at": NOW, "price_as_of": NOW - timedelta(days=40)}
    overdue = market(21, "Will Lake Placid freeze over before the winter gala?", **past, **before)
    open_still = market(22, "Will Lake Placid freeze over again after the gala?", **past, **heard)
    await put(database, overdue, open_still)
    await service.catch_up()
    everything = await found(service, "lake placid freeze gala")
    assert {overdue.id, open_still.id} <= set(everything)
    active = await found(service, "lake placid freeze gala", status="active")
    assert open_still.id in active
    assert overdue.id not in active
    assert overdue.id not in await found(service, overdue.id, status="active")
    closed = await service.search("lake placid freeze gala", status="closed")
    assert [(r.id, r.status, r.stale) for r in closed["direct"]] == [(overdue.id, "closed", True)]
    assert (await found(service, overdue.id))[0] == overdue.id

    # Its venue lists it again, and it is found within the time that is promised.
    await put(database, msgspec.structs.replace(overdue, observed_at=NOW))
    stop = asyncio.Event()
    following = asyncio.create_task(service.follow_overdue(stop))
    async with asyncio.timeout(PATIENCE):
        while overdue.id not in await found(service, "lake placid freeze gala", status="active"):
            service._answers.clear()
            await asyncio.sleep(0.02)
    stop.set()
    await following
