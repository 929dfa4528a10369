"""The factor base as one page to read and review, complete without a network. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache
from html import escape

from augury.relations.knowledge import Base, Edge, Factor, Link

_STRENGTH = {3: "main", 2: "clear", 1: "weak"}


@lru_cache(maxsize=1)
def page(base: Base) -> str:
    """HTML of all factors by domain; instances of a pattern are counted, the first one is shown."""
    effects: dict[str, list[Edge]] = defaultdict(list)
    causes: dict[str, list[Edge]] = defaultdict(list)
    links: dict[str, list[Link]] = defaultdict(list)
    for edge in base.edges:
        effects[edge.cause].append(edge)
        causes[edge.effect].append(edge)
    for link in base.links:
        links[link.one].append(link)
        links[link.other].append(link)
    shown: dict[str, list[Factor]] = defaultdict(list)
    instances: dict[str, int] = defaultdict(int)
    for factor in base.factors.values():
        instances[factor.pattern] += 1
        if instances[factor.pattern] == 1:
            shown[factor.domain].append(factor)
    body = [
        f"<section><h2>{escape(domain)}</h2>"
        + "".join(
            _factor(f, instances[f.pattern], effects[f.key], causes[f.key], links[f.key], base)
            for f in sorted(factors, key=lambda f: f.name.casefold())
        )
        + "</section>"
        for domain, factors in sorted(shown.items())
    ]
    return _PAGE.format(
        factors=f"{len(base.written):,}",
        instances=f"{len(base.factors) - len(base.written):,}",
        edges=f"{len(base.edges):,}",
        links=f"{len(base.links):,}",
        version=escape(base.version),
        body="".join(body),
    )


def _factor(
    factor: Factor,
    instances: int,
    effects: Sequence[Edge],
    causes: Sequence[Edge],
    links: Sequence[Link],
    base: Base,
) -> str:
    many = "" if factor.entity is None else f" <small>one of {instances} of its pattern</small>"
    rows = [_row("drives", base.factors, e.effect, e.sign, e.strength, e.reason, e.lag)
            for e in effects]  # fmt: skip
    rows += [_row("is driven by", base.factors, e.cause, e.sign, e.strength, e.reason, e.lag)
             for e in causes]  # fmt: skip
    rows += [
        _row(
            "moves with",
            base.factors,
            link.other if link.one == factor.key else link.one,
            link.sign,
            link.strength,
            link.reason,
            None,
        )
        for link in links
    ]
    return (
        f'<details id="{escape(factor.key)}"><summary>{escape(factor.name)}{many} '
        f"<small>{len(effects)} effects, {len(causes)} causes</small></summary>"
        f"<p><code>{escape(factor.key)}</code>: a rise means that {escape(factor.up)}.</p>"
        f"<table>{''.join(rows)}</table></details>"
    )


def _row(
    kind: str,
    factors: Mapping[str, Factor],
    other: str,
    sign: str,
    strength: int,
    reason: str,
    lag: int | None,
) -> str:
    days = "" if lag is None else f"{lag} d"
    return (
        f"<tr><td>{kind}</td><td>{escape(factors[other].name)}</td><td>{escape(sign)}</td>"
        f"<td>{_STRENGTH[strength]}</td><td>{days}</td><td>{escape(reason)}</td></tr>"
    )


_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Augury: the factor base</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="/docs/page.css"></head><body><main class="factors">
<h1>The factor base</h1>
<p>What drives what, as Augury knows it: {factors} factors written by hand, {instances} instances
of patterns, {edges} causal edges, {links} links of things that move together. Version
<code>{version}</code>. A sign says whether more of the one means more (+) or less (-) of the
other; days are the typical lag.</p>
{body}</main></body></html>
"""
