"""The examples of the documentation: what each block is, and why some are not run."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(
    r"(?:^<!-- not run: (?P<reason>[^>]+?) -->\n+)?^```(?P<language>\w*)\n(?P<text>.*?)^```",
    re.DOTALL | re.MULTILINE,
)
COMMAND = re.compile(
    r"^(?:\$ |(?:\./)?augury |curl |pip |python3? |docker |sudo |export |npm |git |systemctl )",
    re.MULTILINE,
)
RUN = {"sh", "python"}
READ = {"json", "toml"}
SHOWN = {"text", "ini", "js", "ts"}


@dataclass(frozen=True, slots=True)
class Example:
    """A block of code on a page; `reason` says why it is not run."""

    page: str
    line: int
    language: str
    text: str
    reason: str | None

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


def pages() -> list[Path]:
    """Pages whose examples are for readers; records of the past are not."""
    docs = ROOT / "docs"
    return [ROOT / "README.md", *sorted(docs.glob("*.md"))]


def of(page: Path) -> list[Example]:
    """Every block of a page."""
    text = page.read_text(encoding="utf-8")
    name = page.relative_to(ROOT).as_posix()
    return [
        Example(name, text.count("\n", 0, m.start()) + 1, m["language"], m["text"], m["reason"])
        for m in BLOCK.finditer(text)
    ]


def run_on(page: Path, language: str) -> str:
    """All blocks of a page in one language that are to be run, one after the other."""
    return "\n".join(e.text for e in of(page) if e.language == language and e.reason is None)
