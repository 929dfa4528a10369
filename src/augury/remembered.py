"""Results of pure functions kept for texts that come again, bounded by bytes and not by number;
and what is made once a process.

Callers write the texts: a quarter of a million short words are 60 MB, and as many long ones 8 GB.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from enum import Enum
from functools import update_wrapper
from threading import Lock
from typing import Any, Generic, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

ENTRY = 200
"""Bytes that an entry takes besides what it holds: its place in a table, its key's tuple."""
_MISSING: Any = object()


def remembered(most: int) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Decorate a pure function of hashable arguments: its results are kept in about `most` bytes.

    In two generations: when the young one is full it becomes the old one, whose entries become
    young again when they are asked for, and else are forgotten with it.
    """
    half = most // 2

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        young: dict[Any, T] = {}
        old: dict[Any, T] = {}
        size = 0

        def call(*args: P.args, **kwargs: P.kwargs) -> T:
            nonlocal young, old, size
            key = (args, *kwargs.items()) if kwargs else args
            found: Any = young.get(key, _MISSING)
            if found is not _MISSING:
                return found
            found = old.get(key, _MISSING)
            if found is _MISSING:
                found = function(*args, **kwargs)
            more = ENTRY + weight(key) + weight(found)
            if more > half:
                return found
            if size + more > half:
                old, young, size = young, {}, 0
            young[key] = found
            size += more
            return found

        return update_wrapper(call, function)

    return decorate


class Once(Generic[T]):
    """What a process needs one of, made by the first that asks; others wait for it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._made: list[T] = []

    def __bool__(self) -> bool:
        """Whether it is made, so that asking takes no time."""
        return bool(self._made)

    def get(self, make: Callable[[], T]) -> T:
        """What was made, at the first time by `make`."""
        if not self._made:
            with self._lock:
                if not self._made:
                    self._made.append(make())
        return self._made[0]


def weight(value: Any) -> int:
    """About how many bytes a value of plain parts takes, all of them counted as its own."""
    size = sys.getsizeof(value)
    if isinstance(value, str | bytes | int | float | None | type | Enum):
        return size
    if isinstance(value, dict):
        return size + sum(weight(k) + weight(v) for k, v in value.items())
    if isinstance(value, tuple | list | frozenset | set):
        return size + sum(map(weight, value))
    for name in _fields(type(value)):
        size += weight(getattr(value, name, None))
    if (own := getattr(value, "__dict__", None)) is not None:
        size += weight(own)
    return size


def _fields(kind: type) -> tuple[str, ...]:
    found = getattr(kind, "__struct_fields__", None) or getattr(kind, "__slots__", ())
    return (found,) if isinstance(found, str) else tuple(found)
