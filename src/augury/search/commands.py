"""The commands `augury search`, `augury eval search`, `augury eval instances`, `augury bench
search`, `augury bench soak` and `augury bench exports`."""

from __future__ import annotations

import asyncio
import json
import shutil
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.progress import track

from augury import clock, input_files, remote, service_file
from augury.errors import SetupProblem
from augury.markets import store as markets
from augury.options import AsJson
from augury.search import listing
from augury.search.indexer import Progress
from augury.search.schemas import DIMENSIONS
from augury.settings import Settings
from augury.storage.database import Database
from augury.tables import Console

if TYPE_CHECKING:
    from augury.services import Services

AsCsv = Annotated[bool, typer.Option("--csv", help="Print CSV, one market per line.")]

EVALUATION_DEPTH = 200
"""Number of results requested in each relation (`direct`, `upstream`, ...) when search is scored.
It is large because only the first ten judged markets of a list are scored, and many unjudged
markets may come before them."""


def search(
    query: Annotated[
        str, typer.Argument(help="A question, keywords, a market id or the address of its page.")
    ],
    dimension: Annotated[
        list[str] | None,
        typer.Option(
            help=f"Show only results with this relation to the query: {', '.join(DIMENSIONS)}. "
            "Repeatable. Default: all."
        ),
    ] = None,
    top_k: Annotated[
        int, typer.Option(min=1, max=100, help="Maximum number of results per relation.")
    ] = 10,
    status: Annotated[
        str | None,
        typer.Option(help="Print only markets with this status: active, closed or resolved."),
    ] = None,
    fold: Annotated[
        bool,
        typer.Option(
            help="Show one row per family of markets (the same question for different names, "
            "levels or dates), and at most two about the same cause or effect. Not applied with "
            "--csv."
        ),
    ] = True,
    url: remote.Url = None,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """Find markets by their relation to a query.

    Asks the service at --url or the one running on the same data folder. Without a service it reads
    the data folder itself.

    Example: augury search "Fed rate cut in December" --status active
    """
    body: dict[str, Any] = {
        "query": query,
        "dimensions": dimension or list(DIMENSIONS),
        "top_k_per_dimension": top_k,
        "filters": {"status": status},
        "fold": fold and not as_csv,
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

    from augury.search.schemas import SearchRequest
    from augury.services import running

    try:
        request = SearchRequest.model_validate(body)
    except ValidationError as error:
        problem = error.errors()[0]
        raise typer.BadParameter(f"{problem['loc'][0]}: {problem['msg']}") from None
    settings = Settings()  # type: ignore[call-arg]
    async with service_file.service(settings, "search:read", url=url) as service:
        if service is not None:
            return (await service_file.ask(service, "/v1/search", body))["results"]
    async with running(settings) as services:
        if settings.sample == "on":
            await services.markets.ensure_sample()
        await services.search.catch_up()
        found = await services.search.search(
            request.query,
            dimensions=tuple(dict.fromkeys(request.dimensions)),
            top_k=body["top_k_per_dimension"],
            status=request.filters.status if request.filters else None,
            fold=request.fold,
        )
        return msgspec.to_builtins(found)


async def make_searchable(settings: Settings, database: Database, progress: Progress) -> None:
    """Bring the search index up to date with the markets in the database. Commands that add markets
    call this last.

    If a service runs on the same data folder, it owns the index and updates it by itself; this
    function then only waits until the service has caught up. Otherwise `progress` is called after
    each batch with the number of changes indexed in that batch.
    """
    from augury.relations.service import RelationService
    from augury.search.service import SearchService

    try:
        service = await SearchService.open(settings, database, RelationService())
    except SetupProblem:
        async with database.reading() as conn:
            newest = await markets.last_change(conn)
        while (answer := await asyncio.to_thread(service_file.health, settings)) is not None:
            if answer[1]["index"]["position"] >= newest:
                return
            await asyncio.sleep(0.5)
        return
    try:
        await service.catch_up(progress)
    finally:
        await service.close()


def _first(result: dict[str, Any]) -> float | None:
    """The price of the outcome Yes or, if no outcome has that name, of the first outcome; None: no
    quote."""
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
        typer.Option(
            exists=True,
            dir_okay=False,
            help="File with one JSON object per line: a query and, for each market that was graded "
            "for it, the relation to the query and the grade of relevance.",
        ),
    ],
    markets: Annotated[
        Path,
        typer.Option(exists=True, dir_okay=False, help="Parquet file of the markets to search."),
    ],
    as_json: AsJson = False,
) -> None:
    """Score search results by the relevance grades that a file gives to markets.

    Imports the markets into a temporary data folder and searches them with the service's own code.

    Example: augury eval search --labels dev.jsonl --markets markets.parquet --json
    """
    result = asyncio.run(_evaluate(labels, markets, quiet=as_json))
    if as_json:
        typer.echo(json.dumps(result, ensure_ascii=False))
        return
    for score in result["per_query"]:
        direct = score["ndcg10"]["direct"]
        shown = "-" if direct is None else f"{direct:.3f}"
        typer.echo(f"{score['qid']:>6}  nDCG@10 of direct {shown}  {score['query']}")
    typer.echo(f"queries {result['queries']}, latency {result['latency_ms']} ms")
    for dimension in DIMENSIONS:
        ndcg, none = result["ndcg10"][dimension], result["none_share"][dimension]
        typer.echo(
            f"{dimension:>11}: nDCG@10 {'-' if ndcg is None else f'{ndcg:.4f}'}"
            f"  irrelevant among the first 10 judged results"
            f" {'-' if none is None else f'{none:.1%}'}"
        )


