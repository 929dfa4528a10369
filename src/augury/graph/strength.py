"""How strong an edge of a kind is: how often its markets moved together. Pure.

The table beside this file is made by `augury eval edges` from recorded prices; `docs/relations.md`
says how good it is.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import Any, Final

from augury.relations.paths import SAME_KIND, STRENGTH, Step

Kind = str
"""Of an edge: what joins its two markets, and whether it says which way they move.

- `logic +`: the one implies the other or is the same; `logic -`: one excludes the other, or one of
  the two has to come true;
- `cause 3`, `cause 2`, `cause 1`: one causal step, by the weight it has in the base (3: main);
  `cause far`: two;
- `link 3`, `link 2`, `link 1`: what moves along without an arrow; `sibling`: another of its kind;
  `subject`: about the same, in another respect;
- with ` ?` behind it: the edge does not say which way.
"""

UNRELATED: Final[Kind] = "unrelated"
"""Kind of two markets without a relation: shows what chance alone gives."""
SUBJECT: Final[Kind] = "subject ?"
FILE: Final = "strengths.json"

_LEVELS: Final = {weight: level for level, weight in STRENGTH.items()}


def kind(steps: Sequence[Step], *, causal: bool, signed: bool) -> Kind:
    """The kind of an edge over some steps of the base.

    causal : an arrow; else what moves along
    signed : whether the edge says which way the one moves with the other
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
    """The kind of an edge of logic: +1 where both rise together, -1 where one falls."""
    return "logic +" if sign > 0 else "logic -"


def strength(of: Kind) -> float | None:
    """Of the days on which at least one of two markets joined by such an edge moved, the share on
    which both did, and the way the edge says (by lot where it says none); in [0, 1]. None: no
    recorded markets showed it."""
    found = table()["kinds"].get(of)
    return None if found is None else float(found["strength"])


def unrelated() -> float:
    """The same share of markets that nothing joins."""
    return float(table()["kinds"][UNRELATED]["strength"])


@cache
def table() -> dict[str, Any]:
    """The measured table: `provenance`, `kinds` and how they did on later days."""
    text = resources.files("augury.graph").joinpath(FILE).read_text(encoding="utf-8")
    return dict(json.loads(text))
