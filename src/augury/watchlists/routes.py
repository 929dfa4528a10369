"""/v1/watchlists: watchlists, their targets and rules, evaluation, alerts, charts."""

from __future__ import annotations

import asyncio
from operator import attrgetter
from typing import Annotated, Literal

import msgspec
from fastapi import Depends, Query, Request, Response

from augury import pictures
from augury.http import openapi, pages, routing
from augury.http.callers import WatchCaller
from augury.http.conditional import answer, tagged
from augury.http.fields import Moment, own_id
from augury.http.idempotency import idempotent
from augury.watchlists import alert_schemas, chart_schemas, rule_schemas, schemas
from augury.watchlists import chart as charts
from augury.watchlists.evaluation import alert_fields
from augury.watchlists.rules import Severity
from augury.watchlists.service import NewTarget, WatchlistService

router = routing.router(tags=["watchlists"], prefix="/v1/watchlists")


async def _service(request: Request) -> WatchlistService:
    return request.app.state.services.watchlists


async def _after(cursor: pages.Cursor = None) -> str | None:
    """The id in a cursor, after which the next page of a list starts; None without a cursor."""
    return pages.decode_id(cursor) if cursor else None


Service = Annotated[WatchlistService, Depends(_service)]
WatchlistId = Annotated[str, own_id("wl", "watchlist_id", "There is no watchlist with this id.")]
TargetId = Annotated[str, own_id("tgt", "target_id", "There is no target with this id.")]
RuleId = Annotated[str, own_id("rule", "rule_id", "There is no rule with this id.")]
AlertId = Annotated[str, own_id("alr", "alert_id", "There is no alert with this id.")]
After = Annotated[str | None, Depends(_after)]
_ERRORS = openapi.errors(404, 422)
_MAKING = {**_ERRORS, **openapi.errors(409)}


@router.post(
    "",
    status_code=201,
    summary="Create a watchlist",
    response_model=schemas.WatchlistMade,
    responses=openapi.errors(409, 422),
)
@idempotent
async def create(
    caller: WatchCaller, service: Service, new: schemas.WatchlistRequest
) -> dict[str, object]:
    """Create a watchlist for the key's account. Signing secrets of its webhooks are shown only in
    this answer."""
    made = await service.create(
        caller.account,
        new.name,
        new.description,
        [one.new() for one in new.delivery],
    )
    return schemas.made(made)


@router.get(
    "",
    summary="List watchlists",
    response_model=schemas.WatchlistList,
    responses=openapi.errors(422),
)
async def list_(
    request: Request,
    caller: WatchCaller,
    service: Service,
    after: After,
    limit: pages.Limit = pages.DEFAULT_LIMIT,
) -> Response:
    """The account's watchlists, oldest first."""
    found = await service.page(caller.account, limit=limit + 1, after=after)
    return answer(request, pages.page(found, limit, schemas.watchlist))


@router.get(
    "/{watchlist_id}",
    summary="Read a watchlist",
    response_model=schemas.WatchlistRecord,
    responses=openapi.errors(404),
)
async def get(
    request: Request, caller: WatchCaller, service: Service, watchlist_id: WatchlistId
) -> Response:
    """A watchlist, with the number of its targets, rules and open alerts."""
    return answer(request, schemas.watchlist(await service.get(caller.account, watchlist_id)))


@router.patch(
    "/{watchlist_id}",
    summary="Change a watchlist",
    response_model=schemas.WatchlistRecord,
    responses=_ERRORS,
)
async def change(
    caller: WatchCaller,
    service: Service,
    watchlist_id: WatchlistId,
    wanted: schemas.WatchlistChange,
) -> dict[str, object]:
    """Change the name or the description; `description: null` removes it."""
    changes = wanted.model_dump(exclude_unset=True)
    return schemas.watchlist(await service.change(caller.account, watchlist_id, changes))


