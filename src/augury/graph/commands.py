"""`augury graph` and `augury eval edges`: the graph of a question, and the strengths of edges."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from pydantic import ValidationError
from rich.table import Table

from augury import remote, service_file
from augury.clock import now
from augury.options import AsJson
from augury.settings import Settings
from augury.tables import Console

if TYPE_CHECKING:
    from augury.graph.schemas import GraphAnswer


def graph(
    question: Annotated[str, typer.Argument(help="The question in the middle of the graph.")],
    svg: Annotated[Path | None, typer.Option(help="Write the picture as SVG to this file.")] = None,
    png: Annotated[Path | None, typer.Option(help="Write the picture as PNG to this file.")] = None,
    url: remote.Url = None,
    as_json: AsJson = False,
) -> None:
    """Show what drives a question, what follows from it, and how strongly.

    Asks the service at --url or the one running on the same data folder. Without a service it reads
    the data folder itself. With --url there is no picture.

    Example: augury graph "Will the US fall into recession in 2027?" --svg recession.svg
    """
    if url is not None:
        if svg or png:
            raise typer.BadParameter(
                "--svg and --png can't be combined with --url: only a local service or data "
                "folder gives a picture."
            )
        _tell(asyncio.run(_elsewhere(url, question)), as_json=as_json)
        return
    from augury import pictures
    from augury.graph import picture

    drawn = asyncio.run(_graph(question))
    sample = any("sample" in warning for warning in drawn.trace.warnings)
    told = picture.svg(drawn.graph, as_of=now(), sample=sample)
    if svg:
        svg.write_text(told, encoding="utf-8")
    if png:
        png.write_bytes(pictures.png(told))
    if as_json:
        typer.echo(drawn.model_dump_json())
        return
    told = drawn.model_dump(mode="json")
    _tell({"graph": told["graph"], "warnings": told["trace"]["warnings"]}, as_json=False)


def evaluate_edges(
    markets: Annotated[
        Path, typer.Option(exists=True, dir_okay=False, help="Parquet file of markets.")
    ],
    prices: Annotated[
        Path,
        typer.Option(exists=True, dir_okay=False, help="Parquet file of their prices over time."),
    ],
    seed: Annotated[
        int, typer.Option(help="Seed for the random choice among equally strong pairs.")
    ] = 0,
    write: Annotated[
        Path | None, typer.Option(help="Write the table of strengths to this file.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Measure how often markets joined by each kind of edge moved together, day by day.

    Strengths are fitted on the earlier days and tested on the later ones.

    Example: augury eval edges --markets markets.parquet --prices prices.parquet
    """
    from augury.graph import fit

    told = fit.measure(markets, prices, seed=seed, quiet=as_json)
    if write is not None:
        write.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    if as_json:
        typer.echo(json.dumps(told))
        return
    table = Table(box=None)
    for name in ("edge", "strength", "share later", "days", "pairs of events", "of them later"):
        table.add_column(name, justify="left" if name == "edge" else "right")
    for kind, row in told["kinds"].items():
        later = row["later"] or {"share": None, "events": 0}
        share = "-" if later["share"] is None else f"{later['share']:.3f}"
        table.add_row(
            kind, f"{row['strength']:.3f}", share, str(row["fitted"]["days"]), str(row["n"]),
            str(later["events"]),
        )  # fmt: skip
    Console(markup=False, emoji=False).print(table)
    for name, scores in told["later"].items():
        said = ", ".join(f"{who} {score}" for who, score in scores.items())
        typer.echo(f"later days, {name.replace('_', ' ')}: {said}")


def _tell(drawn: dict[str, Any], *, as_json: bool) -> None:
    """Print a graph edge by edge as text, or as JSON."""
    if as_json:
        typer.echo(json.dumps(drawn, ensure_ascii=False))
        return
    graph = drawn["graph"] or {"nodes": [], "edges": []}
    names = {node["id"]: node["label"] for node in graph["nodes"]}
    for edge in graph["edges"]:
        lag = "" if not edge["lag_days"] else f", after about {edge['lag_days']} days"
        typer.echo(f"{names[edge['source']]}\n  {edge['relationship']} -> {names[edge['target']]}")
        strength = edge["strength"]
        how = "strength not measured" if strength is None else f"strength {strength:.2f}"
        typer.echo(f"  {how}{lag}: {edge['description']}")
    for warning in drawn["warnings"]:
        typer.echo(f"note: {warning}", err=True)


async def _elsewhere(url: str, question: str) -> dict[str, Any]:
    async with remote.client(url) as service:
        return await service_file.ask(service, "/v1/graphs", {"question": question})


async def _graph(question: str) -> GraphAnswer:
    from augury.app import running
    from augury.graph.schemas import GraphAnswer, GraphRequest, answer

    try:
        GraphRequest.model_validate({"question": question})
    except ValidationError as error:
        raise typer.BadParameter(error.errors()[0]["msg"]) from None
    settings = Settings()  # type: ignore[call-arg]
    async with service_file.service(settings, "internal") as service:
        if service is not None:
            body = {"question": question}
            return GraphAnswer.model_validate(
                await service_file.ask(service, "/internal/v1/graph/build", body)
            )
    async with running(settings) as services:
        if settings.sample == "on":
            await services.markets.ensure_sample()
        await services.search.catch_up()
        return answer(await services.graph.build(question))
