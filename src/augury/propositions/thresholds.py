"""The quantity in a text: its range of values, and whether it is a value at a time, a count, or a
level to reach. Pure."""

from __future__ import annotations

import math
import re
from typing import Final, NamedTuple

from augury.markets.quantities import Quantity, quantity
from augury.propositions.blanked_text import BlankedText, blanked
from augury.propositions.proposition import Predicate, Threshold

StrikeNumbers = tuple[str, float | None, float | None]
"""The numbers that a venue gives for a market's quantity, as (kind, floor, cap): ("between", 3.0,
3.5), ("greater", 100.0, None). See `records.Strike`."""

_ORDINAL: Final = re.compile(
    r"\bmagnitude\s+\d(?:\.\d)?(?:\s+or\s+(?:higher|greater|stronger|above|more)|\+)?|"
    r"\b\d+(?:st|nd|rd|th)\b|\b(?:game|week|round|match|set|map|part|volume|group|district|gpt-?|"
    r"s&p|nasdaq-?|russell|(?<=the\s)top|top(?=\s?-?\d{1,2}(?![\d,.]*\d|\s?%))|article|season|day|h|"
    r"q|ufc|phase|level|category|no\.|f|gta|formula)"
    r"\s?-?\d+(?:\.\d+)?\b|\b[A-Z]{2}-\d{1,2}\b|#\s?\d+|\b\d+/\d+\b|\b(?:hot|stoxx|ftse|nikkei)\s\d+\b|"
    r"\b\d+(?:-year|-day|yr)\b",
    re.I,
)
_MEASURE_WORDS: Final = re.compile(r"[\s\x1f?.°%]*+[a-z ]{0,24}[\s?.]*", re.I)
_NUMBERS: Final = re.compile(r"(?<![\w.&#-])[$€£]?\d[\d,]*(?:\.\d+)?(?![\w-])%?")
_COUNTED: Final = re.compile(
    r"\b(?:cuts?|hikes?|launches|launch|times|tweets?|posts?|strikes?|storms?|hurricanes?|"
    r"earthquakes?|goals?|wins|games?|named|cases|deaths|people|countries|states|members|"
    r"executive\s+orders?|vetoes|pardons?|deportations?|homers?|home\s+runs|touchdowns|points|"
    r"rebounds|assists|kills|sets|maps|tornado(?:es)?|landings?|missions?|resignations|seats|"
    r"votes|meetings|visits|arrests|layoffs|albums|songs|awards?|grammys|oscars|emmys|medals|"
    r"rates?\s+cuts?|shutdowns?|eruptions?|flights?|agencies|words?|attacks?|weeks|days|number\s+of|"
    r"how\s+many)\b",
    re.I,
)
_PRICED: Final = re.compile(
    r"\b(?:price|btc|bitcoin|eth|ethereum|sol|solana|xrp|doge|dogecoin|gold|silver|oil|crude|wti|"
    r"brent|s&p|nasdaq|spx|dow|stock|shares?|market\s+cap|fdv|yield|gas)\b",
    re.I,
)
_ANY_TIME: Final = re.compile(
    r"\b(?:at\s+any\s+(?:time|point)|at\s+some\s+point|ever|all[- ]time\s+high|"
    r"how\s+(?:high|low)\s+(?:will|can|does)\b(?=.{1,60}\b(?:get|go)\b))\b",
    re.I,
)


class ThresholdReading(NamedTuple):
    """The quantity that a market's text, or the venue's own numbers, give. For "stays below 5", the
    quantity is what the text rules out: reaching 5 or more."""

    threshold: Threshold | None = None
    touch: bool = False
    """Whether the threshold is a level to reach once in the window, not a value at a time."""
    words: str = ""
    """The words that the threshold was read from; empty if the text has none and only the venue's
    own numbers give it."""


