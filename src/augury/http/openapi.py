"""Makes the two OpenAPI documents. The full one describes all routes except those under /internal/;
the public one describes only the nine paths of `PUBLIC_PATHS`."""

from __future__ import annotations

from typing import Any, Literal

import msgspec
from fastapi import FastAPI, Request, Response
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute, iter_route_contexts
from pydantic import BaseModel, ConfigDict, Field

from augury.http import conditional
from augury.http.callers import gate_of

OPENAPI_VERSION = "3.1.0"
PUBLIC_VERSION = "0.1.0"
PUBLIC_PATHS = (
    "/v1/health",
    "/v1/search",
    "/v1/forecast",
    "/v1/rvol/models",
    "/v1/rvol/assets",
    "/v1/rvol/latest",
    "/v1/rvol/history",
    "/v1/rvol/actuals",
    "/v1/rvol/features/latest",
)
_HIDDEN = "/internal/"


class ValidationIssue(BaseModel):
    """One reason why a request is not valid. `loc` names the part of the request that is wrong."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "loc": ["body", "question"],
                    "msg": "String should have at most 500 characters",
                    "type": "string_too_long",
                }
            ]
        }
    )

    loc: list[str | int] = Field(
        description="Where the problem is: body, query or header, then field names and positions "
        "in lists."
    )
    msg: str = Field(description="What is wrong, in words.")
    type: str = Field(description="What is wrong, as a code for programs.")


class PublicErrorResponse(BaseModel):
    """The body of every error."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"detail": "Too many requests; try again later."}]}
    )

    detail: str | list[ValidationIssue] = Field(
        description="What went wrong, or the list of issues of a request that did not validate."
    )


_MEANING = {
    400: "The request is not valid HTTP.",
    401: "Missing or invalid API key. An invalid key is never treated as anonymous.",
    403: "The key, or its account, may not do this.",
    404: "There is no such resource, or it belongs to another account.",
    409: "The request conflicts with one in progress or with the present state.",
    413: "The request body exceeds the allowed size.",
    422: "The request did not validate; detail may be a list of issues.",
    429: "A rate limit or concurrency budget is exceeded.",
    431: "The request headers exceed the allowed size.",
    502: "Generation failed after an upstream or internal processing error.",
    503: "Timed out or temporarily unavailable.",
}
_EXAMPLES: dict[int, Any] = {
    401: "This API key is not valid.",
    403: "This key lacks the scope forecast:read.",
    404: "There is no market with this id.",
    409: "A request with this Idempotency-Key is still running. Try again when it has ended.",
    413: "The request body exceeds 65536 bytes.",
    422: [{"loc": ["body", "question"], "msg": "Field required", "type": "missing"}],
    429: "Too many requests; try again later.",
    431: "The request headers exceed 16384 bytes.",
    502: "The forecast could not be made.",
    503: "The request took too long and was stopped. Try again, or ask for less.",
}
_TEXT = {"type": "string"}
_COMMON_HEADERS = {
    "X-Request-Id": {"description": "Identifies this answer in the server's log.", "schema": _TEXT},
}
_ERROR_HEADERS = {
    "X-Error-Code": {"description": "A stable code of the error, for programs.", "schema": _TEXT},
    **_COMMON_HEADERS,
}
_RETRY_AFTER = {
    "Retry-After": {"description": "Seconds to wait before retrying.", "schema": _TEXT},
}
_LIMIT_HEADERS = {
    "RateLimit-Policy": {
        "description": "The rate limit that applied: requests (q) per window of seconds (w).",
        "schema": _TEXT,
    },
    "RateLimit": {
        "description": "Remaining requests (r), and seconds until all are available again (t).",
        "schema": _TEXT,
    },
}
_WWW = {"WWW-Authenticate": {"description": "Bearer.", "schema": _TEXT}}


