"""Co-movement: what is planted is found, what is chance is not, and what is known is remembered."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from augury.markets import store as markets
from augury.markets.records import Market, PricePoint
from augury.relations import comovement
from augury.relations.moving import STEP_LENGTH, CoMovements, moving_pairs
from augury.relations.store import PricedStep
from augury.storage.database import Database


def walks(rng: np.random.Generator, rows: int, steps: int = 120) -> np.ndarray:
    return rng.standard_normal((rows, steps)).astype(np.float32) * 0.1


def own_events(rows: int) -> np.ndarray:
    return np.arange(rows)


def test_planted_pairs_are_found_with_their_sign_and_lag() -> None:
    rng = np.random.default_rng(1)
    changes = walks(rng, 60)
    changes[1] = changes[0] + 0.03 * rng.standard_normal(120)
    changes[3] = -changes[2] + 0.03 * rng.standard_normal(120)
    changes[5, 2:] = changes[4, :-2] + 0.03 * rng.standard_normal(118)
    pairs = comovement.co_movements(changes, own_events(60))
    found = {(p.first, p.second): p for p in pairs}
    assert found[0, 1].correlation > 0.8
    assert found[0, 1].lag == 0
    assert found[2, 3].correlation < -0.8
    assert found[4, 5].lag == 2
    assert len(found) <= 5


@pytest.mark.heavy
def test_among_series_that_share_nothing_hardly_any_pair_is_named() -> None:
    named = [
        len(comovement.co_movements(walks(np.random.default_rng(seed), 80), own_events(80)))
        for seed in range(10)
    ]
    assert sum(named) <= 10  # of 284,400 pairs and lags


def test_markets_of_one_event_are_not_compared() -> None:
    rng = np.random.default_rng(2)
    changes = walks(rng, 30)
    changes[1] = changes[0]
    events = own_events(30)
    events[1] = events[0]
    assert not any({p.first, p.second} == {0, 1} for p in comovement.co_movements(changes, events))


def test_a_batch_of_changed_markets_finds_its_own_pairs() -> None:
    rng = np.random.default_rng(3)
    changes = walks(rng, 40)
    changes[7] = changes[30] * 1.1 + 0.01 * rng.standard_normal(120)
    changes[8] = changes[20] * 0.9 + 0.01 * rng.standard_normal(120)
    pairs = comovement.co_movements(changes, own_events(40), focus=np.array([7]))
    assert [{p.first, p.second} for p in pairs] == [{7, 30}]


def test_an_empty_book_is_no_news() -> None:
    prices = np.full((1, 12), 0.2)
    prices[0, 5] = 0.5  # and back at the next step
    changes = comovement.log_odds_changes(prices)
    assert np.isnan(changes[0, 4:6]).all()
    assert np.isfinite(np.delete(changes[0], [4, 5])).all()
    stays = np.full((1, 12), 0.2)
    stays[0, 5:] = 0.5
    assert np.isfinite(comovement.log_odds_changes(stays)).all()


@pytest.mark.parametrize("p", [0.01, 0.3, 0.5, 0.77, 0.999])
def test_the_normal_quantile_is_near_the_true_one(p: float) -> None:
    from statistics import NormalDist

    approximate = comovement._normal_quantile(np.array([p]))[0]
    assert approximate == pytest.approx(NormalDist().inv_cdf(p), abs=1e-3)


def test_the_tail_of_chance_is_never_put_too_low() -> None:
    from math import erfc, sqrt

    for z in (0.0, 0.5, 1.0, 2.0, 3.0, 5.0, 8.0):
        bound = comovement._two_sided(np.array([z], np.float32))[0]
        assert erfc(z / sqrt(2)) * 0.999 <= bound <= 1.2 * erfc(z / sqrt(2))


def test_histories_of_different_lengths_are_laid_on_one_grid() -> None:
    rng = np.random.default_rng(4)
    path = np.cumsum(rng.standard_normal(60) * 0.2)
    prices = 1 / (1 + np.exp(-path))
    priced = [PricedStep(10, "a", 100 + n, float(p)) for n, p in enumerate(prices)]
    priced += [PricedStep(20, "b", 100 + n, float(p)) for n, p in enumerate(prices) if n > 5]
    priced += [
        PricedStep(30 + k, f"c{k}", 100 + n, float(0.5 + 0.3 * np.sin(rng.standard_normal())))
        for k in range(20)
        for n in range(60)
    ]
    rows, compared = moving_pairs(priced)
    assert compared == 22
    assert [(row.first_seq, row.second_seq) for row in rows if row.q < 0.01] == [(10, 20)]


@pytest.mark.anyio
async def test_what_was_measured_is_kept_and_read_by_others(database: Database) -> None:
    at = datetime(2026, 11, 20, tzinfo=UTC)
    rng = np.random.default_rng(5)
    together = 1 / (1 + np.exp(-np.cumsum(rng.standard_normal(60) * 0.2)))
    histories = {1: together, 2: together}
    for n in range(3, 25):
        histories[n] = 1 / (1 + np.exp(-np.cumsum(rng.standard_normal(60) * 0.2)))
    records = [
        Market(
            id=f"polymarket:{n}", platform="polymarket", platform_id=str(n),
            question=f"Question {n}?", title=f"Question {n}?", event_id=f"e{n}", observed_at=at,
        )
        for n in histories
    ]  # fmt: skip
    points = [
        PricePoint(
            market_id=f"polymarket:{n}", outcome=0, at=at - STEP_LENGTH * (60 - k), price=float(p)
        )
        for n, prices in histories.items()
        for k, p in enumerate(prices)
    ]
    async with database.transaction() as conn:
        await markets.upsert_markets(conn, records)
        await markets.append_prices(conn, points)
    co_movements = CoMovements(database, clock=lambda: at + timedelta(hours=1))
    await co_movements.measure()
    async with database.reading() as conn:
        seqs = {m.id: m.seq for m in await markets.fetch(conn, ["polymarket:1", "polymarket:2"])}
    one, two = seqs["polymarket:1"], seqs["polymarket:2"]
    other = CoMovements(database)
    assert other.partners([one]) == {}
    await other.refresh()
    for known in (co_movements, other):
        assert known.partners([one])[two].correlation > 0.95
        assert known.partners([two])[one].steps >= 50
