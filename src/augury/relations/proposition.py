"""What a market's Yes, or a free question, asserts: subject, predicate, level, window, polarity.

Pure. The parts are read from the text by its wording; whatever is in none of them stays a word of
the subject, so that two propositions of the same subject differ in parts that logic can compare
(`augury.relations.logic`). Each part keeps the words it was read from (`Proposition.read`).

Examples
--------
>>> p = read_question("Will Bitcoin fail to reach $120k by March 31, 2027?", date(2026, 11, 21))
>>> sorted(p.terms), p.predicate, p.threshold.low, p.window.end.isoformat(), p.positive
(['bitcoin'], 'touches', 120000.0, '2027-04-01', False)
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import Final, Literal, NamedTuple, Protocol

import msgspec

from augury.language import numerals
from augury.markets.quantities import Quantity, Unit, quantity
from augury.relations.ahead import Ahead, Finder
from augury.relations.claims import QUOTED, calmed, claimed, inside
from augury.relations.teams import leagues_of, team
from augury.relations.windows import Window, WrittenDate, mentions, window
from augury.relations.wording import (
    ASYMMETRIC,
    GENERIC,
    LEAGUES,
    PARTIES,
    STAYS,
    canonical,
    districts,
    edition_of,
    game_day,
    league_of,
)
from augury.remembered import remembered
from augury.search.text import terms as text_terms

Predicate = Literal[
    "wins", "nominated", "shortlisted", "advances", "ranks", "rises", "says", "announces",
    "leaves", "value", "touches", "counts", "happens",
]  # fmt: skip
"""What is asserted of the subject.

