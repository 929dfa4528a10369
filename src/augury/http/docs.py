"""`/docs` where no console is built: the OpenAPI document as a plain page, complete offline."""

from __future__ import annotations

from functools import cache
from importlib import resources

from fastapi import FastAPI, Request, Response

from augury.http import conditional

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_FILES = {
    "/docs": ("docs.html", "text/html; charset=utf-8"),
    "/docs/page.css": ("docs.css", "text/css; charset=utf-8"),
    "/docs/page.js": ("docs.js", "text/javascript; charset=utf-8"),
}


def install(app: FastAPI) -> None:
    """Serve the page and its two files."""
    for path in _FILES:
        app.add_api_route(path, _serve, include_in_schema=False)


async def _serve(request: Request) -> Response:
    return _file(request, request.url.path)


def page(request: Request) -> Response:
    """The page itself, for a route that has nothing better to show."""
    return _file(request, "/docs")


@cache
def _read(name: str) -> bytes:
    return (resources.files("augury.http") / "static" / name).read_bytes()


def _file(request: Request, path: str) -> Response:
    name, media_type = _FILES[path]
    return conditional.tagged(
        request,
        _read(name),
        media_type=media_type,
        headers={"Content-Security-Policy": POLICY, "Referrer-Policy": "no-referrer"},
    )
