"""The commands `augury rvol ...`, `augury eval rvol` and `augury bench rvol`."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, TypeVar
from urllib.parse import urlencode

import typer

from augury import remote, service_file
from augury.errors import AuguryError, SetupProblem
from augury.options import AsJson
from augury.settings import Settings

T = TypeVar("T")

AsCsv = Annotated[bool, typer.Option("--csv", help="Print CSV.")]
OfAsset = Annotated[str | None, typer.Option(help="Only this asset.")]
OfHorizon = Annotated[str | None, typer.Option(help="Only this horizon, e.g. 7d.")]

app = typer.Typer(help="Realized volatility: forecasts, actuals, scores.", no_args_is_help=True)


@app.command()
def latest(
    asset: Annotated[
        str | None, typer.Argument(help="Asset key, e.g. BTC. Default: all assets.")
    ] = None,
    horizon: OfHorizon = None,
    model: Annotated[
        str | None, typer.Option(help="Model alias or id. Default: the champion.")
    ] = None,
    url: remote.Url = None,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """Show the newest forecasts, annualized, with their 80% and 95% bands.

    Asks the service at --url, else reads the database of the data folder, whether or not a service
    is running. Without data it shows the sample (invented prices), marked as such.

    Example: augury rvol latest BTC
    """
    from augury.rvol import rows

    async def read(service: Any) -> list[Any]:
        await _ensure_sample(service)
        found = await service.forecasts(
            model=model, model_version=None, asset=asset, horizon=horizon, limit=10_000, latest=True
        )
        return json.loads(_json([rows.forecast(row) for row in found]))

    query = {"asset": asset, "horizon": horizon, "model": model, "limit": _MAX_LATEST_ROWS}
    found = _get_rows(url, "/v1/rvol/latest", query) if url else _with_service(read)
    if as_json:
        typer.echo(json.dumps(found))
        return
    if as_csv:
        typer.echo(remote.as_csv(found))
        return
    if not found:
        raise SetupProblem(
            "No volatility forecast exists yet. Import price bars: augury rvol import FILE."
        )
    typer.echo(
        f"{'asset':12} {'horizon':>7} {'as of (UTC)':16} {'annualized':>10} {'80%':>15} {'95%':>15}"
        "  model"
    )
    for shown in found:
        p = shown["prediction"]
        scale = p["annualized_volatility"] / p["forecast_volatility"]
        spans = [
            f"{math.sqrt(b['lower']) * scale:6.1%} -{math.sqrt(b['upper']) * scale:6.1%}"
            for b in (p["bands"]["80"], p["bands"]["95"])
        ]
        typer.echo(
            f"{shown['asset']:12} {shown['horizon']:>7} {shown['as_of'][:16].replace('T', ' ')} "
            f"{p['annualized_volatility']:10.1%} {spans[0]:>15} {spans[1]:>15}"
            f"  {shown['model_id']}, {shown.get('issued', shown['origin'])}"
        )


@app.command()
def refresh(
    fetch: Annotated[
        bool, typer.Option(help="First fetch the missing price bars of the covered coins.")
    ] = False,
    replay: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=2000,
            help="Issue forecasts for this many past days. Default: AUGURY_RVOL_REPLAY_DAYS.",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Issue missing forecasts and record realized volatility.

    Repeating it has no further effect. If it is interrupted, the next run continues.

    Example: augury rvol refresh --fetch
    """
    import msgspec

    async def run(service: Any) -> dict[str, Any]:
        collected = None
        if fetch:
            from augury.rvol.collecting import Collector

            collected = await Collector(service.database, Settings()).collect()
        with _progress(shown=not as_json) as report:
            outcome = await service.refresh(replay=replay, report=report)
        return {"collected": collected, **msgspec.to_builtins(outcome)}

    done = _with_service(run)
    if as_json:
        typer.echo(_json(done))
        return
    if (collected := done["collected"]) is not None:
        typer.echo(f"fetched: {collected.assets} assets, {collected.added} new days")
        for name, reason in collected.failed.items():
            typer.echo(f"  {name}: {reason}")
    typer.echo(
        f"{done['sets']} sets with {done['forecasts']} forecasts issued; {done['actuals']} actuals,"
        f" {done['revised']} revised"
    )


