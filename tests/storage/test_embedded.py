"""The supervisor of the embedded server: one owner, no orphans, nothing lost, clear refusals."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import psycopg
import pytest
from tests.pace import wait_until

from augury.errors import SetupProblem
from augury.storage import supervisor
from augury.storage.embedded import EmbeddedServer

OWNER = Path(__file__).parent / "owner.py"
SMALL = {"shared_buffers": "16MB", "fsync": "off"}
KILLS = int(os.environ.get("AUGURY_TEST_KILLS", "3"))
"""How often the owner is killed in the middle of writing; 200 for a thorough run."""

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root has this trouble")


@pytest.fixture(scope="session")
def initialized() -> Iterator[Path]:
    """A data folder with a server that was made and stopped, to be copied: initdb takes 1 s."""
    folder = Path(tempfile.mkdtemp(prefix="augury-i-"))
    EmbeddedServer.open(folder, options=SMALL).close()
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def folder(initialized: Path) -> Iterator[Path]:
    """A data folder of this test, with a stopped server in it."""
    parent = Path(tempfile.mkdtemp(prefix="augury-e-"))
    folder = parent / "d"
    shutil.copytree(initialized, folder)
    yield folder
    wait_until(lambda: not _processes_in(folder), f"no process is left behind in {folder}")
    shutil.rmtree(parent)


@pytest.fixture
def start() -> Iterator[Callable[..., Owner]]:
    owners: list[Owner] = []

    def one(folder: Path, *rest: str) -> Owner:
        owners.append(Owner(folder, *rest))
        return owners[-1]

    yield one
    for owner in owners:
        owner.kill()


class Owner:
    """`owner.py` in a process of its own."""

    def __init__(self, folder: Path, *rest: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, str(OWNER), str(folder), *rest],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def said(self) -> tuple[str, int, int, float]:
        """Its role, its server's process, the rows it found, the seconds it took."""
        assert self.process.stdout
        line = self.process.stdout.readline()
        if not line:
            assert self.process.stderr
            pytest.fail(self.process.stderr.read())
        role, pid, count, took = line.split()
        return role, int(pid), int(count), float(took)

    def kill(self) -> list[int]:
        """Kill it and return the numbers it had said were committed."""
        self.process.kill()
        out, _ = self.process.communicate()
        return [int(line) for line in out.splitlines() if line.isdigit()]


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def _ask(server: EmbeddedServer, question: str) -> object:
    with psycopg.connect(server.url("postgres"), autocommit=True) as connection:
        row = connection.execute(question.encode()).fetchone()
        assert row
        return row[0]


# Owner and attached


def test_the_owner_starts_and_stops_the_server(folder: Path) -> None:
    server = EmbeddedServer.open(folder)
    pid = server.pid
    assert server.owned
    assert _ask(server, "show data_checksums") == "on"
    assert _ask(server, "show listen_addresses") == ""
    assert _ask(server, "show fsync") == "on"
    assert _ask(server, "show timezone") == "UTC"
    assert _ask(server, "select datcollversion is null or true from pg_database limit 1")
    assert _ask(server, "select pg_encoding_to_char(encoding) from pg_database limit 1") == "UTF8"
    assert _ask(server, "select lower('ÄÖ')") == "äö"
    server.close()
    assert server.pid is None
    assert pid
    assert not _alive(pid)


def test_the_socket_is_reachable_for_its_owner_only(folder: Path) -> None:
    server = EmbeddedServer.open(folder, options=SMALL)
    try:
        for path in (server.record.socket_dir, str(folder / "postgres" / "data")):
            assert stat.S_IMODE(os.stat(path).st_mode) == 0o700
        assert stat.S_IMODE(os.stat(folder / "postgres" / "server.json").st_mode) == 0o600
    finally:
        server.close()


def test_a_second_process_attaches_and_leaves_the_server_running(
    folder: Path, start: Callable[..., Owner]
) -> None:
    owner = start(folder, "wait")
    _, pid, _, _ = owner.said()
    attached = EmbeddedServer.open(folder)
    assert not attached.owned
    assert attached.pid == pid
    assert _ask(attached, "select 1") == 1
    attached.close()
    assert _alive(pid)


