"""Calls in a process of their own."""

from __future__ import annotations

import asyncio
import json
import os
import time
from pathlib import Path

import pytest

from augury.errors import Unavailable
from augury.separate_process import SeparateProcess

pytestmark = pytest.mark.anyio


async def test_a_call_is_made_in_another_process_at_low_priority() -> None:
    process = SeparateProcess()
    try:
        pid = await process.run(10, os.getpid)
        assert pid != os.getpid()
        assert os.getpriority(os.PRIO_PROCESS, pid) > 0
        assert await process.run(10, os.getpid) == pid
    finally:
        await process.close()


@pytest.mark.parametrize(
    ("starts", "raised"), [("exit 1", Unavailable), ("sleep 60", TimeoutError)]
)
async def test_a_process_that_does_not_start_is_told_and_not_left(
    starts: str, raised: type[Exception], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script, started = tmp_path / "python", tmp_path / "pid"
    script.write_text(f"#!/bin/sh\necho $$ > {started}\n{starts.replace('sleep', 'exec sleep')}\n")
    script.chmod(0o755)
    monkeypatch.setattr("sys.executable", str(script))
    monkeypatch.setattr("augury.separate_process.START_SECONDS", 1.0)
    process = SeparateProcess()
    with pytest.raises(raised):
        await process.run(10, abs, -1)
    monkeypatch.undo()
    assert await process.run(10, abs, -1) == 1
    await process.close()
    with pytest.raises(ProcessLookupError):
        os.kill(int(started.read_text()), 0)


async def test_what_it_raises_is_raised_here() -> None:
    process = SeparateProcess()
    try:
        with pytest.raises(json.JSONDecodeError):
            await process.run(10, json.loads, "{")
        assert await process.run(10, json.loads, "[1]") == [1]
    finally:
        await process.close()


async def test_a_call_that_takes_too_long_is_ended_and_the_next_is_made() -> None:
    process = SeparateProcess()
    try:
        with pytest.raises(TimeoutError):
            await process.run(0.2, time.sleep, 60)
        assert await process.run(10, abs, -1) == 1
    finally:
        await process.close()


async def test_calls_take_turns_and_one_given_up_spoils_no_other() -> None:
    process = SeparateProcess()
    try:
        await process.run(10, abs, -1)
        first = asyncio.create_task(process.run(1, time.sleep, 30))
        second = asyncio.create_task(process.run(10, abs, -2))
        await asyncio.sleep(0.1)
        first.cancel()
        assert await second == 2
    finally:
        await process.close()


async def test_who_comes_and_goes_costs_others_no_start() -> None:
    process = SeparateProcess()
    try:
        pid = await process.run(10, os.getpid)
        for _ in range(3):
            left = asyncio.create_task(process.run(10, time.sleep, 0.3))
            await asyncio.sleep(0.1)
            left.cancel()
            assert await process.run(10, os.getpid) == pid
    finally:
        await process.close()


async def test_a_process_that_ends_is_told_of_and_replaced() -> None:
    process = SeparateProcess()
    try:
        with pytest.raises(Unavailable):
            await process.run(10, os._exit, 1)
        assert await process.run(10, abs, -1) == 1
    finally:
        await process.close()


async def test_memory_is_bounded() -> None:
    process = SeparateProcess(memory=512 * 1024 * 1024)
    try:
        with pytest.raises(MemoryError):
            await process.run(10, bytes, 1024**3)
        assert await process.run(10, abs, -1) == 1
    finally:
        await process.close()
