"""What is kept of markets is what a forecast would read itself, and as new as they are."""

from __future__ import annotations

import ast
from dataclasses import replace as copied
from datetime import timedelta
from pathlib import Path
from unittest.mock import patch

import msgspec
import pytest
from tests.forecast.conftest import CATALOGUE, NOW, market, put
from tests.forecast.snapshots import snapshot

from augury.forecast import service as forecasting
from augury.forecast import store, words
from augury.forecast.made import Forecast
from augury.forecast.reader import Reader
from augury.forecast.service import ForecastService
from augury.markets import store as markets
from augury.markets.records import Market, MarketChange
from augury.search.service import SearchService
from augury.storage.database import Database

SOURCE = Path(words.__file__).parents[2]
ACTIVE = [m for m in CATALOGUE if m.status == "active"]
QUESTIONS = [
    "Does BTC hit $150K before January 1, 2027?",
    "Will someone other than Rob Sand win the 2026 race for governor of Iowa?",
    "Will Russia capture Kupiansk by February 28, 2027?",
    "Will Bitcoin reach $175,000 by December 31, 2026?",
    "Will my cousin finish her pottery course before June 2027?",
    "Which club will win the 2026-27 English Premier League?",
]
MANY = market(
    20, "Who will win the 2027 Ruritanian Cup?", 0.5, "2027-12-31T00:00",
    outcomes=("Ravens of Oxmoor", "Klow City", "Other"), prices=(0.5, 0.3, 0.2),
    event_name="Ruritanian Cup (Group B)", description="Resolves to the winner. " * 200,
)  # fmt: skip


def imported(path: Path) -> set[Path]:
    """The modules of this project that one imports, and what those import."""
    found: set[Path] = set()
    pending = [path]
    while pending:
        for node in ast.walk(ast.parse(pending.pop().read_text())):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("augury"):
                folder = SOURCE / str(node.module).replace(".", "/")
                files = {folder.with_suffix(".py"), *(folder / f"{n.name}.py" for n in node.names)}
                new = {file for file in files if file.exists()} - found
                found |= new
                pending += new
    return found


def test_the_code_is_all_that_has_a_say_in_what_is_read() -> None:
    told = {Path(str(module.__file__)) for module in words.MODULES}
    assert imported(Path(words.__file__)) == told


@pytest.mark.parametrize("of", [*CATALOGUE, MANY], ids=lambda m: m.question)
def test_what_is_kept_is_what_is_read(of: Market) -> None:
    one = snapshot(of)
    kept = words.unpacked(words.packed(one))
    assert kept == [words.read(one, outcome) for outcome in words.sides(one)]
    assert len(kept) == (1 if of.outcomes == ("Yes", "No") else len(of.outcomes))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("question", "Will Bitcoin reach $160,000 by December 31, 2026?"),
        ("title", "Bitcoin"), ("subtitle", "$150,000"), ("description", "Settled by a bank."),
        ("outcomes", ["No", "Yes"]), ("event_id", "E7"), ("event_name", "Bitcoin in 2026"),
        ("slug", "bitcoin-2026"), ("closes_at", NOW), ("created_at", NOW),
        ("strike_kind", "greater"), ("strike_floor", 1.5), ("strike_cap", 2.5),
    ],
)  # fmt: skip
def test_another_text_has_another_digest(field: str, value: object) -> None:
    one = snapshot(CATALOGUE[0])
    assert words.digest(one._replace(**{field: value})) != words.digest(one)


def test_prices_and_rules_beyond_what_is_read_change_no_digest() -> None:
    one = snapshot(CATALOGUE[0], description="r" * words.RULES_CHARACTERS)
    other = one._replace(prices=[0.9, 0.1], price_at=NOW, description=f"{one.description}?")
    assert words.digest(one) == words.digest(other)
    assert words.packed(one) == words.packed(other)


async def kept(database: Database) -> dict[int, bytes]:
    async with database.reading() as conn:
        ids = [m.id for m in [*CATALOGUE, MANY]]
        seqs = [m.seq for m in await markets.fetch(conn, ids)]
        return await store.word_digests(conn, seqs)


async def answers(service: ForecastService) -> list[Forecast]:
    """The answers, without what only their way of coming about tells apart."""
    made = [await service.forecast(question) for question in QUESTIONS]
    return [
        copied(
            forecast,
            timings={},
            estimate=copied(
                forecast.estimate,
                decisive=None,
                evidence=tuple(
                    copied(one, market=one.market._replace(digest=None, words=None))
                    for one in forecast.estimate.evidence
                ),
                rejected=tuple(
                    copied(one, market=one.market._replace(digest=None, words=None))
                    for one in forecast.estimate.rejected
                ),
            ),
        )
        for forecast in made
    ]