def test_an_attached_process_owns_on_reopening_once_the_owner_has_died(
    folder: Path, start: Callable[..., Owner]
) -> None:
    owner = start(folder, "wait")
    _, pid, _, _ = owner.said()
    attached = EmbeddedServer.open(folder)
    url = attached.url("postgres")
    owner.kill()
    reopened = EmbeddedServer.open(folder, options=SMALL)
    try:
        assert reopened.owned
        assert reopened.pid != pid
        assert reopened.url("postgres") == url, "so that pools reconnect by themselves"
        assert _ask(reopened, "select 1") == 1
    finally:
        reopened.close()


def test_who_is_attached_takes_the_owner_s_place(folder: Path, start: Callable[..., Owner]) -> None:
    def inherits(server: EmbeddedServer) -> None:
        wait_until(lambda: server.owned, "somebody inherits")
        assert _ask(server, "select 1") == 1

    owner = start(folder, "wait")
    owner.said()
    second = EmbeddedServer.open(folder, options=SMALL)
    second.inherit()
    owner.kill()
    inherits(second)
    third = EmbeddedServer.open(folder, options=SMALL)
    assert not third.owned
    third.inherit()
    second.close()
    inherits(third)
    third.close()
    assert third.pid is None


def test_of_many_that_come_at_once_exactly_one_owns(
    folder: Path, start: Callable[..., Owner]
) -> None:
    roles = [owner.said()[0] for owner in [start(folder, "wait") for _ in range(3)]]
    assert sorted(roles) == ["attached", "attached", "owned"]


def test_a_closed_owner_leaves_the_folder_to_the_next(folder: Path) -> None:
    for _ in range(2):
        server = EmbeddedServer.open(folder, options=SMALL)
        assert server.owned
        server.close()


# Killed


def test_nothing_acknowledged_is_lost_and_no_server_is_left_when_the_owner_is_killed(
    folder: Path, start: Callable[..., Owner]
) -> None:
    last = 0
    for _ in range(KILLS):
        owner = start(folder)
        role, pid, count, _ = owner.said()
        assert role == "owned"
        assert count >= last, "an acknowledged row is missing"
        time.sleep(random.uniform(0.05, 0.4))
        last = max([count, *owner.kill()])
        if random.random() < 0.5:  # else the successor meets the dying server
            wait_until(lambda pid=pid: not _alive(pid), "no orphan", 5)
    server = EmbeddedServer.open(folder, options=SMALL)
    try:
        assert _ask(server, "select max(n) = count(*) from acknowledged") is True
        assert _ask(server, f"select max(n) >= {last} from acknowledged") is True
    finally:
        server.close()


def test_a_killed_server_is_started_again(folder: Path) -> None:
    server = EmbeddedServer.open(folder, options=SMALL)

    def answers() -> bool:
        with suppress(psycopg.OperationalError):
            assert _ask(server, "select 1") == 1
            assert EmbeddedServer.open(folder).pid == server.pid
            return True
        return False

    try:
        assert server.pid
        os.kill(server.pid, signal.SIGKILL)
        wait_until(answers, "the server answers")
    finally:
        server.close()


def _processes_in(folder: Path) -> list[int]:
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if (process / "cwd").readlink().is_relative_to(folder):
                found.append(int(process.name))
        except OSError:
            continue
    return found


def test_a_stale_pid_file_with_a_number_in_use_does_not_matter(folder: Path) -> None:
    stranger = subprocess.Popen(["sleep", "60"])
    try:
        pid_file = folder / "postgres" / "data" / "postmaster.pid"
        pid_file.write_text(f"{stranger.pid}\n{pid_file.parent}\n0\n5432\n/x\n\n0\nready\n")
        server = EmbeddedServer.open(folder, options=SMALL)
        assert _ask(server, "select 1") == 1
        server.close()
        assert stranger.poll() is None, "the stranger was left alone"
    finally:
        stranger.kill()
        stranger.wait()


