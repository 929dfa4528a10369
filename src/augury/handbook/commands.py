"""`augury docs`, `augury completion` and `augury man`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Literal

import typer

from augury.options import AsJson


def docs(
    out: Annotated[
        Path | None,
        typer.Option(help="Folder for the files. Default: where the service's /docs finds them."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Build the documentation as static files with a search.

    A running service shows it at /docs from the next request on. The files also work from any web
    server, or opened directly.

    \b
    Examples:
      augury docs
      augury docs --out public/docs
    """
    from augury.handbook import pages, site

    folder = out or pages.BUILT
    names = site.build(folder)
    if as_json:
        typer.echo(json.dumps({"folder": str(folder), "files": len(names)}))
    else:
        typer.echo(f"{len(names)} files in {folder}")


def completion(
    shell: Annotated[Literal["bash", "zsh"], typer.Argument(help="Your shell: bash or zsh.")],
) -> None:
    """Print a completion script for your shell.

    \b
    Examples:
      eval "$(augury completion bash)"
      augury completion bash > ~/.local/share/bash-completion/completions/augury
    """
    from augury.handbook import shell as shells

    typer.echo(shells.completion(shell), nl=False)


def man() -> None:
    """Print all commands as a manual page.

    \b
    Examples:
      augury man > ~/.local/share/man/man1/augury.1
      man augury
    """
    from augury.handbook import shell as shells

    typer.echo(shells.man(), nl=False)
