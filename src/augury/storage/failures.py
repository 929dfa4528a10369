"""Which failures of the database are temporary, the texts of the 503 answers to them, and how work
is tried again after them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

import psycopg
from psycopg import errors as pg
from psycopg_pool import PoolClosed, PoolTimeout, TooManyRequests

from augury.errors import Unavailable

T = TypeVar("T")

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
    (
        (pg.DeadlockDetected, pg.SerializationFailure),
        "The change conflicted with another one made at the same time.",
        1,
    ),
    ((PoolClosed,), "The service is stopping.", 5),
)


_AMBIGUOUS_SQLSTATES = {"XX000", "42501"}
"""SQLSTATE codes that PostgreSQL uses for an exceeded quota and a read-only file system, but also
for many other errors. An error with such a code is taken as temporary only if its text is about a
file (`_of_a_file`)."""


def _of_a_file(exc: psycopg.Error) -> bool:
    """Whether the text of a PostgreSQL error says that a file could not be read or written. Only
    English texts are recognized; those of the embedded server always are."""
    return (exc.diag.message_primary or "").startswith(
        ("could not extend file", "could not write", "could not open file", "could not read",
         "could not fsync file", "could not create file", "could not truncate file")
    )  # fmt: skip


def as_unavailable(exc: BaseException) -> Unavailable | None:
    """The 503 error for a temporary failure of the database; None for any other exception.

    An exception group gives the 503 error if all its exceptions are such failures.
    """
    if isinstance(exc, Unavailable):
        return exc
    if isinstance(exc, BaseExceptionGroup):
        found = [as_unavailable(one) for one in exc.exceptions]
        return found[0] if all(found) else None
    for kinds, text, retry_after in _TEXTS:
        if isinstance(exc, kinds):
            return Unavailable(text, retry_after=retry_after)
    if isinstance(exc, psycopg.Error) and exc.sqlstate in _AMBIGUOUS_SQLSTATES and _of_a_file(exc):
        return Unavailable("The database's disk reported an error.", retry_after=30)
    # Errors without an SQLSTATE: the connection was refused, reset, or closed in the middle.
    if isinstance(exc, psycopg.OperationalError) and exc.sqlstate is None:
        return Unavailable("The database can't be reached.", retry_after=2)
    if isinstance(exc, psycopg.OperationalError) and (exc.sqlstate or "")[:2] in {"08", "53", "57"}:
        return Unavailable("The database is temporarily unavailable.", retry_after=5)
    return None


async def retried(work: Callable[[], Awaitable[T]], patience: float) -> T:
    """Call `work` and return its result. If the database is temporarily unavailable, `work` is
    called again, for up to `patience` seconds."""
    until = time.monotonic() + patience
    while True:
        try:
            return await work()
        except Exception as error:
            if time.monotonic() > until or as_unavailable(error) is None:
                raise
        await asyncio.sleep(0.1)
