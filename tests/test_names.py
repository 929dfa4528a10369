"""One name, one meaning: a class of Augury is known by its name alone."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src" / "augury"

TWO_MEANINGS: frozenset[str] = frozenset()
"""Names of public classes that may stand in several modules. Empty: keep it so."""


def test_no_two_public_classes_share_a_name() -> None:
    places: dict[str, list[str]] = defaultdict(list)
    for path in SOURCE.rglob("*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(path.relative_to(SOURCE).as_posix())
    shared = {name: sorted(found) for name, found in places.items() if len(found) > 1}
    assert not {name: found for name, found in shared.items() if name not in TWO_MEANINGS}
    assert set(shared) >= TWO_MEANINGS, "an allowed name that is not shared any more"
