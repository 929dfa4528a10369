"""`augury graph` draws the causal graph of a question; `augury eval edges` measures how often
markets joined by an edge of such a graph moved together."""

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
    """Show what drives the answer to a question, what follows from it, and how strongly.

    Asks the service at --url or, without it, the service that runs on the same data folder. If none
    is running, the command reads the data folder itself. --svg and --png
    can't be combined with --url.

    Example: augury graph "Will the US fall into recession in 2027?" --svg recession.svg
    """
    if url is not None:
        if svg or png:
            raise typer.BadParameter(
                "--svg and --png can't be combined with --url. Leave out --url to draw a picture "
                "from the local data folder or the service that runs on it."
            )
        _print_graph(asyncio.run(_elsewhere(url, question)), as_json=as_json)
        return
    from augury import pictures
    from augury.graph import picture

    drawn = asyncio.run(_graph(question))
    sample = any("sample" in warning for warning in drawn.trace.warnings)
    image = picture.svg(drawn.graph, as_of=now(), sample=sample)
    if svg:
        svg.write_text(image, encoding="utf-8")
    if png:
        png.write_bytes(pictures.png(image))
    if as_json:
        typer.echo(drawn.model_dump_json())
        return
    answer = drawn.model_dump(mode="json")
    _print_graph({"graph": answer["graph"], "warnings": answer["trace"]["warnings"]}, as_json=False)


def evaluate_edges(
    markets: Annotated[
        Path, typer.Option(exists=True, dir_okay=False, help="Parquet file of markets.")
    ],
    prices: Annotated[
        Path,
        typer.Option(
            exists=True, dir_okay=False, help="Parquet file with the markets' price history."
        ),
    ],
    seed: Annotated[
        int, typer.Option(help="Seed for the random choice of the pairs of markets.")
    ] = 0,
    write: Annotated[
        Path | None,
        typer.Option(
            help="Write the measured strength of each kind of edge to this file, as JSON."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Measure how often two markets joined by an edge of a causal graph moved on the same days.

    Each kind of edge gets a strength, from 0 to 1. Strengths are fitted on the earlier days of the
    price history and tested on the later ones.

    Example: augury eval edges --markets markets.parquet --prices prices.parquet
    """
    from augury.graph import fit

    strengths = fit.measure(markets, prices, seed=seed, quiet=as_json)
    if write is not None:
        write.write_text(json.dumps(strengths, indent=1) + "\n", encoding="utf-8")
    if as_json:
        typer.echo(json.dumps(strengths))
        return
    table = Table(box=None)
    for name in (
        "kind of edge", "strength", "share on later days", "days", "pairs of events",
        "pairs of events later",
    ):  # fmt: skip
        table.add_column(name, justify="left" if name == "kind of edge" else "right")
    for kind, row in strengths["kinds"].items():
        later = row["later"] or {"share": None, "events": 0}
        share = "-" if later["share"] is None else f"{later['share']:.3f}"
        table.add_row(
            kind, f"{row['strength']:.3f}", share, str(row["fitted"]["days"]), str(row["n"]),
            str(later["events"]),
        )  # fmt: skip
    Console(markup=False, emoji=False).print(table)
    for name, scores in strengths["later"].items():
        listed = ", ".join(f"{source} {score}" for source, score in scores.items())
        typer.echo(f"later days, {name.replace('_', ' ')}: {listed}")


def _print_graph(drawn: dict[str, Any], *, as_json: bool) -> None:
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
    from augury.graph.schemas import GraphAnswer, GraphRequest, answer
    from augury.services import running

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
