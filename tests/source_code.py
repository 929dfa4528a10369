"""Augury's own source code, read once for all tests that look at it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src" / "augury"


@cache
def modules() -> tuple[Path, ...]:
    """All Python files of the package."""
    return tuple(sorted(SOURCE.rglob("*.py")))


@cache
def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(text_of(path))


@cache
def statements_of(path: Path) -> tuple[ast.stmt, ...]:
    """All statements of a file, also those inside others. Faster than `ast.walk`, because only a
    tenth of the nodes are statements."""
    return tuple(_statements(tree_of(path)))


def _statements(node: ast.AST) -> Iterator[ast.stmt]:
    for name in ("body", "orelse", "finalbody", "handlers", "cases"):
        for inner in getattr(node, name, ()):
            if isinstance(inner, ast.stmt):
                yield inner
            yield from _statements(inner)


def calls(word: str) -> list[tuple[Path, ast.Call]]:
    """All calls of any function in the files whose text has `word`, each with its file."""
    read = (path for path in modules() if word in text_of(path))
    return [(p, one) for p in read for one in ast.walk(tree_of(p)) if isinstance(one, ast.Call)]
