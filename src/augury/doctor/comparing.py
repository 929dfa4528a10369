"""Compares the answers of two services with the same API, before clients move to the other one.

In names and sentences, "there" is the service that the clients use now, and "here" is the one that
they are to use instead.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, NamedTuple

import httpx2

from augury.doctor.shapes import Differences, differences, has_uuids

_SEARCH = {"query": "Will the Fed cut rates in December?", "top_k_per_dimension": 5}
_FORECAST = {"question": "Will the Fed cut rates in December?"}
COMPARED_CALLS: tuple[tuple[str, str, dict[str, Any] | None], ...] = (
    ("GET", "/v1/health", None),
    ("POST", "/v1/search", _SEARCH),
    ("POST", "/v1/search", {"query": "", "top_k_per_dimension": 0}),
    ("POST", "/v1/forecast", _FORECAST),
    ("POST", "/v1/forecast", {"question": ""}),
    ("GET", "/v1/markets", None),
    ("GET", "/v1/rvol/models", None),
    ("GET", "/v1/rvol/assets", None),
    ("GET", "/v1/rvol/latest?asset=BTC", None),
    ("GET", "/v1/rvol/actuals?asset=BTC", None),
    ("GET", "/v1/rvol/features/latest", None),
)
"""The requests that are sent to both compared services, as (method, path, body). No request
contains an id that only one of the services knows. Two are invalid on purpose, to compare the
errors."""
MAX_RETRIES = 2
LONGEST_WAIT_S = 10.0


class ComparedRequest(NamedTuple):
    """One request sent to two services. `there` is the HTTP status of the answer of the service
    that clients use now, `here` that of the service that they are to use instead."""

    request: str
    there: int
    here: int
    found: Differences | None
    """The differences between the two answers. None if the answers can't be compared, e.g. because
    their statuses differ."""

    @property
    def fits(self) -> bool:
        """Whether the new service (`here`) answers this request in a way that works for clients of
        the present service (`there`)."""
        if self.found is not None:
            return not self.found.breaking
        return self.there == self.here or self.there >= 400


async def compare(
    there: httpx2.AsyncClient, here: httpx2.AsyncClient
) -> tuple[list[ComparedRequest], list[str]]:
    """Send each request of a fixed list to the service that clients use now (`there`) and to
    the one that they are to use instead (`here`). Returns the results, and advice: sentences on
    keys and settings with which `here` would answer more like `there`."""
    made: list[ComparedRequest] = []
    advice: dict[str, None] = {}
    for method, path, body in COMPARED_CALLS:
        answers = await asyncio.gather(
            _ask(there, method, path, body), _ask(here, method, path, body)
        )
        (a, x), (b, y) = answers
        # Of /v1/health only the HTTP status is compared: its fields are not part of the API.
        same = a == b and path != "/v1/health" and x is not None and y is not None
        name = f"{method} {path}" + (" (a wrong request)" if body and not _has_text(body) else "")
        made.append(ComparedRequest(name, a, b, differences(x, y) if same else None))
        advice |= dict.fromkeys(_advice(path, made[-1], x, y))
    return made, list(advice)


def _has_text(body: dict[str, Any]) -> bool:
    return bool(body.get("query") or body.get("question"))


def _advice(path: str, one: ComparedRequest, there: Any, here: Any) -> Sequence[str]:
    advice = []
    if one.there < 400 and one.here == 401:
        advice.append("The key in AUGURY_API_KEY is not valid here. Run: augury keys create --help")
    if one.there < 400 and one.here == 403:
        scope = "rvol:read" if "/rvol/" in path else "forecast:read"
        more = ", and: augury accounts approve-rvol NAME" if scope == "rvol:read" else ""
        advice.append(f"The key for this service needs the scope {scope}{more}.")
    if one.there in (401, 403):
        advice.append(
            f"{path} was not compared. The other service did not allow it with the key in "
            "AUGURY_OTHER_API_KEY."
        )
    if path == "/v1/search" and has_uuids(there) and not has_uuids(here) and one.here == 200:
        advice.append(
            "Clients of the other service know markets by UUID. Set AUGURY_MARKET_IDS=uuid here."
        )
    theirs, ours = _detail(there), _detail(here)
    if one.there == one.here == 422 and isinstance(theirs, str) and not isinstance(ours, str):
        advice.append(
            "The other service sends errors as one text. Clients get the same here with the "
            "header 'Prefer: detail=string'."
        )
    return advice


def _detail(answer: Any) -> Any:
    return answer.get("detail") if isinstance(answer, dict) else None


async def _ask(
    client: httpx2.AsyncClient, method: str, path: str, body: dict[str, Any] | None
) -> tuple[int, Any]:
    """HTTP status and JSON of a service's answer to a request; None in place of the JSON if the
    body is something else. After status 429 the request is repeated up to `MAX_RETRIES` times, each
    time after a pause."""
    answer = await client.request(method, path, json=body)
    for _ in range(MAX_RETRIES):
        if answer.status_code != 429:
            break
        retry_after = answer.headers.get("retry-after", "1")
        await asyncio.sleep(
            min(float(retry_after) if retry_after.isdigit() else 1.0, LONGEST_WAIT_S)
        )
        answer = await client.request(method, path, json=body)
    try:
        return answer.status_code, answer.json()
    except ValueError:
        return answer.status_code, None
