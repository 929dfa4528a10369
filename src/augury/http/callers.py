"""Parameter types for the caller of a route: the type says who may call it.

    async def search(request: SearchRequest, caller: SearchCaller) -> ...

Each of these types has a gate, which holds the checks of its caller: valid key or session, scope,
rate. `routing.Route` runs the gate before it reads the body; any other route class runs it as an
ordinary dependency. Order of the checks: 401, 403, 429, then the body.
"""

from __future__ import annotations

import re
from typing import Annotated, Literal

from fastapi import Depends, Request
from fastapi.dependencies.models import Dependant
from fastapi.openapi.models import HTTPBearer
from fastapi.security.base import SecurityBase

from augury.access import keys
from augury.access.records import Principal
from augury.access.service import AccessService
from augury.errors import Forbidden, Unauthenticated
from augury.http import address, cookies
from augury.http.caller import Caller
from augury.http.exchange import exchange_of
from augury.http.gcra import Rate
from augury.http.limits import InFlight, Limiter, LimitPolicy, enforce
from augury.settings import Settings

PAGE_BURST = 4
"""How many requests may be sent at once for the data of the console's pages (markets, watchlists,
stored forecasts, administration), as a multiple of the number allowed for searches. A page sends up
to six requests at once, and a person who clicks fast opens several pages in a second."""

# RFC 9110 11.1 and RFC 6750 2.1, read strictly: any scheme case, one space, no other blanks.
_BEARER = re.compile(rb"[Bb][Ee][Aa][Rr][Ee][Rr] ([\x21-\x7e]{1,512})")


class Traffic:
    """The limit policies and counters that the gates (checks of callers) of all routes share."""

    def __init__(self, settings: Settings, limiter: Limiter) -> None:
        self.limiter = limiter
        self.in_flight = InFlight()
        self.cookie = cookies.name_of(settings)
        anonymous = Rate.parse(
            settings.anonymous_search_rate, burst=settings.anonymous_search_burst
        )
        keyed = Rate.parse(settings.search_rate)
        paged = keyed._replace(burst=PAGE_BURST * keyed.burst)
        flights = settings.search_in_flight
        with_key = (
            f"With a key the limit is {settings.search_rate}. The operator makes keys with "
            "'augury keys create --account NAME --scope search:read'."
        )

        def anonymous_policy(name: str) -> LimitPolicy:
            return LimitPolicy(name, anonymous, fail_open=True, remedy=with_key)

        def by_setting(name: str) -> str:
            return f"The operator can raise this limit with AUGURY_{name}."

        def keyed_policy(name: str, rate: Rate, *, fail_open: bool = True) -> LimitPolicy:
            remedy = by_setting("SEARCH_RATE and AUGURY_SEARCH_IN_FLIGHT")
            return LimitPolicy(name, rate, flights, fail_open=fail_open, remedy=remedy)

        self.policies: dict[tuple[str, str], LimitPolicy] = {
            ("search", "anonymous"): anonymous_policy("anonymous-search"),
            ("search", "keyed"): keyed_policy("search", keyed),
            ("markets", "anonymous"): anonymous_policy("anonymous-markets"),
            ("markets", "keyed"): keyed_policy("markets", paged),
            ("extension", "anonymous"): anonymous_policy("anonymous-extension"),
            ("extension", "keyed"): keyed_policy("extension", keyed),
            ("answers", "keyed"): keyed_policy("answers", paged, fail_open=False),
            ("forecast", "keyed"): LimitPolicy(
                "forecast",
                Rate.parse(settings.forecast_rate),
                settings.forecast_in_flight,
                remedy=by_setting("FORECAST_RATE and AUGURY_FORECAST_IN_FLIGHT"),
            ),
            ("rvol", "keyed"): LimitPolicy(
                "rvol", Rate.parse(settings.rvol_rate), remedy=by_setting("RVOL_RATE")
            ),
            ("watch", "keyed"): keyed_policy("watch", paged, fail_open=False),
            ("admin", "keyed"): keyed_policy("admin", paged, fail_open=False),
            ("macro", "keyed"): LimitPolicy(
                "macro",
                Rate.parse(settings.macro_rate),
                settings.macro_in_flight,
                remedy=by_setting("MACRO_RATE and AUGURY_MACRO_IN_FLIGHT"),
            ),
            ("exports", "keyed"): LimitPolicy(
                "exports",
                Rate.parse(settings.export_rate),
                1,
                remedy=by_setting("EXPORT_RATE"),
            ),
            ("sign-in", "anonymous"): LimitPolicy(
                "sign-in", Rate.parse("1/s", burst=10), remedy="Wait before the next try."
            ),
        }

    async def admit_sign_in(self, request: Request) -> None:
        """Count an attempt to sign in. Raises RateLimited after too many attempts from the client's
        address."""
        policy = self.policies["sign-in", "anonymous"]
        exchange = exchange_of(request.scope)
        where = address.bucket(exchange_of(request.scope).address)
        await enforce(policy, where, exchange, self.limiter, self.in_flight)


