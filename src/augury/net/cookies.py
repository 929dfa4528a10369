"""Keeps HTTP clients from storing cookies, because all accounts share these clients."""

from __future__ import annotations

from http.cookiejar import CookieJar, DefaultCookiePolicy


def no_cookies() -> CookieJar:
    """A cookie jar that accepts and sends no cookies, for `httpx2.AsyncClient(cookies=...)`.

    All accounts share one client, and a cookie jar stores cookies by host. With an ordinary jar,
    the requests of one account would use the session of another account on the same host.
    """
    return CookieJar(DefaultCookiePolicy(allowed_domains=()))
