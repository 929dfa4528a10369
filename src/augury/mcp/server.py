"""The MCP server: tools, resources and prompts for language models, which call the API."""

from __future__ import annotations

import logging

from mcp.server.caching import CacheHint
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError, ToolError

from augury import __version__
from augury.mcp import schemas as s
from augury.mcp import words
from augury.mcp.api import Reaching, ask, market_path
from augury.mcp.tools import Tools

LIST_CACHE = CacheHint(ttl_ms=3_600_000, scope="public")
"""Cache hint for the lists of tools, prompts and resources: clients may keep them for one hour,
since they change only with the version."""


def make(reaching: Reaching) -> MCPServer:
    """An MCP server with all tools, resources and prompts. `reaching` gives, for each tool call,
    the function that sends requests to the API."""
    mcp_logger = logging.getLogger("mcp")
    server = MCPServer(
        "augury",
        title="Augury",
        description="Search, forecasts, volatility and alerts over prediction markets.",
        instructions=words.INSTRUCTIONS,
        version=__version__,
        log_level="WARNING",
        subscriptions=False,
        cache_hints={
            "tools/list": LIST_CACHE,
            "prompts/list": LIST_CACHE,
            "resources/list": LIST_CACHE,
            "resources/templates/list": LIST_CACHE,
        },
    )
    mcp_logger.setLevel(logging.WARNING)
    Tools(reaching).install(server)

    @server.resource(
        "augury://glossary",
        name="glossary",
        title="Words that Augury uses",
        mime_type="text/markdown",
    )
    def glossary() -> str:
        """What the words in the tools' results mean: probability, grade, stale, origin and more."""
        return words.GLOSSARY

    @server.resource(
        "augury://market/{id}", name="market", title="A market", mime_type="application/json"
    )
    async def market(id: str, ctx: Context) -> str:
        """One market with its rules and prices, and related markets of its event, as JSON."""
        try:
            reach = reaching(ctx)
            got = await ask(reach, await market_path(reach, id))
        except ToolError as error:
            kind = ResourceNotFoundError if "no market" in str(error) else ResourceError
            raise kind(str(error)) from None
        found = s.MarketAnswer.model_validate(got)
        return found.model_dump_json(exclude_defaults=True)

    @server.prompt(name="research_question", title="Research a question")
    def research_question(question: str) -> str:
        """Forecast a question, look at the markets that the forecast rests on, and answer with
        sources."""
        return words.research(question)

    @server.prompt(name="morning_brief", title="Morning brief of my watchlists")
    def morning_brief() -> str:
        """Which alerts fired since yesterday, with the prices of their markets."""
        return words.briefing()

    return server