@app.command()
def scorecard(
    asset: OfAsset = None,
    horizon: OfHorizon = None,
    model: Annotated[
        str | None, typer.Option(help="Model alias or id. Default: all models.")
    ] = None,
    url: remote.Url = None,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """Show how good the forecasts were, compared with realized volatility and with the HAR model.

    Asks the service at --url, else reads the database of the data folder. If nothing has been
    scored there, it first issues forecasts for past days, which takes about 15 seconds for the
    sample. In the table, ex-evt is the mean QLIKE loss without the forecast with the largest loss
    and those whose target windows overlap with its window.

    Example: augury rvol scorecard --horizon 7d
    """
    if url:
        query = {"asset": asset, "horizon": horizon, "model": model}
        rows = _get_rows(url, "/v1/rvol/scorecard", query)
    else:

        async def read(service: Any) -> list[dict[str, Any]]:
            await _ensure_sample(service)
            if found := await service.scorecard(asset=asset, horizon=horizon, model=model):
                return found
            # For the sample, only the newest day is issued at first.
            with _progress(shown=not as_json) as report:
                await service.refresh(report=report)
            return await service.scorecard(asset=asset, horizon=horizon, model=model)

        rows = _with_service(read)
    if as_json:
        typer.echo(_json(rows))
        return
    if as_csv:
        typer.echo(remote.as_csv(json.loads(_json(rows))))
        return
    if not rows:
        raise SetupProblem(
            "No forecast has been scored yet: the imported bars do not reach past the days that "
            "the forecasts are about. Once those days are over, import their bars: augury rvol "
            "import FILE. If the service has just started, try again in a minute."
        )
    if asset is None:
        rows = [r for r in rows if r["asset"] == "all"] or rows
    typer.echo(
        f"{'asset':10} {'horizon':>7} {'model':12} {'QLIKE':>7} {'median':>7} {'ex-evt':>7}"
        f" {'/HAR':>6} {'t':>7} {'80%':>6} {'90%':>6} {'95%':>6} {'n':>6} {'live':>6}  origin"
    )
    for r in rows:
        cover = r["coverage"]
        typer.echo(
            f"{r['asset']:10} {r['horizon']:>7} {r['model_id']:12} {r['qlike']:7.4f}"
            f" {r['qlike_median']:7.4f} {_number(r['qlike_ex_event'])} {_number(r['ratio_to_har'])}"
            f" {_number(r['dm_t'])} {cover['80']:6.3f} {cover['90']:6.3f} {cover['95']:6.3f}"
            f" {r['n']:6} {r.get('n_live', '-'):>6}  {r['origin']}"
        )


@app.command("import")
def import_(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...",
            exists=True,
            dir_okay=False,
            help="A .csv or .parquet file of price bars or daily measures.",
        ),
    ],
    asset: Annotated[
        str | None, typer.Option(help="Asset key, if the file has no column for it.")
    ] = None,
    calendar: Annotated[
        str | None,
        typer.Option(
            help="Trading calendar: an exchange's code, e.g. XNYS, or 24/7 (the default)."
        ),
    ] = None,
    family: Annotated[
        str | None,
        typer.Option(
            help="Name of the group of assets that are modeled together. Default: the value "
            "of the column 'group', if the file holds daily measures; otherwise crypto for the "
            "calendar 24/7, and equity- with the exchange's code for any other, e.g. equity-xnys."
        ),
    ] = None,
    forecasts: Annotated[bool, typer.Option(help="Issue forecasts after the import.")] = True,
    as_json: AsJson = False,
) -> None:
    """Import price bars of 1 to 30 minutes or daily realized measures, then issue forecasts.

    Columns of bars: opening time, open, high, low, close, volume, and asset or symbol if there are
    several. Columns of measures: asset, date, rv (realized variance), and any of bv (bipower
    variation), rsv_neg and rsv_pos (semivariances), medrv, rk (realized kernel), rq and tq
    (quarticities). The first import deletes the sample data (simulated coins).

    Example: augury rvol import SPY_5m.csv --asset SPY --calendar XNYS
    """
    import msgspec

    from augury.rvol import ingest

    found = [
        (file.name, ingest.read_import(file, asset=asset, calendar=calendar, family=family))
        for file in files
    ]  # read before the database is opened, so that an unreadable file fails at once

    async def run(service: Any) -> dict[str, Any]:
        done = []
        for name, work in found:
            done += await ingest.import_prepared(service.database, work, name)
        outcome = None
        if forecasts:
            with _progress(shown=not as_json) as report:
                outcome = await service.refresh(report=report)
        return {
            "assets": [msgspec.to_builtins(d) for d in done],
            "outcome": msgspec.to_builtins(outcome),
        }

    result = _with_service(run)
    if as_json:
        typer.echo(_json(result))
        return
    for d in result["assets"]:
        notes = [f"{d[k]} {k}" for k in ("changed", "incomplete", "outside", "bad") if d[k]]
        typer.echo(
            f"{d['asset']}: {d['days']} days, {d['added']} new" + "".join(f", {n}" for n in notes)
        )
    if (outcome := result["outcome"]) is not None:
        typer.echo(
            f"{outcome['forecasts']} forecasts issued; {outcome['actuals']} actuals,"
            f" {outcome['revised']} revised"
        )


