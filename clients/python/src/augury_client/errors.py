"""Errors of the client, each with advice on what to do.

AuguryError
├── ConnectionFailed      no service answers at the address
├── TimedOut              it answers too slowly
├── StreamCut             a stream of events ended before its last one
├── UnexpectedAnswer      an answer this client can't read
├── WorkFailed            work in the background failed or was canceled
├── InvalidValue          a value that can't be sent; no request was made (also a ValueError)
├── MissingPackage        the data frame library is not installed (also a ModuleNotFoundError)
└── ApiError              the service refused: status, code, detail, issues, request_id
    ├── InvalidInput      400, 413, 415, 422, 431
    ├── Unauthenticated   401
    ├── Forbidden         403
    ├── NotFound          404, 405
    ├── Conflict          409
    ├── RateLimited       429
    ├── Unavailable       503
    └── ServerFailed      500, 502, 504 and others
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from typing import Any, ClassVar, cast


class AuguryError(Exception):
    """Base of all failures. `advice` says what to do."""

    advice: str = ""

    def __init__(self, what: str, advice: str | None = None) -> None:
        self.what = what
        if advice is not None:
            self.advice = advice
        super().__init__(f"{what} {self.advice}".strip())


class ConnectionFailed(AuguryError):
    """No service answers at this address. `sent`: True if the request may have arrived."""

    advice = (
        "Is the service running (augury serve)? Give its address as Augury(url=...) or in"
        " AUGURY_URL."
    )

    def __init__(self, what: str, advice: str | None = None, *, sent: bool = False) -> None:
        self.sent = sent
        super().__init__(what, advice)


class TimedOut(AuguryError):
    """The answer took longer than `timeout`."""

    advice = "Ask for less, or give it longer: Augury(timeout=...) in seconds."


class StreamCut(AuguryError):
    """The stream ended before its last event."""

    advice = "What came before it is not the answer. Ask again."


class UnexpectedAnswer(AuguryError):
    """The answer is not what the service's documentation says."""

    advice = (
        "Does Augury answer at this address itself, not a proxy's page? Else the service is of"
        " another version: update augury-client."
    )


class WorkFailed(AuguryError):
    """Background work, e.g. a run of forecasts, failed or was canceled."""

    advice = "Ask again; if it fails again the service's log says more."


class InvalidValue(AuguryError, ValueError):
    """A value that can't be sent, such as a `datetime` without a zone. Nothing was sent."""

    advice = "Change the value and call again."


class MissingPackage(AuguryError, ModuleNotFoundError):
    """A library that data frames need is not installed; `name` is the library. Nothing was sent."""

    def __init__(self, name: str, extra: str) -> None:
        super().__init__(f"{name} is not installed.", f"Run: pip install 'augury-client[{extra}]'")
        self.name = name


class ApiError(AuguryError):
    """The service refused the request.

    Attributes
    ----------
    status: HTTP status.
    code: the service's own word for the failure, as in `X-Error-Code`.
    detail: what the service said, as one text.
    issues: the faults of an invalid request, each with `loc`, `msg` and `type`.
    retry_after: seconds to wait before asking again; None if the service named none.
    request_id: names the request in the service's log.
    """

    statuses: ClassVar[tuple[int, ...]] = ()

    def __init__(
        self,
        status: int,
        code: str,
        detail: str,
        *,
        issues: list[dict[str, Any]] | None = None,
        retry_after: float | None = None,
        request_id: str | None = None,
    ) -> None:
        self.status, self.code, self.detail = status, code, detail
        self.issues = issues or []
        self.retry_after, self.request_id = retry_after, request_id
        named = f", request {request_id}" if request_id else ""
        super().__init__(f"{detail} (HTTP {status} {code}{named})")


class InvalidInput(ApiError):
    """The request is invalid; `issues` say why."""

    statuses = (400, 413, 415, 422, 431)
    advice = "Change what it names and ask again."


class Unauthenticated(ApiError):
    """No valid key."""

    statuses = (401,)
    advice = (
        "Give a key as Augury(api_key=...) or in AUGURY_API_KEY; the service's operator makes one"
        " with: augury keys create --account NAME --scope SCOPE"
    )


class Forbidden(ApiError):
    """The key does not allow this."""

    statuses = (403,)
    advice = "Ask the service's operator for a key with the scope or approval that it names."


class NotFound(ApiError):
    """What the request names does not exist, or belongs to another account."""

    statuses = (404, 405)
    advice = "Check the id; search() and the lists give ids that exist."


class Conflict(ApiError):
    """The request conflicts with the present state."""

    statuses = (409,)
    advice = "Read what is there, then decide."


class RateLimited(ApiError):
    """The rate limit is exceeded, and the client may not wait any longer (`patience`,
    `retries`)."""

    statuses = (429,)
    advice = "Wait `retry_after` seconds, or allow longer waits: Augury(patience=...) in seconds."


class Unavailable(ApiError):
    """The service can't answer at the moment."""

    statuses = (503,)
    advice = "Ask again in `retry_after` seconds; GET /v1/health says what it lacks."


class ServerFailed(ApiError):
    """The service, or a proxy in front of it, failed."""

    statuses = (500, 502, 504)
    advice = "Ask again; the service's log says more under the request's name."


_CLASSES = {status: kind for kind in ApiError.__subclasses__() for status in kind.statuses}


def refusal(status: int, headers: Mapping[str, str], body: bytes) -> ApiError:
    """The error for an answer with an error status."""
    detail, issues = _detail(body)
    kind = _CLASSES.get(status, ServerFailed if status >= 500 else InvalidInput)
    return kind(
        status,
        headers.get("x-error-code") or "unknown",
        detail or "The service gave no reason.",
        issues=issues,
        retry_after=_seconds(headers.get("retry-after")),
        request_id=headers.get("x-request-id"),
    )


def _detail(body: bytes) -> tuple[str, list[dict[str, Any]]]:
    try:
        detail = cast("object", json.loads(body)["detail"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return "", []  # not the service's own, a proxy's perhaps
    if isinstance(detail, str):
        return detail, []
    if not isinstance(detail, list):
        return "", []
    issues = [
        cast("dict[str, Any]", issue)
        for issue in cast("list[object]", detail)
        if isinstance(issue, dict)
    ]
    told = "; ".join(
        f"{'.'.join(map(str, issue.get('loc', ())))}: {issue.get('msg', '')}" for issue in issues
    )
    return f"{told}.", issues


def _seconds(text: str | None) -> float | None:
    """Seconds of a `Retry-After` header, which holds seconds or a date; None if it holds
    neither."""
    if text is None:
        return None
    try:
        if text.strip().isdigit():
            return float(text)
        left = (parsedate_to_datetime(text) - datetime.now(timezone.utc)).total_seconds()
        return max(0.0, left)
    except (ValueError, TypeError):
        return None
