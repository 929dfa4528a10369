"""The commands `augury eval forecast`, `leave-one-out`, `gate`, `properties` and `calibration`."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import track
from rich.table import Table

from augury import input_files
from augury.errors import SetupProblem
from augury.options import AsJson


def evaluate_forecast(
    questions: Annotated[
        Path,
        typer.Option(
            exists=True, dir_okay=False, help="File of questions, one JSON object per line."
        ),
    ],
    markets: Annotated[
        Path, typer.Option(exists=True, dir_okay=False, help="Parquet file of markets.")
    ],
    prices: Annotated[
        Path,
        typer.Option(
            exists=True, dir_okay=False, help="Parquet file of the markets' prices over time."
        ),
    ],
    with_model: Annotated[
        bool,
        typer.Option(
            "--with-model",
            help="Let the configured language model help. Scores may then be too good: the model "
            "may know what happened after the time of a question.",
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Score forecasts on questions with known answers, in a temporary store.

    The service's own code answers each question as of the time given with it, from the markets that
    were open then and their prices until then.

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
            answer = "-" if one["probability"] is None else f"{one['probability']:.3f}"
            wanted = next((one[k] for k in ("p", "bound", "range") if one[k] is not None), "null")
            typer.echo(
                f"{one['qid']:>6} {one['verdict']:>8} {answer} (right: {wanted})  {one['question']}"
            )
    for kind in KINDS:
        typer.echo(f"{kind:>12}: {json.dumps(result[kind])}")
    typer.echo(
        f"80% interval holds the price a week later: {result['interval_cover']}"
        f" of {result['interval_n']} answers; latency {result['latency_ms']} ms"
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
    """Ask each question as of the time given with it, in a temporary store. Returns figures on the
    answers as JSON data.

    titles : how many market titles to ask if `questions` is None, and the seed for drawing them
    """
    from augury.forecast.assistant import Assistant
    from augury.forecast.evaluate import (
        Answered,
        EvaluationQuestion,
        hint_floor,
        later_price,
        summary,
    )
    from augury.forecast.grade import public
    from augury.forecast.service import ForecastService
    from augury.forecast.titles import resolved
    from augury.forecast.trials import store
    from augury.forecast.worth import worth
    from augury.search.load import percentiles
    from augury.venues.dump import DumpFile

    market_file, price_file = DumpFile(markets, kind="markets"), DumpFile(prices, kind="prices")
    if questions is not None:
        asked = input_files.json_lines(
            questions, EvaluationQuestion.of, "a question (qid, kind, question, as_of)"
        )
    else:
        asked = resolved(market_file.frame, price_file.frame, most=titles[0], seed=titles[1])
    if leave_one_out:
        asked = [one for one in asked if one.market_id and one.p is not None]
    later = _series(price_file, {one.market_id for one in asked if one.market_id})
    async with store(market_file, price_file, with_model=with_model) as services:
        service, model = services.forecast, None
        if with_model:
            if services.model is None:
                raise SetupProblem("No language model is configured. Set AUGURY_LLM_URL.")
            assistant = Assistant(
                services.model, deadline=services.settings.llm_timeout, replays=True
            )
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
                    used=tuple(e.market.id for e in estimate.evidence if e.counts),
                    grade=estimate.grade,
                    confidence=estimate.confidence,
                    hint=estimate.probability if shown.probability is None else None,
                    role=estimate.evidence[0].role if estimate.evidence else None,
                    reason=shown.null.kind if shown.null else None,
                    bounds=estimate.bounds if estimate.grade == "bounded" else None,
                    way=next(
                        (m.replace("_", " ") for m in estimate.fallbacks if m.startswith("from_")),
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
    """The recorded prices of the markets `ids`: market id -> (time, price) pairs. They are used to
    look up the price a week after an answer."""
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
        Path,
        typer.Option(
            exists=True,
            dir_okay=False,
            help="Parquet file of markets. Their titles are asked as questions.",
        ),
    ],
    most: Annotated[
        int,
        typer.Option(
            min=1,
            help="Maximum number of market titles to ask as questions. They are drawn at random.",
        ),
    ] = 2_000,
    seed: Annotated[int, typer.Option(help="Seed of the random sample.")] = 1,
    as_json: AsJson = False,
) -> None:
    """Ask market titles verbatim, negated and reworded, and count right and wrong answers.

    For the test, the market asked about gets a price of 13%, and other markets of its event 41%.
    Answers are counted as `own` (the right one: 13%, or 87% to a negated title), `inverted` (1
    minus the right one), `other` (any other number) or `null` (no number). A fifth of the titles is
    also reworded.

    Example: augury eval properties --markets markets.parquet --most 500
    """
    import random

    from augury.forecast import properties
    from augury.forecast.engine import Engine
    from augury.markets.records import Market
    from augury.search.embedding import Embedder
    from augury.venues.dump import DumpFile
    from augury.venues.dump_markets import read_markets

    embedder = Embedder.load()
    engine = Engine(embedder.embed, embedder.rarity)
    slices = read_markets(DumpFile(markets, kind="markets"))
    catalogue = properties.EventCatalogue(
        m for part in slices for m in part if isinstance(m, Market)
    )
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
        for example in tally.broken[:10]:
            typer.echo(f"{name}: {example}")


def evaluate_leave_one_out(
    markets: Annotated[
        Path, typer.Option(exists=True, dir_okay=False, help="Parquet file of markets.")
    ],
    prices: Annotated[
        Path,
        typer.Option(
            exists=True, dir_okay=False, help="Parquet file of the markets' prices over time."
        ),
    ],
    questions: Annotated[
        Path | None,
        typer.Option(
            exists=True,
            dir_okay=False,
            help="File of questions, one JSON object per line. Default: the questions are the "
            "titles of resolved markets.",
        ),
    ] = None,
    titles: Annotated[
        int,
        typer.Option(
            min=1,
            help="Without --questions: how many titles of resolved markets are asked as questions.",
        ),
    ] = 600,
    seed: Annotated[int, typer.Option(help="Seed of the random choice of titles and times.")] = 1,
    as_json: AsJson = False,
) -> None:
    """Forecast each market's question without that market, and score the distance to its price.

    The scores are given by grade (how an answer was found). On resolved questions, the command also
    shows which bounds (from logic) and hints (from related markets) beat the base rate; these are
    chosen on one half of the questions and tested on the other half.

    Example: augury eval leave-one-out --markets m.parquet --prices p.parquet
    """
    result = asyncio.run(
        _evaluate(
            questions, markets, prices, with_model=False, quiet=as_json, leave_one_out=True,
            titles=(titles, seed),
        )
    )  # fmt: skip
    shown = {key: result[key] for key in ("n", "by_grade", "hint_floor", "worth")}
    if as_json:
        typer.echo(json.dumps({**shown, "per_question": result["per_question"]}))
        return
    columns = ("n", "share", "mean_distance", "within_0.05", "within_0.15", "inverted", "brier",
               "crowd_brier", "base_brier")  # fmt: skip
    _print_rows("grade", columns, result["by_grade"])
    for name in ("chosen", "reported"):
        typer.echo(f"\nThe half that is {name}:")
        columns = ("n", "events", "brier", "base_brier", "crowd_brier", "t")
        _print_rows("kind", columns, shown["worth"][name])
    floor, widest = shown["hint_floor"]["floor"], shown["worth"]["widest"]
    typer.echo(
        "Hints stay withheld: there are too few, or none is better than the base rate."
        if floor is None
        else f"Hints with a confidence of at least {floor} are better than the base rate."
    )
    typer.echo(
        "Answers from bounds are no better than the base rate, however narrow the bounds are."
        if widest is None
        else f"Answers from bounds up to {widest} wide are better than the base rate."
    )


def _print_rows(first: str, columns: Sequence[str], rows: Mapping[str, Mapping[str, Any]]) -> None:
    table = Table(box=None)
    for name in (first, *columns):
        table.add_column(name, justify="left" if name == first else "right")
    for name, row in rows.items():
        table.add_row(name, *("-" if row[c] is None else str(row[c]) for c in columns))
    Console(markup=False, emoji=False).print(table)


def evaluate_gate(
    markets: Annotated[
        Path,
        typer.Option(
            exists=True, dir_okay=False, help="Parquet file of markets with their results."
        ),
    ],
    prices: Annotated[
        Path,
        typer.Option(
            exists=True, dir_okay=False, help="Parquet file of the markets' prices over time."
        ),
    ],
    titles: Annotated[
        int,
        typer.Option(
            min=1, help="Maximum number of resolved markets whose titles are asked as questions."
        ),
    ] = 600,
    seed: Annotated[int, typer.Option(help="Seed of the random choice of titles and times.")] = 1,
    as_json: AsJson = False,
) -> None:
    """Measure what refusing forecasts with weak evidence does to the Brier score.

    Titles of resolved markets are asked as questions, each as of an earlier day. Each title is
    asked twice: once with its own market in the catalogue, and once without it. Kept and refused
    answers are compared with the market's own price. An answer is kept or refused by its grade, its
    confidence, its interval and the age of its newest price, as in
    docs/notebooks/evidence_gate.py.

    Example: augury eval gate --markets markets.parquet --prices prices.parquet
    """
    from augury.forecast import gate

    result = asyncio.run(_gate(markets, prices, titles, seed, quiet=as_json))
    if as_json:
        typer.echo(json.dumps(result))
        return
    conditions = (
        f"grade {' or '.join(sorted(gate.GRADES))}; confidence {gate.LEAST_CONFIDENCE} or more;"
        f" interval {gate.WIDEST_INTERVAL} or narrower;"
        f" newest price {gate.OLDEST_PRICE_HOURS:g} hours old or less"
    )
    typer.echo(f"The gate: {conditions}.")
    for name, part in result.items():
        typer.echo(f"\n{name}: {part['asked']} asked, {part['answered']} answered")
        columns = ("n", "events", "brier", "crowd_brier", "worse", "error")
        rows = {
            f"{gate_name}, {side}": scores[side]
            for gate_name, scores in part["gates"].items()
            for side in ("kept", "refused")
        }
        _print_rows("gate", columns, rows)


async def _gate(
    markets: Path, prices: Path, titles: int, seed: int, *, quiet: bool
) -> dict[str, Any]:
    from augury.forecast.gate import TrialForecast, effect
    from augury.forecast.trials import DAYS_BEFORE, before_the_end, store
    from augury.venues.dump import DumpFile

    market_file, price_file = DumpFile(markets, kind="markets"), DumpFile(prices, kind="prices")
    asked = before_the_end(market_file, price_file, most=titles, seed=seed)
    if not asked:
        raise SetupProblem(
            f"No resolved market of {markets} has a price in {prices} that was recorded more than"
            f" {min(DAYS_BEFORE)} days before the market closed or was resolved. Use a dump with"
            " resolutions and longer price histories."
        )
    tried: dict[str, list[TrialForecast]] = {"with its market": [], "without its market": []}
    console = Console(stderr=True, markup=False)
    async with store(market_file, price_file) as services:
        for one in track(asked, "Asking", console=console, disable=quiet):
            for name, rows in tried.items():
                gone = (
                    frozenset({one.market_id or ""}) if name.startswith("without") else frozenset()
                )
                made = await services.forecast.without(one.question, one.as_of, gone)
                found, newest = made.estimate, made.data_as_of
                width = (
                    found.upper - found.lower
                    if found.upper is not None and found.lower is not None
                    else None
                )
                rows.append(
                    TrialForecast(
                        event=one.event or one.qid,
                        outcome=one.outcome or 0.0,
                        crowd=one.p or 0.0,
                        probability=found.probability,
                        grade=found.grade,
                        confidence=found.confidence,
                        width=width,
                        age_hours=(one.as_of - newest).total_seconds() / 3600 if newest else None,
                    )
                )
    return {name: effect(rows) for name, rows in tried.items()}


def evaluate_calibration(
    markets: Annotated[
        Path,
        typer.Option(
            exists=True, dir_okay=False, help="Parquet file of markets with their results."
        ),
    ],
    prices: Annotated[
        Path,
        typer.Option(
            exists=True, dir_okay=False, help="Parquet file of the markets' prices over time."
        ),
    ],
    as_json: AsJson = False,
) -> None:
    """Measure whether prices of resolved markets were too high or too low.

    Fits a correction for the favorite-longshot bias (unlikely outcomes priced too high), by venue
    and time left, and scores it on events that it was not fitted on. Only measures: forecasts use
    prices without this correction.

    Example: augury eval calibration --markets markets.parquet --prices prices.parquet
    """
    import polars as pl

    from augury.forecast import calibrate
    from augury.forecast.trials import decided_prices

    try:
        cells = calibrate.correction_tests(list(decided_prices(markets, prices)))
    except pl.exceptions.PolarsError as error:
        # CSV and JSON dumps have text in place of times and lists.
        reason = str(error).splitlines()[0]
        raise SetupProblem(
            f"Can't calibrate on {markets} and {prices}: {reason}. Use Parquet files."
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
