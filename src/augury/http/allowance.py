"""How long a route may take and how large a body it reads, marked where the route is declared.

`routing.Route` applies the allowance as soon as a request has found its route, before a byte of the
body is read. Requests that match no route have the allowance `USUAL`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Allowance:
    """The limits of a route: names of the settings that hold its deadline and the largest size of a
    request's body."""

    deadline: Literal["request_deadline", "search_deadline", "forecast_deadline"] = (
        "request_deadline"
    )
    """Name of the setting that holds the deadline: the longest time, in seconds, from a request's
    arrival to the start of its answer."""
    body: Literal["max_body_bytes", "max_run_body_bytes"] = "max_body_bytes"


USUAL: Final = Allowance()
SEARCH: Final = Allowance(deadline="search_deadline")
FORECAST: Final = Allowance(deadline="forecast_deadline")
UPLOAD: Final = Allowance(body="max_run_body_bytes")
FORECAST_UPLOAD: Final = Allowance(deadline="forecast_deadline", body="max_run_body_bytes")


def allowed(allowance: Allowance) -> Callable[[F], F]:
    """Decorator that sets an endpoint's limits: the time that a request may take, and the size of
    its body."""

    def mark(endpoint: F) -> F:
        endpoint.__augury_allowance__ = allowance  # type: ignore[attr-defined]
        return endpoint

    return mark


def allowance_of(endpoint: Callable[..., Any]) -> Allowance:
    """An endpoint's limits on a request's time and on the size of its body; `USUAL` if it was not
    marked with `allowed`."""
    return getattr(endpoint, "__augury_allowance__", USUAL)
