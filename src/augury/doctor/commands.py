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

from augury import __version__, clock, presence
from augury.doctor import checks, store
from augury.doctor.checks import Finding
from augury.errors import SetupProblem
from augury.settings import Settings
from augury.storage import backup as backups
from augury.storage import migrate

AsJson = Annotated[bool, typer.Option("--json", help="Answer as one JSON object.")]
_SIGNS = {"ok": "ok  ", "warning": "WARN", "problem": "FAIL"}


def doctor(as_json: AsJson = False) -> None:
    """Look at this installation: folder, rights, port, disk, clock, keys, database, index, venues,
    exposure, backups, settings. Says each problem in words, with the command that mends it.

    Exit status 1 where something keeps Augury from working; warnings alone are 0.

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
        found += asyncio.run(checks.all_of(settings, presence.health(settings)))
    if as_json:
        typer.echo(json.dumps({"findings": [f._asdict() for f in found]}))
    else:
        for one in found:
            typer.echo(f"{_SIGNS[one.state]}  {one.check:<12} {one.text}")
            if one.mend:
                typer.echo(f"{'':18} mend: {one.mend}")
    if any(f.state == "problem" for f in found):
        raise typer.Exit(1)


def upgrade(
    check: Annotated[
        bool, typer.Option("--check", help="Say what would happen; change nothing.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Bring the database to this version's schema, after a backup into the data folder.

    Stop the service first. A start does the same without a backup.

    Examples: augury upgrade --check

    augury upgrade
    """
    settings = Settings()
    report = asyncio.run(_upgrade(settings, check=check))
    if as_json:
        typer.echo(json.dumps(report))
        return
    typer.echo(
        f"Augury {report['version']}; the database is at {report['schema'] or 'nothing yet'}."
    )
    if not report["pending"]:
        typer.echo("There is nothing to upgrade.")
    elif check:
        typer.echo(f"An upgrade would apply: {', '.join(report['pending'])}.")
        typer.echo(
            f"It takes a backup first: the database has {report['bytes'] / 1e6:,.0f} MB, "
            f"{report['free'] / 1e6:,.0f} MB are free."
        )
        if report["bytes"] > report["free"]:
            typer.echo("That may not be enough room. Make some, or back up elsewhere first.")
    else:
        typer.echo(f"Applied: {', '.join(report['pending'])}. The state before: {report['backup']}")


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
    """Bytes free where a folder is."""
    return shutil.disk_usage(folder).free if folder.exists() else 0
