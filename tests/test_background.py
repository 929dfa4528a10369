"""The worker: heavy work in a process of its own, beside the one that answers."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import httpx2
import psycopg
import pytest
from structlog.testing import capture_logs
from tests.pace import PATIENCE, until, wait_until
from tests.processes import augury, dump, environment, serving

from augury import background
from augury.errors import Unavailable
from augury.settings import Settings
from augury.storage.embedded import EmbeddedServer
from augury.worker import metrics_served


def workers(of: int) -> list[int]:
    """The children of a process that are workers."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(stat.read_text().rpartition(")")[2].split()[1])
            command = (stat.parent / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if parent == of and command[-2:-1] == [b"worker"]:
            found.append(int(stat.parent.name))
    return found


def one_worker(of: int, *, other_than: int = 0) -> int:
    (pid,) = wait_until(lambda: [pid for pid in workers(of) if pid != other_than], "a worker")
    return pid


def until_gone(pid: int) -> None:
    wait_until(lambda: not Path(f"/proc/{pid}").exists(), "the worker is gone")


def linked(data_dir: Path) -> int:
    """Markets that were brought into events."""
    import psycopg

    from augury.storage.embedded import EmbeddedServer

    server = EmbeddedServer.open(data_dir)
    try:
        with psycopg.connect(server.url("augury")) as conn:
            row = conn.execute("select count(*) from relation_members").fetchone()
            return row[0] if row else 0
    finally:
        server.close()


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads /proc")
def test_the_worker_is_kept_up_and_dies_with_the_service(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with serving(data, AUGURY_WORK="child") as (url, process):
        first = one_worker(process.pid)
        os.kill(first, signal.SIGKILL)
        second = one_worker(process.pid, other_than=first)
        dump(tmp_path / "markets.jsonl", 60)
        assert augury(data, "import", str(tmp_path / "markets.jsonl")).returncode == 0
        assert httpx2.get(f"{url}/v1/health", timeout=PATIENCE).json()["status"] != "down"
        wait_until(lambda: linked(data) >= 60, "all are linked", every=0.2)
        process.kill()
        process.wait()
        until_gone(second)
    with serving(data, AUGURY_WORK="child") as (_, process):
        third = one_worker(process.pid)
        process.terminate()
        process.wait(30)
        until_gone(third)


@pytest.mark.anyio
async def test_what_fails_begins_again_and_all_ends_when_told() -> None:
    runs: list[str] = []

    async def fails_once(stop: asyncio.Event) -> None:
        runs.append("fails")
        if len(runs) == 1:
            raise ValueError("once")
        await stop.wait()
        runs.append("ended")

    async with background.running({"work": fails_once}):
        await until(lambda: len(runs) >= 2, "it begins again")
    assert runs == ["fails", "fails", "ended"]


@pytest.mark.anyio
async def test_the_pause_grows_with_each_failure_and_not_after_long_work(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(background, "PAUSES", (0.001, 0.004))
    clock = 0.0
    monkeypatch.setattr(background, "monotonic", lambda: clock)
    stop = asyncio.Event()
    lasted = [0.0, 0.0, 0.0, 0.0, 100.0, 0.0]

    async def run(stop: asyncio.Event) -> None:
        nonlocal clock
        if not lasted:
            stop.set()
            return
        clock += lasted.pop(0)
        raise RuntimeError("gone")

    with capture_logs() as logs:
        await background._kept_up("work", run, stop)
    assert [line["restart_in_s"] for line in logs] == [0.001, 0.002, 0.004, 0.004, 0.001, 0.002]


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("error", "level"),
    [
        (Unavailable("The database is busy."), "warning"),
        (psycopg.OperationalError("server closed the connection"), "warning"),
        (ExceptionGroup("of tasks", [psycopg.OperationalError("connection refused")]), "warning"),
        (ExceptionGroup("of tasks", [psycopg.OperationalError("x"), KeyError("y")]), "error"),
        (RuntimeError("ours"), "error"),
    ],
)
async def test_a_database_that_is_away_is_a_warning_and_a_fault_of_ours_a_traceback(
    error: Exception, level: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background, "PAUSES", (0.001, 0.004))
    stop = asyncio.Event()

    async def run(stop: asyncio.Event) -> None:
        stop.set()
        raise error

    with capture_logs() as logs:
        await background._kept_up("work", run, stop)
    (line,) = logs
    assert (line["log_level"], "exc_info" in line) == (level, level == "error")


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return listening.getsockname()[1]


def test_a_worker_answers_metrics_where_a_port_is_named(tmp_path: Path) -> None:
    port = free_port()
    settings = Settings(data_dir=tmp_path, worker_metrics_port=port)
    with metrics_served(settings):
        text = httpx2.get(f"http://127.0.0.1:{port}/metrics", timeout=PATIENCE).text
        assert "# TYPE augury_background_restarts_total counter" in text
        with capture_logs() as logs, metrics_served(settings):
            pass  # the second worker of a machine works on all the same
        assert [(line["log_level"], line["port"]) for line in logs] == [("warning", port)]
    with pytest.raises(httpx2.ConnectError):
        httpx2.get(f"http://127.0.0.1:{port}/metrics", timeout=PATIENCE)
    with metrics_served(Settings(data_dir=tmp_path)):
        pass


def test_a_worker_whose_database_goes_away_warns_and_waits(tmp_path: Path) -> None:
    """A real worker, a real server that stops: no line of the log is a traceback."""
    server = EmbeddedServer.open(tmp_path / "server")
    with psycopg.connect(server.url("postgres"), autocommit=True) as conn:
        conn.execute("create database of_the_worker")
    more = {"AUGURY_DATABASE_URL": server.url("of_the_worker"), "AUGURY_LOG_FORMAT": "json"}
    told = tmp_path / "log"
    with told.open("w") as log:
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "augury", "worker"],
            env=environment(tmp_path / "data", **more),
            stdout=log,
            stderr=log,
        )
    try:
        wait_for(told, "The worker is running", process)
        server.close()
        wait_for(told, "background_work_interrupted", process)
    finally:
        server.close()
        process.terminate()
        process.wait(30)
    text = told.read_text()
    assert "Traceback" not in text
    assert '"level": "error"' not in text


def wait_for(file: Path, words: str, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + PATIENCE
    while words not in (text := file.read_text()):
        assert process.poll() is None, text
        assert time.monotonic() < deadline, text
        time.sleep(0.1)
