"""Builds the documentation as a site of static files: each page as HTML and as Markdown, and a
search.

The site is made by Sphinx with the theme Furo (docs/adr/0023). They come with `augury[docs]` and
are needed only to build the site. If a link leads to a page or heading that does not exist, the
build fails.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path, PurePosixPath
from typing import Any, Final

from augury import __version__
from augury.errors import SetupProblem
from augury.handbook import pages

MANIFEST: Final = "manifest.json"
"""Name of the file that lists all files of the built documentation website."""
_INLINE = re.compile(r"<(script|style)>(.*?)</\1>", re.DOTALL)
_PICTURE = re.compile(r"!\[([^\]\n]*)\]\(([^()\s]+)\)")
_STYLE = re.compile(r'(<\w[^<>]*?) style="([^"]*)"')
_LEFT_OUT = ("objects.inv", ".buildinfo", "genindex.html", "_sources")
_CONFIGURATION: Final[dict[str, Any]] = {
    "extensions": ["myst_parser"],
    "project": "Augury",
    "release": __version__,
    "html_theme": "furo",
    "html_title": "Augury",
    "html_copy_source": False,
    "html_show_sourcelink": False,
    "html_show_sphinx": False,
    "html_show_copyright": False,
    "html_use_index": False,
    "html_theme_options": {"top_of_page_buttons": []},
    "myst_heading_anchors": 6,
    "myst_links_external_new_tab": False,
    "suppress_warnings": ["misc.highlighting_failure", "toc.not_included"],
}


def build(out: Path) -> list[str]:
    """Build the site, and replace the folder `out` by it in one step. Returns the names of the
    site's files.

    Raises
    ------
    SetupProblem
        Links lead to pages or headings that do not exist (the error names them), or `out` contains
        files other than an earlier build.
    """
    from augury.handbook import reference

    check(out)
    for needed in ("sphinx", "myst_parser", "furo"):
        if find_spec(needed) is None:
            raise ModuleNotFoundError(name=needed)
    texts = pages.written() | reference.pages()
    with tempfile.TemporaryDirectory(prefix="augury-docs-") as work:
        made = Path(work) / "made"
        _sphinx(texts, Path(work), made)
        for name, text in texts.items():
            (made / f"{name}.md").write_text(text, encoding="utf-8")
        for name, text in pages.notebooks().items():
            (made / name).parent.mkdir(exist_ok=True)
            (made / name).write_text(text, encoding="utf-8")
        (made / "llms.txt").write_text(pages.listing(texts), encoding="utf-8")
        (made / "llms-full.txt").write_text(pages.whole_text(texts), encoding="utf-8")
        names = sorted(p.relative_to(made).as_posix() for p in made.rglob("*") if p.is_file())
        (made / MANIFEST).write_text(json.dumps({"version": __version__, "files": names}))
        out.parent.mkdir(parents=True, exist_ok=True)
        beside = out.with_name(out.name + ".new")
        shutil.rmtree(beside, ignore_errors=True)
        shutil.copytree(made, beside)
        shutil.rmtree(out, ignore_errors=True)
        beside.rename(out)
    return names


def check(out: Path) -> None:
    """Raise SetupProblem if the folder `out` contains anything but an earlier build of the site,
    because a new build would delete it."""
    if out.is_dir() and any(out.iterdir()) and not (out / MANIFEST).exists():
        raise SetupProblem(
            f"{out} contains other files, which the build would delete. Give an empty or a new "
            "folder."
        )


def _sphinx(texts: Mapping[str, str], work: Path, made: Path) -> None:
    source = work / "source"
    shutil.copytree(pages.folder(), source, ignore=shutil.ignore_patterns("*.md", "*.py", "*.toml"))
    for name, text in texts.items():
        path = source / f"{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_for_sphinx(name, text, texts), encoding="utf-8")
    settings = "".join(f"{name} = {value!r}\n" for name, value in _CONFIGURATION.items())
    (source / "conf.py").write_text(settings, encoding="utf-8")
    # In a separate process, because Sphinx changes global state of Python
    # (warnings, locale, docutils).
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-P", "-W", "ignore", "-m", "sphinx", "--builder", "html", "--quiet",
         "--doctree-dir", work / "doctrees", "--no-color", source, made],
        capture_output=True, text=True, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    if done.returncode or done.stderr.strip():
        output = done.stderr.replace(f"{source.resolve()}/", "docs/").replace(f"{source}/", "docs/")
        raise SetupProblem(f"The documentation can't be built. Output of Sphinx:\n{output.strip()}")
    for name in _LEFT_OUT:
        shutil.rmtree(made / name, ignore_errors=True)
        (made / name).unlink(missing_ok=True)
    for path in made.rglob("*.html"):
        path.write_text(_finished(path, made, texts), encoding="utf-8")


def _for_sphinx(name: str, text: str, texts: Mapping[str, str]) -> str:
    """The Markdown of the page `name`, prepared for Sphinx: links to paths of the service (/docs,
    /v1 ...) become relative, so that they work wherever the site is served; a picture whose file is
    missing becomes its description; the first page gets the table of contents.

    texts : page name -> Markdown, for all pages
    """
    up = "../" * name.count("/")

    def link(shown: str, target: str) -> str | None:
        if not target.startswith("/"):
            return None
        inside = target.removeprefix("/docs/")
        address = f"{up}{inside}" if inside != target else f"{up}..{target}"
        return f'<a class="reference external" href="{address}">{shown}</a>'

    def picture(match: re.Match[str]) -> str:
        there = (pages.folder() / name).parent / match[2]
        return match[0] if "://" in match[2] or there.is_file() else f"*{match[1]}*"

    text = _PICTURE.sub(picture, pages.relinked(text, link))
    if name != "index":
        return text
    lines = [text]
    for section in pages.contents():
        names = [n for n in section.pages if n in texts and n != "index"]
        if names:
            lines += ["", "```{toctree}", ":hidden:", f":caption: {section.title}", ""]
            lines += [*names, "```"]
    return "\n".join(lines) + "\n"


def _finished(path: Path, made: Path, texts: Mapping[str, str]) -> str:
    """The finished HTML of the page in the file `path`. Inline scripts and styles are moved to
    files, because the service's Content-Security-Policy forbids inline ones, and a link to the
    page's Markdown is added.

    made : folder of the site
    texts : page name -> Markdown, for all pages
    """
    here = path.relative_to(made)
    up = "../" * (len(here.parts) - 1)

    def outside(match: re.Match[str]) -> str:
        kind, body = match[1], match[2]
        digest = hashlib.sha256(body.encode()).hexdigest()[:12]
        name = f"_static/inline-{digest}.{'js' if kind == 'script' else 'css'}"
        (made / name).write_text(body, encoding="utf-8")
        if kind == "script":
            return f'<script src="{up}{name}"></script>'
        return f'<link rel="stylesheet" href="{up}{name}">'

    def named(match: re.Match[str]) -> str:
        digest = hashlib.sha256(match[2].encode()).hexdigest()[:12]
        styles.setdefault(digest, f'[data-style="{digest}"] {{ {match[2]} }}\n')
        return f'{match[1]} data-style="{digest}"'

    text, styles = path.read_text(encoding="utf-8"), dict[str, str]()
    text = _STYLE.sub(named, text)
    text = text.replace("</head>", f"<style>{''.join(styles.values())}</style>\n</head>", 1)
    text = _INLINE.sub(outside, text)
    name = PurePosixPath(here).with_suffix("").as_posix()
    if name in texts:
        markdown = f"{here.stem}.md"
        alternate = f'<link rel="alternate" type="text/markdown" href="{markdown}">\n</head>'
        text = text.replace("</head>", alternate, 1)
        shown = f'<div class="left-details">\n<a href="{markdown}">This page as Markdown</a>'
        text = text.replace('<div class="left-details">', shown, 1)
    return text
