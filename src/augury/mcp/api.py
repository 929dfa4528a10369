"""How the tools call the service's own HTTP API: with the caller's key, so that its scopes and
limits apply, and with errors that tell a model what to change."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Protocol
from urllib.parse import quote

import httpx2
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError

_ADVICE = {
    401: "The key is missing, wrong or expired. Tell the user to set AUGURY_API_KEY (stdio) or "
    "the Authorization header (HTTP); `augury keys create` makes a key. Do not try again.",
    403: "Tell the user which scope is missing. Do not try again with this key.",
    404: "Ids come from search_markets, forecast and list_alerts: copy one exactly from there.",
    413: "Ask for fewer items at once.",
    503: "The service is starting or busy. Try once more in a few seconds.",
    504: "Try once more, or ask a simpler question.",
}
_NAMES = {
    "top_k_per_dimension": "limit",
    "dimensions": "relations",
    "interval_minutes": "interval",
}
"""Field of an API request -> argument of the tools that sets this field, where the two have
different names."""


class Reach(Protocol):
    """A function that sends a request to the API with the key of the caller of a tool."""

    async def __call__(
        self, method: str, path: str, *, body: Any = None, query: Mapping[str, Any] | None = None
    ) -> httpx2.Response: ...


Reaching = Callable[[Context], Reach]
"""A function that gets the context of one tool call and returns the function that sends the call's
requests to the API."""


async def ask(
    reach: Reach,
    path: str,
    body: Any = None,
    query: Mapping[str, Any] | None = None,
) -> Any:
    """The JSON of the API's answer to a POST of `body` to `path`; without a body, to a GET.

    Raises
    ------
    ToolError
        The API answered with an error or not at all; the text says what to do about it.
    """
    chosen = {name: value for name, value in (query or {}).items() if value is not None}
    try:
        answer = await reach("GET" if body is None else "POST", path, body=body, query=chosen)
    except httpx2.TimeoutException:
        raise ToolError("The service took too long to answer. Try once more.") from None
    except httpx2.HTTPError:
        raise ToolError(
            "The service cannot be reached. Tell the user to start it with `augury serve`, or to "
            "check AUGURY_URL."
        ) from None
    if answer.is_error:
        raise ToolError(explained(answer))
    try:
        return answer.json()
    except ValueError:
        raise ToolError(
            "The server at this address is not Augury. Tell the user to check AUGURY_URL."
        ) from None


def explained(answer: httpx2.Response) -> str:
    """One line for a language model about an error that the API answered with: what the error says,
    and what to do about it."""
    message = _detail(answer)
    if answer.status_code == 429:
        seconds = answer.headers.get("Retry-After", "1")
        return f"{message} Wait {seconds} s, then call again; calling sooner does not help."
    if answer.status_code == 422:
        return f"{message} Change the arguments and call again."
    advice = _ADVICE.get(answer.status_code, "")
    return f"{message} {advice}".strip()


def _detail(answer: httpx2.Response) -> str:
    try:
        detail = answer.json()["detail"]
    except (ValueError, KeyError, TypeError):
        return f"The service answered {answer.status_code}."
    if isinstance(detail, str):
        return detail
    found = []
    for issue in detail:
        place = [part for part in issue.get("loc", []) if part not in ("body", "query", "path")]
        name = ".".join(str(_NAMES.get(str(part), part)) for part in place)
        found.append(f"{name}: {issue.get('msg', '')}" if name else str(issue.get("msg", "")))
    return "; ".join(found).rstrip(".") + "."


async def market_path(reach: Reach, market_id: str) -> str:
    """The path of a market in the API, given the market's id or another name that identifies it.

    A name with a slash, e.g. the URL of the market's page, is looked up first: in a path it could
    lead to another route.

    Raises
    ------
    ToolError
        The name has no slash and can't be an id. Or it has a slash and does not identify exactly
        one market. Or the API answered the look-up with an error or not at all.
    """
    own = market_id.strip()
    if "/" in own:
        query = {"market_id": own[:300], "limit": 1}
        found = (await ask(reach, "/v1/markets", query=query))["items"]
        if not found:
            raise ToolError(f"This id or URL fits no market, or several. {_ADVICE[404]}")
        own = found[0]["id"]
    return f"/v1/markets/{path_segment(own)}"


def path_segment(text: str) -> str:
    """The id `text`, percent-encoded as one segment of a URL's path.

    Raises
    ------
    ToolError
        `text` can't be an id.
    """
    if not text.strip() or text.strip(".") == "" or "/" in text or len(text) > 500:
        raise ToolError(f"{json.dumps(text[:60])} is not an id. {_ADVICE[404]}")
    return quote(text.strip(), safe=":")
