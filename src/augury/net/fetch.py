"""Fetches a URL that a user gave (GET). Each redirect is checked; size and time are limited."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import httpx2

from augury.errors import UpstreamFailed
from augury.net import body

MAX_REDIRECTS = 3
DEADLINE_SECONDS = 10.0
"""Time limit, in seconds, for a whole fetch, from the first request to the last byte, redirects
included."""
MAX_BYTES = 5 * 1024 * 1024


class FetchFailed(UpstreamFailed):
    """Raised when a fetch brought nothing usable; `detail` says why, in words for the user who gave
    the URL."""

    code = "fetch_failed"


@dataclass(frozen=True)
class Fetched:
    """The complete answer to a GET. `status` is 200 to 299, or 304 with no body."""

    status: int
    headers: httpx2.Headers
    body: bytes


async def get(
    client: httpx2.AsyncClient,
    url: str,
    *,
    headers: Mapping[str, str] | None = None,
    deadline: float = DEADLINE_SECONDS,
    max_bytes: int = MAX_BYTES,
    meter: Callable[[int], None] | None = None,
    on_redirect: Callable[[str], None] | None = None,
) -> Fetched:
    """The answer to a GET of `url`, with a client made by `guard.client`.

    `headers` may hold a credential, so a redirect to another origin drops them. `meter` is called
    with the size in bytes of each piece of the body as it comes. `on_redirect` is called with the
    host that a redirect leads to, before the request to it; it may raise `FetchFailed` to stop the
    fetch.

    Raises
    ------
    Refused
        This service does not connect to the address, or to an address that it redirects to, e.g.
        because the address is internal.
    FetchFailed
        The fetch failed otherwise, or did not finish within `deadline` seconds.
    """
    try:
        async with asyncio.timeout(deadline):
            return await _follow(client, url, dict(headers or {}), max_bytes, meter, on_redirect)
    except (TimeoutError, httpx2.TimeoutException):
        raise FetchFailed("The source did not answer in time.") from None
    except body.BodyError as error:
        raise FetchFailed(f"The source {error}.") from None
    except (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError) as error:
        raise FetchFailed(f"The source can't be reached ({type(error).__name__}).") from None


async def _follow(
    client: httpx2.AsyncClient,
    url: str,
    headers: dict[str, str],
    max_bytes: int,
    meter: Callable[[int], None] | None,
    on_redirect: Callable[[str], None] | None,
) -> Fetched:
    target = httpx2.URL(url)
    for _ in range(MAX_REDIRECTS + 1):
        async with client.stream("GET", target, headers=headers) as response:
            if response.has_redirect_location:
                there = target.join(response.headers["location"])
                if _origin(there) != _origin(target):
                    headers = {}
                target = there
                if on_redirect is not None:
                    on_redirect(target.host)
                continue
            if response.status_code == 304 and any(h.lower().startswith("if-") for h in headers):
                return Fetched(304, response.headers, b"")
            if not 200 <= response.status_code < 300:
                raise FetchFailed(f"The source answered with status {response.status_code}.")
            content = await body.read(response, max_bytes, meter)
            return Fetched(response.status_code, response.headers, content)
    raise FetchFailed(f"The source redirects more than {MAX_REDIRECTS} times.")


def _origin(url: httpx2.URL) -> tuple[str, str, int | None]:
    return url.scheme, url.host, url.port