@app.command()
def chart(
    asset: Annotated[str, typer.Argument(help="Asset key, e.g. BTC.")],
    file: Annotated[Path, typer.Argument(help="File to write, ending in .svg or .png.")],
    horizon: Annotated[str, typer.Option(help="Horizon, e.g. 7d.")] = "7d",
    model: Annotated[
        str | None, typer.Option(help="Model alias or id. Default: the champion.")
    ] = None,
) -> None:
    """Draw past forecasts with their bands and the realized volatility.

    Example: augury rvol chart BTC btc.svg --horizon 7d
    """
    from augury.rvol import chart as drawing

    if file.suffix not in (".svg", ".png"):
        raise typer.BadParameter("the file name should end in .svg or .png")

    async def read(service: Any) -> str:
        await _ensure_sample(service)
        forecasts = await service.forecasts(
            model=model, model_version=None, asset=asset, horizon=horizon, limit=2_000
        )
        actuals = await service.actuals(
            asset=asset, horizon=horizon, start=None, end=None, limit=2_000, after=None
        )
        return drawing.svg(forecasts, actuals)

    drawn = _with_service(read)
    if file.suffix == ".svg":
        file.write_text(drawn, encoding="utf-8")
    else:
        file.write_bytes(drawing.png(drawn))
    typer.echo(f"{file}")


async def _ensure_sample(service: Any) -> None:
    if Settings().sample == "on":
        await service.ensure_sample()
    else:
        await service.drop_sample()


_MAX_LATEST_ROWS = 1_000
"""Largest number of rows in one answer of /v1/rvol/latest."""


def _get_rows(url: str, path: str, query: dict[str, Any]) -> list[Any]:
    """The rows that the service at `url` returns for a GET of `path`."""
    encoded = urlencode({name: value for name, value in query.items() if value is not None})

    async def go() -> list[Any]:
        async with remote.client(url) as service:
            return await service_file.ask(service, f"{path}?{encoded}")

    return asyncio.run(go())


def _with_service(run: Callable[[Any], Awaitable[T]]) -> T:
    """Call `run` with an `RvolService` on the configured database and return its result. No service
    has to be running for this."""
    from augury.rvol.service import RvolService
    from augury.storage.database import Database

    async def go() -> T:
        settings = Settings()
        database = await Database.open(settings)
        try:
            return await run(RvolService(database, settings))
        finally:
            await database.close()

    try:
        return asyncio.run(go())
    except AuguryError as error:
        raise SetupProblem(str(error)) from None


@contextmanager
def _progress(*, shown: bool) -> Iterator[Callable[[str, int, int], None] | None]:
    from rich.progress import Progress

    from augury.tables import Console

    if not shown:
        yield None
        return
    with Progress(console=Console(stderr=True, markup=False), transient=True) as bars:
        tasks: dict[str, Any] = {}

        def report(stage: str, done: int, total: int) -> None:
            if stage not in tasks:
                tasks[stage] = bars.add_task(stage, total=total)
            bars.update(tasks[stage], completed=done)

        yield report


