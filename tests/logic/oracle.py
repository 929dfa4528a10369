"""A truth-table oracle for relations: hidden meanings, worlds enumerated, venues' wordings.

Nothing of the code under test is used here. A statement is a wording and a function from worlds to
truth; worlds are rows of a small table (prices on sample days, dates of events, counts, winners).
Two statements relate by which of the four joint outcomes no world shows.

What is taken for granted of the worlds, as the venues' rules do: a price is never exactly at a
level; a temperature is a whole number; whoever wins an election for a party was its nominee; a
knock-out contest has one winner and two finalists; a question is opened before its windows.
"""

# ruff: noqa: E501
from __future__ import annotations

import calendar
import itertools
from collections.abc import Callable, Sequence
from datetime import date, timedelta
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tests.logic.oracle_contests import elections, knockouts, seasons, tables
from tests.logic.oracle_statements import (
    ASKED,
    MONTHS,
    Case,
    Span,
    Statement,
    Truth,
    asked,
    deadline,
    kalshi,
    last_day,
    market,
    period,
    sample_days,
    spelled,
    verdict,
    within,
)

# Something happens, any number of times


def occasions(rng: Random) -> tuple[Statement, Statement]:
    subject, verb, what = rng.choice([
        ("Ruritania and Graustark", "sign", "a peace treaty"),
        ("the Ruritanian central bank", "call", "an emergency meeting"),
        ("Freedonia", "strike", "Sylvania"),
        ("Acme Corp", "recall", "its rocket skates"),
    ])  # fmt: skip
    spans = [rng.choice((deadline, period))(rng) for _ in range(2)]
    days = sample_days(*spans)
    alike = rng.random() < 0.1  # announced, not done: anything may hold of the two together
    worlds = np.array(list(itertools.product((False, True), repeat=len(days) * (1 + alike))))
    out = []
    for n, span in enumerate(spans):
        table = worlds[:, -len(days) :] if n else worlds[:, : len(days)]
        truth = (table & within(span, days)).any(axis=1)
        if alike and n:
            text = f"Will {subject} announce a plan to {verb} {what} {span.words}?"
            out.append(Statement(market(text, span.end), truth))
        else:
            out.append(_happening(rng, subject, f"{verb} {what}", span, truth))
    return out[0], out[1]


def _happening(rng: Random, subject: str, rest: str, span: Span, truth: Truth) -> Statement:
    body = f"{subject} {rest}"
    q = f"Will {body} {span.words}?"
    by = span.start == ASKED
    match rng.randrange(6):
        case 0 | 1:
            return Statement(market(q, span.end), truth)
        case 2 if by:
            side = f"Before {spelled(rng, span.end)}"
            return Statement(kalshi(f"Will {body}?", side, span.end), truth)
        case 3:
            return Statement(asked(q), truth)
        case 4 if by:
            last = spelled(rng, span.end - timedelta(1))
            text = rng.choice([
                f"Will {subject} fail to {rest} by {last}?",
                f"Will {subject} not {rest} by {last}?",
                f"Will {subject} fail to {rest} {span.words}?",
            ])  # fmt: skip
            return Statement(rng.choice((asked(text), market(text, span.end))), ~truth)
        case _:
            return Statement(market(q, span.end, outcome=1), ~truth)


# Something that happens once


def once(rng: Random) -> tuple[Statement, Statement]:
    spans = [rng.choice((deadline, period))(rng) for _ in range(2)]
    days = sample_days(*spans)
    when = np.eye(len(days) + 1, len(days), dtype=bool)  # never, in the last row
    name, role = rng.choice(
        [("Rufus Firefly", "President of Freedonia"), ("Ann Lee", "CEO of Acme")]
    )
    out = []
    for span in spans:
        truth = (when & within(span, days)).any(axis=1)
        last = spelled(rng, span.end - timedelta(1))
        by = span.start == ASKED
        match rng.randrange(5):
            case 0:
                st = Statement(market(f"{name} out as {role} {span.words}?", span.end), truth)
            case 1:
                st = Statement(asked(f"Will {name} resign as {role} {span.words}?"), truth)
            case 2 if by:
                text = f"Will {name} remain {role} through {last}?"
                st = Statement(asked(text), ~truth)
            case 3 if by:
                side = f"Before {spelled(rng, span.end)}"
                st = Statement(kalshi(f"{name} out as {role}?", side, span.end), truth)
            case _:
                text = f"Will {name} no longer be {role} {span.words}?"
                st = Statement(asked(text), truth)
        out.append(st)
    return out[0], out[1]


