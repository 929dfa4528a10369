"""`augury relations`: checks the factor base (which factor drives which) and manages a language
model's labels (its answers on how events are related)."""

from __future__ import annotations

import asyncio
import json
import time
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer
from rich.progress import Progress
from rich.table import Table

from augury import input_files
from augury.errors import NotFound, SetupProblem
from augury.options import AsJson
from augury.relations.causal import judged_counts, knowledge, own_verdicts
from augury.relations.causal.factors import Matcher, game
from augury.relations.causal.judged import Judged
from augury.relations.causal.judged_counts import JudgedCounts
from augury.relations.causal.review_command import review
from augury.settings import Settings
from augury.storage.database import Database
from augury.tables import Console

app = typer.Typer(
    help="Causes and effects that relate markets: check the factor base (which factor drives "
    "which), and manage labels from a language model.",
    no_args_is_help=True,
)
app.command("review")(review)


@app.command("lint")
def lint(
    catalogue: Annotated[
        Path | None,
        typer.Option(
            exists=True,
            dir_okay=False,
            help="Parquet file of markets: also report how many of them each factor matches.",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Check the factor base. It lists factors (things in the world that markets are about) and
    edges (which factor drives which).

    Reports edges to unknown factors, factors without edges, and contradictions. Also counts the
    verdicts on pairs of factors by relation, strength and domain, including your own
    (`augury relations review`), and compares them with the edges. Exits with 1 if it finds an
    error.

    Example: augury relations lint --catalogue markets.parquet
    """
    shipped = knowledge.load()
    unread: list[str] = []
    data_dir = Path(Settings().data_dir)  # type: ignore[call-arg]
    own = own_verdicts.read(own_verdicts.accepted_folder(data_dir), unread)
    base = own_verdicts.with_own(shipped, own)
    problems = [*unread, *knowledge.lint(base)]
    judged = judged_counts.counts(
        base, Judged(base.verdicts, tuple(base.factors.values())), shipped.verdicts
    )
    by_hand = {f.key for f in base.written}
    counts = {
        "factors": len(by_hand),
        "edges": sum(e.cause in by_hand and not e.inherited for e in base.edges),
        "links": sum(link.one in by_hand for link in base.links),
        "instances": len(base.factors) - len(by_hand),
        "all_edges": len(base.edges),
        "all_links": len(base.links),
    }
    caught = _catch(base, catalogue) if catalogue else None
    if as_json:
        found = {"judged": msgspec.to_builtins(judged), "catalogue": caught}
        typer.echo(json.dumps({**counts, "problems": problems, **found}))
    else:
        for problem in problems:
            typer.echo(problem)
        typer.echo(_counted(counts))
        _show_judged(judged)
        if caught:
            _show(caught)
    raise typer.Exit(1 if problems else 0)


@app.command("label")
def label(
    limit: Annotated[
        int,
        typer.Option(
            min=1, help="Maximum number of pairs of events to ask the language model about."
        ),
    ] = 100,
    as_json: AsJson = False,
) -> None:
    """Ask the language model how events are related, for pairs of events that nothing else relates.

    Each answer is stored at once as a label. A label has little weight until you confirm it with
    `augury relations labels`. Needs AUGURY_LLM_URL. Stops when the day's token budget is used up.
    Exits with 1 if the model was not asked because it failed the control questions.

    Example: augury relations label --limit 200
    """
    report = asyncio.run(_label(limit, quiet=as_json))
    if as_json:
        typer.echo(json.dumps(report))
    else:
        typer.echo(
            f"{report['labeled']} of {report['candidates']} pairs of events labeled by"
            f" {report['model']}, {report['related']} of them as related;"
            f" {report['unusable']} unusable answers, {report['failed']} failed requests;"
            f" {report['tokens_today']:,} tokens spent today. Ended: {report['ended']}."
        )
        if report["why"]:
            typer.echo(report["why"])
    raise typer.Exit(1 if report["ended"] == "not qualified" else 0)


async def _label(limit: int, *, quiet: bool) -> dict[str, Any]:
    from augury.llm.service import LanguageModel
    from augury.relations.labelling import Labeller
    from augury.relations.service import RelationService

    settings = Settings()  # type: ignore[call-arg]
    async with _database(settings) as database:
        model = LanguageModel.of(settings, database)
        if model is None or not model.does("label"):
            if model is not None:
                await model.aclose()
            raise SetupProblem(
                "No language model is configured for labels. Set AUGURY_LLM_URL and add label to "
                "AUGURY_LLM_TASKS."
            )
        try:
            relations = RelationService()
            labeller = Labeller(database, model, relations.tags, relations.graph.near)
            with Progress(console=Console(stderr=True, markup=False), disable=quiet) as progress:
                bar = progress.add_task("Testing the model and finding pairs", total=None)

                def advance(done: int, of: int) -> None:
                    progress.update(bar, description="Asking", completed=done, total=of)

                return msgspec.to_builtins(await labeller.run(limit, advance))
        finally:
            await model.aclose()


@app.command("labels")
def labels(
    confirm: Annotated[
        list[int] | None, typer.Option(help="Id of a label to confirm. Repeatable.")
    ] = None,
    reject: Annotated[
        list[int] | None, typer.Option(help="Id of a label to reject. Repeatable.")
    ] = None,
    remove_model: Annotated[
        str | None, typer.Option(help="Remove all labels made by this model.")
    ] = None,
    remove_all: Annotated[bool, typer.Option("--remove-all", help="Remove all labels.")] = False,
    as_json: AsJson = False,
) -> None:
    """List the labels, i.e. the language model's answers on how two events are related; confirm,
    reject or remove some.

    A label says whether one event drives the other, both move together, or neither. A running
    service applies changes within seconds.

    Example: augury relations labels --confirm 12 --confirm 15 --reject 13
    """
    found, removed = asyncio.run(
        _labels(confirm or [], reject or [], remove_model, everything=remove_all)
    )
    if as_json:
        typer.echo(json.dumps({"removed": removed, "labels": found}, default=str))
        return
    if removed:
        typer.echo(f"{removed} labels removed.")
    table = Table(box=None)
    for column in ("", "status", "first", "", "second", "reason", "model"):
        table.add_column(column)
    for one in found:
        table.add_row(
            str(one["id"]), one["status"], one["first_id"], one["relation"], one["second_id"],
            one["reason"], one["model"],
        )  # fmt: skip
    Console(markup=False, emoji=False).print(table if found else "No labels are stored.")


async def _labels(
    confirm: list[int], reject: list[int], model: str | None, *, everything: bool
) -> tuple[list[dict[str, Any]], int]:
    from augury.relations import store

    async with _database(Settings()) as database:  # type: ignore[call-arg]
        async with database.transaction() as conn:
            judged = await store.judge_labels(conn, confirm, "confirmed")
            judged += await store.judge_labels(conn, reject, "rejected")
            if judged < len({*confirm}) + len({*reject}):
                raise NotFound(
                    "At least one of these ids is not the id of a label. Nothing was changed. To "
                    "list all labels with their ids: augury relations labels"
                )
            removed = 0
            if everything or model is not None:
                removed = await store.remove_labels(conn, None if everything else model)
        async with database.reading() as conn:
            return [row._asdict() for row in await store.labels(conn)], removed


@asynccontextmanager
async def _database(settings: Settings) -> AsyncIterator[Database]:
    database = await Database.open(settings)
    try:
        yield database
    finally:
        await database.close()


def _catch(base: knowledge.Base, catalogue: Path) -> dict:
    from augury.search.text import document_text

    rows = input_files.parquet(catalogue, ["question", "event_title", "description"])
    matcher = Matcher(base)
    hits: Counter[str] = Counter()
    missed: Counter[str] = Counter()
    matched = 0
    started = time.perf_counter()
    columns = rows["question"], rows["event_title"], rows["description"]
    for question, event, rules in zip(*columns, strict=True):
        text = document_text(question, event_name=event, description=rules)
        found = matcher.match(text.title, text.event or game(text.body))
        matched += bool(found)
        hits.update(matcher.factors[m.factor - 1].key for m in found)
        if not found:
            missed[event or question] += 1
    return {
        "markets": len(rows),
        "matched": matched,
        "markets_per_second": round(len(rows) / (time.perf_counter() - started)),
        "hits": dict(hits.most_common()),
        "catch_nothing": [f.key for f in base.written if f.key not in hits],
        "missed_events": dict(missed.most_common(60)),
    }


def _counted(found: Mapping[str, int]) -> str:
    return ", ".join(f"{name.replace('_', ' ')} {n:,}" for name, n in found.items())


def _show_judged(judged: JudgedCounts) -> None:
    share = judged.judged_twice / max(1, judged.pairs)
    typer.echo(f"judged pairs of factors {judged.pairs:,}: {_counted(judged.by_verdict)}")
    typer.echo(f"  by strength: {_counted(judged.by_strength)}")
    typer.echo(f"  by domain (a pair of two counts in both): {_counted(judged.by_domain)}")
    typer.echo(f"  judged by two readers: {judged.judged_twice:,} ({share:.1%})")
    edges = judged.against_edges
    seen = max(1, edges.judged)
    typer.echo(
        f"  edges and links written by hand whose factors were judged: {edges.judged:,} of"
        f" {edges.edges:,}; judged to have the same relation: {edges.same_relation / seen:.0%}"
        f" ({edges.opposite_sign:,} of them with the opposite sign); judged to have no relation:"
        f" {edges.none / seen:.0%}"
    )
    if judged.own:
        typer.echo(
            f"  your own: {judged.own:,}; {judged.own_over_shipped:,} of them replace a shipped"
            f" verdict, {judged.own_same_relation:,} with the same relation"
        )


def _show(caught: dict) -> None:
    console = Console(markup=False, emoji=False)
    console.print(
        f"{caught['matched']:,} of {caught['markets']:,} markets are about a factor"
        f" ({caught['markets_per_second']:,} markets checked per second)"
    )
    table = Table(box=None)
    for column in ("factor", "markets", "event without a factor", "markets "):
        table.add_column(column)
    pairs = zip(list(caught["hits"].items())[:60], caught["missed_events"].items(), strict=False)
    for (factor, n), (event, m) in pairs:
        table.add_row(factor, str(n), event[:60], str(m))
    console.print(table)
    if caught["catch_nothing"]:
        console.print(
            "factors written by hand that match no market:", ", ".join(caught["catch_nothing"])
        )