class Gate(SecurityBase):
    """Checks the caller of a request to a group of routes (key or session, scope, rate, requests in
    flight), and returns the caller."""

    scheme_name = "apiKey"

    def __init__(
        self, group: str, scope: str, *, anonymous: bool = False, legacy: bool = False
    ) -> None:
        """`group`: name of the rate limit for these routes. `scope`: the scope that a key must
        have. `anonymous`: callers without a key are let through. `legacy`: a key with the legacy
        scope `*` is admitted, too, although `*` does not include every scope."""
        self.legacy = legacy
        self.group = group
        self.scope = scope
        self.anonymous = anonymous
        self.model = HTTPBearer(
            description="An API key, sent as `Authorization: Bearer aug_...`. Each route requires "
            "that the key has a certain scope."
        )

    async def __call__(self, request: Request) -> Caller:
        exchange = exchange_of(request.scope)
        if exchange.caller is None:
            exchange.caller = await self._admit(request)
        return exchange.caller

    async def _admit(self, request: Request) -> Caller:
        traffic: Traffic = request.app.state.traffic
        caller = await self._identify(request, traffic)
        policy = traffic.policies.get((self.group, caller.tier))
        if policy is not None:
            await enforce(
                policy,
                caller.rate_key,
                exchange_of(request.scope),
                traffic.limiter,
                traffic.in_flight,
            )
        return caller

    async def _identify(self, request: Request, traffic: Traffic) -> Caller:
        sent = [value for name, value in request.scope["headers"] if name == b"authorization"]
        kind: Literal["key", "session"] = "key"
        if sent:
            principal = await _authenticate(request, sent)
        elif (cookie := cookies.sent(request, traffic.cookie)) is not None:
            kind, principal = "session", await cookies.authenticate(request, cookie)
        elif not self.anonymous:
            raise Unauthenticated(
                "This route needs an API key. Send the header Authorization: Bearer <key>."
            )
        else:
            where = address.bucket(exchange_of(request.scope).address)
            return Caller("anonymous", "anonymous", None, None, frozenset(), where)
        granted = keys.grants(principal.scopes, self.scope) or (
            self.legacy and keys.LEGACY in principal.scopes
        )
        if not granted and not self.anonymous:
            raise Forbidden(f"This {kind} lacks the scope {self.scope}.", code="missing_scope")
        if self.group == "rvol" and not principal.rvol_approved:
            raise Forbidden(
                f"This {kind}'s account is not approved for realized volatility.",
                code="account_not_approved",
            )
        return Caller(
            kind,
            "keyed" if granted else "anonymous",
            principal.account_id,
            principal.key_id,
            principal.scopes,
            principal.key_id,
        )


async def admit_export(request: Request, caller: Caller) -> None:
    """Check that the caller may download a whole list as a file: this needs the scope
    `search:read`, and each account may run one download at a time.

    Raises
    ------
    Unauthenticated, Forbidden, RateLimited
    """
    if caller.tier == "anonymous":
        if caller.kind != "anonymous":
            raise Forbidden(
                f"This {caller.kind} lacks the scope search:read.", code="missing_scope"
            )
        raise Unauthenticated(
            "Downloading the whole list needs an API key (Authorization: Bearer <key>). Without "
            "one, ask for a page with limit=200."
        )
    traffic: Traffic = request.app.state.traffic
    who = caller.account_id or caller.rate_key
    await enforce(
        traffic.policies["exports", "keyed"],
        who,
        exchange_of(request.scope),
        traffic.limiter,
        traffic.in_flight,
    )


async def _authenticate(request: Request, sent: list[bytes]) -> Principal:
    """The account and scopes of the API key in the Authorization header.

    Raises Unauthenticated unless there is exactly one header with one valid bearer token.
    """
    found = _BEARER.fullmatch(sent[0]) if len(sent) == 1 else None
    if found is None:
        raise Unauthenticated("The Authorization header should read: Bearer <key>.")
    access: AccessService = request.app.state.services.access
    principal = await access.authenticate(found[1].decode("ascii"))
    if principal is None:
        raise Unauthenticated("This API key is not valid.")
    return principal


def gate_of(dependant: Dependant) -> Gate | None:
    """The check of callers (`Gate`) among the dependencies of a route; None if the route has
    none."""
    for dependency in dependant.dependencies:
        if isinstance(dependency.call, Gate):
            return dependency.call
        if (found := gate_of(dependency)) is not None:
            return found
    return None


SearchCaller = Annotated[Caller, Depends(Gate("search", "search:read", anonymous=True))]
MarketsCaller = Annotated[Caller, Depends(Gate("markets", "search:read", anonymous=True))]
ExtensionCaller = Annotated[Caller, Depends(Gate("extension", "search:read", anonymous=True))]
ForecastCaller = Annotated[Caller, Depends(Gate("forecast", "forecast:read"))]
AnswersCaller = Annotated[Caller, Depends(Gate("answers", "forecast:read"))]
LegacyAnswersCaller = Annotated[Caller, Depends(Gate("answers", "forecast:read", legacy=True))]
RvolCaller = Annotated[Caller, Depends(Gate("rvol", "rvol:read"))]
WatchCaller = Annotated[Caller, Depends(Gate("watch", "watch:write"))]
MacroCaller = Annotated[Caller, Depends(Gate("macro", "macro:read"))]
MetricsCaller = Annotated[Caller, Depends(Gate("metrics", "metrics:read"))]
McpCaller = Annotated[Caller, Depends(Gate("mcp", "search:read", anonymous=True))]
"""The caller of /mcp is identified but not rate-limited. Each tool sends an API request of its own,
and that request is rate-limited."""
InternalCaller = Annotated[Caller, Depends(Gate("internal", "internal"))]
AdminCaller = Annotated[Caller, Depends(Gate("admin", "admin"))]
