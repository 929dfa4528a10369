"""The command line: one line a command; the work is done by the nouns' own commands."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from augury import __version__
from augury.errors import AuguryError

app = typer.Typer(
    name="augury",
    help="Prediction markets as answers: search, forecasts, realized volatility, alerts.",
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


def _mount() -> None:
    from augury import serving
    from augury.access import commands as access
    from augury.search import commands as search
    from augury.storage import commands as storage
    from augury.venues import commands as venues

    app.command("serve")(serving.serve)
    app.command("search")(search.search)
    app.command("import")(venues.import_)
    app.command("sync")(venues.sync)
    app.add_typer(access.keys, name="keys")
    app.add_typer(access.accounts, name="accounts")
    app.add_typer(storage.app, name="db")
    app.add_typer(search.evaluate, name="eval")
    app.add_typer(search.bench, name="bench")


def main() -> None:
    """Run the command line; what the operator must put right is said in one line, exit 1."""
    _mount()
    try:
        app()
    except AuguryError as error:
        print(f"augury: {error}", file=sys.stderr)
        sys.exit(1)
