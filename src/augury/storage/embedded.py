"""The embedded PostgreSQL server: one process owns the server of a data folder, and other processes
use it.

The owner starts the server and holds a lock on the folder as long as it lives. The kernel stops the
server when the owner dies, however it dies. A second process on the same folder reads the server's
connection data from a file and uses the running server. If it outlives the owner, it takes the
owner's place.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote

import structlog

from augury.errors import SetupProblem
from augury.storage.binaries import Binaries
from augury.storage.ownership import OwnerLock, Record
from augury.storage.server_process import ready_server
from augury.storage.supervisor import PORT, SUPERUSER, Supervisor

log = structlog.get_logger(__name__)

INHERIT_EVERY = 0.1
"""A process may use the embedded server of another process. It then checks again and again whether
that process has ended. This is the time between two checks, in seconds."""


class EmbeddedServer:
    """The running PostgreSQL server of a data folder. It was started either by this process (then
    `owned` is True) or by another process, whose server this process uses."""

    def __init__(
        self, record: Record, supervisor: Supervisor | None, heir: _Heir | None = None
    ) -> None:
        self.record = record
        self._supervisor = supervisor
        self._heir = heir

    @classmethod
    def open(
        cls,
        data_dir: Path,
        *,
        bin_dir: Path | None = None,
        options: Mapping[str, str] | None = None,
        patience: float = 60,
    ) -> EmbeddedServer:
        """Start the PostgreSQL server of `data_dir`, or use the one that another process already
        runs there. Blocks for at most `patience` seconds.

        `options`: PostgreSQL settings in addition to `supervisor.SERVER_OPTIONS`.
        """
        folder = data_dir.resolve() / "postgres"
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            lock = OwnerLock(folder / "owner.lock")
        except OSError as error:
            raise SetupProblem(
                f"The data folder {data_dir} can't be used: {error.strerror}. "
                "Set AUGURY_DATA_DIR to a writable folder."
            ) from error
        deadline = time.monotonic() + patience
        while not lock.acquire():
            record = Record.read(folder)
            if record and ready_server(folder / "data"):
                return cls(record, None, _Heir(folder, lock, bin_dir, options or {}))
            if time.monotonic() > deadline:
                lock.release()
                raise SetupProblem(
                    f"Another Augury process owns {data_dir}, but the database there did not start "
                    f"within {patience:.0f} s. See {folder / 'server.log'}."
                )
            time.sleep(0.02)
        try:
            supervisor = Supervisor(folder, lock, Binaries.find(bin_dir), options or {})
            supervisor.start(deadline)
        except OSError as error:
            lock.release()
            raise SetupProblem(f"The database could not be started: {error}") from error
        except BaseException:
            lock.release()
            raise
        return cls(supervisor.record, supervisor)

    def inherit(self) -> None:
        """If another process owns the server, watch that process until `close`, and take its place
        once it has gone."""
        if self._heir is not None and not self._heir.is_alive():
            self._heir.start()

    @property
    def owned(self) -> bool:
        return self._supervisor is not None or (
            self._heir is not None and self._heir.supervisor is not None
        )

    @property
    def pid(self) -> int | None:
        """Process id of the PostgreSQL server; None while the server is stopped or starting."""
        return ready_server(Path(self.record.folder) / "data")

    def url(self, database: str, role: str = SUPERUSER) -> str:
        """The URL of `database` for libpq, over the server's Unix socket."""
        socket_dir = quote(self.record.socket_dir, safe="")
        return f"postgresql://{role}@/{quote(database)}?host={socket_dir}&port={PORT}"

    def close(self) -> None:
        """Stop the server if this process owns it. Blocks until it has stopped."""
        if self._heir is not None:
            self._heir.leave()
        if self._supervisor is not None:
            self._supervisor.stop()


class _Heir(threading.Thread):
    """A thread in a process that uses the embedded server of another process. It waits until the
    other process has ended, then starts the server in its place.

    The socket stays the same, so pools find the new server by themselves.
    """

    def __init__(
        self, folder: Path, lock: OwnerLock, bin_dir: Path | None, options: Mapping[str, str]
    ) -> None:
        super().__init__(name="augury-postgres-heir", daemon=True)
        self._folder, self._lock, self._bin_dir, self._options = folder, lock, bin_dir, options
        self._leaving = threading.Event()
        self.supervisor: Supervisor | None = None

    def run(self) -> None:
        pause = INHERIT_EVERY
        while not self._leaving.wait(pause):
            if not self._lock.acquire():
                continue
            try:
                binaries = Binaries.find(self._bin_dir)
                supervisor = Supervisor(self._folder, self._lock, binaries, self._options)
                supervisor.start(time.monotonic() + 60)
            except (OSError, SetupProblem) as problem:
                log.warning(
                    "database_of_ended_process_not_taken_over", reason=str(problem), retry_in_s=3
                )
                self._lock.release()
                self._lock = OwnerLock(self._folder / "owner.lock")
                pause = 3.0
                continue
            log.info("database_taken_over_from_ended_process")
            self.supervisor = supervisor
            return

    def leave(self) -> None:
        self._leaving.set()
        if self.is_alive():
            self.join(90)
        if self.supervisor is not None:
            self.supervisor.stop()
        else:
            self._lock.release()
