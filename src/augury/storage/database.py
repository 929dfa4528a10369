"""Access to the database for the rest of the service: a pool of connections, reads and
transactions."""

from __future__ import annotations

import asyncio
import select
from collections.abc import AsyncIterator, Iterable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import Any, LiteralString

import psycopg
from psycopg import AsyncConnection
from psycopg_pool import AsyncConnectionPool, PoolTimeout

from augury.errors import SetupProblem
from augury.settings import Settings
from augury.storage import locks, migrate
from augury.storage.embedded import EmbeddedServer
from augury.storage.failures import as_unavailable, retried

DATABASE = "augury"
SERVICE_ROLE = "augury_service"
"""Name of the PostgreSQL role that the service uses to connect to an embedded server. The role owns
the service's database and is not a superuser."""
OLDEST_SERVER = 150000
SETTLING_SECONDS = 15.0
"""Longest time, in seconds, for which connecting to the embedded server is tried again and again.
The server may just be starting, e.g. because the process that ran it has ended and another one
takes over."""
POOL_PATIENCE = 5.0
"""Seconds to wait for a free connection of the pool before the caller gets a 503."""

# A statement or an idle transaction that lasts longer than this is a fault. Bulk loads are slower
# and set their own limit with `SET LOCAL`.
_SESSION = (
    "select set_config('TimeZone', 'UTC', false),"
    " set_config('statement_timeout', '120s', false),"
    " set_config('idle_in_transaction_session_timeout', '60s', false)"
)


class _Unit:
    """The state of one `Database.unit` block, which joins a task's transactions into one."""

    def __init__(self, database: Database, stack: AsyncExitStack) -> None:
        self.database = database
        self.stack = stack
        self.task = asyncio.current_task()
        self.connection: AsyncConnection[tuple[Any, ...]] | None = None


_UNIT: ContextVar[_Unit | None] = ContextVar("unit of work", default=None)


