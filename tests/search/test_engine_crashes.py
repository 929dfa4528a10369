"""What an index holds after the process that wrote it, or its server, was killed."""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from tests.search.documents import SCHEMA, TOLERANCE, document, everything, terms
from tests.search.index_writer import ROUND, SPAN, change, keys_of
from tests.search.qdrant import running

from augury.search.edge import EdgeEngine
from augury.search.engine import STATUSES, SearchEngine
from augury.search.server import ServerEngine

ROOT = Path(__file__).parents[2]


def state_after(number: int) -> dict[int, int]:
    """Key to generation after all changes up to `number`."""
    state: dict[int, int] = {}
    for n in range(1, number + 1):
        keys = keys_of(n)
        state.update(dict.fromkeys(keys, n))
        for key in keys[: ROUND // 10]:
            del state[key]
    return state


def assert_state(engine: SearchEngine, state: dict[int, int]) -> None:
    assert engine.count() == len(state)
    query = terms({10**9 + generation: 1.0 for generation in set(state.values())})
    found = engine.search(query, document(1).vector, limit=10 * SPAN)
    assert found.keys.tolist() == sorted(state)
    assert found.payload["liquidity"].tolist() == [state[key] for key in sorted(state)]
    expected = [document(key, state[key]) for key in sorted(state)]
    assert [STATUSES[s] for s in found.status] == [doc.status for doc in expected]
    np.testing.assert_array_equal(found.lexical, 1.0)
    cosines = [doc.vector @ document(1).vector for doc in expected]
    np.testing.assert_allclose(found.dense, cosines, atol=TOLERANCE)


def kill_and_recover(
    open_: Callable[[], SearchEngine], target: str, kill: Callable[[subprocess.Popen[str]], None]
) -> None:
    """Write in a process of its own until `kill`; reopen; replay from the checkpoint; compare."""
    command = [sys.executable, "-m", "tests.search.index_writer", target]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as writer:
        assert writer.stdout is not None
        lines = [writer.stdout.readline() for _ in range(random.randint(1, 12))]
        time.sleep(random.uniform(0, 0.03))
        kill(writer)
        done = max(map(int, [*lines, *writer.stdout.read().split()]))
    engine = open_()
    try:
        checkpoint = engine.checkpoint()
        assert done // 3 * 3 <= checkpoint <= done + 1
        # All that the checkpoint vouches for is there before any replay, unless a later change
        # has already been at it.
        touched = {key for number in range(checkpoint + 1, done + 3) for key in keys_of(number)}
        for key, generation in state_after(checkpoint).items():
            if key not in touched:
                assert key in everything(engine, generation).keys
        for number in range(checkpoint + 1, done + 1):
            change(engine, number)
        if checkpoint <= done:
            change(engine, done + 1)  # may have been under way
        assert_state(engine, state_after(done + 1))
    finally:
        engine.close()


@pytest.mark.whole
@pytest.mark.parametrize("loops", [1, pytest.param(40, marks=pytest.mark.slow)])
def test_killed_while_writing(tmp_path: Path, loops: int) -> None:
    for loop in range(loops):
        path = tmp_path / str(loop)
        kill_and_recover(
            lambda path=path: EdgeEngine(path, SCHEMA), str(path), subprocess.Popen.kill
        )
        shutil.rmtree(path)


@pytest.mark.whole
def test_server_killed_while_writing(tmp_path: Path) -> None:
    with running(tmp_path) as server:

        def kill(writer: subprocess.Popen[str]) -> None:
            server.stop()
            writer.wait()
            server.start()

        kill_and_recover(lambda: ServerEngine(server.url, SCHEMA), server.url, kill)