- `wins`, `nominated`: the choice wins the contest, becomes the party's nominee;
- `shortlisted`: is among several nominated for an award;
- `advances`: reaches the `stage` of the contest; `ranks`: finishes at a place in [low, high];
- `rises`: ends the window above its start ("Up or Down");
- `says`, `announces`, `leaves`: says the words, announces the thing, leaves the post;
- `value`: a quantity lies in the threshold at the window's time, or for the window as a whole;
- `touches`: a quantity gets there at any time in the window;
- `counts`: so many events fall into the window (only whole numbers, never falling with time);
- `happens`: anything else, told by its words.
"""

Slot = Literal["window", "threshold", "polarity", "predicate", "choice", "stage"]


class Threshold(msgspec.Struct, frozen=True, array_like=True):
    """Yes where the value lies between `low` and `high`; an end counts where it is `in`."""

    low: float = -math.inf
    high: float = math.inf
    low_in: bool = True
    high_in: bool = True
    unit: Unit = "none"

    @property
    def direction(self) -> Literal["above", "below", "between", "exactly"]:
        """Which side of the number means Yes."""
        if self.low == self.high:
            return "exactly"
        if math.isinf(self.high):
            return "above"
        return "below" if math.isinf(self.low) else "between"


class WordsRead(msgspec.Struct, frozen=True, array_like=True):
    """A part of the proposition and the words it was read from."""

    slot: Slot
    text: str


class Proposition(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """One assertion. `positive` False: the assertion is that the rest does not hold."""

    contest: frozenset[str]
    """Terms of what it is about, the choice apart: the contest, the quantity, the event."""
    choice: frozenset[str] = frozenset()
    """Terms of the one that is said to win, be nominated, do it; empty where none is told apart."""
    predicate: Predicate = "happens"
    threshold: Threshold | None = None
    window: Window = Window()
    edition: int | None = None
    """Year of the contest: 2026 for "the 2025-26 season". None where none is named."""
    stage: str | None = None
    """Stage that `advances` reaches: a key of `wording.STAGES`."""
    positive: bool = True
    exclusive: bool = False
    """At most one choice can have it: one winner, one nominee."""
    indefinite: bool = False
    """The choice is a class ("another party", "a team from the East"), not one of the named."""
    lead: str = ""
    """First term, where it matters who does it to whom ("A strikes B"); else empty."""
    fixture: bool = False
    """One game between two sides; `contest` then holds both."""
    unclear: bool = False
    """The text could not be read for certain; nothing follows from it."""
    read: tuple[WordsRead, ...] = ()

    @property
    def terms(self) -> frozenset[str]:
        """All content terms, dates, numbers of thresholds and words of polarity apart."""
        return self.contest | self.choice

    def denied(self) -> Proposition:
        """The complement."""
        return msgspec.structs.replace(self, positive=not self.positive)


class Readable(Protocol):
    """What of a market is read: `records.Market`, `store.StoredMarket`, `store.IndexRow`."""

    @property
    def question(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def subtitle(self) -> str | None: ...
    @property
    def event_id(self) -> str | None: ...
    @property
    def event_name(self) -> str | None: ...
    @property
    def slug(self) -> str | None: ...
    @property
    def outcomes(self) -> Sequence[str]: ...
    @property
    def closes_at(self) -> datetime | None: ...
    @property
    def created_at(self) -> datetime | None: ...


def read_market(market: Readable, outcome: int = 0) -> Proposition:
    """What the outcome number `outcome` of a market asserts; see `read` for the parts."""
    strike = getattr(market, "strike", None)
    kind = strike.kind if strike is not None else getattr(market, "strike_kind", None)
    floor = strike.floor if strike is not None else getattr(market, "strike_floor", None)
    cap = strike.cap if strike is not None else getattr(market, "strike_cap", None)
    return read(
        market.question,
        title=market.title,
        subtitle=market.subtitle,
        event_name=market.event_name,
        event_id=market.event_id,
        slug=market.slug,
        outcomes=tuple(market.outcomes),
        outcome=outcome,
        strike=(kind, floor, cap) if kind else None,
        closes=market.closes_at.date() if market.closes_at else None,
        opened=market.created_at.date() if market.created_at else None,
    )


def read_question(question: str, as_of: date | datetime) -> Proposition:
    """What a free question asks at `as_of`: relative and yearless dates come after that day."""
    day = as_of.date() if isinstance(as_of, datetime) else as_of
    return read(question, opened=day, asked=True)


def read(
    question: str,
    *,
    title: str | None = None,
    subtitle: str | None = None,
    event_name: str | None = None,
    event_id: str | None = None,
    slug: str | None = None,
    outcomes: Sequence[str] = ("Yes", "No"),
    outcome: int = 0,
    strike: tuple[str, float | None, float | None] | None = None,
    closes: date | None = None,
    opened: date | None = None,
    asked: bool = False,
) -> Proposition:
    """Read one proposition.

    Parameters
    ----------
    question, title, subtitle
        As in `records.Market`. With a subtitle the title says what is asked and the subtitle
        which side, level or date; else the question says it all.
    event_name, event_id, slug
        Only for a year, date or league that the texts leave out.
    outcomes, outcome
        The labels and which of them is asserted.
    strike
        Kind, floor and cap, as in `records.Strike`.
    closes, opened
        Days on which the market closes and was opened; for a question the day it was asked.
    asked
        A free question: yearless dates come after `opened` rather than near `closes`.
    """
    side = (subtitle or "").strip(" :")
    if side.casefold() == "yes":
        side = ""
    about = (title or question) if side else question
    anchor = opened if asked else closes
    text = _Text(_clean(about), _clean(side), anchor=anchor, opened=opened, asked=asked)
    source = _Source(event_name, event_id, slug)
    return _read(text, source, tuple(outcomes), outcome, strike, closes, opened)


# The text, part by part


class _Text:
    """A text whose parts are blanked as they are read; blanks keep every place where it was."""

    __slots__ = (
        "about", "anchor", "asked", "dates", "names", "quoted", "raw", "read", "side", "side_dates",
    )  # fmt: skip

    def __init__(
        self, about: str, side: str, *, anchor: date | None, opened: date | None, asked: bool
    ) -> None:
        self.quoted: list[str] = []
        if '"' in about or "'" in about:
            about = QUOTED.sub(self._keep, about)
        self.names = claimed(about)
        self.raw = f"{about} {side}".strip()
        self.anchor, self.asked = anchor, asked
        self.read: list[WordsRead] = []
        self.dates: list[WrittenDate] = mentions(about, anchor, opened=opened, asked=asked)
        self.side_dates: list[WrittenDate] = (
            mentions(side, anchor, opened=opened, asked=asked) if side else []
        )
        self.about, self.side = about, side

    def _keep(self, found: re.Match[str]) -> str:
        """A title in quotes is a name, whatever words it has: "Never Enough" denies nothing."""
        self.quoted.append(found[0][1:-1])
        return f"Qzq{_LETTERS[len(self.quoted) - 1]}" if len(self.quoted) < 20 else found[0]

    def terms(self, part: str) -> frozenset[str]:
        """The content terms of a part of the text."""
        if self.quoted and "qzq" in part.casefold():
            part = _PLACE.sub(lambda m: f" {self.quoted[_LETTERS.index(m[1].lower())]} ", part)
        return _terms(part)

    def _idle(self, found: re.Match[str]) -> bool:
        """Whether a word of polarity denies nothing: it stands in a name, or says how a thing is
        done ("offered without supervision")."""
        if inside(self.names, found.start()):
            return True
        return found[0] == "without" and _DONE.search(found.string[: found.start()]) is not None

    def blank_dates(self) -> None:
        for m in self.dates:
            self.about = _blanked(self.about, m.span)
        for m in self.side_dates:
            self.side = _blanked(self.side, m.span)

    def cut(self, pattern: Finder, slot: Slot) -> str | None:
        """Take what the pattern finds out of the text, once; returns what it was.

        Sides name, and deny nothing.
        """
        for name in ("about",) if slot == "polarity" else ("side", "about"):
            text: str = getattr(self, name)
            if slot == "polarity":
                found = next((f for f in pattern.finditer(text) if not self._idle(f)), None)
            else:
                found = pattern.search(text)
            if found:
                setattr(self, name, _blanked(text, found.span()))
                self.read.append(WordsRead(slot, " ".join(found[0].split())))
                return found[0]
        return None


def _blanked(text: str, span: tuple[int, int]) -> str:
    return f"{text[: span[0]]}{chr(31) * (span[1] - span[0])}{text[span[1] :]}"


_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"
_PLACE: Final = re.compile(r"qzq([a-z])", re.I)
_NOISE: Final = re.compile(r"\*\*|above_below_between|::")
_CURLY: Final = str.maketrans("’‘ʼ“”„", "'''\"\"\"")
_SPACES: Final = re.compile(r"\s+")


def _clean(text: str) -> str:
    text = text[:1000].translate(_CURLY)
    return calmed(_SPACES.sub(" ", _NOISE.sub(" ", text)).strip())


# Polarity

_NOT: Final = re.compile(
    r"\b(?:[Ff]ail(?:s|ed|ing)?\s+to|(?:fall(?:s|ing)?|be|anything)\s+short\s+of|not|never|without|avoid(?:s|ed)?|"
    r"miss(?:es|ed)?(?:\s+out)?(?:\s+on)?(?=\s)|(?:is|are|do|does|did|wo|ca|would|could)n't|"
    r"outside(?:\s+of)?(?=\s+(?:the\s+)?(?:top|[\d$]))|"
    r"(?:with|see|sees|have|has|be|is|are|there)\s+no(?=\s+(?!changes?\b|longer\b|\d|more\b|"
    r"fewer\b|less\b|later\b)))\b(?!\s+(?:more|less|fewer|later)\s+than)",
)
_DONE: Final = re.compile(
    r"\b(?:offer(?:s|ed)?|launch(?:es|ed)?|release[sd]?|renew(?:s|ed)?|win|approve[sd]?|deploy(?:s|ed)?|"
    r"operate[sd]?|drive[sn]?|fly|sign(?:s|ed)?|resign|leave|sell|sold|buy|serve[sd]?|convict(?:ed)?)\b",
    re.I,
)
"""An act that "without" tells the manner of."""
_DENYING: Final = re.compile(
    r"fail|short|\bn[o']|never|outside|n't|without|avoid|miss|other|beside|except|apart|\bbut\b|remain|stay|"
    r"still|keep|kept|\bgo(?:es)?\b|hold|held|pass|\bends?\b|clos|finish|continu",
    re.I,
)
"""Without one of these no word denies: one look instead of seven."""
_PASSES: Final = re.compile(
    r"\b(?:pass|passes|go\s+by|goes\s+by|end|ends|close|closes|finish|finishes)\s+"
    r"(?:without|with\s+no)\b(?:\s+(?:an?|any|the)\b)?",
    re.I,
)
_START_NO: Final = re.compile(
    r"^(?:will\s+)?no\s+(?=[^\x1f?]*[\x1f?])(?!changes?\b|one\b|more\b|fewer\b|\d)", re.I
)
_OTHER: Final = re.compile(
    r"\b(?:(?:someone|somebody|anyone|something|anything|some|any|a|an|the)\s+)?"
    r"(?:(?:or\s+)?(?:someone|something)\s+|[\w-]+\s+)??(?P<other>other\s+than|besides|"
    r"except(?:\s+for)?|apart\s+from|but\s+not)\b",
    re.I,
)
_UN: Final = re.compile(
    r"\b(?:remain(?:s|ed)?|stay(?:s|ed)?|still(?:\s+be)?|go(?:es)?|keep)\s+"
    r"(?:\w+\s+)?un(?=(?:released|dissolved|launched|resolved|signed|announced|confirmed|passed|"
    r"built|opened|listed|sold|named|filled|ratified|charged|indicted|convicted|married|engaged|"
    r"beaten|defeated|approved|arrested|impeached|extended|published|finished|completed)\w*)",
    re.I,
)
_STAY: Final = re.compile(
    r"\b(?:stay(?:s|ed|ing)?|remain(?:s|ed|ing)?|keep(?:s|ing)?|hold(?:s|ing)?|held|kept)\s+"
    r"(?:at\s+or\s+)?(?=(?:below|under|above|over)\b)",
    re.I,
)
_STILL_IN: Final = Ahead(
    r"\b(?:still\s+be|remain(?:s)?|stay(?:s)?(?:\s+on)?|continue(?:s)?)\s+(?:as\s+|in\s+(?=office))?",
    r"\b(?:office|ceo|president|minister|chair\w*|chancellor|leader|speaker|"
    r"coach|manager|governor|mayor|secretary|director|pope|king|head|pm|premier)\b",
    r"[^\w' ]",
)
_LOSE: Final = re.compile(r"\b(?:los(?:e|es|ing)|lost)\b(?!\s+(?:to|by)\b)", re.I)

# Predicates

_UP_DOWN: Final = re.compile(r"\bup\s+or\s+down\b", re.I)
_WIN: Final = re.compile(
    r"\b(?:wins?|won|winning|winners?|champions?|crowned|triumph(?:s|ed)?|prevails?|victorious|"
    r"(?:be\s+)?(?:re-?)?elected)\b",
    re.I,
)
_TAKE: Final = re.compile(
    r"\b(?:takes?|taking|took|lifts?|lifting|claims?|claiming|captures?|capturing|clinch(?:es)?|"
    r"goes|go)\b(?=.*\b(?:title|trophy|crown|championship|cup|gold|honors|award|oscar|grammy|emmy|"
    r"to)\b)",
    re.I,
)
_NOMINEE: Final = re.compile(
    r"\b(?:nominees?|nomination|nominated|nominates?|standard[- ]bearer)\b", re.I
)
_AS_NOMINEE: Final = re.compile(
    r"\bas\s+(?:the\s+|a\s+|their\s+)?(?:[a-z]+\s+)?(?:candidate|nominee)\b", re.I
)
_PARTY: Final = re.compile(
    r"\b(?:democrat\w*|republican\w*|gop|party|libertarian|labou?r|conservatives?|tory|green|"
    r"president\w*|senate|governor\w*|mayor\w*|house|congress\w*)\b|\b[A-Z]{2}-(?:\d{1,2}|AL)\b",
    re.I,
)
_NOMINATES: Final = re.compile(r"\bnominates?\s+(?P<who>.+?)\s*(?:\x1f|\?|$|\bfor\b|\bas\b)", re.I)
_SHORTLIST: Final = re.compile(
    r"\b(?:nominat(?:ed|ions?)\s+(?:for|at)|shortlist\w*|nominations)\b", re.I
)
_OF_PARTY: Final = re.compile(r"\b(?:party|democrat\w*|republican\w*|gop)\b", re.I)
_PRIMARY: Final = re.compile(r"\b(?:primary|primaries|primary\s+election)\b", re.I)
_RANK: Final = re.compile(
    r"\b(?:in\s+(?:the\s+)?|the\s+|among\s+the\s+)?top\s?-?(?P<top>\d{1,3}|"
    rf"{numerals.COUNT})\b"
    r"|(?:\bfinish(?:es)?\s+(?:in\s+)?|\bplaces?\s+|\bcomes?\s+(?:in\s+)?|\bbe\s+)(?:the\s+)?"
    rf"(?P<nth>{numerals.ORDINAL}|last|\d{{1,2}}(?:st|nd|rd|th))\b(?:\s+place)?"
    r"(?:\s+or\s+(?:(?P<better>better|higher)|(?P<worse>worse|lower|below)))?(?!\s+(?:person|woman|man|time|quarter|half|country|"
    r"state|team\s+to|to|\w+\s+to)\b)"
    r"|(?<!\w)#\s?(?P<hash>\d{1,2})\b|\b(?:no\.|number)\s?(?P<number>\d{1,2}|one|two)\b(?!\s+of)",
    re.I,
)
_PLACES: Final = {**numerals.ORDINALS, **numerals.COUNTS}
_STAGE: Final = re.compile(
    r"\b(?:reach(?:es)?|mak(?:es?|ing)|advanc(?:es?|ing)(?:\s+(?:to|from|past|in|out\s+of))?|"
    r"qualif(?:y|ies)(?:\s+(?:for|to))?|play(?:s)?\s+in|appear(?:s)?\s+in|get(?:s)?\s+to|"
    r"gets?\s+past|go(?:es)?\s+through(?:\s+to)?|progress(?:es)?(?:\s+(?:to|from))?|"
    r"compet(?:e|es)\s+in)\s+"
    r"(?:it\s+(?:to|past)\s+)?(?:the\s+)?(?P<what>.*)",
    re.I,
)
_STAGES: Final[tuple[tuple[str, re.Pattern[str]], ...]] = tuple(
    (name, re.compile(rf"\b(?:{pattern})\b", re.I))
    for name, pattern in (
        ("round16", r"(?:round\s+of|last|sweet)\s+(?:16|sixteen)|eighth-?finals?"),
        ("quarterfinal", r"quarter-?\s?finals?|last\s+(?:eight|8)|elite\s+(?:8|eight)"),
        ("semifinal", r"semi-?\s?finals?|last\s+(?:four|4)|final\s+(?:4|four)"),
        ("playoffs", r"play-?offs?|post-?season|knockout\s+(?:stages?|rounds?|phase)"),
        ("final", r"grand\s+finals?|finals?|championship\s+game|title\s+game"),
    )
)
_SAY: Final = re.compile(r"\b(?:says?|mentions?|utters?)\b", re.I)
_ANNOUNCE: Final = re.compile(
    r"\b(?:(?:officially\s+)?announc(?:e|es|ed|ing)|announcement|declares?\s+(?:his|her|their)\s+"
    r"candidacy|confirms?\s+that)\b",
    re.I,
)
_LEAVE: Final = re.compile(
    r"\b(?:(?<!hold )(?<!close )(?<!pull )(?<!carry )(?<!move )(?<!sold )(?<!sell )(?<!come )"
    r"(?<!go )(?<!break )(?<!ship )(?<!drop )(?<!miss )"
    r"(?:out\s+(?:as|of\s+office|at)|out(?=\s*[\x1f?]))|"
    r"(?:leave|leaves|left|leaving)\s+(?:office|his\s+post|her\s+post|as|the\s+(?:trump\s+)?"
    r"(?:administration|cabinet))|"
    r"resign(?:s|ed)?(?:\s+(?:as|from))?|step(?:s)?\s+down(?:\s+(?:as|from))?|ousted(?:\s+as)?|"
    r"removed(?:\s+(?:as|from))?|fired(?:\s+as)?|cease(?:s)?\s+to\s+be|no\s+longer(?:\s+be)?|"
    r"depart(?:s)?(?:\s+(?:as|from))?)(?=\s|$|\x1f|\?)",
    re.I,
)
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
_FIXTURE: Final = re.compile(r"(?P<a>\S.*?)\s+(?:vs?\.?|@|at)\s+(?P<b>\S[^:(–—]*)", re.I)
_VERSUS: Final = re.compile(r"\svs?\.?\s", re.I)
_INDEFINITE: Final = re.compile(
    r"^(?:will\s+)?(?:an?|any|another|some|other|no\s+one|nobody|one\s+of|neither|none|field|"
    r"both|either|all)\b|^(?:other|others|another|none|field|no\s+one|nobody|draw|tie)\b|"
    r"\b(?:or|and)\b",
    re.I,
)
_NOT_ONE: Final = re.compile(
    r"\b(?:an?|any|\d+|at\s+least)\s+(?:\w+\s+)?(?:grammys?|oscars?|emmys?|medals?|awards?|seats?|"
    r"games?|titles?|match(?:es)?|races?|states?|sets?|maps?|rounds?|golds?)\b|\bwins\s+by\b|"
    r"\bwin\s+(?:by|over|at\s+least|more|fewer)\b|\b(?:series|game|match|set|map)\s+\d\b|"
    r"\bwin\s+(?:his|her|their|its|the\s+first|both|every|all)\b|\bqualif\w+|\bplayoffs?\b",
    re.I,
)
_CHOICE: Final = re.compile(
    r"^(?:[\w'&. -]{2,30}:\s+)?"  # "NBA: Will ..."
    r"(?:will|does|do|did|is|are|can|could|would|has|have)\s+(?:the\s+)?(?P<choice>.+?)\s+"
    r"(?:(?:going|set|able)\s+to\s+)?(?:be\s+)?(?:named\s+|elected\s+|chosen\s+|crowned\s+|become\s+)?"
    r"(?:the\s+)?$",
    re.I,
)
_BY_WHOM: Final = re.compile(
    r"\b(?:won|taken|claimed)\s+by\s+(?:the\s+)?(?P<by>.+?)\s*[?\x1f]|"
    r"\b(?:go|goes)\s+to\s+(?:the\s+)?(?P<to>.+?)\s*[?\x1f]",
    re.I,
)


class _Source(NamedTuple):
    """What the venue says around the texts."""

    event_name: str | None
    event_id: str | None
    slug: str | None


def _read(
    text: _Text,
    source: _Source,
    outcomes: tuple[str, ...],
    outcome: int,
    strike: tuple[str, float | None, float | None] | None,
    closes: date | None,
    opened: date | None,
) -> Proposition:
    raw = text.raw
    labels = tuple(label.casefold() for label in outcomes)
    flips, unclear = 0, False
    named = -1
    if labels in (("yes", "no"), ("up", "down"), ("over", "under")):
        flips += outcome == 1
        unclear = outcome not in (0, 1)
    elif len(labels) == 2:
        named = outcome
    else:
        named, unclear = outcome, not 0 <= outcome < len(labels)
    text.blank_dates()
    if "\x1f" in text.about and "_" in text.about:
        text.about = text.about.replace("_", " ")

    # Polarity before predicates: "fail to reach" reaches.
    negations = 0
    unheld = False  # a state that lasts through the window: nothing has happened in it
    other = stays = False
    denying = _DENYING.search(text.about) is not None
    if denying:
        if text.cut(_PASSES, "polarity"):
            negations, unheld = negations + 1, True
        while text.cut(_NOT, "polarity"):
            negations += 1
        if text.cut(_START_NO, "polarity"):
            negations += 1
        other = text.cut(_OTHER, "polarity") is not None
        if text.cut(_UN, "polarity"):
            negations, unheld = negations + 1, True
        stays = text.cut(_STAY, "polarity") is not None
    flips += negations + other

    threshold, touch, exact_words = _threshold(text, strike, stays=stays)
    if stays and threshold is not None:
        flips += 1

    predicate: Predicate = "happens"
    stage: str | None = None
    choice_text = ""
    exclusive = False
    contest_like = False
    fixture = False
    if labels == ("up", "down") or _UP_DOWN.search(raw):
        text.cut(_UP_DOWN, "predicate")
        predicate = "rises"
    elif text.cut(_SAY, "predicate"):
        predicate = "says"
    elif denying and text.cut(_STILL_IN, "polarity"):
        predicate, unheld = "leaves", True
        flips += 1
    elif (found := _LEAVE.search(f"{text.about} {text.side}")) is not None and found:
        text.cut(_LEAVE, "predicate")
        predicate = "leaves"
    elif threshold is None or _STAGE.search(raw):
        predicate, stage, choice_text, threshold = _contest(text, threshold)
        contest_like = predicate in ("wins", "nominated", "shortlisted", "advances", "ranks")
    if predicate == "happens" and text.cut(_ANNOUNCE, "predicate"):
        predicate = "announces"
    if named >= 0 and 0 <= named < len(outcomes) and predicate in ("happens", "wins"):
        predicate, contest_like = "wins", True
        choice_text = outcomes[named]
        exclusive = True
    if predicate in ("happens", "wins") and _VERSUS.search(f" {raw} ") and threshold is None:
        fixture = True
    elif predicate in ("happens", "wins") and text.side and threshold is None and _is_game(text):
        fixture, predicate, contest_like = True, "wins", True
    if fixture and text.side:
        predicate, contest_like = "wins", True
    if predicate in ("happens", "wins") and not fixture and text.cut(_LOSE, "polarity"):
        flips += 1
        predicate, contest_like = "wins", True

    win = _window(text, source.event_name, closes, opened, contest=contest_like)
    if fixture and win.kind == "open" and (day := game_day(source.event_id, source.slug)):
        win = Window(kind="on", start=day, end=day + timedelta(1), since=opened, years=win.years)
    edition = None
    if contest_like:
        edition = _edition(win, text, source.event_name, source.event_id)
    if (unheld or flips % 2) and predicate not in ("value", "touches", "counts"):
        win = _lasting(win, unheld=unheld)
    if threshold is not None and predicate == "happens":
        predicate, win = _quantitative(raw, text, threshold, win, touch=touch, stays=stays)

    if win.kind == "open" and (_VERSUS.search(raw) or _PROP.search(raw)) and not text.asked:
        unclear = True  # of which game, is not said

    if not text.side and not text.asked and threshold is None and _OPEN_QUESTION.match(raw):
        unclear = True  # "Who will ...?" without the one meant
    if predicate == "happens" and win.kind == "by" and not unheld and _LASTS.search(raw):
        # What lasts until a day does not come about by it, and says less the shorter it is.
        win = msgspec.structs.replace(win, vague=True)

    # Who: the side of a contest.
    side_terms = text.terms(text.side)
    about_terms = text.terms(text.about)
    quantified = predicate in ("value", "touches", "counts", "rises")
    if choice_text and named >= 0:
        choice = text.terms(choice_text)
    elif side_terms and not quantified:
        choice, choice_text = side_terms, text.side
    elif choice_text:
        choice = text.terms(choice_text)
    else:
        choice = frozenset[str]()
    everything = about_terms | side_terms
    if predicate == "nominated" and choice - PARTIES - _SECURE:
        choice = choice - PARTIES - _SECURE  # "the Republican X", "secure the Republican ..."
        everything -= _SECURE
    contest = everything if fixture else everything - choice
    if quantified:
        contest, choice = everything, frozenset()
    if contest_like and choice:
        text.read.append(WordsRead("choice", " ".join(choice_text.replace("\x1f", " ").split())))
    indefinite = bool(_INDEFINITE.search(choice_text.strip(" \x1f?")))
    if predicate in ("wins", "nominated") and choice and not _NOT_ONE.search(raw):
        exclusive = True
    elif predicate == "ranks":
        # One place has one holder; the top three has three.
        one = threshold is not None and threshold.low == threshold.high
        exclusive = one and not _ONE_OF_PLACES.search(raw)
    if stage is not None:
        contest -= _STAGE_TERMS
    if contest_like:
        league = league_of(source.event_id, source.slug)
        dated = text.dates or text.side_dates
        if source.event_name and edition is not None and not dated and "next" in contest:
            contest -= {"next"}  # the one that the event's name dates
        if len(choice) > 1:  # "Donald J. Trump", but not "Los Angeles L"
            last = _terms(choice_text.strip(" \x1f?").rpartition(" ")[2])
            choice = frozenset(t for t in choice if len(t) > 1 or t in last)
        sides = _sides(text.about) if fixture else ()
        contest, choice = _with_teams(contest, choice, sides, league)
    if threshold is not None and predicate != "ranks" and exact_words:
        text.read.append(WordsRead("threshold", exact_words))
    if win.text:
        text.read.append(WordsRead("window", win.text))
    acts = predicate in ("happens", "announces") and (
        everything & ASYMMETRIC or _BEATS.search(raw) is not None
    )
    lead = _lead(text) if acts else ""
    return Proposition(
        lead=lead,
        contest=contest, choice=choice, predicate=predicate, threshold=threshold, window=win,
        edition=edition, stage=stage, positive=flips % 2 == 0, exclusive=exclusive,
        indefinite=indefinite, fixture=fixture, unclear=unclear, read=tuple(text.read),
    )  # fmt: skip


def _sides(about: str) -> tuple[frozenset[str], ...]:
    """The two sides of a game."""
    plain = _without_tail(about).replace("\x1f", " ")
    lead, _, rest = plain.partition(": ")
    found = _FIXTURE.fullmatch((rest or lead).strip(" ?-"))
    return (_terms(found["a"]), _terms(found["b"])) if found else ()


def _without_tail(about: str) -> str:
    """A game without what stands behind it: "(Game 2)", "- Map 1", ": Total", "winner", "?"."""
    plain = about.rstrip().removesuffix("?").rstrip()
    ends = [len(plain)]
    if plain.endswith(")") and (opened := plain.find("(", 0, -1)) >= 0:
        ends.append(len(plain[:opened].rstrip()))
    ends += [m.start() for m in (_WINNER_LAST.search(plain), _GAME_MORE.search(about)) if m]
    return about[: min(ends)]


_WINNER_LAST: Final = re.compile(r"(?<!\s)\s+winner\Z", re.I)
_GAME_MORE: Final = re.compile(r":\s|(?<!\s)\s+-\s")


def _with_teams(
    contest: frozenset[str],
    choice: frozenset[str],
    sides: tuple[frozenset[str], ...],
    league: str | None,
) -> tuple[frozenset[str], frozenset[str]]:
    """Contest and choice with a team's city and nickname brought to one name."""
    if league is None:
        named = [name for name, trophy, _ in LEAGUES if contest & (trophy | {name})]
        if not named and sides:
            named = leagues_of(*sides)
        if len(named) != 1:
            return contest, choice
        league = named[0]
    elif not sides and not any(contest & (trophy | {n}) for n, trophy, _ in LEAGUES):
        contest |= {league}
    if sides:
        keys = [team(side, league) for side in sides]
        if None in keys or len(set(keys)) < 2:
            return contest, choice
        rest = contest - sides[0] - sides[1] - {league}
        contest = rest | {key for key in keys if key} | {league}
    key = team(choice - {league}, league)
    return contest, frozenset({key}) if key else choice