class Database:
    """A pool of connections to a PostgreSQL server, whose schema is up to date. The server is the
    embedded one or one given by its URL."""

    def __init__(
        self,
        url: str,
        direct_url: str,
        *,
        pool_size: int,
        pooled: bool = False,
        server: EmbeddedServer | None = None,
    ) -> None:
        """`url` is for the pool; `direct_url` bypasses any connection pooler. `pooled`: `url` leads
        to a pooler, which may run each transaction in another session."""
        self.url = url
        self.direct_url = direct_url
        self.server = server
        self._pool: AsyncConnectionPool[AsyncConnection[tuple[Any, ...]]] = AsyncConnectionPool(
            url,
            min_size=1,
            max_size=pool_size,
            timeout=POOL_PATIENCE,
            # In place of the pool's default, five minutes with ever longer pauses: the
            # next caller tries again.
            reconnect_timeout=POOL_PATIENCE,
            kwargs={
                "autocommit": True,
                "application_name": "augury",
                "connect_timeout": 5,
                "prepare_threshold": None if pooled else 5,
            },
            configure=_configure,
            check=_check,
            open=False,
        )

    @classmethod
    async def open(cls, settings: Settings) -> Database:
        """Start or attach to the embedded server, or connect by URL; bring the schema up to date;
        open the pool.

        Raises SetupProblem, whose text says what the operator can do, if one of these fails.
        """
        url, server = await reach(settings)
        pooled_url = settings.database_url.get_secret_value() if settings.database_url else url
        try:
            return await cls.connect(
                pooled_url,
                url,
                pool_size=settings.database_pool_size,
                pooled=pooled_url != url,
                server=server,
            )
        except BaseException:
            if server is not None:
                await asyncio.to_thread(server.close)
            raise

    @classmethod
    async def connect(
        cls,
        url: str,
        direct_url: str,
        *,
        pool_size: int,
        pooled: bool = False,
        server: EmbeddedServer | None = None,
    ) -> Database:
        """Bring the schema of a database up to date and open a pool to it."""
        try:
            current = await retried(
                lambda: _is_current(direct_url), SETTLING_SECONDS if server else 0
            )
            if not current:
                await asyncio.to_thread(migrate.upgrade, direct_url)
        except psycopg.OperationalError as error:
            raise SetupProblem(f"The database can't be reached: {_first_line(error)}") from error
        database = cls(url, direct_url, pool_size=pool_size, pooled=pooled, server=server)
        await database.start()
        return database

    async def start(self) -> None:
        """Open the pool, without checking the schema."""
        try:
            await self._pool.open(wait=True, timeout=2 * POOL_PATIENCE)
        except PoolTimeout as error:
            await self._pool.close()
            raise SetupProblem(f"The database can't be reached: {_first_line(error)}") from error

    async def close(self) -> None:
        """Close the pool; stop the embedded server if this process owns it."""
        await self._pool.close()
        if self.server is not None:
            await asyncio.to_thread(self.server.close)

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[AsyncConnection[tuple[Any, ...]]]:
        """Yields a connection for reads, which commits each statement by itself. Inside a `unit`
        with an open transaction, yields the connection of that transaction."""
        unit = self._unit()
        if unit is not None and unit.connection is not None:
            yield unit.connection  # sees what the unit has written
            return
        async with self._connection() as connection:
            yield connection

    @asynccontextmanager
    async def transaction(
        self, *, separate: bool = False
    ) -> AsyncIterator[AsyncConnection[tuple[Any, ...]]]:
        """Yields a connection with a transaction, which is committed when the block ends and rolled
        back when the block raises.

        Inside a `unit`, the transaction is a part of the unit. With `separate` it is not, and
        stays committed even if the unit is rolled back.
        """
        unit = None if separate else self._unit()
        if unit is None:
            async with self._connection() as connection, connection.transaction():
                yield connection
            return
        if unit.connection is None:
            connection = await unit.stack.enter_async_context(self._connection())
            await unit.stack.enter_async_context(connection.transaction())
            unit.connection = connection
        async with unit.connection.transaction():
            yield unit.connection

    @asynccontextmanager
    async def unit(self) -> AsyncIterator[None]:
        """Join all transactions that this task opens in the block into one, which is committed when
        the block ends and rolled back when the block raises.

        No connection is taken before the first of these transactions opens, so the block may wait
        for something first without holding one. Tasks started in the block have transactions of
        their own.
        """
        async with AsyncExitStack() as stack:
            token = _UNIT.set(_Unit(self, stack))
            try:
                yield
            finally:
                _UNIT.reset(token)

    def _unit(self) -> _Unit | None:
        unit = _UNIT.get()
        ours = unit is not None and unit.database is self and unit.task is asyncio.current_task()
        return unit if ours else None

    @asynccontextmanager
    async def _connection(self) -> AsyncIterator[AsyncConnection[tuple[Any, ...]]]:
        try:
            connection = await self._pool.getconn()
        except PoolTimeout as error:
            raise as_unavailable(error) or error from error
        try:
            yield connection
        finally:
            await self._pool.putconn(connection)

    @asynccontextmanager
    async def leading(self, lock: locks.LockKey) -> AsyncIterator[bool]:
        """Try to become the only process that does a certain task. `lock`: key of the lock for this
        task; it is held until the block ends. Yields whether the lock was free; if it was not,
        another process is doing the task."""
        # A session of its own, so that the lock is released as soon as this process dies.
        async with await AsyncConnection.connect(
            self.direct_url, autocommit=True, connect_timeout=5
        ) as session:
            yield await locks.take(session, lock)


@asynccontextmanager
async def once(url: str) -> AsyncIterator[AsyncConnection[tuple[Any, ...]]]:
    """Yields a connection for one read, for a process that has no `Database`. `url` may lead to a
    connection pooler."""
    async with await AsyncConnection.connect(
        url, autocommit=True, application_name="augury", connect_timeout=5, prepare_threshold=None
    ) as connection:
        await _configure(connection)
        yield connection


async def reach(settings: Settings) -> tuple[str, EmbeddedServer | None]:
    """The URL of the database that the settings name, bypassing any connection pooler, and the
    embedded server that holds the database. If no process runs this server, it is started. The
    server is None if the settings give a URL."""
    if settings.database_url is not None:
        return (settings.database_direct_url or settings.database_url).get_secret_value(), None
    server = await asyncio.to_thread(
        EmbeddedServer.open, Path(settings.data_dir), bin_dir=settings.pg_bin_dir
    )
    server.inherit()
    try:
        await retried(lambda: _prepare(server), SETTLING_SECONDS)
    except psycopg.OperationalError as error:
        await asyncio.to_thread(server.close)
        raise SetupProblem(f"The database can't be reached: {_first_line(error)}") from error
    except BaseException:
        await asyncio.to_thread(server.close)
        raise
    return server.url(DATABASE, SERVICE_ROLE), server


