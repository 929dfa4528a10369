"""The checks of `augury doctor`. Each returns findings: a sentence on what was found and, if
something is wrong, how to fix it."""

from __future__ import annotations

import asyncio
import os
import resource
import shutil
import socket
import time
from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any, Literal, NamedTuple

import httpx2
from psycopg import AsyncConnection, OperationalError

from augury.doctor import store
from augury.doctor.exposure import exposure_warnings
from augury.errors import SetupProblem
from augury.net.cookies import no_cookies
from augury.settings import Settings
from augury.storage import agreement, migrate, scheduled
from augury.storage import backup as backups
from augury.storage.database import Database
from augury.storage.vault import KEY_FILE, Vault

State = Literal["ok", "warning", "problem"]
LEAST_ROOM = 2 * 2**30
"""Smallest free space, in bytes, that the disk of the data folder should have. With less, the
database may soon stop, which is reported as a problem."""
MOST_SKEW = 30.0
"""Largest difference, in seconds, between this machine's clock and that of a venue or of the
database. A larger one is reported as a problem."""


class Finding(NamedTuple):
    """What one check of `augury doctor` found."""

    check: str
    state: State
    text: str
    mend: str | None = None
    """How to fix it: a command, a setting with its value, or a short instruction; None if nothing
    is wrong or no fix is known."""


def folder(settings: Settings) -> list[Finding]:
    """Check the data folder: its owner and permissions, the permissions of the key file in it, and
    the free space on its disk."""
    where = Path(settings.data_dir)
    if not where.exists():
        return [Finding("folder", "ok", f"{where} will be created at the first start.")]
    found = []
    stat = where.stat()
    if stat.st_uid != os.geteuid():
        mend = f"chown -R {os.geteuid()} {where}"
        found.append(Finding("folder", "problem", f"{where} belongs to uid {stat.st_uid}.", mend))
    if not os.access(where, os.W_OK | os.X_OK):
        found.append(
            Finding(
                "folder", "problem", f"This user can't write to {where}.", f"chmod u+rwx {where}"
            )
        )
    if stat.st_mode & 0o022:
        text = f"Other users may write to {where}."
        found.append(Finding("folder", "problem", text, f"chmod go-w {where}"))
    key = where / KEY_FILE
    if key.exists() and key.stat().st_mode & 0o077:
        text = f"Other users may read {key}, the key that decrypts stored secrets."
        found.append(Finding("keys", "problem", text, f"chmod 600 {key}"))
    free = shutil.disk_usage(where).free
    text = f"{free / 1e9:,.1f} GB are free on the disk of {where}."
    low = free < LEAST_ROOM
    mend = "Free space, or move AUGURY_DATA_DIR to a larger disk." if low else None
    found.append(Finding("disk", "problem" if low else "ok", text, mend))
    return found


def descriptors(settings: Settings) -> list[Finding]:
    """Check that a process may open enough file descriptors for the number of connections that the
    settings allow."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    enough = hard == resource.RLIM_INFINITY or hard >= settings.max_connections + 512
    text = f"A process may open {'any number of' if hard < 0 else f'{hard:,}'} files."
    mend = None if enough else "ulimit -Hn 65536 (systemd: LimitNOFILE=65536)"
    return [Finding("descriptors", "ok" if enough else "warning", text, mend)]


def exposure(settings: Settings) -> list[Finding]:
    """Check whether other machines or users can reach something that they should not."""
    found = [Finding("exposure", "warning", text) for text in exposure_warnings(settings)]
    return found or [Finding("exposure", "ok", f"Augury listens on {settings.host} only.")]


def port(settings: Settings, running: str | None) -> list[Finding]:
    """Check that the port in the settings is free. `running`: address of the service that runs on
    this data folder, which then uses the port; None if none runs."""
    if running is not None:
        return [Finding("port", "ok", f"Augury answers at {running}.")]
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((settings.host, settings.port))
        except OSError as error:
            text = f"Augury can't listen on {settings.host}:{settings.port}: {error.strerror}."
            return [Finding("port", "problem", text, f"AUGURY_PORT={settings.port + 1}")]
    return [Finding("port", "ok", f"{settings.host}:{settings.port} is free.")]


async def database(settings: Settings) -> list[Finding]:
    """Check the database: whether it answers, the rights of its role, its clock, its schema, and
    whether this installation's key can decrypt the secrets stored in it."""
    try:
        async with (
            backups.reachable(settings) as url,
            await AsyncConnection.connect(url, autocommit=True) as connection,
        ):
            state = await migrate.status(connection)
            facts = await store.facts(connection)
            version = connection.info.parameter_status("server_version")
            found = [Finding("database", "ok", f"PostgreSQL {version} answers.")]
            if facts.superuser:
                text = "The database role of the service is a superuser."
                mend = (
                    "Create a role that owns only this database, and use it in AUGURY_DATABASE_URL."
                )
                found.append(Finding("database", "warning", text, mend))
            if abs(facts.seconds - time.time()) > MOST_SKEW:
                text = (
                    "The database's clock differs from this machine's by "
                    f"{facts.seconds - time.time():+.0f} s."
                )
                found.append(Finding("clock", "problem", text, "timedatectl set-ntp true"))
            if state.pending:
                text = (
                    f"The database lacks the migrations {', '.join(state.pending)}; the next "
                    "start applies them."
                )
                found.append(Finding("schema", "warning", text, "augury upgrade"))
            else:
                found.append(await _key(settings, url))
            return found
    except (SetupProblem, OperationalError) as problem:
        text = str(problem).strip().split("\n", 1)[0]
        return [
            Finding(
                "database",
                "problem",
                text,
                "Check AUGURY_DATABASE_URL, and read postgres/server.log in the data folder.",
            )
        ]