_OPEN_QUESTION: Final = re.compile(r"(?:who|which|what|how|when|where)\b", re.I)
_LASTS: Final = re.compile(rf"\b(?:{STAYS}|lasts?)\b", re.I)


_PROP: Final = re.compile(
    r"\bo/u\b|\bover/under\b|\bodd/even\b|^(?:\w+\s)?(?:spread|handicap)\b|\btotal\s+(?:kills|maps|"
    r"games|sets|rounds)\b|\b(?:game|map|set|quarter|inning)\s\d|\bboth\s+teams\b|"
    r"\banytime\s+(?:goalscorer|touchdown)\b|\bdouble[- ]double\b|\b[12](?:st|nd)\s+half\b",
    re.I,
)
_ONE_OF_PLACES: Final = re.compile(r"\ban?\s+(?:#|no\.)\s?\d", re.I)


_BEATS: Final = re.compile(r"\b(?:beat|beats|defeat|defeats|outperforms?)\b", re.I)


def _lead(text: _Text) -> str:
    """Who does it to whom: the first that is named."""
    plain = districts(_DROP.sub(" ", text.about))
    return next((t for t in text_terms(plain) if t not in GENERIC), "")


_SECURE: Final = frozenset(text_terms("secure clinch earn land grab rep sen gov"))


