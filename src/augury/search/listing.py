"""Search results for a terminal: for each market a line of figures, and below it the question."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from augury.markets.freshness import in_words

Row = Mapping[str, Any]

INDENT: Final = " " * 7
LEAST_WIDTH: Final = 60
MAX_MEMBERS: Final = 6
"""Below a row, at most this many markets of its family (e.g. of one event) are named, and at most
this many others about the same thing."""
SAMPLE: Final = "SAMPLE: these are not real markets."
HEAD: Final = f"{'score':>5}  {'price':>6}  {'price of':<15} {'closes':<10} {'volume':>13}  status"


def lines(results: Mapping[str, Sequence[Row]], width: int, now: datetime) -> Iterator[str]:
    """Search results as lines of text for a terminal of `width` columns, grouped by relation
    (`direct`, `upstream`, ...); relations without results are left out. Ages of prices are as of
    `now`.

    Texts are wrapped; ids and addresses stay whole, so that they can be copied.
    """
    width = max(width, LEAST_WIDTH)
    for relation, found in results.items():
        if not found:
            continue
        yield f"{relation}: {len(found)}"
        yield HEAD
        for row in found:
            yield from _market(row, relation, width, now)
        if any(row["origin"] == "sample" for row in found):
            yield SAMPLE
        yield ""


def _market(row: Row, relation: str, width: int, now: datetime) -> Iterator[str]:
    label, price = next(iter((row["current_prices"] or {}).items()), ("Yes", None))
    volume = "-" if row["volume"] is None else f"{row['volume']:,.0f}"
    if row["volume"] is not None and row["id"].startswith("polymarket:"):
        volume = f"${volume}"
    status = row["status"] + (" (stale)" if row["stale"] else "")
    shown = "-" if price is None else f"{price:.1%}"
    yield (
        f"{row['score']:5.2f}  {shown:>6}  {_age(row['price_as_of'], now):<15}"
        f" {(row['closes_at'] or '-')[:10]:<10} {volume:>13}  {status}"
    )
    asked = row["question"] if label == "Yes" else f"{row['question']} (price of “{label}”)"
    yield from _wrapped(asked, width)
    if family := row.get("family"):
        yield from _wrapped(f"and {_named(family['more'], 'more')}", width)
    if also := row.get("also"):
        yield from _wrapped(_named(also, "more about the same thing"), width)
    if relation != "direct":
        yield from _wrapped(row["reason"], width)
    yield INDENT + f"{row['id']}  {row['platform_url'] or ''}".rstrip()


def _named(members: Sequence[Row], how: str) -> str:
    """Markets that have no row of their own: "12 more: Luis Tagle 20.0%, ...". `how`: the words
    after their number."""
    shown = [
        one["label"] + ("" if one["price"] is None else f" {one['price']:.1%}")
        + ("" if one["status"] == "active" else f" ({one['status']})")
        for one in members[:MAX_MEMBERS]
    ]  # fmt: skip
    rest = " ..." if len(members) > MAX_MEMBERS else ""
    return f"{len(members)} {how}: {', '.join(shown)}{rest}"


def _age(price_as_of: str | None, now: datetime) -> str:
    if price_as_of is None:
        return "-"
    return f"{in_words(now - datetime.fromisoformat(price_as_of))} ago"


def _wrapped(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, width, initial_indent=INDENT, subsequent_indent=INDENT)
