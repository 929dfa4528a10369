"""The list of factors for people to read, in pages, filtered by words and domain. Each factor is
shown with its causes and effects, and with the reason for each. Pure.

A factor is something in the world that markets are about. A pattern gives many factors, one for
each entity of a list (e.g. each team). Only the first of them is listed.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from augury.relations.causal.judged import Judged
from augury.relations.causal.judged_counts import EdgeKind, judged_block
from augury.relations.causal.knowledge import Base
from augury.relations.causal.parts import Factor


@dataclass(frozen=True, slots=True)
class FactorListing:
    """The factors (things in the world that markets are about) that people can list; and for each,
    what it drives, what drives it and what moves with it."""

    factors: tuple[Factor, ...]
    """The listed factors, sorted by name: all factors that were written by hand and, of those made
    from one pattern (one for each team, country ...), only the first."""
    texts: tuple[str, ...]
    """For each of `factors`, the text that a search looks through. It consists of the factor's
    name, `up` (what a rise of the factor means), key and domain, in lower case. A search finds the
    factor if this text contains all the words searched for."""
    instances: dict[str, int]
    """Key of a pattern -> number of factors made from it (e.g. one for each team). A factor written
    by hand has its own key here, with the number 1."""
    drives: dict[str, list[dict[str, Any]]]
    """Key of a factor -> its effects, the strongest first, as the API shows them. `driven_by`: its
    causes; `moves_with`: the factors that move with it."""
    driven_by: dict[str, list[dict[str, Any]]]
    moves_with: dict[str, list[dict[str, Any]]]
    domains: tuple[str, ...]
    """All subject areas, e.g. "macro"."""


@lru_cache(maxsize=1)
def listing(base: Base, judged: Judged) -> FactorListing:
    """Prepare the list of factors for people: each factor with its edges and links, and with
    the verdict on each of them, if `judged` has one. Of the factors made from one pattern (one
    for each team, country ...), only the first is listed. The result is cached."""
    instances = Counter(factor.pattern for factor in base.factors.values())
    first: dict[str, Factor] = {}
    for factor in base.factors.values():
        first.setdefault(factor.pattern, factor)
    shown = sorted(first.values(), key=_place)
    keys = {factor.key for factor in shown}
    drives: dict[str, list[dict[str, Any]]] = defaultdict(list)
    driven_by: dict[str, list[dict[str, Any]]] = defaultdict(list)
    moves_with: dict[str, list[dict[str, Any]]] = defaultdict(list)

    numbers = {key: number for number, key in enumerate(base.factors, 1)}

    def add(
        group: dict[str, list[dict[str, Any]]], kind: EdgeKind, one: str, other: str, about: _About
    ) -> None:
        if one in keys:
            verdict = judged.verdict(numbers[one], numbers[other])
            arrow = {"key": other, "name": base.factors[other].name, **about}
            group[one].append(arrow | {"judged": judged_block(verdict, kind)})

    for edge in base.edges:
        about = _about(edge.sign, edge.strength, edge.lag, edge.reason)
        add(drives, "drives", edge.cause, edge.effect, about)
        add(driven_by, "driven_by", edge.effect, edge.cause, about)
    for link in base.links:
        about = _about(link.sign, link.strength, None, link.reason)
        add(moves_with, "moves_with", link.one, link.other, about)
        add(moves_with, "moves_with", link.other, link.one, about)
    for group in (drives, driven_by, moves_with):
        for arrows in group.values():
            arrows.sort(key=lambda a: (-a["strength"], a["name"].casefold()))
    return FactorListing(
        tuple(shown),
        tuple(f"{f.name} {f.up} {f.key} {f.domain}".casefold() for f in shown),
        dict(instances),
        drives,
        driven_by,
        moves_with,
        tuple(sorted({factor.domain for factor in shown})),
    )


_About = dict[str, Any]


def _about(sign: str, strength: int, lag: int | None, reason: str) -> _About:
    return {"sign": sign, "strength": strength, "lag_days": lag, "reason": reason}


def _place(factor: Factor) -> tuple[str, str]:
    return factor.name.casefold(), factor.key


def find(
    held: FactorListing, words: str, domain: str | None, after: tuple[str, str] | None, limit: int
) -> tuple[list[dict[str, Any]], int, tuple[str, str] | None]:
    """One page of the list of factors (things in the world that markets are about), sorted by name.
    Returns three things: the factors on the page; the number of factors on all pages; and the
    position to pass as `after` for the next page (None on the last page).

    words : only factors whose text contains all these words (see `FactorListing.texts`)
    domain : only factors of this domain (subject area); None: of all domains
    """
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


def _shown(held: FactorListing, factor: Factor) -> dict[str, Any]:
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