def _is_game(text: _Text) -> bool:
    """Kalshi's "Minnesota at California" with one of the two as its side."""
    found = _FIXTURE.fullmatch(re.sub(r"\s*(?:winner)?\s*\??\s*$", "", text.about, flags=re.I))
    if found is None:
        return False
    side = _terms(text.side)
    return bool(side) and (side <= _terms(found["a"]) or side <= _terms(found["b"]))


_STAGE_TERMS: Final = frozenset(
    "final semifin quarterfin semi quarter playoff four eight sixteen 16 8 4 round knockout stage "
    "grand".split()
)


def _threshold(
    text: _Text, strike: tuple[str, float | None, float | None] | None, *, stays: bool
) -> tuple[Threshold | None, bool, str]:
    """The quantity, whether getting there once is enough, and its words."""
    for name in ("side", "about"):
        body: str = getattr(text, name)
        if not any(c.isdigit() for c in body):
            continue
        plain = _ORDINAL.sub(lambda m: "\x1f" * len(m[0]), body)
        found = quantity(plain)
        if found is None or (name == "about" and found.low == found.high and not found.touch
                             and "exactly" not in plain.casefold()):  # fmt: skip
            continue
        words = " ".join(body[found.span[0] : found.span[1]].split())
        noun = body[found.span[1] :]
        setattr(text, name, _blanked(body, found.span))
        if name == "side":  # the title tells the same level in its own words
            text.about = _without_level(text.about, found)
            if not noun.strip() or len(noun.split()) <= 3:
                text.side = "\x1f" * len(text.side) if _is_measure(noun) else text.side
        threshold = Threshold(found.low, found.high, found.low_in, found.high_in, found.unit)
        if stays:  # "stays below 5": never at 5 or above it
            threshold = _beyond(threshold)
        return _struck(threshold, strike), found.touch or stays, words
    if (
        strike is not None
        and strike[0] not in ("custom", "structured")
        and strike[1:] != (None,) * 2
    ):
        return _struck(Threshold(), strike), False, ""
    return None, False, ""