# Prices: levels touched, and levels at a day's end


def prices(rng: Random) -> tuple[Statement, Statement]:
    asset = rng.choice(["Bitcoin", "Ethereum", "gold", "WTI crude oil"])
    levels = sorted(rng.sample((80, 90, 100, 110, 120), 2))
    picks = [rng.choice(levels) for _ in range(2)]
    spans: list[Span] = []
    kinds: list[str] = []
    day_pool = [date(2027, 2, 10), date(2027, 3, 31), date(2027, 5, 15)]
    for _ in range(2):
        kind = rng.choice(("up", "down", "stay_below", "stay_above", "above", "below", "between"))
        kinds.append(kind)
        if kind in ("above", "below", "between"):
            day = rng.choice(day_pool)
            spans.append(Span(day, day + timedelta(1), f"on {spelled(rng, day)}"))
        else:
            spans.append(rng.choice((deadline, period))(rng))
    days = sample_days(*spans)
    # Two moments of each stretch, so that it may reach both sides; the close is the second.
    values = [70, *[(a + b) / 2 for a, b in itertools.pairwise(levels)], 130]
    worlds = np.array(list(itertools.product(values, repeat=len(days) * 2)))
    moments = [d for d in days for _ in (0, 1)]
    out = []
    for kind, span, level in zip(kinds, spans, picks, strict=True):
        inside = within(span, moments)
        table = worlds[:, inside]
        out.append(_price(rng, asset, kind, span, level, levels, table))
    return out[0], out[1]


def _price(
    rng: Random,
    asset: str,
    kind: str,
    span: Span,
    level: int,
    levels: Sequence[int],
    table: NDArray[Any],
) -> Statement:
    x = f"${level},000" if rng.random() < 0.6 else f"${level}k"
    by = span.start == ASKED
    last = spelled(rng, span.end - timedelta(1))
    through = f"through {last}" if by else span.words
    close = table[:, -1]
    match kind:
        case "up":
            truth = (table > level).any(axis=1)
            text = rng.choice([
                f"Will {asset} reach {x} {span.words}?",
                f"Will {asset} rise to {x} or more {span.words}?",
                f"Will the price of {asset} climb to at least {x} at any time {span.words}?",
                f"Will {asset} hit (HIGH) {x} {span.words}?",
            ])  # fmt: skip
            if by and rng.random() < 0.25:
                return Statement(
                    kalshi(f"How high will {asset} get {span.words}?", f"{x} or above", span.end),
                    truth,
                )
        case "down":
            truth = (table < level).any(axis=1)
            text = rng.choice([
                f"Will {asset} dip to {x} {span.words}?",
                f"Will {asset} fall to {x} or lower {span.words}?",
                f"Will {asset} drop below {x} {span.words}?",
                f"Will {asset} hit (LOW) {x} {span.words}?",
            ])  # fmt: skip
        case "stay_below":
            truth = ~(table > level).any(axis=1)
            text = rng.choice([
                f"Will {asset} stay below {x} {through}?",
                f"Will the price of {asset} remain under {x} {through}?",
                f"Will {asset} fail to reach {x} {span.words}?",
            ])  # fmt: skip
        case "stay_above":
            truth = ~(table < level).any(axis=1)
            text = rng.choice([
                f"Will {asset} stay above {x} {through}?",
                f"Will {asset} hold above {x} {through}?",
            ])  # fmt: skip
        case "above":
            truth = close > level
            text = rng.choice([
                f"Will the price of {asset} be above {x} {span.words}?",
                f"{asset} above {level},000 {span.words}?",
                f"Will {asset} close at or above {x} {span.words}?",
            ])  # fmt: skip
            if rng.random() < 0.25:
                title = f"{asset} price {span.words}?"
                return Statement(
                    kalshi(title, f"${level},000 or above", span.end,
                           strike=("greater_or_equal", level * 1000.0, None)), truth)  # fmt: skip
        case "below":
            truth = close < level
            text = rng.choice([
                f"Will the price of {asset} be less than {x} {span.words}?",
                f"Will {asset} be below {x} {span.words}?",
            ])  # fmt: skip
        case _:
            low, high = levels
            truth = (close > low) & (close < high)
            text = f"Will the price of {asset} be between ${low},000 and ${high},000 {span.words}?"
            if rng.random() < 0.3:
                title = f"{asset} price {span.words}?"
                return Statement(
                    kalshi(title, f"${low},000 to ${high},000", span.end,
                           strike=("between", low * 1000.0, high * 1000.0)), truth)  # fmt: skip
    if "close at" in text:
        text = text.replace("close at", "be at")
    if rng.random() < 0.3:
        return Statement(asked(text), truth)
    if rng.random() < 0.15:
        return Statement(market(text, span.end, outcome=1), ~truth)
    return Statement(market(text, span.end), truth)


