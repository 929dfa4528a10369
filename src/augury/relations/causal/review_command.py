"""`augury relations review`: collects verdicts on pairs of factors (things in the world) that have
not been judged yet. A language model proposes the verdicts, or a person writes them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import msgspec
import typer
from rich.progress import Progress
from rich.table import Table

from augury.clock import now
from augury.errors import SetupProblem
from augury.options import AsJson
from augury.settings import Settings
from augury.storage.database import Database
from augury.tables import Console

if TYPE_CHECKING:
    from augury.llm.service import LanguageModel
    from augury.relations.causal.review import UnjudgedPair

MAX_SHOWN = 40
"""The printed table of unjudged pairs of factors (things in the world) has at most this many
rows."""


@dataclass(frozen=True, slots=True)
class _Wanted:
    limit: int
    dry_run: bool
    by: str | None
    quiet: bool


def review(
    limit: Annotated[
        int, typer.Option(min=1, help="Maximum number of pairs of factors to judge.")
    ] = 100,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run", help="Only list the pairs: do not ask the language model, write no file."
        ),
    ] = False,
    by: Annotated[
        str | None,
        typer.Option(
            help="Judge the pairs yourself instead of asking the language model. Give your name, "
            "e.g. ana. The command writes a file of pairs for you to fill in."
        ),
    ] = None,
    accept: Annotated[
        Path | None,
        typer.Option(
            exists=True,
            dir_okay=False,
            help="File of proposed verdicts on pairs of factors that you have read and corrected. "
            "The command checks it and moves its verdicts to the folder from which the service "
            "loads them.",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Judge how two factors (things in the world that markets are about) are related, for pairs
    that nobody has judged; those with the most active events come first.

    The language model (AUGURY_LLM_URL) proposes a verdict on each pair, or you judge the pairs
    yourself (--by). Proposals are written to a text file in the data folder and change no answer.
    Check and correct the file, then accept it (--accept). Its verdicts count from the next start of
    the service. Exits with 1 if the language model failed the control questions, or if the file was
    not accepted.

    Examples:

      augury relations review --dry-run

      augury relations review --limit 50

      augury relations review --by ana --limit 20

      augury relations review --accept data/judged/proposed/2026-11-23-ana.tsv
    """
    if accept is not None and (dry_run or by is not None):
        raise typer.BadParameter("--accept can't be combined with --dry-run or --by.")
    if by is not None and not by.strip():
        raise typer.BadParameter("--by needs your name, e.g. --by ana.")
    if accept is not None:
        _accept(accept, as_json=as_json)
    report = asyncio.run(_review(_Wanted(limit, dry_run, by, as_json)))
    if as_json:
        typer.echo(json.dumps(report))
    else:
        _show(report)
    raise typer.Exit(1 if report["ended"] == "not qualified" else 0)


def _accept(file: Path, *, as_json: bool) -> NoReturn:
    from augury.relations.causal import knowledge
    from augury.relations.causal.reviewing import accept

    settings = Settings()  # type: ignore[call-arg]
    done = accept(knowledge.load(), Path(settings.data_dir), file)
    if as_json:
        typer.echo(msgspec.json.encode(done).decode())
    elif done.problems:
        for problem in done.problems:
            typer.echo(problem)
        typer.echo("Nothing was accepted. Correct these lines, then accept the file again.")
    else:
        known = f", {done.already} had been accepted before" if done.already else ""
        still = f", {done.left_open} are not filled in yet" if done.left_open else ""
        typer.echo(f"{done.accepted} verdicts accepted{known}{still}.")
        if done.file:
            typer.echo(
                f"The accepted verdicts are in {done.file}. The service uses them from its next"
                " start."
            )
    raise typer.Exit(1 if done.problems else 0)


async def _review(wanted: _Wanted) -> dict[str, Any]:
    from augury.relations.causal.reviewing import Reviewer

    settings = Settings()  # type: ignore[call-arg]
    data_dir = Path(settings.data_dir)
    asks = not wanted.dry_run and wanted.by is None
    async with _opened(settings, asks=asks) as (database, model):
        with Progress(console=Console(stderr=True, markup=False), disable=wanted.quiet) as progress:
            queue = await _queue(database, data_dir, progress)
            if model is not None:
                advance = _bar(progress, "Testing the model, then asking")
                reviewer = Reviewer(model, data_dir)
                return msgspec.to_builtins(await reviewer.run(queue, wanted.limit, advance))
    listed = _listed(queue, wanted.limit)
    if wanted.dry_run or wanted.by is None:
        return {**listed, "ended": "dry run", "file": None}
    file = _by_hand(queue[: wanted.limit], data_dir, wanted.by)
    return {**listed, "ended": "by hand", "file": file}


