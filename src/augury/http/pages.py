"""Lists that are returned page by page. `limit` is the largest number of items on a page. A
`cursor` says where the next page begins."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Annotated, TypeVar

import msgspec
from fastapi import Query

from augury.errors import InvalidInput

T = TypeVar("T")

Limit = Annotated[int, Query(ge=1, le=200, description="Maximum number of items per page.")]
Cursor = Annotated[
    str | None,
    Query(
        max_length=1024,
        description="The `next_cursor` of the previous page, unchanged. Default: the first page.",
    ),
]
DEFAULT_LIMIT = 50


def encode(position: tuple[object, ...]) -> str:
    """A cursor: the position of a page's last row in the list's order (its sort key) as an opaque,
    URL-safe text."""
    return base64.urlsafe_b64encode(msgspec.json.encode(position)).rstrip(b"=").decode()


def page(
    found: Sequence[T],
    limit: int,
    show: Callable[[T], object],
    place: Callable[[T], object] = attrgetter("id"),
) -> dict[str, object]:
    """One page of a list, as `{"items": [...], "next_cursor": ...}` with at most `limit` items.

    found : the rows of the page, and one more row if there is a next page
    show : turns a row into an item of the answer
    place : a row's position in the list's order, for the cursor of the next page
    """
    more = len(found) > limit
    return {
        "items": [show(one) for one in found[:limit]],
        "next_cursor": encode((place(found[limit - 1]),)) if more else None,
    }


def decode(cursor: str, kind: type[T]) -> T:
    """The position that a cursor stands for, as the tuple type `kind`. Raises InvalidInput (422) if
    the text is not such a cursor.

    A cursor needs no signature: any position that a caller could write into one may be asked for.
    """
    try:
        raw = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
        return msgspec.json.decode(raw, type=kind)
    except (binascii.Error, ValueError, msgspec.DecodeError, RecursionError):
        raise InvalidInput.at(
            "query",
            "cursor",
            msg="This cursor does not belong to this list. Start again without a cursor.",
            type="cursor_invalid",
        ) from None


def decode_number(cursor: str) -> int:
    """The position that a cursor stands for, in a list that is sorted by a row number."""
    (number,) = decode(cursor, tuple[Annotated[int, msgspec.Meta(ge=0, lt=2**63)]])
    return number


def decode_id(cursor: str) -> str:
    """The position that a cursor stands for, in a list that is sorted by ids such as
    `key_0123...`."""
    (found,) = decode(cursor, tuple[Annotated[str, msgspec.Meta(pattern="^[a-z]+_[0-9a-f]+$")]])
    return found
