"""`augury rvol ...`, `augury eval rvol`, `augury bench rvol`."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from augury.errors import SetupProblem

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


def evaluate_rvol(
    realized: Annotated[Path, typer.Option(exists=True, dir_okay=False, help="Parquet.")],
    assets: Annotated[str | None, typer.Option(help="Assets to score, by comma.")] = None,
    horizons: Annotated[str, typer.Option(help="Horizons in days, by comma.")] = "1,5,22",
    exclude_window: Annotated[
        datetime | None,
        typer.Option(formats=["%Y-%m-%d"], help="Leave out target windows holding this day."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Score every model out of sample on a file of daily realized measures.

    Each day the models are fitted on the windows closed by then, as the service does it. Losses
    are QLIKE; ratios are over HAR by least squares and over log-HAR; t is Diebold and Mariano's.

    Example: augury eval rvol --realized realized.parquet --exclude-window 2025-10-10
    """
    from augury.rvol import evaluate

    chosen = [name.strip() for name in assets.split(",")] if assets else None
    try:
        days = [int(part.removesuffix("d")) for part in horizons.split(",")]
    except ValueError:
        raise typer.BadParameter("horizons are whole numbers of days, like 1,5,22") from None
    if not all(1 <= d <= 60 for d in days):
        raise typer.BadParameter("horizons lie between 1 and 60 days")
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
    """Scores as a table of the terminal: a line a group, horizon and model."""
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