def test_a_half_made_folder_is_made_anew(folder: Path) -> None:
    (folder / "postgres" / "data").rename(folder / "postgres" / "data.new")
    server = EmbeddedServer.open(folder, options=SMALL)
    assert _ask(server, "select 1") == 1
    server.close()


# Places and people


def test_a_path_too_long_for_a_socket(initialized: Path, tmp_path: Path) -> None:
    deep = tmp_path / ("deep" * 20) / ("deeper" * 12)
    shutil.copytree(initialized, deep)
    dirs = set()
    for _ in range(2):
        server = EmbeddedServer.open(deep, options=SMALL)
        dirs.add(server.record.socket_dir)
        assert stat.S_IMODE(os.stat(server.record.socket_dir).st_mode) == 0o700
        assert _ask(server, "select 1") == 1
        server.close()
    assert len(dirs) == 1, "the same at every start"
    shutil.rmtree(dirs.pop())


def test_a_copy_of_a_folder_leaves_the_original_alone(initialized: Path, folder: Path) -> None:
    original = EmbeddedServer.open(initialized, options=SMALL)
    try:
        pid_file = Path("postgres") / "data" / "postmaster.pid"
        shutil.copy(initialized / pid_file, folder / pid_file)
        copy = EmbeddedServer.open(folder, options=SMALL)
        assert copy.owned
        assert copy.record.socket_dir != original.record.socket_dir
        assert _ask(original, "select 1") == _ask(copy, "select 1") == 1
        copy.close()
        assert _ask(original, "select 1") == 1
    finally:
        original.close()


def test_a_moved_folder_goes_on(folder: Path) -> None:
    moved = folder.with_name("moved")
    folder.rename(moved)
    server = EmbeddedServer.open(moved, options=SMALL)
    assert Path(server.record.socket_dir).is_relative_to(moved)
    assert _ask(server, "select 1") == 1
    server.close()
    moved.rename(folder)


@as_root
def test_somebody_else_s_folder_is_refused(folder: Path) -> None:
    os.chown(folder / "postgres", 12345, 12345)
    with pytest.raises(SetupProblem, match=r"another user \(uid 12345\)"):
        EmbeddedServer.open(folder)


def test_another_major_version_is_refused_with_what_to_do(folder: Path) -> None:
    (folder / "postgres" / "data" / "PG_VERSION").write_text("17\n")
    with pytest.raises(SetupProblem, match=r"made by PostgreSQL 17.*AUGURY_PG_BIN_DIR"):
        EmbeddedServer.open(folder)


def test_a_folder_without_programs_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SetupProblem, match="No PostgreSQL server program"):
        EmbeddedServer.open(tmp_path / "data", bin_dir=tmp_path)


def test_a_folder_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SetupProblem, match="can't be used"):
        EmbeddedServer.open(tmp_path / "file" / "data")


def test_why_a_server_did_not_start_is_said(folder: Path) -> None:
    with pytest.raises(SetupProblem, match="no_such_setting"):
        EmbeddedServer.open(folder, options={"no_such_setting": "1"})
    server = EmbeddedServer.open(folder, options=SMALL)  # the failure left nothing behind
    server.close()


def test_no_parent_is_opened_up(folder: Path) -> None:
    folder.parent.chmod(0o700)
    before = [stat.S_IMODE(parent.stat().st_mode) for parent in folder.parents]
    server = EmbeddedServer.open(folder, options=SMALL)
    server.close()
    assert [stat.S_IMODE(parent.stat().st_mode) for parent in folder.parents] == before


@as_root
def test_the_server_of_root_is_somebody_with_no_rights(folder: Path) -> None:
    """It reads no file of root, wherever the data folder lies."""
    folder.parent.chmod(0o700)
    secret = folder.parent / "secret"
    secret.write_text("of root")
    server = EmbeddedServer.open(folder, options=SMALL)
    try:
        data = folder / "postgres" / "data"
        assert data.stat().st_uid == supervisor.PRIVATE_UID
        status = Path(f"/proc/{server.pid}/status").read_text()
        assert "Uid:" + f"\t{supervisor.PRIVATE_UID}" * 4 in status
        assert "CapEff:\t0000000000000000" in status
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            _ask(server, f"select pg_read_file('{secret}')")
        with pytest.raises(psycopg.Error):
            _ask(server, "select pg_read_file('/etc/shadow')")
    finally:
        server.close()


