"""Sessions of the console at /v1/session; keys and accounts at /internal/v1/admin."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated, Any

from fastapi import Depends, Request, Response

import augury
from augury import clock
from augury.access import schemas
from augury.access.service import AccessService, is_temporary
from augury.access.sessions import Session, SessionService, csrf_of
from augury.errors import Forbidden
from augury.http import cookies, openapi, routing
from augury.http.callers import AdminCaller, Traffic
from augury.http.exchange import exchange_of
from augury.settings import Settings

router = routing.router(tags=["access"])


async def _access(request: Request) -> AccessService:
    return request.app.state.services.access


async def _sessions(request: Request) -> SessionService:
    return request.app.state.services.sessions


Access = Annotated[AccessService, Depends(_access)]
Sessions = Annotated[SessionService, Depends(_sessions)]


@router.get(
    "/v1/session",
    summary="Show who is signed in to the console",
    response_model=schemas.SessionState,
)
async def session(request: Request, response: Response) -> dict[str, Any]:
    """The session of this browser; without one, `signed_in` is false. Programs use API keys
    instead."""
    response.headers["Cache-Control"] = "no-store"
    traffic: Traffic = request.app.state.traffic
    token = cookies.sent(request, traffic.cookie)
    found = await cookies.find(request, token) if token is not None else None
    if token is not None and found is None:
        exchange_of(request.scope).headers["Set-Cookie"] = cookies.removed(request, traffic.cookie)
    return _state(request, found, token)


@router.post(
    "/v1/session",
    status_code=201,
    summary="Sign in to the console",
    response_model=schemas.SessionState,
    responses=openapi.errors(401, 403, 422, 429),
)
async def sign_in(
    body: schemas.SignIn, request: Request, response: Response, sessions: Sessions
) -> dict[str, Any]:
    """Exchange an API key, or the secret of the link that `augury serve` prints, for a session
    cookie with the same scopes. A link works once."""
    traffic: Traffic = request.app.state.traffic
    if request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        raise Forbidden(
            "This sign-in request came from a page of another website. Open the console directly "
            "in your browser and sign in there.",
            code="csrf",
        )
    await traffic.admit_sign_in(request)
    if body.key is not None:
        token, made = await sessions.sign_in_by_key(body.key)
    else:
        token, made = await sessions.sign_in_by_link(body.link or "")
    response.headers["Cache-Control"] = "no-store"
    exchange_of(request.scope).headers["Set-Cookie"] = cookies.set_to(
        request, traffic.cookie, token
    )
    return _state(request, made, token)


@router.delete(
    "/v1/session",
    status_code=204,
    summary="Sign out of the console",
    responses=openapi.errors(403),
)
async def sign_out(request: Request, sessions: Sessions) -> Response:
    """End this browser's session. Idempotent."""
    traffic: Traffic = request.app.state.traffic
    if (token := cookies.sent(request, traffic.cookie)) is not None:
        if not cookies.same_origin(request, token):
            raise Forbidden(f"Signing out needs the header {cookies.CSRF_HEADER}.", code="csrf")
        await sessions.sign_out(token)
        exchange_of(request.scope).headers["Set-Cookie"] = cookies.removed(request, traffic.cookie)
    return Response(status_code=204)


def _state(request: Request, found: Session | None, token: str | None) -> dict[str, Any]:
    settings: Settings = request.app.state.services.settings
    signed_in = found is not None and token is not None
    scopes = found.principal.scopes if found is not None else frozenset()
    keyed = bool({"search:read", "*"} & scopes)
    return {
        "signed_in": signed_in,
        "account": found.account if found else None,
        "by": ("key" if found.by_key else "link") if found else None,
        "scopes": sorted(scopes),
        "csrf": csrf_of(token) if signed_in and token else None,
        "expires_at": found.expires_at if found else None,
        "version": augury.__version__,
        "top_k": settings.search_top_k if keyed else settings.anonymous_top_k,
    }


# --- keys and accounts -----------------------------------------------------------------------

_ADMIN = "/internal/v1/admin"


@router.get(f"{_ADMIN}/keys", summary="List keys", response_model=schemas.KeyList)
async def list_keys(caller: AdminCaller, access: Access) -> dict[str, Any]:
    """All keys of all accounts, including expired and revoked ones. Temporary keys that commands
    made for themselves are left out."""
    found = [key for key in await access.list_keys() if not is_temporary(key)]
    return {"items": [schemas.key_record(key) for key in found]}


@router.post(
    f"{_ADMIN}/keys",
    status_code=201,
    summary="Create a key",
    response_model=schemas.KeyMade,
    responses=openapi.errors(422),
)
async def create_key(
    body: schemas.KeyRequest, caller: AdminCaller, access: Access
) -> dict[str, Any]:
    """Create a key for an account; a new account name creates the account. The key itself is shown
    only in this answer."""
    days = body.expires_in_days
    expires_at = None if days is None else clock.now() + timedelta(days=days)
    key, text = await access.create_key(
        body.account, body.scopes, label=body.label, expires_at=expires_at
    )
    return schemas.key_record(key) | {"key": text}


@router.post(
    f"{_ADMIN}/keys/{{key_id}}/rotate",
    status_code=201,
    summary="Replace a key",
    response_model=schemas.KeyMade,
    responses=openapi.errors(404, 422),
)
async def rotate_key(
    key_id: str, body: schemas.KeyRotation, caller: AdminCaller, access: Access
) -> dict[str, Any]:
    """Create a replacement with the same scopes. The old key keeps working for `grace_hours`."""
    key, text = await access.rotate_key(key_id, grace=timedelta(hours=body.grace_hours))
    return schemas.key_record(key) | {"key": text}


@router.delete(
    f"{_ADMIN}/keys/{{key_id}}",
    summary="Revoke a key",
    response_model=schemas.KeyRecord,
    responses=openapi.errors(404),
)
async def revoke_key(key_id: str, caller: AdminCaller, access: Access) -> dict[str, Any]:
    """Revoke an API key: it stops working within seconds. Idempotent."""
    return schemas.key_record(await access.revoke_key(key_id))


@router.get(f"{_ADMIN}/accounts", summary="List accounts", response_model=schemas.AccountList)
async def list_accounts(caller: AdminCaller, access: Access) -> dict[str, Any]:
    """All accounts, and which are approved for realized volatility."""
    return {"items": [schemas.account_record(one) for one in await access.list_accounts()]}


@router.patch(
    f"{_ADMIN}/accounts",
    summary="Approve an account",
    response_model=schemas.AccountRecord,
    responses=openapi.errors(404, 422),
)
async def change_account(
    body: schemas.AccountChange, caller: AdminCaller, access: Access
) -> dict[str, Any]:
    """Let the keys of an account read realized volatility, or withdraw this approval. The keys also
    need the scope `rvol:read`."""
    return schemas.account_record(await access.set_rvol_approved(body.name, body.rvol_approved))
