"""Decides when a stored answer of the macro runtime may be used again, by RFC 9111 and by
stale-if-error of RFC 5861. Pure. The macro runtime is another HTTP service of the operator, to
which Augury forwards requests (`service`).

The cache is shared by all callers. Section 3.5 of RFC 9111 (answers to requests with Authorization)
does not apply to it: every request is sent with Augury's own credential, so answers do not differ
by caller. Times are in seconds since 1970, durations in seconds. Header names are in lower case.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC
from email.utils import parsedate_to_datetime
from functools import cached_property
from typing import Final

Headers = Mapping[str, str]
Directives = Mapping[str, str | None]

STORABLE: Final = frozenset({200, 203, 204, 300, 404, 410})
"""Statuses of the upstream service's answers that the proxy stores. RFC 9111 (section 4.2.2) allows
this for each of them even if the answer does not state how long it is fresh."""
HEURISTIC_SHARE, HEURISTIC_MOST = 0.1, 86_400.0
"""If an answer does not state how long it is fresh, it counts as fresh for `HEURISTIC_SHARE` (a
tenth) of the time from its Last-Modified header to its Date header, but at most for
`HEURISTIC_MOST` seconds (RFC 9111, section 4.2.2)."""
FOREVER_SECONDS = 2.0**31

_DIRECTIVE = re.compile(r'([\w!#$%&\'*+.^`|~-]+)(?:=(?:"((?:[^"\\]|\\.)*)"|([^\s,"]*)))?', re.ASCII)
# Headers that describe a body. Those of a 304, which has none, are ignored (section 3.2).
_OF_THE_BODY = frozenset({"content-length", "content-encoding", "content-type", "content-range"})


def directives(headers: Headers) -> Directives:
    """The Cache-Control directives of a request or an answer, by name. A directive without a value
    has None. If a directive is repeated, the first one counts. If there are none, `Pragma:
    no-cache` counts as `no-cache`."""
    found: dict[str, str | None] = {}
    for match in _DIRECTIVE.finditer(headers.get("cache-control", "")):
        value = match[2] if match[2] is not None else match[3]
        found.setdefault(match[1].lower(), value)
    if not found and "no-cache" in headers.get("pragma", "").lower():
        found["no-cache"] = None
    return found


def seconds(found: Directives, name: str) -> float | None:
    """The value of a Cache-Control directive in seconds; None if the directive is absent, 0 if its
    value is invalid."""
    if name not in found:
        return None
    value = found[name] or ""
    return min(FOREVER_SECONDS, float(value)) if value.isascii() and value.isdigit() else 0.0


@dataclass(frozen=True)
class Stored:
    """A stored answer of the upstream service. `asked_at`: when the answer was requested;
    `answered_at`: when it arrived (both in seconds since 1970)."""

    status: int
    headers: Headers
    body: bytes
    asked_at: float
    answered_at: float

    @cached_property
    def directives(self) -> Directives:
        return directives(self.headers)

    @cached_property
    def lifetime(self) -> float:
        """Seconds for which the answer is fresh, counted from its Date header (RFC 9111, section
        4.2.1)."""
        for name in ("s-maxage", "max-age"):
            if (stated := seconds(self.directives, name)) is not None:
                return stated
        made = _date(self.headers, "date")
        if "expires" in self.headers:
            expires = _date(self.headers, "expires")
            return 0.0 if expires is None else expires - (made or self.answered_at)
        changed = _date(self.headers, "last-modified")
        if changed is None:
            return 0.0
        unchanged = (made or self.answered_at) - changed
        return max(0.0, min(HEURISTIC_MOST, HEURISTIC_SHARE * unchanged))

    def age(self, now: float) -> float:
        """Age of the answer in seconds at the time `now`, by its Date header or by its Age header,
        whichever gives more (RFC 9111, section 4.2.3)."""
        made = _date(self.headers, "date")
        apparent = 0.0 if made is None else max(0.0, self.answered_at - made)
        stated = self.headers.get("age", "")
        digits = stated.isascii() and stated.isdigit()
        carried = min(FOREVER_SECONDS, float(stated)) if digits else 0.0
        initial = max(apparent, carried + self.answered_at - self.asked_at)
        return initial + max(0.0, now - self.answered_at)


def may_store(asked: Directives, answer: Stored) -> bool:
    """Whether an answer to a GET may be stored (RFC 9111, section 3). `asked` has the request's
    Cache-Control directives."""
    return (
        answer.status in STORABLE
        and "no-store" not in asked
        and not {"no-store", "private"} & answer.directives.keys()
        and "*" not in answer.headers.get("vary", "")
    )


def may_reuse(asked: Directives, stored: Stored, now: float) -> bool:
    """Whether a stored answer may be returned for a request without asking the upstream service
    (RFC 9111, sections 4.2 and 5.2.1). `asked` has the request's Cache-Control directives."""
    if "no-cache" in stored.directives or "no-cache" in asked:
        return False
    age, left = stored.age(now), stored.lifetime - stored.age(now)
    most = seconds(asked, "max-age")
    if most is not None and age > most:
        return False
    if left > 0:
        return left >= (seconds(asked, "min-fresh") or 0.0)
    if "max-stale" not in asked or _must_be_fresh(stored):
        return False
    return asked["max-stale"] is None or -left <= (seconds(asked, "max-stale") or 0.0)