# Counts


def counts(rng: Random) -> tuple[Statement, Statement]:
    who, verb, noun = rng.choice([
        ("the Fed", "make", "rate cuts"), ("SpaceX", "complete", "Starship launches"),
        ("Elon Musk", "publish", "tweets"), ("Congress", "pass", "executive orders"),
    ])  # fmt: skip
    spans = [period(rng) for _ in range(2)]
    if rng.random() < 0.5:
        spans[1] = spans[0]
    days = sample_days(*spans)
    top = 7 if len(days) <= 4 else 5
    worlds = np.array(list(itertools.product(range(top), repeat=len(days))))
    out = []
    for span in spans:
        n = worlds[:, within(span, days)].sum(axis=1)
        k = rng.choice((1, 2, 3))
        forms: list[tuple[str, Truth]] = [
            (f"more than {k} {noun}", n > k), (f"at least {k} {noun}", n >= k),
            (f"{k} or more {noun}", n >= k), (f"fewer than {k} {noun}", n < k),
            (f"{k} or fewer {noun}", n <= k), (f"no more than {k} {noun}", n <= k),
            (f"exactly {k} {noun}", n == k),
        ]  # fmt: skip
        words, truth = rng.choice(forms)
        if rng.random() < 0.3:
            side, truth = rng.choice([
                (f"Above {k}", n > k), (f"At least {k}", n >= k), (f"{k} or more", n >= k),
                (f"Exactly {k}", n == k), (f"{k}", n == k), (f"{k} or fewer", n <= k),
            ])  # fmt: skip
            title = f"How many {noun} will {who} {verb} {span.words}?"
            out.append(Statement(kalshi(title, side, span.end), truth))
            continue
        text = f"Will {who} {verb} {words} {span.words}?"
        out.append(Statement(rng.choice((asked(text), market(text, span.end))), truth))
    return out[0], out[1]


# Whole degrees on a day


def temperatures(rng: Random) -> tuple[Statement, Statement]:
    city = rng.choice(["Springfield", "Shelbyville"])
    cities = [city, city if rng.random() < 0.9 else "Ogdenville"]
    day_pool = [date(2027, 4, 13), date(2027, 4, 14)]
    days = [rng.choice(day_pool) for _ in range(2)]
    same = cities[0] == cities[1] and days[0] == days[1]
    degrees = np.arange(50, 72)
    if same:
        tables = [degrees, degrees]
    else:
        pairs = np.array(list(itertools.product(degrees, degrees)))
        tables = [pairs[:, 0], pairs[:, 1]]
    out = []
    for where, day, t in zip(cities, days, tables, strict=True):
        title = f"Highest temperature in {where} on {spelled(rng, day)}?"
        low = rng.choice((55, 57, 59, 61, 63))
        closes = day + timedelta(1)
        match rng.randrange(5):
            case 0:
                st = Statement(
                    kalshi(title, f"{low}° to {low + 1}°", closes,
                           strike=("between", float(low), low + 1.0)),
                    (t >= low) & (t <= low + 1))  # fmt: skip
            case 1:
                st = Statement(
                    kalshi(title, f"{low}° or below", closes, strike=("less", None, low + 1.0)),
                    t <= low)  # fmt: skip
            case 2:
                st = Statement(
                    kalshi(title, f"{low}° or above", closes, strike=("greater", low - 1.0, None)),
                    t >= low)  # fmt: skip
            case 3:
                text = f"Will the highest temperature in {where} be {low}°F or higher on {spelled(rng, day)}?"
                st = Statement(market(text, closes), t >= low)
            case _:
                text = (f"Will the highest temperature in {where} be between {low}-{low + 1}°F "
                        f"on {spelled(rng, day)}?")  # fmt: skip
                st = Statement(market(text, closes), (t >= low) & (t <= low + 1))
        out.append(st)
    return out[0], out[1]


