"""Answers kept for those who ask the same again, as long as the index stands still."""

from __future__ import annotations

import time
from collections import OrderedDict
from typing import Any, NamedTuple

from augury.search.presenting import Found

ANSWER_BYTES, ANSWER_SECONDS = 64 << 20, 5.0
"""They take about so many bytes; the time bounds what a follower of a shared index may miss."""
_BYTES_A_RESULT = 2_000
"""Upper end of what a result takes in memory."""


class _Answer(NamedTuple):
    """What was found, at which state of the index and when."""

    found: Found
    position: int
    at: float


class Answers:
    """Kept in memory, least recently asked for dropped first."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[Any, ...], _Answer] = OrderedDict()
        self._bytes = 0

    def known(self, asked: tuple[Any, ...], position: int) -> Found | None:
        """What the same search would find now, where nothing was indexed since."""
        if (answer := self._kept.get(asked)) is None:
            return None
        if answer.position != position or time.monotonic() - answer.at >= ANSWER_SECONDS:
            self._forget(asked)
            return None
        self._kept.move_to_end(asked)
        return answer.found

    def keep(self, asked: tuple[Any, ...], found: Found, position: int, at: float) -> None:
        """`position` of the index and monotonic time `at` which the search began."""
        self._forget(asked)  # another may have asked the same meanwhile
        self._kept[asked] = _Answer(found, position, at)
        self._bytes += _size(asked, found)
        while self._bytes > ANSWER_BYTES:
            self._forget(next(iter(self._kept)))

    def clear(self) -> None:
        """Forget them all."""
        self._kept.clear()
        self._bytes = 0

    def _forget(self, asked: tuple[Any, ...]) -> None:
        if (gone := self._kept.pop(asked, None)) is not None:
            self._bytes -= _size(asked, gone.found)


def _size(asked: tuple[Any, ...], found: Found) -> int:
    """About the bytes that an answer takes while it is kept."""
    return 1_000 + 4 * len(asked[0]) + _BYTES_A_RESULT * sum(map(len, found.values()))