def evaluate_instances(
    markets: Annotated[
        Path,
        typer.Option(
            exists=True,
            dir_okay=False,
            help="Parquet file of markets, whose titles give the queries.",
        ),
    ],
    as_json: AsJson = False,
) -> None:
    """Measure how often a query that names a year or month finds the market of that year or month.

    The queries are made from titles in the file that recur for several years or months. Counts how
    often the first direct result is of the year or month that the query names.

    Example: augury eval instances --markets markets.parquet
    """
    result = asyncio.run(_instances(markets, quiet=as_json))
    if as_json:
        typer.echo(json.dumps(result, ensure_ascii=False))
        return
    for miss in result["missed"]:
        typer.echo(f"{miss['query']}\n  first: {miss['first'] or 'nothing'}")
    share = "-" if result["share"] is None else f"{result['share']:.1%}"
    typer.echo(
        f"first result is of the year or month named: {result['on_top']} of {result['queries']}, "
        f"{share}"
    )


async def _instances(markets: Path, *, quiet: bool) -> dict[str, Any]:
    from augury.search import instances, store

    async with _filled(markets) as services:
        async with services.database.reading() as conn:
            titles = {row.id: row for row in await store.titles(conn)}
        drawn = instances.draw((row.id, row.question) for row in titles.values())
        missed: list[dict[str, Any]] = []
        for asked in track(
            drawn, "Searching", console=Console(stderr=True, markup=False), disable=quiet
        ):
            found = (await services.search.search(asked.query, top_k=10))["direct"]
            first = titles.get(found[0].id) if found else None
            texts = [text for text in (first or ())[1:] if text]
            if first is None or not instances.is_of(asked, texts, found[0].closes_at):
                missed.append(
                    {"query": asked.query, "market": asked.market, "first": first and first.id}
                )
    on_top = len(drawn) - len(missed)
    return {
        "queries": len(drawn),
        "on_top": on_top,
        "share": on_top / len(drawn) if drawn else None,
        "missed": missed,
    }


