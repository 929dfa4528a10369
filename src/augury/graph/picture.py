"""Draws a causal graph as an SVG picture: causes on the left, effects on the right. Pure."""

from __future__ import annotations

from collections import defaultdict
from datetime import UTC, datetime
from typing import Final

from augury import pictures
from augury.graph.schemas import Graph, GraphEdge, PublicGraphNode
from augury.graph.view import QUESTION

BOX_WIDTH: Final = 250
"""Width of a box (a node of the graph), in pixels."""
PADDING: Final = 12
"""Space between the left or right side of a box and its text, in pixels."""
ROW_GAP: Final = 22
"""Space between two boxes of the same column, in pixels."""
COLUMN_WIDTH: Final = 400
"""Distance between the left sides of two columns of boxes, in pixels."""
LINE_HEIGHT: Final = 15
"""Height of a line of text in a box, in pixels."""
LOOP_BEND: Final = 60
"""How far an edge between two boxes in the same column bends to the side, in pixels."""
MARGIN: Final = 24
"""Space between the picture's left or right side and what is drawn, in pixels."""
MOST_LINES: Final = 3
"""Largest number of lines of a question in a box; a longer question is cut."""
FONT_SIZE: Final = 12
"""Font size of the text in boxes and legend, in pixels."""
WIDEST_CHARACTER: Final = 0.94
"""Width of the widest characters ("W", "@"), as a share (0 to 1) of the font's size."""
HEADER_HEIGHT: Final = 54
"""Height of the space above the boxes, for the title and the date, in pixels."""
FOOTER_HEIGHT: Final = 58
"""Height of the space below the boxes, for the legend, in pixels."""
WIDEST_LINE_STRENGTH: Final = 0.25
"""An edge whose strength is at least this is drawn with the widest line. The strength (0 to 1) says
how often the markets at its ends moved together. This limit is far below 1 because most kinds of
edges have a still smaller strength."""
_COLORS: Final = {"positive": "#1a7f4b", "negative": "#b3362d", "unknown": "#6b7280"}


def svg(graph: Graph, *, as_of: datetime | None = None, sample: bool = False) -> str:
    """The picture of a causal graph, as SVG text.

    A green edge makes its target more likely, a red one less likely; the direction of a gray one is
    unknown. A dashed edge is not causal. A stronger edge has a wider line. A box shows its market's
    question and price.

    as_of : when the graph was drawn
    sample : whether any market of the graph is an invented sample; the picture then says so
    """
    columns = _columns(graph)
    boxes = {node.id: _text(node) for node in graph.nodes}
    heights = {key: 2 * 10 + LINE_HEIGHT * len(lines) for key, lines in boxes.items()}
    tall = max(sum(heights[n] + ROW_GAP for n in ids) for ids in columns.values())
    order = sorted(columns)
    places: dict[str, tuple[float, float]] = {}
    for nth, column in enumerate(order):
        ids = columns[column]
        y = HEADER_HEIGHT + (tall - sum(heights[n] + ROW_GAP for n in ids)) / 2
        for node in ids:
            places[node] = (MARGIN + nth * COLUMN_WIDTH, y)
            y += heights[node] + ROW_GAP
    width = max(2 * MARGIN + (len(order) - 1) * COLUMN_WIDTH + BOX_WIDTH + LOOP_BEND, LEGEND_WIDTH)
    height = HEADER_HEIGHT + tall + FOOTER_HEIGHT
    parts = [_edge(edge, places, heights) for edge in graph.edges if edge.source in places]
    parts += [_box(node, boxes[node.id], places[node.id], heights[node.id]) for node in graph.nodes]
    parts += [_header(graph, width, as_of, sample=sample), _legend(height)]
    return pictures.document(width, height, _question(graph), *parts, size=FONT_SIZE)


LEGEND_WIDTH: Final = 620
"""Smallest width of a picture, in pixels: that of its legend."""


def _header(graph: Graph, width: float, as_of: datetime | None, *, sample: bool) -> str:
    title = _wrapped(_question(graph), width - 2 * MARGIN, 1, size=16)
    notes = [f"Drawn {as_of.astimezone(UTC):%Y-%m-%d %H:%M} UTC." if as_of else "", SAMPLE_MARK]
    under = " ".join(part for part in notes[: 2 if sample else 1] if part)
    color = "#b3362d" if sample else "#4b5563"
    heading = pictures.text(MARGIN, 24, "".join(title), size=16, bold=True, fill="#111827")
    return heading + pictures.text(MARGIN, 42, under, fill=color)


def _question(graph: Graph) -> str:
    return next((node.label for node in graph.nodes if node.id == QUESTION), "")


SAMPLE_MARK: Final = "SAMPLE: these are not real markets."


def _legend(height: float) -> str:
    """The legend, as SVG: what the colors, dashes and widths of lines mean.

    height : height of the whole picture, in pixels
    """
    x, y = float(MARGIN), height - 34
    note = "The wider a line, the more often markets so related moved on the same day."
    parts = [pictures.text(MARGIN, height - 14, note, fill="#4b5563")]
    for color, dashed, meaning in (
        (_COLORS["positive"], False, "makes more likely"),
        (_COLORS["negative"], False, "makes less likely"),
        (_COLORS["unknown"], False, "bears on"),
        (_COLORS["unknown"], True, "moves with, or by logic"),
    ):
        dash = ' stroke-dasharray="5 5"' if dashed else ""
        parts.append(
            f'<path d="M{x:.0f} {y - 4:.0f} h24" stroke="{color}" stroke-width="2"{dash}/>'
            + pictures.text(x + 30, y, meaning, fill="#4b5563")
        )
        x += 150
    return "".join(parts)


