"""The composition: background work that fails starts again."""

from __future__ import annotations

import asyncio

import pytest
from structlog.testing import capture_logs

from augury import app

pytestmark = pytest.mark.anyio


async def test_the_pause_grows_with_each_failure_and_not_after_long_work(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(app, "PAUSES", (0.001, 0.004))
    clock = 0.0
    monkeypatch.setattr(app, "monotonic", lambda: clock)
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
        await app._kept_up("work", run, stop)
    assert [line["seconds"] for line in logs] == [0.001, 0.002, 0.004, 0.004, 0.001, 0.002]
