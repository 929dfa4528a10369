"""`/docs` with and without a built site."""

from __future__ import annotations

import json
import re
from pathlib import Path

import httpx2
import pytest
from fastapi import FastAPI
from tests.http.conftest import OpenLimiter, client_of

from augury.handbook import pages

pytestmark = pytest.mark.anyio


async def asked(app: FastAPI, path: str, **headers: str) -> httpx2.Response:
    app.state.traffic.limiter = OpenLimiter()
    async with client_of(app) as client:
        return await client.get(path, headers=headers)


def built(folder: Path) -> None:
    files = {
        "index.html": "<title>site</title>",
        "quickstart.html": "<title>quick</title>",
        "quickstart.md": "# Quick",
        "adr/0001.html": "<title>adr</title>",
        "_static/a.css": "a{}",
        "llms.txt": "# All",
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    (folder / "manifest.json").write_text(json.dumps({"files": list(files)}))
    (folder / "secret.txt").write_text("not in the manifest")


@pytest.mark.heavy
async def test_without_a_site_the_pages_are_listed_and_given_as_text(app: FastAPI) -> None:
    assert (await asked(app, "/docs")).headers["location"] == "docs/"
    first = await asked(app, "/docs/")
    assert "augury docs" in first.text
    links = re.findall(r'<li><a href="([^"]+)"', first.text)
    assert {"quickstart", "tutorial-quant", "adr/0001-search-engine"} <= set(links)
    for name in links:
        for path, kind in ((name, "text/plain"), (f"{name}.md", "text/markdown")):
            answer = await asked(app, f"/docs/{path}")
            assert answer.status_code == 200, path
            assert answer.headers["content-type"].startswith(kind)
            assert answer.text.lstrip().startswith("# "), path
    for name in pages.GENERATED:
        answer = await asked(app, f"/docs/{name}")
        assert answer.status_code == 404
        assert "augury docs" in answer.json()["detail"]
    for path in ("nowhere", "../pyproject.toml", "%2e%2e/pyproject.toml", "contents.toml"):
        assert (await asked(app, f"/docs/{path}")).status_code == 404, path


async def test_models_are_given_a_list_and_everything(app: FastAPI) -> None:
    listing = (await asked(app, "/llms.txt")).text
    named = re.findall(r"\]\(/docs/([^)]+)\.md\)", listing)
    assert len(named) > 40
    assert "## Tutorials" in listing
    whole = (await asked(app, "/llms-full.txt")).text
    assert re.findall(r"^<!-- /docs/(.+)\.md -->$", whole, re.MULTILINE) == named


async def test_a_site_that_is_built_later_is_taken_up(app: FastAPI, folder: Path) -> None:
    assert "has not been built" in (await asked(app, "/docs/")).text
    built(folder)
    for path, text in {
        "/docs/": "site",
        "/docs/index.html": "site",
        "/docs/quickstart": "quick",
        "/docs/quickstart.html?highlight=x": "quick",
        "/docs/quickstart.md": "# Quick",
        "/docs/adr/0001": "adr",
        "/docs/_static/a.css": "a{}",
        "/llms.txt": "# All",
    }.items():
        answer = await asked(app, path)
        assert (answer.status_code, text in answer.text) == (200, True), path
        assert "unsafe" not in answer.headers["content-security-policy"]
        again = await asked(app, path, **{"if-none-match": answer.headers["etag"]})
        assert again.status_code == 304
    for path in ("secret.txt", "manifest.json", "tutorial-quant"):
        assert (await asked(app, f"/docs/{path}")).status_code == 404, path


async def test_the_plain_reference_needs_nothing_from_elsewhere(app: FastAPI) -> None:
    page = await asked(app, "/docs/api")
    assert page.headers["content-type"].startswith("text/html")
    assert "default-src 'none'" in page.headers["content-security-policy"]
    linked = re.findall(r'(?:src|href)="([^"#]+)"', page.text)
    assert sorted(set(linked)) == [
        "../openapi-public.json", "../openapi.json", "page.css", "page.js",
    ]  # fmt: skip
    for path in set(linked):
        part = await asked(app, f"/docs/{path}".replace("/docs/..", ""))
        assert part.status_code == 200
        assert not re.findall(r"""["'(](?:https?:)?//""", part.text) or path.endswith("json")
    assert "style=" not in page.text
    assert "innerHTML" not in (await asked(app, "/docs/page.js")).text
