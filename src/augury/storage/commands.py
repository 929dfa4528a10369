"""`augury db`: backup, restore, migrate, status."""

from __future__ import annotations

import asyncio
import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from psycopg import AsyncConnection, OperationalError

from augury.errors import SetupProblem
from augury.options import AsJson
from augury.settings import Settings
from augury.storage import agreement
from augury.storage import backup as backups
from augury.storage import migrate as migrations
from augury.storage.database import Database

app = typer.Typer(help="Maintain the database.", no_args_is_help=True)


@app.command()
def backup(
    file: Annotated[Path, typer.Argument(help="File to write. It must not exist yet.")],
    as_json: AsJson = False,
) -> None:
    """Write the whole database to one file. The service may keep running.

    The search index is not included; it is rebuilt from the database.

    Example: augury db backup augury-2026-11-21.zip
    """
    manifest = asyncio.run(_explained(backups.backup(Settings(), file)))
    size = file.stat().st_size
    _say(
        as_json,
        {"file": str(file), "bytes": size, **asdict(manifest)},
        f"Wrote {file}: {sum(manifest.rows.values()):,} rows, {size / 1e6:,.1f} MB.",
    )


@app.command()
def restore(
    file: Annotated[Path, typer.Argument(help="A file made by `augury db backup`.")],
    replace: Annotated[
        bool,
        typer.Option(
            "--replace",
            help="Restore even if the database is not empty; its contents are replaced.",
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Restore a backup, completely or not at all. Stop the service first.

    Examples: augury db restore augury-2026-11-21.zip

    AUGURY_DATA_DIR=/srv/new augury db restore augury-2026-11-21.zip
    """
    manifest = asyncio.run(_explained(backups.restore(Settings(), file, replace=replace)))
    _say(
        as_json,
        {"file": str(file), **asdict(manifest)},
        f"Restored {sum(manifest.rows.values()):,} rows from the backup made at "
        f"{manifest.created_at}. The search index is rebuilt at the next start of the service.",
    )


@app.command()
def migrate(as_json: AsJson = False) -> None:
    """Upgrade the database schema to this version, as every start of the service does by itself.

    The upgrade can only be undone by restoring a backup, so make one first.

    Example: augury db backup before.zip && augury db migrate
    """

    async def run() -> migrations.Status:
        async with backups.reachable(Settings()) as url:
            before = await _status(url)
            await asyncio.to_thread(migrations.upgrade, url)
        return before

    before = asyncio.run(_explained(run()))
    done = ", ".join(before.pending)
    _say(
        as_json,
        {"before": before.revision, "applied": list(before.pending)},
        f"Applied {done}." if done else f"The schema is up to date ({before.revision}).",
    )


@app.command()
def status(as_json: AsJson = False) -> None:
    """Show which database is used and the version of its schema.

    Example: augury db status --json
    """

    async def run() -> dict[str, Any]:
        settings = Settings()
        async with (
            backups.reachable(settings) as url,
            await AsyncConnection.connect(url) as connection,
        ):
            state = await migrations.status(connection)
            cursor = await connection.execute("select pg_database_size(current_database())")
            size = await cursor.fetchone()
            return {
                "server": "embedded" if settings.database_url is None else "external",
                "postgresql": connection.info.parameter_status("server_version"),
                "data_dir": str(settings.data_dir) if settings.database_url is None else None,
                "bytes": size[0] if size else 0,
                "schema": state.revision,
                "pending": list(state.pending),
            }

    report = asyncio.run(_explained(run()))
    where = report["data_dir"] or "by URL"
    pending = ", ".join(report["pending"]) or "none"
    _say(
        as_json,
        report,
        f"PostgreSQL {report['postgresql']}, {report['server']} ({where}), "
        f"{report['bytes'] / 1e6:,.1f} MB\n"
        f"Schema: {report['schema'] or 'none yet'}. Pending: {pending}.",
    )


@app.command("forget-secrets")
def forget_secrets(
    yes: Annotated[bool, typer.Option("--yes", help="Confirm the deletion.")] = False,
    as_json: AsJson = False,
) -> None:
    """Delete data encrypted with a lost key: alert endpoints and addresses of series.

    Use it if a restored database lacks its secret.key (or AUGURY_SECRET_KEY), so that the service
    refuses to start. Users then have to create their endpoints and series again.

    Example: augury db forget-secrets --yes
    """
    if not yes:
        raise SetupProblem(
            "This permanently deletes all alert endpoints and stops fetching all external "
            "series. Add --yes to go ahead."
        )

    async def run() -> dict[str, int]:
        database = await Database.open(Settings())
        try:
            return await agreement.forget(database)
        finally:
            await database.close()

    gone = asyncio.run(_explained(run()))
    _say(
        as_json,
        gone,
        f"Deleted {gone['endpoints']} endpoints; {gone['series']} series are no longer fetched.",
    )


async def _status(url: str) -> migrations.Status:
    async with await AsyncConnection.connect(url) as connection:
        return await migrations.status(connection)


async def _explained(work: Any) -> Any:
    """Await `work` and return its result. If the database can't be reached, raise SetupProblem."""
    try:
        return await work
    except OperationalError as error:
        first = str(error).strip().split("\n", 1)[0]
        raise SetupProblem(f"The database can't be reached: {first}") from error


def _say(as_json: bool, report: dict[str, Any], text: str) -> None:
    typer.echo(json.dumps(report) if as_json else text)
