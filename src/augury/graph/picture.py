"""A causal graph as an SVG: causes to the left, effects to the right. Pure."""

from __future__ import annotations

import textwrap
from collections import defaultdict
from html import escape
from typing import Final

from augury.graph.schemas import Graph, GraphEdge, PublicGraphNode
from augury.graph.view import QUESTION

BOX: Final = 250
GAP: Final = 22
COLUMN: Final = 400
LINE: Final = 15
LOOP: Final = 60
"""How far an edge within a column goes out."""
MARGIN: Final = 24
MOST_LINES: Final = 3
_COLOURS: Final = {"positive": "#1a7f4b", "negative": "#b3362d", "unknown": "#6b7280"}


def svg(graph: Graph) -> str:
    """The picture. Green raises, red lowers, grey is not known; dashed has no direction. A box
    shows its market's question and price; a line's width is its strength."""
    columns = _columns(graph)
    boxes = {node.id: _text(node) for node in graph.nodes}
    heights = {key: 2 * 10 + LINE * len(lines) for key, lines in boxes.items()}
    tall = max(sum(heights[n] + GAP for n in ids) for ids in columns.values())
    order = sorted(columns)
    places: dict[str, tuple[float, float]] = {}
    for nth, column in enumerate(order):
        ids = columns[column]
        y = MARGIN + (tall - sum(heights[n] + GAP for n in ids)) / 2
        for node in ids:
            places[node] = (MARGIN + nth * COLUMN, y)
            y += heights[node] + GAP
    width = 2 * MARGIN + (len(order) - 1) * COLUMN + BOX + LOOP
    height = 2 * MARGIN + tall
    parts = [_edge(edge, places, heights) for edge in graph.edges if edge.source in places]
    parts += [_box(node, boxes[node.id], places[node.id], heights[node.id]) for node in graph.nodes]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" font-family="sans-serif" font-size="12">'
        f'<rect width="100%" height="100%" fill="#fff"/>{"".join(parts)}</svg>'
    )


def _columns(graph: Graph) -> dict[int, list[str]]:
    """Node ids by column: 0 the question, below it what moves along; causes before, effects
    after, a step further out a column further."""
    causes: dict[str, list[str]] = defaultdict(list)
    effects: dict[str, list[str]] = defaultdict(list)
    for edge in graph.edges:
        if edge.edge_type == "causal":
            causes[edge.target].append(edge.source)
            effects[edge.source].append(edge.target)
    column = {QUESTION: 0}
    for sign, neighbours in ((-1, causes), (1, effects)):
        near = [QUESTION]
        for far in (sign, 2 * sign):
            near = [n for place in near for n in neighbours[place] if n not in column]
            column |= dict.fromkeys(near, far)
    columns: dict[int, list[str]] = defaultdict(list)
    for node in graph.nodes:
        columns[column.get(node.id, 0)].append(node.id)
    return columns


def _text(node: PublicGraphNode) -> list[str]:
    lines = textwrap.wrap(node.label, 38)
    if len(lines) > MOST_LINES:
        lines = [*lines[: MOST_LINES - 1], lines[MOST_LINES - 1][:36] + " …"]
    if node.current_probability is not None:
        lines.append(f"{node.current_probability:.0%}")
    return lines or [node.id]


def _box(node: PublicGraphNode, lines: list[str], place: tuple[float, float], height: int) -> str:
    x, y = place
    asked = node.id == QUESTION
    fill, line = ("#1f2937", "#1f2937") if asked else ("#f8fafc", "#cbd5e1")
    colour = "#fff" if asked else "#111827"
    text = "".join(
        f'<text x="{x + 12:.0f}" y="{y + 22 + LINE * n:.0f}" fill="{colour}">{escape(told)}</text>'
        for n, told in enumerate(lines)
    )
    return (
        f'<rect x="{x:.0f}" y="{y:.0f}" width="{BOX}" height="{height}" rx="8" fill="{fill}"'
        f' stroke="{line}"/>{text}'
    )


def _edge(edge: GraphEdge, places: dict[str, tuple[float, float]], heights: dict[str, int]) -> str:
    (sx, sy), (tx, ty) = places[edge.source], places[edge.target]
    sy, ty = sy + heights[edge.source] / 2, ty + heights[edge.target] / 2
    if tx >= sx + BOX:
        sx, bend = sx + BOX, 70
    elif tx + BOX <= sx:
        tx, bend = tx + BOX, -70
    else:  # the same column: round the side
        sx, tx, bend = sx + BOX, tx + BOX, LOOP
    end = -bend if places[edge.source][0] != places[edge.target][0] else bend
    colour = _COLOURS[edge.polarity]
    dashed = "" if edge.edge_type == "causal" else ' stroke-dasharray="5 5"'
    arrow = ""
    if edge.edge_type == "causal":
        back = -9 if end < 0 else 9
        arrow = f'<path d="M{tx:.0f} {ty:.0f} l{back} -5 v10 z" fill="{colour}" opacity="0.8"/>'
    return (
        f'<path d="M{sx:.0f} {sy:.0f} C{sx + bend:.0f} {sy:.0f} {tx + end:.0f} {ty:.0f}'
        f' {tx:.0f} {ty:.0f}" fill="none" stroke="{colour}" opacity="0.55"'
        f' stroke-width="{1 + 2 * (edge.strength or 0):.1f}"{dashed}>'
        f"<title>{escape(edge.description or '')}</title></path>{arrow}"
    )
