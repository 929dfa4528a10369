"""Checks whether a reworded question or reason still means the same. Pure.

The new words come from a language model, which may be wrong or misled by the text it was given.
A rewording that could say more, less or something else than the original is refused.
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date, datetime
from typing import Final, NamedTuple

from augury.forecast.normalize import Reading, normalize
from augury.propositions.proposition import Threshold
from augury.propositions.windows import Window
from augury.propositions.wording import GENERIC
from augury.search.text import fold, is_number, term, terms

MAX_CHARACTERS: Final = 300
_ASKS: Final = re.compile(r"(?:will|is|are|does|do|did|has|have|can|was|were)\b", re.I)
_CAPITAL: Final = re.compile(r"(?<=[\w,;] )[A-Z][\w&'.-]*")
_PLAIN: Final = re.compile(r"[\w\s.,;:'’?$€£%&/()+–-]+\Z")


def unsure(reading: Reading) -> bool:
    """Whether a question was hardly understood: what was read of it is uncertain, it names nothing
    that a market could be about, or it does not begin like a yes/no question."""
    return (
        reading.proposition.unclear
        or not reading.proposition.terms
        or not _ASKS.match(reading.effective)
    )


class WordedParts(NamedTuple):
    """What a language model read from a question: whether the question asks that something does NOT
    happen (`asks_opposite`), and the day and the level that it names."""

    asks_opposite: bool
    last_day: str = ""
    """Last day of the question's window of time, as an ISO date: 2027-06-30 for "before July 2027".
    Empty if the question names no time."""
    level: str = ""
    """The level that the question names, in digits: 12000 for "above $12,000". Empty if it names
    none."""


def reworded(reading: Reading, text: str, parts: WordedParts, at: datetime) -> Reading | None:
    """Read a language model's rewording (`text`) of a question and return what was understood; None
    unless the rewording says the same as the question (`reading`).

    Both must have the same distinctive words, numbers and names; the date, level and polarity that
    were read from the question must be those of the rewording; and the hand-written rules must read
    from the rewording the same `parts` as the model did.
    """
    if not text or len(text) > MAX_CHARACTERS or not _PLAIN.match(text) or not text.endswith("?"):
        return None
    proposed = normalize(text, at)
    if unsure(proposed):
        return None
    ours, theirs = _content(reading.effective), _content(text)
    asked = frozenset(terms(reading.question)) | ours
    if theirs - asked or _distinctive_terms(reading.effective, ours) - theirs:
        return None
    if _stems(text) - _stems(f"{reading.question} {reading.effective}") - _FRAME:
        return None
    was, now = reading.proposition, proposed.proposition
    if not was.positive == now.positive == (not parts.asks_opposite):
        return None
    if not _is_day(parts.last_day, now.window) or not _is_level(parts.level, now.threshold, text):
        return None
    if was.window.text and (was.window.start, was.window.end) != (now.window.start, now.window.end):
        return None
    if was.threshold is not None and was.threshold != now.threshold:
        return None
    return replace(
        proposed,
        question=reading.question,
        reason="; ".join(filter(None, (reading.reason, "a language model put it in plain words"))),
    )


def _is_day(day_read: str, ours: Window) -> bool:
    """Whether the last day that the language model read (`day_read`, an ISO date) agrees with the
    end of the window that the hand-written rules read (`ours`). They agree if the window's end is
    that day or the day after it; `Window.end` is the first day after the window. True if one of the
    two is missing. False if `day_read` is no date."""
    if not day_read or ours.end is None:
        return True
    try:
        day = date.fromisoformat(day_read)
    except ValueError:
        return False
    return 0 <= (ours.end - day).days <= 1


def _is_level(level_read: str, ours: Threshold | None, text: str) -> bool:
    """Whether the level that the language model read (`level_read`) is confirmed. If the
    hand-written rules read a threshold (`ours`), the level must be its lower or upper limit. If
    they read none, the level must be a number in the text. True if `level_read` is empty."""
    if not level_read:
        return True
    try:
        level = float(level_read.replace(",", "").strip("$€£% "))
    except ValueError:
        return False
    if ours is None:
        return level_read.replace(",", "").strip("$€£% ") in text.replace(",", "")
    return level in (ours.low, ours.high)


def _content(text: str) -> frozenset[str]:
    return frozenset(terms(text)) - GENERIC


def _stems(text: str) -> frozenset[str]:
    """Stems of all words of a text, also of those that the search leaves out ("below", "before",
    "first")."""
    return frozenset(map(term, re.findall(r"[a-z]+", fold(text))))


_FRAME: Final = frozenset(
    map(term, "will is are does do did has have can be been the a an of in on at to it not".split())
)
"""Words that a language model may add when it rewords a text as a question. An added "not" is still
noticed, because the polarities of both wordings are compared."""


def _distinctive_terms(text: str, content: frozenset[str]) -> frozenset[str]:
    """The terms in `content` that are numbers, or that belong to a capitalized word inside a
    sentence of the text: a rewording must keep all of them."""
    names = frozenset(t for name in _CAPITAL.findall(text) for t in terms(name))
    return (names & content) | {t for t in content if is_number(t)}


# Reasons

_FIXED: Final = re.compile(
    r'"[^"]*"|\b(?:Polymarket|Kalshi)\b|[-+]?\d[\d.,]*(?:\s?%)?(?:\s(?:h|min|days?)\b)?|'
    r"\b(?:Either of .{1,200}? will do)\b"
)
_PLACE: Final = re.compile(r"\{(\d+)\}")
_WORD: Final = re.compile(r"[a-z]+")
_TURNING: Final = frozenset(
    "no not none neither never without opposite only another other less more lower higher above"
    " below under over earlier later hint same remains rival rivals".split()
)
"""Words that reverse or limit a statement. When a language model rewords the reasoning of a
forecast, these words and the masked names and figures must keep their order, and each of these
words must still be followed by the same word."""
_NEUTRAL: Final = frozenset(
    "a an and are as asks at based because by for from gives giving given has have in is it its"
    " market markets now of on one open price priced prices puts question so stands that the them"
    " there these they this to trades two was we which while with".split()
)


def masked(text: str) -> tuple[str, tuple[str, ...]]:
    """A text with its names and figures replaced by {1}, {2} ..., so that a language model that
    rewords the text cannot change them. Returns the new text, and the replaced ones in order."""
    fixed: list[str] = []

    def hide(found: re.Match[str]) -> str:
        fixed.append(found[0])
        return f"{{{len(fixed)}}}"

    return _FIXED.sub(hide, text), tuple(fixed)


def rephrased(original: str, text: str, fixed: tuple[str, ...]) -> str | None:
    """Put the names and figures (`fixed`) back into `text`, a language model's wording of the text
    `original`. In both texts {1}, {2} ... stand for them (`masked`). Returns None if the wording
    can't be trusted: it does not have each placeholder once and in order, is much longer, adds,
    drops or moves a word that reverses or limits a statement ("not", "above"; see `_TURNING`), or
    adds a word that is not neutral (`_NEUTRAL`)."""
    if [int(n) for n in _PLACE.findall(text)] != list(range(1, len(fixed) + 1)):
        return None
    bare = _PLACE.sub("#", text)
    if len(text) > 1.5 * len(original) + 40 or not re.fullmatch(r"[A-Za-z#\s.,;:'()%-]+", bare):
        return None
    known = frozenset(_WORD.findall(original.lower())) | _NEUTRAL
    if frozenset(_WORD.findall(bare.lower())) - known:
        return None
    if _turns(bare) != _turns(_PLACE.sub("#", original)):
        return None
    plain = " ".join(text.split())
    return _PLACE.sub(lambda place: fixed[int(place[1]) - 1], plain)


def _turns(bare: str) -> list[str]:
    """The parts of an answer's reasoning that must keep their order when a language model rewords
    it. Each placeholder # (for a name or a figure) is a part. Each word that reverses or limits a
    statement (`_TURNING`, e.g. "not" or "above") makes a part together with the word after it.
    Example: "# is not above #" has the parts "#", "not above", "above #", "#"."""
    words = re.findall(r"#|[a-z]+", bare.lower())
    kept: list[str] = []
    for word, following in zip(words, [*words[1:], ""], strict=True):
        if word == "#":
            kept.append(word)
        elif word in _TURNING:
            kept.append(f"{word} {following}")
    return kept
