"""Models: no look at what came after, the same answer by two ways, and the pitfalls."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pytest
from tests.rvol import simulated

from augury.rvol import features, learning, models, panel, regression
from augury.rvol.members import MEMBERS
from augury.rvol.walk import walk


def issued(
    given: panel.Panel, days: int, before: learning.Checkpoint | None = None
) -> models.Forecasts:
    return learning.forecast(given, {days: learning.TargetWindow(days)}, before)[0][days]


def with_noise_after(given: panel.Panel, day: int, seed: int = 11) -> panel.Panel:
    """The same up to `day`, nonsense after it."""
    rng = np.random.default_rng(seed)
    later = (given.days > day) & (given.days != panel.NO_DAY)
    changes = {}
    for name in panel.MEASURES:
        values = getattr(given, name).copy()
        values[later] = np.exp(rng.normal(-3, 2, int(later.sum())))
        changes[name] = values
    return replace(given, **changes)


@pytest.mark.parametrize("days", [1, 5, 22])
@pytest.mark.parametrize("continuous", [True, False])
def test_noise_after_t_changes_no_forecast_up_to_t(days: int, continuous: bool) -> None:
    given = simulated.panel(continuous=continuous)
    day = int(given.days[0, 430])
    before, after = walk(given, days, 300), walk(with_noise_after(given, day), days, 300)
    seen = set()
    for clean, noisy in zip(before, after, strict=True):
        known = clean.days <= day
        assert known.any()
        for name, values in clean.forecasts.items():
            assert np.array_equal(values[known], noisy.forecasts[name][known], equal_nan=True), name
            assert name == "garch" or np.isfinite(values).all(), name
            seen.add(name)
        assert np.array_equal(clean.log_variance[known], noisy.log_variance[known])
    assert seen == {*MEMBERS, "blend", "ewma", "garch"}


@pytest.mark.parametrize("days", [1, 7, 22])
def test_what_is_issued_from_data_cut_at_t_is_bit_equal(days: int) -> None:
    recomputed(days, (350, 420, 499))


@pytest.mark.slow
@pytest.mark.parametrize("days", [1, 5, 7, 22, 30])
def test_what_is_issued_at_500_origins_is_bit_equal(days: int) -> None:
    recomputed(days, range(400, 500))


def recomputed(days: int, rows: Iterable[int]) -> None:
    given = simulated.panel(short=1)
    for row in rows:
        day = int(given.days[0, row])
        first = issued(given.cut(day), days)
        again = issued(with_noise_after(given, day).cut(day), days)
        for name, values in (first.variance | first.members).items():
            assert np.array_equal(values, (again.variance | again.members)[name], equal_nan=True)
        for name, values in first.log_variance.items():
            assert np.array_equal(values, again.log_variance[name], equal_nan=True)


@pytest.mark.parametrize("continuous", [True, False])
def test_one_more_day_on_a_checkpoint_is_bit_equal_to_all_of_it(continuous: bool) -> None:
    given = ragged(simulated.panel(assets=6, rows=400, continuous=continuous, short=2))
    windows = {
        1: learning.TargetWindow(1),
        7: learning.TargetWindow(5, not continuous),
        22: learning.TargetWindow(22),
    }
    before, used = None, 0
    for day in np.unique(given.days)[250:-1:5].tolist():
        cut = given.cut(day)
        cut = cut.only(np.flatnonzero(cut.lengths > 0).tolist())
        if before is not None and not before.fits(cut, windows):
            before = None
        used += before is not None and bool((before.state.rows > 0).all())
        quick, after = learning.forecast(cut, windows, before)
        slow, _ = learning.forecast(cut, windows)
        for horizon in windows:
            for part in ("variance", "members", "log_variance", "contributions", "values"):
                for name, values in getattr(slow[horizon], part).items():
                    same = getattr(quick[horizon], part)[name]
                    assert np.array_equal(values, same, equal_nan=True), (day, horizon, part, name)
        before = after
    assert used >= 10


def ragged(given: panel.Panel) -> panel.Panel:
    """Without some days of some assets."""
    rng = np.random.default_rng(2)
    series = {}
    for i, name in enumerate(given.assets):
        kept = (rng.random(given.days.shape[1]) > 0.02) & (given.days[i] != panel.NO_DAY)
        measures = {m: getattr(given, m)[i, kept] for m in panel.MEASURES}
        series[name] = (given.days[i, kept], measures)
    return panel.pack(series, continuous=given.continuous)


def test_a_checkpoint_of_another_past_does_not_fit() -> None:
    given = simulated.panel(rows=300)
    windows = {1: learning.TargetWindow(1)}
    _, known = learning.forecast(given.cut(int(given.days[0, -2])), windows)
    assert known.fits(given, windows)
    rv = given.rv.copy()
    rv[1, 40] *= 1 + 1e-9
    assert not known.fits(replace(given, rv=rv), windows)
    assert not known.fits(given.only([0, 1, 2]), windows)
    assert not known.fits(given, {1: learning.TargetWindow(1), 5: learning.TargetWindow(5)})


def test_of_a_large_class_every_asset_has_its_turn_with_the_gamma_regression(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(models, "POOL_ASSETS", 2)
    given = simulated.panel(assets=5, rows=300)
    mine = models.gamma_training_rows(given)
    assert (mine.sum(axis=0) <= 2).all()
    assert (mine.sum(axis=1) == 100).all()
    # Three turns: in a week each asset teaches on every day of the week.
    assert all({int(d) % 7 for d in given.days[i, mine[i]]} == set(range(7)) for i in range(5))
    now = issued(given, 1)
    assert np.isfinite(now.members["pooled-gamma"]).all()


@pytest.mark.parametrize("days", [1, 5, 22])
@pytest.mark.parametrize("continuous", [True, False])
def test_walking_and_issuing_are_two_ways_to_the_same_forecast(
    days: int, continuous: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("augury.rvol.walk.GAMMA_EVERY", 1)
    given = simulated.panel(continuous=continuous)
    for row in (400, 455):
        now = issued(given.cut(int(given.days[0, row])), days)
        for i, walked in enumerate(walk(given, days, 300)):
            at = row - 300
            for name, values in walked.forecasts.items():
                mine = {**now.variance, **now.members}.get(name)
                if mine is not None:
                    expected = pytest.approx(values[at] * days, rel=1e-5, nan_ok=True)
                    assert mine[i] == expected, name
            assert now.log_variance["blend"][i] == pytest.approx(walked.log_variance[at], rel=1e-6)


def test_targets_whose_window_is_open_teach_nothing() -> None:
    given = simulated.panel(assets=2)
    made = features.design(given)
    for days in (1, 5, 22):
        ok = models.problem(given, made, days).ok
        assert not ok[:, -days:].any()
        assert ok[:, -days - 1].all()


def test_a_window_with_a_missing_day_is_none_where_the_market_never_closes() -> None:
    days = np.array([10, 11, 12, 14, 15, 16, 17])
    given = panel.pack({"A": (days, {"rv": np.full(7, 1e-4)})}, continuous=True)
    assert models.window_ends(given, 2).tolist() == [[2, -1, -1, 5, 6, -1, -1]]


def test_a_week_of_sessions_is_counted_by_the_calendar() -> None:
    # Monday to Friday, a week with a holiday on Wednesday, then Monday.
    days = np.array([4, 5, 6, 7, 8, 11, 12, 14, 15, 18])
    given = panel.pack({"A": (days, {"rv": np.arange(1.0, 11)})}, continuous=False)
    ends = models.window_ends(given, 7, by_calendar=True)
    assert ends.tolist() == [[5, 6, 6, 7, 8, 9, -1, -1, -1, -1]]
    means = models.window_means(given.rv, ends)
    assert means[0, 0] == pytest.approx(np.mean([2, 3, 4, 5, 6]))
    assert means[0, 4] == pytest.approx(np.mean([6, 7, 8, 9]))
    assert np.isnan(means[0, 6])


def test_the_mean_is_forecast_and_not_the_median() -> None:
    given = simulated.panel(assets=3, rows=1500, seed=2)
    for days in (1, 5):
        for walked in walk(given, days, 500):
            known = np.isfinite(walked.actual)
            ratio = walked.actual[known].mean() / walked.forecasts["blend"][known].mean()
            assert 0.85 < ratio < 1.15


def test_bands_cover_what_they_say() -> None:
    given = simulated.panel(assets=4, rows=1500, seed=9)
    for days, slack in ((1, 0.03), (5, 0.05), (22, 0.08)):
        inside: dict[str, list[np.ndarray]] = {name: [] for name in models.BAND_QUANTILES}
        for walked in walk(given, days, 500):
            known = np.isfinite(walked.actual)
            bounds = models.bands(walked.forecasts["blend"], walked.log_variance, days)
            for name, (low, high) in bounds.items():
                hit = (walked.actual >= low) & (walked.actual <= high)
                inside[name].append(hit[known])
        for name, hits in inside.items():
            assert abs(np.concatenate(hits).mean() - int(name) / 100) < slack


def test_one_historic_day_does_not_bend_the_inputs_for_a_month() -> None:
    given = simulated.panel(assets=1)
    wild = given.rv.copy()
    wild[0, 450] *= 500
    made = features.design(replace(given, rv=wild))
    calm = features.design(given)
    monthly = features.INDEX["m"]
    moved = made.x[0, 460, monthly] - calm.x[0, 460, monthly]
    assert 0 < moved < np.log(2.5)
    # What was realized stays what it was.
    assert models.problem(replace(given, rv=wild), made, 1).means[0, 449] == wild[0, 450]


def test_a_short_history_is_forecast_by_the_pool_alone_and_a_lone_one_by_itself() -> None:
    given = simulated.panel(assets=5, rows=800, short=1)
    now = issued(given, 1)
    own = [n for n, m in MEMBERS.items() if not m.pooled and n in now.members]
    assert all(np.isnan(now.members[name][-1]) for name in own)
    assert np.isfinite(now.variance["blend"]).all()
    assert all(np.isfinite(v).all() for v in now.log_variance.values())
    alone = issued(given.only([4]), 1)
    assert np.isfinite(alone.variance["blend"]).all()
    assert np.isnan(issued(given.only([4]).cut(int(given.days[4, 60])), 1).variance["blend"]).all()


def test_a_pegged_coin_does_not_bend_the_pool() -> None:
    given = simulated.panel(assets=3, rows=600)
    rv = np.exp(np.random.default_rng(1).normal(-20, 3, (1, 600)))
    pegged = panel.pack(
        {
            **{a: (given.days[i], {m: getattr(given, m)[i] for m in panel.MEASURES})
               for i, a in enumerate(given.assets)},
            "USDX": (given.days[0], {"rv": rv[0]}),
        },
        continuous=True,
    )  # fmt: skip
    with_, without = issued(pegged, 1), issued(given, 1)
    # Its own factor enters the class means; the coefficients of the pool do not move with it.
    assert with_.members["pooled-ridge"][:3] == pytest.approx(
        without.members["pooled-ridge"], rel=0.35
    )
    made = features.design(pegged)
    rows = models.pooled_rows(models.problem(pegged, made, 1))
    assert not rows[3].any()
    assert rows[:3].any(axis=1).all()


def test_forecasts_stay_within_what_was_ever_realized() -> None:
    given = simulated.panel(assets=2)
    wild = given.rv.copy()
    wild[:, -1] = 50.0
    now = issued(replace(given, rv=wild), 1)
    most = models.window_means(wild, models.window_ends(given, 1))
    for values in now.members.values():
        assert (values <= np.nanmax(most, axis=1)).all()
        assert (values > 0).all()


def test_contributions_explain_how_the_forecast_differs_from_a_typical_day() -> None:
    given = simulated.panel(assets=3)
    now = issued(given, 1)
    assert set(now.contributions) == set(features.FAMILIES)
    calm = issued(replace(given, rv=_scaled_last(given.rv, 0.2)), 1)
    assert (calm.contributions["realized_variance"] < now.contributions["realized_variance"]).all()


def _scaled_last(values: np.ndarray, factor: float) -> np.ndarray:
    out = values.copy()
    out[:, -1] *= factor
    return out


def test_the_weekend_of_the_window_is_counted_from_the_calendar() -> None:
    # 1970-01-05 was a Monday: day 4.
    given = panel.pack({"A": (np.arange(4, 18), {"rv": np.full(14, 1e-4)})}, continuous=True)
    x = features.with_window(features.design(given).x, given.days, 2, continuous=True)
    weekend, monday = x[0, :, features.INDEX["weekend"]], x[0, :, features.INDEX["monday"]]
    #             Mo  Tu  We  Th  Fr  Sa  Su
    assert weekend[:7].tolist() == [0, 0, 0, 0.5, 1.0, 0.5, 0]
    assert monday[:7].tolist() == [0, 0, 0, 0, 0, 0.5, 0.5]


def sums_of(
    x: np.ndarray,
    y: np.ndarray,
    ok: np.ndarray,
    weights: np.ndarray | None = None,
    centre: float | None = None,
) -> regression.Sums:
    weighted = None if weights is None else weights[None]
    return regression.sums(x[None], y[None], ok[None], weighted, centre=centre)[0].at(0)


def test_least_squares_from_sums_is_least_squares() -> None:
    rng = np.random.default_rng(0)
    x = np.column_stack([np.ones(300), rng.normal(size=(300, 3)) * [1, 100, 1e-3]])
    y = x @ [1.0, 2.0, -0.1, 300.0] + rng.normal(size=300)
    ok = rng.random(300) < 0.8
    b, residual = regression.solve(sums_of(x, y, ok), 0.0)
    exact, squares, *_ = np.linalg.lstsq(x[ok], y[ok], rcond=None)
    assert b == pytest.approx(exact, rel=1e-6)
    assert residual == pytest.approx(squares[0] / (ok.sum() - 4), rel=1e-6)
    weights = rng.random(300)
    b, _ = regression.solve(sums_of(x, y, ok, weights), 0.0)
    root = np.sqrt(weights[ok])
    exact, *_ = np.linalg.lstsq(x[ok] * root[:, None], y[ok] * root, rcond=None)
    assert b == pytest.approx(exact, rel=1e-6)


def test_columns_that_say_nothing_or_repeat_each_other_do_no_harm() -> None:
    rng = np.random.default_rng(0)
    z = rng.normal(size=200)
    x = np.column_stack([np.ones(200), z, z, np.zeros(200), np.full(200, 3.0)])
    b, _ = regression.solve(sums_of(x, 1 + 2 * z, np.ones(200, dtype=bool)), 0.0)
    assert b[1] + b[2] == pytest.approx(2, rel=1e-6)
    assert b[3] == b[4] == 0


def test_running_and_fading_sums_end_where_the_others_do() -> None:
    rng = np.random.default_rng(0)
    x, y = np.column_stack([np.ones(90), rng.normal(size=(90, 2))]), rng.normal(size=90)
    ok = rng.random(90) < 0.7
    whole, last = sums_of(x, y, ok), regression.running_sums(x, y, ok).at(-1)
    assert np.allclose(whole.xx, last.xx)
    assert np.allclose(whole.xy, last.xy)
    fading = regression.fading_sums(x, y, ok, 20.0).at(-1)
    faded = sums_of(x, y, ok, centre=20.0)
    assert np.allclose(fading.xx, faded.xx)
    weights = np.where(ok, (20 / 21) ** (ok[::-1].cumsum()[::-1] - 1.0), 0.0)
    assert fading.n == pytest.approx(weights.sum())
    assert faded.n == pytest.approx(weights.sum())
    b = np.array([0.1, -0.2, 0.3])
    error = (weights * (y - x @ b) ** 2).sum() / weights.sum()
    assert regression.mean_square_error(fading, b) == pytest.approx(error)


@pytest.mark.parametrize("centre", [None, 20.0])
def test_sums_gone_on_with_at_a_blocks_edge_are_the_same_bits(centre: float | None) -> None:
    rng = np.random.default_rng(0)
    rows = 5 * regression.BLOCK_ROWS - 7
    x, y = rng.normal(size=(3, rows, 4)), rng.normal(size=(3, rows))
    x[..., 0] = 1.0
    ok = rng.random((3, rows)) < 0.9
    keep = np.array([0, 2, 4])
    whole, part = regression.sums(x, y, ok, keep=keep, centre=centre)
    for i, blocks in enumerate(keep):
        rest = slice(blocks * regression.BLOCK_ROWS, None)
        again, _ = regression.sums(
            x[i : i + 1, rest], y[i : i + 1, rest], ok[i : i + 1, rest],
            before=part.at(np.array([i])), centre=centre,
        )  # fmt: skip
        for name in ("xx", "xy", "yy", "n"):
            assert np.array_equal(getattr(again, name)[0], getattr(whole, name)[i]), name


def test_the_lasso_meets_the_conditions_of_its_minimum_and_leaves_regressors_out() -> None:
    rng = np.random.default_rng(0)
    x = np.column_stack([np.ones(2000), rng.normal(size=(2000, 6)) * [1, 100, 1e-3, 1, 1, 1]])
    x[:, 6] = 0.7 * x[:, 1] + 0.7 * x[:, 6]
    y = x @ [2.0, 1.0, 0.005, 0.0, 0.0, 0.3, 0.0] + rng.normal(size=2000)
    given = sums_of(x, y, np.ones(2000, dtype=bool))
    b, residual = regression.lasso(given, 0.2)
    left = y - x @ b
    assert left.mean() == pytest.approx(0, abs=1e-9)
    z = (x[:, 1:] - x[:, 1:].mean(axis=0)) / x[:, 1:].std(axis=0)
    slope = z.T @ left / 2000
    most = 0.2 * np.abs(z.T @ (y - y.mean()) / 2000).max()
    inside = b[1:] != 0
    assert inside.tolist() == [True, True, False, False, True, False]
    assert slope[inside] == pytest.approx(np.sign(b[1:][inside]) * most, rel=1e-6)
    assert (np.abs(slope[~inside]) <= most).all()
    assert residual == pytest.approx(left @ left / (2000 - 7), rel=1e-6)
    assert regression.lasso(given, 0.0)[0] == pytest.approx(regression.solve(given, 0.0)[0])


def test_the_gamma_regression_finds_the_coefficients_and_minimizes_qlike() -> None:
    rng = np.random.default_rng(0)
    x = np.column_stack([np.ones(4000), rng.normal(size=(4000, 2))])
    mean = np.exp(x @ [0.3, 0.8, -0.5])
    y = mean * rng.gamma(3, 1 / 3, 4000)
    given = sums_of(x, np.log(y), np.ones(4000, dtype=bool))
    start, residual = regression.solve(given, 0.0)
    start[0] += 0.5 * residual
    b = regression.gamma(x, y, np.ones(4000, dtype=bool), start, given, [0, 1, 2], 0.0)
    assert b == pytest.approx([0.3, 0.8, -0.5], abs=0.03)

    def loss(b: np.ndarray) -> float:
        return float(np.mean(y * np.exp(-(x @ b)) + x @ b))

    assert all(loss(b) <= loss(b + step) for step in 0.02 * np.vstack([np.eye(3), -np.eye(3)]))
