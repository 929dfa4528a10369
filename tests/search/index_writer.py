"""Writes to an index until it is killed: `python -m tests.search.index_writer WHERE`."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path

from tests.search.documents import SCHEMA, document

from augury.errors import Unavailable
from augury.search.edge import EdgeEngine
from augury.search.engine import SearchEngine
from augury.search.server import ServerEngine

ROUND = 60  # documents of one change
SPAN = 600  # keys in use: later changes replace, move and delete earlier documents


def keys_of(number: int) -> list[int]:
    return [(number * ROUND + i) % SPAN for i in range(ROUND)]


def change(engine: SearchEngine, number: int) -> None:
    """The number-th change of a history that every run repeats alike."""
    keys = keys_of(number)
    engine.upsert(document(key, number) for key in keys)
    engine.delete(keys[: ROUND // 10])


def write_forever(engine: SearchEngine, first: int) -> None:
    """Apply changes, a checkpoint after every third; say what has been done on stdout."""
    number = first
    while True:
        change(engine, number)
        if number % 3 == 0:
            engine.set_checkpoint(number)
        print(number, flush=True)
        number += 1


if __name__ == "__main__":
    where = sys.argv[1]
    with contextlib.suppress(Unavailable):  # the server was killed, not this process
        write_forever(
            ServerEngine(where, SCHEMA)
            if where.startswith("http")
            else EdgeEngine(Path(where), SCHEMA),
            1,
        )
