"""Turns the rows of dump files of markets into records, and refuses bad rows.

Times without a zone are UTC. A price of 0 or 1 is taken as "no quote" unless the market is
resolved. If a row has no outcome labels, they are derived from its question (`derive_outcomes`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from augury.markets.records import PLATFORMS, STATUSES, Market, Status, Strike
from augury.venues.dump import DumpFile
from augury.venues.kalshi_queries import series_of
from augury.venues.kalshi_records import PARLAY_PREFIX
from augury.venues.records import Refusal
from augury.venues.wire import (
    EMPTY_BOOK,
    LABEL_LIMIT,
    QUESTION_LIMIT,
    TEXT_LIMIT,
    BadPrice,
    amount,
    flag,
    identifier,
    is_placeholder,
    items,
    labels,
    line,
    moment,
    number,
    probability,
    text,
)

Row = Mapping[str, Any]

SLICE_ROWS = 5_000
"""Number of rows of a file of markets that are turned into records at a time."""


def read_markets(file: DumpFile) -> Iterator[list[Market | Refusal]]:
    """The rows of a file of markets, `SLICE_ROWS` at a time, each as a market or as a refusal with
    its reason. They are sorted so that the rows of an event follow each other."""
    frame = file.frame
    keys = [name for name in ("platform", "event_id") if name in frame.columns]
    for part in frame.sort(keys, maintain_order=True).iter_slices(SLICE_ROWS):
        yield [market(row) for row in part.iter_rows(named=True)]


def _parted(question: str) -> tuple[str, str | None]:
    """Split a Kalshi question "title — subtitle" in two. A question of another form is returned
    whole, with None for the subtitle."""
    title, dash, subtitle = question.rpartition(" — ")
    return (title, subtitle) if dash and title and subtitle else (question, None)


def market(row: Row) -> Market | Refusal:
    """One row of a file of markets as a market, or as a refusal with its reason."""
    platform = row.get("platform")
    id_ = identifier(row.get("id"), 300)
    if platform not in PLATFORMS:
        return Refusal(id_, "unknown platform", str(platform)[:60])
    if id_ is not None and ":" not in id_:
        id_ = f"{platform}:{id_}"
    if id_ is None or not id_.startswith(f"{platform}:") or len(id_) == len(platform) + 1:
        return Refusal(id_, "no id")
    own = identifier(row.get("platform_id"), 300) or id_.split(":", 1)[1]
    event_id = identifier(row.get("event_id"))
    if platform == "kalshi" and own.startswith(PARLAY_PREFIX):
        return Refusal(id_, "parlay")
    question = line(row.get("question") or row.get("title"), QUESTION_LIMIT)
    if question is None:
        return Refusal(id_, "no question")
    title = line(row.get("title"), QUESTION_LIMIT) or question
    subtitle = line(row.get("subtitle"))
    if platform == "kalshi" and subtitle is None and title == question:
        title, subtitle = _parted(question)
    if is_placeholder(question, subtitle):
        return Refusal(id_, "placeholder", question[:120])
    status = row.get("status")
    if status not in STATUSES:
        return Refusal(id_, "unknown status", str(status)[:60])
    result = text(row.get("result"))
    outcomes = _outcomes(row, question, result)
    if outcomes is None:
        return Refusal(id_, "bad outcomes", str(row.get("outcomes"))[:120])
    try:
        prices = _prices(row, status, outcomes)
        bid, ask = probability(row.get("best_bid")), probability(row.get("best_ask"))
    except BadPrice as bad:
        return Refusal(id_, "bad price", str(bad))
    if prices is None:
        return Refusal(id_, "prices do not match outcomes")
    as_of = moment(row.get("as_of"))
    if as_of is None or all(price is None for price in prices):
        # A price without a time may be stale, so it is not used.
        prices = (None,) * len(outcomes)
    priced = any(price is not None for price in prices)
    resolved = status == "resolved"
    return Market(
        id=id_,
        platform=platform,
        platform_id=own,
        question=question,
        title=title,
        subtitle=subtitle,
        description=text(row.get("description"), TEXT_LIMIT),
        outcomes=outcomes,
        prices=prices,
        price_as_of=as_of if priced else None,
        status=status,
        resolution=resolution(result, outcomes) if resolved else None,
        created_at=moment(row.get("opens_at")),
        closes_at=moment(row.get("closes_at")),
        resolved_at=moment(row.get("resolved_at")) if resolved else None,
        event_id=event_id,
        event_name=line(row.get("event_title"), QUESTION_LIMIT),
        series_id=series_of(event_id or own) if platform == "kalshi" else None,
        exclusive=flag(row.get("exclusive")),
        category=line(row.get("category"), 100),
        tags=labels(items(row.get("tags")) or ()),
        volume=amount(row.get("volume")),
        volume_24h=amount(row.get("volume_24h")),
        liquidity=amount(row.get("liquidity")),
        open_interest=amount(row.get("open_interest")),
        best_bid=bid if bid and bid < 1 and not resolved else None,
        best_ask=ask if ask and ask < 1 and not resolved else None,
        strike=_strike(row.get("strike")),
        url=_url(row.get("url")),
        slug=identifier(row.get("slug"), 300),
        origin="dump",
        observed_at=as_of,
    )


_YES_NO = re.compile(
    r"^\W*(?:will|is|are|was|were|does|do|did|has|have|had|can|could|should|would|shall|may|if)\b",
    re.IGNORECASE,
)
_OPEN_QUESTION = re.compile(r"^\W*(?:who|whom|which|what|when|where|how|why)\b", re.IGNORECASE)
_EITHER = (
    (re.compile(r"\bup or down\b", re.IGNORECASE), ("Up", "Down")),
    (re.compile(r"\bO/U\b|\bover/under\b", re.IGNORECASE), ("Over", "Under")),
    (re.compile(r"\bodd/even\b", re.IGNORECASE), ("Odd", "Even")),
    (
        re.compile(r"\bboth teams\b|\bcompleted match\b|\bany player\b", re.IGNORECASE),
        ("Yes", "No"),
    ),
)
_VERSUS = re.compile(r"\s+(?:vs\.?|v\.)\s+", re.IGNORECASE)
_WHO_WINS = re.compile(r"^who (?:will )?wins?\b[:,]?\s*(?:the\s+)?", re.IGNORECASE)
_AFTER_SIDES = re.compile(r"\s*(?:\(BO\d+\)|[:\[,?]|\s[-–—]\s).*$", re.IGNORECASE)
UNKNOWN_OUTCOMES = ("Outcome 1", "Outcome 2")


def derive_outcomes(question: str, result: str | None = None) -> tuple[str, str]:
    """Two outcome labels, in the venue's order, for a market whose row has none. The first rule
    that fits:

    1. The result is Yes or No, or the question begins like a yes/no question: Yes and No.
    2. The question contains e.g. "up or down" (Up and Down) or "both teams" (Yes and No).
    3. The question contains "A vs. B": A and B.
    4. The text ends in "?" and does not begin with "Who" or the like: Yes and No.
    5. None of these: `UNKNOWN_OUTCOMES`.
    """
    if (result or "").casefold() in ("yes", "no") or _YES_NO.match(question):
        return "Yes", "No"
    for pattern, sides in _EITHER:
        if pattern.search(question):
            return sides
    sides = _VERSUS.split(question, maxsplit=1)
    if len(sides) == 2:
        # "LoL: A vs B (BO3) - Playoffs": only the names next to "vs" are kept.
        first = _WHO_WINS.sub("", sides[0].rsplit(": ", 1)[-1]).strip()
        second = _AFTER_SIDES.sub("", sides[1]).strip()
        if first and second and first != second:
            return first[:LABEL_LIMIT], second[:LABEL_LIMIT]
    if question.endswith("?") and not _OPEN_QUESTION.match(question):
        return "Yes", "No"
    return UNKNOWN_OUTCOMES


_BY_NUMBER = re.compile(r"^outcome\[(\d{1,2})\]$")


def resolution(result: str | None, outcomes: Sequence[str]) -> str | None:
    """The winning label of `outcomes`; None if `result` names none of them. `result` is a label
    (upper and lower case are the same) or e.g. `outcome[1]` for the second label."""
    if result is None:
        return None
    if (numbered := _BY_NUMBER.match(result)) is not None:
        place = int(numbered[1])
        return outcomes[place] if place < len(outcomes) else None
    for label in outcomes:
        if label.casefold() == result.casefold():
            return label
    return None


def _outcomes(row: Row, question: str, result: str | None) -> tuple[str, ...] | None:
    raw = row.get("outcomes")
    if raw is None or raw == "":
        return derive_outcomes(question, result)
    found = [line(label) for label in items(raw) or ()]
    complete = tuple(label for label in found if label is not None)
    if not 2 <= len(complete) == len(found) == len(set(complete)) <= 100:
        return None
    return complete


def _prices(row: Row, status: Status, outcomes: tuple[str, ...]) -> tuple[float | None, ...] | None:
    raw = items(row.get("prices"))
    nothing: tuple[float | None, ...] = (None,) * len(outcomes)
    if not raw:
        return nothing
    found = tuple(probability(price) for price in raw)
    if len(found) != len(outcomes):
        return None
    if status == "resolved":
        return found if sum(price or 0 for price in found) > 0.5 else nothing
    if any(price is None or price in (0, 1) for price in found):
        return nothing
    bid, ask = number(row.get("best_bid")), number(row.get("best_ask"))
    empty = bid is not None and ask is not None and bid <= EMPTY_BOOK[0] and ask >= EMPTY_BOOK[1]
    # A price of 0.5 in an empty book is only the book's midpoint, not a quote.
    return nothing if empty and all(abs((p or 0) - 0.5) < 0.005 for p in found) else found


def _strike(value: object) -> Strike | None:
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return None
    if not isinstance(value, Mapping) or not isinstance(kind := value.get("strike_type"), str):
        return None
    return Strike(
        kind=kind[:40],
        floor=number(value.get("floor_strike")),
        cap=number(value.get("cap_strike")),
    )


def _url(value: object) -> str | None:
    found = identifier(value, 1_000)
    return found if found is not None and found.startswith(("https://", "http://")) else None
