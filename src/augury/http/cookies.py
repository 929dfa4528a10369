"""The console's session cookie: its name, how it is set and removed, and the check of requests that
carry it."""

from __future__ import annotations

import hashlib
import re

from fastapi import Request

from augury.access.records import Principal
from augury.access.sessions import SESSION_LASTS, Session, SessionService, csrf_matches
from augury.errors import Forbidden, Unauthenticated
from augury.http.exchange import exchange_of
from augury.settings import Settings

CSRF_HEADER = "X-CSRF-Token"
_SAFE = {"GET", "HEAD", "OPTIONS"}
_PAIR = re.compile(r"\s*([^=;\s]+)=([^;\s]*)\s*")


def name_of(settings: Settings) -> str:
    """Name of the session cookie, which differs between installations. Browsers send the cookies of
    a host to all its ports, so several services on one host need different names."""
    where = settings.database_url.get_secret_value() if settings.database_url else None
    digest = hashlib.sha256((where or str(settings.data_dir)).encode()).hexdigest()
    return f"augury_session_{digest[:8]}"


def sent(request: Request, name: str) -> str | None:
    """Value of the session cookie `name` in a request; None if it has none."""
    for header in request.headers.getlist("cookie"):
        for part in header.split(";"):
            found = _PAIR.fullmatch(part)
            if found is not None and found[1] == name:
                return found[2]
    return None


async def authenticate(request: Request, token: str) -> Principal:
    """The account and scopes behind a session cookie. A request that writes needs the
    session's CSRF token too.

    Raises
    ------
    Unauthenticated
        The session has ended; the answer also removes the cookie.
    Forbidden
        The request may come from a page of another origin.
    """
    session = await find(request, token)
    if session is None:
        name = request.app.state.traffic.cookie
        exchange_of(request.scope).headers["Set-Cookie"] = removed(request, name)
        raise Unauthenticated("This session has ended. Sign in again.")
    if request.method not in _SAFE and not same_origin(request, token):
        raise Forbidden(
            f"Changes from a console session need the header {CSRF_HEADER} with the value that "
            f"GET /v1/session returns.",
            code="csrf",
        )
    return session.principal


async def find(request: Request, token: str) -> Session | None:
    sessions: SessionService = request.app.state.services.sessions
    return await sessions.authenticate(token)


def same_origin(request: Request, token: str) -> bool:
    """Whether a request comes from a page of this service (`Sec-Fetch-Site`) and has
    the session's CSRF token."""
    site = request.headers.get("sec-fetch-site", "same-origin")
    return site in ("same-origin", "none") and csrf_matches(
        token, request.headers.get(CSRF_HEADER, "")
    )


def set_to(request: Request, name: str, token: str) -> str:
    """The `Set-Cookie` header of a new session: for this host, unreadable to scripts, never
    cross-site."""
    return _cookie(request, name, token, int(SESSION_LASTS.total_seconds()))


def removed(request: Request, name: str) -> str:
    """The `Set-Cookie` header that removes the session."""
    return _cookie(request, name, "", 0)


def _cookie(request: Request, name: str, value: str, seconds: int) -> str:
    secure = "; Secure" if _is_https(request) else ""
    return f"{name}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Strict{secure}"


def _is_https(request: Request) -> bool:
    """Whether the browser uses TLS, by the URL or by the header X-Forwarded-Proto. The header is
    believed from any sender: a false one only makes the sender's own cookie stricter."""
    forwarded = request.headers.get("x-forwarded-proto", "").partition(",")[0].strip()
    return request.url.scheme == "https" or forwarded == "https"
