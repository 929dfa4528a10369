"""Answers open questions ("who", "how many", "when") with a distribution over outcomes. Pure.

The outcomes exclude each other. The kind of question decides where they come from:

- "who" and "which": the names in the markets of one event, of which one comes true;
- "how many" and "how much": the ranges or levels of one quantity;
- "how high" and "how low": markets on whether levels are reached, which bound the highest or lowest
  value;
- "when": deadlines.

Outcomes of two events are never mixed, and the probabilities of levels that can all be touched are
never added.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

from augury.forecast import distribution, explain, nulls, rungs
from augury.forecast.distribution import Distribution, Part
from augury.forecast.evidence import Estimate, Evidence
from augury.forecast.normalize import Reading
from augury.forecast.open_questions import Asks, asks
from augury.forecast.order import Order
from augury.forecast.outcome_labels import label, labels
from augury.language.entities import mentions
from augury.language.vocabulary import default
from augury.propositions.proposition import CONTESTS

if TYPE_CHECKING:
    from augury.forecast.bearing import Bearing

MIN_ASKED: Final = 0.45
"""An open question ("Who will win?") is answered by several markets, each on one possible answer. A
market can be one of them only if it names at least this weighted share, 0 to 1, of the question's
terms (word stems). Chosen by hand."""
MAX_ASKED_GAP: Final = 0.25
"""For an open question ("When will ...?"), markets are compared by the weighted share, 0 to 1, of
the question's terms that each of them names (`Comparison.asked`). If a market's share is smaller
than the largest one by more than this, the market is taken to be about something else. For example,
if one market is on the release of the game in the question, markets on other releases say nothing
about its date. Chosen by hand."""
MAX_SUM: Final = 1.15
"""Several outcomes are taken to exclude each other only if their prices, as probabilities, sum to
at most this. Chosen by hand."""
MIN_REST: Final = 0.005
"""The outcome "any other" (`REST`) is listed if the prices of the named outcomes leave it at least
this probability. A smaller remainder is added to the likeliest outcome. Chosen by hand."""
MAX_PARTS: Final = 20
"""A distribution names at most this many outcomes, the likeliest ones. All others are listed
together as "any other" (`REST`)."""
REST: Final = "any other"

OPEN: Final = "This question can't be answered by yes or no, so no single probability is given."

_OF_A_TIME: Final = re.compile(
    r"\b(?:highest|lowest|peak|bottom|maximum|minimum)\b"
    r"|\bhow\s+(?:high|low)\b.{0,99}?\b(?:get|go|climb|rise|fall|drop|dip|sink|trade|reach|hit|run)\b",
    re.I,
)
"""Matches wording that asks for the highest or lowest value in a period ("How high will Bitcoin
go?") and not for the value on one day ("How high will inflation be?")."""
_CONTINENTS: Final = frozenset(
    "africa asia europe oceania antarctica americas north-america south-america uefa conmebol"
    " concacaf caf afc ofc".split()
)
_ASKS_CONTINENT: Final = re.compile(r"\b(?:continent|confederation)s?\b", re.I)
_PARTY: Final = re.compile(
    r"\b(?:part(?:y|ies)|democrat\w*|republican\w*|gop|labour|tor(?:y|ies)|conservatives?|greens?|"
    r"reform|liberals?|lib\s+dems?|independent)\b",
    re.I,
)
_ASKS_PARTY: Final = re.compile(r"\b(?:which|what)\s+part(?:y|ies)\b", re.I)


class _OpenAnswer(NamedTuple):
    """The answer to an open question ("who", "how many"): a distribution over outcomes (`parts`),
    the market outcomes on which it rests (`used`), and a note for the reader."""

    parts: Distribution
    used: Sequence[Bearing]
    note: str = ""


def answer(reading: Reading, bearings: Sequence[Bearing], at: datetime) -> Estimate:
    """The estimate for an open question ("who", "how many"), as it was understood. It has a
    distribution over outcomes, or the reason why the markets give none, and never a single
    probability.

    bearings : every market outcome that was compared with the question, the best fit first
    """
    kind = asks(reading.effective)
    assert kind is not None
    asked = _contests(reading.question)
    most = max((b.fit.asked for b in bearings), default=0.0)
    near = [
        b for b in bearings
        if _is_about(reading, b) and b.fit.asked >= most - MAX_ASKED_GAP
        and _is_of_contest(b, asked)
    ]  # fmt: skip
    then = [b for b in near if b.fit.window in _WINDOWS[kind]]
    why: list[str] = []
    for family in _families(then):
        found = _MAKERS[kind](reading, _whole(family, bearings), at, why)
        if found is not None:
            return _estimate(found)
    if not why and (others := _families([b for b in near if b not in then])):
        why.append(_another_time(max(others, key=lambda family: family[0].fit.score)[0]))
    reason = why[0] if why else "No set of open markets covers its possible answers."
    return nulls.with_reason(
        Estimate(evidence=(), fallbacks=("open_question",)), "open_question", f"{OPEN} {reason}"
    )


_TIMELY: Final[frozenset[Order]] = frozenset({"same", "unsaid"})
_WINDOWS: Final[dict[Asks, frozenset[Order]]] = {
    "name": frozenset({"same", "unsaid", "implies", "implied"}),
    "amount": _TIMELY, "highest": _TIMELY, "lowest": _TIMELY,
    "day": frozenset({"same", "unsaid", "implies", "implied", "excludes", "differs"}),
}  # fmt: skip
"""Kind of answer that an open question asks for -> relations between a market's window of time and
the question's. Only a market with one of these relations can be part of the answer: markets on
December's job figure say nothing about November's. But if the question asks for a day, the window
of the market does not matter."""


def _another_time(b: Bearing) -> str:
    return (
        "The best-matching markets ask about another time, e.g."
        f" {explain.quoted(b.market.question)}; ask about that one."
    )


def _is_about(reading: Reading, b: Bearing) -> bool:
    predicate = reading.proposition.predicate
    if predicate in CONTESTS and b.view.proposition.predicate != predicate:
        return False
    if not reading.proposition.terms:  # "who will win the 2028 election" names only a contest
        return predicate in CONTESTS and b.fit.edition == "same"
    return b.fit.asked >= MIN_ASKED and b.fit.edition != "differs"


_CONTESTS: Final = frozenset({"event", "league", "award"})
"""Kinds of named entities that people and teams compete in or for."""


_YEAR: Final = re.compile(r"^(?:19|20)\d\d\s+|\s+(?:19|20)\d\d$")


def _contests(text: str) -> frozenset[str]:
    """The names, without years, of the leagues, events and awards that a text mentions, and of
    their parent entities in the vocabulary (`Entity.of`)."""
    return frozenset(
        _YEAR.sub("", name)
        for mention in mentions(text, default())
        for entity in mention.entities
        if entity.kind in _CONTESTS
        for name in (entity.name, *entity.of)
    )


def _is_of_contest(b: Bearing, asked: frozenset[str]) -> bool:
    """Whether question and market may be about the same contest. False only if both name contests,
    but none in common: the question names the Champions League, the market the Super Bowl.
    `asked`: the contests that the question names."""
    theirs = _contests(f"{b.market.question} {b.market.event_name or ''}") if asked else asked
    return not theirs or bool(theirs & asked)


def _families(near: Sequence[Bearing]) -> list[list[Bearing]]:
    """Group the market outcomes `near` into sets that could together be the possible answers to one
    open question ("who", "when"). A group has the outcomes of one market (if it has more than two),
    of the markets of one event or, for markets without an event, of markets on the same contest.
    Groups of one outcome are left out. The group that matches the question best comes first.
    """
    families: dict[tuple[object, ...], list[Bearing]] = {}
    for b in near:
        market = b.market
        if len(market.outcomes) > 2:
            key: tuple[object, ...] = ("market", market.seq)
        elif market.event_id is not None:
            key = ("event", market.platform, market.event_id)
        else:
            p = b.view.proposition
            key = ("terms", market.platform, p.contest, p.predicate, p.stage)
        families.setdefault(key, []).append(b)
    several = [found for found in families.values() if len(found) > 1]
    # Of events that match equally well, the one with more of its outcomes comes first.
    return sorted(several, key=lambda f: (-round(f[0].fit.asked, 1), -len(f), f[0].market.id))


def _whole(family: list[Bearing], bearings: Sequence[Bearing]) -> list[Bearing]:
    """Complete a group of market outcomes, `family`, with all other outcomes of the same event in
    `bearings` (all outcomes that were compared with the question), even if these are worded
    differently. Unchanged if more than one outcome of the event can come true."""
    first = family[0].market
    if first.event_id is None or not _is_exclusive(family[0]):
        return family
    known = {b.key for b in family}
    event = first.platform, first.event_id
    return family + [
        b for b in bearings
        if (b.market.platform, b.market.event_id) == event and _is_exclusive(b)
        and b.key not in known
    ]  # fmt: skip


# --- by name -------------------------------------------------------------------------------


def _by_name(
    reading: Reading, family: Sequence[Bearing], at: datetime, why: list[str]
) -> _OpenAnswer | None:
    named: dict[str, Bearing] = {}
    label_of = labels([b for b in family if not b.turned])
    for b in sorted(family, key=lambda b: (b.age, b.market.id)):
        if not b.turned:
            named.setdefault(label_of[b.key], b)
    if len(named) < 2 or not _of_one_kind(reading.effective, list(named)):
        return None
    if not all(_is_exclusive(b) for b in named.values()):
        why.append("More than one outcome of the best-matching markets can come true.")
        return None
    return _shares(named, why, key=lambda one: (-one[1].positive, one[0]))


def _of_one_kind(question: str, labels: Sequence[str]) -> bool:
    """Whether these outcomes are of the kind that the question asks for: for "which continent",
    more than half must be continents; for "which party", at least half must be parties; for any
    other question, none may be a continent."""
    continents = sum("-".join(name.casefold().split()) in _CONTINENTS for name in labels)
    if _ASKS_CONTINENT.search(question):
        return 2 * continents > len(labels)
    if continents:
        return False
    parties = sum(_PARTY.search(name) is not None for name in labels)
    return 2 * parties >= len(labels) if _ASKS_PARTY.search(question) else True


def _is_exclusive(b: Bearing) -> bool:
    market = b.market
    return (
        len(market.outcomes) > 2 or market.exclusive is True or b.view.proposition.exclusive
        or market.market_type in ("sum_to_one", "winner_take_all")
    )  # fmt: skip


def _shares(
    named: Mapping[str, Bearing],
    why: list[str],
    *,
    key: Callable[[tuple[str, Bearing]], tuple[object, ...]],
    ends: Callable[[Bearing], tuple[float | None, float | None]] = lambda b: (None, None),
) -> _OpenAnswer | None:
    """The distribution over outcomes that exclude each other. Their probabilities are the prices,
    scaled down or completed by the outcome "any other" (`REST`) to a sum of 1. None if the prices
    sum to more than `MAX_SUM`; the reason is then added to `why`.

    named : market outcome by name
    key : sorts the outcomes
    ends : gives the lower and upper end of an outcome that is a range
    """
    total = sum(b.positive for b in named.values())
    if total > MAX_SUM:
        why.append(
            f"The prices of the best-matching outcomes sum to {total:.0%}, so these outcomes do"
            " not exclude each other."
        )
        return None
    likely = sorted(named.items(), key=lambda one: (-one[1].positive, one[0]))[:MAX_PARTS]
    listed = sorted(likely, key=key)
    scale = 1 / total if total > 1 or total > 1 - MIN_REST else 1.0
    parts = [
        Part(name, *ends(b), round(b.positive * scale, 6)) for name, b in listed
    ]  # fmt: skip
    rest = round(1 - sum(part.probability for part in parts), 6)
    if rest >= MIN_REST:
        parts.append(Part(REST, None, None, rest))
    elif parts:
        best = max(range(len(parts)), key=lambda i: parts[i].probability)
        parts[best] = parts[best]._replace(probability=round(parts[best].probability + rest, 6))
    note = f" Prices summed to {total:.0%} and were scaled to 100%." if total > 1.005 else ""
    return _OpenAnswer(tuple(parts), [b for _, b in listed], note)


# --- by amount -----------------------------------------------------------------------------


def _by_amount(
    reading: Reading, family: Sequence[Bearing], at: datetime, why: list[str]
) -> _OpenAnswer | None:
    levels = [b for b in family if b.view.proposition.threshold is not None and not b.turned]
    if any(b.view.proposition.predicate == "touches" for b in levels):
        why.append(
            "The best-matching markets ask whether levels are reached. Several of these levels can"
            " be reached, so they do not exclude each other. Ask how high or how low the value"
            " goes, or whether it reaches a level that you name."
        )
        levels = [b for b in levels if b.view.proposition.predicate != "touches"]
    if len(levels) < 2:  # "4 rate cuts" is a name for one of several outcomes
        return _by_name(reading, family, at, why) if _is_exclusive(family[0]) else None
    if _are_apart(levels):
        named = {label(b): b for b in reversed(levels)}
        return _shares(named, why, key=lambda one: _ends(one[1]), ends=_shown_ends)
    if any(
        _is_exclusive(b) for b in levels
    ):  # a cut by 50, a rise by 25: not levels of one quantity
        return _by_name(reading, family, at, why)
    return _ladder(levels, upward=True, why=why) or _ladder(levels, upward=False, why=why)


def _by_extreme(*, upward: bool) -> _Maker:
    def make(
        reading: Reading, family: Sequence[Bearing], at: datetime, why: list[str]
    ) -> _OpenAnswer | None:
        levels = [b for b in family if b.view.proposition.threshold is not None and not b.turned]
        touched = [b for b in levels if b.view.proposition.predicate == "touches"]
        if len(touched) < 2:
            if levels and _OF_A_TIME.search(reading.effective):
                why.append(
                    "The best-matching markets ask about the value on one day. They do not ask"
                    " about the highest or lowest value up to that day. Ask about the value on"
                    " that day, or whether it reaches a level that you name."
                )
                return None
            return _by_amount(reading, family, at, why)
        found = _ladder(touched, upward=upward, why=why)
        if found is None:
            return None
        note = f" They are ranges of the {'highest' if upward else 'lowest'} level reached."
        return found._replace(note=note)

    return make


def _ladder(levels: Sequence[Bearing], *, upward: bool, why: list[str]) -> _OpenAnswer | None:
    """The distribution over the ranges between levels of one quantity, from the prices of markets
    on getting above each level (`upward`) or below it. None if there are fewer than two levels, or
    if the prices contradict each other; a sentence on the contradiction is then added to `why`."""
    first = levels[0].view.proposition
    found = rungs.by_level(
        first, "above" if upward else "below", levels,
        lambda b: b.view.proposition.window.end == first.window.end,
    )  # fmt: skip
    if first.threshold is None or len(found) < 2:
        return None
    middle = sorted(found)[len(found) // 2]
    parts = distribution.by_level(
        {level: b.positive for level, b in found.items() if level != middle},
        middle, found[middle].positive, upward=upward,
        label=distribution.level_label(first.threshold.unit),
    )  # fmt: skip
    if parts is None:
        why.append("The prices of the best-matching levels contradict each other.")
        return None
    return _OpenAnswer(parts, [found[level] for level in sorted(found)])


def _are_apart(levels: Sequence[Bearing]) -> bool:
    """Whether these markets ask about different ranges that do not overlap, such as "2% to 3%" and
    "3% to 4%". At least one of the ranges must be bounded on both sides."""
    spans = sorted({_ends(b) for b in levels})
    return len(spans) > 1 and all(
        high <= low and not (math.isinf(first) and math.isinf(last))
        for (first, high), (low, last) in pairwise(spans)
    ) and any(not math.isinf(low) and not math.isinf(high) for low, high in spans)  # fmt: skip


def _ends(b: Bearing) -> tuple[float, float]:
    t = b.view.proposition.threshold
    assert t is not None
    return t.low, t.high


def _shown_ends(b: Bearing) -> tuple[float | None, float | None]:
    low, high = _ends(b)
    return (None if math.isinf(low) else low), (None if math.isinf(high) else high)


# --- by day --------------------------------------------------------------------------------


def _by_day(
    reading: Reading, family: Sequence[Bearing], at: datetime, why: list[str]
) -> _OpenAnswer | None:
    first = family[0].view.proposition

    def day(b: Bearing) -> date | None:
        p = b.view.proposition
        return p.window.end if p.predicate == first.predicate and not b.turned else None

    found = rungs.by_day(family, at.date(), day)
    if len(found) < 2:
        return _by_name(reading, family, at, why) if first.choice else None
    middle = sorted(found)[len(found) // 2]
    parts = distribution.by_day(
        {day: b.positive for day, b in found.items() if day != middle}, middle,
        found[middle].positive,
    )  # fmt: skip
    if parts is None:
        why.append("The prices of the best-matching deadlines contradict each other.")
        return None
    return _OpenAnswer(parts, [found[day] for day in sorted(found)])


_Maker = Callable[[Reading, Sequence["Bearing"], datetime, list[str]], _OpenAnswer | None]
_MAKERS: Final[dict[Asks, _Maker]] = {
    "name": _by_name,
    "amount": _by_amount,
    "highest": _by_extreme(upward=True),
    "lowest": _by_extreme(upward=False),
    "day": _by_day,
}


# --- the answer ----------------------------------------------------------------------------


def _estimate(found: _OpenAnswer) -> Estimate:
    text = _sentence(found.parts) + found.note
    evidence = tuple(
        Evidence(
            market=b.market, outcome=b.outcome, role="direct", flipped=False,
            probability=round(b.positive, 6), age=b.age, fit=max(0.0, min(1.0, b.fit.score / 3)),
            weight=1 / len(found.used), averaged=False, relation="asks about one of the outcomes",
        )
        for b in found.used
    )  # fmt: skip
    empty = Estimate(evidence=evidence, distribution=found.parts, fallbacks=("open_question",))
    return nulls.with_reason(empty, "open_question", text)


def _sentence(parts: Iterable[Part]) -> str:
    likely = sorted(parts, key=lambda part: -part.probability)[:3]
    first = ", ".join(f"{explain.quoted(p.label)} {explain.percent(p.probability)}" for p in likely)
    return f"{OPEN} Its outcomes exclude each other and sum to 100%; the likeliest: {first}."
