"""`augury forecast`, `augury scorecard`, `augury eval forecast`, `augury bench forecast`."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.progress import track
from rich.table import Table

from augury import given, presence, remote
from augury.clock import now
from augury.errors import SetupProblem
from augury.settings import Settings

if TYPE_CHECKING:
    from augury.forecast.calibrate import Decided

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


def forecast(
    question: Annotated[str, typer.Argument(help="A question about the future, in plain words.")],
    as_of: Annotated[
        str | None, typer.Option(help="ISO 8601: answer with what was known then.")
    ] = None,
    url: remote.Url = None,
    as_json: AsJson = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV: the answer's line.")] = False,
) -> None:
    """Forecast a question: a probability, what it rests on, and how sure it is.

    Asks the service at --url, else the one running on the same data folder, else opens the index
    itself.

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
            f"--as-of {text} is in the future; it may be at most the present. Leave it out to ask"
            " as of now."
        )
    return moment


async def _forecast(question: str, as_of: datetime | None, url: str | None) -> dict[str, Any]:
    from pydantic import ValidationError

    from augury.app import running
    from augury.forecast.full_schemas import ForecastRequest

    asked = {"question": question, "as_of": as_of and as_of.isoformat()}
    try:
        ForecastRequest.model_validate(asked)
    except ValidationError as error:
        raise typer.BadParameter(error.errors()[0]["msg"]) from None
    settings = Settings()  # type: ignore[call-arg]
    async with presence.service(settings, "forecast:read", url=url) as service:
        if service is not None:
            return await presence.ask(service, "/v1/forecasts", asked)
    async with running(settings) as services:
        if settings.sample == "on":
            await services.markets.ensure_sample()
        await services.search.catch_up()
        answer = await services.forecast.make(
            question, as_of=as_of, include_graph=False, account_id=None
        )
    return answer.model_dump(mode="json")


def scorecard(url: remote.Url = None, as_json: AsJson = False) -> None:
    """How good past forecasts were: Brier, log score and calibration beside the crowd's.

    Example: augury scorecard --json
    """
    card = asyncio.run(_scorecard(url))
    if as_json:
        typer.echo(json.dumps(card, ensure_ascii=False))
        return
    typer.echo(
        f"{card['forecasts']} forecasts, {card['answered']} with a probability,"
        f" {card['n']} decided."
    )
    if card["n"]:
        typer.echo(
            f"Brier {card['brier']}, log score {card['log_score']};"
            f" the crowd's Brier on the same questions {card['crowd_brier']}"
        )


async def _scorecard(url: str | None) -> dict[str, Any]:
    if url is not None:
        async with remote.client(url) as service:
            return await presence.ask(service, "/v1/forecast/scorecard")
    from augury.forecast.service import scorecard
    from augury.storage.database import Database

    database = await Database.open(Settings())  # type: ignore[call-arg]
    try:
        return await scorecard(database)
    finally:
        await database.close()


# --- evaluation ----------------------------------------------------------------------------


