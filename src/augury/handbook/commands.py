"""`augury docs`, `augury completion` and `augury man`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Literal

import typer


def docs(
    out: Annotated[
        Path | None,
        typer.Option(help="A folder of your own for the files; by default where /docs finds them."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Build the documentation as a site of plain files, with its search.

    A running service shows the result at /docs from the next request on. The same files work from
    any web server, and without one.

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
    """Print a script with which a shell completes commands and options.

    \b
    Examples:
      eval "$(augury completion bash)"
      augury completion bash > ~/.local/share/bash-completion/completions/augury
    """
    from augury.handbook import shell as shells

    typer.echo(shells.completion(shell), nl=False)


def man() -> None:
    """Print all commands as a page for man.

    \b
    Examples:
      augury man > ~/.local/share/man/man1/augury.1
      man augury
    """
    from augury.handbook import shell as shells

    typer.echo(shells.man(), nl=False)
