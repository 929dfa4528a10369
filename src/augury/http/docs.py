"""`/docs`: the OpenAPI document as a page of our own, complete without a network."""

from __future__ import annotations

from importlib import resources

from fastapi import FastAPI, Request, Response
from fastapi.responses import RedirectResponse

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
    """Serve the page and its two files; who opens the bare address is led to the page."""
    app.add_api_route("/", _lead, include_in_schema=False)
    folder = resources.files("augury.http") / "static"
    for path, (name, media_type) in _FILES.items():
        app.add_api_route(
            path, _file((folder / name).read_bytes(), media_type), include_in_schema=False
        )


async def _lead() -> Response:
    return RedirectResponse("docs")


def _file(body: bytes, media_type: str):
    async def serve(request: Request) -> Response:
        return conditional.tagged(
            request,
            body,
            media_type=media_type,
            headers={"Content-Security-Policy": POLICY, "Referrer-Policy": "no-referrer"},
        )

    return serve
