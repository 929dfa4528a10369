"""`augury llm`: tests what the configured language model is good for."""

from __future__ import annotations

import asyncio
import json
from dataclasses import asdict
from statistics import median
from typing import Any

import typer
from rich.progress import track
from rich.table import Table

from augury.errors import SetupProblem, UpstreamFailed
from augury.options import AsJson
from augury.settings import Settings
from augury.tables import Console

app = typer.Typer(help="Test the optional language model (AUGURY_LLM_URL).", no_args_is_help=True)


@app.callback()
def _group() -> None:
    """Empty callback. Without it, Typer turns a group with only one command into that command."""


@app.command("examine")
def examine(
    as_json: AsJson = False,
) -> None:
    """Test the language model on the control questions of each task.

    It is used only for the tasks that it passes. Its answers are stored, so testing it again costs
    nothing. For a slow model raise AUGURY_LLM_TIMEOUT.

    Example: AUGURY_LLM_URL=http://localhost:8080/v1 augury llm examine
    """
    report = asyncio.run(_examine(quiet=as_json))
    if as_json:
        typer.echo(json.dumps(report))
        return
    table = Table(box=None)
    for column in ("task", "used", "right", "usable", "of", "median s"):
        table.add_column(column)
    for one in report["tasks"]:
        table.add_row(
            one["task"], "yes" if one["passed"] else "no", str(one["right"]), str(one["usable"]),
            str(one["of"]), f"{median(one['seconds']):.2f}" if one["seconds"] else "-",
        )  # fmt: skip
    Console(markup=False, emoji=False).print(table)
    typer.echo(f"{report['model']}: {report['tokens_today']:,} tokens spent today.")


async def _examine(*, quiet: bool) -> dict[str, Any]:
    from augury.forecast.tasks import MATCH, REWRITE, WORDING
    from augury.llm.service import LanguageModel, NoAnswer
    from augury.relations.causal.review import REVIEW
    from augury.relations.labels import LABEL
    from augury.storage.database import Database

    settings = Settings()  # type: ignore[call-arg]
    if settings.llm_url is None:
        raise SetupProblem("No language model is configured. Set AUGURY_LLM_URL.")
    database = await Database.open(settings)
    try:
        model = LanguageModel.of(settings, database)
        assert model is not None
        try:
            known = (LABEL, REVIEW, REWRITE, MATCH, WORDING)
            tasks = [task for task in known if model.does(task.name)]
            found = [
                await model.examine(task)
                for task in track(
                    tasks, "Examining", console=Console(stderr=True, markup=False), disable=quiet
                )
            ]
            spent = await model.spent_today()
        except NoAnswer as error:
            raise UpstreamFailed(str(error)) from None
        finally:
            await model.aclose()
    finally:
        await database.close()
    return {
        "model": model.model,
        "tasks": [asdict(one) for one in found],
        "tokens_today": spent.tokens,
    }
