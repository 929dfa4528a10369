"""Turns every failure into the answer `{"detail": ...}`, which reveals nothing internal and never
repeats values that the caller sent."""

from __future__ import annotations

import json
import traceback
from collections.abc import Sequence
from typing import Any

import psycopg
import psycopg_pool
import structlog
from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError, ResponseValidationError
from fastapi.routing import iter_route_contexts
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Match

from augury.errors import AuguryError, Issue, Unavailable, missing_extra
from augury.http.exchange import exchange_of
from augury.storage.failures import as_unavailable

log = structlog.get_logger("augury.http")

INTERNAL_ERROR = (
    "Internal error. Give the request id to the operator, who can find the cause in the log."
)

# Replacements for messages of Pydantic that would repeat what the caller sent.
_SAFE_TEXTS = {
    "union_tag_invalid": "Input does not match any of the expected tags",
    "uuid_parsing": "Input should be a valid UUID",
    "url_parsing": "Input should be a valid URL",
    "model_attributes_type": "Input should be a JSON object",
    "dict_type": "Input should be a JSON object",
}
_CODES = {
    400: "bad_request",
    401: "unauthenticated",
    403: "forbidden",
    404: "not_found",
    405: "method_not_allowed",
    406: "not_acceptable",
    408: "request_timeout",
    409: "conflict",
    413: "body_too_large",
    415: "unsupported_media_type",
    422: "invalid_input",
    429: "rate_limited",
    431: "headers_too_large",
    502: "upstream_failed",
    503: "unavailable",
    504: "upstream_timeout",
}
_TEXTS = {
    404: "Not found. See /docs for the available routes.",
    405: "This route does not support this method. The Allow header lists those it supports.",
}
_MAX_NAME = 64


def problem(
    status: int,
    detail: str | Sequence[Issue],
    *,
    code: str | None = None,
    headers: dict[str, str] | None = None,
) -> Response:
    """The response for an error: the body is `{"detail": ...}`, the header `X-Error-Code` a
    machine-readable code."""
    return Response(
        json.dumps({"detail": detail}, ensure_ascii=False, separators=(",", ":")).encode(
            "utf-8", "replace"
        ),
        status,
        {
            "X-Error-Code": code or _CODES.get(status, "internal_error"),
            "Cache-Control": "no-store",
            **(headers or {}),
        },
        "application/json",
    )


def in_one_line(detail: str | Sequence[Issue]) -> str:
    """The issues of an error as one string: "body.query: Field required; query.limit: ..."."""
    if isinstance(detail, str):
        return detail
    return "; ".join(f"{'.'.join(map(str, i['loc']))}: {i['msg']}" for i in detail)


def respond(exc: Exception, request_id: str, *, plain: bool = False) -> Response:
    """The response for any exception. An unexpected one is logged, and answered as an internal
    error without details.

    `plain`: make `detail` one string even where it is otherwise a list of issues, e.g. for an
    invalid request.
    """
    if isinstance(exc, AuguryError):
        detail = in_one_line(exc.detail) if plain else exc.detail
        return problem(exc.status, detail, code=exc.error_code, headers=exc.headers)
    if isinstance(exc, RequestValidationError):
        found = issues(exc.errors())
        return problem(422, in_one_line(found) if plain else found)
    if isinstance(exc, HTTPException):
        detail = _TEXTS.get(exc.status_code) or (
            exc.detail if isinstance(exc.detail, str) else "The request failed."
        )
        return problem(exc.status_code, detail, headers=dict(exc.headers or {}))
    if isinstance(exc, psycopg.Error | psycopg_pool.PoolTimeout | OSError):
        unavailable = as_unavailable(exc)
        if unavailable is not None:
            log.warning("database_unavailable", request_id=request_id, error=type(exc).__name__)
            return respond(unavailable, request_id)
    if isinstance(exc, TimeoutError):
        return respond(
            Unavailable(
                "The request took too long and was stopped. Try again, or ask for less.",
                code="timeout",
            ),
            request_id,
        )
    if (advice := missing_extra(exc)) is not None:
        return respond(Unavailable(advice, code="not_installed"), request_id)
    log.error("request_failed_unexpectedly", request_id=request_id, **describe(exc))
    return problem(500, INTERNAL_ERROR)


def describe(exc: BaseException) -> dict[str, Any]:
    """Type and place of a failure, for the log. The message is left out, because it may contain
    what a caller sent."""
    frames = traceback.extract_tb(exc.__traceback__)
    place = [f"{f.filename.rpartition('/')[2]}:{f.lineno} {f.name}" for f in frames[-8:]]
    described: dict[str, Any] = {"error": type(exc).__name__, "frames": place}
    if isinstance(exc, ResponseValidationError):
        described["issues"] = issues(exc.errors())[:5]
    cause = exc.__cause__ or exc.__context__
    if cause is not None:
        described["cause"] = type(cause).__name__
    return described


def issues(errors: Sequence[Any]) -> list[Issue]:
    """Pydantic's errors with only `loc`, `msg` and `type`, without what the caller sent."""
    return [
        {
            "loc": [_safe_part(part) for part in error["loc"]],
            "msg": _SAFE_TEXTS.get(error["type"], error["msg"]),
            "type": error["type"],
        }
        for error in errors[:100]
    ]


def _safe_part(part: str | int) -> str | int:
    """One part of an error's location, safe to repeat. Field names and indices are kept; text that
    cannot be a name becomes an ellipsis."""
    if isinstance(part, int) or (len(part) <= _MAX_NAME and part.isprintable()):
        return part
    return "…"


async def _handle(request: Request, exc: Exception) -> Response:
    if isinstance(exc, HTTPException) and exc.status_code == 405:
        # The router lists the methods of the first matching route only; the path may allow more.
        exc = HTTPException(405, headers={"Allow": ", ".join(_allowed(request))})
    exchange = exchange_of(request.scope)
    return respond(exc, exchange.request_id, plain=exchange.plain_errors)


def _allowed(request: Request) -> list[str]:
    """The HTTP methods that the path of a request allows. If several routes match the path, only
    the one with the fewest parameters is used: `/rules/bulk` is a route of its own, not the rule
    with the id "bulk"."""
    found: dict[str, set[str]] = {}
    for context in iter_route_contexts(request.app.routes):
        match, _ = context.matches(request.scope)
        if match is not Match.NONE:
            found.setdefault(context.path or "", set()).update(context.methods or ())
    methods = found[min(found, key=lambda path: path.count("{"))] if found else set()
    if "GET" in methods:
        methods.add("HEAD")
    return sorted(methods)


def install(app: FastAPI) -> None:
    """Install the exception handlers on `app`. Exceptions without a handler reach the outermost
    middleware (`guard.Guard`), which calls `respond`."""
    for kind in (
        AuguryError,
        RequestValidationError,
        HTTPException,
        psycopg.Error,
        psycopg_pool.PoolTimeout,
    ):
        app.add_exception_handler(kind, _handle)
