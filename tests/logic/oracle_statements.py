"""Statements of the oracle: wordings of both venues, spans of days, and truths over worlds."""

from __future__ import annotations

import calendar
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from random import Random
from typing import Any

import numpy as np

Truth = Any  # an array of booleans, one a world
ASKED = date(2026, 11, 21)


@dataclass(frozen=True)
class Statement:
    """A wording, as arguments of `read`, and in which worlds it is true."""

    wording: dict[str, Any]
    truth: Truth


@dataclass(frozen=True)
class Case:
    domain: str
    one: Statement
    two: Statement
    relation: str


def verdict(one: Truth, two: Truth) -> str:
    """The relation that the worlds show."""
    shown = np.bincount(2 * one.astype(int) + two, minlength=4) > 0
    missing = frozenset((bool(n & 2), bool(n & 1)) for n in range(4) if not shown[n])
    return {
        frozenset(): "none",
        frozenset({(True, False)}): "implies",
        frozenset({(False, True)}): "implied_by",
        frozenset({(True, False), (False, True)}): "equivalent",
        frozenset({(True, True)}): "excludes",
        frozenset({(False, False)}): "covers",
        frozenset({(True, True), (False, False)}): "complement",
    }[missing]


def market(question: str, closes: date, **more: Any) -> dict[str, Any]:
    return {"question": question, "closes": closes, "opened": ASKED, **more}


def kalshi(title: str, side: str, closes: date, **more: Any) -> dict[str, Any]:
    whole = f"{title} — {side}"
    return market(whole, closes, title=title, subtitle=side, **more)


def asked(question: str) -> dict[str, Any]:
    return {"question": question, "opened": ASKED, "asked": True}


def spelled(rng: Random, day: date) -> str:
    month = calendar.month_name[day.month] if rng.random() < 0.7 else calendar.month_abbr[day.month]
    return f"{month} {day.day}, {day.year}"


MONTHS = [date(2027, m, 1) for m in (1, 2, 3, 4, 5, 6, 7, 8)]


def last_day(month: date) -> date:
    return month.replace(day=calendar.monthrange(month.year, month.month)[1])


@dataclass(frozen=True)
class Span:
    """Days [start, end) and how one says them."""

    start: date
    end: date
    words: str


def deadline(rng: Random) -> Span:
    """A window from now on to a date, in one of its wordings."""
    month = rng.choice(MONTHS)
    last = last_day(month)
    if rng.random() < 0.3:
        last = month.replace(day=15)
    after = last + timedelta(1)
    words = [f"by {spelled(rng, last)}", f"before {spelled(rng, after)}"]
    if after.day == 1:
        name = f"{calendar.month_name[month.month]} {month.year}"
        words += [f"by the end of {name}", f"by end of {name}",
                  f"before {calendar.month_abbr[after.month]} {after.year}"]  # fmt: skip
        if month.month % 3 == 0:
            words += [f"by the end of Q{month.month // 3} {month.year}"]
    return Span(ASKED, after, rng.choice(words))


def period(rng: Random) -> Span:
    """A month, quarter or year."""
    match rng.randrange(3):
        case 0:
            month = rng.choice(MONTHS)
            name = f"{calendar.month_name[month.month]} {month.year}"
            return Span(
                month, last_day(month) + timedelta(1), rng.choice(("in", "during")) + f" {name}"
            )
        case 1:
            quarter = rng.choice((1, 2))
            start = date(2027, 3 * quarter - 2, 1)
            return Span(start, date(2027, 3 * quarter + 1, 1), f"in Q{quarter} 2027")
        case _:
            return Span(date(2027, 1, 1), date(2028, 1, 1), rng.choice(("in 2027", "during 2027")))


def within(span: Span, days: Sequence[date]) -> Truth:
    return np.array([span.start <= d < span.end for d in days])


def sample_days(*spans: Span) -> list[date]:
    """One day of each stretch between the ends of the spans, and one after all of them."""
    cuts = sorted({ASKED, *(s.start for s in spans), *(s.end for s in spans)})
    return cuts  # each stretch by its first day; the last one stands for "later"