_ORDINAL: Final = re.compile(
    r"\bmagnitude\s+\d(?:\.\d)?(?:\s+or\s+(?:higher|greater|stronger|above|more)|\+)?|"
    r"\b\d+(?:st|nd|rd|th)\b|\b(?:game|week|round|match|set|map|part|volume|group|district|gpt-?|"
    r"s&p|nasdaq-?|russell|top|article|season|day|h|q|ufc|phase|level|category|no\.|f|gta|formula)"
    r"\s?-?\d+(?:\.\d+)?\b|\b[A-Z]{2}-\d{1,2}\b|#\s?\d+|\b\d+/\d+\b|\b(?:hot|stoxx|ftse|nikkei)\s\d+\b|"
    r"\b\d+(?:-year|-day|yr)\b",
    re.I,
)
_MEASURE_WORDS: Final = re.compile(r"[\s\x1f?.°%]*+[a-z ]{0,24}[\s?.]*", re.I)


def _is_measure(rest: str) -> bool:
    return _MEASURE_WORDS.fullmatch(rest) is not None


def _without_level(about: str, side: Quantity) -> str:
    """The title without the level that its subtitle repeats."""
    plain = _ORDINAL.sub(lambda m: "\x1f" * len(m[0]), about)
    found = quantity(plain)
    return _blanked(about, found.span) if found is not None else _NUMBERS.sub(" ", about)


