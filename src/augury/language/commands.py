"""The commands of `augury language`: check the vocabulary of names, and show which names a text
has."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from augury import input_files
from augury.language import descriptions
from augury.language.entities import mentions
from augury.language.lint import lint, lint_descriptions
from augury.language.vocabulary import Vocabulary, VocabularyProblem
from augury.options import AsJson
from augury.tables import Console

app = typer.Typer(
    help="The vocabulary of people, teams, places and things that questions name.",
    no_args_is_help=True,
)


def _vocabulary() -> Vocabulary:
    try:
        return Vocabulary.load()
    except VocabularyProblem as error:
        typer.echo(f"The vocabulary cannot be read: {error}", err=True)
        raise typer.Exit(1) from None


@app.command("lint")
def lint_vocabulary(
    catalogue: Annotated[
        Path | None,
        typer.Option(
            exists=True,
            dir_okay=False,
            help="Parquet file of markets. With it, aliases that the "
            "markets' titles use as ordinary words are reported, too.",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Check the vocabulary and its descriptions. Exits with 1 if there is an error.

    Examples:
      augury language lint
      augury language lint --catalogue markets.parquet
    """
    vocabulary = _vocabulary()
    titles: list[str] = []
    if catalogue is not None:
        titles = input_files.parquet(catalogue, ["question"])["question"].drop_nulls().to_list()
    try:
        described = descriptions.parse(descriptions.texts())
    except descriptions.DescriptionProblem as error:
        typer.echo(f"The descriptions cannot be read: {error}", err=True)
        raise typer.Exit(1) from None
    found = [*lint(vocabulary, titles), *lint_descriptions(vocabulary, described)]
    errors = sum(one.level == "error" for one in found)
    entities = len(vocabulary.entities)
    aliases = sum(len(entity.aliases) - 1 for entity in vocabulary.entities)
    if as_json:
        typer.echo(
            json.dumps(
                {
                    "entities": entities,
                    "aliases": aliases,
                    "described": len(described),
                    "errors": errors,
                    "findings": [{"level": one.level, "text": one.text} for one in found],
                }
            )
        )
    else:
        for one in found:
            typer.echo(f"{one.level}: {one.text}")
        typer.echo(
            f"{entities} entities, {aliases} aliases, {len(described)} entities with descriptions,"
            f" {errors} errors."
        )
    if errors:
        raise typer.Exit(1)


@app.command()
def names(
    text: Annotated[str, typer.Argument(help="A question, a title or a headline.")],
    as_json: AsJson = False,
) -> None:
    """Show which people and things Augury finds named in a text.

    Example: augury language names "will wemby win mvp"
    """
    found = mentions(text, _vocabulary())
    if as_json:
        shown = [
            {"text": one.text, "start": one.start, "end": one.end,
             "entities": [{"name": e.name, "kind": e.kind, "topic": e.topic} for e in one.entities]}
            for one in found
        ]  # fmt: skip
        typer.echo(json.dumps({"text": text, "names": shown}, ensure_ascii=False))
        return
    console = Console(markup=False, emoji=False)
    for one in found:
        meant = " or ".join(f"{e.name} ({e.kind}, {e.topic})" for e in one.entities)
        console.print(f"{one.text}: {meant}", highlight=False)
    if not found:
        typer.echo("No name in this text is in the vocabulary.")
