"""The tools for watchlists: list alerts, watch something, silence a rule or an alert."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult
from pydantic import Field

from augury.mcp import watching_schemas as s
from augury.mcp.answers import Detail, answer, data_warnings, working
from augury.mcp.api import Reaching, ask, market_path, path_segment
from augury.mcp.schemas import MarketAnswer


@dataclass(frozen=True, slots=True)
class Watching:
    """The tools for watchlists: each method is one tool. `reaching` gets the context of a tool call
    and returns the function that sends the call's requests to the API."""

    reaching: Reaching

    async def list_alerts(
        self,
        ctx: Context,
        watchlist_id: Annotated[
            str | None, Field(description="A watchlist's id (wl_...). Leave out for all.")
        ] = None,
        state: Annotated[
            Literal["firing", "resolved"] | None,
            Field(
                description="Only alerts in this state: firing (not yet ended) or resolved "
                "(ended). Leave out for alerts in either state."
            ),
        ] = None,
        since: Annotated[
            str | None, Field(description="Only alerts that fired at or after this time (UTC).")
        ] = None,
        limit: Annotated[
            int, Field(ge=1, le=100, description="Maximum number of alerts per watchlist.")
        ] = 10,
        detail: Detail = "compact",
    ) -> Annotated[CallToolResult, s.Alerts]:
        """Alerts of the user's watchlists, newest first, and the watchlists themselves. Use it for
        "what happened", and to find the ids that the tool `silence` needs. Do not use it to set up
        a watch; the tool `watch` does that. No alert means that no rule has fired, not that nothing
        is watched: see `watchlists`."""
        reach = self.reaching(ctx)
        async with working(ctx, "reading alerts"):
            if watchlist_id is None:
                lists = (await ask(reach, "/v1/watchlists", query={"limit": 50}))["items"]
            else:
                lists = [await ask(reach, f"/v1/watchlists/{path_segment(watchlist_id)}")]
            rows: list[dict[str, Any]] = []
            for one in lists:
                path = f"/v1/watchlists/{path_segment(one['id'])}/alerts"
                query = {"state": state, "since": since, "limit": limit}
                rows += (await ask(reach, path, query=query))["items"]
        rows.sort(key=lambda row: row["fired_at"], reverse=True)
        found = s.Alerts(warnings=data_warnings(rows))
        if not rows:
            found.warnings.append("No alert that fits this request has fired.")
        if detail == "full":
            return answer(found, {"watchlists": lists, "alerts": rows})
        found.watchlists = [s.WatchlistRow.model_validate(row) for row in lists]
        found.alerts = [s.AlertRow.model_validate(row) for row in rows]
        return answer(found)

    async def watch(
        self,
        ctx: Context,
        kind: Annotated[
            Literal["market", "event", "asset", "series", "search"],
            Field(
                description="What kind of thing `ref` names. asset: for rvol metrics; search: the "
                "results of a query."
            ),
        ],
        ref: Annotated[
            str,
            Field(
                description="What to watch: the id of a market or series, an event as "
                "platform:event id, an asset like BTC, or a query."
            ),
        ],
        metric: Annotated[
            Literal[
                "probability",
                "probability_change",
                "probability_zscore",
                "volume_24h",
                "volume_spike",
                "spread",
                "divergence",
                "hours_to_close",
                "status",
                "series_value",
                "series_change",
                "rvol_forecast",
                "rvol_ratio",
                "staleness",
            ],
            Field(description="What the rule measures."),
        ],
        op: Annotated[
            Literal["gt", "gte", "lt", "lte", "crosses_above", "crosses_below", "eq", "ne"],
            Field(
                description="crosses_above fires only when the value rises above the threshold. "
                "gt also fires if the value is already above the threshold at the start."
            ),
        ],
        value: Annotated[
            float | Literal["active", "closed", "resolved"],
            Field(
                description="Threshold in the metric's unit: a probability from 0 to 1, hours to "
                "the close, seconds of staleness, a status, ..."
            ),
        ],
        watchlist: Annotated[
            str, Field(description="Id (wl_...) or name; a new name creates a watchlist.")
        ] = "Watched by an assistant",
        outcome: Annotated[
            str | None,
            Field(description="Label of the outcome to watch. Default: the first outcome."),
        ] = None,
        window: Annotated[
            str | None,
            Field(
                description="Time over which a change, z-score or spike is measured, like 24h. "
                "Default: 1h; for a series 30d."
            ),
        ] = None,
        severity: Literal["info", "warning", "critical"] = "warning",
        name: Annotated[str | None, Field(description="The rule's name.")] = None,
    ) -> Annotated[CallToolResult, s.Watched]:
        """Watch something and be alerted: creates a target (what to watch), a rule (when to alert)
        and, if it is new, the watchlist. Use it only when the user asks to be told about something;
        say afterwards what was set up. Do not use it to look something up. It writes: calling twice
        makes two rules."""
        reach = self.reaching(ctx)
        lists = (await ask(reach, "/v1/watchlists", query={"limit": 200}))["items"]
        named = [one for one in lists if watchlist in (one["id"], one["name"])]
        if named:
            chosen = named[0]
        elif watchlist.startswith("wl_"):
            chosen = await ask(reach, f"/v1/watchlists/{path_segment(watchlist)}")
        else:
            chosen = await ask(reach, "/v1/watchlists", {"name": watchlist})
        at = f"/v1/watchlists/{path_segment(chosen['id'])}"
        wanted = {"kind": kind, "ref": ref, "outcome": outcome}
        watched = (await ask(reach, f"{at}/targets", query={"limit": 200}))["items"]
        same = [one for one in watched if wanted.items() <= one.items()]
        target = same[0] if same else await ask(reach, f"{at}/targets", wanted)
        rule = await ask(
            reach,
            f"{at}/rules",
            {
                "name": name or f"{metric} {op} {value}",
                "target_id": target["id"],
                "metric": metric,
                "op": op,
                "value": value,
                "window": window,
                "severity": severity,
            },
        )
        now = MarketAnswer()
        if kind == "market":
            now = MarketAnswer.model_validate(await ask(reach, await market_path(reach, ref)))
        made = s.Watched(
            warnings=data_warnings([now.market.model_dump()] if now.market else []),
            current_prices=now.market.current_prices if now.market else None,
            watchlist=s.WatchlistRow.model_validate(await ask(reach, at)),
            target=s.TargetRow.model_validate(target),
            rule=s.RuleRow.model_validate(rule),
        )
        return answer(made)

    async def silence(
        self,
        ctx: Context,
        watchlist_id: Annotated[
            str, Field(description="Id of the watchlist (wl_...), as list_alerts gives it.")
        ],
        rule_id: Annotated[
            str | None,
            Field(
                description="Id of the rule to silence: nothing is sent about any of its alerts."
            ),
        ] = None,
        alert_id: Annotated[
            str | None,
            Field(
                description="Id of the alert to silence. Other alerts of its rule are still sent."
            ),
        ] = None,
        length: Annotated[
            str | None,
            Field(
                description="How long to send nothing, like 4h or 7d. null: end the silence now, "
                "so that messages are sent again."
            ),
        ] = "4h",
    ) -> Annotated[CallToolResult, s.Silenced]:
        """Send nothing about a rule (rule_id) or one alert (alert_id) for a while; alerts are still
        recorded. Use it only when the user asks for quiet. Do not use it to delete a rule: none of
        these tools can delete anything."""
        if (rule_id is None) == (alert_id is None):
            raise ToolError("Give either rule_id or alert_id.")
        at = f"/v1/watchlists/{path_segment(watchlist_id)}"
        reach = self.reaching(ctx)
        if rule_id is not None:
            got = await ask(reach, f"{at}/rules/{path_segment(rule_id)}/silence", {"for": length})
            return answer(s.Silenced(rule=s.RuleRow.model_validate(got)))
        got = await ask(
            reach, f"{at}/alerts/{path_segment(alert_id or '')}/snooze", {"for": length}
        )
        return answer(s.Silenced(alert=s.AlertRow.model_validate(got)))