def read_threshold(
    text: BlankedText, strike: StrikeNumbers | None, *, stays: bool
) -> ThresholdReading:
    """Read the quantity ("above $100") that a text or its venue names, and replace its words in the
    text by blanks (0x1F).

    strike : the venue's own numbers, which take precedence over those of the text
    stays : whether the text says that the quantity stays on one side of the threshold
    """
    for part in ("side", "about"):
        body: str = getattr(text, part)
        found = _quantity(body, exact=part == "side")
        if found is None:
            continue
        start, end = found.span
        setattr(text, part, blanked(body, found.span))
        if part == "side":
            text.about = _without_level(text.about)
            if len(body[end:].split()) <= 3 and _is_measure(body[end:]):
                text.side = "\x1f" * len(text.side)
        threshold = Threshold(found.low, found.high, found.low_in, found.high_in, found.unit)
        if stays:  # "stays below 5": never at 5 or above it
            threshold = _beyond(threshold)
        words = " ".join(body[start:end].split())
        return ThresholdReading(_struck(threshold, strike), found.touch or stays, words)
    if strike is None or strike[0] in ("custom", "structured") or strike[1:] == (None, None):
        return ThresholdReading()
    return ThresholdReading(_struck(Threshold(), strike))


def _quantity(body: str, *, exact: bool) -> Quantity | None:
    """The quantity in `body`, a part of a text; None if it has none.

    exact : a bare number counts as a quantity, even without "exactly" in the text
    """
    if not any(c.isdigit() for c in body):
        return None
    plain = _without_ordinals(body)
    found = quantity(plain)
    if found is None or exact or found.low != found.high or found.touch:
        return found
    return found if "exactly" in plain.casefold() else None


def _without_ordinals(text: str) -> str:
    """The text with numbers that are no quantities replaced by blanks (0x1F): "Game 2", "the 4th",
    "S&P 500"."""
    return _ORDINAL.sub(lambda m: "\x1f" * len(m[0]), text)


def _is_measure(rest: str) -> bool:
    """Whether `rest`, the text after a number, is only the unit or noun of that number ("million
    tons")."""
    return _MEASURE_WORDS.fullmatch(rest) is not None


def _without_level(about: str) -> str:
    """A market's title with its level (or, if that is not found, its numbers) removed, since the
    subtitle names the level in other words."""
    found = quantity(_without_ordinals(about))
    return blanked(about, found.span) if found is not None else _NUMBERS.sub(" ", about)


def _beyond(t: Threshold) -> Threshold:
    """The values outside of a threshold that has only one end: below 5 for "5 or more". A threshold
    with two ends is returned unchanged."""
    if math.isinf(t.high):
        return Threshold(-math.inf, t.low, True, not t.low_in, t.unit)
    if math.isinf(t.low):
        return Threshold(t.high, math.inf, not t.high_in, True, t.unit)
    return t


def _struck(t: Threshold, strike: StrikeNumbers | None) -> Threshold:
    """The threshold `t` of a text with its range replaced by the venue's own numbers, if the venue
    gives any."""
    if strike is None:
        return t
    kind, floor, cap = strike
    if kind.startswith("greater") and floor is not None:
        return Threshold(floor, math.inf, kind.endswith("equal"), True, t.unit)
    if kind.startswith("less") and cap is not None:
        return Threshold(-math.inf, cap, True, kind.endswith("equal"), t.unit)
    if kind == "between" and floor is not None and cap is not None:
        return Threshold(floor, max(floor, cap), True, True, t.unit)
    return t


def quantified(
    text: BlankedText, threshold: Threshold, *, touch: bool, stays: bool, by_a_day: bool
) -> Predicate:
    """Which predicate a text with a quantity asserts: `touches` (a level is reached once), `counts`
    (a number of events) or `value` (the value at a time).

    touch : the text says that reaching the threshold once is enough
    stays : the text says that the quantity stays on one side of the threshold
    by_a_day : the window is any time until the end of a day
    """
    if stays:
        return "touches"
    priced = threshold.unit in ("usd", "eur", "gbp") or _PRICED.search(text.raw) is not None
    counted = threshold.unit == "none" and not priced and _COUNTED.search(text.raw) is not None
    if counted and _is_whole(threshold):
        return "counts"
    if touch or _ANY_TIME.search(text.raw):
        text.cut(_ANY_TIME, "predicate")
        return "touches"
    open_ended = math.isinf(threshold.low) or math.isinf(threshold.high)
    return "touches" if by_a_day and open_ended else "value"


def _is_whole(t: Threshold) -> bool:
    """Whether the ends of the threshold are whole or half numbers ("over 3.5")."""
    return all(math.isinf(x) or x == int(x) or x * 2 == int(x * 2) for x in (t.low, t.high))
