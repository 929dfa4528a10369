"""`augury relations`: the factor base on the command line."""

from __future__ import annotations

import json
import time
from collections import Counter
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from augury.relations import knowledge
from augury.relations.factors import Matcher, game

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]

app = typer.Typer(help="The causal factor base behind relations.", no_args_is_help=True)


@app.command("lint")
def lint(
    catalogue: Annotated[
        Path | None, typer.Option(help="A dump of markets: also report what the factors catch.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Check the factor base: dangling ends, unsigned edges, factors that catch nothing.

    Exits with 1 when something is wrong.

    Example: augury relations lint --catalogue markets.parquet
    """
    base = knowledge.load()
    problems = knowledge.lint(base)
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
        typer.echo(json.dumps({**counts, "problems": problems, "catalogue": caught}))
    else:
        for problem in problems:
            typer.echo(problem)
        typer.echo(", ".join(f"{name.replace('_', ' ')} {n:,}" for name, n in counts.items()))
        if caught:
            _show(caught)
    raise typer.Exit(1 if problems else 0)


def _catch(base: knowledge.Base, catalogue: Path) -> dict:
    import polars

    from augury.search.text import document_text

    rows = polars.read_parquet(catalogue)
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


def _show(caught: dict) -> None:
    console = Console()
    console.print(
        f"{caught['matched']:,} of {caught['markets']:,} markets have a factor"
        f" ({caught['markets_per_second']:,} a second)"
    )
    table = Table(box=None)
    for column in ("most caught by", "markets", "caught by none", "markets "):
        table.add_column(column)
    pairs = zip(list(caught["hits"].items())[:60], caught["missed_events"].items(), strict=False)
    for (factor, n), (event, m) in pairs:
        table.add_row(factor, str(n), event[:60], str(m))
    console.print(table)
    if caught["catch_nothing"]:
        console.print("written by hand and catching nothing:", ", ".join(caught["catch_nothing"]))
