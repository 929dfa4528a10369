"""The class of all HTTP routes. It checks the caller before it reads a byte of the body."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterator
from typing import Any, TypeVar

from fastapi import APIRouter, Request, Response
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute

from augury.errors import InvalidInput
from augury.http import idempotency, strictjson
from augury.http.allowance import allowance_of
from augury.http.callers import gate_of
from augury.http.exchange import exchange_of

Handler = Callable[[Request], Coroutine[Any, Any, Response]]
T = TypeVar("T")


class Route(APIRoute):
    """The class of all routes. Before FastAPI takes over, it sets the request's deadline and
    the maximum size of its body. Then it checks the caller (`callers.Gate`), refuses unknown query
    parameters, and reads the body as strict JSON.

    Answers of routes that check their callers get the header `Cache-Control: no-store`, unless the
    route sets this header itself.
    """

    def get_route_handler(self) -> Handler:
        handler = super().get_route_handler()
        gate = gate_of(self.dependant)
        allowance = allowance_of(self.endpoint)
        takes_body = self.body_field is not None
        replays = idempotency.is_marked(self.endpoint)
        known = frozenset(_query_names(self.dependant))
        passes_on = getattr(self.endpoint, "passes_query_on", False)

        async def handle(request: Request) -> Response:
            exchange_of(request.scope).allow(allowance)
            caller = await gate(request) if gate else None
            if request.scope["query_string"] and not passes_on:
                _refuse_unknown(request, known)
            if takes_body:
                await _read_json(request)
            if replays and caller is not None:
                answer = await idempotency.answer_once(request, caller, handler)
            else:
                answer = await handler(request)
            if gate is not None:
                # An answer behind a gate may belong to one account; a route whose answer may be
                # cached sets the header itself.
                answer.headers.setdefault("Cache-Control", "no-store")
            return answer

        return handle


def passes_query_on(endpoint: T) -> T:
    """Mark the endpoint of a route that takes any query parameter, because it passes the query on
    to another service."""
    endpoint.passes_query_on = True  # type: ignore[attr-defined]
    return endpoint


def _query_names(dependant: Dependant) -> Iterator[str]:
    """Names of the query parameters of a route and of all it depends on."""
    for field in dependant.query_params:
        yield field.alias
    for dependency in dependant.dependencies:
        yield from _query_names(dependency)


def _refuse_unknown(request: Request, known: frozenset[str]) -> None:
    unknown = [name for name in request.query_params if name not in known]
    if unknown:
        takes = f"It takes: {', '.join(sorted(known))}." if known else "It takes none."
        raise InvalidInput(
            [
                {
                    # Repeated only if it can be a name, and not any text of the caller's.
                    "loc": ["query", name if len(name) <= 64 and name.isprintable() else "…"],
                    "msg": f"This route has no such query parameter. {takes}",
                    "type": "extra_forbidden",
                }
                for name in dict.fromkeys(unknown[:20])
            ]
        )


def router(*, tags: list[str] | None = None, prefix: str = "") -> APIRouter:
    """A FastAPI `APIRouter` whose routes are all of the class `Route`."""
    return APIRouter(tags=list(tags or []), prefix=prefix, route_class=Route)


async def _read_json(request: Request) -> None:
    body = await request.body()
    if not body:
        return
    media = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media != "application/json" and not (
        media.startswith("application/") and media.endswith("+json")
    ):
        raise InvalidInput.at(
            "header",
            "content-type",
            msg="The body should be sent as application/json.",
            type="content_type_invalid",
        )
    # Starlette caches a decoded body here, and FastAPI takes it from here.
    request._json = strictjson.loads(body)
