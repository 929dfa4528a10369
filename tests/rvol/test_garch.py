"""GARCH: against arch itself, on its schedule, and without the extra."""

from __future__ import annotations

import numpy as np
import pytest
from tests.rvol import simulated

from augury.rvol import garch, learning
from augury.rvol.garch import Garch

# Not importorskip: it would load scipy in each process of a run, whatever that tests.
pytestmark = pytest.mark.skipif(not garch.available(), reason="without the extra `garch`")

TRUE = Garch(omega=4e-6, alpha=0.04, gamma=0.10, beta=0.88, start=2e-4)


def returns(n: int = 4000, seed: int = 1) -> np.ndarray:
    rng = np.random.default_rng(seed)
    out, variance = np.empty(n), TRUE.start
    for t, shock in enumerate(rng.standard_t(8, n) * np.sqrt(6 / 8)):
        out[t] = np.sqrt(variance) * shock
        news = TRUE.alpha + TRUE.gamma * (out[t] < 0)
        variance = TRUE.omega + news * out[t] ** 2 + TRUE.beta * variance
    return out


@pytest.mark.heavy
def test_a_fit_finds_what_made_the_returns() -> None:
    found = garch.fit(returns())
    assert found is not None
    assert found.beta == pytest.approx(TRUE.beta, abs=0.03)
    assert found.alpha + found.gamma / 2 == pytest.approx(0.09, abs=0.03)
    assert garch.persistence(found) == pytest.approx(0.97, abs=0.015)


def test_the_recursion_and_the_mean_over_days_are_those_of_a_slow_twin() -> None:
    r = returns(300)
    variance, expected = TRUE.start, []
    for today in r:
        variance = (
            TRUE.omega + (TRUE.alpha + TRUE.gamma * (today < 0)) * today**2 + TRUE.beta * variance
        )
        expected.append(variance)
    following = garch.next_variance(TRUE, r)
    assert following == pytest.approx(np.array(expected), rel=1e-12)
    ahead, total = following[-1], 0.0
    for _ in range(22):
        total += ahead
        ahead = TRUE.omega + garch.persistence(TRUE) * ahead
    assert garch.mean_variance(TRUE, following[-1], 22) == pytest.approx(total / 22)


def test_its_forecast_is_that_of_arch() -> None:
    from arch import arch_model

    r = returns(1500)
    model = arch_model(r * 100, mean="Zero", vol="GARCH", p=1, o=1, q=1, dist="t", rescale=False)
    fitted = model.fit(disp="off")
    theirs = fitted.forecast(horizon=10).variance.to_numpy()[-1].mean() / 1e4
    found = garch.fit(r)
    assert found is not None
    mine = garch.mean_variance(found, garch.next_variance(found, r)[-1], 10)
    assert mine == pytest.approx(theirs, rel=2e-3)


def test_parameters_are_kept_until_a_fit_is_due(monkeypatch: pytest.MonkeyPatch) -> None:
    given = simulated.panel(assets=3, rows=500).only([1, 2])
    fits: list[int] = []
    fit = garch.fit
    monkeypatch.setattr(garch, "fit", lambda r: fits.append(len(r)) or fit(r))
    windows = {1: learning.TargetWindow(1), 22: learning.TargetWindow(22)}
    due = garch.scheduled_fit_day(int(given.days[0, -1]))
    garch._cached_fit.cache_clear()
    found, before = learning.forecast(given.cut(due - 2), windows)
    for day in range(due - 1, due + 3):
        found, before = learning.forecast(given.cut(day), windows, before)
        assert np.isfinite(found[22].variance["garch"]).any()
    place = int(np.searchsorted(given.days[0], due)) + 1
    assert fits == [place - garch.FIT_EVERY_DAYS] * 2 + [place] * 2
    again, _ = learning.forecast(given.cut(due + 2), windows)
    for horizon in windows:
        made, same = again[horizon].variance["garch"], found[horizon].variance["garch"]
        assert np.array_equal(made, same, equal_nan=True)


def test_where_a_fit_does_not_converge_the_one_before_holds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given = simulated.panel(assets=3, rows=500).only([1, 2])
    day = int(given.days[0, -1])
    earlier = garch.fitted(given, garch.scheduled_fit_day(day) - 1)
    most = int((given.days[0] <= garch.scheduled_fit_day(day)).sum())
    fit = garch.fit
    monkeypatch.setattr(garch, "fit", lambda r: None if len(r) == most else fit(r))
    garch._cached_fit.cache_clear()
    found = garch.fitted(given, day)
    garch._cached_fit.cache_clear()
    assert found is not None
    assert earlier is not None
    assert found.day == garch.scheduled_fit_day(day)
    assert found.assets == earlier.assets


def test_too_few_returns_and_a_missing_extra_are_no_forecast(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert garch.fit(returns(garch.MIN_RETURNS - 1)) is None
    assert garch.fit(np.zeros(500)) is None
    monkeypatch.setattr(garch, "available", lambda: False)
    found, _ = learning.forecast(simulated.panel(assets=2), {1: learning.TargetWindow(1)})
    assert "garch" not in found[1].variance
    assert np.isfinite(found[1].variance["blend"]).all()
