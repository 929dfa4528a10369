"""`augury search`, `augury eval search`, `augury bench search`, `soak` and `exports`."""

from __future__ import annotations

import asyncio
import json
import shutil
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import typer
from rich.progress import track

from augury import clock, given, presence, remote
from augury.errors import SetupProblem
from augury.markets import store as markets
from augury.search import listing
from augury.search.indexer import Progress
from augury.search.schemas import DIMENSIONS
from augury.settings import Settings
from augury.storage.database import Database
from augury.tables import Console

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
AsCsv = Annotated[bool, typer.Option("--csv", help="Print CSV, one market a line.")]

EVALUATION_DEPTH = 200
"""Results asked for per query when scoring: judged markets may stand among many unjudged."""


def search(
    query: Annotated[str, typer.Argument(help="A question, keywords, an id or a venue's address.")],
    dimension: Annotated[
        list[str] | None, typer.Option(help=f"One of {', '.join(DIMENSIONS)}; may be repeated.")
    ] = None,
    top_k: Annotated[int, typer.Option(min=1, max=100, help="Most results per relation.")] = 10,
    status: Annotated[
        str | None, typer.Option(help="Only markets that are active, closed or resolved.")
    ] = None,
    url: remote.Url = None,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """Find markets by their relation to a query.

    Asks the service at --url, else the one running on the same data folder, else opens the index
    itself.

    Example: augury search "Fed rate cut in December" --status active
    """
    body: dict[str, Any] = {
        "query": query,
        "dimensions": dimension or list(DIMENSIONS),
        "top_k_per_dimension": top_k,
        "filters": {"status": status},
    }
    results = asyncio.run(_search(body, url))
    if as_csv:
        found = [{"dimension": d, "price": _first(r), **r} for d in results for r in results[d]]
        typer.echo(remote.as_csv(found))
        return
    if as_json:
        typer.echo(json.dumps({"query": query, "results": results}, ensure_ascii=False))
        return
    _show(results)


async def _search(body: dict[str, Any], url: str | None = None) -> dict[str, list[dict[str, Any]]]:
    import msgspec
    from pydantic import ValidationError

    from augury.app import running
    from augury.search.schemas import SearchRequest

    try:
        request = SearchRequest.model_validate(body)
    except ValidationError as error:
        problem = error.errors()[0]
        raise typer.BadParameter(f"{problem['loc'][0]}: {problem['msg']}") from None
    settings = Settings()  # type: ignore[call-arg]
    async with presence.service(settings, "search:read", url=url) as service:
        if service is not None:
            return (await presence.ask(service, "/v1/search", body))["results"]
    async with running(settings) as services:
        if settings.sample == "on":
            await services.markets.ensure_sample()
        await services.search.catch_up()
        found = await services.search.search(
            request.query,
            dimensions=tuple(dict.fromkeys(request.dimensions)),
            top_k=body["top_k_per_dimension"],
            status=request.filters.status if request.filters else None,
        )
        return msgspec.to_builtins(found)


async def make_searchable(settings: Settings, database: Database, progress: Progress) -> None:
    """Bring the index up to the catalogue, before a command that filled it returns.

    With a service on the same data folder the index is that service's: it follows by itself,
    and this waits until it has. `progress` is told how many changes were indexed.
    """
    from augury.relations.service import RelationService
    from augury.search.service import SearchService

    try:
        service = await SearchService.open(settings, database, RelationService())
    except SetupProblem:
        async with database.reading() as conn:
            newest = await markets.last_change(conn)
        while (answer := await asyncio.to_thread(presence.health, settings)) is not None:
            if answer[1]["index"]["position"] >= newest:
                return
            await asyncio.sleep(0.5)
        return
    try:
        await service.catch_up(progress)
    finally:
        await service.close()


def _first(result: dict[str, Any]) -> float | None:
    """The price of Yes, else of the first outcome."""
    prices = result["current_prices"] or {}
    return prices.get("Yes", next(iter(prices.values()), None))


def _show(results: dict[str, list[dict[str, Any]]]) -> None:
    if not any(results.values()):
        typer.echo("Nothing found.")
        return
    width = shutil.get_terminal_size((100, 24)).columns
    for line in listing.lines(results, width, clock.now()):
        typer.echo(line)


def evaluate_search(
    labels: Annotated[
        Path,
        typer.Option(exists=True, dir_okay=False, help="Judged queries, one JSON object a line."),
    ],
    markets: Annotated[
        Path, typer.Option(exists=True, dir_okay=False, help="The markets they were judged over.")
    ],
    as_json: AsJson = False,
) -> None:
    """Score search against judged queries, in a throw-away store, through the service's own code.

    Example: augury eval search --labels dev.jsonl --markets markets.parquet --json
    """
    result = asyncio.run(_evaluate(labels, markets, quiet=as_json))
    if as_json:
        typer.echo(json.dumps(result, ensure_ascii=False))
        return
    for score in result["per_query"]:
        direct = score["ndcg10"]["direct"]
        shown = "-" if direct is None else f"{direct:.3f}"
        typer.echo(f"{score['qid']:>6}  direct {shown}  {score['query']}")
    typer.echo(f"queries {result['queries']}, latency {result['latency_ms']} ms")
    for dimension in DIMENSIONS:
        ndcg, none = result["ndcg10"][dimension], result["none_share"][dimension]
        typer.echo(
            f"{dimension:>11}: nDCG@10 {'-' if ndcg is None else f'{ndcg:.4f}'}"
            f"  judged none in the top 10 {'-' if none is None else f'{none:.1%}'}"
        )


async def _evaluate(labels: Path, markets: Path, *, quiet: bool) -> dict[str, Any]:
    from augury.app import running
    from augury.search.evaluate import JudgedQuery, per_query, summary
    from augury.search.load import percentiles
    from augury.venues.dump import DumpFile
    from augury.venues.importing import import_file

    judged = given.json_lines(labels, JudgedQuery.of, "a judged query (qid, query, labels)")
    catalogue = DumpFile(markets, kind="markets")
    with TemporaryDirectory(prefix="augury-eval-") as folder:
        # Whatever database the environment names is somebody's own: nothing is imported there.
        settings = Settings(
            data_dir=Path(folder), database_url=None, database_direct_url=None, search_url=None,
            sync="off", sample="off",
        )  # fmt: skip
        async with running(settings) as services:
            await import_file(services.database, catalogue)
            await services.search.catch_up()
            scores, seconds = [], []
            for query in track(
                judged, "Searching", console=Console(stderr=True, markup=False), disable=quiet
            ):
                started = time.perf_counter()
                found = await services.search.search(query.query, top_k=EVALUATION_DEPTH)
                seconds.append(time.perf_counter() - started)
                ranked = {d: [result.id for result in results] for d, results in found.items()}
                scores.append(per_query(ranked, query))
    return {
        **summary(scores),
        "latency_ms": percentiles(seconds),
        "per_query": [
            {
                "qid": score.qid,
                "query": score.query,
                "form": score.form,
                "domain": score.domain,
                "ndcg10": dict(score.ndcg10),
                "none_share": dict(score.none_share),
            }
            for score in scores
        ],
    }


def bench_search(
    markets: Annotated[int, typer.Option(min=1_000, help="How many markets to generate.")] = 50_000,
    queries: Annotated[int, typer.Option(min=50, help="How many different queries.")] = 500,
    requests: Annotated[int, typer.Option(min=100, help="Requests of each load run.")] = 4_000,
    rival: Annotated[bool, typer.Option(help="Measure the bare rival in the same run.")] = True,
    as_json: AsJson = False,
) -> None:
    """Generate markets, index them, and measure search in process and over HTTP.

    Prints build time, memory, disk, latencies, recall against brute force, updates a second, and
    the same searches on a bare rival (tantivy with usearch, when installed) in the same run.

    Example: augury bench search --markets 50000 --json
    """
    from augury.search import bench as measuring

    result = asyncio.run(
        measuring.run(markets, queries=queries, requests=requests, rival=rival, quiet=as_json)
    )
    typer.echo(json.dumps(result) if as_json else measuring.table(result))


def bench_soak(
    markets: Annotated[int, typer.Option(min=1_000, help="How many markets to generate.")] = 50_000,
    rate: Annotated[float, typer.Option(min=1, help="Searches due a second.")] = 100,
    minutes: Annotated[float, typer.Option(min=0.1, help="How long, besides a warm-up.")] = 10,
    streams: Annotated[int, typer.Option(min=1, help="Streams of forecasts at once.")] = 300,
    as_json: AsJson = False,
) -> None:
    """Keep a service busy for a long time, then ask it to leave.

    Searches come at a constant rate, each counted from the moment it was due. Prints latencies,
    memory and descriptors before and after, how streams and the end went, and which promises
    held; exit code 1 when one did not.

    Example: augury bench soak --markets 50000 --rate 100 --minutes 10
    """
    from augury.search import bench as measuring
    from augury.search import soak

    result = asyncio.run(
        soak.run(markets, rate=rate, seconds=60 * minutes, streams=streams, quiet=as_json)
    )
    typer.echo(json.dumps(result) if as_json else measuring.table(result))
    if not all(result["holds"].values()):
        raise typer.Exit(1)


def bench_exports(
    markets: Annotated[int, typer.Option(min=1_000, help="How many markets to generate.")] = 50_000,
    rate: Annotated[float, typer.Option(min=1, help="Searches due a second.")] = 20,
    seconds: Annotated[
        float, typer.Option(min=5, help="How long, alone and beside, in three rounds each.")
    ] = 30,
    exports: Annotated[int, typer.Option(min=1, help="Accounts that take files at once.")] = 12,
    as_json: AsJson = False,
) -> None:
    """Search alone, then while accounts take files of the whole catalogue again and again.

    Prints latencies of both, each counted from the moment its search was due, and what the files
    took; exit code 1 when the p99 beside is more than twice the p99 alone (medians of the rounds).

    Example: augury bench exports --markets 50000 --json
    """
    from augury.search import bench as measuring
    from augury.search import exporting

    result = asyncio.run(
        exporting.run(markets, rate=rate, seconds=seconds, exports=exports, quiet=as_json)
    )
    typer.echo(json.dumps(result) if as_json else measuring.table(result))
    if not result["holds"]:
        raise typer.Exit(1)
