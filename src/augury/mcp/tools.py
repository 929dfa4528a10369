"""The tools for language models: each calls the API and returns what a model needs.

A model reads the docstrings and descriptions of the tools.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult, ToolAnnotations
from pydantic import Field

from augury.mcp import schemas as s
from augury.mcp.answers import (
    Detail,
    answer,
    data_warnings,
    forecast_result,
    late_start,
    summarized,
    with_band,
    without_repeats,
    working,
)
from augury.mcp.api import Reaching, ask, market_path, path_segment
from augury.mcp.watching import Watching

READS = ToolAnnotations(read_only_hint=True, open_world_hint=True)
WRITES = ToolAnnotations(
    read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False
)
RUN_PATIENCE = 25.0
"""Maximum time, in seconds, that `forecast_many` waits for its run (many questions) to end. If the
run takes longer, its answers are read by a later call with `run_id`. Chosen by hand."""
MOST_NODES, MOST_EDGES = 12, 16

Question = Annotated[
    str,
    Field(
        description="One question, in words. It should have an answer that can be checked. Include "
        "its date, if it has one."
    ),
]
MarketId = Annotated[
    str, Field(description="A market's id (venue:native-id) as search_markets gives it.")
]
AsOf = Annotated[
    str | None,
    Field(
        description="Past time like 2026-11-01T00:00:00Z: answers from what was known then. "
        "Default: now."
    ),
]
Relation = Literal["direct", "upstream", "downstream", "correlated"]
INTERVALS = {"1m": 1, "5m": 5, "1h": 60, "1d": 1440}


@dataclass(frozen=True, slots=True)
class Tools:
    """The tools for language models, as methods. `reaching` gives, for each tool call, the function
    that sends requests to the API."""

    reaching: Reaching

    def install(self, server: MCPServer) -> None:
        """Register every tool at an MCP server."""
        watching = Watching(self.reaching)
        tools: tuple[tuple[Callable[..., Any], ToolAnnotations, str | None], ...] = (
            (self.search_markets, READS, "search:read"),
            (self.get_market, READS, "search:read"),
            (self.price_history, READS, "search:read"),
            (self.forecast, READS, "forecast:read"),
            (self.forecast_many, READS, "forecast:read"),
            (self.explain_forecast, READS, "forecast:read"),
            (self.causal_graph, READS, "forecast:read"),
            (self.volatility, READS, "rvol:read"),
            (self.track_record, READS, None),
            (watching.list_alerts, READS, "watch:write"),
            (watching.watch, WRITES, "watch:write"),
            (watching.silence, WRITES, "watch:write"),
        )
        for tool, hints, scope in tools:
            text = " ".join((tool.__doc__ or "").split())
            if scope is not None:
                text += f" Needs a key with the scope {scope}."
            server.add_tool(tool, description=text, annotations=hints, meta={"augury/scope": scope})

    async def search_markets(
        self,
        ctx: Context,
        query: Annotated[
            str, Field(description="A question, keywords, a market id or a venue's URL.")
        ],
        relations: Annotated[
            list[Relation],
            Field(
                description="direct: about the query itself; upstream: its causes; downstream: its "
                "effects; correlated: what moves with it."
            ),
        ] = ["direct"],  # noqa: B006 - becomes a schema, never changed
        limit: Annotated[
            int, Field(ge=1, le=50, description="Maximum number of results per relation.")
        ] = 5,
        status: Annotated[
            Literal["active", "closed", "resolved"] | None,
            Field(description="Only markets in this state. Leave out for all."),
        ] = None,
        detail: Detail = "compact",
    ) -> Annotated[CallToolResult, s.SearchAnswer]:
        """Find prediction markets by meaning, with current prices. Use it first: to find markets
        and their ids, to compare prices or venues, or to find out what drives something. Do not use
        it to get one number for a question (forecast does that), nor for past prices
        (price_history). Prices are probabilities from 0 to 1. Markets that differ only in a name,
        level or date are one result, whose `more` lists the others; `also` lists further markets on
        the same cause or effect. If no market is near the query, try once with fewer words; if
        there is still none, say so. Without a key it works at a lower
        rate and returns at most 20 results per relation."""
        body: dict[str, Any] = {
            "query": query,
            "dimensions": relations,
            "top_k_per_dimension": limit,
            "fold": True,
        }
        if status is not None:
            body["filters"] = {"status": status}
        async with working(ctx, "searching"):
            got = await ask(self.reaching(ctx), "/v1/search", body)
        rows = [row for relation in relations for row in got["results"].get(relation, [])]
        found = s.SearchAnswer(warnings=data_warnings(rows))
        if not rows:
            found.warnings.append("No market is near this query.")
        if detail == "full":
            return answer(found, got)
        found.results = [s.FoundRow.model_validate(row) for row in rows]
        for row in found.results:
            if row.dimension == "direct":
                row.reason = ""  # says that the words match
        return answer(found)

    async def get_market(
        self, ctx: Context, market_id: MarketId, detail: Detail = "compact"
    ) -> Annotated[CallToolResult, s.MarketAnswer]:
        """One market: rules, prices, bid and ask, volume, resolution, and the other markets of its
        event. Use it for how a market is decided or which other markets its event has. Do not use
        it to find markets (search_markets) or for prices over time (price_history). `resolution`
        left out means undecided; prices left out mean that none is known."""
        async with working(ctx, "reading the market"):
            reach = self.reaching(ctx)
            got = await ask(reach, await market_path(reach, market_id))
        found = s.MarketAnswer(warnings=data_warnings([got["market"]]))
        if detail == "full":
            return answer(found, got)
        found.market = s.MarketRow.model_validate(got["market"])
        found.related = [s.SiblingRow.model_validate(row) for row in got["related"][:8]]
        if len(got["related"]) > 8:
            found.warnings.append(f"8 of {len(got['related'])} related markets are shown.")
        return answer(found)

    async def price_history(
        self,
        ctx: Context,
        market_id: MarketId,
        start: Annotated[
            str | None,
            Field(description="Return prices from this time on (UTC), e.g. 2026-11-01T00:00:00Z."),
        ] = None,
        end: Annotated[
            str | None, Field(description="Return prices before this time (UTC). Default: now.")
        ] = None,
        interval: Annotated[
            Literal["1m", "5m", "1h", "1d"], Field(description="Time between two points.")
        ] = "1d",
        outcome: Annotated[
            str | None,
            Field(
                description="Label of the outcome to show. Default: the first outcome (Yes for a "
                "yes/no market)."
            ),
        ] = None,
        max_points: Annotated[
            int,
            Field(
                ge=2,
                le=500,
                description="Maximum number of points; longer series are thinned evenly.",
            ),
        ] = 40,
        detail: Detail = "compact",
    ) -> Annotated[CallToolResult, s.HistoryAnswer]:
        """A market's price over time, with first, last, low, high and change of the window. Use it
        for what changed and when. Do not use it for the current price alone (search_markets has
        it). A point is the last price of its interval, a probability from 0 to 1. low and high are
        among these points, so use a shorter interval for the extremes. A point without
        probability is an interval without a trade or quote."""
        query = {"start": start, "end": end, "interval_minutes": INTERVALS[interval]}
        async with working(ctx, "reading prices"):
            reach = self.reaching(ctx)
            path = f"{await market_path(reach, market_id)}/history"
            got = await ask(reach, path, query=query)
        found = s.HistoryAnswer.model_validate(got)
        found.warnings = data_warnings([got["market"]])
        if detail == "full":
            return answer(s.HistoryAnswer(warnings=found.warnings), got)
        late = late_start(found) if start is not None else None
        lines = [line for line in found.series if outcome in (None, line.outcome)]
        if outcome is not None and not lines:
            names = ", ".join(line.outcome for line in found.series) or "none"
            raise ToolError(f"This market has no outcome {outcome!r}. Its outcomes are: {names}.")
        found.series = [summarized(line, max_points) for line in lines[: None if outcome else 1]]
        if not any(line.points for line in found.series):
            found.warnings.append("No price was recorded in this window. Try an earlier start.")
        elif late is not None:
            found.warnings.append(f"The first known price is from {late}; none is known before it.")
        return answer(found)

    async def forecast(
        self,
        ctx: Context,
        question: Question,
        as_of: AsOf = None,
        detail: Detail = "compact",
    ) -> Annotated[CallToolResult, s.ForecastAnswer]:
        """One probability for a question in words, with grade, interval and the markets it rests
        on. Use it whenever the user asks how likely something is; `as_of` replays a past day. Do
        not use it for several questions at once (forecast_many), nor for volatility of prices
        (volatility). `probability` left out means that no market supports an honest number: read
        `error`, report it, and do not invent a number. Grade `bounded`: logic on several markets
        (sums, complements), not a weighted mean. Grade `hinted` is weak evidence: say so.
        confidence_interval is an 80% range of where the price may stand a week from now. The answer
        shows the 4 nearest markets that count and 2 that do not; explain_forecast shows more."""
        async with working(ctx, "forecasting"):
            body = {"question": question, "as_of": as_of}
            got = await ask(self.reaching(ctx), "/v1/forecasts", body)
        return forecast_result(got, detail, evidence=4, rejected=2)

    async def forecast_many(
        self,
        ctx: Context,
        questions: Annotated[
            list[str],
            Field(
                max_length=100,
                description="1 to 100 questions to start a new run. Leave this out if you give "
                "`run_id` to read the answers of an earlier run.",
            ),
        ] = [],  # noqa: B006 - becomes a schema, never changed
        as_of: AsOf = None,
        run_id: Annotated[
            str | None,
            Field(description="Id of the run to read: the `id` in an earlier answer of this tool."),
        ] = None,
        cursor: Annotated[
            str | None,
            Field(
                description="`next_cursor` of the previous answer, to read its next page. Give "
                "`run_id` too."
            ),
        ] = None,
        detail: Detail = "compact",
    ) -> Annotated[CallToolResult, s.ForecastRunAnswer]:
        """Probabilities for many questions in one call, without their evidence. Use it for two or
        more questions. Do not use it for one question (forecast says more). If `status` is not
        succeeded, call again with `run_id` alone. Read one answer's evidence with explain_forecast
        and its id."""
        reach = self.reaching(ctx)
        if (run_id is None) == (not questions):
            raise ToolError("Give either questions or run_id.")
        if run_id is None:
            requests = [{"question": q} | ({"as_of": as_of} if as_of else {}) for q in questions]
            run_id = (await ask(reach, "/v1/forecast-runs", {"questions": requests}))["run_id"]
        path = f"/v1/forecast-runs/{path_segment(str(run_id))}"
        until = asyncio.get_running_loop().time() + RUN_PATIENCE
        pause = 0.1
        while True:
            got = await ask(reach, path, query={"limit": 50, "cursor": cursor})
            await ctx.report_progress(got["answered"], got["questions"], "forecasting")
            ended = got["status"] in ("succeeded", "failed", "canceled")
            if ended or asyncio.get_running_loop().time() > until:
                break
            await asyncio.sleep(pause)
            pause = min(1.0, pause * 1.5)
        found = s.ForecastRunAnswer.model_validate(got)
        found.warnings = without_repeats(text for row in found.results for text in row.warnings)
        for row in found.results:
            row.warnings = []  # said once, above
        if not ended:
            found.warnings.append(
                f"{found.answered} of {found.questions} are answered. Call forecast_many again "
                "with this id as run_id; that call waits for the rest."
            )
        if detail == "full":
            return answer(s.ForecastRunAnswer(warnings=found.warnings), got)
        return answer(found)

    async def explain_forecast(
        self,
        ctx: Context,
        forecast_id: Annotated[str, Field(description="`id` of a forecast, like fc_....")],
        detail: Detail = "compact",
    ) -> Annotated[CallToolResult, s.ForecastAnswer]:
        """Why a forecast came out as it did: up to 20 markets that counted, with role, side, price,
        age and weight, and up to 10 near ones that did not count, with the reason. Use it after
        forecast or forecast_many when the user asks why. Do not use it to make a new forecast.
        Forecasts are kept for 30 days."""
        async with working(ctx, "reading the forecast"):
            got = await ask(self.reaching(ctx), f"/v1/forecasts/{path_segment(forecast_id)}")
        return forecast_result(got, detail, evidence=20, rejected=10)

    async def causal_graph(
        self, ctx: Context, question: Question, detail: Detail = "compact"
    ) -> Annotated[CallToolResult, s.CausalGraphAnswer]:
        """What a question depends on: its causes, its effects and what moves with it, as nodes with
        a probability, and edges from source (cause) to target (effect) with sign, strength,
        confidence and lag. Use it for "what drives this" and "what would follow". Do not use it for
        the probability itself (forecast). Edges come from a collection of known causes and effects
        and from prices that move together; they are no proof of cause. `strength`: how often
        markets joined by such an edge moved together, as a share of the days on which either moved.
        It is left out if it was not measured."""
        async with working(ctx, "drawing the graph"):
            got = await ask(self.reaching(ctx), "/v1/graphs", {"question": question})
        found = s.CausalGraphAnswer.model_validate(got)
        found.warnings = without_repeats(found.warnings, sample=found.origin == "sample")
        if detail == "full":
            return answer(s.CausalGraphAnswer(warnings=found.warnings), got)
        drawn = got.get("graph") or {"nodes": []}
        for row, node in zip(found.nodes, drawn["nodes"], strict=True):
            row.market_ids = [market["id"] for market in node["markets"][:2]]
            row.origin = None if row.origin in (found.origin, None) else row.origin
        if len(found.nodes) > MOST_NODES or len(found.edges) > MOST_EDGES:
            found.warnings.append(
                f"The first {MOST_NODES} of {len(found.nodes)} nodes are shown, with at most "
                f"{MOST_EDGES} edges between them."
            )
        found.nodes = found.nodes[:MOST_NODES]
        known = {node.id for node in found.nodes}
        edges = [edge for edge in found.edges if {edge.source, edge.target} <= known]
        found.edges = edges[:MOST_EDGES]
        return answer(found)

    async def volatility(
        self,
        ctx: Context,
        assets: Annotated[
            list[str],
            Field(max_length=20, description='Assets like "BTC". Leave out to list all assets.'),
        ] = [],  # noqa: B006 - becomes a schema, never changed
        horizon: Annotated[
            str | None, Field(description="Days ahead, like 7d. Leave out for all horizons.")
        ] = None,
        model: Annotated[
            str | None,
            Field(description="Id of a volatility model. Leave out for the service's default."),
        ] = None,
        detail: Detail = "compact",
    ) -> Annotated[CallToolResult, s.VolatilityAnswer]:
        """Forecasts of realized volatility (how much a price will swing) of the assets that this
        service covers, coins above all. Use it for "how volatile will X be", for ranges and sizing;
        without assets it lists those covered. Do not use it for a price's direction or for
        probabilities of events (forecast). annualized_volatility 0.55 is 55% a year; a forecast
        without it means that there is too little data."""
        reach = self.reaching(ctx)
        full: dict[str, Any] = {}
        found = s.VolatilityAnswer()
        async with working(ctx, "reading volatility"):
            if not assets:
                full["assets"] = await ask(reach, "/v1/rvol/assets")
            for asset in dict.fromkeys(assets):
                query = {"asset": asset, "horizon": horizon, "model": model}
                full[asset] = await ask(reach, "/v1/rvol/latest", query=query)
        rows = [row for made in full.values() for row in made]
        found.warnings = data_warnings(rows)
        missing = [asset for asset, made in full.items() if not made]
        if assets and missing:
            found.warnings.append(
                f"No forecast for {', '.join(missing)}. To list the assets that are covered, call "
                "volatility without `assets`."
            )
        if detail == "full":
            return answer(found, full)
        if assets:
            found.forecasts = [with_band(row) for row in rows]
        else:
            found.assets = [s.AssetRow.model_validate(row) for row in rows]
        return answer(found)

    async def track_record(
        self,
        ctx: Context,
        of: Annotated[
            Literal["forecasts", "volatility"],
            Field(
                description="Which past answers to score. forecasts: probabilities of events. "
                "volatility: forecasts of realized volatility; needs the scope rvol:read."
            ),
        ] = "forecasts",
        asset: Annotated[
            str | None, Field(description="For volatility: one asset, like BTC. Default: all.")
        ] = None,
        horizon: Annotated[
            str | None, Field(description="For volatility: days ahead, like 7d.")
        ] = None,
        detail: Detail = "compact",
    ) -> Annotated[CallToolResult, s.TrackRecord]:
        """How good this service's past answers were: Brier score and calibration of the forecasts
        whose question was decided, or the QLIKE loss of volatility models. Use it when the user
        asks whether to trust the numbers. Do not use it for one forecast's evidence
        (explain_forecast). A score left out or null means that nothing was decided yet, not that it
        was perfect."""
        reach = self.reaching(ctx)
        found = s.TrackRecord()
        async with working(ctx, "reading the record"):
            if of == "forecasts":
                got = await ask(reach, "/v1/forecast/scorecard")
            else:
                query = {"asset": asset or "all", "horizon": horizon}
                got = await ask(reach, "/v1/rvol/scorecard", query=query)
        if of == "forecasts":
            if not got.get("n"):
                found.warnings.append(
                    "No forecast of this service has been scored yet. A forecast is scored once "
                    "its market is resolved."
                )
            if detail == "full":
                return answer(found, got)
            found.forecasts = s.bare(got) | {
                "calibration": [s.bare(row) for row in got["calibration"] if row["n"]]
            }
            return answer(found)
        found.warnings = data_warnings(got)
        if not got:
            found.warnings.append("No volatility forecast has been scored with these filters.")
        if detail == "full":
            return answer(found, {"items": got})
        found.volatility = [s.ScoreRow.model_validate(row) for row in got[:30]]
        return answer(found)