# A published figure with one decimal


def figures(rng: Random) -> tuple[Statement, Statement]:
    what = rng.choice(["CPI inflation", "the unemployment rate"])
    months = [rng.choice(MONTHS[:2]) for _ in range(2)]
    grid = np.round(np.arange(20, 40) / 10, 1)
    if months[0] == months[1]:
        tables = [grid, grid]
    else:
        pairs = np.array(list(itertools.product(grid, grid)))
        tables = [pairs[:, 0], pairs[:, 1]]
    out = []
    for month, v in zip(months, tables, strict=True):
        name = f"{calendar.month_name[month.month]} {month.year}"
        x = rng.choice((2.5, 3.0, 3.5))
        closes = last_day(month) + timedelta(12)
        match rng.randrange(4):
            case 0:
                title = f"How high will {what} be in {name}?"
                strike = ("greater", x, None)
                st = Statement(kalshi(title, f"Above {x}%", closes, strike=strike), v > x)
            case 1:
                st = Statement(market(f"Will {what} be above {x}% in {name}?", closes), v > x)
            case 2:
                st = Statement(asked(f"Will {what} be below {x}% in {name}?"), v < x)
            case _:
                st = Statement(asked(f"Will {what} be at most {x}% in {name}?"), v <= x)
        out.append(st)
    return out[0], out[1]


# A rate, decided at one meeting after the other


def meetings(rng: Random) -> tuple[Statement, Statement]:
    bank, what = rng.choice([
        ("the Fed", "cut rates"), ("the Fed", "decrease interest rates"), ("the ECB", "raise rates"),
    ])  # fmt: skip
    months = [rng.choice(MONTHS[:3]) for _ in range(2)]
    step = np.array([0, 10, 25, 40, 50, 75])
    if months[0] == months[1]:
        tables = [step, step]
    else:
        pairs = np.array(list(itertools.product(step, step)))
        tables = [pairs[:, 0], pairs[:, 1]]
    exactly = rng.choice((None, None, 25, 50))
    # The unit behind a plus is not read, so that such a wording has only its like for kin.
    plus = rng.random() < 0.3
    out = []
    for month, moved in zip(months, tables, strict=True):
        name = calendar.month_name[month.month]
        when = rng.choice((f"{name} {month.year}", name))
        meeting = rng.choice((
            f"at its {when} meeting", f"at the {when} meeting", f"after the {when} meeting",
            f"after {when} meeting", f"following the {when} meeting",
        ))  # fmt: skip
        n = exactly or rng.choice((25, 50))
        words, truth = rng.choice([
            (f"at least {n} bps", moved >= n), (f"{n} bps or more", moved >= n),
            (f"more than {n} bps", moved > n),
        ])  # fmt: skip
        if plus:
            words, truth = f"{n}+ bps", moved >= n
        if exactly:
            words, truth = f"{n} bps", moved == n
        closes = month.replace(day=28)
        text = f"Will {bank} {what} by {words} {meeting}?"
        wordings = [market(text, closes), asked(text)]
        out.append(Statement(rng.choice(wordings), truth))
    return out[0], out[1]


DOMAINS: list[Callable[[Random], tuple[Statement, Statement]]] = [
    occasions, once, prices, prices, counts, temperatures, figures, meetings, elections, knockouts,
    tables, seasons,
]  # fmt: skip


def cases(seed: int, n: int) -> list[Case]:
    """`n` pairs with the relation that their worlds show."""
    rng = Random(seed)
    out: list[Case] = []
    while len(out) < n:
        domain = rng.choice(DOMAINS)
        one, two = domain(rng)
        if any(s.truth.all() or not s.truth.any() for s in (one, two)):
            continue  # true or false whatever happens
        out.append(Case(domain.__name__, one, two, verdict(one.truth, two.truth)))
    return out
