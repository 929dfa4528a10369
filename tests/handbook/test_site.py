"""The site as `augury docs` builds it: complete, without dead links, under the service's policy."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from augury.errors import SetupProblem
from augury.handbook import pages, reference, site

ABOVE = ("../openapi", "../llms", "../mcp")
"""Addresses of the service beside `/docs`."""


class Links(HTMLParser):
    """What a page refers to, the places on it, and what a strict policy would refuse."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.targets: list[str] = []
        self.places: set[str] = set()
        self.inline: list[str] = []
        self._open = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.targets += [v for k, v in attrs if k in ("href", "src") and v]
        self.places |= {v for k, v in attrs if k == "id" and v}
        self.inline += [f"{k}={v}" for k, v in attrs if k == "style" or k.startswith("on")]
        self._open = tag if tag in ("script", "style") and "src" not in given else ""

    def handle_data(self, data: str) -> None:
        if self._open and data.strip():
            self.inline.append(data)

    def handle_endtag(self, tag: str) -> None:
        self._open = ""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("docs") / "site"
    names = site.build(out)
    assert json.loads((out / site.MANIFEST).read_text())["files"] == names
    return out


def test_every_page_is_there_as_html_and_as_markdown(made: Path) -> None:
    listed = {name for section in pages.contents() for name in section.pages}
    assert listed == set(pages.written()) | set(pages.GENERATED)
    for name in listed:
        text = (made / f"{name}.html").read_text()
        assert f'href="{name.rpartition("/")[2]}.md"' in text
        assert (made / f"{name}.md").read_text().lstrip().startswith("# "), name
        assert f"(/docs/{name}.md)" in (made / "llms.txt").read_text()
    assert "searchtools" in (made / "search.html").read_text()
    assert "quarantin" in (made / "searchindex.js").read_text()


def test_no_link_is_dead_and_nothing_comes_from_elsewhere(made: Path) -> None:
    found = {p: Links(p.read_text()) for p in made.rglob("*.html")}
    for path, page in found.items():
        assert page.inline == [], path
        for target in page.targets:
            address, _, place = target.partition("#")
            if target.startswith(("https://", "http://")):
                continue  # a link to follow; what is loaded is checked below
            if address.replace("../../", "../").startswith(ABOVE) or address in ("api", "../api"):
                continue
            there = (path.parent / address.partition("?")[0]).resolve() if address else path
            assert there.is_file(), f"{path.name}: {target}"
            if place and there.suffix == ".html":
                assert place in found[there].places, f"{path.name}: {target}"
        text = path.read_text()
        assert not re.findall(r'<(?:script|img|iframe)[^>]+src="https?:', text), path
        assert not re.findall(r'<link[^>]+rel="stylesheet"[^>]+href="https?:', text), path


def test_a_folder_of_somebody_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(SetupProblem, match="other files"):
        site.check(tmp_path)
    assert (tmp_path / "thesis.txt").read_text() == "mine"


def test_what_is_generated_holds_what_the_code_has() -> None:
    made = reference.pages()
    assert set(made) == set(pages.GENERATED)
    commands = made["reference-commands"]
    assert all(f"## augury {name}\n" in commands for name in reference.every_command())
    assert "`--top-k` | whole number, 1 to 100 | `10` |" in commands
    assert "### POST /v1/forecast\n" in made["reference-api"]
    assert "`rate_limited` | 429" in made["reference-errors"]
    assert "`augury_data_age_seconds` | gauge" in made["reference-metrics"]
    assert "## forecast\n" in made["reference-tools"]


def test_links_out_of_the_documentation_are_text() -> None:
    text = pages.relinked("[a](b.md) `[c](d)` [`e`](f.py) ![g](h.svg)", lambda shown, _: shown)
    assert text == "a `[c](d)` `e` ![g](h.svg)"