@router.delete(
    "/{watchlist_id}",
    status_code=204,
    summary="Delete a watchlist",
    responses=openapi.errors(404),
)
async def delete(caller: WatchCaller, service: Service, watchlist_id: WatchlistId) -> Response:
    """Delete the watchlist with its targets, rules, alerts and deliveries."""
    await service.delete(caller.account, watchlist_id)
    return Response(status_code=204)


@router.post(
    "/{watchlist_id}/targets",
    status_code=201,
    summary="Add a target",
    response_model=schemas.TargetRecord,
    responses=_MAKING,
)
@idempotent
async def add_target(
    caller: WatchCaller,
    service: Service,
    watchlist_id: WatchlistId,
    new: schemas.TargetRequest,
) -> dict[str, object]:
    """Watch a market, an event, an asset, a series or the results of a search.

    For an event or a search, up to 100 markets are watched; their list is updated every 5 minutes.
    A rule then uses the value of one of these markets: the one that is furthest beyond the rule's
    threshold or, if none is beyond it, the one that is closest to it.
    """
    target = await service.add_target(
        caller.account,
        watchlist_id,
        new.kind,
        new.ref,
        outcome=new.outcome,
        label=new.label,
    )
    return schemas.target(target)


@router.post(
    "/{watchlist_id}/targets/bulk",
    status_code=201,
    summary="Add several targets",
    response_model=schemas.TargetsMade,
    responses=_MAKING,
)
@idempotent
async def add_targets(
    caller: WatchCaller,
    service: Service,
    watchlist_id: WatchlistId,
    new: schemas.TargetsRequest,
) -> dict[str, object]:
    """Add up to 500 targets at once. If one is refused, none is added."""
    wanted = [NewTarget(one.kind, one.ref, one.outcome, one.label) for one in new.targets]
    made = await service.add_targets(caller.account, watchlist_id, wanted, bulk=True)
    return {"items": [schemas.target(target) for target in made]}


@router.get(
    "/{watchlist_id}/targets",
    summary="List targets",
    response_model=schemas.TargetList,
    responses=_ERRORS,
)
async def targets(
    request: Request,
    caller: WatchCaller,
    service: Service,
    watchlist_id: WatchlistId,
    after: After,
    limit: pages.Limit = pages.DEFAULT_LIMIT,
) -> Response:
    """The watchlist's targets, oldest first."""
    found = await service.targets(caller.account, watchlist_id, limit=limit + 1, after=after)
    return answer(request, pages.page(found, limit, schemas.target))


@router.delete(
    "/{watchlist_id}/targets/{target_id}",
    status_code=204,
    summary="Remove a target",
    responses=openapi.errors(404),
)
async def delete_target(
    caller: WatchCaller, service: Service, watchlist_id: WatchlistId, target_id: TargetId
) -> Response:
    """Stop watching a target. Rules for this target alone are removed, and open alerts on it end
    with the resolution `removed`."""
    await service.delete_target(caller.account, watchlist_id, target_id)
    return Response(status_code=204)


@router.post(
    "/{watchlist_id}/rules",
    status_code=201,
    summary="Add a rule",
    response_model=rule_schemas.RuleRecord,
    response_model_by_alias=True,
    responses=_MAKING,
)
@idempotent
async def add_rule(
    caller: WatchCaller, service: Service, watchlist_id: WatchlistId, new: rule_schemas.RuleRequest
) -> dict[str, object]:
    """Add a rule for one target, or for every target that has its metric. The rule is evaluated
    whenever the data of its targets change."""
    rule = await service.add_rule(caller.account, watchlist_id, new.rule(), new.target_id)
    return rule_schemas.rule(rule)


@router.post(
    "/{watchlist_id}/rules/bulk",
    status_code=201,
    summary="Add several rules",
    response_model=rule_schemas.RulesMade,
    response_model_by_alias=True,
    responses=_MAKING,
)
@idempotent
async def add_rules(
    caller: WatchCaller, service: Service, watchlist_id: WatchlistId, new: rule_schemas.RulesRequest
) -> dict[str, object]:
    """Add up to 500 rules at once. If one is refused, none is added."""
    wanted = [(one.rule(), one.target_id) for one in new.rules]
    made = await service.add_rules(caller.account, watchlist_id, wanted, bulk=True)
    return {"items": [rule_schemas.rule(rule) for rule in made]}