def errors(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The `responses` argument of a FastAPI route that may answer with these error statuses."""
    return {status: _error(status) for status in statuses}


def _error(status: int) -> dict[str, Any]:
    headers = dict(_ERROR_HEADERS)
    if status in (429, 503):
        headers |= _RETRY_AFTER
    if status == 429:
        headers |= _LIMIT_HEADERS
    if status == 401:
        headers |= _WWW
    return {
        "model": PublicErrorResponse,
        "description": _MEANING[status],
        "headers": headers,
        "content": {"application/json": {"example": {"detail": _EXAMPLES[status]}}},
    }


def _documented(status: int) -> dict[str, Any]:
    """How an error status is described in the finished OpenAPI document, with a reference to the
    error schema."""
    response = _error(status)
    del response["model"]
    response["content"]["application/json"]["schema"] = {
        "$ref": "#/components/schemas/PublicErrorResponse"
    }
    return response


SEARCH_ERRORS = errors(401, 422, 429, 503)
FORECAST_ERRORS = errors(401, 403, 413, 422, 429, 431, 502, 503)
RVOL_ERRORS = errors(401, 403, 422, 429, 503)


def document(app: FastAPI, which: Literal["all", "public"]) -> dict[str, Any]:
    """One of the two OpenAPI documents, of the routes that `app` has now: "public" has the nine
    public paths, "all" has all paths except those under /internal/."""
    made = get_openapi(
        title=app.title,
        version=PUBLIC_VERSION if which == "public" else app.version,
        openapi_version=OPENAPI_VERSION,
        summary=app.summary,
        description=app.description or None,
        routes=app.routes,
        tags=app.openapi_tags,
        separate_input_output_schemas=False,
    )
    paths = {
        path: item
        for path, item in made.get("paths", {}).items()
        if (path in PUBLIC_PATHS if which == "public" else not path.startswith(_HIDDEN))
    }
    open_to_all = _anonymous(app)
    for path, item in paths.items():
        for method, operation in item.items():
            _complete(operation, anonymous=(path, method.upper()) in open_to_all)
            if "requestBody" in operation and path not in PUBLIC_PATHS:
                # The nine public paths have exactly the answers that the specification lists.
                operation["responses"].setdefault("413", _documented(413))
    made["paths"] = paths
    schemas = made.get("components", {}).get("schemas", {})
    # Error models of FastAPI; `PublicErrorResponse` is exactly what is sent.
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)
    _prune(made, schemas)
    return made


def _anonymous(app: FastAPI) -> set[tuple[str, str]]:
    """Path and method of each route that callers without a key may use."""
    return {
        (context.path or "", method)
        for context in iter_route_contexts(app.routes)
        for method in context.methods or ()
        if isinstance(context.original_route, APIRoute)
        and (gate := gate_of(context.original_route.dependant)) is not None
        and gate.anonymous
    }


def _complete(operation: dict[str, Any], *, anonymous: bool) -> None:
    if operation.get("security"):
        # The errors of the check of callers (`Gate`), so that no route has to list them.
        for status in (401, 429, 503) if anonymous else (401, 403, 429, 503):
            operation["responses"].setdefault(str(status), _documented(status))
    for status, response in operation.get("responses", {}).items():
        if status == "422" and _refers(response, "HTTPValidationError"):
            # FastAPI adds its own 422 to a route with parameters that declares none.
            response.clear()
            response.update(_documented(422))
        elif status.startswith("2"):
            response.setdefault("headers", {}).update(_COMMON_HEADERS)
            if operation.get("security"):
                response["headers"].update(_LIMIT_HEADERS)
    if anonymous:
        operation["security"] = [{}, *operation["security"]]


def _refers(node: Any, name: str) -> bool:
    return f'"#/components/schemas/{name}"' in msgspec.json.encode(node).decode()


def _prune(made: dict[str, Any], schemas: dict[str, Any]) -> None:
    """Remove the schemas that nothing in the OpenAPI document `made` refers to."""
    reached: set[str] = set()
    pending = _names(made["paths"])
    while pending:
        name = pending.pop()
        if name not in reached and name in schemas:
            reached.add(name)
            pending |= _names(schemas[name])
    for name in set(schemas) - reached:
        del schemas[name]


def _names(node: Any) -> set[str]:
    if isinstance(node, dict):
        found = {n for value in node.values() for n in _names(value)}
        reference = node.get("$ref")
        if isinstance(reference, str):
            found.add(reference.rpartition("/")[2])
        return found
    if isinstance(node, list):
        return {n for value in node for n in _names(value)}
    return set()


def install(app: FastAPI) -> None:
    """Add the routes that serve the two OpenAPI documents, /openapi.json and /openapi-public.json.

    A document is made on first use, when every route is mounted.
    """
    made: dict[str, bytes] = {}

    def body(which: Literal["all", "public"]) -> bytes:
        if which not in made:
            made[which] = msgspec.json.encode(document(app, which))
        return made[which]

    async def openapi(request: Request) -> Response:
        return conditional.tagged(request, body("all"))

    async def openapi_public(request: Request) -> Response:
        return conditional.tagged(request, body("public"))

    app.add_api_route("/openapi.json", openapi, include_in_schema=False)
    app.add_api_route("/openapi-public.json", openapi_public, include_in_schema=False)
    app.openapi = lambda: document(app, "all")
