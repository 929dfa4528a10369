"""The strength of each kind of edge in causal graphs: how often two markets joined by such an edge
moved together.

`augury eval edges` measures the strengths on recorded prices and writes the table in this folder
(`FILE`). `docs/relations.md` says how good it is.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import Any, Final

from augury.relations.causal.paths import SAME_KIND, STRENGTH, Step

Kind = str
"""Kind of an edge of a causal graph: what joins the two markets at its ends, and whether it says in
which direction they move.

- `logic +`: one market implies the other or asks the same; `logic -`: one excludes the other, or at
  least one of them has to come true;
- `cause 3`, `cause 2`, `cause 1`: the factor (thing in the world) of one market drives that of the
  other; the number is the strength that people gave to the relation, 3 is the largest; `cause far`:
  several such steps;
- `link 3`, `link 2`, `link 1`: the factors of the two markets move together, and neither causes the
  other; `sibling`: the two factors are the same kind of thing, e.g. the rates of two central banks;
  `subject`: both markets are about the same factor;
- ` ?` at the end: the edge does not say in which direction the markets move.
"""

UNRELATED: Final[Kind] = "unrelated"
"""Kind of a pair of markets without any relation. Its strength says how often such markets move
together by chance."""
SUBJECT: Final[Kind] = "subject ?"
"""Kind of an edge between two markets about the same factor (thing in the world). The "?" says that
the direction is unknown, as in `Kind`."""
FILE: Final = "strengths.json"
"""Name of the file with the measured strengths of all kinds of edges."""

_LEVELS: Final = {weight: level for level, weight in STRENGTH.items()}


def kind(steps: Sequence[Step], *, causal: bool, signed: bool) -> Kind:
    """The kind (`Kind`) of an edge between two markets, from the path between their factors (things
    in the world).

    steps : the steps of the path; empty if both markets are about the same factor
    causal : whether the edge is causal; otherwise the markets only move together
    signed : whether the edge says in which direction the markets move
    """
    if not steps:
        return SUBJECT
    if steps[-1].reason == SAME_KIND:
        name = "sibling"
    elif causal and len(steps) > 1:
        name = "cause far"
    else:
        name = f"{'cause' if causal else 'link'} {_LEVELS[steps[-1].weight]}"
    return name if signed else f"{name} ?"


def logical(sign: int) -> Kind:
    """The kind (`Kind`) of a logical edge, such as "A implies B".

    sign : +1 if both probabilities rise together, -1 if one falls when the other rises
    """
    return "logic +" if sign > 0 else "logic -"


def strength(of: Kind) -> float | None:
    """The measured strength of a kind of edge, 0 to 1; None if it was not measured.

    Such an edge joins two markets. A day is counted only if at least one of the two markets moved
    on it. The strength is the share of the counted days on which both moved as the edge says. If
    the edge says nothing about the direction, a day on which both moved counts one half.
    """
    found = table()["kinds"].get(of)
    return None if found is None else float(found["strength"])


def unrelated() -> float:
    """How often unrelated markets move together by chance: a share of days, 0 to 1, as in
    `strength`."""
    return float(table()["kinds"][UNRELATED]["strength"])


@cache
def table() -> dict[str, Any]:
    """The table of measured strengths of edges shipped with this version, read once for each
    process. It has the fields that `graph.fit.measure` describes."""
    text = resources.files("augury.graph").joinpath(FILE).read_text(encoding="utf-8")
    return dict(json.loads(text))
