"""The glossary and the code use the same words."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.source_code import SOURCE, tree_of
from tests.source_code import modules as files

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")


class Term(NamedTuple):
    name: str
    meaning: str
    home: str
    unused: tuple[str, ...]


def terms() -> Iterator[Term]:
    for name, meaning, home, unused in re.findall(
        r"^\| ([^|]+) \| ([^|]+) \| `([\w.]+)` \| ([^|]+) \|$", PAGE, re.MULTILINE
    ):
        yield Term(name, meaning, home, tuple(unused.split(", ")))


TERMS = list(terms())


def names_in(body: list[ast.stmt], within: str = "") -> Iterator[str]:
    """Names of a module or class, those of its classes as `Class.name`."""
    for part in body:
        if isinstance(part, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield within + part.name
            if isinstance(part, ast.ClassDef):
                yield from names_in(part.body, f"{within}{part.name}.")
        elif isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name):
            yield within + part.target.id
        elif isinstance(part, ast.Assign):
            yield from (within + t.id for t in part.targets if isinstance(t, ast.Name))


@cache
def modules() -> dict[str, frozenset[str]]:
    """What each module of Augury defines, by its dotted name. Read, not imported."""
    found = {}
    for path in files():
        parts = path.relative_to(SOURCE).with_suffix("").parts
        name = ".".join(part for part in parts if part != "__init__")
        found[name] = frozenset(names_in(tree_of(path).body))
    return found


def words_of(name: str) -> list[str]:
    """`VenueError` and `venue_error` are both: venue, error."""
    return [w.lower() for w in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)]


@cache
def public_names() -> dict[tuple[str, ...], str]:
    """The words of every public module, class, function and method, with one place of it."""
    found: dict[tuple[str, ...], str] = {}
    for module, names in modules().items():
        for name in (*module.split("."), *(last for n in names for last in [n.split(".")[-1]])):
            if name and not name.startswith("_") and not name.isupper():
                found.setdefault(tuple(words_of(name)), f"{module}: {name}")
    return found


def test_the_page_is_read_whole() -> None:
    rows = [line for line in PAGE.splitlines() if line.startswith("| ")]
    heads = sum(line.startswith("| term |") for line in rows)
    assert len(TERMS) == len(rows) - heads
    assert len(TERMS) >= 60
    assert len({term.name for term in TERMS}) == len(TERMS)


@pytest.mark.parametrize("term", TERMS, ids=lambda term: term.name)
def test_the_home_of_a_term_exists(term: Term) -> None:
    if term.home in modules():
        return
    module = term.home
    while module not in modules():
        module, _, _ = module.rpartition(".")
        assert module, f"{term.home}: there is no such module"
    name = term.home.removeprefix(f"{module}.")
    # A package is a home too, whichever of its modules holds the thing.
    inside = [names for m, names in modules().items() if f"{m}.".startswith(f"{module}.")]
    assert any(name in names for names in inside), f"{module} has no {name}"


@pytest.mark.parametrize("term", TERMS, ids=lambda term: term.name)
def test_a_concept_has_one_word(term: Term) -> None:
    for word in term.unused:
        unused = words_of(word)
        for name, place in public_names().items():
            places = range(len(name) - len(unused) + 1)
            used = any(list(name[at : at + len(unused)]) == unused for at in places)
            assert not used, f"{place}: the glossary says {term.name!r} for {word!r}"


def test_no_two_classes_share_a_name() -> None:
    homes: dict[str, list[str]] = {}
    for path in files():
        for part in tree_of(path).body:
            if isinstance(part, ast.ClassDef):
                homes.setdefault(part.name, []).append(path.stem)
    assert {name: places for name, places in homes.items() if len(places) > 1} == {}


PLAIN = frozenset(
    "B BINS FOLDS FORMAT GONE HOUR K1 MARGIN PADDING PORT ROUNDS SEED WEEK Z80 FF FT TF TT".split()
)
"""One-word names of numbers whose quantity and unit the word itself tells, or the field's own."""


def is_number(value: ast.expr | None) -> bool:
    if isinstance(value, ast.UnaryOp):
        return is_number(value.operand)
    if isinstance(value, ast.BinOp):
        return is_number(value.left) and is_number(value.right)
    if isinstance(value, ast.Call):
        return isinstance(value.func, ast.Name) and value.func.id == "timedelta"
    return isinstance(value, ast.Constant) and type(value.value) in (int, float)


def test_the_name_of_a_number_tells_its_quantity() -> None:
    """`MAX_MARKETS` and `DRAIN_SECONDS`, not `MOST` and `DRAIN`."""
    found = []
    for path in files():
        for part in tree_of(path).body:
            targets = (
                [part.target] if isinstance(part, ast.AnnAssign)
                else part.targets if isinstance(part, ast.Assign) else []
            )  # fmt: skip
            names = [t.id for t in targets if isinstance(t, ast.Name) and t.id.isupper()]
            if names and is_number(getattr(part, "value", None)):
                found += [
                    f"{path.relative_to(SOURCE)}: {name}"
                    for name in names
                    if "_" not in name and name not in PLAIN
                ]
    assert not found