_NUMBERS: Final = re.compile(r"(?<![\w.&#-])[$€£]?\d[\d,]*(?:\.\d+)?(?![\w-])%?")


def _beyond(t: Threshold) -> Threshold:
    """The other side of a one-sided threshold."""
    if math.isinf(t.high):
        return Threshold(-math.inf, t.low, True, not t.low_in, t.unit)
    if math.isinf(t.low):
        return Threshold(t.high, math.inf, not t.high_in, True, t.unit)
    return t


def _struck(t: Threshold, strike: tuple[str, float | None, float | None] | None) -> Threshold:
    """The venue's own numbers, where it gives them, over those of the text."""
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


def _contest(
    text: _Text, threshold: Threshold | None
) -> tuple[Predicate, str | None, str, Threshold | None]:
    """Predicate, stage, the words of the choice, and the threshold (a place, for ranks)."""
    about = text.about
    if (found := _STAGE.search(about)) and (stage := _stage(found["what"] or "")):
        choice = _subject(about[: found.start()])
        text.read.append(WordsRead("stage", " ".join(found[0].replace("\x1f", " ").split())))
        text.about = f"{about[: found.start()]} {found['what']}"
        return "advances", stage, choice, threshold
    if threshold is not None:
        return "happens", None, "", threshold
    if (found := _SHORTLIST.search(about)) and not _OF_PARTY.search(about):
        text.cut(_SHORTLIST, "predicate")
        return "shortlisted", None, _subject(about[: found.start()]), None
    if _WIN.search(about) and text.cut(_AS_NOMINEE, "choice"):
        about = text.about
    if (found := _NOMINEE.search(about)) and _PARTY.search(about):
        start = found.start()
        if won := _WIN.search(about):
            start = min(start, won.start())
            text.cut(_WIN, "predicate")
        choice = _agent(about) or _subject(re.split(r"\b(?:be|become|win)\b", about[:start])[0])
        if nominates := _NOMINATES.search(about):
            choice = nominates["who"]
        text.cut(_NOMINEE, "predicate")
        text.cut(_PRIMARY, "predicate")
        return "nominated", None, choice, None
    if (found := _PRIMARY.search(about)) and (won := _WIN.search(about)) and _PARTY.search(about):
        choice = _agent(about) or _subject(about[: won.start()])
        text.cut(_WIN, "predicate")
        if not re.search(r"\b(?:california|washington|alaska|louisiana|open|top)\b", about, re.I):
            text.cut(_PRIMARY, "predicate")
            return "nominated", None, choice, None
        return "wins", None, choice, None
    if found := _RANK.search(about):
        place = _place(found)
        if place is not None:
            text.about = _blanked(about, found.span())
            text.read.append(WordsRead("threshold", " ".join(found[0].split())))
            return "ranks", None, _subject(about[: found.start()]), place
    if found := _WIN.search(about) or _TAKE.search(about):
        choice = _agent(about) or _subject(about[: found.start()])
        while text.cut(_WIN, "predicate"):
            pass
        text.cut(_TAKE, "predicate")
        return "wins", None, choice, None
    return "happens", None, "", None


