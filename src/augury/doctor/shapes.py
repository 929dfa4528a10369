"""Finds the differences between two JSON answers that a client would notice: fields, types, ids.

One answer comes from the service that clients use now ("there"), the other from this service
("here"), which clients are to use instead.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

MAPS = frozenset({"current_prices", "distribution"})
"""Names of the JSON objects whose keys are data (e.g. outcomes) instead of fixed fields."""
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


class Differences(NamedTuple):
    """The fields in which the JSON answers of two services differ, by their paths, e.g.
    `results.direct[].id`."""

    missing: list[str]
    """Fields in the answer of the current service (the one that clients use now) that this
    service's answer lacks. A client that reads them will not find them here."""
    extra: list[str]
    """Fields that this service sends and the other one does not. A client that rejects unknown
    fields fails on them."""
    types: list[str]
    """Fields whose JSON type differs between the current service ("there", the one that clients use
    now) and this service ("here"), e.g. `id: string there, number here`."""

    @property
    def breaking(self) -> bool:
        return bool(self.missing or self.types)


def shape(answer: Any) -> dict[str, set[str]]:
    """The path of each field of a JSON answer, with the JSON types of its values: `{"a": [1]}`
    gives `a` (list) and `a[]` (number). The path of the whole answer is ``""``."""
    found: dict[str, set[str]] = {}
    for path, kind in _walk(answer, ""):
        found.setdefault(path, set()).add(kind)
    return found


def _walk(value: Any, path: str) -> Iterator[tuple[str, str]]:
    yield path, _kind(value)
    if isinstance(value, Mapping):
        as_map = path.rpartition(".")[2] in MAPS
        for name, part in value.items():
            yield from _walk(part, f"{path}.{'*' if as_map else name}".lstrip("."))
    elif isinstance(value, list):
        for part in value:
            yield from _walk(part, f"{path}[]")


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    return {str: "string", list: "list"}.get(type(value), "object")


def differences(there: Any, here: Any) -> Differences:
    """The differences between two JSON answers: one of the service that clients use now (`there`),
    one of this service (`here`).

    The fields of an object are compared only if both answers have such an object. If it is missing
    or null in one answer, or the list that would hold it is empty, its fields are not reported as
    missing or extra.
    """
    a, b = shape(there), shape(here)
    types = [
        f"{path}: {_type_names(a[path])} there, {_type_names(b[path])} here"
        for path in sorted(a.keys() & b.keys())
        if not (a[path] - {"null"}) & (b[path] - {"null"}) and "null" not in a[path] | b[path]
    ]
    return Differences(_only(a, b), _only(b, a), types)


def _only(a: Mapping[str, set[str]], b: Mapping[str, set[str]]) -> list[str]:
    """Paths of fields that `a` has and `b` lacks, although `b` has the object around them."""
    return sorted(
        path
        for path in a
        if path not in b
        and not path.endswith(("[]", ".*"))
        and "object" in b.get(_around(path), ())
    )


def _around(path: str) -> str:
    return path.rpartition(".")[0]


def _type_names(kinds: set[str]) -> str:
    return " or ".join(sorted(kinds))


def has_uuids(answer: Any) -> bool:
    """Whether the ids of all markets in the JSON answer to a search are UUIDs; False if there are
    no markets."""
    results = answer.get("results") if isinstance(answer, Mapping) else None
    ids = [str(r.get("id")) for part in (results or {}).values() for r in part]
    return bool(ids) and all(_UUID.fullmatch(i) for i in ids)
