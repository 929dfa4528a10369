"""R17: the same request has the same answer, byte for byte, in any process.

Each process hashes its strings with another seed and builds an index of its own.
"""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import msgspec
import pytest

from augury.markets.service import MarketService
from augury.relations.linking import Linker
from augury.storage.database import Database

pytestmark = pytest.mark.anyio

KEY = "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWY="
"""The secret key of both processes: a database belongs to one. 32 bytes as base64."""
FORECASTS_AND_GRAPHS = 5
"""Every fifth request has a graph too, and every fifth a forecast."""


@pytest.mark.parametrize("requests", [60, pytest.param(1_000, marks=pytest.mark.slow)])
async def test_two_processes_answer_alike(
    requests: int, database: Database, database_url: str, tmp_path: Path
) -> None:
    assert await MarketService(database).ensure_sample()
    await Linker(database).catch_up()
    processes = []
    for seed in ("1", "20261121"):
        folder = tmp_path / seed
        folder.mkdir()
        processes.append(
            await asyncio.create_subprocess_exec(
                sys.executable, "-m", "tests.answering", database_url, str(folder), str(requests),
                str(tmp_path / f"{seed}.jsonl"),
                env=os.environ | {"PYTHONHASHSEED": seed, "AUGURY_SECRET_KEY": KEY},
            )
        )  # fmt: skip
    assert [await process.wait() for process in processes] == [0, 0]
    first, second = [
        (tmp_path / f"{seed}.jsonl").read_bytes().splitlines() for seed in ("1", "20261121")
    ]
    assert len(first) == len(second) == requests
    for mine, theirs in zip(first, second, strict=True):
        assert mine == theirs
    # They had something to say, in every relation. A list may be empty rather than hold filler.
    answers = [msgspec.json.decode(line) for line in first]
    for relation in ("direct", "upstream", "downstream", "correlated"):
        assert sum(bool(found[1][relation]) for found in answers) > requests / 4, relation
    forecasts = [found[2] for n, found in enumerate(answers) if n % FORECASTS_AND_GRAPHS == 1]
    assert sum(made["probability"] is not None for made in forecasts) >= len(forecasts) / 4
