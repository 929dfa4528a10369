"""Parses queries: names, dates, levels, quoted phrases, market ids and venue links.

Any text can be parsed: what is not understood is kept as plain words.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal, TypeVar
from uuid import UUID

from augury.language import calendar, numerals
from augury.markets.naming import VenueLink, take_links
from augury.search.aliases import STOP_WORDS
from augury.search.records import is_fixture
from augury.search.text import MAX_CHARS, fold

DateRelation = Literal["in", "by", "after"]
LevelRelation = Literal["above", "below", "at"]
Unit = Literal["usd", "percent", "bps", "degrees", "none"]

T = TypeVar("T")

MAX_FOUND: Final = 20
"""At most this many dates are kept of one query, and as many names, levels, phrases, ids and links.
More of them, as in an essay, would not make a query more precise."""


@dataclass(frozen=True, slots=True)
class DateMention:
    """A date as far as the query states it: "by end of June" has the relation `by` and month 6, and
    no year."""

    relation: DateRelation
    """`in`: within the period that the date names ("in June"); `by`: within it or earlier ("before
    2027" means `by` 2026); `after`: later than it, or from its start on ("since June")."""
    year: int | None = None
    quarter: int | None = None
    month: int | None = None
    day: int | None = None


@dataclass(frozen=True, slots=True)
class Level:
    """A threshold in the query: a number with its unit, and whether the query asks about values
    above, below or at it."""

    relation: LevelRelation
    value: float
    unit: Unit


@dataclass(frozen=True, slots=True)
class ParsedQuery:
    """A query split into its parts: `text` is what to search for; the other fields hold what else
    the query states, e.g. the markets, dates and levels that it names."""

    raw: str
    text: str
    """The query without ids, links and quotation marks. If nothing else is left, the words in the
    first link's address; empty if there are only ids."""
    phrases: tuple[str, ...] = ()
    """Quoted phrases; a result must contain each of them word for word."""
    market_ids: tuple[str, ...] = ()
    """Ids of markets in the query: `polymarket:<id>`, `kalshi:<ticker>` or a UUID. A Kalshi ticker
    may also be that of an event."""
    links: tuple[VenueLink, ...] = ()
    entities: tuple[str, ...] = ()
    """Names of people, places, companies and so on, as the query writes them; they are recognized
    by their capital letters."""
    dates: tuple[DateMention, ...] = ()
    levels: tuple[Level, ...] = ()
    fixture: bool = False
    """Whether the query asks about one game, or about a price within one short window, such as "up
    or down" in an hour."""

    @property
    def asks_level(self) -> bool:
        """Whether the query names a level ("above 100") or asks about one game. If so, several
        markets that differ only in the level, or several markets on the game, are all answers and
        not repetitions."""
        return self.fixture or bool(self.levels)

    @property
    def is_lookup(self) -> bool:
        """Whether the query names markets by id or address, rather than describing them."""
        return bool(self.market_ids or self.links)


_MARKET_ID = re.compile(
    r"\b(?:(?P<poly>polymarket:[\w-]{1,100})|(?P<kalshi>kalshi:[A-Z0-9][\w.-]{0,100}))",
    re.IGNORECASE | re.ASCII,
)
_UUID = re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", re.IGNORECASE | re.ASCII)
_TICKER = re.compile(r"(?<![\w.-])(?:KX[A-Z0-9]{2,40}(?:-[A-Z0-9.]{1,40}){0,4}"
                     r"|kx[a-z0-9]{2,40}(?:-[a-z0-9.]{1,40}){1,4})(?![\w-])")  # fmt: skip
_QUOTED = re.compile(r"[\"“”„«]([^\"“”„«»]{1,200})[\"“”»]")
_QUOTES = re.compile(r"[\"“”„«»]")


def parse(query: str) -> ParsedQuery:
    """Parse a query of any length and script; only the first 10,000 characters are read."""
    text = query[:MAX_CHARS]
    text, links = take_links(text)
    ids = [str(UUID(match)) for match in _UUID.findall(text)]
    text = _UUID.sub(" ", text)
    for match in _MARKET_ID.finditer(text):
        platform, _, name = match.group().rstrip(".-").partition(":")
        name = name.upper() if match["kalshi"] else name
        ids.append(f"{platform.lower()}:{name}")
    text = _MARKET_ID.sub(" ", text)
    ids += [f"kalshi:{match.group().rstrip('.').upper()}" for match in _TICKER.finditer(text)]
    text = _TICKER.sub(" ", text)
    phrases = [" ".join(p.split()) for p in _QUOTED.findall(text) if words(p)]
    text = " ".join(_QUOTES.sub(" ", text).split())
    if not text and links:
        text = links[0].words
    folded = fold(text)
    dates = _dates(folded)
    return ParsedQuery(
        raw=query,
        text=text,
        phrases=_few(phrases),
        market_ids=_few(ids),
        links=_few(links),
        entities=_entities(text),
        dates=dates,
        levels=_levels(folded),
        fixture=is_fixture(text),
    )


_WORD = re.compile(r"[^\W_]+(?:[.,]\d+)*")


def words(text: str) -> list[str]:
    """The words of a text in reading order, in lower case and without accents, for matching word by
    word. Stop words are kept, and aliases are not replaced."""
    return _WORD.findall(fold(text).replace("'s", "").replace("'", ""))


def contains_phrase(text: str, phrase: str) -> bool:
    """Whether a text contains a phrase word for word, ignoring case, accents and punctuation."""
    wanted = words(phrase)
    return f" {' '.join(wanted)} " in f" {' '.join(words(text))} " if wanted else True


_MONTH = rf"(?P<month>{'|'.join(sorted(calendar.MONTH_NUMBERS, key=len, reverse=True))})\.?"
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_DATE = re.compile(
    rf"\b(?:(?P<relation>before|by|until|till|through|after|since|from|in|on|during|for)\s+)?"
    rf"(?:(?P<edge>(?:the\s+)?(?:end|start|beginning)\s+of)\s+)?(?:the\s+)?"
    rf"(?:(?P<quarter>q[1-4])(?:\s+(?:of\s+)?{_YEAR})?"
    rf"|{_MONTH.replace('<month>', '<month1>')}\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?![\d%.])"
    rf"(?:,?\s+{_YEAR.replace('<year>', '<year1>')})?"
    rf"|{_MONTH.replace('<month>', '<month2>')}(?:\s+{_YEAR.replace('<year>', '<year2>')})?"
    rf"|{_YEAR.replace('<year>', '<year3>')})\b(?![%\d])"
)  # fmt: skip


def _dates(folded: str) -> tuple[DateMention, ...]:
    found: list[DateMention] = []
    for match in _DATE.finditer(folded):
        year = next((int(y) for y in match.group("year", "year1", "year2", "year3") if y), None)
        name = match["month1"] or match["month2"]
        month = calendar.MONTH_NUMBERS[name] if name else None
        preposition = match["relation"]
        # "may" and "march" are verbs too: alone, without a preposition, they are no dates
        if name in ("may", "march") and not (preposition or year or match["day"] or match["edge"]):
            continue
        day = int(match["day"]) if match["day"] else None
        if day is not None and not 1 <= day <= 31:
            day = None
        quarter = int(match["quarter"][1]) if match["quarter"] else None
        before = preposition == "before" and year is not None
        if before and month is None and quarter is None:
            year, relation = (year or 0) - 1, "by"  # "before 2027" means by the end of 2026
        else:
            relation = _relation(preposition, match["edge"])
        found.append(DateMention(relation, year, quarter, month, day))
    return _few(found)


def _relation(preposition: str | None, edge: str | None) -> DateRelation:
    if preposition in ("before", "by", "until", "till", "through"):
        return "by"
    if preposition in ("after", "since", "from"):
        return "after"
    return "by" if edge and "end" in edge and preposition is None else "in"


_ABOVE = r"above|over|past|exceeds?|at least|more than|greater than|higher than|>=?|≥"
_BELOW = r"below|under|at most|less than|fewer than|lower than|<=?|≤"
_LEVEL = re.compile(
    rf"(?:(?P<above>{_ABOVE})|(?P<below>{_BELOW}))?\s*(?P<usd>\$)?\s*"
    r"(?<![\w.,])(?P<value>\d{1,15}(?:,\d{3}){0,4}(?:\.\d{1,9})?)\s?"
    rf"(?P<scale>{numerals.FACTOR})?(?![\w])"
    r"(?:\s?(?P<unit>%|percent|per cent|bps|bp|basis points?|usd|dollars?|°|degrees|f\b|c\b))?"
    r"(?:(?P<more>\+|\s+or\s+(?:more|above|higher))|(?P<less>\s+or\s+(?:less|below|lower|fewer)))?"
)


def _levels(folded: str) -> tuple[Level, ...]:
    rest = _DATE.sub(" ; ", folded)
    found: list[Level] = []
    for match in _LEVEL.finditer(rest):
        comparison = match["above"] or match["below"] or match["more"] or match["less"]
        unit = _unit(match["usd"], match["unit"])
        if comparison is None and unit == "none" and match["scale"] is None:
            continue  # a bare number is a name or a count: "Article 5", "S&P 500"
        value = float(match["value"].replace(",", ""))
        if scale := match["scale"]:
            value *= numerals.FACTORS[scale]
        relation: LevelRelation = "at"
        if match["above"] or match["more"]:
            relation = "above"
        elif match["below"] or match["less"]:
            relation = "below"
        found.append(Level(relation, value, unit))
    return _few(found)


def _unit(usd: str | None, unit: str | None) -> Unit:
    if usd or (unit and unit.startswith(("usd", "dollar"))):
        return "usd"
    if unit is None:
        return "none"
    if unit.startswith(("%", "per")):
        return "percent"
    return "bps" if unit.startswith("b") else "degrees"


_CAPITAL = r"[^\W\d_a-zà-ÿ][\w.&'’-]*"
_CAPITALS = re.compile(rf"(?<![\w.]){_CAPITAL}(?:\s+(?:(?:of|of the)\s+)?{_CAPITAL})*")
_QUARTER = re.compile(r"\bQ[1-4]\b")


def _entities(text: str) -> tuple[str, ...]:
    pieces = text.split()
    if not pieces or not any(piece[0].islower() for piece in pieces):
        # if every word has a capital letter, capitals tell nothing, unless the text is short
        return (text,) if 0 < len(pieces) <= 3 and text != text.lower() else ()
    found: list[str] = []
    for match in _CAPITALS.finditer(text):
        if not match.group()[0].isupper():
            continue
        name = match.group().rstrip(".'’-").split()
        while name and (fold(name[0]) in STOP_WORDS or fold(name[0]) in calendar.MONTH_NUMBERS):
            name = name[1:]
        cleaned = " ".join(name).removesuffix("'s").removesuffix("’s")
        if cleaned and not _QUARTER.fullmatch(cleaned):
            found.append(cleaned)
    return _few(found)


def _few(found: list[T]) -> tuple[T, ...]:
    return tuple(dict.fromkeys(found))[:MAX_FOUND]
