"""/v1/watchlists/{watchlist_id}/deliveries: the endpoints to which a watchlist's alerts are
sent."""

from __future__ import annotations

from operator import attrgetter
from typing import Annotated

from fastapi import Depends, Request, Response

from augury.deliveries import schemas
from augury.deliveries.service import DeliveryService
from augury.http import openapi, pages, routing
from augury.http.callers import WatchCaller
from augury.http.conditional import answer
from augury.http.fields import own_id
from augury.http.idempotency import idempotent

router = routing.router(tags=["watchlists"], prefix="/v1/watchlists/{watchlist_id}/deliveries")


async def _service(request: Request) -> DeliveryService:
    return request.app.state.services.deliveries


Service = Annotated[DeliveryService, Depends(_service)]
WatchlistId = Annotated[str, own_id("wl", "watchlist_id", "No watchlist of yours has this id.")]
DeliveryId = Annotated[
    str, own_id("whd", "delivery_id", "This watchlist has no delivery endpoint with this id.")
]
_ERRORS = openapi.errors(404, 422)


@router.post(
    "",
    status_code=201,
    summary="Add a delivery",
    response_model=schemas.DeliveryMade,
    responses={**_ERRORS, **openapi.errors(409)},
)
@idempotent
async def create(
    caller: WatchCaller, service: Service, watchlist_id: WatchlistId, new: schemas.DeliveryRequest
) -> dict[str, object]:
    """Send the watchlist's alerts to an address. The signing secret is shown only in this answer.

    Each message is a POST with the headers `webhook-id`, `webhook-timestamp` and
    `webhook-signature` of Standard Webhooks. The endpoint accepts it by answering with any 2xx
    within 10 s. Otherwise it is sent again after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h and 10 h, with
    the same `webhook-id`.
    """
    endpoint, secret = await service.create(caller.account, watchlist_id, new.new())
    return {**schemas.delivery(endpoint), "secret": secret}


@router.get("", summary="List deliveries", response_model=schemas.DeliveryList, responses=_ERRORS)
async def list_(
    request: Request, caller: WatchCaller, service: Service, watchlist_id: WatchlistId
) -> Response:
    """The endpoints to which the watchlist's alerts are sent, oldest first: at most 10."""
    found = await service.list(caller.account, watchlist_id)
    return answer(
        request, {"items": [schemas.delivery(endpoint) for endpoint in found], "next_cursor": None}
    )


@router.patch(
    "/{delivery_id}",
    summary="Change a delivery",
    response_model=schemas.DeliveryMade,
    responses=_ERRORS,
)
async def change(
    caller: WatchCaller,
    service: Service,
    watchlist_id: WatchlistId,
    delivery_id: DeliveryId,
    wanted: schemas.DeliveryChange,
) -> dict[str, object]:
    """Change the endpoint's address, enable or disable the endpoint, or renew its signing
    secret."""
    endpoint, secret = await service.change(
        caller.account,
        watchlist_id,
        delivery_id,
        url=wanted.url,
        enabled=wanted.enabled,
        new_secret=wanted.rotate_secret,
    )
    return {**schemas.delivery(endpoint), "secret": secret}


@router.delete("/{delivery_id}", status_code=204, summary="Remove a delivery", responses=_ERRORS)
async def delete(
    caller: WatchCaller, service: Service, watchlist_id: WatchlistId, delivery_id: DeliveryId
) -> Response:
    """Delete the endpoint and its log. Messages that were still waiting are not sent."""
    await service.delete(caller.account, watchlist_id, delivery_id)
    return Response(status_code=204)


@router.post(
    "/{delivery_id}/ping",
    status_code=202,
    summary="Send a test message",
    response_model=schemas.Sent,
    responses={**_ERRORS, **openapi.errors(409)},
)
@idempotent
async def ping(
    caller: WatchCaller, service: Service, watchlist_id: WatchlistId, delivery_id: DeliveryId
) -> dict[str, object]:
    """Send a message of type `ping`, signed and retried like any other."""
    sent = await service.ping(caller.account, watchlist_id, delivery_id)
    return {"message_ids": [sent]}


@router.get(
    "/{delivery_id}/log",
    summary="Read a delivery's log",
    response_model=schemas.DeliveryLog,
    responses=_ERRORS,
)
async def log(
    request: Request,
    caller: WatchCaller,
    service: Service,
    watchlist_id: WatchlistId,
    delivery_id: DeliveryId,
    limit: pages.Limit = pages.DEFAULT_LIMIT,
    cursor: pages.Cursor = None,
) -> Response:
    """Messages with all attempts, newest first. A message is kept for 30 days after it was
    delivered or given up."""
    before = pages.decode_number(cursor) if cursor else None
    found = await service.log(
        caller.account, watchlist_id, delivery_id, limit=limit + 1, before=before
    )
    return answer(request, pages.page(found, limit, schemas.message, attrgetter("seq")))


@router.post(
    "/{delivery_id}/replay",
    status_code=202,
    summary="Send messages again",
    response_model=schemas.Sent,
    responses={**_ERRORS, **openapi.errors(409)},
)
@idempotent
async def replay(
    caller: WatchCaller,
    service: Service,
    watchlist_id: WatchlistId,
    delivery_id: DeliveryId,
    which: schemas.ReplayRequest,
) -> dict[str, object]:
    """Send messages of the log again: one message by its id, or all alert messages whose delivery
    failed. A failed message is sent again if it was created at `since` or later and has not been
    sent again yet (at most 1,000 at once). Each message is sent under a new id; in the log,
    `replays` has the old one."""
    sent = await service.replay(
        caller.account,
        watchlist_id,
        delivery_id,
        message_id=which.message_id,
        since=which.since,
    )
    return {"message_ids": sent}
