"""Measures against their slow twins, against published values, and by their own properties."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.rvol import twins

from augury.rvol import bars, measures

SHARED = Path(__file__).parents[3] / "shared" / "data" / "rvol"


def path_of(n: int, *shape: int, seed: int = 1) -> np.ndarray:
    r = np.random.default_rng(seed).standard_t(4, (*shape, n)) * 1e-3
    start = np.zeros((*shape, 1))
    return 100 * np.exp(np.concatenate([start, np.cumsum(r, axis=-1)], axis=-1))


@pytest.mark.parametrize("name", ["rv", "bv", "rsv_neg", "rsv_pos", "medrv", "rq", "tq"])
def test_fast_measures_equal_their_slow_twins(name: str) -> None:
    path = path_of(288, 3)
    fast = getattr(measures.daily(path, 5), name)
    for day in range(3):
        r = np.diff(np.log(path[day])).tolist()
        assert fast[day] == pytest.approx(getattr(twins, name)(r), rel=1e-10)


def test_the_kernel_and_the_subsampled_variance_equal_their_twins() -> None:
    path = path_of(390, 2)
    found = measures.daily(path, 1)
    for day in range(2):
        prices = np.log(path[day])
        sparse = np.diff(prices[::15]).tolist()
        assert found.rk[day] == pytest.approx(twins.rk(np.diff(prices).tolist(), sparse))
        assert found.rv[day] == pytest.approx(twins.subsampled(prices.tolist(), 5))


def test_a_day_alone_and_among_others_measures_the_same() -> None:
    path = path_of(288, 4)
    together, alone = measures.daily(path, 5), measures.daily(path[2], 5)
    for name in ("rv", "bv", "medrv", "rk", "rq", "tq", "rsv_neg", "rsv_pos"):
        assert getattr(together, name)[2] == pytest.approx(getattr(alone, name), rel=1e-12)


def test_semivariances_add_up_and_the_level_of_prices_does_not_matter() -> None:
    path = path_of(288, 2)
    found, scaled = measures.daily(path, 5), measures.daily(path * 1e-6, 5)
    assert np.allclose(found.rsv_neg + found.rsv_pos, found.rv)
    assert np.allclose(scaled.rv, found.rv)


def test_a_jump_is_in_rv_and_hardly_in_the_robust_measures() -> None:
    path = path_of(288)
    jumped = path.copy()
    jumped[150:] *= 1.05
    before, after = measures.daily(path, 5), measures.daily(jumped, 5)
    jump = np.log(1.05) ** 2
    assert after.rv - before.rv == pytest.approx(jump, rel=0.1)
    assert after.bv - before.bv < 0.15 * jump
    assert after.medrv - before.medrv < 0.05 * jump


def test_noise_inflates_rv_of_every_bar_and_not_the_kernel() -> None:
    rng = np.random.default_rng(7)
    prices = np.cumsum(np.full((200, 1440), 1.0) * rng.normal(0, 5e-4, (200, 1440)), axis=1)
    noisy = np.exp(prices + rng.normal(0, 5e-4, prices.shape))
    path = np.concatenate([np.ones((200, 1)), noisy], axis=1)
    true = 1440 * 5e-4**2
    dense = measures.realized_variance(np.diff(np.log(path), axis=-1)).mean()
    found = measures.daily(path, 1)
    assert dense > 2.5 * true
    assert found.rk.mean() == pytest.approx(true, rel=0.12)
    assert found.rv.mean() < dense / 2


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared realized measures are not here")
@pytest.mark.parametrize("asset", ["BTCUSDT", "ETHUSDT"])
def test_measures_of_real_bars_are_the_published_ones(asset: str) -> None:
    import polars as pl

    table = pl.read_parquet(SHARED / "bars" / f"{asset}_5m.parquet").filter(
        pl.col("date").dt.year() == 2024, pl.col("date").dt.month() == 3
    )
    published = {
        row["date"].date(): row
        for row in pl.read_parquet(SHARED / "realized.parquet")
        .filter(pl.col("asset") == asset)
        .iter_rows(named=True)
    }
    checked = 0  # the file starts a day at the last close before it, ours at its first price
    for (date,), day in table.group_by([pl.col("date").dt.date()]):
        stamps = day["date"].dt.epoch("s").to_numpy()
        values = day.select("open", "high", "low", "close", "volume").to_numpy()
        start = int(stamps.min()) // 86400 * 86400
        grid = bars.on_grid(
            stamps, values, start=start, end=start + 86400, minutes=5, previous=None
        )
        found, row = measures.daily(grid.path, 5), published[date]
        assert found.open_to_close == pytest.approx(row["open_to_close"], abs=1e-5)
        for name in ("rv", "bv", "rsv_neg", "rsv_pos", "medrv", "rq", "tq"):
            assert getattr(found, name) == pytest.approx(row[name], rel=1e-4), (date, name)
        checked += 1
    assert checked == 31