@router.get(
    "/{watchlist_id}/rules",
    summary="List rules",
    response_model=rule_schemas.RuleList,
    response_model_by_alias=True,
    responses=_ERRORS,
)
async def rules(
    request: Request,
    caller: WatchCaller,
    service: Service,
    watchlist_id: WatchlistId,
    after: After,
    limit: pages.Limit = pages.DEFAULT_LIMIT,
) -> Response:
    """The watchlist's rules, oldest first."""
    found = await service.rules(caller.account, watchlist_id, limit=limit + 1, after=after)
    return answer(request, pages.page(found, limit, rule_schemas.rule))


@router.post(
    "/{watchlist_id}/rules/preview",
    summary="Try a rule on the past",
    response_model=rule_schemas.PreviewResult,
    responses=_ERRORS,
)
async def preview_rule(
    caller: WatchCaller,
    service: Service,
    watchlist_id: WatchlistId,
    new: rule_schemas.PreviewRequest,
) -> Response:
    """Show when a rule would have fired on the recorded history of its targets. Nothing is stored.

    Prices are evaluated every minute (up to 2 days back), every 5 minutes (up to 10 days) or every
    hour; `step_seconds` says which. For a metric without recorded history (volume, spread,
    divergence, status ...), `reason` says so.
    """
    found = await service.preview(caller.account, watchlist_id, new.rule(), new.target_id, new.days)
    return Response(msgspec.json.encode(rule_schemas.preview(found)), media_type="application/json")


@router.post(
    "/{watchlist_id}/rules/{rule_id}/silence",
    summary="Silence a rule",
    response_model=rule_schemas.RuleRecord,
    response_model_by_alias=True,
    responses=_ERRORS,
)
async def silence_rule(
    caller: WatchCaller,
    service: Service,
    watchlist_id: WatchlistId,
    rule_id: RuleId,
    wanted: rule_schemas.Silence,
) -> dict[str, object]:
    """Silence a rule for some time: alerts that fire then are recorded and marked as silenced, but
    not sent."""
    rule = await service.silence_rule(caller.account, watchlist_id, rule_id, wanted.length)
    return rule_schemas.rule(rule)


@router.post(
    "/{watchlist_id}/alerts/{alert_id}/snooze",
    summary="Snooze an alert",
    response_model=alert_schemas.AlertRecord,
    responses=_ERRORS,
)
async def snooze_alert(
    caller: WatchCaller,
    service: Service,
    watchlist_id: WatchlistId,
    alert_id: AlertId,
    wanted: rule_schemas.Silence,
) -> dict[str, object]:
    """Snooze an alert: nothing more is sent about it for some time, not even its end. If it still
    fires afterwards, one reminder is sent (`alert.reminder`)."""
    alert = await service.snooze_alert(caller.account, watchlist_id, alert_id, wanted.length)
    return alert_fields(alert)


@router.patch(
    "/{watchlist_id}/rules/{rule_id}",
    summary="Change a rule",
    response_model=rule_schemas.RuleRecord,
    response_model_by_alias=True,
    responses=_ERRORS,
)
async def change_rule(
    caller: WatchCaller,
    service: Service,
    watchlist_id: WatchlistId,
    rule_id: RuleId,
    wanted: rule_schemas.RuleChange,
) -> dict[str, object]:
    """Change a rule's threshold, window, severity and so on. An open alert stays open until the
    changed rule ends it. The rule is evaluated again within half a second."""
    rule = await service.change_rule(caller.account, watchlist_id, rule_id, wanted.changes())
    return rule_schemas.rule(rule)


@router.delete(
    "/{watchlist_id}/rules/{rule_id}",
    status_code=204,
    summary="Remove a rule",
    responses=openapi.errors(404),
)
async def delete_rule(
    caller: WatchCaller, service: Service, watchlist_id: WatchlistId, rule_id: RuleId
) -> Response:
    """Delete the rule. Its open alerts end with the resolution `removed`."""
    await service.delete_rule(caller.account, watchlist_id, rule_id)
    return Response(status_code=204)


