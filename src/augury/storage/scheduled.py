"""Backups on a schedule: each one is restored into a scratch folder before it counts."""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

import structlog
from prometheus_client import Gauge

from augury import clock
from augury.errors import AuguryError
from augury.settings import Settings
from augury.storage import backup as backups

log = structlog.get_logger(__name__)

LAST = Gauge(
    "augury_backup_verified_timestamp_seconds",
    "Time of the newest verified backup in the backup folder, in seconds since 1970; 0: none.",
)
SIZE = Gauge("augury_backup_bytes", "Size of the newest verified backup in bytes; 0: none.")

_PATTERN = "augury-*.backup"
_UNVERIFIED = ".unverified"


def folder(settings: Settings) -> Path:
    """The folder of scheduled backups: the one in the settings, else `backups` in the data
    folder."""
    return settings.backup_dir or Path(settings.data_dir) / "backups"


def newest(settings: Settings) -> Path | None:
    """The file of the latest verified backup; None if there is none."""
    return max(folder(settings).glob(_PATTERN), default=None)


def measure(settings: Settings) -> None:
    """Make the metrics of this process show the time and size of the newest verified backup, even
    if another process made it."""
    LAST.set_function(lambda: found.st_mtime if (found := _stat(settings)) else 0.0)
    SIZE.set_function(lambda: float(found.st_size) if (found := _stat(settings)) else 0.0)


def _stat(settings: Settings) -> os.stat_result | None:
    last = newest(settings)
    with suppress(OSError):  # deleted meanwhile
        return last.stat() if last else None
    return None


async def make(settings: Settings) -> Path:
    """Write a backup, check it by restoring it into a scratch folder, and delete the oldest backups
    beyond `AUGURY_BACKUP_KEEP`. Returns the backup's file.

    Raises
    ------
    SetupProblem
        The backup could not be written or restored. Its file then keeps a name that ends in
        `.unverified`, and no older backup is deleted.
    """
    where = folder(settings)
    where.mkdir(parents=True, exist_ok=True, mode=0o700)
    for left in where.glob(f"*{_UNVERIFIED}"):
        left.unlink()
    file = where / f"augury-{clock.now():%Y%m%dT%H%M%SZ}.backup"
    trial = file.with_name(file.name + _UNVERIFIED)
    manifest = await backups.backup(settings, trial)
    await verify(settings, trial)
    trial.rename(file)
    log.info("backup_verified", file=str(file), rows=sum(manifest.rows.values()))
    for old in sorted(where.glob(_PATTERN))[: -settings.backup_keep]:
        old.unlink()
    return file


async def verify(settings: Settings, file: Path) -> backups.Manifest:
    """Check a backup by restoring it into a temporary server, which is then deleted. Returns the
    backup's manifest.

    Raises
    ------
    SetupProblem
        The backup can't be restored.
    """
    scratch = Path(await asyncio.to_thread(tempfile.mkdtemp, prefix=".verify-", dir=file.parent))
    try:
        scratch_settings = settings.model_copy(
            update={"data_dir": scratch, "database_url": None, "database_direct_url": None}
        )
        return await backups.restore(scratch_settings, file)
    finally:
        await asyncio.to_thread(shutil.rmtree, scratch, ignore_errors=True)


async def scheduled(settings: Settings) -> None:
    """Make a verified backup; called on a schedule. A failure is only logged, since the next run
    tries again."""
    with suppress(FileNotFoundError):  # remains of a verification that was killed
        for left in folder(settings).glob(".verify-*"):
            await asyncio.to_thread(shutil.rmtree, left, ignore_errors=True)
    try:
        await make(settings)
    except AuguryError as error:
        log.error("backup_failed", reason=str(error))
