"""Clients without cookies, because accounts share a client and may share a host."""

from __future__ import annotations

from http.cookiejar import CookieJar, DefaultCookiePolicy


def no_cookies() -> CookieJar:
    """A cookie jar that accepts and sends no cookies, for `httpx2.AsyncClient(cookies=...)`.

    A client is shared by all accounts, and cookies are kept by host: with an ordinary jar the
    requests of one account would use the session of another on the same host.
    """
    return CookieJar(DefaultCookiePolicy(allowed_domains=()))
