"""Answers as HTML for notebooks. Texts come from venues and callers, so all are escaped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from html import escape
from typing import Any

_Row = Sequence[tuple[datetime, "float | None"]]
_CELL = "padding:2px 8px;text-align:left;vertical-align:top"
_NUMBER = "padding:2px 8px;text-align:right;vertical-align:top;white-space:nowrap"


def percent(value: float | None) -> str:
    """44.0%, or a dash."""
    return "–" if value is None else f"{value:.1%}"


def clock(moment: datetime | None) -> str:
    """A moment in UTC, or a dash."""
    if moment is None:
        return "–"
    return f"{moment.astimezone(timezone.utc):%Y-%m-%d %H:%M} UTC"


def _link(market: Any) -> str:
    """The question of a market, as a link to its page at the venue if that is a web address."""
    text = escape(market.question)
    address = market.platform_url or ""
    if not address.startswith(("https://", "http://")):
        return text
    return f'<a href="{escape(address)}" rel="noopener noreferrer" target="_blank">{text}</a>'


def _marks(item: Any) -> str:
    """Marks of a price that is a sample, replayed or stale."""
    marks = [name for name in ("sample", "replay") if str(item.origin).startswith(name)]
    marks += ["stale"] if getattr(item, "stale", False) else []
    return "".join(f" <b>[{mark}]</b>" for mark in marks)


def table(head: Sequence[str], rows: Sequence[Sequence[str]], numbers: int) -> str:
    """A table; its first `numbers` columns are numbers. Cells are HTML already."""

    def line(cells: Sequence[str], tag: str) -> str:
        styles = (_NUMBER if i < numbers else _CELL for i in range(len(cells)))
        return "".join(
            f'<{tag} style="{style}">{cell}</{tag}>'
            for style, cell in zip(styles, cells, strict=True)
        )

    body = "".join(f"<tr>{line(row, 'td')}</tr>" for row in rows)
    return f"<table><thead><tr>{line(head, 'th')}</tr></thead><tbody>{body}</tbody></table>"


def found(query: str, results: Mapping[str, Sequence[Any]]) -> str:
    """The markets of a search, with a table for each relation."""
    parts = [f"<p><b>{escape(query)}</b></p>"]
    for relation, markets in results.items():
        rows = [
            [
                percent(m.price),
                clock(m.price_as_of),
                clock(m.closes_at)[:10],
                "–" if m.volume is None else f"{m.volume:,.0f}",
                escape(m.platform),
                _link(m) + _marks(m),
            ]
            for m in markets
        ]
        if rows:
            head = ("price", "price of", "closes", "volume", "venue", "question")
            parts.append(f"<p>{escape(relation)}</p>{table(head, rows, 4)}")
    return "".join(parts) if len(parts) > 1 else parts[0] + "<p>Nothing found.</p>"


def market(record: Any, prices: _Row) -> str:
    """A market with its price over time."""
    facts = (
        f"{percent(record.price)} at {clock(record.price_as_of)} · {escape(record.platform)} ·"
        f" {escape(record.status)} · closes {clock(record.closes_at)}"
    )
    return f"<p><b>{_link(record)}</b>{_marks(record)}<br>{facts}</p>{line(prices)}"


def line(prices: _Row, width: int = 480, height: int = 96) -> str:
    """Prices over time as a line from 0% to 100%; where prices are missing, the line has gaps."""
    known = [(at.timestamp(), value) for at, value in prices if value is not None]
    if len(known) < 2:
        return "<p>No prices over time.</p>"
    first, last = known[0][0], known[-1][0]
    span = (last - first) or 1.0
    path: list[str] = []
    pen = "M"
    for at, value in prices:
        if value is None:
            pen = "M"
            continue
        x = (at.timestamp() - first) / span * width
        path.append(f"{pen}{x:.1f} {height - value * height:.1f}")
        pen = "L"
    return (
        f'<svg width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img"'
        ' aria-label="Price over time" style="border:1px solid currentColor">'
        f'<path d="{"".join(path)}" fill="none" stroke="#0a7" stroke-width="1.5"/></svg>'
        f"<p>{clock(prices[0][0])} to {clock(prices[-1][0])}; 0% to 100%</p>"
    )


def forecast(made: Any) -> str:
    """A forecast: its probability, interval and grade, and a table of its evidence."""
    interval = made.confidence_interval
    if made.probability is None:
        said = escape(made.error or f"No probability ({made.status}).")
    else:
        said = f'<span style="font-size:2em">{percent(made.probability)}</span>'
        if interval is not None:
            said += f" {percent(interval.lower)} to {percent(interval.upper)}"
        said += f" · {escape(made.grade)}, confidence {made.confidence:.2f}"
    when = made.as_of or getattr(made, "data_as_of", None)
    rows = [
        [
            percent(one.price),
            clock(one.price_as_of),
            "counts" if one.weight is None else f"{one.weight:.2f}",
            escape(one.role),
            _link(one.market) + _marks(one.market),
            escape(one.why),
        ]
        for one in made.evidence
    ]
    head = ("price", "price of", "weight", "role", "market", "why")
    notes = "".join(f"<p>Note: {escape(text)}</p>" for text in made.warnings)
    return (
        f"<p><b>{escape(made.question)}</b>{_marks(made)}<br>as of {clock(when)}</p><p>{said}</p>"
        f"<p>{escape(made.reasoning)}</p>{table(head, rows, 3) if rows else ''}{notes}"
    )


_WIDE, _HIGH, _BOX = 240, 74, 190


def graph(question: str, drawn: Any) -> str:
    """A causal graph: causes stand to the left of their effects, + and - on the arrows."""
    title = f"<p><b>{escape(question)}</b></p>" if question else ""
    if drawn is None or not drawn.nodes:
        return title + "<p>No graph: nothing causal is known about this.</p>"
    places = _places([n.id for n in drawn.nodes], [(e.source, e.target) for e in drawn.edges])
    width = (1 + max(x for x, _ in places.values())) * _WIDE
    height = (1 + max(y for _, y in places.values())) * _HIGH
    arrows = "".join(_arrow(edge, places) for edge in drawn.edges if edge.source in places)
    boxes = "".join(_box(node, places[node.id]) for node in drawn.nodes)
    return (
        f'{title}<svg width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img"'
        ' aria-label="Causal graph" font-family="sans-serif" font-size="11">'
        '<defs><marker id="augury-tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7"'
        ' markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" fill="#666"/></marker></defs>'
        f"{arrows}{boxes}</svg>"
    )


def _places(ids: Sequence[str], edges: Sequence[tuple[str, str]]) -> dict[str, tuple[int, int]]:
    """Column and row of each node, which stands to the right of its causes
    unless they form a cycle."""
    column = dict.fromkeys(ids, 0)
    for _ in ids:
        moved = False
        for source, target in edges:
            if source in column and target in column and column[target] <= column[source]:
                if column[source] + 1 >= len(ids):
                    continue
                column[target] = column[source] + 1
                moved = True
        if not moved:
            break
    used = {c: i for i, c in enumerate(sorted(set(column.values())))}
    rows: dict[int, int] = {}
    places: dict[str, tuple[int, int]] = {}
    for node in ids:
        x = used[column[node]]
        places[node] = (x, rows.get(x, 0))
        rows[x] = rows.get(x, 0) + 1
    return places


def _arrow(edge: Any, places: Mapping[str, tuple[int, int]]) -> str:
    if edge.target not in places:
        return ""
    (x1, y1), (x2, y2) = places[edge.source], places[edge.target]
    ax, ay = x1 * _WIDE + _BOX, y1 * _HIGH + 28
    bx, by = x2 * _WIDE, y2 * _HIGH + 28
    sign = {"positive": "+", "negative": "−"}.get(getattr(edge, "polarity", ""), "")
    dash = ' stroke-dasharray="4 3"' if sign == "−" else ""
    label = escape(edge.description or edge.relationship)
    return (
        f'<g><title>{label}</title><path d="M{ax} {ay}C{ax + 25} {ay} {bx - 25} {by} {bx} {by}"'
        f' fill="none" stroke="#666"{dash} marker-end="url(#augury-tip)"/>'
        f'<text x="{(ax + bx) / 2:.0f}" y="{(ay + by) / 2 - 3:.0f}" fill="#666">{sign}</text></g>'
    )


def _box(node: Any, place: tuple[int, int]) -> str:
    x, y = place[0] * _WIDE, place[1] * _HIGH + 4
    short = node.label if len(node.label) <= 30 else f"{node.label[:29]}…"
    return (
        f"<g><title>{escape(node.label)}</title>"
        f'<rect x="{x + 1}" y="{y}" width="{_BOX - 2}" height="48" rx="6" fill="#fff"'
        ' stroke="#333"/>'
        f'<text x="{x + 9}" y="{y + 19}" fill="#111">{escape(short)}</text>'
        f'<text x="{x + 9}" y="{y + 37}" fill="#111">{percent(node.current_probability)}</text></g>'
    )
