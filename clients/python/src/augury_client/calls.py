"""Requests and the types of their answers, independent of how they are sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import Any, Generic, TypeVar, cast
from urllib.parse import parse_qs, quote, urlencode, urlsplit

import msgspec

from augury_client.errors import InvalidValue, UnexpectedAnswer

T = TypeVar("T")

When = datetime | date | str
"""A time: a `datetime` with its zone, a `date` (its first moment in UTC), or ISO 8601 text."""


def moment(when: When | None) -> str | None:
    """A time as text for the service.

    Raises
    ------
    InvalidValue
        A `datetime` has no zone, so it is not known which time is meant.
    """
    if isinstance(when, datetime):
        if when.utcoffset() is None:
            raise InvalidValue(
                f"{when!r} has no time zone.",
                "Write datetime(..., tzinfo=timezone.utc), or a text such as"
                " '2026-03-01T12:00:00Z'.",
            )
        return when.isoformat()
    if isinstance(when, date):
        return f"{when.isoformat()}T00:00:00+00:00"
    return when


@dataclass(frozen=True)
class Call(Generic[T]):
    """One operation of the service with its values.

    `repeat`: the call changes nothing, so it may be sent again. `keyed`: it has an Idempotency-Key,
    so that it takes effect only once even if it is sent again.
    """

    method: str
    address: str
    type: type[T]
    path: tuple[str, ...] = ()
    query: Mapping[str, Any] = field(default_factory=dict[str, Any])
    body: Mapping[str, Any] | None = None
    repeat: bool = False
    keyed: bool = False

    def url(self) -> str:
        """Path and query, quoted because an id may be a URL."""
        parts = iter(self.path)
        path = "/".join(
            _quoted(part, next(parts)) if part.startswith("{") else part
            for part in self.address.split("/")
        )
        asked = {
            name: list(map(_text, cast("Sequence[Any]", value)))
            if isinstance(value, list | tuple)
            else _text(value)
            for name, value in self.query.items()
            if value is not None
        }
        return f"{path}?{urlencode(asked, doseq=True)}" if asked else path

    def content(self) -> bytes | None:
        """The body as JSON. Fields that are None are left out, except in a PATCH,
        which sends them as null."""
        if self.body is None:
            return None
        changing = self.method == "PATCH"
        sent = {
            name: _with_moments(value)
            for name, value in self.body.items()
            if value is not msgspec.UNSET and (value is not None or changing)
        }
        try:
            return msgspec.json.encode(sent)
        except (TypeError, ValueError, RecursionError, msgspec.MsgspecError) as error:
            raise InvalidValue(f"{self.method} {self.address} can't send this: {error}.") from None

    def read(self, body: bytes) -> T:
        """The answer as its model."""
        if self.type is type(None):
            return None  # type: ignore[return-value]
        try:
            return msgspec.json.decode(body, type=self.type)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise UnexpectedAnswer(
                f"{self.method} {self.address} sent an answer that this client can't read: {error}."
            ) from None

    def at(self, cursor: str) -> Call[T]:
        """The same call for another page."""
        return replace(self, query={**self.query, "cursor": cursor})


def following(page: Any, headers: Mapping[str, str]) -> str | None:
    """The cursor of the next page, from the page itself or else from the `Link` header;
    None on the last page.

    Only the cursor is taken from the header, never its URL, so that the key is sent nowhere else.
    """
    if not isinstance(page, list):
        return page.next_cursor
    for link in headers.get("link", "").split(","):
        address, _, kind = link.partition(";")
        if 'rel="next"' in kind:
            found = parse_qs(urlsplit(address.strip().strip("<>")).query).get("cursor")
            return found[0] if found else None
    return None


def rows(page: Any) -> list[Any]:
    """The items of a page."""
    return page if isinstance(page, list) else page.items  # type: ignore[no-any-return]


def _quoted(part: str, value: object) -> str:
    """An id, quoted for a path. An empty one is refused, because it would lead to another route."""
    text = "" if value is None else str(value)
    if text.strip(".") == "":
        raise InvalidValue(f"{part.strip('{}')} is {value!r}, which is no id.")
    return quote(text, safe="")


def _with_moments(value: Any) -> Any:
    """`value` with all times in it, at any depth, as text for the service."""
    if isinstance(value, date):
        return moment(value)
    if isinstance(value, Mapping):
        return {key: _with_moments(one) for key, one in cast("Mapping[Any, Any]", value).items()}
    if isinstance(value, list | tuple):
        return list(map(_with_moments, cast("Sequence[Any]", value)))
    return value


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, date):
        return str(moment(value))
    return str(value)