def _agent(about: str) -> str:
    """Who, where it stands behind the verb: "won by X", "go to X"."""
    found = _BY_WHOM.search(about + "?")
    return (found["by"] or found["to"]) if found else ""


def _subject(before: str) -> str:
    """Who, where it stands before the verb: "Will X" of "Will X win ..."."""
    found = _CHOICE.search(before.rstrip() + " ")
    if found is None:
        found = _CHOICE.search(before.strip())
    who = _BE.split(found["choice"])[0] if found else ""
    return "" if re.match(r"(?:who|which|what|there)\b", who, re.I) else who


_BE: Final = re.compile(r"\s+(?:be|become|becomes)\s+")


def _stage(what: str) -> str | None:
    for name, pattern in _STAGES:
        if pattern.search(what):
            return name
    return None


def _place(found: re.Match[str]) -> Threshold | None:
    def number(text: str) -> int:
        digits = re.sub(r"\D", "", text)
        return int(digits) if digits else _PLACES.get(text.casefold(), 0)

    if found["top"]:
        return Threshold(1, number(found["top"]))
    said = found["nth"] or found["hash"] or found["number"]
    place = number(said)
    if not place:  # "last"
        return None
    if found["worse"]:
        return Threshold(place)
    return Threshold(1 if found["better"] else place, place)


