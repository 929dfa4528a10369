"""What every test may ask for: a real PostgreSQL, a fresh migrated database in it, settings."""

from __future__ import annotations

import itertools
import json
import os
import shutil
import sys
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import hypothesis
import psycopg
import pytest
import structlog
from psycopg.sql import SQL, Identifier

from augury.markets.service import MarketService
from augury.rvol.service import RvolService
from augury.settings import Settings
from augury.storage import database as database_module
from augury.storage import migrate
from augury.storage.database import Database
from augury.storage.embedded import EmbeddedServer

# A machine that runs three workers on two cores may halt one of them for longer than a service
# should wait.
database_module.POOL_PATIENCE = 60.0

# Tests ask by names of their own, without keys, and faster than anybody may; what guards against
# that has tests that say otherwise.
for _name, _value in {
    "ALLOWED_HOSTS": "*",
    "METRICS": "open",
    "ANONYMOUS_RATE": "1000000/s",
}.items():
    os.environ.setdefault(f"AUGURY_{_name}", _value)

_numbers = itertools.count(1)
_TEMPLATE = "augury_template"

# Speed instead of safety: these servers die with the test run. Durability tests start their own.
FAST = {
    "fsync": "off",
    "full_page_writes": "off",
    "synchronous_commit": "off",
    "shared_buffers": "32MB",
    "min_wal_size": "32MB",
    "max_wal_size": "512MB",
    "autovacuum": "off",
}


def pytest_configure(config: pytest.Config) -> None:
    """Put the folders of tests into memory when there is room: waits for a disk were half the time.

    What is written there outlives any process, as on a disk.
    """
    if config.option.quick:
        sys.addaudithook(stay_pure)
        hypothesis.settings.load_profile("quick")
    memory = Path("/dev/shm")
    roomy = memory.is_dir() and shutil.disk_usage(memory).free > 4 * 2**30
    if roomy and os.access(memory, os.W_OK):
        os.environ.setdefault("TMPDIR", str(memory))
        tempfile.tempdir = None  # asked for anew


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--quick", action="store_true", help="only pure tests: no database, no server, no process"
    )


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Quick runs don't even import files of which they would run nothing."""
    if config.option.quick and collection_path.is_relative_to(HERE):
        name = collection_path.relative_to(HERE).as_posix()
        return True if name in WHOLE | HEAVY else None
    return None


def stay_pure(event: str, arguments: tuple[Any, ...]) -> None:
    """Hook of the interpreter: a quick test that takes a port or starts a process fails."""
    port = event == "socket.bind" and not isinstance(arguments[1], (str, bytes))
    process = event in {"subprocess.Popen", "os.fork", "os.posix_spawn"}
    if (port or process) and "PYTEST_CURRENT_TEST" in os.environ:
        pytest.fail(f"A quick test must not do this ({event}); mark it `heavy`.")


