"""What one request carries through the layers: its id, its caller, headers to add, loose ends."""

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
    """One request and its answer, as the guard sees them; it lives in the ASGI scope."""

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
        """Whether the caller or the operator wants `detail` as one string."""
        self.address: Address | None = None
        """Where it comes from, by what our own proxies say."""
        self.allow: Callable[[Allowance], None] = nobody
        """Tells the guard what the route that the request has found is allowed."""
        self.headers: dict[str, str] = {}
        """Sent with whatever the answer turns out to be, errors too."""
        self.at_end: list[Callable[[], None]] = []
        """Called once the answer has been sent or given up."""
        self.started = time.perf_counter()


def nobody(allowance: Allowance) -> None:
    """No guard stands before the app."""


def exchange_of(scope: MutableMapping[str, Any]) -> Exchange:
    """The exchange of a request; made on the spot where no guard stands before the app."""
    found = scope.get(SCOPE_KEY)
    if found is None:
        found = scope[SCOPE_KEY] = Exchange()
    return found
