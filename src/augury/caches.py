"""Caches for pure functions, limited in bytes; and objects that a process makes only once.

The cached functions take texts that users write, of any length. A limit on the number of entries
would therefore not limit the memory: 250,000 short words take 60 MB, and as many long ones 8 GB.
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

ENTRY_BYTES = 200
"""Bytes that each cached result is assumed to take in addition to its key and its value, for the
overhead of storing it."""
_MISSING: Any = object()


def cached(most: int) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Decorator that caches the results of a pure function of hashable arguments, in about `most`
    bytes of memory.

    The cache has two generations. When the young one is full, it becomes the old one, and the
    previous old one is dropped. A result in the old generation moves to the young one when it is
    used.
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
            more = ENTRY_BYTES + memory_bytes(key) + memory_bytes(found)
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
    """An object that a process makes once and then shares. The first caller of `get` makes it;
    callers that come meanwhile wait for it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._made: list[T] = []

    def __bool__(self) -> bool:
        """Whether the object has been made, so that `get` returns without waiting."""
        return bool(self._made)

    def get(self, make: Callable[[], T]) -> T:
        """The object; the first call makes it by calling `make`."""
        if not self._made:
            with self._lock:
                if not self._made:
                    self._made.append(make())
        return self._made[0]


def memory_bytes(value: Any) -> int:
    """Approximate size in memory, in bytes, of a value with all its parts; a part that occurs twice
    counts twice."""
    size = sys.getsizeof(value)
    if isinstance(value, str | bytes | int | float | None | type | Enum):
        return size
    if isinstance(value, dict):
        return size + sum(memory_bytes(k) + memory_bytes(v) for k, v in value.items())
    if isinstance(value, tuple | list | frozenset | set):
        return size + sum(map(memory_bytes, value))
    for name in _fields(type(value)):
        size += memory_bytes(getattr(value, name, None))
    if (own := getattr(value, "__dict__", None)) is not None:
        size += memory_bytes(own)
    return size


def _fields(kind: type) -> tuple[str, ...]:
    found = getattr(kind, "__struct_fields__", None) or getattr(kind, "__slots__", ())
    return (found,) if isinstance(found, str) else tuple(found)