def _window(
    text: _Text, event_name: str | None, closes: date | None, opened: date | None, *,
    contest: bool,
) -> Window:  # fmt: skip
    anchor = text.anchor if not text.asked else None
    found = window(
        text.side_dates, text.raw[-len(text.side) :] if text.side else "", anchor=anchor,
        since=opened, contest=contest,
    )  # fmt: skip
    if found.text:
        return found
    found = window(text.dates, text.raw, anchor=anchor, since=opened, contest=contest)
    if found.text or found.years or not event_name:
        return found
    named = mentions(event_name, closes)
    return window(named, event_name, anchor=anchor, since=opened, contest=contest)


def _lasting(win: Window, *, unheld: bool) -> Window:
    """The window of "has not happened": "past June 30 without", "still unreleased on June 30"."""
    if win.kind == "after" and win.start is not None:
        return msgspec.structs.replace(win, kind="by", start=None, end=win.start)
    if unheld and win.kind == "on" and win.end is not None:
        return msgspec.structs.replace(win, kind="by", start=None, clock=None)
    return win


def _edition(win: Window, text: _Text, event_name: str | None, event_id: str | None) -> int | None:
    years = {m.start.year for m in (*text.side_dates, *text.dates) if m.start
             and m.precision == "year"}  # fmt: skip
    if not years and event_name:
        years = {m.start.year for m in mentions(event_name, None) if m.start
                 and m.precision == "year"}  # fmt: skip
    if years:
        return max(years)
    if win.kind in ("in", "on") and win.start is not None and not win.vague:
        return win.start.year
    return edition_of(text.raw, event_id)


def _quantitative(
    raw: str, text: _Text, threshold: Threshold, win: Window, *, touch: bool, stays: bool
) -> tuple[Predicate, Window]:
    """Which kind of quantity it is: a level to be touched, a count, or a value."""
    if stays:
        return "touches", _lasting(win, unheld=True)
    open_ended = math.isinf(threshold.low) or math.isinf(threshold.high)
    priced = threshold.unit in ("usd", "eur", "gbp") or _PRICED.search(raw) is not None
    counted = (
        threshold.unit == "none" and not priced and _COUNTED.search(raw) is not None
        and _whole(threshold)
    )  # fmt: skip
    if counted:
        return "counts", win
    if touch or _ANY_TIME.search(raw):
        text.cut(_ANY_TIME, "predicate")
        return "touches", win
    if win.kind == "by" and open_ended and win.clock is None:
        return "touches", win
    return "value", win


def _whole(t: Threshold) -> bool:
    return all(math.isinf(x) or x == int(x) or x * 2 == int(x * 2) for x in (t.low, t.high))


# Terms

_DROP: Final = re.compile(r"[\x1f$€£%°?]+|\b(?:and|or)\s+(?=\x1f)")


@remembered(16 << 20)
def _terms(text: str) -> frozenset[str]:
    """The content terms of what is left of a text."""
    if not text or not text.strip(" \x1f?"):
        return frozenset()
    plain = districts(_DROP.sub(" ", text))
    found = {t for t in text_terms(plain) if t not in GENERIC}
    if "acquir" in found and _BOUGHT.search(plain):
        found.add("purchas")  # what is acquired need not be bought
    if "–" in plain or "-" in plain:  # "cut–pause–cut" and "3 - 1" are told by their order
        found |= {chain.casefold().replace(" ", "") for chain in _CHAIN.findall(plain)}
    return canonical(frozenset(found))


_BOUGHT: Final = re.compile(r"\b(?:buys?|buying|bought|purchas\w+)\b", re.I)
_CHAIN: Final = re.compile(r"\b[^\W\d_]+(?:–[^\W\d_]+){2,}|\b\d{1,2} ?[-–] ?\d{1,2}\b")
