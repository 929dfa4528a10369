"""Routes of the documentation: `/docs` serves the site or, if it has not been built, a list of the
pages; also the pages as Markdown, `llms.txt`, and the API reference."""

from __future__ import annotations

import html
from functools import cache
from importlib import resources
from typing import Annotated

from fastapi import Depends, Request, Response
from fastapi.responses import RedirectResponse

from augury.console.assets import Asset, Assets
from augury.errors import NotFound
from augury.handbook import pages
from augury.http import conditional, routing

router = routing.router(tags=["docs"])

_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
        "img-src 'self' data: blob:; font-src 'self'; base-uri 'none'; form-action 'self'; "
        "frame-ancestors 'none'"
    ),
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
HTML = "text/html; charset=utf-8"
MARKDOWN = "text/markdown; charset=utf-8"
PLAIN = "text/plain; charset=utf-8"
NOTEBOOK = "application/x-ipynb+json"
BUILD = "Run 'augury docs' to build it, then load this page again."


async def _site(request: Request) -> Assets:
    return request.app.state.services.handbook


async def _console(request: Request) -> Assets | None:
    services = request.app.state.services
    return services.console if services.settings.console == "on" else None


Site = Annotated[Assets, Depends(_site)]
Console = Annotated[Assets | None, Depends(_console)]


@router.get("/docs", include_in_schema=False)
@routing.passes_query_on
async def docs() -> Response:
    """Redirect to the first page, at `docs/`, because its relative links need the slash at the
    end of the path."""
    return RedirectResponse("docs/")


@router.get("/docs/api", include_in_schema=False)
@routing.passes_query_on
async def api(request: Request, console: Console) -> Response:
    """The API reference as a page: the console's or, if the console is off or not built, a plain
    one."""
    page = console.get("docs.html") if console is not None else None
    return _answer(request, page.plain if page is not None else _own("docs.html"), HTML)


@router.get("/docs/page.css", include_in_schema=False)
async def style(request: Request) -> Response:
    """The style sheet of the plain API reference and of the list of pages."""
    return _answer(request, _own("docs.css"), "text/css; charset=utf-8")


@router.get("/docs/page.js", include_in_schema=False)
async def script(request: Request) -> Response:
    """The script that draws the plain API reference from the OpenAPI document."""
    return _answer(request, _own("docs.js"), "text/javascript; charset=utf-8")


@router.get("/llms.txt", include_in_schema=False)
async def listing(request: Request, site: Site) -> Response:
    """A list of all pages with one line on each, for language models."""
    built = site.get("llms.txt")
    return _answer(request, built.plain if built else _listing(), PLAIN)


@router.get("/llms-full.txt", include_in_schema=False)
async def whole(request: Request, site: Site) -> Response:
    """All pages in one text, for language models."""
    built = site.get("llms-full.txt")
    return _answer(request, built.plain if built else _whole(), PLAIN)


@router.get("/docs/{name:path}", include_in_schema=False)
@routing.passes_query_on  # the search page reads its query itself
async def page(request: Request, name: str, site: Site) -> Response:
    """A file of the site. A page is also found without the extension `.html`. If the site has not
    been built, only the Markdown of the pages and the notebooks are served."""
    if site.built:
        if (found := _built(site, name)) is not None:
            return _answer(request, found.plain, found.media_type)
    elif name == "":
        return _answer(request, _contents(), HTML)
    elif (text := _written().get(name.removesuffix(".md"))) is not None:
        return _answer(request, text.encode(), MARKDOWN if name.endswith(".md") else PLAIN)
    elif (notebook := _notebooks().get(name)) is not None:
        return _answer(request, notebook.encode(), NOTEBOOK)
    elif name.removesuffix(".md").removesuffix(".html") in pages.GENERATED:
        raise NotFound(f"This page is made from the code and has not been built yet. {BUILD}")
    raise NotFound("The documentation has no such page. /docs/ lists all pages.")


def _built(site: Assets, name: str) -> Asset | None:
    names = (name, f"{name}.html") if name else ("index.html",)
    return next((found for path in names if (found := site.get(path)) is not None), None)


def _answer(request: Request, body: bytes, media_type: str) -> Response:
    return conditional.tagged(request, body, media_type=media_type, headers=_HEADERS)


# Used if the site has not been built: the Markdown of the pages that people wrote.


@cache
def _own(name: str) -> bytes:
    return (resources.files("augury.handbook") / "static" / name).read_bytes()


@cache
def _written() -> dict[str, str]:
    return pages.written()


@cache
def _notebooks() -> dict[str, str]:
    return pages.notebooks()


@cache
def _listing() -> bytes:
    return pages.listing(_written()).encode()


@cache
def _whole() -> bytes:
    return pages.whole_text(_written()).encode()


@cache
def _contents() -> bytes:
    written, parts = _written(), []
    for section in pages.contents():
        links = [
            f'<li><a href="{html.escape(name)}">{html.escape(pages.title(written[name]))}</a></li>'
            for name in section.pages
            if name in written
        ]
        if links:
            listed = "\n".join(links)
            parts.append(f"<h2>{html.escape(section.title)}</h2>\n<ul>\n{listed}\n</ul>")
    return _PAGE.format(build=html.escape(BUILD), parts="\n".join(parts)).encode()


_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Augury documentation</title>
<link rel="stylesheet" href="page.css">
</head>
<body>
<main>
<h1>Augury documentation</h1>
<p>The site with its search has not been built, so these links lead to the pages as plain text.
{build}</p>
<p><a href="api">API reference, to try out</a></p>
{parts}
</main>
</body>
</html>
"""
