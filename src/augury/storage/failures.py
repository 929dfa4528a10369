"""Which failures of the database pass by themselves, in words a caller can read."""

from __future__ import annotations

import psycopg
from psycopg import errors as pg
from psycopg_pool import PoolClosed, PoolTimeout, TooManyRequests

from augury.errors import Unavailable

_TEXTS: tuple[tuple[tuple[type[Exception], ...], str, float], ...] = (
    ((pg.DiskFull,), "The database's disk is full: nothing can be stored for now.", 30),
    ((pg.ReadOnlySqlTransaction,), "The database is read-only for now.", 10),
    ((pg.IoError,), "The database's disk reported an error.", 30),
    ((pg.OutOfMemory,), "The database is out of memory for now.", 10),
    ((pg.TooManyConnections, TooManyRequests), "The database is busy.", 2),
    ((PoolTimeout,), "The database does not answer in time.", 2),
    ((pg.AdminShutdown, pg.CrashShutdown, pg.CannotConnectNow), "The database is restarting.", 2),
    ((pg.QueryCanceled,), "The database took too long to answer.", 5),
    (
        (pg.IdleInTransactionSessionTimeout, pg.LockNotAvailable),
        "The database is busy with other work.",
        2,
    ),
    ((pg.DeadlockDetected, pg.SerializationFailure), "The change met another one.", 1),
    ((PoolClosed,), "The service is stopping.", 5),
)


_ANY_FILE = {"XX000", "42501"}
"""How PostgreSQL tells of a quota, of a file system that became read-only, and of much else."""


def _of_a_file(exc: psycopg.Error) -> bool:
    """By the server's words, which are English in the embedded one."""
    return (exc.diag.message_primary or "").startswith(
        ("could not extend file", "could not write", "could not open file", "could not read",
         "could not fsync file", "could not create file", "could not truncate file")
    )  # fmt: skip


def as_unavailable(exc: BaseException) -> Unavailable | None:
    """The 503 this database failure means, or None when it is a fault of ours.

    A group of failures is one of the database if all in it are.
    """
    if isinstance(exc, Unavailable):
        return exc
    if isinstance(exc, BaseExceptionGroup):
        found = [as_unavailable(one) for one in exc.exceptions]
        return found[0] if all(found) else None
    for kinds, text, retry_after in _TEXTS:
        if isinstance(exc, kinds):
            return Unavailable(text, retry_after=retry_after)
    if isinstance(exc, psycopg.Error) and exc.sqlstate in _ANY_FILE and _of_a_file(exc):
        return Unavailable("The database's disk reported an error.", retry_after=30)
    # What remains without a code of its own: refused, reset, closed in the middle.
    if isinstance(exc, psycopg.OperationalError) and exc.sqlstate is None:
        return Unavailable("The database can't be reached.", retry_after=2)
    if isinstance(exc, psycopg.OperationalError) and (exc.sqlstate or "")[:2] in {"08", "53", "57"}:
        return Unavailable("The database is temporarily unavailable.", retry_after=5)
    return None
