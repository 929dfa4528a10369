"""Creates, starts, watches and stops the embedded PostgreSQL server, in the process that owns
it."""

from __future__ import annotations

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
from functools import partial
from pathlib import Path

import structlog

from augury.errors import SetupProblem
from augury.storage import launch
from augury.storage.binaries import Binaries
from augury.storage.ownership import OwnerLock, Record
from augury.storage.server_process import cluster_name, pid_in, ready_server, serves

log = structlog.get_logger(__name__)

SUPERUSER = "augury"
"""Name of PostgreSQL's superuser in the embedded server. It is used only to create the service's
own role and database, and to hand an older version's database over to that role."""
PORT = 5432  # only the socket's name: nothing listens on TCP
SOCKET_NAME = f".s.PGSQL.{PORT}"

RESERVE_BYTES = 32 * 1024 * 1024
"""Size in bytes of a file that reserves disk space and is deleted when the disk is full. A server
that stopped because its write-ahead log could not grow needs space for two segments of 16 MiB to
replay the log and start again. It can then answer reads."""
LONGEST_SOCKET_PATH = 107
"""Maximum number of bytes in the path of a Unix socket: the length of `sun_path` without its
closing NUL."""
LONGEST_LOG = 16 * 1024 * 1024
"""If PostgreSQL's log is larger than this many bytes when the server starts, it is renamed to
`server.log.1`."""
PRIVATE_UID = 61099
"""User id of the PostgreSQL server if Augury runs as root, so that the server cannot read root's
files. The id lies between the ranges that distributions and systemd assign, so that nobody else has
it: a folder of this user with mode 0700 is as private as a folder of root."""

SERVER_OPTIONS: Mapping[str, str] = {
    "max_connections": "60",
    "shared_buffers": "256MB",
    "effective_cache_size": "1GB",
    "work_mem": "16MB",
    "maintenance_work_mem": "128MB",
    "max_wal_size": "2GB",
    # Write-ahead log files of this size are kept for reuse. On a full disk it is then the data that
    # fails to grow, which fails one statement; a log that fails to grow would stop the server.
    "min_wal_size": "256MB",
    "wal_compression": "on",
    "fsync": "on",
    "full_page_writes": "on",
    "synchronous_commit": "on",
    # After a crash, one sync call instead of one for each file: seconds faster on a busy disk.
    **({"recovery_init_sync_method": "syncfs"} if sys.platform == "linux" else {}),
    # The supervisor restarts the server. PostgreSQL's own restart can miss a second crash right
    # after the first, e.g. on a disk that keeps failing, and then waits for five minutes.
    "restart_after_crash": "off",
    "jit": "off",
    "random_page_cost": "1.1",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "log_checkpoints": "off",
    "log_min_messages": "warning",
}


