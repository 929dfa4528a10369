"""`augury doctor` and `augury upgrade`."""

from __future__ import annotations

import asyncio
import json
import shutil
from pathlib import Path
from typing import Annotated, Any

import typer
from psycopg import AsyncConnection
from pydantic import ValidationError

from augury import __version__, clock, remote, service_file
from augury.doctor import checks, comparing, store
from augury.doctor.checks import Finding
from augury.errors import SetupProblem
from augury.options import AsJson
from augury.settings import Settings
from augury.storage import backup as backups
from augury.storage import migrate

_SIGNS = {"ok": "ok  ", "warning": "WARN", "problem": "FAIL"}


def doctor(as_json: AsJson = False) -> None:
    """Check this installation: folder, permissions, port, disk, clock, keys, database, index,
    venues, exposure, backups, settings. Describes each problem and names the command that fixes it.

    Exits with 1 if something keeps Augury from working, and with 0 if there are only warnings.

    Example: augury doctor --json
    """
    try:
        settings = Settings()
    except ValidationError as error:
        found = [
            Finding(
                "settings", "problem", f"AUGURY_{str(e['loc'][-1]).upper()}: {e['msg']}",
                "See docs/configuration.md.",
            )
            for e in error.errors(include_input=False, include_url=False)
        ]  # fmt: skip
    except SetupProblem as problem:
        found = [Finding("settings", "problem", str(problem))]
    else:
        found = [Finding("settings", "ok", "Every setting is known and readable.")]
        found += asyncio.run(checks.all_findings(settings, service_file.health(settings)))
    if as_json:
        typer.echo(json.dumps({"findings": [f._asdict() for f in found]}))
    else:
        for one in found:
            typer.echo(f"{_SIGNS[one.state]}  {one.check:<12} {one.text}")
            if one.mend:
                typer.echo(f"{'':18} fix: {one.mend}")
    if any(f.state == "problem" for f in found):
        raise typer.Exit(1)


def compare(
    there: Annotated[
        str, typer.Argument(metavar="URL", help="Address of the service that Augury is to replace.")
    ],
    url: remote.Url = None,
    as_json: AsJson = False,
) -> None:
    """Compare this service with another one that has the same API, before clients move to it.

    Sends the same requests to both and lists what a client would notice: differences in statuses,
    fields, types, and the form of ids and errors. It only reads. The key for the other service is
    in AUGURY_OTHER_API_KEY, the one for this service in AUGURY_API_KEY. Exits with 1 if a client
    that works with the other service could fail with this one.

    Example: augury compare https://markets.example.org --url http://127.0.0.1:8000
    """
    if url is None:
        raise SetupProblem(
            "The address of Augury is missing. Give it with --url or AUGURY_URL, e.g. "
            "http://127.0.0.1:8000."
        )
    made, advice = asyncio.run(_compare(there, url))
    if as_json:
        rows = [
            c._asdict() | {"found": c.found and c.found._asdict(), "fits": c.fits} for c in made
        ]
        typer.echo(json.dumps({"requests": rows, "advice": advice}))
    else:
        _print_comparison(made, advice)
    if not all(one.fits for one in made):
        raise typer.Exit(1)


async def _compare(there: str, here: str) -> tuple[list[comparing.ComparedRequest], list[str]]:
    async with (
        remote.client(there, named="URL", key="AUGURY_OTHER_API_KEY") as theirs,
        remote.client(here) as ours,
    ):
        return await comparing.compare(theirs, ours)


def _print_comparison(made: list[comparing.ComparedRequest], advice: list[str]) -> None:
    typer.echo(f"{'request':<40} there  here")
    for one in made:
        typer.echo(
            f"{one.request:<40} {one.there:>5} {one.here:>5}  {'' if one.fits else 'DIFFERS'}"
        )
        if one.found is not None:
            for what, paths in (
                ("only there", one.found.missing),
                ("only here ", one.found.extra),
                ("type", one.found.types),
            ):
                for path in paths:
                    typer.echo(f"    {what}: {path}")
    for sentence in advice:
        typer.echo(f"-> {sentence}")
    if all(one.fits for one in made) and not advice:
        typer.echo(
            "A client that works with the other service also works with this one. Change its base "
            "URL and its key."
        )


def upgrade(
    check: Annotated[
        bool, typer.Option("--check", help="Show what would happen, and change nothing.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Back up the database into the data folder, then upgrade it to this version's schema.

    Stop the service first. Starting the service also upgrades, but makes no backup.

    Examples: augury upgrade --check

    augury upgrade
    """
    settings = Settings()
    report = asyncio.run(_upgrade(settings, check=check))
    if as_json:
        typer.echo(json.dumps(report))
        return
    typer.echo(
        f"Augury {report['version']}. Schema of the database: {report['schema'] or 'none yet'}."
    )
    if not report["pending"]:
        typer.echo("Nothing to upgrade.")
    elif check:
        typer.echo(f"The upgrade would apply: {', '.join(report['pending'])}.")
        typer.echo(
            f"A backup is made first. The database takes up {report['bytes'] / 1e6:,.0f} MB; "
            f"{report['free'] / 1e6:,.0f} MB of the disk are free."
        )
        if report["bytes"] > report["free"]:
            typer.echo(
                "There may not be enough free space for the backup. Free some, or make a "
                "backup on another disk first."
            )
    else:
        typer.echo(
            f"Applied: {', '.join(report['pending'])}. Backup of the earlier state: "
            f"{report['backup']}"
        )


async def _upgrade(settings: Settings, *, check: bool) -> dict[str, Any]:
    async with backups.reachable(settings) as url:
        async with await AsyncConnection.connect(url) as connection:
            state = await migrate.status(connection)
            size = (await store.facts(connection)).bytes
        data = Path(settings.data_dir)
        report: dict[str, Any] = {
            "version": __version__,
            "schema": state.revision,
            "pending": list(state.pending),
            "bytes": size,
            "free": await asyncio.to_thread(_free, data),
            "backup": None,
        }
        if check or not state.pending:
            return report
        if state.revision is not None:
            file = data / f"before-upgrade-{clock.now():%Y%m%dT%H%M%SZ}.backup"
            await backups.backup(settings, file)
            report["backup"] = str(file)
        await asyncio.to_thread(migrate.upgrade, url)
        return report


def _free(folder: Path) -> int:
    """Free bytes on the disk of a folder; 0 if the folder does not exist."""
    return shutil.disk_usage(folder).free if folder.exists() else 0
