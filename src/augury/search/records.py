"""The record of fixed size from which the ranker computes a market's features. It is made when the
market is indexed. Pure.

The module also tells which markets are one family (e.g. those of one event), and which texts are
about one game or a side bet on it.
"""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from augury.language import calendar
from augury.language.numerals import COUNT, ORDINAL
from augury.search.text import (
    MONTH_IDS,
    YEAR_END_IDS,
    DocumentText,
    TermIds,
    fold,
    is_month,
    is_number,
    is_year,
    term_id,
    title_terms,
)

Records = NDArray[np.void]
"""Array of market records that have at least the fields of `RECORD`."""

MAX_TERMS: Final = 32
MAX_YEARS: Final = 4
MAX_NUMBERS: Final = 6

RECORD: Final = np.dtype(
    [
        ("family", "<u8"),  # hash of `family_key`
        ("closes", "<u4"),  # epoch seconds; 0: unknown
        ("salience", "<f4"),  # see `salience`
        ("marks", "<u4"),  # bit i: term i is a number or a month, not a word
        ("length", "u1"),  # terms kept
        ("fixture", "u1"),  # 1: one game; 2: a side bet on one, or one short up-or-down window
        ("years", "<u2", (MAX_YEARS,)),  # named in question or event; 0 pads
        ("numbers", "<u4", (MAX_NUMBERS,)),  # ids of other numbers named; 0 pads
        ("terms", "<u4", (MAX_TERMS,)),  # question's then event's terms in reading order
    ]
)
"""What the ranker reads of a market: a record of 182 bytes, stored beside the market's vector."""

_FIXTURE = re.compile(
    r"\bvs\b|\bv\. .{1,60}\b(?:scheduled for|game)\b| @ |\bmatch-?ups?\b|\bseason openers?\b"
    r"|\bwin on \d{4}-\d\d-\d\d"
)
_AWAY = re.compile(r"(?:[a-z.&'()]+ ){1,4}at(?: [a-z.&'()]+){1,4}(?: —|$)")
"""Matches a title that is only two teams with "at" between them: "Reds at Blues"."""
_SIDE_BET = re.compile(
    r"\bup or down\b|\bo/u\b|\bover/under\b|\bspread:|\bspread\b.{0,40}[-+]\d"
    r"|\bby (?:more than|over) \d+(?:\.\d+)? points\b|\bend in a draw\b"
    r"|\bfirst (?:inning|half|quarter)\b|\bexact score\b|\bboth teams to score\b"
)


def record(
    document: DocumentText,
    *,
    family: str,
    closes: float | None = None,
    liquidity: float | None = None,
    volume: float | None = None,
) -> np.void:
    """The ranker's record of a market: one `RECORD`, read-only.

    Parameters
    ----------
    family
        From `family_key`.
    closes
        When the market closes (or closed), in epoch seconds; None: unknown.
    liquidity, volume
        In US dollars; None: unknown.
    """
    found = [*title_terms(document.title), *title_terms(document.event)]
    years, numbers = named_numbers(found, f"{document.title} {document.event}")
    kept = found[:MAX_TERMS]
    kept += [""] * (MAX_TERMS - len(kept))
    packed = _RECORD.pack(
        zlib.crc32(family.encode("utf-8", "surrogatepass"))
        | zlib.adler32(family[::-1].encode("utf-8", "surrogatepass")) << 32,
        min(max(int(closes or 0), 0), 2**32 - 1),
        salience(liquidity, volume),
        sum(1 << i for i, t in enumerate(kept) if t and (is_number(t) or is_month(t))),
        min(len(found), MAX_TERMS),
        _narrow_kind(document.title) or int(_AWAY.match(fold(document.title)) is not None),
        *_padded(years, MAX_YEARS),
        *_padded(numbers, MAX_NUMBERS),
        *(term_id(t) if t else 0 for t in kept),
    )
    return np.frombuffer(packed, RECORD)[0]


# Packing at once is ten times as fast as assigning to the fields of a numpy record.
_RECORD: Final = struct.Struct(f"<QIfIBB{MAX_YEARS}H{MAX_NUMBERS}I{MAX_TERMS}I")


def _padded(values: Sequence[int], size: int) -> list[int]:
    return [*values[:size], *[0] * (size - len(values))]


def salience(liquidity: float | None, volume: float | None) -> float:
    """How much a market is traded: ln(1 + liquidity + volume / 10); unknown amounts count as 0.

    `augury.search.rank` uses it only to break ties, because a busy market on another subject is no
    answer.
    """
    total = max(liquidity or 0.0, 0.0) + max(volume or 0.0, 0.0) / 10
    return float(np.log1p(min(total, 1e15)))


