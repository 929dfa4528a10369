"""In-memory cache of search answers. An answer is reused while the index has not changed."""

from __future__ import annotations

import time
from collections import OrderedDict
from typing import Any, NamedTuple

from augury.search.presenting import Found

ANSWER_BYTES, ANSWER_SECONDS = 64 << 20, 5.0
"""`ANSWER_BYTES`: approximate upper limit of the memory of the cache of search answers, in bytes.
`ANSWER_SECONDS`: age, in seconds, at which a cached answer expires. An answer also expires when the
index changes; the age limit is there for a process that only reads a shared index and so learns of
changes late."""
_BYTES_A_RESULT = 2_000
"""Upper estimate of the memory of one search result in the cache, in bytes."""


class _CachedAnswer(NamedTuple):
    """A cached answer to a search. `position`: sequence number of the last database change that was
    in the index when the search began; `at`: monotonic time, in seconds, at which the search
    began."""

    found: Found
    position: int
    at: float


class Answers:
    """A cache of search answers that takes about `ANSWER_BYTES` of memory at most; the least
    recently used answer is dropped first."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[Any, ...], _CachedAnswer] = OrderedDict()
        self._bytes = 0

    def known(self, arguments: tuple[Any, ...], position: int) -> Found | None:
        """The cached answer to a search with these arguments. None if no answer is cached, if the
        cached one is older than `ANSWER_SECONDS`, or if the index has changed since that search
        began. `position`: sequence number of the last database change that is in the index now."""
        if (answer := self._kept.get(arguments)) is None:
            return None
        if answer.position != position or time.monotonic() - answer.at >= ANSWER_SECONDS:
            self._forget(arguments)
            return None
        self._kept.move_to_end(arguments)
        return answer.found

    def keep(self, arguments: tuple[Any, ...], found: Found, position: int, at: float) -> None:
        """Cache `found`, the answer to a search with these arguments. `position`: sequence number
        of the last database change that was in the index when the search began; `at`: monotonic
        time, in seconds, at which it began."""
        self._forget(arguments)  # a concurrent search may have cached the same answer
        self._kept[arguments] = _CachedAnswer(found, position, at)
        self._bytes += _size(arguments, found)
        while self._bytes > ANSWER_BYTES:
            self._forget(next(iter(self._kept)))

    def clear(self) -> None:
        """Remove all answers from the cache."""
        self._kept.clear()
        self._bytes = 0

    def _forget(self, arguments: tuple[Any, ...]) -> None:
        if (gone := self._kept.pop(arguments, None)) is not None:
            self._bytes -= _size(arguments, gone.found)


def _size(arguments: tuple[Any, ...], found: Found) -> int:
    """Approximate memory of a cached answer, in bytes."""
    return 1_000 + 4 * len(arguments[0]) + _BYTES_A_RESULT * sum(map(len, found.values()))
