"""Quantities in a market's text: numbers with their units, and the range of values that means Yes.

Pure. The range follows from words in front of a number ("above 3 %", "reach $100k") or behind it
("25 or fewer", "3+"). The caller has to remove dates first, because a year looks like a number.
"""

from __future__ import annotations

import math
import re
from typing import Final, Literal

import msgspec

from augury.language.numerals import FACTOR, FACTORS

Unit = Literal["usd", "eur", "gbp", "percent", "bps", "degrees", "none"]

_UNIT = (
    r"%|percentage\s+points?|percent(?:age)?\b|per\s+cent\b|pct\b|bps?\b|basis\s+points?|"
    r"[°º]\s?[fc]?\b|°|º|degrees?\b|usd[tc]?\b|dollars?\b"
)
NUMBER: Final = (
    r"(?P<{0}>[-−]?[$€£]?\s?[-−]?\d[\d,]*(?:\.\d+)?|[$€£]\.\d+)"
    rf"(?:\s?(?P<{{0}}u>(?:{FACTOR})\b))?(?:\s?(?P<{{0}}n>{_UNIT}))?"
)
"""Regular expression of a number with scale and unit, in which `{0}` stands for a group name
(`str.format`). With the name `a`, group `a` is the number, `au` its scale ("million") and `an` its
unit ("%")."""

_A, _B = NUMBER.format("a"), NUMBER.format("b")
_RANGE: Final = re.compile(
    rf"(?<![\w.-])(?:(?P<opening>between|from)\s+)?{_A}\s?(?:-|–|—|\bto\b|\bthrough\b|(?P<and>\band\b|&))\s?{_B}(?!\w|-\d)",
    re.I,
)
# The longer wording first: "at or above" before "above", "no more than" before "more than".
_UP_INCLUSIVE = (
    r"at\s+least|at\s+or\s+above|no\s+(?:less|fewer|lower)\s+than|not\s+(?:less|fewer)\s+than|"
    r"a\s+minimum\s+of|≥|>=|as\s+high\s+as|as\s+many\s+as"
)
_DOWN_INCLUSIVE = (
    r"at\s+most|at\s+or\s+below|no\s+(?:more|greater|higher)\s+than|not\s+more\s+than|"
    r"a\s+maximum\s+of|up\s+to|≤|<=|as\s+low\s+as|as\s+few\s+as"
)
_UP = (
    r"above|over|more\s+than|greater\s+than|higher\s+than|exceed(?:s|ed|ing)?|north\s+of|o/u|"
    r"over/under|>"
)
_DOWN = r"below|under|less\s+than|fewer\s+than|lower\s+than|south\s+of|beneath|<"
_TO = r"(?:\s+back)?(?:\s+(?:up|down))?\s+(?:to|past|above|over|through|below|under|beneath)"
_RISE = (
    r"climbs?|rises?|rallies|rally|surges?|jumps?|soars?|shoots?(?:\s+up)?|moves?\s+up|goes\s+up"
)
_FALL = (
    r"dips?|falls?|drops?|sinks?|slides?|plunges?|crash(?:es)?|declines?|tumbles?|slumps?|"
    r"goes\s+down|moves?\s+down"
)
_MARK = (
    r"(?:hits?|reach(?:es)?|sees?|sets?|makes?|touch(?:es)?)\s+(?:an?\s+|the\s+)?(?:new\s+|fresh\s+|"
    r"record\s+|all[- ]time\s+|yearly\s+)?"
)
_BEFORE: Final = re.compile(
    r"(?:(?<![\w$])(?:"
    rf"(?P<touch_up>↑|hit\s*\(high\)|(?:{_MARK})highs?\s+(?:of|at)|reach(?:es|ed|ing)?(?:\s+at\s+least)?|"
    rf"(?:{_RISE}){_TO}(?:\s+at\s+least)?|surpass(?:es|ed|ing)?|(?:break|cross)(?:es|s)?(?:\s+(?:above|over|past))?|"
    r"tops?)|"
    rf"(?P<touch_down>↓|hit\s*\(low\)|(?:{_MARK})lows?\s+(?:of|at)|(?:{_FALL}){_TO}(?:\s+at\s+most)?|(?:break|cross)(?:es|s)?\s+(?:below|under))|"
    r"(?P<touch>hits?|touch(?:es)?|taps?)|"
    rf"(?P<up_in>{_UP_INCLUSIVE})|(?P<down_in>{_DOWN_INCLUSIVE})|(?P<up>{_UP})|(?P<down>{_DOWN})"
    rf")(?:\s+or\s+equal\s+to(?P<equal>))?)\s*(?:the\s+|an?\s+)?{_A}",
    re.I,
)  # fmt: skip
_BEHIND: Final = re.compile(
    rf"(?<!\d)(?<!\d,){_A}(?:\s+[a-z-]+){{0,3}}?\s*(?:(?P<more>\bor\s+(?:more|above|higher|greater|over|better)\b"
    r"|\+(?!\d))|(?P<less>\bor\s+(?:less|below|lower|fewer|under)\b))",
    re.I,
)
HAPPENING: Final = re.compile(r"\s[a-z][a-z -]{1,40}?\s(?:happen|occur|take\s+place)\b", re.I)
"""Matches the words after a count, up to and including the verb "happen", "occur" or "take place":
" rate cuts happen" in "Will 2 rate cuts happen?"."""
_EXACT: Final = [
    re.compile(rf"\bexactly\s+{_A}", re.I),
    re.compile(rf"(?<![\w.,$%-]){_A}(?={HAPPENING.pattern})", re.I),
    re.compile(rf"^\s*{_A}\s*(?P<noun>[a-z]+)?\s*[?]?\s*$", re.I),
]


