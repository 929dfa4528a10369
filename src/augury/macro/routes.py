"""The endpoints /v1/macro-runtime/*: requests of any method are passed on to the macro runtime,
another HTTP service of the operator (e.g. for macroeconomic data)."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Depends, Request, Response

from augury.http import conditional, openapi, routing
from augury.http.callers import MacroCaller
from augury.http.exchange import exchange_of
from augury.macro.service import SENT, Call, MacroRuntime

router = routing.router(tags=["macro runtime"])

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
"""HTTP methods that are passed on to the upstream service. TRACE is not, because its answer would
show the credential that Augury adds; neither is CONNECT."""

_ANSWERS: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The macro runtime's answer. The header X-Cache says where it comes from: "
        "the cache (hit), the macro runtime (miss), or the cache because the macro runtime failed "
        "(stale). Age is in seconds.",
        "content": {"*/*": {"schema": {}}},
    },
    "default": {
        "description": "Any other answer of the macro runtime, 2xx to 4xx.",
        "content": {"*/*": {"schema": {}}},
    },
    **openapi.errors(404, 413, 422, 502, 503),
}


async def _service(request: Request) -> MacroRuntime:
    return request.app.state.services.macro


@routing.passes_query_on
async def proxy(
    request: Request,
    caller: MacroCaller,
    service: Annotated[MacroRuntime, Depends(_service)],
    path: str,
) -> Response:
    """Pass a request on to the macro runtime, another HTTP service of the operator (e.g. for
    macroeconomic data). It is sent with Augury's own credential instead of your API key. Answers to
    GET and HEAD are cached."""
    scope = request.scope
    reads = request.method in ("GET", "HEAD")
    known = (*SENT, "cache-control", "pragma") if reads else SENT
    answer = await service.forward(
        Call(
            method=request.method,
            raw_path=scope.get("raw_path") or b"",
            query=scope["query_string"],
            headers={name: request.headers[name] for name in known if name in request.headers},
            body=b"" if reads else await request.body(),
            request_id=exchange_of(scope).request_id,
        )
    )
    headers = {**answer.headers, "x-cache": answer.cache}
    tag = headers.get("etag")
    if reads and answer.status == 200 and tag and conditional.matches(request, tag):
        return Response(status_code=304, headers=headers)
    return Response(answer.body, answer.status, headers)


for _method in METHODS:
    router.add_api_route(
        "/v1/macro-runtime/{path:path}",
        proxy,
        methods=[_method],
        summary="Call the macro runtime",
        operation_id=f"macro_runtime_{_method.lower()}",
        responses=_ANSWERS,
        response_class=Response,
    )