_SUBJECT = re.compile(
    r"^(will (?:the )?).{1,80}? (?=(?:win|be|become|finish|have|advance|perform|receive|get|make"
    r"|leave|reach|hit|host|announce|say|qualify|place|attend|lead|gain|hold|sign|visit|release"
    r"|launch|vote|score|close|dip|drop|rise|fall)\b)"
)
_DATE = re.compile(
    r"(?<![$€£\d,.])(?:\b\d{4}-\d\d-\d\d\b|\b(?:19|20)\d\d(?:[-/–]\d\d(?:\d\d)?)?\b|\bq[1-4]\b"
    rf"|\b\d{{1,2}}(?:st|nd|rd|th)?\b(?= (?:of )?{calendar.MONTH}\b))"
    rf"|\b{calendar.MONTH}\b\.?(?:\s?\d{{1,2}}(?:st|nd|rd|th)?\b(?:\s?-\s?\d{{1,2}}\b)?)?"
)
_RANK = re.compile(
    rf"(?<=\bthe )(?:{ORDINAL}|\d+(?:st|nd|rd|th))[- ](?=most\b|best\b|worst\b|[a-z]{{3,}}est\b)"
)
"""Matches the ordinal of a superlative, as in "the second-hottest year"."""
_COUNT = re.compile(
    r"(?:(?<=^will )|(?<=^will there be )|(?<=\bthan )|(?<=\bleast )|(?<=\bmost )|(?<=\bexactly ))"
    rf"(?:no|{COUNT})\b"
)
"""Matches a number word where a question counts ("Will no rate cuts ...", "more than two"), but not
in a name ("Six Nations")."""
_MORE_OR_LESS = re.compile(
    r"\((?:high|low)\)|(?<=[\d%a-z+])\s+or (?:more|fewer|less|higher|lower|greater|above|below)\b"
    r"|\b(?:at least|at most|less than|more than|fewer than|greater than|exactly|between|over|under"
    r"|above|below)\s+(?=[$€£≥≤<>]?\d)"
)
"""Matches the words that say how a level is meant, as in "above $90", "12 or more", "between 3 and
4" and "(HIGH)"."""
_LEVEL = re.compile(
    rf"{_MORE_OR_LESS.pattern}|[$€£≥≤<>]\s?\d|\d{{1,3}}(?:,\d{{3}})+|\d\s?(?:%|°|\+|[kbt]\b|[mbt]n\b"
    r"|bps?\b|percent\b|degrees\b|million\b|billion\b|trillion\b)"
)
_BLANK = re.compile(r"\d+(?:[.,:]\d+)*[a-z%+]*")
_BLANKS = re.compile(r"(?<![\W_])[\W_]*#(?:[\W_#]|\b(?:and|to|or)\b(?=[\W_]*#))*")
_PLURAL = re.compile(r"(?<=[a-z]{3})s\b")


def family_key(platform: str, event_id: str | None, title: str) -> str:
    """A key that is equal for the markets of one family. It is made of the venue and the id of
    their event or, without an event, of the venue and their question with blanks: "Will Ann win the
    races in 2026?" at Kalshi has the key "kalshi:will ~ win the race in#".

    The blanks replace parts in which questions of one family differ: ~ replaces the subject ("Will
    X win ..."), and # replaces numbers and dates with the spaces around them. A question with a
    level ("Will X hit $90 ...") keeps its subject, because its family is the levels of this
    subject. Left out are the words that say how a level is meant, the "s" at the end of words and,
    in a question on a year or day ("Will 2026 be the second-hottest ..."), the ordinal of a
    superlative.
    """
    if event_id:
        return f"{platform}:{event_id}"
    asked = title.partition(" — ")[0]  # the part after the dash tells markets of one event apart
    text = _DATE.sub("#", _COUNT.sub("0", fold(asked)))
    if _LEVEL.search(text):
        text = _MORE_OR_LESS.sub("", text)
    elif text.startswith("will #"):
        text = _RANK.sub("", text)
    else:
        text = _SUBJECT.sub(r"\1~ ", text)
    return (
        f"{platform}:{_PLURAL.sub('', ' '.join(_BLANKS.sub('#', _BLANK.sub('#', text)).split()))}"
    )


def is_fixture(text: str) -> bool:
    """Whether a text is about one game ("A vs. B"), a side bet on a game, or a price within one
    short window ("Up or Down")."""
    return _narrow_kind(text) > 0


def _narrow_kind(text: str) -> int:
    """How narrow the subject of a text is: 1 for one game; 2 for a side bet on a game
    ("over/under") or for a price in one short window ("up or down"); 0 for anything else."""
    folded = fold(text)
    return 2 if _SIDE_BET.search(folded) else int(_FIXTURE.search(folded) is not None)


_YEAR_END: Final = re.compile(
    r"\b(?:end[ -]of[ -](?:(?:the|this) )?(?:year|20\d\d(?![-/]\d| (?:season|world|cup|q[1-4])))"
    r"|(?<!fiscal )(?<!new )year'?s?[ -]end|eoy)\b"
)
"""Matches the end of a calendar year in a folded text, but no season's end ("2026-27")."""


def named_months(ids: TermIds, text: str) -> TermIds:
    """The ids of the terms for the months that a text names. "End of 2026" counts as December and
    January, because markets write it as "by December 31" or "before January 1".

    ids : ids of the text's terms
    """
    named = ids[np.isin(ids, MONTH_IDS)]
    return named if len(named) or not _YEAR_END.search(fold(text)) else YEAR_END_IDS


_BEFORE = re.compile(r"\bbefore (?:jan(?:uary)?\.? 1(?:st)?,? )?((?:19|20)\d\d)\b")


def named_numbers(found: Sequence[str], text: str) -> tuple[list[int], list[int]]:
    """The years that a text names, and the ids of its terms that are numbers other than years, both
    ascending. "before 2027" names 2026 as well as 2027. `found`: the text's terms."""
    years = {int(t) for t in found if is_year(t)}
    # "before 2027" and "in 2026" are one deadline
    if years:
        years |= {int(year) - 1 for year in _BEFORE.findall(fold(text))}
    others = sorted({term_id(t) for t in found if is_number(t) and not is_year(t)})
    return sorted(years), others
