"""`augury docs` builds the documentation as a site; `augury completion` prints a completion script
for a shell; `augury man` prints a manual page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Literal

import typer

from augury.options import AsJson


def docs(
    out: Annotated[
        Path | None,
        typer.Option(
            help="Folder for the files. Default: the folder from which the service serves /docs."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Build the documentation as a site of static files with a search.

    A running service shows the site at /docs from the next request on. Any other web server can
    serve the files too, and a browser can open them directly.

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
        typer.echo(f"Wrote {len(names)} files to {folder}.")


def completion(
    shell: Annotated[Literal["bash", "zsh"], typer.Argument(help="Your shell: bash or zsh.")],
) -> None:
    """Print a script that makes your shell complete the commands and options of augury.

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