@router.post(
    "/{watchlist_id}/evaluate",
    summary="Evaluate a watchlist now",
    response_model=alert_schemas.EvaluationResult,
    responses=openapi.errors(404),
)
async def evaluate(caller: WatchCaller, service: Service, watchlist_id: WatchlistId) -> Response:
    """Evaluate every rule on every target now. Idempotent: repeating the call has no further
    effect."""
    at, evaluated, alerts = await service.evaluate(caller.account, watchlist_id)
    found = {
        "evaluated_at": at,
        "evaluations": [alert_schemas.evaluation(one) for one in evaluated],
        "alerts": [alert_fields(alert) for alert in alerts],
    }
    # Encoded here, because up to 20,000 states made by this code need no second validation.
    return Response(msgspec.json.encode(found), media_type="application/json")


@router.get(
    "/{watchlist_id}/alerts",
    summary="List a watchlist's alerts",
    response_model=alert_schemas.AlertList,
    responses=_ERRORS,
)
async def alerts(
    request: Request,
    caller: WatchCaller,
    service: Service,
    watchlist_id: WatchlistId,
    state: Annotated[
        Literal["firing", "resolved"] | None, Query(description="Only alerts in this state.")
    ] = None,
    severity: Annotated[Severity | None, Query(description="Only alerts of this severity.")] = None,
    since: Annotated[
        Moment | None,
        Query(description="Only alerts that fired at or after this time (UTC if without a zone)."),
    ] = None,
    limit: pages.Limit = pages.DEFAULT_LIMIT,
    cursor: pages.Cursor = None,
) -> Response:
    """Alerts, latest first. An alert is one episode of a rule firing on a target. Alerts are kept
    for a year."""
    found = await service.alerts(
        caller.account,
        watchlist_id,
        state=state,
        severity=severity,
        since=since,
        limit=limit + 1,
        before=pages.decode_number(cursor) if cursor else None,
    )
    return answer(request, pages.page(found, limit, alert_fields, attrgetter("seq")))


@router.get(
    "/{watchlist_id}/targets/{target_id}/chart",
    summary="Draw a target's chart",
    response_model=chart_schemas.ChartData,
    responses={
        200: {
            "content": {
                "image/svg+xml": {"schema": {"type": "string"}},
                "image/png": {"schema": {"type": "string", "format": "binary"}},
            }
        },
        304: {"description": "Not modified since the ETag in If-None-Match."},
        **_ERRORS,
    },
)
async def chart(
    request: Request,
    caller: WatchCaller,
    service: Service,
    watchlist_id: WatchlistId,
    target_id: TargetId,
    start: Annotated[
        Moment | None,
        Query(
            description="Start of the window, inclusive. Default: 7 days before its end; 90 days "
            "for an asset, 366 for a series."
        ),
    ] = None,
    end: Annotated[
        Moment | None, Query(description="End of the window, exclusive. Default: now.")
    ] = None,
    format: Annotated[
        Literal["json", "svg", "png"],
        Query(description="json: the chart's data. svg or png: a picture of the chart."),
    ] = "json",
) -> Response:
    """A target's values, the thresholds of its rules, and where alerts fired."""
    found = await service.chart(caller.account, watchlist_id, target_id, start=start, end=end)
    caching = {"Cache-Control": "private, no-cache"}
    if format == "json":
        return tagged(request, msgspec.json.encode(charts.to_json(found)), headers=caching)
    svg = charts.to_svg(found)
    if format == "svg":
        # The SVG contains text of venues and users, so the browser must not run scripts in it.
        caching["Content-Security-Policy"] = "default-src 'none'; style-src 'unsafe-inline'"
        return tagged(request, svg.encode(), media_type="image/svg+xml", headers=caching)
    return tagged(
        request, await asyncio.to_thread(pictures.png, svg), media_type="image/png", headers=caching
    )