@asynccontextmanager
async def _opened(
    settings: Settings, *, asks: bool
) -> AsyncIterator[tuple[Database, LanguageModel | None]]:
    """Open the database and, if `asks` is True, the language model (else None); both are closed at
    the end.

    Raises
    ------
    SetupProblem
        A language model is needed, and none is configured for reviews.
    """
    from augury.llm.service import LanguageModel

    if asks and (settings.llm_url is None or "review" not in settings.llm_tasks):
        raise SetupProblem(
            "No language model is configured for reviews. Set AUGURY_LLM_URL and add review to "
            "AUGURY_LLM_TASKS, or judge by hand: augury relations review --by YOUR_NAME."
        )
    database = await Database.open(settings)
    try:
        model = LanguageModel.of(settings, database) if asks else None
        try:
            yield database, model
        finally:
            if model is not None:
                await model.aclose()
    finally:
        await database.close()


async def _queue(database: Database, data_dir: Path, progress: Progress) -> list[UnjudgedPair]:
    from augury.relations.causal import knowledge, own_verdicts
    from augury.relations.causal.review import unjudged
    from augury.relations.causal.reviewing import events_by_factor, proposed
    from augury.relations.service import RelationService

    relations = RelationService(own_verdicts.with_accepted(knowledge.load(), data_dir))
    events = await events_by_factor(database, relations.tags, _bar(progress, "Reading events"))
    waiting = proposed(data_dir)
    advance = _bar(progress, "Looking for unjudged pairs")
    base = relations.matcher.factors, relations.graph, relations.judged
    return await asyncio.to_thread(lambda: unjudged(*base, events, waiting, advance))


def _bar(progress: Progress, title: str) -> Any:
    bar = progress.add_task(title, total=None)
    return lambda done, of: progress.update(bar, completed=done, total=of)


def _by_hand(pairs: Sequence[UnjudgedPair], data_dir: Path, name: str) -> str | None:
    from augury.relations.causal import reviewing
    from augury.relations.causal.review import judge_of

    day = now().date().isoformat()
    file = reviewing.proposals_file(data_dir, name, day)
    for pair in pairs:
        reviewing.propose(file, pair, judge_of(name, day, is_model=False))
    return str(file) if pairs else None


def _listed(queue: Sequence[UnjudgedPair], limit: int) -> dict[str, Any]:
    return {
        "queue": len(queue),
        "pairs": [
            {
                "a": pair.one, "b": pair.other, "side": pair.side, "events": pair.events,
                "stands_for": len(pair.examples), "a_name": pair.examples[0][0].name,
                "b_name": pair.examples[0][1].name,
            }
            for pair in queue[:limit]
        ],
    }  # fmt: skip


def _show(report: dict[str, Any]) -> None:
    if "pairs" in report:
        table = Table(box=None)
        for column in ("events", "first", "second", "pairs"):
            table.add_column(column)
        for pair in report["pairs"][:MAX_SHOWN]:
            table.add_row(
                str(pair["events"]), pair["a_name"], pair["b_name"], str(pair["stands_for"])
            )
        Console(markup=False, emoji=False).print(table)
        typer.echo(f"{report['queue']:,} pairs of factors have not been judged yet.")
    else:
        verdicts = ", ".join(f"{code} {n}" for code, n in sorted(report["by_verdict"].items()))
        typer.echo(
            f"{report['model']} proposed verdicts on {report['proposed']} of {report['queue']:,}"
            f" pairs of factors ({verdicts or 'none'}); {report['unusable']} unusable answers,"
            f" {report['failed']} failed requests; {report['tokens_today']:,} tokens spent today."
            f" Ended: {report['ended']}."
        )
        if report["why"]:
            typer.echo(report["why"])
    if report["file"]:
        typer.echo(
            f"Read and correct {report['file']}, then run: augury relations review --accept FILE"
        )