@pytest.mark.anyio
async def test_forecasts_are_the_same_and_read_nothing_that_is_kept(
    database: Database, search: SearchService
) -> None:
    await put(database, MANY)
    await search.catch_up()
    before = await answers(ForecastService(database, search, clock=lambda: NOW))
    assert sum(forecast.estimate.probability is not None for forecast in before) == 4
    assert await Reader(database).catch_up() == len(CATALOGUE) + 1
    read = words.read

    def unkept(market: words.ReadableMarket, outcome: int) -> words.Words:
        id = getattr(market, "id", None)
        assert id == "polymarket:12", "it was read before"  # decided: not kept
        return read(market, outcome)

    with patch.object(words, "read", side_effect=unkept):
        after = await answers(ForecastService(database, search, clock=lambda: NOW))
    assert after == before


@pytest.mark.anyio
async def test_what_another_code_has_read_is_not_taken(
    database: Database, search: SearchService, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = await answers(ForecastService(database, search, clock=lambda: NOW))
    with monkeypatch.context() as older:
        older.setattr(words, "code", lambda: "older")
        older.setattr(words, "packed", lambda _: b"not words")
        await Reader(database).catch_up()
    old = await kept(database)
    assert await answers(ForecastService(database, search, clock=lambda: NOW)) == before
    assert await Reader(database).catch_up() == len(CATALOGUE)
    new = await kept(database)
    assert new.keys() == old.keys()
    assert not set(new.values()) & set(old.values())


@pytest.mark.anyio
async def test_active_markets_are_read_once_for_each_text(database: Database) -> None:
    await put(database, *CATALOGUE)
    reader = Reader(database)
    read: list[str] = []

    def packed(of: words.ReadableMarket) -> bytes:
        read.append(of.question)
        return b"words"

    with patch.object(words, "packed", packed):
        await reader.catch_up()
        assert sorted(read) == sorted(m.question for m in ACTIVE)
        read.clear()
        later = NOW + timedelta(minutes=1)
        first, second, *_ = ACTIVE
        async with database.transaction() as conn:
            await markets.apply_changes(
                conn, [MarketChange(id=first.id, volume=1e7, observed_at=later)]
            )
        assert await reader.catch_up() == 1
        assert read == []
        changed = msgspec.structs.replace(second, question="Bitcoin?", observed_at=later)
        await put(database, changed)
        await reader.catch_up()
        assert read == ["Bitcoin?"]


@pytest.mark.anyio
async def test_of_markets_that_end_nothing_is_kept(database: Database) -> None:
    await put(database, *CATALOGUE)
    await Reader(database).catch_up()
    assert len(await kept(database)) == len(ACTIVE)
    ended = [
        MarketChange(id=m.id, status=status, observed_at=NOW + timedelta(minutes=1))
        for m, status in zip(ACTIVE[:2], ("closed", "resolved"), strict=True)
    ]  # fmt: skip
    async with database.transaction() as conn:
        await markets.apply_changes(conn, ended)
    await Reader(database).catch_up()
    assert len(await kept(database)) == len(ACTIVE) - 2


@pytest.mark.anyio
async def test_markets_are_read_from_the_start_in_a_catalogue_that_was_put_back(
    database: Database,
) -> None:
    await put(database, *CATALOGUE)
    async with database.transaction() as conn:
        await store.save_words_state(conn, words.code(), 10**9)
    assert await Reader(database).catch_up() == len(CATALOGUE)
    assert len(await kept(database)) == len(ACTIVE)


@pytest.mark.anyio
async def test_likely_markets_that_can_not_count_make_room_for_others(
    database: Database, search: SearchService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forecasting, "MARKETS_COMPARED", 2)
    stale = [
        market(
            30 + n, f"Will Bitcoin reach $150,{n:03} by December 31, 2026?", 0.9,
            "2026-12-31T23:59", price_as_of=NOW - timedelta(days=30),
        )
        for n in range(5)
    ]  # fmt: skip
    await put(database, *stale)
    await search.catch_up()
    forecast = await ForecastService(database, search, clock=lambda: NOW).forecast(QUESTIONS[0])
    assert forecast.considered == 2
    assert forecast.estimate.probability == pytest.approx(0.3, abs=0.02)
