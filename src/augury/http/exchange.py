"""State of one request that all layers share: its id, its caller, headers to add, final
callbacks."""

from __future__ import annotations

import time
from collections.abc import Callable, MutableMapping
from typing import TYPE_CHECKING, Any

from augury.ids import new_id

if TYPE_CHECKING:
    from augury.http.address import Address
    from augury.http.allowance import Allowance
    from augury.http.caller import Caller

SCOPE_KEY = "augury.exchange"


class Exchange:
    """State of one request and its answer, shared by all layers; kept in the ASGI scope."""

    __slots__ = (
        "address",
        "allow",
        "at_end",
        "caller",
        "headers",
        "plain_errors",
        "request_id",
        "started",
    )

    def __init__(self) -> None:
        self.request_id = new_id("req")
        self.caller: Caller | None = None
        self.plain_errors = False
        """Whether an error's `detail` is sent as one string, because the caller (header `Prefer`)
        or the operator (AUGURY_ERROR_DETAIL) wants it so; otherwise it may be a list of issues."""
        self.address: Address | None = None
        """Address that the request comes from, as trusted proxies report it."""
        self.allow: Callable[[Allowance], None] = no_limits
        """Function to call as soon as this request's route is known: it sets the request's deadline
        and its maximum body size. The outermost middleware (`guard.Guard`) provides it."""
        self.headers: dict[str, str] = {}
        """Headers to add to the answer, also if it is an error."""
        self.at_end: list[Callable[[], None]] = []
        """Functions to call once the answer has been sent or given up."""
        self.started = time.perf_counter()


def no_limits(allowance: Allowance) -> None:
    """The default of `Exchange.allow`, for an app without the middleware `guard.Guard`. It sets no
    limits on the request."""


def exchange_of(scope: MutableMapping[str, Any]) -> Exchange:
    """The state of a request, from its ASGI scope. It is created here if the app runs without the
    middleware `guard.Guard`."""
    found = scope.get(SCOPE_KEY)
    if found is None:
        found = scope[SCOPE_KEY] = Exchange()
    return found
