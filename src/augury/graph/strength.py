"""The strength of each kind of edge: how often markets joined by such an edge moved together.

The table in this folder (`FILE`) is written by `augury eval edges` from recorded prices;
`docs/relations.md` says how good it is.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import Any, Final

from augury.relations.paths import SAME_KIND, STRENGTH, Step

Kind = str
"""Kind of an edge: what joins its two markets, and whether it says in which direction they move.

- `logic +`: one market implies the other or asks the same; `logic -`: one excludes the other, or at
  least one of them has to come true;
- `cause 3`, `cause 2`, `cause 1`: one causal step, by its weight in the factor base (3 is the
  largest); `cause far`: several steps;
- `link 3`, `link 2`, `link 1`: factors that move together without an arrow; `sibling`: the same
  thing elsewhere, e.g. another central bank's rate; `subject`: the same factor, in another respect;
- ` ?` at the end: the edge does not say in which direction the markets move.
"""

UNRELATED: Final[Kind] = "unrelated"
"""Kind of a pair of markets without a relation; its strength is what chance alone gives."""
SUBJECT: Final[Kind] = "subject ?"
FILE: Final = "strengths.json"

_LEVELS: Final = {weight: level for level, weight in STRENGTH.items()}


def kind(steps: Sequence[Step], *, causal: bool, signed: bool) -> Kind:
    """The kind of an edge that stands for these steps from factor to factor.

    causal : whether the edge is causal; otherwise its two ends only move together
    signed : whether the edge says in which direction they move
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
    """The kind of a logical edge. `sign`: +1 if both probabilities rise together, -1 if one falls
    when the other rises."""
    return "logic +" if sign > 0 else "logic -"


def strength(of: Kind) -> float | None:
    """The measured strength of a kind of edge, in [0, 1]; None if it was not measured.

    Take the days on which at least one of two markets joined by such an edge moved: the strength is
    the share of these days on which both moved as the edge says. If the edge claims no direction, a
    day on which both moved counts one half."""
    found = table()["kinds"].get(of)
    return None if found is None else float(found["strength"])


def unrelated() -> float:
    """The strength of pairs of unrelated markets: what chance alone gives, in [0, 1]."""
    return float(table()["kinds"][UNRELATED]["strength"])


@cache
def table() -> dict[str, Any]:
    """The measured table: `provenance`, `kinds` and `later` (scores on later days)."""
    text = resources.files("augury.graph").joinpath(FILE).read_text(encoding="utf-8")
    return dict(json.loads(text))
