"""Makes the paths and parameters of requests to Polymarket, and reads the pages of its answers.

Two generations of listings are read: arrays paged by `limit` and `offset`, and `/keyset` listings
with `next_cursor`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any
from urllib.parse import quote as quote_path

from augury.venues.wire import Wire, identifier

EVENTS_PAGE = 100
"""Events per page. Each comes with all its markets, so larger pages would take megabytes."""
MARKETS_PAGE = 100
"""Markets per page: the most that `/markets/keyset` returns."""
BATCH_IDS = 100
"""Maximum number of ids in one request for markets by id; 100 make a URL of about 1 KB."""

Params = Mapping[str, str | int | Sequence[str]]


def events_query(*, keyset: bool, closed: bool, after: str | int | None) -> tuple[str, Params]:
    """Path and parameters of the request for a page of events with their markets. Open events are
    sorted by id, closed ones by closing time, the latest first."""
    params: dict[str, str | int] = {
        "limit": EVENTS_PAGE,
        "closed": "true" if closed else "false",
        "order": "closedTime" if closed else "id",
        "ascending": "false" if closed else "true",
    }
    return _paged("/events", params, keyset=keyset, after=after)


def created_query(*, keyset: bool, after: str | int | None) -> tuple[str, Params]:
    """Path and parameters of the request for a page of open markets, the latest created first.

    They are not sorted by `updatedAt`: every trade changes that field, so nearly all markets would
    count as updated and be fetched again.

    `after`: where the page starts; None: at the beginning.
    """
    params: dict[str, str | int] = {
        "limit": MARKETS_PAGE,
        "closed": "false",
        "order": "createdAt",
        "ascending": "false",
        "include_tag": "true",
    }
    return _paged("/markets", params, keyset=keyset, after=after)


def batch_query(ids: Sequence[str], *, closed: bool = False) -> tuple[str, Params]:
    """Path and parameters of the request for markets by id. The request finds only open markets or,
    if `closed` is set, only closed ones."""
    return "/markets", {
        "id": ids,
        "limit": len(ids),
        "closed": "true" if closed else "false",
        "include_tag": "true",
    }


def market_query(market_id: str) -> tuple[str, Params]:
    """Path and parameters of the request for one market by id, whatever its status."""
    return f"/markets/{quote_path(market_id, safe='')}", {"include_tag": "true"}


def history_query(
    token: str, *, start: datetime, end: datetime, minutes: int
) -> tuple[str, Params]:
    """Path and parameters of the request for one token's prices in a window, at most one price for
    each period of `minutes`."""
    return "/prices-history", {
        "market": token,
        "startTs": int(start.timestamp()),
        "endTs": int(end.timestamp()),
        "fidelity": minutes,
    }


def _paged(
    path: str, params: dict[str, str | int], *, keyset: bool, after: str | int | None
) -> tuple[str, Params]:
    if keyset:
        return path + "/keyset", params if after is None else {**params, "after_cursor": after}
    return path, {**params, "offset": 0 if after is None else after}


def read_page(
    answer: object, kind: str, *, keyset: bool, after: str | int | None
) -> tuple[list[Any], str | int | None]:
    """The records of one page of a listing, and where the next page starts: an offset if the answer
    is a list (older API), a cursor if it is an object (newer API); None after the last page.

    kind : field of the object that has the records
    keyset : whether the page was requested by cursor
    after : where this page starts

    Raises
    ------
    ValueError
        When the answer is neither a list nor an object with a list in the field `kind`.
    """
    if isinstance(answer, list):
        # Only an empty page ends a listing by offset: the server may apply a lower `limit`.
        start = after if isinstance(after, int) else 0
        return answer, (start + len(answer)) if answer and not keyset else None
    if isinstance(answer, dict) and isinstance(answer.get(kind), list):
        cursor = identifier(answer.get("next_cursor"), 4_000)
        return answer[kind], cursor if answer[kind] else None
    raise ValueError(f'expected a list, or an object with a list "{kind}"')


def event_markets(event: Wire) -> Iterable[dict[str, Any]]:
    """The markets nested in an event, each with its event in `events`, as `/markets` returns it."""
    nested = event.get("markets")
    if not isinstance(nested, list):
        return
    shell = {key: value for key, value in event.items() if key != "markets"}
    for wire in nested:
        if isinstance(wire, dict):
            yield {**wire, "events": [shell]}
