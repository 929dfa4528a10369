"""The command `augury bench rvol`: times, on this machine and generated data, how long realized
measures, API routes and refits of the models take."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from augury.net.cookies import no_cookies
from augury.rvol import calendars, issuing, learning, measures, models, store
from augury.rvol.learning import Checkpoint
from augury.rvol.panel import Panel, pack
from augury.settings import Settings

HORIZONS = (1, 5, 7, 22, 30)


def run(assets: int, days: int, requests: int) -> dict[str, Any]:
    """Run all benchmarks of the volatility code on generated data. Returns by name: the size of the
    data, the CPU seconds for refitting the models and for forecasting one more day, the seconds for
    computing realized measures, and the milliseconds for requests to HTTP routes."""
    panel = made_up(assets, days)
    result: dict[str, Any] = {
        "assets": assets,
        "days": days,
        "horizons": len(HORIZONS),
        **_fits(panel),
        "minute_bars_to_measures_s": _best(lambda: _measured(assets)),
    }
    result |= asyncio.run(_routes(requests))
    return result


def made_up(assets: int, days: int, seed: int = 1) -> Panel:
    """Generated daily measures (e.g. realized variance) of `assets` assets over `days` days, for a
    market that trades every day."""
    rng = np.random.default_rng(seed)
    log = np.cumsum(rng.normal(0, 0.1, (assets, days)), axis=1)
    log -= 0.02 * np.cumsum(log, axis=1) / np.arange(1, days + 1)
    rv = np.exp(-7 + 0.3 * log / np.abs(log).max(axis=1, keepdims=True) * 8)
    rv *= rng.gamma(20, 1 / 20, rv.shape)
    when = np.arange(20_000, 20_000 + days)
    return pack(
        {
            f"A{i:04}": (
                when,
                {
                    "rv": rv[i], "bv": rv[i] * 0.95, "rsv_neg": rv[i] * 0.5, "rsv_pos": rv[i] * 0.5,
                    "rq": rv[i] ** 2, "ret": np.sqrt(rv[i]) * rng.standard_normal(days),
                },
            )
            for i in range(assets)
        },
        continuous=True,
    )  # fmt: skip


def _fits(panel: Panel) -> dict[str, float]:
    """Measure the CPU seconds of two steps: refitting all models on all days, and forecasting one
    more day from the checkpoint that such a refit returns. Returns them by name of the step."""
    before = panel.cut(int(panel.days[0, -2]))
    known = _refit(before)
    return {
        "refit_cpu_s": _best(lambda: _refit(before), clock=time.process_time),
        "next_day_cpu_s": _best(lambda: _next_day(panel, known), clock=time.process_time),
    }


def _refit(panel: Panel) -> Checkpoint:
    found, known = learning.forecast(panel, {h: learning.TargetWindow(h) for h in HORIZONS})
    for horizon, made in found.items():
        models.bands(made.variance["blend"], made.log_variance["blend"], horizon)
    return known


def _next_day(panel: Panel, before: Checkpoint) -> None:
    """The step that is timed as `next_day_cpu_s`: forecast one more day from a checkpoint (what the
    models keep of earlier days), including the check that the checkpoint was made from the same
    past data."""
    windows = {h: learning.TargetWindow(h) for h in HORIZONS}
    assert before.fits(panel, windows)
    found, _ = learning.forecast(panel, windows, before)
    for horizon, made in found.items():
        models.bands(made.variance["blend"], made.log_variance["blend"], horizon)


def _measured(assets: int) -> None:
    rng = np.random.default_rng(2)
    returns = rng.normal(0, 5e-4, (assets, 1440))
    path = np.exp(np.concatenate([np.zeros((assets, 1)), np.cumsum(returns, axis=1)], axis=1))
    measures.daily(path, 1)


def _best(
    work: Callable[[], object], rounds: int = 3, clock: Callable[[], float] = time.perf_counter
) -> float:
    seconds = []
    for _ in range(rounds):
        began = clock()
        work()
        seconds.append(clock() - began)
    return round(min(seconds), 3)


async def _routes(requests: int) -> dict[str, Any]:
    """Measure the times of requests over HTTP to /v1/rvol/latest and /v1/rvol/history, on a service
    with 12,000 forecasts. Returns, by name of the measurement, percentiles in milliseconds."""
    import httpx2

    from augury.app import create_app
    from augury.http.server import Server, config
    from augury.logs import configure
    from augury.search.load import percentiles

    with TemporaryDirectory(prefix="augury-bench-") as folder:
        settings = Settings(
            data_dir=Path(folder), sync="off", sample="off", rvol_rate="1000000/s", port=0,
            log_level="error", database_url=None, database_direct_url=None,
        )  # fmt: skip
        configure(settings)
        app = create_app(settings)
        server = Server(config(app, settings))
        task = asyncio.create_task(server.serve())
        while not server.started:  # noqa: ASYNC110 - uvicorn offers no event
            await asyncio.sleep(0.05)
        try:
            services = app.state.services
            await _fill(services.database)
            _, key = await services.access.create_key("bench", ["rvol:read"])
            await services.access.set_rvol_approved("bench", True)
            port = server.servers[0].sockets[0].getsockname()[1]
            async with httpx2.AsyncClient(
                base_url=f"http://127.0.0.1:{port}",
                headers={"Authorization": f"Bearer {key}"},
                timeout=30,
                cookies=no_cookies(),
                trust_env=False,
            ) as client:
                out = {}
                for name, path, n in (
                    ("latest", "/v1/rvol/latest?asset=A01&horizon=7d", requests),
                    # Every request differs, so that no answer comes from the cache.
                    ("latest_cold", "/v1/rvol/latest?limit={}", requests // 10),
                    ("history_10000_json", "/v1/rvol/history?limit={}", 12),
                    ("history_10000_parquet", "/v1/rvol/history?format=parquet&limit={}", 12),
                ):
                    seconds = []
                    most = 10_000 if "history" in name else 1_000
                    for k in range(n + 2):
                        began = time.perf_counter()
                        answer = await client.get(path.format(most - k))
                        answer.raise_for_status()
                        seconds.append(time.perf_counter() - began)
                    out[f"{name}_ms"] = percentiles(seconds[2:])
                return out
        finally:
            server.should_exit = True
            await task


async def _fill(database: Any, assets: int = 30, days: int = 400) -> None:
    now = datetime(2026, 11, 20, tzinfo=UTC)
    names = [f"A{i:02}" for i in range(assets)]
    async with database.transaction() as conn:
        await store.put_assets(
            conn,
            (
                store.CoveredAsset(
                    asset=n, display_name=n, target_family="crypto", calendar=calendars.ALWAYS,
                    minutes=5,
                )
                for n in names
            ),
        )  # fmt: skip
        for day in range(days):
            as_of = now - timedelta(days=day)
            rows = [
                issuing.VarianceForecast(
                    n, 7, "blend", as_of, as_of, as_of + timedelta(days=7), 7,
                    1e-3 * (1 + day / 1000), 0.4, (5e-4, 2e-3, 4e-4, 3e-3, 3e-4, 4e-3), None, None,
                )
                for n in names
            ]  # fmt: skip
            await store.publish(
                conn, rows, family="crypto@24/7", day=as_of.date(), issued="replay", known_at=now,
                inputs="", model_version="bench", assets=names,
            )  # fmt: skip
        await store.invalidate_answers(conn)
        await conn.execute("analyze rvol_forecasts")


def table(result: dict[str, Any]) -> str:
    """The measurements that `run` returned, as lines of text."""
    lines = [
        f"{result['assets']} assets x {result['days']} days x {result['horizons']} horizons",
        f"features, refit of every model, forecasts, bands: {result['refit_cpu_s']} s of CPU",
        f"the same for one more day, from a checkpoint: {result['next_day_cpu_s']} s of CPU",
        f"a day of one-minute bars to measures: {result['minute_bars_to_measures_s']} s",
    ]
    lines += [f"{name}: {value}" for name, value in result.items() if name.endswith("_ms")]
    return "\n".join(lines)