class Quantity(msgspec.Struct, frozen=True):
    """The range, from `low` to `high`, in which a value has to lie for a market to resolve Yes.
    `low_in` and `high_in` say whether the two ends belong to the range."""

    low: float
    high: float
    low_in: bool
    """Whether `low` itself is in the range. `high_in` says the same of `high`. Both are True for
    infinite ends."""
    high_in: bool
    touch: bool
    """True if it is enough that the value reaches the range once ("hit $100k")."""
    unit: Unit
    span: tuple[int, int]
    """Start and end, in the text, of the words that state the quantity."""


def quantity(plain: str) -> Quantity | None:
    """The quantity in a text, as a range of values: "above $3" -> 3 to infinity, in dollars. None
    if the text states no quantity, or several.

    Dates in the text must have been replaced by blanks, because a year looks like a number.
    """
    if (found := _RANGE.search(plain)) and bool(found["opening"]) >= bool(found["and"]):
        low, high = value(found, "a"), value(found, "b")
        if found["au"] is None and found["bu"] is not None and low < high:
            low *= FACTORS[found["bu"].casefold()]
        if not low < high or _RANGE.search(plain, found.end()):
            return None
        return Quantity(low, high, True, True, False, unit(found, "b", "a"), found.span())
    hits = [_before(found) for found in _BEFORE.finditer(plain)]
    taken = [hit.span for hit in hits]
    for found in _BEHIND.finditer(plain):
        if any(start < found.end("a") and found.start("a") < end for start, end in taken):
            # "reach $5 or more": words in front and behind state the range of one number
            hits = [_with_words_behind(hit, found) for hit in hits]
            continue
        up, x = found["more"] is not None, value(found, "a")
        low, high = (x, math.inf) if up else (-math.inf, x)
        hits.append(Quantity(low, high, True, True, False, unit(found, "a"), found.span()))
    if len(hits) == 1:
        return hits[0]
    if not hits:
        for pattern in _EXACT:
            if found := pattern.search(plain):
                x = value(found, "a")
                return Quantity(x, x, True, True, False, unit(found, "a"), found.span())
    return None


def _before(found: re.Match[str]) -> Quantity:
    x, name, span = value(found, "a"), unit(found, "a"), found.span()
    equal = found["equal"] is not None
    if found["touch"] is not None:
        return Quantity(x, x, True, True, True, name, span)
    verb = found["touch_up"] or found["touch_down"]
    touch = verb is not None
    if found["touch_up"] or found["up_in"] or found["up"]:
        at = bool(found["up_in"]) or equal or bool(verb and _ATTAINED.search(verb))
        return Quantity(x, math.inf, at, True, touch, name, span)
    at = bool(found["down_in"]) or equal or bool(verb and _ATTAINED.search(verb))
    return Quantity(-math.inf, x, True, at, touch, name, span)


_ATTAINED = re.compile(
    r"↑|↓|hit|reach|\bto$|(?:high|low)s?\s+(?:of|at)$|\bat\s+(?:least|most)$", re.I
)


def _with_words_behind(hit: Quantity, found: re.Match[str]) -> Quantity:
    start, end = hit.span
    if not (start < found.end("a") and found.start("a") < end):
        return hit
    span = (min(start, found.start()), max(end, found.end()))
    # "reach 3 or lower": the words behind the number decide the direction, not the verb.
    if hit.touch:
        up = found["more"] is not None
        x = hit.high if math.isinf(hit.low) else hit.low
        low, high = (x, math.inf) if up else (-math.inf, x)
        return Quantity(low, high, True, True, True, hit.unit, span)
    return Quantity(hit.low, hit.high, True, True, hit.touch, hit.unit, span)


def value(found: re.Match[str], name: str) -> float:
    """The scaled number in group `name` of a match of `NUMBER`: "$4.5M" -> 4,500,000."""
    digits = re.sub(r"[^\d.]", "", found[name])
    number = float(digits) * FACTORS.get((found[f"{name}u"] or "").casefold(), 1.0)
    return -number if re.search(r"[-−]", found[name]) else number


def unit(found: re.Match[str], *names: str) -> Unit:
    """The unit of a quantity, from a match of `NUMBER`: the unit of the first group in `names`
    whose number has one. If no number has a unit, `none`."""
    for name in names:
        if "$" in found[name]:
            return "usd"
        if "€" in found[name]:
            return "eur"
        if "£" in found[name]:
            return "gbp"
        written = (found[f"{name}n"] or "").casefold()
        if written.startswith(("%", "per", "pct")):
            return "percent"
        if written.startswith("b"):
            return "bps"
        if written.startswith(("°", "º", "deg")):
            return "degrees"
        if written.startswith(("usd", "dol")):
            return "usd"
    return "none"
