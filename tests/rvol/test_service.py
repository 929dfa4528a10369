"""Publishing: whole, once, reproducible; actuals with revisions; scores; aliases."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from datetime import date, timedelta
from typing import Any

import numpy as np
import pytest
from tests.rvol.conftest import NOW, Clock
from tests.rvol.filled_store import LAST, asset, days_of, filled

from augury.rvol import calendars, garch, issuing, learning, sample, scorecard, store
from augury.rvol.service import RvolService
from augury.rvol.store import RowFilters
from augury.storage.database import Database

pytestmark = pytest.mark.anyio


@pytest.fixture(autouse=True)
def _without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(garch, "available", lambda: False)


async def count(database: Database, table: str) -> int:
    async with database.reading() as conn:
        rows = await conn.execute(f"select count(*) from {table}")  # type: ignore[arg-type]
        found = await rows.fetchone()
        assert found
        return found[0]


async def test_an_empty_service_shows_the_sample_and_says_so(
    service: RvolService, clock: Clock
) -> None:
    assert await service.ensure_sample()
    assert not await service.ensure_sample()
    rows = await service.forecasts(
        model=None, model_version=None, asset="BTC", horizon="7d", limit=10, latest=True
    )
    assert len(rows) == 1
    named = dict(zip(store.FORECAST_FIELDS, rows[0], strict=True))
    assert named["model_id"] == "blend"
    assert (named["issued"], named["origin"]) == ("sample", "sample")
    assert named["as_of"].isoformat() == "2026-11-20T00:00:00+00:00"
    assert named["target_end_at"] - named["target_start_at"] == timedelta(days=7)
    assert 0.1 < named["annualized"] < 2
    covered = await service.assets()
    assert {a.origin for a in covered} == {"sample"}
    assert all("(sample)" in a.display_name for a in covered)


async def test_the_sample_leaves_no_trace_when_it_is_dropped(service: RvolService) -> None:
    assert await service.ensure_sample()
    assert await service.drop_sample()
    assert not await service.drop_sample()
    assert await service.assets() == []
    rows = await service.forecasts(
        model=None, model_version=None, asset=None, horizon=None, limit=10, latest=True
    )
    assert rows == []


async def test_nothing_of_the_sample_is_published_once_it_gave_way(
    service: RvolService, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    loop = asyncio.get_running_loop()
    issue = issuing.issue

    def overtaken(*args: Any) -> Any:
        made = issue(*args)
        asyncio.run_coroutine_threadsafe(filled(service, "BTC"), loop).result()
        return made

    monkeypatch.setattr(issuing, "issue", overtaken)
    assert await service.ensure_sample()
    assert [(a.asset, a.origin) for a in await service.assets()] == [("BTC", "import")]
    assert await count(database, "rvol_forecasts") == 0


@pytest.mark.heavy
def test_the_sample_is_the_same_each_time_and_looks_like_a_market() -> None:
    one, two = sample.generate(LAST), sample.generate(LAST)
    assert all(np.array_equal(a.paths, b.paths) for a, b in zip(one, two, strict=True))
    for coin in one:
        rv = coin.measures.rv
        assert 0.2 < np.sqrt(rv.mean() * 365) < 1.6
        assert np.corrcoef(np.log(rv[1:]), np.log(rv[:-1]))[0, 1] > 0.4
        assert coin.days[-1] == LAST


async def test_real_data_takes_the_place_of_the_sample(
    service: RvolService, database: Database
) -> None:
    await service.ensure_sample()
    await filled(service, "AAA")
    assert [a.asset for a in await service.assets()] == ["AAA"]
    assert await count(database, "rvol_forecasts") == 0
    assert await count(database, "rvol_sets") == 0


async def test_a_refresh_is_done_once(service: RvolService, database: Database) -> None:
    await filled(service, "AAA", "BBB")
    first = await service.refresh()
    assert first.sets == 3
    assert first.forecasts == 3 * 2 * 2 * 5  # days, assets, horizons, models
    assert first.actuals > 0
    assert first.latest == NOW.replace(hour=0)
    again = await service.refresh()
    assert (again.sets, again.forecasts, again.actuals, again.revised) == (0, 0, 0, 0)
    assert await count(database, "rvol_forecasts") == first.forecasts


async def test_cut_off_anywhere_what_is_there_is_whole_and_the_next_refresh_goes_on(
    service: RvolService, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    await filled(service, "AAA", "BBB")
    publish, calls = store.publish, 0

    async def dies(conn: Any, *args: Any, **kwargs: Any) -> int:
        nonlocal calls
        calls += 1
        added = await publish(conn, *args, **kwargs)
        if calls == 2:
            raise RuntimeError("killed after the rows were written, before the commit")
        return added

    monkeypatch.setattr(store, "publish", dies)
    with pytest.raises(RuntimeError):
        await service.refresh()
    assert await count(database, "rvol_forecasts") == 2 * 2 * 5  # the first set, all of it
    assert await count(database, "rvol_sets") == 1
    rest = await service.refresh()
    assert rest.sets == 2
    assert await count(database, "rvol_forecasts") == 3 * 2 * 2 * 5


async def test_two_refreshes_at_once_publish_as_one(
    service: RvolService, database: Database
) -> None:
    import asyncio

    await filled(service, "AAA", "BBB")
    await asyncio.gather(service.refresh(), service.refresh())
    assert await count(database, "rvol_forecasts") == 3 * 2 * 2 * 5


async def test_a_published_set_is_recomputed_to_the_bit_after_its_inputs_were_corrected(
    service: RvolService, database: Database, clock: Clock
) -> None:
    await filled(service, "AAA", "BBB")
    await service.refresh()
    async with database.reading() as conn:
        rows = await conn.execute("select set_id, inputs from rvol_sets order by set_id")
        sets = await rows.fetchall()
    # A correction of an old day, and a new asset: both were not known then.
    changed = days_of("AAA", seed=0)[150]._replace(rv=0.5, bv=0.4)
    clock.now += timedelta(hours=1)
    await service.put_measures([asset("CCC")], [changed, *days_of("CCC", seed=9)])
    await service.refresh()
    for set_id, inputs in sets:
        found, made = await service.recompute(set_id)
        assert found == inputs
        assert await published(database, set_id) == bits(made)


async def test_days_made_from_a_checkpoint_are_recomputed_to_the_bit(
    service: RvolService, database: Database, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone_on: list[bool] = []
    forecast = learning.forecast

    def seen(panel: Any, horizons: Any, before: Any = None) -> Any:
        gone_on.append(before is not None)
        return forecast(panel, horizons, before)

    monkeypatch.setattr(learning, "forecast", seen)
    await filled(service, "AAA", "BBB")
    await service.refresh(replay=1)
    for later in (1, 2, 3):
        clock.now += timedelta(days=1)
        rows = [days_of(n, last=LAST + later, seed=later)[-1] for n in ("AAA", "BBB")]
        if later == 3:  # the past is another one: nothing to go on from
            rows.append(days_of("AAA", seed=0)[100]._replace(rv=0.5, bv=0.4))
        await service.put_measures([], rows)
        assert (await service.refresh(replay=1)).sets == 1
    assert gone_on == [False, True, True, False]
    async with database.reading() as conn:
        rows = await conn.execute("select set_id, inputs from rvol_sets order by set_id")
        sets = await rows.fetchall()
    for set_id, inputs in sets:
        found, made = await service.recompute(set_id)
        assert found == inputs
        assert await published(database, set_id) == bits(made)


async def published(database: Database, set_id: int) -> dict[tuple[Any, ...], tuple[Any, ...]]:
    async with database.reading() as conn:
        stored = await conn.execute(
            "select asset, horizon, model_id, variance, lower_95 from rvol_forecasts"
            " where set_id = %s",
            (set_id,),
        )
        return {row[:3]: row[3:] for row in await stored.fetchall()}


def bits(made: Sequence[issuing.VarianceForecast]) -> dict[tuple[Any, ...], tuple[Any, ...]]:
    return {(f.asset, f.horizon, f.model_id): (f.variance, f.bands[4]) for f in made}


async def test_a_correction_revises_the_actual_and_leaves_the_forecast(
    service: RvolService, database: Database, clock: Clock
) -> None:
    await filled(service, "AAA", "BBB")
    await service.refresh()
    read: Callable[[], Any] = lambda: service.forecasts(  # noqa: E731
        model="blend", model_version=None, asset="AAA", horizon="1d", limit=10
    )
    before = await read()
    day = LAST
    corrected = days_of("AAA", seed=0)[-1]._replace(rv=0.123)
    clock.now += timedelta(hours=2)
    await service.put_measures([], [corrected])
    done = await service.refresh()
    assert done.revised >= 1
    rows = await service.actuals(
        asset="AAA", horizon="1d", start=None, end=None, limit=1, after=None
    )
    actual = dict(zip(store.ACTUAL_FIELDS, rows[0], strict=True))
    assert actual["as_of"] == calendars.utc_time(day * 86400)
    assert (actual["variance"], actual["revision"]) == (0.123, 1)
    assert actual["status"] == "preliminary"
    assert await read() == before
    async with database.reading() as conn:
        kept = await conn.execute(
            "select revision, current from rvol_actuals where asset = 'AAA' and horizon = 1"
            " and as_of = %s order by revision",
            (actual["as_of"],),
        )
        assert await kept.fetchall() == [(0, False), (1, True)]


async def test_actuals_become_final_and_windows_without_a_day_incomplete(
    service: RvolService, clock: Clock
) -> None:
    rows = days_of("AAA")
    await service.put_measures([asset("AAA")], [*rows[:-3], *rows[-2:]])  # a day is missing
    await service.refresh()

    async def statuses() -> dict[date, tuple[str, bool]]:
        found = await service.actuals(
            asset="AAA", horizon="1d", start=None, end=None, limit=8, after=None
        )
        named = [dict(zip(store.ACTUAL_FIELDS, row, strict=True)) for row in found]
        return {r["as_of"].date(): (r["status"], r["variance"] is None) for r in named}

    now = await statuses()
    assert now[date(2026, 11, 19)] == ("preliminary", False)
    assert now[date(2026, 11, 14)] == ("final", False)
    assert date(2026, 11, 17) not in now  # its day may still come
    clock.now += timedelta(days=3)
    await service.put_measures([], days_of("AAA", last=LAST + 1)[-1:])
    await service.refresh()
    now = await statuses()
    assert now[date(2026, 11, 17)] == ("incomplete", True)
    assert now[date(2026, 11, 16)] == ("final", False)


async def test_where_bars_have_stopped_no_window_is_called_incomplete(
    service: RvolService, database: Database
) -> None:
    await service.put_measures([asset("AAA")], days_of("AAA", last=LAST - 60))
    await service.refresh()
    async with database.reading() as conn:
        rows = await conn.execute("select distinct status from rvol_actuals")
        assert await rows.fetchall() == [("final",)]


async def test_sessions_have_their_own_days_and_hours(
    service: RvolService, database: Database
) -> None:
    on = calendars.calendar("XNYS")
    sessions = on.days[(on.days <= LAST) & (on.days > LAST - 600)]
    rows = [
        row._replace(day=calendars.date_of(int(day)))
        for row, day in zip(days_of("SPY", n=len(sessions)), sessions, strict=True)
    ]
    await service.put_measures([asset("SPY", calendar="XNYS", target_family="equity")], rows)
    await service.refresh()
    found = await service.forecasts(
        model=None, model_version=None, asset="SPY", horizon="7d", limit=1, latest=True
    )
    row = dict(zip(store.FORECAST_FIELDS, found[0], strict=True))
    assert row["as_of"].isoformat() == "2026-11-19T21:00:00+00:00"
    # Thursday to Thursday holds Thanksgiving: four sessions, the last on Wednesday.
    assert row["steps"] == 4
    assert row["target_end_at"].isoformat() == "2026-11-25T21:00:00+00:00"
    assert row["annualized"] == pytest.approx(np.sqrt(row["variance"] * 252 / 4))


async def test_late_publications_are_replays(service: RvolService, database: Database) -> None:
    await filled(service, "AAA", "BBB")
    await service.refresh()
    async with database.reading() as conn:
        rows = await conn.execute("select day, issued from rvol_sets order by day")
        assert [issued for _, issued in await rows.fetchall()] == ["replay", "replay", "live"]


async def test_versions_are_immutable_and_aliases_follow_the_scores(
    service: RvolService, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    await filled(service, "AAA", "BBB")
    await service.refresh()
    found = {m.model_id: aliases for m, aliases in await service.models()}
    assert found == {
        "blend": ["champion", "latest", "stable"],
        "ewma": [],
        "har": [],
        "log-har": [],
        "pooled-lasso": [],
    }
    monkeypatch.setattr(scorecard, "challenger", lambda scored, champion: "log-har")
    await service.put_measures([], days_of("AAA", last=LAST + 1)[-1:])
    done = await service.refresh()
    assert done.promoted == "log-har"
    found = {m.model_id: aliases for m, aliases in await service.models()}
    assert found["log-har"] == ["champion", "latest"]
    assert found["blend"] == ["stable"]
    rows = await service.forecasts(
        model="champion", model_version=None, asset="AAA", horizon="1d", limit=1, latest=True
    )
    assert rows[0][0] == "log-har"
    async with database.transaction() as conn:
        await store.put_model(
            conn, "blend", issuing.model_version(), code="other", families=[], members=[],
            training="other",
        )  # fmt: skip
        blend = next(m for m in await store.models(conn) if m.model_id == "blend")
        assert blend.code == issuing.code_hash()


def scored(model: str, noise: float, days: int = 300, horizon: int = 1) -> store.ScoredForecasts:
    rng = np.random.default_rng(3)
    actual = np.exp(rng.normal(-7, 1, days))
    forecast = actual * np.exp(noise * rng.standard_normal(days))
    bands = np.stack([forecast * f for f in (0.5, 2, 0.4, 3, 0.3, 4)], axis=1)
    return store.ScoredForecasts(
        "AAA", horizon, model, np.arange(days), forecast, actual, bands, np.zeros(days, bool)
    )


def test_a_challenger_needs_evidence() -> None:
    champion = scored("blend", 0.6)
    assert scorecard.challenger([champion, scored("log-har", 0.3)], "blend") == "log-har"
    assert scorecard.challenger([champion, scored("log-har", 0.6)], "blend") is None
    elsewhere = champion._replace(asset="BBB")
    assert scorecard.challenger([champion, elsewhere, scored("garch", 0.3)], "blend") is None
    few = [scored("blend", 0.6, 100), scored("log-har", 0.3, 100)]
    assert scorecard.challenger(few, "blend") is None


def test_the_scorecard_compares_on_shared_origins() -> None:
    rows = scorecard.rows([scored("blend", 0.3), scored("har", 0.6, 200)])
    by_model = {r["model_id"]: r for r in rows}
    assert by_model["har"]["ratio_to_har"] == 1
    assert by_model["blend"]["ratio_to_har"] < 0.5
    assert by_model["blend"]["n"] == 300
    assert by_model["blend"]["qlike_ex_event"] < by_model["blend"]["qlike"]
    assert set(by_model["blend"]["coverage"]) == {"80", "90", "95"}


async def test_the_scorecard_is_of_what_was_issued(service: RvolService) -> None:
    await filled(service, "AAA", "BBB")
    await service.refresh()
    rows = await service.scorecard(horizon="1d")
    assert {r["asset"] for r in rows} == {"all", "AAA", "BBB"}
    assert {r["model_id"] for r in rows} == {"blend", "log-har", "har", "ewma", "pooled-lasso"}
    blend = next(r for r in rows if r["asset"] == "AAA" and r["model_id"] == "blend")
    assert blend["n"] == 2  # three origins, of which the last window is open
    async with service.database.reading() as conn:
        assert (
            len(await store.scored(conn, RowFilters(asset="AAA", horizon=1, model_id="har"))) == 1
        )


async def test_watchlists_read_the_volatility_of_an_asset(
    service: RvolService, database: Database
) -> None:
    await filled(service, "AAA", "BBB")
    await service.refresh()
    week = NOW.replace(hour=0) - timedelta(days=7)
    async with database.transaction() as conn:
        assert (await store.volatility(conn, ["AAA"]))["AAA"].expected is None
        await conn.execute(  # as if the service had been there a week ago
            "create temp table early as select * from rvol_forecasts f where asset = 'AAA'"
            " and as_of = (select max(as_of) from rvol_forecasts o where o.horizon = f.horizon)"
        )
        await conn.execute("update early set as_of = %s, annualized = 0.5", (week,))
        await conn.execute("insert into rvol_forecasts select * from early")
        found = await store.volatility(conn, ["AAA", "ZZZ"])
    assert set(found) == {"AAA"}
    assert found["AAA"].as_of == NOW.replace(hour=0)
    assert 0.2 < found["AAA"].forecast < 2
    assert found["AAA"].realized is not None
    assert (found["AAA"].completed, found["AAA"].expected) == (week, 0.5)


_REFRESH = """
import asyncio, sys
from augury.rvol import garch
garch.available = lambda: False
from datetime import UTC, datetime
from augury.rvol.service import RvolService
from augury.settings import Settings
from augury.storage.database import Database

