"""The service as its users start it: real processes, real HTTP, kill -9."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest
from tests import zygote
from tests.pace import PATIENCE, SLACK
from tests.processes import augury, dump, environment, serving

KILLS = int(os.environ.get("AUGURY_TEST_KILLS", "1"))
"""Loops of the kill test; the long run is AUGURY_TEST_KILLS=200."""


@contextmanager
def serving_as_users_do(data_dir: Path, **more: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """A running service as its users start it."""
    with subprocess.Popen(
        [sys.executable, "-m", "augury", "serve"],
        env=environment(data_dir, **more),
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            assert line.startswith("Augury answers at "), line
            yield line.split()[3], process
        finally:
            if process.poll() is None:
                process.terminate()
                process.wait(15)


def as_users_do(data_dir: Path, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    """What a command said that was run to its end as users run it."""
    return subprocess.run(
        [sys.executable, "-m", "augury", *arguments],
        env=environment(data_dir, **more),
        capture_output=True,
        text=True,
        timeout=120,
    )


def search(url: str, query: str, **more: object) -> list[dict[str, object]]:
    answer = httpx2.post(
        f"{url}/v1/search",
        json={"query": query, "dimensions": ["direct"], **more},
        timeout=PATIENCE,
    )
    assert answer.status_code == 200, answer.text
    return answer.json()["results"]["direct"]


def health(url: str) -> dict[str, object]:
    return httpx2.get(f"{url}/v1/health", timeout=PATIENCE).json()


def test_the_first_answer_comes_from_a_marked_sample_and_real_markets_replace_it(
    tmp_path: Path,
) -> None:
    with serving_as_users_do(tmp_path / "data") as (url, process):
        first = health(url)
        assert first["data"] == "sample"
        results = search(url, "Will the Fed cut rates?")
        assert results
        assert all("sample" in str(result["id"]).lower() for result in results)

        # Beside the running service: import returns once its markets can be found.
        ids = dump(tmp_path / "markets.jsonl", 300)
        done = as_users_do(tmp_path / "data", "import", str(tmp_path / "markets.jsonl"), "--json")
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["added"] == 300
        assert health(url)["data"] == "real"
        found = search(url, ids[0])
        assert found[0]["id"] == ids[0]

        # The command line asks the running service, which owns the index.
        asked = augury(tmp_path / "data", "search", "fed rate cut", "--json")
        assert asked.returncode == 0, asked.stderr
        assert not any(
            "sample" in result["id"].lower()
            for results in json.loads(asked.stdout)["results"].values()
            for result in results
        )
        for command in (
            ("forecast", "Will the Fed cut rates?"),
            ("forecast", "Will the Fed cut rates?", "--as-of", "2026-01-05"),
            ("graph", "Will the Fed cut rates?"),
        ):
            asked = augury(tmp_path / "data", *command, "--json")
            assert asked.returncode == 0, asked.stderr
            assert {"probability", "graph"} & json.loads(asked.stdout).keys()
        # The keys that it lent the commands for this are gone.
        kept = augury(tmp_path / "data", "keys", "list", "--json")
        assert json.loads(kept.stdout) == []

        started = time.monotonic()
        process.send_signal(signal.SIGTERM)
        assert process.wait(15) in (0, -signal.SIGTERM)
        assert time.monotonic() - started < SLACK


def test_import_and_search_need_no_running_service(tmp_path: Path) -> None:
    ids = dump(tmp_path / "markets.jsonl", 200)
    done = augury(tmp_path / "data", "import", str(tmp_path / "markets.jsonl"))
    assert done.returncode == 0, done.stderr
    asked = augury(tmp_path / "data", "search", ids[7], "--json")
    assert json.loads(asked.stdout)["results"]["direct"][0]["id"] == ids[7]


def test_kill_9_loses_nothing_acknowledged_and_index_and_database_agree(tmp_path: Path) -> None:
    rng = random.Random(5)
    known: set[str] = set()
    for loop in range(KILLS):
        path = tmp_path / f"markets{loop}.jsonl"
        ids = dump(path, 400, seed=100 + loop)
        with serving(tmp_path / "data", AUGURY_SAMPLE="off") as (url, process):
            importing = zygote.shared().start(
                "import", str(path), "--json", env=environment(tmp_path / "data")
            )
            time.sleep(rng.uniform(0.1, 1.5))
            process.kill()
            process.wait(10)
            acknowledged = importing.wait(60) == 0
        if acknowledged:
            known.update(ids)
        with serving(tmp_path / "data", AUGURY_SAMPLE="off") as (url, process):
            report = health(url)
            assert report["index"]["lag"] == 0  # type: ignore[index]
            assert report["index"]["documents"] == report["catalogue"]["markets"]  # type: ignore[index]
            for market in rng.sample(sorted(known), min(5, len(known))):
                assert search(url, market)[0]["id"] == market


def test_a_setting_that_is_none_is_named_and_not_repeated(tmp_path: Path) -> None:
    done = augury(tmp_path, "serve", AUGURY_PORT="s3cret", AUGURY_RVOL_HORIZONS="90d")
    assert done.returncode == 1
    assert "AUGURY_PORT: " in done.stderr
    assert "AUGURY_RVOL_HORIZONS: " in done.stderr
    assert "Traceback" not in done.stderr
    assert "s3cret" not in done.stderr


@pytest.mark.parametrize("arguments", [["serve"], ["search", "fed"]])
def test_what_the_operator_must_put_right_is_said_without_a_traceback(
    tmp_path: Path, arguments: list[str]
) -> None:
    done = augury(
        tmp_path, *arguments, AUGURY_DATABASE_URL="postgresql://nobody@127.0.0.1:1/nothing"
    )
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert done.stderr.strip()


def test_a_start_that_fails_for_an_unforeseen_reason_says_which(tmp_path: Path) -> None:
    """Finding 2.7 of the second attack: "Application startup failed. Exiting." and nothing else."""
    (tmp_path / "search").write_text("no folder")
    done = augury(tmp_path, "serve")
    assert done.returncode == 1
    *log, said = done.stderr.splitlines()
    assert said.startswith("augury: The service did not start: FileExistsError: ")
    assert any("start_failed" in line and "edge.py" in line for line in log)
