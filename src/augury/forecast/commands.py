"""The commands `augury forecast`, `augury scorecard` and `augury bench forecast`."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime
from typing import Annotated, Any

import typer

from augury import remote, service_file
from augury.clock import now
from augury.options import AsJson
from augury.settings import Settings


def forecast(
    question: Annotated[str, typer.Argument(help="A question about the future, in plain words.")],
    as_of: Annotated[
        str | None, typer.Option(help="Answer only from what was known at this time (ISO 8601).")
    ] = None,
    url: remote.Url = None,
    as_json: AsJson = False,
    as_csv: Annotated[
        bool, typer.Option("--csv", help="Print CSV: one line with the answer.")
    ] = False,
) -> None:
    """Forecast a question: a probability, the markets it rests on, and a confidence.

    Asks the service at --url, or else the one that runs on the same data folder. If none runs, the
    command reads the data folder itself.

    Example: augury forecast "Will the Fed cut rates in December?"
    """
    answer = asyncio.run(_forecast(question, _moment(as_of), url))
    if as_csv:
        typer.echo(remote.as_csv([answer]))
        return
    if as_json:
        typer.echo(json.dumps(answer, ensure_ascii=False))
        return
    if answer["probability"] is None:
        typer.echo(answer["error"])
    else:
        interval = answer["confidence_interval"]
        typer.echo(
            f"{answer['probability']:.1%}  ({interval['lower']:.1%} to {interval['upper']:.1%},"
            f" {answer['grade']}, confidence {answer['confidence']:.2f})"
        )
        typer.echo(answer["reasoning"])
    for part in answer["distribution"] or ():
        typer.echo(f"  {part['probability']:6.1%}  {part['label']}")
    for one in answer["evidence"]:
        price = "no price" if one["price"] is None else f"{one['price']:.1%}"
        quoted = (one["price_as_of"] or "")[:16].replace("T", " ")
        typer.echo(
            f"  {one['role']:6} {price:>6} at {quoted} UTC  {one['market']['id']}"
            f"  {one['market']['question']}"
        )
    for warning in answer["warnings"]:
        typer.echo(f"note: {warning}", err=True)


def _moment(text: str | None) -> datetime | None:
    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        raise typer.BadParameter("--as-of should be ISO 8601, like 2026-03-01") from None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    if moment > now():
        raise typer.BadParameter(
            f"--as-of {text} is in the future. Give an earlier time, or leave it out to ask as of"
            " now."
        )
    return moment


async def _forecast(question: str, as_of: datetime | None, url: str | None) -> dict[str, Any]:
    from pydantic import ValidationError

    from augury.forecast.full_schemas import ForecastRequest
    from augury.services import running

    asked = {"question": question, "as_of": as_of and as_of.isoformat()}
    try:
        ForecastRequest.model_validate(asked)
    except ValidationError as error:
        raise typer.BadParameter(error.errors()[0]["msg"]) from None
    settings = Settings()  # type: ignore[call-arg]
    async with service_file.service(settings, "forecast:read", url=url) as service:
        if service is not None:
            return await service_file.ask(service, "/v1/forecasts", asked)
    async with running(settings) as services:
        if settings.sample == "on":
            await services.markets.ensure_sample()
        await services.search.catch_up()
        answer = await services.forecast.make(
            question, as_of=as_of, include_graph=False, account_id=None
        )
    return answer.model_dump(mode="json")


def scorecard(url: remote.Url = None, as_json: AsJson = False) -> None:
    """Show how good past forecasts were: Brier score, log score and calibration, compared with the
    market's own prices.

    Example: augury scorecard --json
    """
    card = asyncio.run(_scorecard(url))
    if as_json:
        typer.echo(json.dumps(card, ensure_ascii=False))
        return
    typer.echo(
        f"{card['forecasts']} forecasts, {card['answered']} with a probability,"
        f" {card['n']} scored (the result is known)."
    )
    if card["n"]:
        typer.echo(
            f"Brier {card['brier']}, log score {card['log_score']};"
            f" the market's Brier on the same questions {card['crowd_brier']}"
        )


async def _scorecard(url: str | None) -> dict[str, Any]:
    if url is not None:
        async with remote.client(url) as service:
            return await service_file.ask(service, "/v1/forecast/scorecard")
    from augury.forecast.service import scorecard
    from augury.storage.database import Database

    database = await Database.open(Settings())  # type: ignore[call-arg]
    try:
        return await scorecard(database)
    finally:
        await database.close()


def bench_forecast(
    markets: Annotated[
        int, typer.Option(min=1_000, help="Number of markets to generate.")
    ] = 50_000,
    requests: Annotated[int, typer.Option(min=50, help="Number of forecasts to request.")] = 500,
    questions: Annotated[
        int, typer.Option(min=10, help="Number of questions in the run (the background job).")
    ] = 300,
    as_json: AsJson = False,
) -> None:
    """Generate markets and measure how fast forecasts are made: by stage, one by one over HTTP, and
    many at once as a run (a background job).

    Example: augury bench forecast --markets 50000 --json
    """
    from augury.forecast import bench

    result = asyncio.run(bench.run(markets, requests=requests, questions=questions))
    typer.echo(json.dumps(result) if as_json else json.dumps(result, indent=1))
