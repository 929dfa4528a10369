"""What a market's Yes means: that a quantity lies in an interval, or that something happens by a
deadline. Pure."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import NamedTuple

import msgspec

from augury.language import calendar
from augury.markets.quantities import quantity
from augury.markets.records import Platform, Status, Strike


class EventMember(msgspec.Struct, frozen=True, kw_only=True):
    """The fields of a market that tell how the markets of its event constrain each other. Prices
    are as in `records.Market`."""

    id: str
    platform: Platform
    question: str
    title: str
    subtitle: str | None = None
    outcomes: tuple[str, ...] = ("Yes", "No")
    prices: tuple[float | None, ...] = (None, None)
    status: Status = "active"
    resolution: str | None = None
    event_id: str | None = None
    event_name: str | None = None
    exclusive: bool | None = None
    strike: Strike | None = None


class Interval(NamedTuple):
    """The meaning of a market's Yes: a value lies in [low, high] or, with `touch`, reaches that
    range at least once."""

    low: float
    high: float
    quantity: str
    """What the interval is about: the text without its number and without words of direction
    ("above"). Only intervals with the same quantity can be compared with each other."""
    touch: bool = False


class Deadline(NamedTuple):
    """The meaning of a market's Yes: something happens by a date."""

    date: str
    """The date in the words of the market's subtitle or question, in lower case: "june 30"."""
    claim: str
    """What has to happen: the text without the date. Empty if the subtitle of the market is only a
    deadline, since all markets of the event then ask about the same thing."""


Sides = Mapping[str, "Interval | Deadline | None"]


def squash(text: str) -> str:
    return " ".join(text.casefold().split())


MONTH = rf"{calendar.MONTH}\b\.?"
_CLOCK = (
    r"(?:,?\s+(?:at\s+)?\d{1,2}(?::\d\d)?\s?[ap]\.?m\.?(?:\s?[-–]\s?\d{1,2}(?::\d\d)?\s?[ap]\.?m\.?)?"
    r"(?:\s+(?:e[sd]?t|utc))?)"
)
_DAY = (
    rf"{MONTH}\s+\d{{1,2}}(?!\d)(?:st|nd|rd|th)?(?:\s?[-–]\s?(?:{MONTH}\s+)?\d{{1,2}})?"
    r"(?:,?\s+(?:19|20)\d\d\b)?"
)
_DAYS = rf"(?:{_DAY}{_CLOCK}?|\d{{1,2}}\s+{MONTH}(?:,?\s+(?:19|20)\d\d\b)?|\b20\d\d-\d\d-\d\d\b)"
YEAR = r"\b(?:19|20)\d\d\b(?![,.]?\d)"
_PERIOD = (
    rf"(?:(?:the\s+)?(?:end|start|close)\s+of\s+(?:{MONTH}\s*)?(?:{YEAR})?|"
    rf"q[1-4]\s*(?:{YEAR})?|{MONTH}\s+{YEAR}|{MONTH}|{YEAR})"
)
_WEEKDAY = r"\b(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?,?\s+"
DAY = re.compile(rf"(?:\bon\s+)?(?:{_WEEKDAY})?\b{_DAYS}", re.I)
DEADLINE = re.compile(
    rf"\b(?:by|before|prior to|no later than|on or before)\s+(?:the\s+)?({_DAYS}|{_PERIOD})", re.I
)
_DATED = re.compile(
    rf"{_DAYS}|\b{_PERIOD}|\b\d+(?:st|nd|rd|th)\b|"
    r"\b(?:game|week|season|round|match|set|map|part|volume|group|district|gpt-?|s&p|"
    r"nasdaq|russell|top)\s?-?\d+\b",
    re.I,
)

_MEASURED = re.compile(rf"\d|\b{MONTH}", re.I)


def side_of(market: EventMember) -> Interval | Deadline | None:
    """The meaning of the market's Yes: a value lies in an interval, or something happens by a date.
    None if the text states no interval or date, or several."""
    text = market.subtitle or market.question
    about = market.title if market.subtitle else ""
    if market.outcomes == ("Over", "Under"):
        return read_interval(market.question, "")
    if not _is_yes_no(market.outcomes):
        return None
    # Most subtitles are names. Every quantity has a digit, and every date a digit or a month.
    if market.strike is None and not _MEASURED.search(text):
        return None
    if (strike := market.strike) is not None and (side := _struck(market, strike)) is not None:
        return side
    if found := DEADLINE.search(text):
        if len(DEADLINE.findall(text)) > 1:
            return None
        # If the subtitle is only a deadline, all markets of the event ask about the same thing, and
        # the claim stays empty: the markets' titles may vary.
        alone = market.subtitle is not None and found.span() == (0, len(text.strip()))
        claim = (
            ""
            if alone
            else squash(f"{_masked(about)} {text[: found.start()]} … {text[found.end() :]}")
        )
        if read_interval(claim, "") is None:
            return Deadline(squash(found[1]), claim)
    return read_interval(text, about)


def _is_yes_no(outcomes: tuple[str, ...]) -> bool:
    return tuple(o.casefold() for o in outcomes) == ("yes", "no")


def _struck(market: EventMember, strike: Strike) -> Interval | None:
    measured = _masked(f"{market.title} {market.subtitle or ''}")
    if strike.kind.startswith("greater") and strike.floor is not None:
        return Interval(strike.floor, math.inf, measured)
    if strike.kind.startswith("less") and strike.cap is not None:
        return Interval(-math.inf, strike.cap, measured)
    if strike.kind == "between" and strike.floor is not None and strike.cap is not None:
        return Interval(strike.floor, max(strike.floor, strike.cap), measured)
    return None


_DIRECTION = re.compile(
    r"\b(?:or|to|and|between|from|above|below|over|under|more|less|fewer|greater|higher|lower|"
    r"than|at|least|most|exactly|equal|no|be|k|m|b|bn|t|million|billion|trillion|thousand)\b|"
    r"[-–—+<>≤≥=,.?:$€£|]",
    re.I,
)


def _masked(text: str) -> str:
    """The text without its days and numbers, and without words and signs that go with numbers
    ("above", "million", "$")."""
    without = re.sub(r"[-−]?[$€£]?\d[\d,]*(?:\.\d+)?", " ", DAY.sub(" ", text))
    return squash(_DIRECTION.sub(" ", without))


def read_interval(text: str, about: str) -> Interval | None:
    """The interval of values that `text` states: "above 50" -> 50 to infinity. None if `text`
    states no interval, or several, or a level without a side ("hit 50"). `about`: further text of
    the market that says which quantity it is."""
    if not re.search(r"\d", text):
        return None
    # Dates, years and ordinals are not quantities. Blanks of equal length keep all positions.
    found = quantity(_DATED.sub(lambda m: "\x1f" * len(m[0]), text))
    if found is None or (found.touch and found.low == found.high):
        return None  # "hit 50" does not say from which side
    return Interval(found.low, found.high, _quantity_of(text, found.span, about), found.touch)


def _quantity_of(text: str, span: tuple[int, int], about: str) -> str:
    rest = f"{_masked(about)} # {text[: span[0]]} # {text[span[1] :]}"
    return squash(_DIRECTION.sub(" ", rest))