def evaluate_forecast(
    questions: Annotated[
        Path, typer.Option(exists=True, dir_okay=False, help="Questions, one JSON object a line.")
    ],
    markets: Annotated[
        Path, typer.Option(exists=True, dir_okay=False, help="The markets that existed.")
    ],
    prices: Annotated[
        Path, typer.Option(exists=True, dir_okay=False, help="Their prices over time.")
    ],
    with_model: Annotated[
        bool,
        typer.Option(
            "--with-model",
            help="Ask the configured language model too. It may know what came later.",
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Score forecasts against questions with known answers, in a throw-away store.

    The service's own code answers each question as of its own moment: a market's state comes
    from its opening, closing and resolution times and the prices until then.

    Example: augury eval forecast --questions q.jsonl --markets m.parquet --prices p.parquet --json
    """
    from augury.forecast.evaluate import KINDS, RIGHT

    result = asyncio.run(
        _evaluate(questions, markets, prices, with_model=with_model, quiet=as_json)
    )
    if as_json:
        typer.echo(json.dumps(result, ensure_ascii=False))
        return
    for one in result["per_question"]:
        if one["verdict"] not in RIGHT and (one["kind"], one["verdict"]) != (
            "unanswerable", "null",
        ):  # fmt: skip
            said = "-" if one["probability"] is None else f"{one['probability']:.3f}"
            wanted = next((one[k] for k in ("p", "bound", "range") if one[k] is not None), "null")
            typer.echo(
                f"{one['qid']:>6} {one['verdict']:>8} {said} for {wanted}  {one['question']}"
            )
    for kind in KINDS:
        typer.echo(f"{kind:>12}: {json.dumps(result[kind])}")
    typer.echo(
        f"interval holds the price of a week on: {result['interval_cover']}"
        f" of {result['interval_n']}; latency {result['latency_ms']} ms"
    )
    if "language_model" in result:
        typer.echo(f"language model: {json.dumps(result['language_model'])}")


async def _evaluate(
    questions: Path | None,
    markets: Path,
    prices: Path,
    *,
    with_model: bool,
    quiet: bool,
    leave_one_out: bool = False,
    titles: tuple[int, int] = (0, 0),
) -> dict[str, Any]:
    """`titles`: how many to ask where there are no questions, and the seed."""
    from augury.app import running
    from augury.forecast.assistant import Assistant
    from augury.forecast.evaluate import Answered, Asked, hint_floor, later_price, summary
    from augury.forecast.grade import public
    from augury.forecast.service import ForecastService
    from augury.forecast.titles import resolved
    from augury.forecast.worth import worth
    from augury.search.load import percentiles
    from augury.venues.dump import DumpFile
    from augury.venues.importing import import_file

    market_file, price_file = DumpFile(markets, kind="markets"), DumpFile(prices, kind="prices")
    if questions is not None:
        asked = given.json_lines(questions, Asked.of, "a question (qid, kind, question, as_of)")
    else:
        asked = resolved(market_file.frame, price_file.frame, most=titles[0], seed=titles[1])
    if leave_one_out:
        asked = [one for one in asked if one.market_id and one.p is not None]
    later = _series(price_file, {one.market_id for one in asked if one.market_id})
    with TemporaryDirectory(prefix="augury-eval-") as folder:
        settings = Settings(data_dir=Path(folder), sync="off", sample="off", search_url=None)
        if not with_model:
            settings.llm_url = None
        async with running(settings) as services:
            await import_file(services.database, market_file)
            await import_file(services.database, price_file)
            await services.search.catch_up()
            service, model = services.forecast, None
            if with_model:
                if services.model is None:
                    raise SetupProblem("No language model is configured. Set AUGURY_LLM_URL.")
                assistant = Assistant(services.model, deadline=settings.llm_timeout, replays=True)
                model = {"name": services.model.model, "used_for": await assistant.prepare()}
                service = ForecastService(
                    services.database, services.search, services.graph, assistant=assistant
                )
            answers: list[Answered] = []
            helped = 0
            for one in track(
                asked, "Asking", console=Console(stderr=True, markup=False), disable=quiet
            ):
                started = time.perf_counter()
                if leave_one_out:
                    gone = frozenset({one.market_id or ""})
                    made = await service.without(one.question, one.as_of, gone)
                else:
                    made = await service.forecast(one.question, as_of=one.as_of)
                estimate = made.estimate
                shown = public(estimate)
                helped += any(m.startswith("language_model") for m in estimate.fallbacks)
                answers.append(
                    Answered(
                        asked=one,
                        probability=shown.probability,
                        lower=shown.lower,
                        upper=shown.upper,
                        seconds=time.perf_counter() - started,
                        later=later_price(later.get(one.market_id or "", ()), one.as_of, one)
                        if one.p is not None
                        else None,
                        used=tuple(e.market.id for e in estimate.evidence if e.weight > 0),
                        grade=estimate.grade,
                        confidence=estimate.confidence,
                        hint=estimate.probability if shown.probability is None else None,
                        role=estimate.evidence[0].role if estimate.evidence else None,
                        reason=shown.null.kind if shown.null else None,
                        bounds=estimate.bounds if estimate.grade == "bounded" else None,
                        way=next(
                            (
                                m.replace("_", " ")
                                for m in estimate.fallbacks
                                if m.startswith("from_")
                            ),
                            None,
                        ),
                    )
                )
            if model is not None and services.model is not None:
                spent = await services.model.spent_today()
                model |= {"answers_helped": helped, "calls": spent.calls, "tokens": spent.tokens}
    result = summary(answers, percentiles([a.seconds for a in answers]))
    result |= {"hint_floor": hint_floor(answers), "worth": worth(answers)}
    return result if model is None else {**result, "language_model": model}


def _series(file: Any, ids: set[str]) -> Mapping[str, Sequence[tuple[datetime, float]]]:
    """The price series of some markets, to look up what came after an answer."""
    import polars as pl

    found: dict[str, list[tuple[datetime, float]]] = {}
    frame = file.frame.filter(pl.col("market_id").is_in(sorted(ids)))
    for market_id, at, price in frame.select("market_id", "ts", "price").iter_rows():
        at = datetime.fromisoformat(at) if isinstance(at, str) else at
        found.setdefault(market_id, []).append(
            (at if at.tzinfo else at.replace(tzinfo=UTC), float(price))
        )
    return found


def evaluate_properties(
    markets: Annotated[
        Path, typer.Option(exists=True, dir_okay=False, help="Markets whose titles are asked.")
    ],
    most: Annotated[int, typer.Option(min=1, help="Most titles asked; a random sample.")] = 2_000,
    seed: Annotated[int, typer.Option(help="Which sample.")] = 1,
    as_json: AsJson = False,
) -> None:
    """Ask the titles of a catalogue, verbatim, dressed up and denied, and count what comes back.

    Each market stands at 13%, alone or beside its siblings at 41%: `own` is its price (or what a
    denial leaves of it), `inverted` the opposite, `other` any other number, `null` none. A fifth of
    the titles is also reworded.

    Example: augury eval properties --markets markets.parquet --most 500
    """
    import random

    from augury.forecast import properties
    from augury.forecast.engine import Engine
    from augury.markets.records import Market
    from augury.search.embedding import Embedder
    from augury.venues.dump import DumpFile, read_markets

    embedder = Embedder.load()
    engine = Engine(embedder.embed, embedder.rarity)
    slices = read_markets(DumpFile(markets, kind="markets"))
    catalogue = properties.Catalogue(m for part in slices for m in part if isinstance(m, Market))
    titles = list({m.question: m for m in catalogue.markets}.values())
    asked = random.Random(seed).sample(titles, min(most, len(titles)))
    shown = track(asked, "Asking", console=Console(stderr=True, markup=False), disable=as_json)
    tallies = properties.verbatim(engine, catalogue, shown)
    tallies |= properties.reworded(engine, asked[: max(1, len(asked) // 5)])
    pairs = ((m, other) for m in asked[: len(asked) // 3] for other in catalogue.siblings(m)[:2])
    tallies["symmetry"] = properties.symmetric(engine, pairs)
    if as_json:
        broken = {name: tally.broken for name, tally in tallies.items() if tally.broken}
        counts = {name: tally.shown() for name, tally in tallies.items()}
        typer.echo(json.dumps({"counts": counts, "broken": broken}, ensure_ascii=False))
        return
    table = Table(box=None)
    for name in ("property", "n", "own", "inverted", "other", "null"):
        table.add_column(name, justify="left" if name == "property" else "right")
    for name, tally in tallies.items():
        counts = [tally.counts[verdict] for verdict in ("own", "inverted", "other", "null")]
        table.add_row(name, str(tally.n), *map(str, counts))
    Console(markup=False, emoji=False).print(table)
    for name, tally in tallies.items():
        for told in tally.broken[:10]:
            typer.echo(f"{name}: {told}")


def evaluate_leave_one_out(
    markets: Annotated[
        Path, typer.Option(exists=True, dir_okay=False, help="The markets that existed.")
    ],
    prices: Annotated[
        Path, typer.Option(exists=True, dir_okay=False, help="Their prices over time.")
    ],
    questions: Annotated[
        Path | None,
        typer.Option(
            exists=True, dir_okay=False, help="Questions, one JSON object a line; else titles."
        ),
    ] = None,
    titles: Annotated[
        int, typer.Option(min=1, help="Titles of resolved markets asked without --questions.")
    ] = 600,
    seed: Annotated[int, typer.Option(help="Which titles, and at which of their prices.")] = 1,
    as_json: AsJson = False,
) -> None:
    """Score forecasts with the market they ask about taken away: how far answers are from its
    price, by grade.

    Shows what bounds and hints are worth on resolved questions: on one half of them is chosen what
    beats the base rate, on the other that is held against it.

    Example: augury eval leave-one-out --markets m.parquet --prices p.parquet
    """
    result = asyncio.run(
        _evaluate(
            questions, markets, prices, with_model=False, quiet=as_json, leave_one_out=True,
            titles=(titles, seed),
        )
    )  # fmt: skip
    told = {key: result[key] for key in ("n", "by_grade", "hint_floor", "worth")}
    if as_json:
        typer.echo(json.dumps({**told, "per_question": result["per_question"]}))
        return
    columns = ("n", "share", "mean_distance", "within_0.05", "within_0.15", "inverted", "brier",
               "crowd_brier", "base_brier")  # fmt: skip
    _print_rows("grade", columns, result["by_grade"])
    for name in ("chosen", "reported"):
        typer.echo(f"\nThe half that is {name}:")
        columns = ("n", "events", "brier", "base_brier", "crowd_brier", "t")
        _print_rows("kind", columns, told["worth"][name])
    floor, widest = told["hint_floor"]["floor"], told["worth"]["widest"]
    typer.echo(
        "No floor: too few hints, or none better than the base rate, so hints stay withheld."
        if floor is None
        else f"Hints are worth more than the base rate from confidence {floor}."
    )
    typer.echo(
        "Bounds are worth no more than the base rate, however narrow."
        if widest is None
        else f"Bounds are worth more than the base rate up to a width of {widest}."
    )


def _print_rows(first: str, columns: Sequence[str], rows: Mapping[str, Mapping[str, Any]]) -> None:
    table = Table(box=None)
    for name in (first, *columns):
        table.add_column(name, justify="left" if name == first else "right")
    for name, row in rows.items():
        table.add_row(name, *("-" if row[c] is None else str(row[c]) for c in columns))
    Console(markup=False, emoji=False).print(table)


def evaluate_calibration(
    markets: Annotated[
        Path, typer.Option(exists=True, dir_okay=False, help="Markets, with their results.")
    ],
    prices: Annotated[
        Path, typer.Option(exists=True, dir_okay=False, help="Their prices over time.")
    ],
    as_json: AsJson = False,
) -> None:
    """Find out whether decided markets should have been believed less, or more, than they were.

    Fits the favourite-longshot correction by venue and time left, and judges it on events that it
    was not fitted on. Changes nothing: forecasts take prices as they are.

    Example: augury eval calibration --markets markets.parquet --prices prices.parquet
    """
    import polars as pl

    from augury.forecast import calibrate

    try:
        cells = calibrate.judged(list(_decided(markets, prices)))
    except pl.exceptions.PolarsError as error:
        # Text where times and lists belong: what a CSV or JSON dump has.
        reason = str(error).splitlines()[0]
        raise SetupProblem(
            f"{markets} and {prices} can't be calibrated on: {reason}. Give Parquet files."
        ) from None
    if as_json:
        typer.echo(json.dumps({"cells": cells}))
        return
    table = Table(box=None)
    for name in ("venue", "days left", "n", "events", "slope", "Brier", "recalibrated", "t", "use"):
        table.add_column(name, justify="left" if name == "venue" else "right")
    for cell in cells:
        shown = [cell.get(k) for k in ("slope", "brier", "brier_recalibrated", "t")]
        table.add_row(
            cell["platform"], str(cell["days_left"]), str(cell["n"]), str(cell["events"]),
            *("-" if value is None else str(value) for value in shown),
            "yes" if cell["use"] else "no",
        )  # fmt: skip
    Console(markup=False, emoji=False).print(table)


def _decided(markets: Path, prices: Path) -> Iterator[Decided]:
    """Prices of resolved Yes/No markets, some days before they closed."""
    import polars as pl

    from augury.forecast.calibrate import HORIZONS, Decided
    from augury.venues.dump import DumpFile

    frame = DumpFile(markets, kind="markets").frame
    decided = frame.filter(
        (pl.col("status") == "resolved")
        & pl.col("result").is_in(["Yes", "No"])
        & (pl.col("outcomes").list.first() == "Yes")
    ).with_columns(
        end=pl.min_horizontal("closes_at", "resolved_at"),
        event=pl.coalesce("event_id", "event_title", "id"),
    )
    history = DumpFile(prices, kind="prices").frame.rename({"market_id": "id"}).sort("ts")
    for days in HORIZONS:
        asked = decided.select(
            "id", "platform", "event", "result", ts=pl.col("end") - pl.duration(days=days)
        ).drop_nulls("ts")
        priced = asked.sort("ts").join_asof(
            history, on="ts", by="id", tolerance="14d", check_sortedness=False
        )  # fmt: skip
        for row in priced.drop_nulls("price").iter_rows(named=True):
            outcome = float(row["result"] == "Yes")
            yield Decided(row["price"], outcome, days, row["platform"], row["event"])


def bench_forecast(
    markets: Annotated[int, typer.Option(min=1_000, help="How many markets to generate.")] = 50_000,
    requests: Annotated[int, typer.Option(min=50, help="Forecasts over HTTP.")] = 500,
    questions: Annotated[int, typer.Option(min=10, help="Questions of the run.")] = 300,
    as_json: AsJson = False,
) -> None:
    """Generate markets and measure forecasts: by stage, over HTTP, and as a run.

    Example: augury bench forecast --markets 50000 --json
    """
    from augury.forecast import bench

    result = asyncio.run(bench.run(markets, requests=requests, questions=questions))
    typer.echo(json.dumps(result) if as_json else json.dumps(result, indent=1))