class Supervisor:
    """Creates, starts, watches and stops the embedded server. Only the process that owns the server
    has a supervisor."""

    def __init__(
        self, folder: Path, lock: OwnerLock, binaries: Binaries, options: Mapping[str, str]
    ) -> None:
        self._folder = folder
        self._lock = lock
        self._binaries = binaries
        self._options = {**SERVER_OPTIONS, **options}
        self._stopping = threading.Event()
        self._spawning = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._started = False
        self._ended = False
        self._thread = threading.Thread(target=self._watch, name="augury-postgres", daemon=True)
        self.record = self._choose_and_write_record()
        self._data = folder / "data"
        self._reserve = folder / "reserve"
        self._log = folder / "server.log"
        self._log.touch(mode=0o600)
        self._log_before = self._log.stat().st_size

    # The folder of the socket, and the user that the server runs as

    def _choose_and_write_record(self) -> Record:
        """Choose the folder of the server's socket and the user that the server runs as, and write
        both to the server's record (`Record`), a file that other processes read. If possible, the
        socket's folder stays the same as before."""
        if (uid := self._folder.stat().st_uid) != os.geteuid():
            raise SetupProblem(
                f"The data folder {self._folder.parent} belongs to another user (uid {uid}). Run "
                "Augury as that user or set AUGURY_DATA_DIR to another folder."
            )
        _move_from_var_lib(self._folder)
        known = Record.read(self._folder)
        if known is not None and known.folder != str(self._folder):
            known = None  # moved or copied: the original may still use what the record names
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
        """The user that the server runs as, in the form of `Record.identity`. It is the user of
        this process. If that is root or has no name, it is another user (`PRIVATE_UID` if
        possible)."""
        if _may_serve():
            return "same"
        somebody = next(p for p in pwd.getpwall() if p.pw_uid != 0)
        if os.geteuid() == 0:
            private = f"user:{PRIVATE_UID}:{PRIVATE_UID}"
            found = self._test_run(private)
            if found == launch.CANNOT_RUN_STATUS:
                self._binaries = self._binaries.within_reach()
                found = self._test_run(private)
            if found == 0:
                return private
        # If this process can become no other user (root of a namespace with one user in it, or a
        # user without a name, which initdb needs), it gets a name in a user namespace of its own.
        identity = f"namespace:{somebody.pw_uid}:{somebody.pw_gid}"
        if self._test_run(identity) == 0:
            return identity
        raise SetupProblem(
            "PostgreSQL refuses to run as root, and this process can't switch to another user "
            "(CAP_SETUID and CAP_SETGID are missing). Run Augury as an ordinary user, or set "
            "AUGURY_DATABASE_URL to a running server."
            if os.geteuid() == 0
            else (
                f"PostgreSQL needs a user with a name, but uid {os.geteuid()} has no name on "
                "this machine. Run Augury as a named user, or set AUGURY_DATABASE_URL to a "
                "running server."
            )
        )

    def _test_run(self, identity: str) -> int:
        return self._run(identity, self._binaries.program("postgres"), "--version").returncode

    def _folder_for(self, identity: str, folder: Path) -> str:
        """How `folder` is written as a command-line argument of a program that runs as the user
        `identity`. If launch.py has to switch to another user, that user may be unable to reach the
        folder by its path. The argument then begins with "@dir:", so that launch.py opens the
        folder before it switches."""
        return f"{launch.FOLDER}{folder}" if identity.startswith("user:") else str(folder)

    def _socket_dir(self, identity: str, known: Record | None) -> Path:
        """The private folder (0700) for the server's socket: `run` in the server's folder or, if
        that path is too long for a socket, a temporary folder. The next start uses the same folder
        if it still exists."""
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
        while not self._has_started():
            if not self._thread.is_alive() or time.monotonic() > deadline:
                self.stop()
                raise SetupProblem(f"The database did not start. {self._last_words()}")
            time.sleep(0.005)

    def _has_started(self) -> bool:
        """Whether the server accepts connections; from then on it is restarted when it ends. A
        server that was ready but ended before this was noticed does not count as started."""
        if not ready_server(self._data):
            return False
        with self._spawning:
            self._started = not self._ended
        return self._started

    def _create(self) -> None:
        """Create the database in a temporary folder by initdb, then rename the folder, so that a
        half-made folder is never used."""
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
        """Stop an embedded PostgreSQL server that still runs although the process that owned it has
        ended, and delete the files that a dead server left.

        This process holds the owner's lock, so no living process needs a server that still runs
        here.
        """
        pid = pid_in(self._data)
        escalation = [(5.0, signal.SIGINT), (5.0, signal.SIGQUIT)]
        if pid is not None and serves(pid, self._data):
            # Its owner has died, so the kernel has most likely told it to stop already.
            for grace, sign in escalation:
                if _wait_until(lambda: not serves(pid, self._data), grace):
                    break
                with suppress(ProcessLookupError):
                    os.kill(pid, sign)
            if not _wait_until(
                lambda: not serves(pid, self._data), max(1.0, deadline - time.monotonic())
            ):
                raise SetupProblem(
                    f"A PostgreSQL server (process {pid}) still uses {self._data} and does not "
                    "stop. Stop that process, then start Augury again."
                )
        # The process id in these files may by now belong to another process, which PostgreSQL would
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
            *("-c", "listen_addresses=", "-c", f"cluster_name={cluster_name(self._data)}"),
            *settings,
        )
        pause = 0.1
        while (process := self._spawn(command)) is not None:
            began = time.monotonic()
            status = process.wait()
            with self._spawning:
                self._ended = self._stopping.is_set() or not self._started
            if self._ended:
                return
            log.warning("database_stopped", status=status, restart_in_s=pause)
            self._give_up_reserve()
            self._stopping.wait(pause)
            pause = 0.1 if time.monotonic() - began > 60 else min(pause * 2, 3)

    def _keep_reserve(self) -> None:
        """Create a file of `RESERVE_BYTES` bytes that is deleted when the disk is full, so that the
        server can start again. Does nothing unless at least four times as much space is free."""
        with suppress(OSError):
            if self._reserve.exists() or shutil.disk_usage(self._data).free < 4 * RESERVE_BYTES:
                return
            with self._reserve.open("xb") as file:
                if hasattr(os, "posix_fallocate"):
                    os.posix_fallocate(file.fileno(), 0, RESERVE_BYTES)

    def _give_up_reserve(self) -> None:
        with suppress(OSError):
            if self._reserve.exists() and shutil.disk_usage(self._data).free < RESERVE_BYTES:
                self._reserve.unlink()
                log.error(
                    "disk_full",
                    folder=str(self._data),
                    reserve_bytes_freed=RESERVE_BYTES,
                    fix="free space on this disk now",
                )

    def _spawn(self, command: list[str]) -> subprocess.Popen[bytes] | None:
        """Start the server and return its process; None if the supervisor is stopping."""
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
        """The last five lines of the server's log, and where the whole log is. Lines that were in
        the log before this process began to start the server are left out."""
        with self._log.open("rb") as file:
            file.seek(self._log_before)
            lines = file.read().decode(errors="replace").splitlines()[-5:]
        return " ".join([*lines, f"(The whole log: {self._log})"])


