"""Infers how the markets of an event constrain each other (their type), and to which family they
belong (all markets of the events that share a name). Pure.

The type of a market is one of these:

- `threshold_ladder`: nested. "above 50" implies "above 40", "by March" implies "by June". Each
  market is a rung. Of two rungs, the narrower one implies the wider one.
- `sum_to_one`: disjoint buckets of one quantity or date; at most one resolves Yes.
- `winner_take_all`: at most one of several named outcomes resolves Yes.
- `binary`: no constraint is known. A doubtful market is binary.

The event's own texts, strikes and flags decide the type; prices and resolutions can only rule a
type out. A catalogue may hold only some markets of an event, so no type says that the stored
markets are complete.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise

import msgspec

from augury.markets.families import family_id, undated
from augury.markets.records import MarketType
from augury.markets.sides import (
    Deadline,
    EventMember,
    Interval,
    Sides,
    read_interval,
    side_of,
    squash,
)

MOST_EXCLUSIVE = 1.35
"""The markets of one event may exclude each other only if the Yes prices of the active ones sum to
at most this probability. The limit is above 1, because spreads and unreliable quotes add to the
sum. Chosen by hand."""

MAX_INVERSION = 0.10
"""Limit, in probability, for prices of two neighboring levels of one quantity. The narrower level
("above 50") implies the wider one ("above 40"), so the wider one should not be cheaper. If it is
cheaper by more than this limit, the two levels count as quoted out of order; spreads and stale
quotes explain smaller differences. Chosen by hand."""


class Grouping(msgspec.Struct, frozen=True):
    """A market's type (how the markets of its event constrain each other) and its family (all
    markets of the events that share a name)."""

    market_type: MarketType
    group_id: str
    group_name: str


def infer(members: Sequence[EventMember]) -> dict[str, Grouping]:
    """The type and the family of each market of one event (or of a single market without an event),
    by market id."""
    sides = {m.id: side_of(m) for m in members} if len(members) > 1 else {}
    name = _family_name(members, sides)
    group_id = family_id(name, members[0])
    types = _types(members, sides)
    return {m.id: Grouping(types.get(m.id, "binary"), group_id, name) for m in members}


def _types(members: Sequence[EventMember], sides: Sides) -> dict[str, MarketType]:
    """The types of an event's markets, i.e. how they constrain each other, by market id. A market
    that is left out is binary (no known constraint)."""
    if len(members) == 1:
        return _type_of_single_market(members[0])
    members = [m for m in members if len(m.outcomes) == 2]
    denied = any(m.exclusive is False and m.platform == "kalshi" for m in members)
    flagged = len(members) > 1 and all(m.exclusive for m in members)

    intervals = {m.id: s for m in members if isinstance(s := sides[m.id], Interval)}
    deadlines = {m.id: s for m in members if isinstance(s := sides[m.id], Deadline)}
    if flagged:
        return _types_of_flagged(members, intervals, deadlines)

    types: dict[str, MarketType] = {}
    by_id = {m.id: m for m in members}
    for rungs in _ladders(intervals):
        if not _contradicts_nesting([(intervals[i], by_id[i]) for i in rungs]):
            types |= dict.fromkeys(rungs, "threshold_ladder")
    if not types and not denied:
        for buckets in _buckets(intervals):
            same = [by_id[i] for i in buckets]
            # Bare numbers may be thresholds whose direction the venue left out.
            bare = all(intervals[i].low == intervals[i].high for i in buckets)
            if _adds_up(same) if bare else not _contradicts_exclusion(same):
                types |= dict.fromkeys(buckets, "sum_to_one")
    claims: dict[str, dict[str, str]] = defaultdict(dict)
    for i, deadline in deadlines.items():
        claims[deadline.claim][i] = deadline.date
    for dates in claims.values():
        if len(set(dates.values())) == len(dates) > 1:
            types |= dict.fromkeys(dates, "threshold_ladder")
    if not types and not denied and _names_steps(members) and _adds_up(members):
        types |= dict.fromkeys(by_id, "sum_to_one")
    if not types and not denied and not intervals and not deadlines and _is_contest(members):
        types |= dict.fromkeys(by_id, "winner_take_all")
    return types


def _type_of_single_market(market: EventMember) -> dict[str, MarketType]:
    """The type of an event's only market, as {market id: type}. With three or more outcomes, it is
    `sum_to_one` if at least half of the outcomes are ranges of values, else `winner_take_all`. With
    fewer outcomes the result is empty, so the market is binary."""
    if len(market.outcomes) < 3:
        return {}
    ranges = sum(read_interval(label, "") is not None for label in market.outcomes)
    return {market.id: "sum_to_one" if 2 * ranges >= len(market.outcomes) else "winner_take_all"}


def _types_of_flagged(
    members: Sequence[EventMember], intervals: dict[str, Interval], deadlines: dict[str, Deadline]
) -> dict[str, MarketType]:
    """Market id -> type of the market, for an event that the venue flags as exclusive: at most one
    of its markets resolves Yes. Empty if prices, results or texts show that the flag is wrong.

    intervals, deadlines : what Yes means, as read from the markets' texts, by market id
    """
    if _contradicts_exclusion(members):
        return {}
    nested = any(len(rungs) > 1 for rungs in _ladders(intervals)) or len(deadlines) > 1
    if nested and not _disjoint(list(intervals.values())):
        return {}  # the texts say nested, the venue says exclusive: one of them is misread
    counted = len(intervals) + len(deadlines)
    quantity = 2 * counted >= len(members) or _names_steps(members)
    return dict.fromkeys((m.id for m in members), "sum_to_one" if quantity else "winner_take_all")


def _ladders(intervals: dict[str, Interval]) -> list[list[str]]:
    """Groups of market ids, each of two or more markets that ask about the same quantity and whose
    intervals are open to the same side ("above 40", "above 50").

    intervals : the values that mean Yes, by market id
    """
    quantities_with_ranges = {
        s.quantity for s in intervals.values() if math.isfinite(s.low) and math.isfinite(s.high)
    }
    rungs: dict[tuple[str, bool, bool], dict[str, float]] = defaultdict(dict)
    for i, side in intervals.items():
        if side.quantity in quantities_with_ranges:
            continue
        upward = math.isinf(side.high)
        rungs[side.quantity, upward, side.touch][i] = side.low if upward else side.high
    return [list(same) for same in rungs.values() if len(same) > 1 and len(set(same.values())) > 1]


def _buckets(intervals: dict[str, Interval]) -> list[list[str]]:
    """Groups of market ids, each of two or more markets that ask about the same quantity and whose
    intervals do not overlap ("40 to 50", "50 to 60").

    intervals : the values that mean Yes, by market id
    """
    ids_by_quantity: dict[str, list[str]] = defaultdict(list)
    for i, side in intervals.items():
        if not side.touch:
            ids_by_quantity[side.quantity].append(i)
    return [
        ids
        for ids in ids_by_quantity.values()
        if len(ids) > 1 and _disjoint([intervals[i] for i in ids])
    ]


def _disjoint(sides: Sequence[Interval]) -> bool:
    """Whether the intervals do not overlap. A shared end, as in "40 to 50" and "50 to 60", does not
    count as an overlap."""
    ordered = sorted(sides, key=lambda s: (s.low, s.high))
    return all(a.high <= b.low and (a.low, a.high) != (b.low, b.high) for a, b in pairwise(ordered))


def _yes(market: EventMember) -> float | None:
    """The probability of a market's first outcome: if the market is resolved, 1 or 0; else its
    quoted price, None without a quote."""
    if market.status == "resolved" and market.resolution is not None:
        return 1.0 if market.resolution == market.outcomes[0] else 0.0
    return market.prices[0] if market.prices else None


def _contradicts_exclusion(members: Sequence[EventMember]) -> bool:
    """Whether prices or results show that more than one market can resolve Yes."""
    won = sum(
        m.resolution is not None and m.resolution == m.outcomes[0]
        for m in members
        if m.status == "resolved"
    )
    quoted = [m.prices[0] for m in members if m.status == "active" and m.prices]
    return won > 1 or sum(p for p in quoted if p is not None) > MOST_EXCLUSIVE


def _contradicts_nesting(rungs: Sequence[tuple[Interval, EventMember]]) -> bool:
    """Whether more than half of the pairs of neighboring levels are quoted out of order: the
    narrower level ("above 50") higher than the wider one ("above 40"), by more than
    `MAX_INVERSION`."""
    quoted = sorted(
        (s.low if math.isinf(s.high) else -s.high, price)
        for s, m in rungs
        if (price := _yes(m)) is not None
    )
    pairs = list(pairwise(quoted))
    inverted = sum(narrow > wide + MAX_INVERSION for (_, wide), (_, narrow) in pairs)
    return 2 * inverted > len(pairs)


def _adds_up(members: Sequence[EventMember]) -> bool:
    """Whether every market has a price or a result, and the sum of the Yes prices is between 0.88
    and 1.12."""
    prices = [_yes(m) for m in members]
    known = [p for p in prices if p is not None]
    return len(known) == len(prices) and 0.88 <= sum(known) <= 1.12


_STEP = re.compile(r"\b(?:bps|basis points?|percentage points?)\b", re.I)
_NO_STEP = re.compile(r"\b(?:no changes?|unchanged|maintains?|hold|holds)\b", re.I)


def _names_steps(members: Sequence[EventMember]) -> bool:
    """Whether the markets are the options of a rate decision: one "no change", and all others a
    step, i.e. text such as "25 bps" or "percentage points". False for fewer than three markets."""
    texts = [m.subtitle or m.question for m in members]
    steps = sum(bool(_STEP.search(t) or re.fullmatch(r".{0,20}\d+\s*bps.{0,12}", t)) for t in texts)
    stays = sum(bool(_NO_STEP.search(t)) for t in texts)
    return len(members) > 2 and stays == 1 and steps == len(texts) - 1


_CONTEST = re.compile(
    r"\b(?:win|wins|winner|won|champions?|championship|nominees?|elected|mvp|award|"
    r"next (?:president|prime minister|pope|chair|leader|mayor|governor|chancellor|ceo|"
    r"manager|head coach|james bond|speaker|secretary)|of the year|#1|number one|"
    r"top (?:song|album|app|movie|film|artist|free app|us)|(?:rookie|player|coach) of|best)\b|#1",
    re.I,
)
_NO_CONTEST = re.compile(
    r"\b(?:any|at least|top[- ]?\d+|top (?:three|four|five|ten)|one of|both|either|qualif\w+|"
    r"make|makes|advance\w*|playoffs?|medal\w*|nominated|nominations?|finish\w* in|relegat\w*|"
    r"an? (?:grammy|oscar|emmy|medal|award|seat|game|title|match|race|nobel|primary|state)|"
    r"win (?:over )?\d|wins by|by (?:over|more)|more than|or more|over|under|attend\w*|"
    r"appear\w*|announce\w*|join\w*|leave|leaves|out|say|says|mention\w*|visit\w*|meet|"
    r"score\w*|spread|total|half|quarter|set|map|round|states|seats|every|all|again|"
    r"pardon\w*|shortlist\w*|compete|run for|final four|reach\w*|before|by)\b",
    re.I,
)
_FIXTURE = re.compile(r"\S\s+(?:vs?\.?|@|at)\s+\S", re.I)
_DRAW = re.compile(r"\b(?:tie|draw)\b", re.I)


def _is_contest(members: Sequence[EventMember]) -> bool:
    """Whether the markets name contestants of whom only one can win.

    The texts decide this; prices and resolutions can only rule it out.
    """
    if _contradicts_exclusion(members) or len({_choice(m) for m in members}) < len(members):
        return False
    if _is_fixture(members):
        return True
    shared = _shared_words(members)
    if shared is None:
        return False
    about = f"{members[0].event_name or ''} {shared}"
    if not _CONTEST.search(about) or _NO_CONTEST.search(about):
        return False
    if any(_NO_CONTEST.search(m.event_name or "") for m in members):
        return False
    return len(members) > 2 or _adds_up(members)


def _choice(market: EventMember) -> str:
    return (market.subtitle or market.question).casefold().strip()


def _is_fixture(members: Sequence[EventMember]) -> bool:
    """Whether the markets are the two sides of one match, or the two sides and the draw, and ask
    only who wins the match."""
    if not 2 <= len(members) <= 3:
        return False
    event = members[0].event_name or members[0].title
    sides = re.split(r"\s+(?:vs?\.?|@|at)\s+", event, flags=re.I)
    if len(sides) != 2 or not _FIXTURE.search(event) or re.search(r":", event):
        return False
    draws = sum(bool(_DRAW.search(m.subtitle or m.question)) for m in members)
    if draws != len(members) - 2:
        return False
    exact = {squash(s) for s in sides}
    first, second = (_words(s) for s in sides)
    for m in members:
        text = m.subtitle or m.question
        if _DRAW.search(text) or squash(text) in exact:
            continue
        if m.subtitle is None and not re.search(r"\bwins?\b", text):
            return False
        named = _words(text)
        if bool(named & first) == bool(named & second) or re.search(r"\d+\.5|\bby\b", text):
            return False
    return True


def _words(text: str) -> set[str]:
    return {w for w in re.findall(r"[^\W\d_]{3,}", text.casefold()) if w not in _COMMON_WORDS}


_COMMON_WORDS = frozenset({"winner", "will", "win", "the", "and", "match", "game"})


def _shared_words(members: Sequence[EventMember]) -> str | None:
    """The words that the questions of all markets share around one differing name: "will win the
    cup?" of "Will Ann win the cup?" and "Will Bob win the cup?". None if fewer than three words are
    shared, or if a differing part has more than 14 words.

    If all markets have subtitles, each market's subtitle is removed from its title instead. The
    result is the text that remains. None if it is not the same for all markets. If only some
    markets have subtitles, the result is None, too.
    """
    if all(m.subtitle for m in members):
        titles = {squash(m.title.replace(m.subtitle or "", " ")) for m in members}
        return titles.pop() if len(titles) == 1 else None
    if any(m.subtitle for m in members):
        return None
    questions = [m.question.split() for m in members]
    head, tail = _common_ends(questions)
    # Two shared words ("Will ... ?") say too little.
    if head + tail < 3 or any(len(q) - head - tail > 14 for q in questions):
        return None
    words = questions[0]
    return squash(" ".join(words[:head] + words[len(words) - tail :]))


def _common_ends(texts: Sequence[Sequence[str]]) -> tuple[int, int]:
    """How many words at the beginning, and how many at the end, all texts (lists of words) share.
    At least one word of each text is left over between the two."""
    shortest = min(len(t) for t in texts)
    head = 0
    while head < shortest - 1 and len({t[head].casefold() for t in texts}) == 1:
        head += 1
    tail = 0
    while tail < shortest - 1 - head and len({t[len(t) - 1 - tail].casefold() for t in texts}) == 1:
        tail += 1
    return head, tail


def _family_name(members: Sequence[EventMember], sides: Sides) -> str:
    """The name of the family of an event's markets: what they are about, without the days of a
    recurring series.

    Deadlines are left out too if there is only one market, or if most of the markets differ by
    deadline. Otherwise the deadline is a part of the question and stays in the name: "the level
    before 2030".
    """
    named = [m.event_name for m in members if m.event_name and m.event_name.strip()]
    if named:
        base = min(named)
    else:
        titles = sorted({m.title.strip() or m.question for m in members})
        base = titles[0] if len(titles) == 1 else _shared_title(titles)
    dated = sum(isinstance(side, Deadline) for side in sides.values())
    series = len(members) == 1 or 2 * dated > len(members)
    return undated(base, deadlines=series) or base.strip()


def _shared_title(titles: Sequence[str]) -> str:
    texts = [t.split() for t in titles]
    if not all(texts):
        return titles[0]
    head, tail = _common_ends(texts)
    if head + tail < 3:
        return titles[0]
    words = texts[0]
    return " ".join([*words[:head], "…", *words[len(words) - tail :]])