async def _key(settings: Settings, url: str) -> Finding:
    database = await Database.connect(url, url, pool_size=2)
    try:
        await agreement.check_key(database, Vault(settings))
        return Finding("keys", "ok", "The secret key decrypts the secrets in the database.")
    except SetupProblem as problem:
        return Finding("keys", "problem", str(problem), "augury db forget-secrets --yes")
    finally:
        await database.close()


async def venues(settings: Settings) -> list[Finding]:
    """Check that the venues can be reached and that this machine's clock agrees with theirs."""
    if settings.sync == "off":
        return [Finding("venues", "ok", "The venues are not followed (AUGURY_SYNC=off).")]
    found = []
    async with httpx2.AsyncClient(timeout=5, cookies=no_cookies()) as client:
        for name, url in (
            ("Polymarket", f"{settings.polymarket_gamma_url}/markets?limit=1"),
            ("Kalshi", f"{settings.kalshi_url}/exchange/status"),
        ):
            try:
                answer = await client.get(url)
            except httpx2.HTTPError as error:
                text = f"{name} is unreachable ({type(error).__name__})."
                mend = f"curl -sI {url}"
                found.append(Finding("venues", "warning", text, mend))
                continue
            found.append(Finding("venues", "ok", f"{name} answers ({answer.status_code})."))
            with_date = answer.headers.get("date")
            if with_date:
                skew = (datetime.now(UTC) - parsedate_to_datetime(with_date)).total_seconds()
                if abs(skew) > MOST_SKEW:
                    text = f"This machine's clock differs from {name}'s by {skew:+.0f} s."
                    found.append(Finding("clock", "problem", text, "timedatectl set-ntp true"))
    return found


def backup(settings: Settings) -> list[Finding]:
    """Check that backups are made on a schedule, and that the newest verified backup is not much
    older than the schedule's interval."""
    if settings.backup_every is None:
        text = "No backups are made on a schedule."
        return [Finding("backups", "warning", text, "AUGURY_BACKUP_EVERY=86400")]
    last = scheduled.newest(settings)
    age = time.time() - last.stat().st_mtime if last else None
    if age is None or age > 2 * settings.backup_every + 3600:
        state = (
            "There is no backup yet"
            if age is None
            else f"The last backup is {age / 3600:.0f} h old"
        )
        return [Finding("backups", "warning", f"{state}.", "augury db backup FILE")]
    return [Finding("backups", "ok", f"The last verified backup is {age / 3600:.1f} h old: {last}")]


def service_health(health: dict[str, Any] | None) -> list[Finding]:
    """Report the problems that the running service names in its health report (`health`, as JSON);
    a warning if no service is running."""
    if health is None:
        return [Finding("service", "warning", "The service is not running.", "augury serve")]
    problems = health.get("problems") or []
    if not problems:
        return [Finding("service", "ok", "The service is healthy.")]
    return [Finding("service", "warning", text) for text in problems]


async def all_findings(
    settings: Settings, health: tuple[str, dict[str, Any]] | None
) -> list[Finding]:
    """The findings of every check. `health`: address and health report of the running service; None
    if none runs. If a check of this machine fails with an unexpected OSError, that becomes a
    finding too."""
    found: list[Finding] = []
    quick: list[Callable[[], list[Finding]]] = [
        lambda: folder(settings),
        lambda: descriptors(settings),
        lambda: exposure(settings),
        lambda: port(settings, health[0] if health else None),
        lambda: backup(settings),
        lambda: service_health(health[1] if health else None),
    ]
    for check in quick:
        try:
            found += check()
        except OSError as error:
            found.append(Finding("check", "problem", f"{error.filename}: {error.strerror}"))
    for findings in await asyncio.gather(database(settings), venues(settings)):
        found += findings
    return found