def _environment() -> dict[str, str]:
    """Environment variables for PostgreSQL's programs: those of this process, with two changes. The
    PG* variables are left out, so that only the settings of Augury have an effect. The locale is
    "C", so that messages are in English."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("PG", "LC_", "LANG"))}
    return {**kept, "LC_ALL": "C"}


def _may_serve() -> bool:
    """Whether PostgreSQL can run as the user of this process, which must not be root and must have
    a name (initdb needs one)."""
    try:
        return pwd.getpwuid(os.geteuid()).pw_uid != 0
    except KeyError:
        return False


def _owner(identity: str) -> int:
    """The id of the user that must own the server's files. `identity`: the user that the server
    runs as, in the form of `Record.identity`."""
    return int(identity.split(":")[1]) if identity.startswith("user:") else os.geteuid()


def _move_from_var_lib(folder: Path) -> None:
    """Move a database from /var/lib into its data folder. An older version of Augury kept the
    database in /var/lib if Augury ran as root and user namespaces were refused."""
    try:
        record = json.loads((folder / "server.json").read_text())
        home, written = Path(record["home"]), record["folder"]
    except (FileNotFoundError, ValueError, TypeError, KeyError):
        return
    if home == Path(written) or (folder / "data").exists() or not (home / "data").exists():
        return
    if written != str(folder):
        raise SetupProblem(
            f"The data folder was moved from {written}, but its database is still in {home}. Move "
            f"the folder back to {written}. If you want to use another folder, run "
            f"`augury db backup FILE` after that, and restore the backup into the other folder."
        )
    moving = folder / "data.moving"
    shutil.rmtree(moving, ignore_errors=True)
    shutil.copytree(home / "data", moving, symlinks=True)
    moving.rename(folder / "data")
    shutil.rmtree(home, ignore_errors=True)
    log.warning(
        "database_folder_moved",
        moved_from=str(home),
        moved_to=str(folder),
        reason="an older version of Augury kept the database outside of the data folder",
    )


def _hand_over(folder: Path, identity: str) -> None:
    """Give `folder`, with all that it holds, to the user `identity`, which the server runs as."""
    kind, *ids = identity.split(":")
    if kind == "user" or os.geteuid() == 0:
        uid, gid = (int(ids[0]), int(ids[1])) if kind == "user" else (os.geteuid(), os.getegid())
        for parent, folders, files in os.walk(folder):
            for name in (".", *folders, *files):
                os.chown(os.path.join(parent, name), uid, gid, follow_symlinks=False)


def _wait_until(condition: Callable[[], bool], seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True
