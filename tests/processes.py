"""The augury command in processes of its own, and what a database then holds."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
from tests import zygote
from tests.zygote import Command

from augury.markets.generator import generate

DUMP_COLUMNS = ("id", "platform", "platform_id", "question", "title", "status", "event_id")


def environment(data_dir: Path, **more: str) -> dict[str, str]:
    return os.environ | {
        "AUGURY_DATA_DIR": str(data_dir),
        "AUGURY_PORT": "0",
        "AUGURY_SYNC": "off",
        "AUGURY_WORK": "elsewhere",  # test_background.py has the worker
        "AUGURY_ANONYMOUS_SEARCH_RATE": "1000/s",
        "AUGURY_ANONYMOUS_SEARCH_BURST": "1000",
        "AUGURY_LOG_LEVEL": "warning",
        **more,
    }


@contextmanager
def serving(data_dir: Path, **more: str) -> Iterator[tuple[str, Command]]:
    """A running service: its address and process, forked from one that has imported everything."""
    process = zygote.shared().start("serve", env=environment(data_dir, **more))
    try:
        while "\n" not in (said := process.read("out")):
            assert process.poll() is None, process.read("err")
            time.sleep(0.005)
        assert said.startswith("Augury answers at "), said
        yield said.split()[3], process
    finally:
        if process.poll() is None:
            process.terminate()
            process.wait(15)


def augury(data_dir: Path, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    """What a command said that was run to its end, forked likewise."""
    process = zygote.shared().start(*arguments, env=environment(data_dir, **more))
    code = process.wait(120)
    return subprocess.CompletedProcess(arguments, code, process.read("out"), process.read("err"))


def dump(path: Path, count: int, *, seed: int = 1, first: int = 1) -> list[str]:
    """A jsonl dump of generated markets; their ids."""
    markets = list(generate(count, seed=seed, first=first))
    with path.open("w") as file:
        for market in markets:
            row = {name: getattr(market, name) for name in DUMP_COLUMNS}
            row |= {
                "outcomes": market.outcomes,
                "prices": market.prices,
                "event_title": market.event_name,
                "as_of": market.observed_at.replace(tzinfo=None),  # type: ignore[union-attr]
                "closes_at": market.closes_at.replace(tzinfo=None),  # type: ignore[union-attr]
            }
            file.write(msgspec.json.encode(row).decode() + "\n")
    return [market.id for market in markets]
