"""POST /mcp: tools for language models over streamable HTTP; they use the caller's own key."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import Request, Response
from starlette.types import Receive, Scope, Send

from augury.errors import Forbidden
from augury.http import routing
from augury.http.allowance import FORECAST, allowed
from augury.http.callers import McpCaller

if TYPE_CHECKING:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

router = routing.router(tags=["mcp"])


class _AnsweredByMcp(Response):
    """A response that sends nothing itself: it lets the MCP server answer the request."""

    def __init__(self, manager: StreamableHTTPSessionManager) -> None:
        super().__init__()
        self._manager = manager

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._manager.handle_request(scope, receive, send)


@router.post("/mcp", include_in_schema=False)
@allowed(FORECAST)
async def mcp(request: Request, caller: McpCaller) -> Response:
    """Tools for language models over the Model Context Protocol (JSON-RPC). Each tool calls the API
    with the caller's own key, so the same scopes and limits apply."""
    _refuse_other_origins(request)
    services = request.app.state.services
    return _AnsweredByMcp(await services.mcp.manager())


def _refuse_other_origins(request: Request) -> None:
    """Refuse a request from a web page of another website, unless AUGURY_CORS_ORIGINS allows it.

    Raises
    ------
    Forbidden
        The Origin header names another website.
    """
    origin = request.headers.get("origin")
    if origin is None or origin in request.app.state.services.settings.cors_origins:
        return
    if origin.partition("://")[2] != request.headers.get("host"):
        raise Forbidden(
            "Requests from this website are not allowed. The operator can add its origin to "
            "AUGURY_CORS_ORIGINS.",
            code="origin_unknown",
        )