def _columns(graph: Graph) -> dict[int, list[str]]:
    """Column of the picture -> ids of its nodes. Causes are in columns -1 and -2 and effects in
    columns 1 and 2, one or two steps from the question. The question and all other nodes are in
    column 0.
    """
    causes: dict[str, list[str]] = defaultdict(list)
    effects: dict[str, list[str]] = defaultdict(list)
    for edge in graph.edges:
        if edge.edge_type == "causal":
            causes[edge.target].append(edge.source)
            effects[edge.source].append(edge.target)
    column = {QUESTION: 0}
    for sign, neighbors in ((-1, causes), (1, effects)):
        near = [QUESTION]
        for far in (sign, 2 * sign):
            near = [n for place in near for n in neighbors[place] if n not in column]
            column |= dict.fromkeys(near, far)
    columns: dict[int, list[str]] = defaultdict(list)
    for node in graph.nodes:
        columns[column.get(node.id, 0)].append(node.id)
    return columns


def _text(node: PublicGraphNode) -> list[str]:
    lines = _wrapped(node.label, BOX_WIDTH - 2 * PADDING, MOST_LINES)
    if node.current_probability is not None:
        lines.append(f"{node.current_probability:.0%}")
    return lines or [node.id]


def _wrapped(text: str, width: float, most: int, *, size: float = FONT_SIZE) -> list[str]:
    """A text, broken into at most `most` lines of at most `width` pixels. A text that is cut ends
    with an ellipsis. Words longer than a line are broken, so that no text sticks out of its box."""
    lines = [""]
    for word in text.split():
        while word:
            room = f"{lines[-1]} {word}" if lines[-1] else word
            if _width(room, size) <= width:
                lines[-1], word = room, ""
            elif lines[-1]:
                lines.append("")
            else:
                fits = next(n for n in range(len(word), 0, -1)
                            if n == 1 or _width(word[:n], size) <= width)  # fmt: skip
                lines[-1], word = word[:fits], word[fits:]
                lines.append("")
    lines = [line for line in lines if line]
    if len(lines) > most:
        lines = lines[:most]
        while lines[-1] and _width(lines[-1] + "…", size) > width:
            lines[-1] = lines[-1][:-1]
        lines[-1] = lines[-1].rstrip() + "…"
    return lines


def _width(text: str, size: float) -> float:
    """Upper estimate of the width of a text in the sans-serif fonts of browsers, in pixels. `size`:
    font size, in pixels."""
    return size * sum(
        _CHARACTERS.get(c, WIDEST_CHARACTER if ord(c) > 0x2E80 or c in "MWmw@%" else 0.67)
        for c in text
    )


_CHARACTERS: Final = {
    **dict.fromkeys("ijlIt.,:;'|! ()[]/-f", 0.40),
    **dict.fromkeys("acesxzkvyr", 0.58),
    **dict.fromkeys("bdghnopqu0123456789$?", 0.64),
    **dict.fromkeys("ABEFJKLPRSTVXYZ", 0.72),
    **dict.fromkeys("CDGHNOQU", 0.79),
}
"""Width of each character as a share (0 to 1) of the font's size, as in DejaVu Sans, the widest
font in use."""


def _box(node: PublicGraphNode, lines: list[str], place: tuple[float, float], height: int) -> str:
    x, y = place
    asked = node.id == QUESTION
    fill, line = ("#1f2937", "#1f2937") if asked else ("#f8fafc", "#cbd5e1")
    color = "#fff" if asked else "#111827"
    text = "".join(
        pictures.text(x + PADDING, y + 22 + LINE_HEIGHT * n, shown, fill=color)
        for n, shown in enumerate(lines)
    )
    return (
        f'<rect x="{x:.0f}" y="{y:.0f}" width="{BOX_WIDTH}" height="{height}" rx="8" fill="{fill}"'
        f' stroke="{line}"/>{text}'
    )


def _line(strength: float | None) -> float:
    """Width of the line of an edge, in pixels: 1 if the edge's strength (0 to 1) is 0 or not
    measured; it rises to 4 at `WIDEST_LINE_STRENGTH` and above."""
    return 1 + 3 * min(1.0, (strength or 0) / WIDEST_LINE_STRENGTH)


def _edge(edge: GraphEdge, places: dict[str, tuple[float, float]], heights: dict[str, int]) -> str:
    (sx, sy), (tx, ty) = places[edge.source], places[edge.target]
    sy, ty = sy + heights[edge.source] / 2, ty + heights[edge.target] / 2
    if tx >= sx + BOX_WIDTH:
        sx, bend = sx + BOX_WIDTH, 70
    elif tx + BOX_WIDTH <= sx:
        tx, bend = tx + BOX_WIDTH, -70
    else:  # the same column: around the side
        sx, tx, bend = sx + BOX_WIDTH, tx + BOX_WIDTH, LOOP_BEND
    end = -bend if places[edge.source][0] != places[edge.target][0] else bend
    color = _COLORS[edge.polarity]
    dashed = "" if edge.edge_type == "causal" else ' stroke-dasharray="5 5"'
    arrow = ""
    if edge.edge_type == "causal":
        back = -9 if end < 0 else 9
        arrow = f'<path d="M{tx:.0f} {ty:.0f} l{back} -5 v10 z" fill="{color}" opacity="0.8"/>'
    return (
        f'<path d="M{sx:.0f} {sy:.0f} C{sx + bend:.0f} {sy:.0f} {tx + end:.0f} {ty:.0f}'
        f' {tx:.0f} {ty:.0f}" fill="none" stroke="{color}" opacity="0.55"'
        f' stroke-width="{_line(edge.strength):.1f}"{dashed}>'
        f"<title>{pictures.shown(edge.description or '')}</title></path>{arrow}"
    )
