"""The route class of every noun: the caller is known before a byte of the body is read."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.routing import APIRoute

from augury.errors import InvalidInput
from augury.http import idempotency, strictjson
from augury.http.callers import gate_of

Handler = Callable[[Request], Coroutine[Any, Any, Response]]


class Route(APIRoute):
    """Asks the route's gate, reads the body as strict JSON, then does what FastAPI does."""

    def get_route_handler(self) -> Handler:
        handler = super().get_route_handler()
        gate = gate_of(self.dependant)
        takes_body = self.body_field is not None
        replays = idempotency.is_marked(self.endpoint)

        async def handle(request: Request) -> Response:
            caller = await gate(request) if gate else None
            if takes_body:
                await _read_json(request)
            if replays and caller is not None:
                return await idempotency.answer_once(request, caller, handler)
            return await handler(request)

        return handle


def router(*, tags: list[str] | None = None, prefix: str = "") -> APIRouter:
    """An `APIRouter` whose routes are all of this class."""
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
    # Where Starlette keeps a decoded body: FastAPI takes it from there.
    request._json = strictjson.loads(body)
