"""R9 on a running service: the disk below PostgreSQL fails in every place and way.

Faults are provoked by a small library preloaded into the server, so the errors are the kernel's
own as far as PostgreSQL can tell. Of a service that starts once: while a fault lasts, what can't
be done is 503 with Retry-After, searches go on, and so do reads of the database unless the
server itself had to stop; when the fault is over all is well again, without a restart of the
service, and everything acknowledged is there.
"""

from __future__ import annotations

import errno
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx2
import psycopg
import pytest
from tests.crashing import UNLIMITED
from tests.pace import wait_until
from tests.processes import augury, serving

SHIM = Path(__file__).parent / "faults.c"

DATA, LOG = "/base/", "/pg_wal/"


@dataclass
class Disk:
    """The service and the switch of its disk."""

    url: str
    key: str
    control: Path
    data_dir: Path
    acknowledged: list[str]

    def fail(self, operation: str, part: str, error: int) -> None:
        new = self.control.with_suffix(".new")
        new.write_text(f"{operation} {part} {error}")
        new.rename(self.control)

    def heal(self) -> None:
        self.control.unlink(missing_ok=True)

    def call(self, method: str, path: str, body: object = None, **kw: str) -> httpx2.Response:
        headers = {"authorization": f"Bearer {self.key}"} if "key" not in kw else {}
        return httpx2.request(method, self.url + path, json=body, headers=headers, timeout=40)

    def write(self) -> httpx2.Response:
        """A watchlist with as long a note as may be, so that tables grow."""
        name = f"w{len(self.acknowledged)}-{time.monotonic_ns()}"
        answer = self.call("POST", "/v1/watchlists", {"name": name, "description": "n" * 900})
        if answer.status_code == 201:
            self.acknowledged.append(answer.json()["id"])
        return answer

    def write_until_refused(self) -> httpx2.Response:
        for _ in range(400):
            answer = self.write()
            if answer.status_code != 201:
                return answer
        pytest.fail("the fault did not show")

    def ask(self, sql: str) -> None:
        """Ask the database itself, as nobody does over HTTP: a checkpoint, cold caches."""
        record = json.loads((self.data_dir / "postgres" / "server.json").read_text())
        with psycopg.connect(
            host=record["socket_dir"], port=5432, user="augury", dbname="augury", autocommit=True
        ) as connection:
            connection.execute(sql.encode())

    def searches(self) -> None:
        answer = self.call("POST", "/v1/search", {"query": "Fed rate cut"}, key="none")
        assert answer.status_code == 200, answer.text
        assert answer.json()["results"]["direct"]

    def whole(self) -> None:
        """Well again, and everything acknowledged is there."""
        wait_until(lambda: self.write().status_code == 201, "it recovers", every=0.2)
        found: set[str] = set()
        cursor = ""
        while cursor is not None:
            page = self.call("GET", f"/v1/watchlists?limit=200&cursor={cursor}" if cursor else
                             "/v1/watchlists?limit=200").json()  # fmt: skip
            found |= {item["id"] for item in page["items"]}
            cursor = page["next_cursor"]
        assert set(self.acknowledged) <= found


def refused(answer: httpx2.Response) -> None:
    assert answer.status_code == 503, answer.text
    assert int(answer.headers["retry-after"]) >= 1
    assert isinstance(answer.json()["detail"], str)


@pytest.fixture(scope="module")
def disk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Disk]:
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None or sys.platform != "linux":
        pytest.skip("a failing disk is made by a preloaded library, and there is no C compiler")
    folder = tmp_path_factory.mktemp("disk")
    # Started by root the server is another user, who can't look into root's folders.
    open_to_all = Path(tempfile.mkdtemp(prefix="augury-faults-"))
    open_to_all.chmod(0o755)
    library = open_to_all / "faults.so"
    built = subprocess.run(
        [compiler, "-shared", "-fPIC", "-O2", "-o", str(library), str(SHIM), "-ldl"],
        capture_output=True, text=True,
    )  # fmt: skip
    if built.returncode != 0:
        pytest.skip(f"a failing disk is made by a preloaded library: {built.stderr[:200]}")
    control, data = open_to_all / "fault", folder / "data"
    faulty = {"LD_PRELOAD": str(library), "AUGURY_TEST_FAULT": str(control)}
    with serving(data, **UNLIMITED, **faulty) as (url, _):
        made = augury(data, "keys", "create", "--account", "a", "--scope", "watch:write", "--json")
        assert made.returncode == 0, made.stderr
        disk = Disk(url, json.loads(made.stdout)["key"], control, data, [])
        disk.whole()
        yield disk
        disk.heal()
    shutil.rmtree(open_to_all)


@pytest.fixture(autouse=True)
def healthy(disk: Disk) -> Iterator[None]:
    yield
    disk.heal()
    disk.whole()


@pytest.mark.parametrize("error", [errno.EIO, errno.ENOSPC, errno.EDQUOT, errno.EROFS])
def test_tables_can_not_be_written(disk: Disk, error: int) -> None:
    disk.fail("write", DATA, error)
    refused(disk.write_until_refused())
    disk.searches()
    answer = disk.call("GET", "/v1/watchlists")
    assert answer.status_code == 200, "reads go on"
    assert disk.call("GET", "/v1/markets", key="none").status_code == 200
    assert disk.call("GET", "/v1/health", key="none").json()["status"] != "down"


def test_tables_can_not_be_read(disk: Disk) -> None:
    disk.ask("select pg_buffercache_evict_all()") if _can_evict(disk) else _restart(disk)
    disk.fail("read", DATA, errno.EIO)
    answers = [disk.call("GET", path) for path in ("/v1/watchlists", "/v1/markets")]
    for answer in answers:
        if answer.status_code != 200:
            refused(answer)
    assert any(answer.status_code == 503 for answer in answers)
    disk.searches()


@pytest.mark.parametrize("operation", ["write", "sync"])
@pytest.mark.parametrize("error", [errno.EIO, errno.ENOSPC])
def test_the_server_s_log_can_not_be_written(disk: Disk, operation: str, error: int) -> None:
    """The server stops, as it must; the service stays, searches, and sees it come back."""
    disk.fail(operation, LOG, error)
    refused(disk.write_until_refused())
    disk.searches()
    assert disk.call("GET", "/v1/health", key="none").status_code == 200
    answer = disk.call("GET", "/v1/watchlists")
    assert answer.status_code == 200 or refused(answer) is None


@pytest.mark.parametrize("error", [errno.EIO, errno.ENOSPC])
def test_a_checkpoint_fails(disk: Disk, error: int) -> None:
    """What a failed fsync wrote can't be trusted: the server stops and replays its log."""
    for _ in range(20):
        disk.write()
    disk.fail("sync", DATA, error)
    with pytest.raises(psycopg.Error):
        disk.ask("checkpoint")
    disk.searches()


def _can_evict(disk: Disk) -> bool:
    try:
        disk.ask("create extension if not exists pg_buffercache")
    except psycopg.Error:
        return False
    return True


def _restart(disk: Disk) -> None:
    """Forget what the server has in memory: kill it; the service starts it again."""
    import os
    import signal

    file = disk.data_dir / "postgres" / "data" / "postmaster.pid"
    os.kill(int(file.read_text().split("\n", 1)[0]), signal.SIGKILL)
    disk.whole()
