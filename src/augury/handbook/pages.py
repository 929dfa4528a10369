"""The pages of the documentation as Markdown: where they are, in which order they come, and how
they link to each other.

A page's name is its path below `docs/` without the file extension: `search`,
`adr/0001-search-engine`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from augury.handbook.notebooks import ipynb

PACKED = Path(__file__).parent / "pages"
"""Folder of the hand-written pages in an installed wheel: a copy of `docs/`. A checkout has no such
folder. The other pages are generated."""
DOCS_IN_CHECKOUT = Path(__file__).parents[3] / "docs"
"""Folder of the hand-written pages in a checkout of the repository. The other pages are
generated."""
BUILT = Path(__file__).parent / "dist"
"""Folder to which `augury docs` writes the documentation as a website. The service reads the
website from this folder, and the wheel contains it."""
NOTEBOOKS = "notebooks"
"""Name of the folder of the notebooks, below the folder of the pages."""
_CODE_OR_LINK = re.compile(
    r"^```.*?^```[ \t]*$|``.+?``"
    r"|(!?)\[((?:[^\[\]`]|`[^`\n]*`|\[[^\]]*\])*)\]\(([^()\s]+)\)"
    r"|`[^`\n]+`",
    re.DOTALL | re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Section:
    """A section of the documentation's table of contents, e.g. tutorials."""

    title: str
    about: str
    """What the section is for, in one sentence."""
    pages: tuple[str, ...]
    """Names of the section's pages, in the order in which to read them."""


def folder() -> Path:
    """The folder of the hand-written pages: that of the installed wheel or, in a checkout,
    `docs/`."""
    return PACKED if PACKED.is_dir() else DOCS_IN_CHECKOUT


@cache
def contents(source: Path | None = None) -> tuple[Section, ...]:
    """The sections of the documentation, from `contents.toml` in the folder `source` (by default
    that of the pages). Pages that belong to no section come last, in a section "Other"."""
    source = source or folder()
    text = (source / "contents.toml").read_text(encoding="utf-8")
    named = [
        Section(s["title"], s["about"], tuple(_pages_of(s, source)))
        for s in tomllib.loads(text)["section"]
    ]
    known = {name for section in named for name in section.pages}
    every = (p.relative_to(source).with_suffix("").as_posix() for p in source.rglob("*.md"))
    rest = tuple(sorted(set(every) - known))
    if not rest:
        return tuple(named)
    return (*named, Section("Other", "Pages that belong to no other section.", rest))


def _pages_of(section: Mapping[str, Any], source: Path) -> Iterator[str]:
    """Names of the pages of a section in `contents.toml`: first those that it lists, then all
    others in the folder that it names, if it names one."""
    yield from section["pages"]
    if folder := section.get("folder"):
        names = [f"{folder}/{path.stem}" for path in sorted((source / folder).glob("*.md"))]
        yield from (name for name in names if name not in section["pages"])


def written(source: Path | None = None) -> dict[str, str]:
    """The pages that people wrote: page name -> Markdown. Links to files outside the documentation
    become plain text."""
    source = source or folder()
    found = {}
    for path in sorted(source.rglob("*.md")):
        name = path.relative_to(source).with_suffix("").as_posix()
        found[name] = _links_inside(path.read_text(encoding="utf-8"), path.parent, source)
    return found


def notebooks(source: Path | None = None) -> dict[str, str]:
    """The notebooks: path below `/docs` -> content in Jupyter's format."""
    found = sorted(((source or folder()) / NOTEBOOKS).glob("*.py"))
    return {f"{NOTEBOOKS}/{p.stem}.ipynb": ipynb(p.read_text(encoding="utf-8")) for p in found}


def relinked(text: str, link: Callable[[str, str], str | None]) -> str:
    """A page's Markdown with its links replaced. Code and pictures are left as they are.

    link : gets the text and the target of a link, and returns the Markdown to put in its place;
        None keeps the link
    """

    def replaced(match: re.Match[str]) -> str:
        if match[3] is None or match[1]:
            return match[0]
        other = link(match[2], match[3])
        return match[0] if other is None else other

    return _CODE_OR_LINK.sub(replaced, text)


def _links_inside(text: str, here: Path, source: Path) -> str:
    """A page's Markdown with two kinds of links changed. A link to a file outside the documentation
    becomes plain text. A link to a notebook leads to the address at which the service serves it,
    `/docs/...`. All other links are kept.

    here : folder of the page
    source : folder of all pages
    """

    def link(shown: str, target: str) -> str | None:
        path = target.partition("#")[0]
        if not path or "://" in path or path.startswith(("mailto:", "/")):
            return None
        inside = (here / path).resolve()
        if inside.parent == (source / NOTEBOOKS).resolve() and inside.suffix == ".py":
            return f"[{shown}](/docs/{NOTEBOOKS}/{inside.stem}.ipynb)"
        if inside.suffix == ".md" and inside.is_relative_to(source.resolve()):
            return None  # if the page does not exist, building the site fails and names the link
        return shown

    return relinked(text, link)


GENERATED = (
    "reference-commands",
    "reference-api",
    "reference-errors",
    "reference-metrics",
    "reference-tools",
)
"""Names of the pages that `reference.py` makes."""


def title(text: str) -> str:
    """The title of a page, given its Markdown: the first heading, or "Untitled" without one."""
    found = re.search(r"^# (.+)$", text, re.MULTILINE)
    return found[1].strip() if found else "Untitled"


def summary(text: str) -> str:
    """The first sentence of a page's first paragraph, given the page's Markdown, as plain text of
    at most 160 characters."""
    for part in re.split(r"\n\s*\n", text):
        line = " ".join(part.split())
        if line and line[0] not in "#|`<!-*":
            plain = re.sub(r"\[([^\[\]]*)\]\([^)]*\)", r"\1", line)
            plain = plain.replace("**", "").replace("`", "")
            first = re.split(r"(?<=[.!?])\s", plain, maxsplit=1)[0]
            return first if len(first) <= 160 else first[:157].rsplit(" ", 1)[0] + " ..."
    return ""


def listing(pages: Mapping[str, str]) -> str:
    """The content of `llms.txt`: all pages by section, each with the address of its Markdown and
    its summary. `pages`: page name -> Markdown."""
    lines = [
        "# Augury",
        "",
        "> Search, forecasts, realized volatility and alerts over prediction markets, self-hosted.",
        "",
        "The OpenAPI document of the API is at /openapi.json, tools for language models are at "
        "/mcp.",
        "All pages in one text: /llms-full.txt",
    ]
    for section in contents():
        lines += ["", f"## {section.title}", ""]
        for name in section.pages:
            if (text := pages.get(name)) is not None:
                about = summary(text)
                lines.append(
                    f"- [{title(text)}](/docs/{name}.md)" + (f": {about}" if about else "")
                )
    return "\n".join(lines) + "\n"


def whole_text(pages: Mapping[str, str]) -> str:
    """The content of `llms-full.txt`: all pages of the table of contents in one text. `pages`: page
    name -> Markdown."""
    named = [name for section in contents() for name in section.pages if name in pages]
    return (
        "\n\n".join(f"<!-- /docs/{name}.md -->\n\n{pages[name].strip()}" for name in named) + "\n"
    )
