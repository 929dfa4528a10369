"""What every test may ask for: a real PostgreSQL, a fresh migrated database in it, settings."""

from __future__ import annotations

import itertools
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest

from augury.settings import Settings
from augury.storage import migrate
from augury.storage.database import Database
from augury.storage.embedded import EmbeddedServer

_numbers = itertools.count(1)
_TEMPLATE = "augury_template"

# Speed instead of safety: these servers die with the test run. Durability tests start their own.
FAST = {
    "fsync": "off",
    "full_page_writes": "off",
    "synchronous_commit": "off",
    "shared_buffers": "32MB",
    "max_wal_size": "512MB",
    "autovacuum": "off",
}


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@dataclass
class PostgresServer:
    """The test run's own server; `admin` makes and drops databases."""

    server: EmbeddedServer
    admin: psycopg.Connection

    def url(self, database: str) -> str:
        return self.server.url(database)


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """One embedded server per test process, with a migrated template database."""
    folder = Path(tempfile.mkdtemp(prefix="augury-t-"))  # short: it holds a socket
    server = EmbeddedServer.open(folder, options=FAST)
    try:
        with psycopg.connect(server.url("postgres"), autocommit=True) as admin:
            admin.execute(f"create database {_TEMPLATE}")
            migrate.upgrade(server.url(_TEMPLATE))
            yield PostgresServer(server, admin)
    finally:
        server.close()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def database_url(postgres: PostgresServer) -> Iterator[str]:
    """URL of a fresh, migrated database (15 ms), dropped after the test."""
    name = f"t{next(_numbers)}"
    postgres.admin.execute(f"create database {name} template {_TEMPLATE} strategy file_copy")
    yield postgres.url(name)
    postgres.admin.execute(f"drop database {name} with (force)")


@pytest.fixture
async def database(anyio_backend: str, database_url: str) -> AsyncIterator[Database]:
    """A fresh, migrated, opened database."""
    database = await Database.connect(database_url, database_url, pool_size=4)
    yield database
    await database.close()


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Settings of a service that keeps to itself: a data folder of its own, no venue, no sample."""
    return Settings(data_dir=tmp_path / "data", sync="off", sample="off")