async def _configure(connection: AsyncConnection[Any]) -> None:
    await connection.execute(_SESSION)


async def _check(connection: AsyncConnection[Any]) -> None:
    """Check a pooled connection before its use: raise psycopg's error if the server has closed it.
    This usually takes no round trip to the server.

    A healthy idle connection has nothing to read; to check that takes 5 us. If there is something
    to read, the server has either closed the connection or sent a message. A round trip (100 us)
    then tells which.
    """
    poll = select.poll()
    poll.register(connection.pgconn.socket, select.POLLIN)
    if poll.poll(0):
        await connection.execute("")


async def _is_current(url: str) -> bool:
    """Whether the schema of the database at `url` is up to date. Raises SetupProblem if PostgreSQL
    there is older than `OLDEST_SERVER`."""
    async with await AsyncConnection.connect(
        url, autocommit=True, connect_timeout=10
    ) as connection:
        if connection.info.server_version < OLDEST_SERVER:
            raise SetupProblem(
                f"Augury needs PostgreSQL {OLDEST_SERVER // 10000} or newer; the server "
                f"is {connection.info.server_version // 10000}."
            )
        return (await migrate.status(connection)).current


async def _prepare(server: EmbeddedServer) -> None:
    """Create the service's role and database in the embedded server if they are missing. If an
    older version of Augury created the database as superuser, the role becomes the owner of the
    database. Nothing else is done as superuser."""
    async with await AsyncConnection.connect(server.url("postgres"), autocommit=True) as connection:
        found = await connection.execute(
            "select pg_get_userbyid(datdba) from pg_database where datname = %s", (DATABASE,)
        )
        row = await found.fetchone()
        if row is not None and row[0] == SERVICE_ROLE:
            return
        # Another process may be faster.
        with suppress(psycopg.errors.DuplicateObject, psycopg.errors.UniqueViolation):
            await connection.execute(f"create role {SERVICE_ROLE} login")
        if row is None:
            with suppress(psycopg.errors.DuplicateDatabase, psycopg.errors.UniqueViolation):
                await connection.execute(f"create database {DATABASE} owner {SERVICE_ROLE}")
            return
        # The database was created by an older version, as superuser.
        async with await AsyncConnection.connect(server.url(DATABASE)) as inside:
            await inside.execute(_HAND_OVER)
        await connection.execute(f"alter database {DATABASE} owner to {SERVICE_ROLE}")


_HAND_OVER = f"""
do $$
declare
  command text;
begin
  for command in
    select format('alter schema public owner to {SERVICE_ROLE}')
    union all
    select format('alter table %s owner to {SERVICE_ROLE}', c.oid::regclass)
    from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'f')
      and not exists (select from pg_depend where objid = c.oid and deptype = 'e')
    union all
    select format('alter sequence %s owner to {SERVICE_ROLE}', c.oid::regclass)
    from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'S'
      and not exists (select from pg_depend where objid = c.oid and deptype in ('e', 'a', 'i'))
    union all
    select format('alter routine %s owner to {SERVICE_ROLE}', p.oid::regprocedure)
    from pg_proc p
    where p.pronamespace = 'public'::regnamespace
      and not exists (select from pg_depend where objid = p.oid and deptype = 'e')
    union all
    select format('alter type %s owner to {SERVICE_ROLE}', t.oid::regtype)
    from pg_type t
    where t.typnamespace = 'public'::regnamespace and t.typtype in ('e', 'd')
      and not exists (select from pg_depend where objid = t.oid and deptype = 'e')
  loop
    execute command;
  end loop;
end $$
"""  # noqa: S608 - a name of ours


def columns(names: Iterable[str], table: str = "") -> LiteralString:
    """Column names joined by commas, for use in SQL: "t.id, t.name" with the table "t". They are
    not escaped, so they must come from this code, never from a caller."""
    prefix = f"{table}." if table else ""
    return ", ".join(f"{prefix}{name}" for name in names)  # type: ignore[return-value]


def _first_line(error: Exception) -> str:
    return str(error).strip().split("\n", 1)[0]


async def size(conn: AsyncConnection[Any]) -> int:
    """Number of bytes that the database takes on disk."""
    row = await (await conn.execute("select pg_database_size(current_database())")).fetchone()
    return int(row[0]) if row else 0
