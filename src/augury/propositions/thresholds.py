"""Reads the quantity that a text names: its range of values ("above $100"), and whether it is a
value at a time, a number of events, or a level to reach. Pure."""

from __future__ import annotations

import math
import re
from typing import Final, NamedTuple

from augury.markets.quantities import HAPPENING, Quantity, quantity
from augury.propositions.blanked_text import BlankedText, blanked
from augury.propositions.proposition import Predicate, Threshold

StrikeNumbers = tuple[str, float | None, float | None]
"""The range of a market's quantity in the venue's own numbers, as (kind, floor, cap): ("between",
3.0, 3.5), ("greater", 100.0, None). See `records.Strike`."""

_LABEL: Final = re.compile(
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
    """The quantity and its threshold that a market states, in its text or in the venue's number
    fields. A text such as "stays below 5" gives the threshold that it rules out: 5 or more."""

    threshold: Threshold | None = None
    touch: bool = False
    """True if the value only has to reach the threshold once in the window of time ("hit $100k").
    False if the value has to be in the threshold's range at a given time."""
    words: str = ""
    """The words from which the threshold was read; empty if only the venue's own numbers give
    it."""


def read_threshold(
    text: BlankedText, strike: StrikeNumbers | None, *, stays: bool
) -> ThresholdReading:
    """Read the quantity ("above $100") that a market's text or the venue names, and replace its
    words in the text by the filler character 0x1F.

    strike : the venue's own numbers; they take precedence over the numbers in the text
    stays : whether the text says that the quantity stays on one side of a level
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
            threshold = _outside(threshold)
        words = " ".join(body[start:end].split())
        return ThresholdReading(_with_strike(threshold, strike), found.touch or stays, words)
    if strike is None or strike[0] in ("custom", "structured") or strike[1:] == (None, None):
        return ThresholdReading()
    return ThresholdReading(_with_strike(Threshold(), strike))


def _quantity(body: str, *, exact: bool) -> Quantity | None:
    """The quantity in `body`, a part of a text; None if it has none.

    exact : whether a bare number ("2") always counts as a quantity. If False, it counts only if the
        text says "exactly", or says that this number of things happens ("2 rate cuts happen")
    """
    if not any(c.isdigit() for c in body):
        return None
    plain = _mask_labels(body)
    found = quantity(plain)
    if found is None or exact or found.low != found.high or found.touch:
        return found
    is_said = "exactly" in plain.casefold() or HAPPENING.match(plain, found.span[1])
    return found if is_said else None


def _mask_labels(text: str) -> str:
    """Blank out the numbers of a text that are not quantities, with the words that belong to them:
    "Game 2", "4th", "S&P 500". Each of their characters is replaced by the filler character
    0x1F."""
    return _LABEL.sub(lambda m: "\x1f" * len(m[0]), text)


def _is_measure(rest: str) -> bool:
    """Whether the text after a number (`rest`) is only the unit or noun of the number ("million
    tons")."""
    return _MEASURE_WORDS.fullmatch(rest) is not None


def _without_level(about: str) -> str:
    """A market's title (`about`) without the level that it names or, if no level is found in it,
    without its numbers. Used if the level was already read from the subtitle: a level in the title
    is then the same one, put differently."""
    found = quantity(_mask_labels(about))
    return blanked(about, found.span) if found is not None else _NUMBERS.sub(" ", about)


def _outside(t: Threshold) -> Threshold:
    """The values outside of a range that is open on one side: below 5 for "5 or more". A range with
    two ends is returned unchanged."""
    if math.isinf(t.high):
        return Threshold(-math.inf, t.low, True, not t.low_in, t.unit)
    if math.isinf(t.low):
        return Threshold(t.high, math.inf, not t.high_in, True, t.unit)
    return t


def _with_strike(t: Threshold, strike: StrikeNumbers | None) -> Threshold:
    """The threshold `t` of a text, with the range replaced by the venue's own numbers if the venue
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


def quantity_predicate(
    text: BlankedText, threshold: Threshold, *, touch: bool, stays: bool, by_a_day: bool
) -> Predicate:
    """The predicate of a text with a quantity: `touches` (a level is reached at some time),
    `counts` (a number of events is reached) or `value` (the quantity has this value at a time).

    touch : whether the text says that reaching the threshold once is enough
    stays : whether the text says that the quantity stays on one side of a level
    by_a_day : whether the window of time is of the kind `by` (`Window`) and has no time of day:
        "by June 3", not "in June"
    """
    if stays:
        return "touches"
    priced = threshold.unit in ("usd", "eur", "gbp") or _PRICED.search(text.raw) is not None
    counted = threshold.unit == "none" and not priced and _COUNTED.search(text.raw) is not None
    if counted and _is_whole_or_half(threshold):
        return "counts"
    if touch or _ANY_TIME.search(text.raw):
        text.cut(_ANY_TIME, "predicate")
        return "touches"
    open_ended = math.isinf(threshold.low) or math.isinf(threshold.high)
    return "touches" if by_a_day and open_ended else "value"


def _is_whole_or_half(t: Threshold) -> bool:
    """Whether each bound of the threshold (`low` and `high`) is infinite, a whole number or a half
    number ("over 3.5"). Texts that count things have such bounds."""
    return all(math.isinf(x) or x == int(x) or x * 2 == int(x * 2) for x in (t.low, t.high))