def _json(value: Any) -> str:
    import msgspec

    return msgspec.json.encode(value).decode()


def bench_rvol(
    assets: Annotated[
        int, typer.Option(min=10, help="Number of assets to generate data for.")
    ] = 1_000,
    days: Annotated[
        int, typer.Option(min=300, help="Number of days of data per asset to refit the models on.")
    ] = 1_500,
    requests: Annotated[
        int,
        typer.Option(
            min=20, help="Number of timed requests to /v1/rvol/latest; other routes get fewer."
        ),
    ] = 300,
    as_json: AsJson = False,
) -> None:
    """Measure how long refits of the models, realized measures and API routes take.

    Uses generated data.

    Example: augury bench rvol --json
    """
    from augury.rvol import bench

    result = bench.run(assets, days, requests)
    typer.echo(json.dumps(result) if as_json else bench.table(result))


def evaluate_rvol(
    realized: Annotated[
        Path,
        typer.Option(exists=True, dir_okay=False, help="Parquet file of daily realized measures."),
    ],
    assets: Annotated[
        str | None, typer.Option(help="Assets to score, separated by commas.")
    ] = None,
    horizons: Annotated[
        str, typer.Option(help="Horizons in days, separated by commas.")
    ] = "1,5,22",
    exclude_window: Annotated[
        datetime | None,
        typer.Option(
            formats=["%Y-%m-%d"],
            help="Leave out forecasts whose target window (the days they cover) contains this day.",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Score every model out of sample on a file of daily realized measures.

    For each day the models are fitted on the target windows (the days that a forecast covers) that
    had ended by then, as in the service.
    Prints QLIKE losses, their ratios to HAR (by least squares) and to log-HAR, and the
    Diebold-Mariano t.

    Example: augury eval rvol --realized realized.parquet --exclude-window 2025-10-10
    """
    from augury.rvol import evaluate

    chosen = [name.strip() for name in assets.split(",")] if assets else None
    try:
        days = [int(part.removesuffix("d")) for part in horizons.split(",")]
    except ValueError:
        raise typer.BadParameter("horizons must be whole numbers of days, e.g. 1,5,22") from None
    if not all(1 <= d <= 60 for d in days):
        raise typer.BadParameter("horizons must be between 1 and 60 days")
    result = evaluate.evaluate(
        evaluate.load(realized, chosen),
        days,
        assets=chosen,
        exclude=exclude_window.date() if exclude_window else None,
    )
    if not result["assets"]:
        raise SetupProblem(f"{realized} has no asset with enough days to score.")
    typer.echo(json.dumps(result) if as_json else _scores(result))


def _scores(result: dict[str, Any]) -> str:
    """Scores as a text table with one line for each group, horizon and model."""
    lines = [
        f"{'group':9} {'horizon':>7} {'model':15} {'QLIKE':>7} {'/HAR':>6} {'t':>7} "
        f"{'/log-HAR':>8} {'t':>7} {'80%':>6} {'90%':>6} {'95%':>6} {'n':>7}"
    ]
    for group, entry in result["groups"].items():
        for horizon in map(str, result["horizons"]):
            ranked = sorted(
                ((m, s[horizon]) for m, s in entry["models"].items() if horizon in s),
                key=lambda pair: pair[1]["qlike"],
            )
            for model, score in ranked:
                cover = score["coverage"]
                lines.append(
                    f"{group:9} {horizon + 'd':>7} {model:15} {score['qlike']:7.4f} "
                    f"{score['ratio_to_har']:6.3f} {_number(score['dm_t'])} "
                    f"{score['ratio_to_log_har']:8.3f} {_number(score['dm_t_log_har'])} "
                    f"{cover['80']:6.3f} {cover['90']:6.3f} {cover['95']:6.3f} {score['n']:7}"
                )
    return "\n".join(lines)


def _number(value: float | None) -> str:
    return f"{'-':>7}" if value is None else f"{value:7.2f}"
