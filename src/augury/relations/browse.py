"""The factor base a page at a time: found by words and domain, each arrow with its reason. Pure."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from augury.relations.causal_parts import Factor
from augury.relations.knowledge import Base


@dataclass(frozen=True, slots=True)
class Shelf:
    """The factors that are shown, one a pattern, by name, with the arrows of each."""

    factors: tuple[Factor, ...]
    texts: tuple[str, ...]
    """What is searched of each, in lower case."""
    instances: dict[str, int]
    drives: dict[str, list[dict[str, Any]]]
    driven_by: dict[str, list[dict[str, Any]]]
    moves_with: dict[str, list[dict[str, Any]]]
    domains: tuple[str, ...]


@lru_cache(maxsize=1)
def shelf(base: Base) -> Shelf:
    """The base as it is browsed; made once."""
    instances = Counter(factor.pattern for factor in base.factors.values())
    first: dict[str, Factor] = {}
    for factor in base.factors.values():
        first.setdefault(factor.pattern, factor)
    shown = sorted(first.values(), key=_place)
    keys = {factor.key for factor in shown}
    drives: dict[str, list[dict[str, Any]]] = defaultdict(list)
    driven_by: dict[str, list[dict[str, Any]]] = defaultdict(list)
    moves_with: dict[str, list[dict[str, Any]]] = defaultdict(list)

    def arrow(other: str, sign: str, strength: int, lag: int | None, reason: str) -> dict[str, Any]:
        return {
            "key": other,
            "name": base.factors[other].name,
            "sign": sign,
            "strength": strength,
            "lag_days": lag,
            "reason": reason,
        }

    for edge in base.edges:
        about = edge.sign, edge.strength, edge.lag, edge.reason
        if edge.cause in keys:
            drives[edge.cause].append(arrow(edge.effect, *about))
        if edge.effect in keys:
            driven_by[edge.effect].append(arrow(edge.cause, *about))
    for link in base.links:
        for one, other in ((link.one, link.other), (link.other, link.one)):
            if one in keys:
                moves_with[one].append(arrow(other, link.sign, link.strength, None, link.reason))
    for group in (drives, driven_by, moves_with):
        for arrows in group.values():
            arrows.sort(key=lambda a: (-a["strength"], a["name"].casefold()))
    return Shelf(
        tuple(shown),
        tuple(f"{f.name} {f.up} {f.key} {f.domain}".casefold() for f in shown),
        dict(instances),
        drives,
        driven_by,
        moves_with,
        tuple(sorted({factor.domain for factor in shown})),
    )


def _place(factor: Factor) -> tuple[str, str]:
    return factor.name.casefold(), factor.key


def find(
    base: Base, words: str, domain: str | None, after: tuple[str, str] | None, limit: int
) -> tuple[list[dict[str, Any]], int, tuple[str, str] | None]:
    """A page of the factors that have all `words`, by name; how many have them; where the next
    page begins."""
    held = shelf(base)
    wanted = words.casefold().split()
    found: Sequence[Factor] = [
        factor
        for factor, text in zip(held.factors, held.texts, strict=True)
        if (domain is None or factor.domain == domain) and all(word in text for word in wanted)
    ]
    rest = [factor for factor in found if after is None or _place(factor) > after]
    page = rest[:limit]
    following = _place(page[-1]) if len(rest) > limit else None
    return [_shown(held, factor) for factor in page], len(found), following


def _shown(held: Shelf, factor: Factor) -> dict[str, Any]:
    return {
        "key": factor.key,
        "name": factor.name,
        "up": factor.up,
        "domain": factor.domain,
        "instances": held.instances[factor.pattern],
        "drives": held.drives.get(factor.key, []),
        "driven_by": held.driven_by.get(factor.key, []),
        "moves_with": held.moves_with.get(factor.key, []),
    }