async def main():
    database = Database(sys.argv[1], sys.argv[1], pool_size=2)
    await database.start()
    settings = Settings(rvol_horizons="1,7", rvol_replay_days=40)
    service = RvolService(database, settings, clock=lambda: datetime(2026, 11, 20, 3, tzinfo=UTC))
    print("go", flush=True)
    await service.refresh()
    print("done", flush=True)

asyncio.run(main())
"""


@pytest.mark.slow
async def test_killed_at_any_moment_no_set_is_half_published(
    service: RvolService, database: Database, database_url: str
) -> None:
    import random
    import subprocess
    import sys
    import time

    await filled(service, "AAA", "BBB", days=400)  # enough for every model on all of 40 days
    kills = 0
    for seed in range(20):
        process = subprocess.Popen(
            [sys.executable, "-c", _REFRESH, database_url], stdout=subprocess.PIPE, text=True
        )
        assert process.stdout is not None
        assert process.stdout.readline() == "go\n"
        time.sleep(random.Random(seed).uniform(0, 0.5))
        process.kill()
        done = process.communicate()[0]
        kills += "done" not in done
        async with database.reading() as conn:
            rows = await conn.execute(
                "select s.set_id, count(f.asset) from rvol_sets s"
                " left join rvol_forecasts f using (set_id) group by 1"
            )
            assert {n for _, n in await rows.fetchall()} <= {2 * 2 * 5}
        if "done" in done:
            break
    assert kills
    last = subprocess.run(
        [sys.executable, "-c", _REFRESH, database_url], capture_output=True, text=True, check=True
    )
    assert "done" in last.stdout
    assert await count(database, "rvol_sets") == 40
    assert await count(database, "rvol_forecasts") == 40 * 2 * 2 * 5