def may_stand_in(asked: Directives, stored: Stored, now: float, window: float) -> bool:
    """Whether a stored answer may be returned because the upstream service fails.

    `window`: for how many seconds after its freshness ends the answer may still be returned. A
    number that the answer or the request states (stale-if-error) takes precedence.
    """
    if stored.status >= 300 or _must_be_fresh(stored) or "no-cache" in stored.directives:
        return False
    for stated in (stored.directives, asked):
        if (limit := seconds(stated, "stale-if-error")) is not None:
            window = limit
            break
    return stored.age(now) - stored.lifetime <= window


def validators(stored: Stored) -> dict[str, str]:
    """Headers of a request that asks the upstream service whether a stored answer is still valid
    (RFC 9111, section 4.3.1)."""
    names = {"etag": "if-none-match", "last-modified": "if-modified-since"}
    return {to: stored.headers[of] for of, to in names.items() if of in stored.headers}


def freshened(stored: Stored, headers: Headers, asked_at: float, answered_at: float) -> Stored:
    """A stored answer updated by the headers of a 304 answer, which says that it is still valid
    (RFC 9111, section 4.3.4)."""
    updates = {name: value for name, value in headers.items() if name not in _OF_THE_BODY}
    kept = {name: value for name, value in stored.headers.items() if name not in ("age", "date")}
    return replace(stored, headers=kept | updates, asked_at=asked_at, answered_at=answered_at)


def for_callers(headers: Headers) -> str | None:
    """The Cache-Control header for the caller, made from the headers of the upstream service's
    answer; None if they do not have it. It is always `private`, because caches between Augury and
    the caller must not store the answer to a request with an API key."""
    found = directives(headers)
    if not found:
        return None
    kept = [
        name if value is None else f"{name}={value}"
        for name, value in found.items()
        if name not in ("public", "private", "s-maxage", "proxy-revalidate") and _plain(value)
    ]
    return ", ".join(["private", *kept])


def _plain(value: str | None) -> bool:
    return value is None or (value.isascii() and value.isalnum())


def _must_be_fresh(stored: Stored) -> bool:
    # s-maxage includes proxy-revalidate (section 5.2.2.10).
    forbidding = {"must-revalidate", "proxy-revalidate", "s-maxage"}
    return bool(forbidding & stored.directives.keys())


def _date(headers: Headers, name: str) -> float | None:
    try:
        moment = parsedate_to_datetime(headers[name])
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (KeyError, ValueError, TypeError, OverflowError):
        return None
