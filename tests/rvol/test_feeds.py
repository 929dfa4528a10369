"""Exchanges and archives: fallback, faults, gaps, corrections, restarts."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, date, datetime, timedelta

import pytest
from tests.pace import SLACK
from tests.rvol import exchange
from tests.rvol.conftest import Clock

from augury.rvol import store
from augury.rvol.collecting import Collector, _whole_months
from augury.rvol.feeds import Archive, Exchanges, FeedFailed, Offline
from augury.rvol.service import RvolService
from augury.settings import Settings
from augury.storage.database import Database

pytestmark = [
    pytest.mark.anyio,
    # aiohttp and others that ccxt brings along; nothing of theirs is used here.
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]

START = exchange.LISTED // 1000 + 86_400
DAY = 86_400
PATIENCE = 3.0


@pytest.fixture
def venue() -> Iterator[exchange.Exchange]:
    with exchange.serving() as served:
        yield served


@pytest.fixture
async def both(venue: exchange.Exchange) -> AsyncIterator[Exchanges]:
    found = Exchanges(("binance", "bybit"), deadline=PATIENCE, url=venue.url)
    yield found
    await found.close()


async def test_bars_come_page_by_page_from_the_first_venue(
    both: Exchanges, venue: exchange.Exchange
) -> None:
    name, (stamps, values) = await both.bars("BTC/USDT", START, START + 5 * DAY, 5)
    assert name == "binance"
    assert stamps.tolist() == list(range(START, START + 5 * DAY, 300))
    assert values[7].tolist() == [float(v) for v in exchange.bar((START + 7 * 300) * 1000)[1:]]
    pages = [call for call in venue.calls if call.endswith("/klines")]
    assert len(pages) == 2
    assert not any("bybit" in call for call in venue.calls)


@pytest.mark.parametrize("fault", exchange.FAULTS)
async def test_whatever_one_venue_does_the_next_one_is_asked(
    both: Exchanges, venue: exchange.Exchange, fault: str
) -> None:
    await both.bars("BTC/USDT", START, START + DAY, 5)  # ccxt is imported, markets are known
    venue.faults["binance"] = fault
    began = time.perf_counter()
    name, (stamps, _) = await both.bars("BTC/USDT", START, START + DAY, 5)
    # The page that is sent over and over holds the day asked for.
    assert name == ("binance" if fault == "same page" else "bybit")
    assert len(stamps) == 288
    assert time.perf_counter() - began < PATIENCE + SLACK


@pytest.mark.parametrize("fault", exchange.FAULTS)
async def test_when_all_fail_it_is_said_in_plain_words(
    venue: exchange.Exchange, fault: str
) -> None:
    only = Exchanges(("binance",), deadline=PATIENCE, url=venue.url)
    venue.faults["binance"] = fault
    try:
        with pytest.raises(FeedFailed) as failed:
            await only.bars("BTC/USDT", START + 40 * DAY, START + 41 * DAY, 5)
    finally:
        await only.close()
    assert str(failed.value).startswith("No bars of BTC/USDT. binance: ")
    assert "Traceback" not in str(failed.value)
    assert "http" not in str(failed.value)


async def test_a_venue_that_is_away_is_asked_once() -> None:
    gone = Exchanges(("binance",), deadline=PATIENCE, url="http://127.0.0.1:9")
    for _ in range(2):
        with pytest.raises(Offline, match="can't be reached"):
            await gone.bars("BTC/USDT", START, START + DAY, 5)
    await gone.close()
    nobody = Exchanges(("nosuchexchange",), deadline=PATIENCE)
    with pytest.raises(FeedFailed, match="not an exchange known to ccxt"):
        await nobody.bars("BTC/USDT", START, START + DAY, 5)
    await nobody.close()


async def test_a_venue_with_gaps_gives_way_to_one_without(
    both: Exchanges, venue: exchange.Exchange
) -> None:
    name, _ = await both.bars("BTC/USDT", START, START + DAY, 5)
    assert name == "binance"
    with pytest.raises(FeedFailed, match="does not list it"):
        await both.bars("NOPE/USDT", START, START + DAY, 5)
    # Both lack a third of the day: the fullest answer is taken as it is.
    venue.missing = {(START + 300 * n) * 1000 for n in range(100, 196)}
    name, (stamps, _) = await both.bars("BTC/USDT", START, START + DAY, 5)
    assert len(stamps) == 192


async def test_months_of_the_archive_are_checked_against_their_hash(
    venue: exchange.Exchange,
) -> None:
    archive = Archive(venue.url, deadline=10)
    found = await archive.month("BTC/USDT", date(2025, 2, 1), 5)
    assert found is not None
    assert len(found[0]) == 28 * 288
    assert datetime.fromtimestamp(int(found[0][0]), UTC) == datetime(2025, 2, 1, tzinfo=UTC)
    assert await archive.month("BTC/USDT", date(2024, 2, 1), 5) is None  # before it was listed
    for fault, says in (("checksum", "published hash"), ("not a zip", "published hash")):
        venue.faults["archive"] = fault
        with pytest.raises(FeedFailed, match=says):
            await archive.month("BTC/USDT", date(2025, 2, 1), 5)
    await archive.close()


def test_whole_months_lie_within_the_days() -> None:
    first, last = 20_089, 20_089 + 75  # 2025-01-01 and the middle of March
    assert _whole_months(first, last) == [date(2025, 1, 1), date(2025, 2, 1)]
    assert _whole_months(first + 1, last) == [date(2025, 2, 1)]
    assert _whole_months(first, first + 20) == []


@pytest.fixture
def collecting(tmp_path: object) -> Settings:
    return Settings(
        sync="off", sample="off", rvol_coins=("BTC", "ETH"), rvol_horizons=(1,), rvol_replay_days=2
    )  # fmt: skip


def collector(
    database: Database, settings: Settings, venue: exchange.Exchange, clock: Clock
) -> Collector:
    return Collector(
        database, settings, clock=clock,
        exchanges=Exchanges(("binance", "bybit"), deadline=PATIENCE, url=venue.url),
        archive=Archive(venue.url, deadline=3),
    )  # fmt: skip


async def test_coins_are_collected_then_kept_up_and_corrected(
    database: Database, collecting: Settings, venue: exchange.Exchange, clock: Clock
) -> None:
    clock.now = datetime(2025, 5, 25, 2, tzinfo=UTC)  # 144 days after the listing
    service = RvolService(database, collecting, clock=clock)
    await service.ensure_sample()
    first = await collector(database, collecting, venue, clock).collect()
    assert first.failed == {}
    assert (first.assets, first.added) == (2, 2 * 144)
    assert [a.asset for a in await service.assets()] == ["BTC", "ETH"]  # the sample is gone
    done = await service.refresh()
    assert done.latest == datetime(2025, 5, 25, tzinfo=UTC)

    # Nothing is due at once; a day later one day is new, and a corrected bar is a revision.
    again = await collector(database, collecting, venue, clock).collect()
    assert again.assets == 0
    clock.now += timedelta(days=1)
    venue.corrected = {(int(clock.now.timestamp()) // DAY * DAY - 2 * DAY + 3000) * 1000: 130.0}
    later = await collector(database, collecting, venue, clock).collect()
    assert (later.added, later.changed) == (2, 2)
    async with database.reading() as conn:
        rows = await conn.execute(
            "select day, revision, current from rvol_days where asset = 'BTC' and day ="
            " '2025-05-24' order by revision"
        )
        assert [(r, c) for _, r, c in await rows.fetchall()] == [(0, False), (1, True)]
        rows = await conn.execute("select count(*) from rvol_bars where revision > 0")
        assert await rows.fetchone() == (2,)


async def test_offline_the_sample_stays_and_the_reason_is_kept(
    database: Database, collecting: Settings, clock: Clock
) -> None:
    service = RvolService(database, collecting, clock=clock)
    await service.ensure_sample()
    away = Collector(
        database, collecting, clock=clock,
        exchanges=Exchanges(("binance",), deadline=PATIENCE, url="http://127.0.0.1:9"),
        archive=Archive("http://127.0.0.1:9", deadline=PATIENCE),
    )  # fmt: skip
    done = await away.collect()
    assert list(done.failed) == ["BTC"]  # the others are not tried in vain
    assert {a.origin for a in await service.assets()} == {"sample"}


async def test_a_day_with_too_many_gaps_is_kept_and_not_measured_with(
    database: Database, collecting: Settings, venue: exchange.Exchange, clock: Clock
) -> None:
    clock.now = datetime(2025, 3, 1, 2, tzinfo=UTC)
    gap = int(datetime(2025, 2, 27, 5, tzinfo=UTC).timestamp())
    venue.missing = {(gap + 300 * n) * 1000 for n in range(40)}
    await collector(database, collecting, venue, clock).collect()
    async with database.reading() as conn:
        rows = await conn.execute(
            "select counts, n_obs, longest_fill from rvol_days"
            " where asset = 'BTC' and day = '2025-02-27' and current"
        )
        assert await rows.fetchone() == (False, 248, 200)
        series = await store.series(conn, "crypto", "24/7")
    assert len(series["BTC"].days) == 58  # January, February, without that day
