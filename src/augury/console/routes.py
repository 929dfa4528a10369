"""The console's pages and files: `/`, and the paths that the router in the browser handles."""

from __future__ import annotations

import html
from typing import Annotated

from fastapi import Depends, Request, Response
from fastapi.responses import RedirectResponse

from augury.console import build
from augury.console.assets import Asset, Assets
from augury.errors import NotFound
from augury.http import conditional, routing
from augury.settings import Settings

router = routing.router(tags=["console"])

PAGES = (
    "/", "/market/{market_id:path}", "/forecast", "/watch", "/watch/{watchlist_id}",
    "/volatility", "/record", "/system", "/causes", "/sign-in",
)  # fmt: skip
EMBEDS = ("/embed/market/{market_id:path}", "/embed/forecast/{forecast_id}")
_RULES = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data: blob:; font-src 'self'; base-uri 'none'; form-action 'none'"
)
TRUSTED = "; require-trusted-types-for 'script'; trusted-types 'none'"
_HEADERS = {
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Vary": "Accept-Encoding",
}
FOREVER = "public, max-age=31536000, immutable"


async def _assets(request: Request) -> Assets:
    return request.app.state.services.console


async def _settings(request: Request) -> Settings:
    return request.app.state.services.settings


Files = Annotated[Assets, Depends(_assets)]
Chosen = Annotated[Settings, Depends(_settings)]


@routing.passes_query_on  # the query is the state of a page, which the browser reads
async def _page(request: Request, files: Files, settings: Chosen) -> Response:
    if settings.console == "off":
        if request.url.path == "/":
            return RedirectResponse("docs")
        raise NotFound("The console is switched off (AUGURY_CONSOLE=off).")
    embedded = request.url.path.startswith("/embed/")
    frames = (" ".join(settings.embed_origins) if embedded else "") or "'none'"
    policy = f"{_RULES}; frame-ancestors {frames}{TRUSTED}"
    index = files.get("index.html")
    if index is None:
        return _waiting(policy)
    return _file(request, index, {"Content-Security-Policy": policy, **_HEADERS})


for path in (*PAGES, *EMBEDS):
    router.add_api_route(path, _page, methods=["GET"], include_in_schema=False)


@router.get("/console/{name}", include_in_schema=False)
async def file(request: Request, name: str, files: Files, settings: Chosen) -> Response:
    """A file of the built console. Its name changes with its content, so caches may keep it
    forever."""
    if name == WAITING and settings.console == "on":
        return Response(
            _WAITING_SCRIPT, headers=_HEADERS, media_type="text/javascript; charset=utf-8"
        )
    found = files.get(name) if settings.console == "on" and not name.endswith(".html") else None
    if found is None:
        raise NotFound("Not found.")
    keep = {"Cache-Control": FOREVER, "Cross-Origin-Resource-Policy": "same-origin"}
    return _file(request, found, {**_HEADERS, **keep})


def _file(request: Request, asset: Asset, headers: dict[str, str]) -> Response:
    coding, body = asset.best(request.headers.get("accept-encoding", ""))
    headers = {"Cache-Control": "no-cache", **headers}
    tag = conditional.etag(asset.plain)
    if conditional.matches(request, tag):
        return Response(status_code=304, headers=headers | {"ETag": tag})
    if coding is not None:
        headers["Content-Encoding"] = coding
    return Response(body, headers=headers | {"ETag": tag}, media_type=asset.media_type)


WAITING = "waiting.js"
_WAITING_SCRIPT = """\
// Looks every second for the page that is being built, and shows it once it is there.
const look = async () => {
  const text = await fetch(location.href).then((answer) => answer.text()).catch(() => "");
  if (text && !text.includes("waiting.js")) location.reload();
  else setTimeout(look, 1000);
};
setTimeout(look, 1000);
"""
_WAITING = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Augury</title>
<link rel="stylesheet" href="/docs/page.css">
{script}</head>
<body>
<main>
<h1>{title}</h1>
<p>{text}</p>
<p>The API answers already: see its <a href="/docs">documentation</a>.</p>
</main>
</body>
</html>
"""


def _waiting(policy: str) -> Response:
    """The page that is shown at `/` while the console is not built. `policy` is the value of its
    header Content-Security-Policy."""
    built = build.status()
    detail = html.escape(str(built.get("detail", "")))
    script, title = "", "The console is not built"
    if built.get("state") == "building":
        script = f'<script src="/console/{WAITING}" defer></script>\n'
        title, text = "The console is being built", f"{detail} It appears here by itself."
    elif built.get("state") == "failed":
        text = f"{detail} Solve this, then start <code>./augury serve</code> again."
    else:
        text = "Start the service with <code>./augury serve</code>, which builds the console."
    body = _WAITING.format(script=script, title=title, text=text)
    headers = {"Content-Security-Policy": policy, "Cache-Control": "no-store", **_HEADERS}
    return Response(body, headers=headers, media_type="text/html; charset=utf-8")
