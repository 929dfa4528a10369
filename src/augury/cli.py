"""The command line: the list of commands. Each command is defined in the package it belongs to."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from augury import __version__, gc_tuning, terminal
from augury.errors import AuguryError, missing_extra

app = typer.Typer(
    name="augury",
    help="Answers from prediction markets: search, forecasts, realized volatility, alerts.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    add_completion=False,
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"augury {__version__}")
        raise typer.Exit


@app.callback()
def _main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    pass


def mount(app: typer.Typer, command: str | None = None) -> None:
    """Add the commands to `app`. `command`: first word of the command line, to add only the modules
    with this command, because importing all of them takes longer than most commands run. None: add
    all."""
    if command in (None, "serve", "worker"):
        from augury import commands

        app.command("serve")(commands.serve)
        app.command("worker")(commands.worker)
    if command in (None, "search"):
        from augury.search import commands as search

        app.command("search")(search.search)
    if command in (None, "forecast", "scorecard"):
        from augury.forecast import commands as forecast

        app.command("forecast")(forecast.forecast)
        app.command("scorecard")(forecast.scorecard)
    if command in (None, "eval", "bench"):
        app.add_typer(_evaluations(), name="eval")
        app.add_typer(_benchmarks(), name="bench")
    if command in (None, "graph"):
        from augury.graph import commands as graph

        app.command("graph")(graph.graph)
    if command in (None, "rvol"):
        from augury.rvol import commands as rvol

        app.add_typer(rvol.app, name="rvol")
    if command in (None, "language"):
        from augury.language import commands as language

        app.add_typer(language.app, name="language")
    if command in (None, "relations"):
        from augury.relations import commands as relations

        app.add_typer(relations.app, name="relations")
    if command in (None, "llm"):
        from augury.llm import commands as llm

        app.add_typer(llm.app, name="llm")
    if command in (None, "import", "sync"):
        from augury.venues import commands as venues

        app.command("import")(venues.import_)
        app.command("sync")(venues.sync)
    if command in (None, "markets"):
        from augury.markets import commands as markets

        app.add_typer(markets.app, name="markets")
    if command in (None, "keys", "accounts"):
        from augury.access import commands as access

        app.add_typer(access.keys, name="keys")
        app.add_typer(access.accounts, name="accounts")
    if command in (None, "mcp"):
        from augury.mcp import commands as mcp

        app.command("mcp")(mcp.mcp)
    if command in (None, "doctor", "upgrade", "compare"):
        from augury.doctor import commands as doctor

        app.command("doctor")(doctor.doctor)
        app.command("upgrade")(doctor.upgrade)
        app.command("compare")(doctor.compare)
    if command in (None, "docs", "completion", "man"):
        from augury.handbook import commands as handbook

        app.command("docs")(handbook.docs)
        app.command("completion")(handbook.completion)
        app.command("man")(handbook.man)
    if command in (None, "db"):
        from augury.storage import commands as storage

        app.add_typer(storage.app, name="db")


def _evaluations() -> typer.Typer:
    from augury.forecast import evaluations as forecast
    from augury.graph import commands as graph
    from augury.rvol import commands as rvol
    from augury.search import commands as search

    group = typer.Typer(
        help="Measure how good search results, forecasts and causal graphs are.",
        no_args_is_help=True,
    )
    group.command("search")(search.evaluate_search)
    group.command("instances")(search.evaluate_instances)
    group.command("rvol")(rvol.evaluate_rvol)
    group.command("forecast")(forecast.evaluate_forecast)
    group.command("properties")(forecast.evaluate_properties)
    group.command("calibration")(forecast.evaluate_calibration)
    group.command("leave-one-out")(forecast.evaluate_leave_one_out)
    group.command("gate")(forecast.evaluate_gate)
    group.command("edges")(graph.evaluate_edges)
    group.callback()(_group)
    return group


def _benchmarks() -> typer.Typer:
    from augury.forecast import commands as forecast
    from augury.rvol import commands as rvol
    from augury.search import commands as search
    from augury.watchlists import commands as watchlists

    group = typer.Typer(
        help="Measure the speed of the service on this machine.", no_args_is_help=True
    )
    group.command("search")(search.bench_search)
    group.command("soak")(search.bench_soak)
    group.command("exports")(search.bench_exports)
    group.command("forecast")(forecast.bench_forecast)
    group.command("watch")(watchlists.bench_watch)
    group.command("rvol")(rvol.bench_rvol)
    group.callback()(_group)
    return group


def _group() -> None:
    """Empty callback. Without it, Typer turns a group with only one command into that command."""


COMMANDS = tuple(
    (
        "serve worker search forecast scorecard graph language relations llm rvol eval bench"
        " import sync markets keys accounts mcp db doctor upgrade compare docs completion man"
    ).split()
)


def _log_to_stderr() -> None:
    """Send logs to standard error, because standard output holds the command's answer."""
    import logging  # logging and structlog take more than half of this module's import time

    import structlog

    structlog.configure(
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING),
    )


def main() -> None:
    """Run the command line. For a problem that the operator can solve, print one line and exit
    with status 1."""
    first = sys.argv[1] if len(sys.argv) > 1 else None
    if first != "--version":
        _log_to_stderr()
    gc_tuning.pause()
    mount(app, first if first in COMMANDS or first == "--version" else None)
    if first not in ("serve", "worker"):  # these call it once what they run is loaded
        gc_tuning.freeze()
    with terminal.sanitized():
        _run()


def _run() -> None:
    try:
        app()
    except AuguryError as error:
        print(f"augury: {error}", file=sys.stderr)
        sys.exit(1)
    except ModuleNotFoundError as error:
        if (advice := missing_extra(error)) is None:
            raise
        print(f"augury: {advice}", file=sys.stderr)
        sys.exit(1)
    except OSError as error:
        if error.filename is None:  # the error is not about a file
            raise
        print(f"augury: {error.filename}: {error.strerror}.", file=sys.stderr)
        sys.exit(1)
    except ValueError as error:
        from pydantic import ValidationError  # imported only here, because it takes 0.1 s

        if not isinstance(error, ValidationError) or error.title != "Settings":
            raise
        for problem in error.errors(include_input=False, include_url=False):
            name = "_".join(map(str, problem["loc"])).upper()
            print(f"augury: AUGURY_{name}: {problem['msg']}", file=sys.stderr)
        sys.exit(1)