NO_NAMESPACES = """
import ctypes, os, struct, sys
# Refuses unshare (272) with EPERM, as a container's default does.
program = b"".join(struct.pack("HBBI", *line) for line in (
    (0x20, 0, 0, 0), (0x15, 0, 1, 272), (0x06, 0, 0, 0x00050001), (0x06, 0, 0, 0x7FFF0000)))
buffer = ctypes.create_string_buffer(program)
filter = struct.pack("HxxxxxxP", 4, ctypes.addressof(buffer))
libc = ctypes.CDLL(None, use_errno=True)
assert libc.prctl(22, 2, ctypes.c_char_p(filter), 0, 0) == 0, ctypes.get_errno()
assert libc.unshare(0x10000000) == -1
# A container's root can't look into other users' processes either (CAP_SYS_PTRACE).
assert libc.prctl(24, 19, 0, 0, 0) == 0
os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
"""


@as_root
@pytest.mark.skipif(os.uname().machine != "x86_64", reason="the filter knows its system calls only")
def test_a_replaced_container_comes_back_with_its_data(folder: Path, tmp_path: Path) -> None:
    """Root, user namespaces refused, and nothing kept but the data folder (a volume)."""
    tmp_path.chmod(0o700)
    places = [Path(base) for base in ("/var/lib", "/tmp", "/run")]

    def life(volume: Path, statement: str) -> str:
        text = (
            "import psycopg, sys; from pathlib import Path\n"
            "from augury.storage.embedded import EmbeddedServer\n"
            f"server = EmbeddedServer.open(Path({str(volume)!r}), options={SMALL!r})\n"
            "with psycopg.connect(server.url('postgres'), autocommit=True) as c:\n"
            f"    print(c.execute({statement!r}).fetchone()[0])\n"
            "    c.execute('checkpoint')\n"
            "server.close()\n"
        )
        done = subprocess.run(
            [sys.executable, "-c", NO_NAMESPACES, "-c", text], capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()[-1]

    before = {entry for place in places for entry in place.glob("augury-*")}
    volume = tmp_path / "volume"
    shutil.copytree(folder, volume)
    kept = "select lo_from_bytea(4242, 'kept')"  # a row that one expression leaves behind
    assert life(volume, kept) == "4242"
    new = {entry for place in places for entry in place.glob("augury-*")} - before
    assert all(entry.name.startswith("augury-postgresql-") for entry in new), "programs only"
    for entry in new:
        shutil.rmtree(entry)
    replaced = tmp_path / "elsewhere" / "volume"
    shutil.copytree(volume, replaced)
    shutil.rmtree(volume)
    assert life(replaced, "select convert_from(lo_get(4242), 'UTF8')") == "kept"


@as_root
def test_a_database_an_older_version_kept_elsewhere_is_brought_home(folder: Path) -> None:
    home = Path(tempfile.mkdtemp(prefix="augury-old-"))
    server = EmbeddedServer.open(folder, options=SMALL)
    with psycopg.connect(server.url("postgres"), autocommit=True) as connection:
        connection.execute("create table kept as select 42 as n")
    server.close()
    data = folder / "postgres" / "data"
    shutil.move(data, home / "data")
    record = folder / "postgres" / "server.json"
    old = json.loads(record.read_text()) | {"home": str(home), "identity": "user:61099:61099"}
    record.write_text(json.dumps(old))
    server = EmbeddedServer.open(folder, options=SMALL)
    try:
        assert _ask(server, "select n from kept") == 42
        assert not home.exists()
        assert data.stat().st_uid == supervisor.PRIVATE_UID
    finally:
        server.close()