@asynccontextmanager
async def _filled(markets: Path) -> AsyncIterator[Services]:
    """Import and index the markets of the Parquet file `markets` in a temporary data folder; yields
    the application's services on it."""
    from augury.services import running
    from augury.venues.dump import DumpFile
    from augury.venues.importing import import_file

    catalogue = DumpFile(markets, kind="markets")
    with TemporaryDirectory(prefix="augury-eval-") as folder:
        # A database named in the environment is ignored: nothing may be imported there.
        settings = Settings(
            data_dir=Path(folder), database_url=None, database_direct_url=None, search_url=None,
            sync="off", sample="off",
        )  # fmt: skip
        async with running(settings) as services:
            await import_file(services.database, catalogue)
            await services.search.catch_up()
            yield services


async def _evaluate(labels: Path, markets: Path, *, quiet: bool) -> dict[str, Any]:
    from augury.search.evaluate import JudgedQuery, per_query, summary
    from augury.search.load import percentiles

    judged = input_files.json_lines(labels, JudgedQuery.of, "a judged query (qid, query, labels)")
    scores, seconds = [], []
    async with _filled(markets) as services:
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
    markets: Annotated[
        int, typer.Option(min=1_000, help="Number of markets to generate.")
    ] = 50_000,
    queries: Annotated[
        int,
        typer.Option(
            min=50,
            help="Number of different queries for the searches made without HTTP, in this process.",
        ),
    ] = 500,
    requests: Annotated[
        int, typer.Option(min=100, help="Number of requests in each load run.")
    ] = 4_000,
    rival: Annotated[
        bool,
        typer.Option(help="Also run the same searches with the libraries tantivy and usearch."),
    ] = True,
    as_json: AsJson = False,
) -> None:
    """Generate markets, index them, and measure search in process and over HTTP.

    Prints build time, memory, disk use, latencies, recall compared with brute force, updates per
    second, and for comparison the same searches with tantivy and usearch, if installed.

    Example: augury bench search --markets 50000 --json
    """
    from augury.search import bench as measuring

    result = asyncio.run(
        measuring.run(markets, queries=queries, requests=requests, rival=rival, quiet=as_json)
    )
    typer.echo(json.dumps(result) if as_json else measuring.table(result))


def bench_soak(
    markets: Annotated[
        int, typer.Option(min=1_000, help="Number of markets to generate.")
    ] = 50_000,
    rate: Annotated[float, typer.Option(min=1, help="Searches per second.")] = 100,
    minutes: Annotated[
        float,
        typer.Option(min=0.1, help="Minutes of searches to measure, after a warm-up."),
    ] = 10,
    streams: Annotated[
        int, typer.Option(min=1, help="Number of clients that ask for forecasts at the same time.")
    ] = 300,
    as_json: AsJson = False,
) -> None:
    """Keep a service busy for a long time, then stop it.

    Searches are sent at a constant rate; the latency of each counts from the time it was due.
    Prints latencies, memory and file descriptors before and after, how streams and shutdown went,
    and which goals were met. Exits with 1 if a goal was missed.

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
    markets: Annotated[
        int, typer.Option(min=1_000, help="Number of markets to generate.")
    ] = 50_000,
    rate: Annotated[float, typer.Option(min=1, help="Searches per second.")] = 20,
    seconds: Annotated[
        float,
        typer.Option(
            min=5,
            help="Duration in seconds of each of two runs: searches alone, and searches during "
            "downloads. Each run is split into three rounds.",
        ),
    ] = 30,
    exports: Annotated[
        int,
        typer.Option(
            min=1, help="Number of accounts that download the whole catalogue at the same time."
        ),
    ] = 12,
    as_json: AsJson = False,
) -> None:
    """Measure search alone, then while accounts keep downloading the whole catalogue.

    Prints the latencies of both, counted from the time when each search was due, and the time per
    file. Exits with 1 if the 99th percentile of latency with downloads is more than twice that
    without (medians of three rounds each), or if a search failed during the downloads.

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
