"""Errors that know their HTTP status. Raise them anywhere below a route; http/ renders them.

AuguryError                 500
├── InvalidInput            422  detail may be a list of issues {loc, msg, type}
├── Unauthenticated         401  WWW-Authenticate: Bearer
├── Forbidden               403
├── NotFound                404  same text for an unknown id and for another account's id
├── Conflict                409
├── BodyTooLarge            413
├── RateLimited             429  Retry-After
├── HeadersTooLarge         431
├── UpstreamFailed          502
├── Unavailable             503  Retry-After
└── SetupProblem            (commands) exit 1 with the text, no traceback
"""

from __future__ import annotations

from typing import Any, ClassVar

Issue = dict[str, Any]
"""One issue of a refused request: exactly `loc` (list of str | int), `msg` (str), `type` (str)."""


class AuguryError(Exception):
    """Base of all expected failures. `detail` is for the caller of the API: a text, or a list of
    issues."""

    status: ClassVar[int] = 500
    code: ClassVar[str] = "internal_error"

    def __init__(
        self,
        detail: str | list[Issue],
        *,
        code: str | None = None,
        headers: dict[str, str] | None = None,
    ) -> None:
        super().__init__(detail if isinstance(detail, str) else "; ".join(i["msg"] for i in detail))
        self.detail = detail
        self.error_code = code or type(self).code
        self.headers = headers or {}


class InvalidInput(AuguryError):
    status, code = 422, "invalid_input"

    @classmethod
    def at(cls, *loc: str | int, msg: str, type: str = "value_error") -> InvalidInput:
        """The error for one issue at `loc`, e.g. `InvalidInput.at("query", "limit", msg="...")`."""
        return cls([{"loc": list(loc), "msg": msg, "type": type}])


class Unauthenticated(AuguryError):
    status, code = 401, "unauthenticated"

    def __init__(self, detail: str = "A valid API key is required.") -> None:
        super().__init__(detail, headers={"WWW-Authenticate": "Bearer"})


class Forbidden(AuguryError):
    status, code = 403, "forbidden"


class NotFound(AuguryError):
    status, code = 404, "not_found"


class Conflict(AuguryError):
    status, code = 409, "conflict"


class BodyTooLarge(AuguryError):
    status, code = 413, "body_too_large"


class _RetryLater(AuguryError):
    def __init__(self, detail: str, *, retry_after: float = 1.0, code: str | None = None) -> None:
        """`retry_after`: seconds after which the caller may try again, rounded up to whole seconds
        in the header Retry-After. `code`: machine-readable code of the error; None: that of the
        class."""
        seconds = max(1, -int(-retry_after // 1))
        super().__init__(detail, code=code, headers={"Retry-After": str(seconds)})
        self.retry_after = retry_after


class RateLimited(_RetryLater):
    status, code = 429, "rate_limited"


class HeadersTooLarge(AuguryError):
    status, code = 431, "headers_too_large"


class UpstreamFailed(AuguryError):
    status, code = 502, "upstream_failed"


class Unavailable(_RetryLater):
    status, code = 503, "unavailable"


class SetupProblem(AuguryError):
    """A problem that the operator has to solve; commands print it and exit with status 1."""

    code = "setup_problem"


EXTRAS = {
    "apprise": "notify",
    "arch": "garch",
    "ccxt": "exchanges",
    "exchange_calendars": "calendars",
    "furo": "docs",
    "mcp": "mcp",
    "mcp_types": "mcp",
    "myst_parser": "docs",
    "polars": "tables",
    "redis": "redis",
    "sphinx": "docs",
}
"""Optional Python package -> the extra of `augury` that installs it (`arch` comes with
`augury[garch]`)."""


def missing_extra(error: BaseException) -> str | None:
    """Advice on what to install, if `error` is a failed import of an optional package; None for any
    other error."""
    if not isinstance(error, ModuleNotFoundError):
        return None
    extra = EXTRAS.get((error.name or "").partition(".")[0])
    return extra and f"This installation has no {error.name}. Run: pip install 'augury[{extra}]'"