def is_quick(item: pytest.Item) -> bool:
    """Whether a test runs within this process alone, as its fixtures tell, and in no time."""
    started = SERVERS.intersection(getattr(item, "fixturenames", ()))
    marked = (item.get_closest_marker(name) for name in ("whole", "heavy"))
    return not started and not any(marked)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave slow tests out unless asked for; whole ones come first, as they wait most."""
    for item in items:
        if item.path.relative_to(HERE).as_posix() in WHOLE:
            item.add_marker("whole")
    if "slow" not in config.option.markexpr:
        config.hook.pytest_deselected(items=[i for i in items if i.get_closest_marker("slow")])
        items[:] = [i for i in items if not i.get_closest_marker("slow")]
    if config.option.quick:
        config.hook.pytest_deselected(items=[i for i in items if not is_quick(i)])
        items[:] = [i for i in items if is_quick(i)]
    items.sort(key=lambda item: item.get_closest_marker("whole") is None)


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


HERE = Path(__file__).parent
WHOLE = frozenset((
    "test_background.py", "test_canaries.py", "test_crashes.py", "test_end_to_end.py",
    "test_same_answers.py", "test_schema.py", "mcp/test_tools.py", "storage/test_disk_faults.py",
    "storage/test_embedded.py",
))  # fmt: skip
"""Files whose tests are all of whole processes; others mark single tests."""

HEAVY = frozenset((
    "clients/test_faults.py", "clients/test_models.py", "clients/test_typescript.py",
    "forecast/test_gate.py", "forecast/test_properties.py", "handbook/test_shell.py",
    "handbook/test_site.py", "http/test_connections.py", "http/test_proxies.py",
    "logic/test_logic_oracle.py", "mcp/test_desktop.py", "net/test_guard.py", "net/test_tls.py",
    "propositions/test_ahead.py", "rvol/test_calendars.py", "rvol/test_evaluate.py",
    "rvol/test_feeds.py", "rvol/test_garch.py", "rvol/test_models.py", "storage/test_backup.py",
    "test_input_files.py", "test_package.py", "test_patterns.py", "test_separate_process.py",
))  # fmt: skip
"""Files whose tests take long or import what does (a second for the exchanges' calendars), or start
servers or processes of their own; others mark single tests `heavy`. They are no quick tests."""

SERVERS = frozenset((
    "address", "disk", "fake", "initialized", "port", "postgres", "qdrant", "redis_url", "serve",
    "server", "service", "small_disk", "squatter", "upstream",
))  # fmt: skip
"""Fixtures that start a server or a process, or listen. What uses one, at whatever distance, is no
quick test."""

# How long an example takes says how busy the machine is.
hypothesis.settings.register_profile("untimed", deadline=None)
hypothesis.settings.register_profile("quick", deadline=None, max_examples=20)
hypothesis.settings.load_profile("untimed")


@pytest.fixture(autouse=True)
def logs() -> Iterator[None]:
    """Commands run inside a test set up logging for the whole process: undone after it."""
    yield
    structlog.reset_defaults()


@dataclass
class PostgresServer:
    """The test run's own server; `admin` makes and drops databases."""

    server: EmbeddedServer
    admin: psycopg.Connection
    used: list[str] = field(default_factory=list)
    templates: set[str] = field(default_factory=set)

    def url(self, database: str) -> str:
        return self.server.url(database)

    def create(self, template: str = _TEMPLATE) -> str:
        """A new migrated database's name (15 ms), with what the template holds."""
        # Dropped a test late: by then its sessions have ended, for which a drop waits 100 ms.
        while self.used:
            name = Identifier(self.used.pop())
            self.admin.execute(SQL("drop database {} with (force)").format(name))
        name = f"t{next(_numbers)}"
        create = "create database {} template {} strategy file_copy"
        self.admin.execute(SQL(create).format(Identifier(name), Identifier(template)))
        return name

    async def filled(self, name: str, fill: Callable[[Database], Awaitable[object]]) -> str:
        """The template of this name, filled by `fill` when it is first asked for."""
        template = f"{_TEMPLATE}_{name}"
        if template not in self.templates:
            self.admin.execute(
                SQL("create database {} template {}").format(
                    Identifier(template), Identifier(_TEMPLATE)
                )
            )
            database = Database(self.url(template), self.url(template), pool_size=2)
            await database.start()
            await fill(database)
            await database.close()
            self.templates.add(template)
        return template


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """One embedded server per test process, with a migrated template database."""
    folder = Path(tempfile.mkdtemp(prefix="augury-t-"))  # short: holds a socket
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
    """URL of a fresh, migrated database."""
    name = postgres.create()
    yield postgres.url(name)
    postgres.used.append(name)


@pytest.fixture
async def sample_database_url(postgres: PostgresServer, settings: Settings) -> AsyncIterator[str]:
    """URL of a fresh database that holds the sample, as a service fills it at its first start."""

    async def fill(database: Database) -> None:
        await MarketService(database).ensure_sample()
        await RvolService(database, settings).ensure_sample()

    name = postgres.create(await postgres.filled("sample", fill))
    yield postgres.url(name)
    postgres.used.append(name)


@pytest.fixture
async def database(anyio_backend: str, database_url: str) -> AsyncIterator[Database]:
    """A fresh, migrated, opened database."""
    database = Database(database_url, database_url, pool_size=4)
    await database.start()
    yield database
    await database.close()


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Settings of a service that keeps to itself: a data folder of its own, no venue, no sample."""
    return Settings(data_dir=tmp_path / "data", sync="off", sample="off")


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, Any], None]:
    """Compare with a reviewed file beside the test; `AUGURY_GOLDEN=update` writes it instead."""
    folder = request.path.parent / "golden"

    def compare(name: str, got: Any) -> None:
        path = folder / f"{name}.json"
        if os.environ.get("AUGURY_GOLDEN") == "update":
            path.parent.mkdir(exist_ok=True)
            path.write_text(json.dumps(got, indent=1, ensure_ascii=True) + "\n")
        assert got == json.loads(path.read_text()), f"{path} differs"

    return compare
