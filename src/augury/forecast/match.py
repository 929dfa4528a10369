"""How a market bears on a question: part by part, and by the words they share. Pure.

Both are read into the same parts (`relations.reading`). The parts decide what a market can be
for the question; the words decide whether it is about the same thing at all.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final, Literal

import numpy as np
from msgspec import Struct, structs
from numpy.typing import NDArray

from augury.forecast.names import besides, nicknames
from augury.forecast.polarity import LASTING, Turn, turned, turns
from augury.relations.proposition import CONTESTS, Proposition, Threshold
from augury.relations.windows import Window
from augury.relations.wording import OFFICES, STAGES, STAYS, canonical, districts
from augury.remembered import remembered
from augury.search.text import is_month, is_number, is_year, term, terms

Rarity = Callable[[str], float]
"""How telling a term is (`Embedder.rarity`)."""

Order = Literal["same", "opposite", "implies", "implied", "excludes", "differs", "unsaid"]
"""How one part of the question stands to the market's.

- implies: the question's event is contained in the market's, so it is at most as likely;
- implied: the other way round;
- excludes: both can't be;
- differs: they can't be compared; unsaid: one of them does not name this part.
"""

NAME_WEIGHT: Final = 1.35
NUMBER_WEIGHT: Final = 0.45


class Words(Struct, frozen=True, array_like=True):
    """A proposition, and what else is read of its text: all that depends on the text alone."""

    proposition: Proposition
    content: frozenset[str]
    """Terms that count: those of the proposition and its names."""
    names: frozenset[str]
    """Terms written with a capital."""
    covers: frozenset[str]
    """Terms, and what the names among them say besides."""
    context: frozenset[str]
    """Terms of the event, rules and tags: they confirm, but ask nothing."""
    closes: date | None = None
    motion: int = 0
    """1: something lasts; -1: something ends; 0: neither is said."""
    subject: frozenset[str] = frozenset()
    """Terms of the name it is asked of: "Will X ..."."""
    unique: bool = False
    """Only one can have what it asks about: the best, the most."""
    places: frozenset[int] = frozenset()
    """Places but the first that it names: second-best, #3, finish fourth."""
    modifiers: frozenset[str] = frozenset()
    """Small words that change what is asked: next, all, both."""
    still: bool = False
    """It is said to be "still" so."""
    sides: frozenset[str] = frozenset()
    """Opposites of which it names one ("rejected")."""
    against: frozenset[str] = frozenset()
    """The others of those ("approved")."""
    last: str | None = None
    """Last term of the contender's name: of a person the surname, of a club what tells it apart."""
    runs: tuple[frozenset[str], ...] = ()
    """Terms of the names that it says, name by name."""
    group: str = ""
    """Letter of the group that it names."""
    turns: frozenset[Turn] = frozenset()
    """Classes of words in it that turn a proposition round."""
    initials: tuple[tuple[str, frozenset[str]], ...] = ()
    """Of its names of two words or more: their initials, and their terms."""
    short: frozenset[str] = frozenset()
    """Names that it says by their initials alone."""
    nicknames: tuple[tuple[frozenset[str], frozenset[str]], ...] = ()
    """Names of more words that say another: their terms, and what they say."""
    second: frozenset[str] = frozenset()
    """Terms of what is to come second: B of "A before B"."""
    enters: bool = False
    """It is about being in a contest at all: qualifying for it."""
    extreme: int = 0
    """1: of a temperature the highest is meant; -1: the lowest; 0: neither is said."""
    sounds: frozenset[str] = frozenset()
    """How its names sound, whatever letters they were brought into."""


class View(Words, frozen=True, kw_only=True, eq=False):
    """A proposition ready to be compared."""

    weights: dict[str, float]
    """Weight of each content term."""
    vector: NDArray[np.float32]


def view(words: Words, vector: NDArray[np.float32], rarity: Rarity) -> View:
    """What is compared of a proposition.

    vector : unit vector of the text
    """
    weights = {t: _weight(t, t in words.names, rarity) for t in sorted(words.content)}
    if words.proposition.threshold is not None:
        weights |= {t: min(0.1, weights[t]) for t in _TRADED & weights.keys()}
    return View(*structs.astuple(words), weights=weights, vector=vector)


def read(
    proposition: Proposition, text: str, *, context: str = "", closes: date | None = None
) -> Words:
    """What is compared of a proposition, but for what its words weigh.

    text : as it was written, for its capitals
    context : what else is known of the market
    """
    # A capital makes a name of a word that says little elsewhere: "TIME's Person of the Year".
    names = frozenset(t for t in _names(text) if not is_number(t) and not is_month(t)) - _LEVELS
    if proposition.stage is not None:
        names -= _STAGES  # how far is a part of its own
    found = canonical(proposition.terms | names)
    names &= found
    said = frozenset(terms(text)) | found
    plain = _RELATIVE.sub(" ", text)
    return Words(
        proposition=proposition,
        content=found,
        names=names,
        covers=found | besides(said),
        context=frozenset(terms(context[:1500])) if context else frozenset(),
        closes=closes,
        motion=_motion(proposition, plain),
        subject=_subject(text),
        unique=_UNIQUE.search(text) is not None,
        places=_places(text),
        modifiers=frozenset(name for name, pattern in _MODIFIERS.items() if pattern.search(text)),
        still=proposition.predicate == "happens" and _STILL.search(text) is not None,
        sides=(sides := _sides_of(proposition, text)),
        against=frozenset(side[:-1] + ("-" if side[-1] == "+" else "+") for side in sides),
        turns=turns(_unread(proposition, plain)),
        last=_last(proposition),
        runs=_runs(text),
        group=named["group"].casefold() if (named := _GROUP.search(text)) else "",
        initials=_initials(text),
        short=frozenset(s.casefold() for s in _SHORT.findall(text)),
        nicknames=nicknames(said),
        second=_second(text),
        enters=proposition.predicate not in CONTESTS - {"wins"}
        and _ENTERS.search(text) is not None,
        extreme=_extreme(proposition, text),
        sounds=frozenset(sound for t in names if (sound := _sound(t))),
    )


_LEVELS: Final = frozenset(terms("above below over under between exactly"))
"""Words with which a market's level begins: "Above 200,000"."""
_RELATIVE: Final = re.compile(
    r"\b(?:what|whatever|which|that|who)\s+(?:(?:it|they|he|she|[\w'-]+)\s+)?(?:still\s+|currently\s+|now\s+)*"
    r"(?:holds?|controls?|keeps?|occup(?:y|ies)|remains?|has|have|is\s+left)\b(?:\s+of\b)?",
    re.I,
)
"""A clause about a thing, in which nothing is asked: "what it still holds of ..."."""
_GROUP: Final = re.compile(r"\b[Gg]roup\s+(?P<group>[A-L])\b")


def _last(p: Proposition) -> str | None:
    """The last term of the choice as it is written; None where it is one word, or a class."""
    said = next((r.text for r in p.read if r.slot == "choice"), "")
    ordered = [t for t in terms(said) if t in p.choice]
    return ordered[-1] if len(ordered) > 1 and not p.indefinite else None


def _unread(p: Proposition, text: str) -> str:
    """The text behind the last word that was read as its polarity."""
    if p.positive:
        return text
    last = max((text.find(r.text) + len(r.text) for r in p.read if r.slot == "polarity"), default=0)
    rest = text[max(0, last) :]
    return _ANOTHER_WAY.split(rest)[0]


_ANOTHER_WAY: Final = re.compile(
    r",?\s+or\s+(?!more|less|higher|lower|later|fewer|better|worse)(?=[a-z])"
)
"""Behind it stands another way for it not to happen: "fail to name X or name someone else"."""


_HIGHEST: Final = re.compile(r"\b(?:highs?|highest|maximum|max|hottest|warmest)\b", re.I)
_LOWEST: Final = re.compile(r"\b(?:lows?|lowest|minimum|min|coldest|coolest)\b", re.I)

_KEEPS: Final = r"\b(?:stay|remain|hold|keep)s?\s+(?:at\s+\d\S*(?:\s+degrees)?\s+or\s+"
_NEVER_BELOW: Final = re.compile(rf"{_KEEPS}(?:more|higher|above|warmer)|above|over)\b", re.I)
_NEVER_ABOVE: Final = re.compile(rf"{_KEEPS}(?:less|lower|below|colder)|below|under)\b", re.I)

_WARMTH: Final = frozenset(terms("temperature"))


def _extreme(p: Proposition, text: str) -> int:
    if p.threshold is None or not (p.threshold.unit == "degrees" or p.terms & _WARMTH):
        return 0
    if said := (_HIGHEST.search(text) is not None) - (_LOWEST.search(text) is not None):
        return said
    # Who never falls below has a low above it.
    return (_NEVER_ABOVE.search(text) is not None) - (_NEVER_BELOW.search(text) is not None)


_DATED_END: Final = re.compile(
    r"\b(?P<before>(?:(?:at|by|the|through|until)\s+)++)(?P<end>end\s+of\b)?|\bend\s+of\b|"
    r"\bwhen\s+\S+\s+(?:\S+\s+)?"
    r"(?:ends|closes|begins)\b|\b(?:year|month)[\s-]end\b",
    re.I,
)
_ENDS: Final = re.compile(
    r"\b(?:out|leav(?:e|es|ing)|withdr(?:aw|aws|awal|awing)|pulls?\s+out|exits?|quits?|falls?|"
    r"collapses?|topple[sd]?|repeal(?:s|ed)?|broken|breaks?|breach(?:es|ed)?|violat\w+|depegs?|"
    r"resign(?:s|ed)?|oust(?:s|ed)?|removed?|dissolv\w+|abolish\w*|cancel\w*|scrap(?:s|ped)?|"
    r"terminat\w+|revok\w+|suspend\w*|expires?|rescind\w*|shut\s*(?:s|down)|disband\w*|"
    r"ends?|ended|lapses?|defaults?|bankrupt\w*|no\s+longer|cease[sd]?|dropped|fired|"
    r"relegated|eliminated|lifted|acquired|ipo)\b",
    re.I,
)
_LASTS: Final = re.compile(
    rf"\b(?:{STAYS}|lasts|lasted|retains?|"
    r"endures?|intact|maintains?|preserves?|stands?|(?:go|goes|carry|carries|drags?)\s+on|in\s+(?:place|force|effect|power|office))\b",
    re.I,
)
_SUBJECT: Final = re.compile(
    r"(?:^|,\s)(?:will|does|do|did|is|are|can|has|have)\s+(?:either\s+)?(?:the\s+)?"
    r"(?-i:(?P<name>[A-Z][\w&'.-]*(?:\s+(?:of\s+)?[A-Z][\w&'.-]*)*))", re.I,
)  # fmt: skip


def _subject(text: str) -> frozenset[str]:
    found = _SUBJECT.search(text)
    return frozenset(terms(found["name"].replace("'s", ""))) if found else frozenset()


_PLACE_NAMES: Final = {
    "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8,
    "2nd": 2, "3rd": 3, "4th": 4, "5th": 5, "6th": 6, "7th": 7, "8th": 8,
}  # fmt: skip
_NTH: Final = "|".join(_PLACE_NAMES)
_PLACE: Final = re.compile(
    r"\b(?:finish\w*|plac(?:e|es|ed)|rank\w*|comes?|win|wins|be|in)\s+(?:in\s+)?(?:the\s+)?"
    rf"(?P<a>{_NTH})\b"
    r"(?!\s+(?:quarter|round|district|half|congress\w*|season|game|time|term|week|month|year))"
    rf"|\b(?P<b>{_NTH})[\s-](?:best|place|most|[a-z]{{3,}}est)\b"
    r"|(?<!\w)#\s?(?P<c>[2-9])\b",
    re.I,
)


def _places(text: str) -> frozenset[int]:
    found = set()
    for match in _PLACE.finditer(text):
        word = (match["a"] or match["b"] or "").casefold()
        found.add(_PLACE_NAMES[word] if word else int(match["c"]))
    return frozenset(found)


_MODIFIERS: Final = {
    "next": re.compile(r"\bnext\b(?!\s+(?:year|month|week|\d))", re.I),
    "whole": re.compile(r"\b(?:all\s+of|whole|entire|complete(?:ly)?|full(?:y)?)\b", re.I),
    "annual": re.compile(
        r"\b(?:annual\w*|year[\s-]over[\s-]year|yoy|y/y|12[\s-]months?|twelve[\s-]months?|(?:for|in)\s+the\s+year\s+ending|"
        r"from\s+a\s+year)\b",
        re.I,
    ),
    "monthly": re.compile(
        r"\b(?:month[\s-]over[\s-]month|mom|m/m|monthly|in\s+the\s+month\s+of|from\s+the\s+(?:previous|prior)\s+month|"
        r"on\s+the\s+month|month[\s-]on[\s-]month)\b",
        re.I,
    ),
    "both": re.compile(r"\b(?:both|each|every)\b", re.I),
}
_UNIQUE: Final = re.compile(
    r"\b(?:best|most|largest|biggest|highest|leading|winner|number[\s-]one|next|top(?!\s+\d))\b|#\s?1\b",
    re.I,
)
_STILL: Final = re.compile(r"\bstill\s+be\b|\b(?:be|is|are)\s+still\b", re.I)
_HOLDS_OFFICE: Final = re.compile(
    r"\b(?:be|is|are)\s+(?:the\s+|an?\s+)?(?:[\w'-]+\s+){0,2}?(?:leader|president|premier|pm|ceo|"
    r"prime\s+minister|chancellor|head|chair\w*|speaker|governor|mayor|secretary|director|"
    r"coach|manager|pope|king|supreme\s+leader)\b(?!\s+(?-i:[A-Z]))"
    r"(?!.*\b(?:elect|nominee|next)\w*)", re.I,
)  # fmt: skip


_OPPOSITES: Final = tuple(
    (name, re.compile(rf"\b(?:{up})\b", re.I), re.compile(rf"\b(?:{down})\b", re.I))
    for name, up, down in (
        (
            "approval",
            r"approv\w+|confirmed|confirms?|pass(?:es|ed)?|ratif\w+|uph(?:olds?|eld)|enact\w*|"
            r"accept\w*|grant\w*",
            r"reject\w*|den(?:y|ies|ied)|voted?\s+down|veto\w*|str(?:ikes?|uck)\s+down|"
            r"turn(?:s|ed)?\s+down|block\w*|overturn\w*",
        ),
        (
            "guilt",
            r"convict\w*|guilty|jailed|prison|sentenced",
            r"acquit\w*|cleared|walks?\s+free|go\s+free|"
            r"goes\s+free|exonerat\w*",
        ),
        (
            "course",
            r"increas\w*|rises?|hikes?|rais(?:e|es|ed)|higher|grows?|gains?",
            r"decreas\w*|falls?|cuts?|lowers?|reduc\w+|drops?|shrinks?|declines?",
        ),
        ("access", r"re-?opens?|opens?|reopened", r"closed?|closes|shut\w*"),
        (
            "part",
            r"joins?|enters?|stays?\s+with|re-?signs?",
            r"leaves?|exits?|quits?|part(?:s|ed)?\s+ways",
        ),
    )
)
"""Opposite ways for a thing to go. Both may fail to happen, but never the one as the other."""


_NO_CHANGE: Final = re.compile(
    r"\bno\s+changes?\b|\bunchanged\b|\bhold\s+rates\b|\bstand\s+pat\b", re.I
)


def _sides_of(p: Proposition, text: str) -> frozenset[str]:
    if p.threshold is not None or p.predicate != "happens":
        return frozenset()
    found = ["course="] if _NO_CHANGE.search(text) else []
    for name, up, down in _OPPOSITES:
        if name == "course" and found:
            continue
        rises, sinks = up.search(text) is not None, down.search(text) is not None
        if rises != sinks:
            found.append(f"{name}{'+' if rises else '-'}")
    return frozenset(found)


def _motion(p: Proposition, text: str) -> int:
    """Whether a proposition says that something ends or that it lasts."""
    if p.threshold is not None or p.predicate in ("wins", "nominated", "advances", "ranks"):
        return 0
    plain = _DATED_END.sub(lambda m: m[0] if m["before"] and not m["end"] else " ", text)
    if p.predicate == "leaves" or _ENDS.search(plain):
        return -1
    if _LASTS.search(plain) or _HOLDS_OFFICE.search(plain):
        return 1
    return 0


_CAPITAL: Final = re.compile(
    r"(?<![.!?:]\s)(?<!^)(?<![\w'])[A-Z][\w.&'-]*"
    r"(?:\s+(?:of\s+(?:the\s+)?)?[A-Z0-9][\w.&'-]*)*"
)
"""Words with a capital in a row, but where every sentence begins with one."""


_ENTERS: Final = re.compile(
    r"\bqualif(?:y|ies|ied)\s+for\b|\b(?:make|get|go|reach|miss|play\s+(?:at|in)|be\s+(?:at|in)|appear\s+(?:at|in))(?:es|s)?\s+"
    r"(?:it\s+)?(?:out\s+on\s+)?(?:to\s+)?(?:the\s+)?(?:\w+\s+){0,3}?(?:World\s+Cup|Olympics|Euros?|Champions\s+League|Copa|tournament)\b(?!\s+(?:final|semi|quarter|knockout|group|title|trophy))",
    re.I,
)
_SECOND: Final = re.compile(
    r"\b(?:before|ahead\s+of|sooner\s+than|earlier\s+than)\s+(?P<second>(?:the\s+)?(?-i:[A-Z])[\w'&.-]*(?:\s+[\w'&.-]+){0,5})",
    re.I,
)
_DOES: Final = re.compile(r"\s+(?:does|do|did|is|are|has|have|gets?|comes?|will)\b.*", re.I)


def _second(text: str) -> frozenset[str]:
    found = _SECOND.search(text)
    said = terms(_DOES.sub("", found["second"])) if found else []
    return frozenset() if any(is_month(t) or is_year(t) for t in said) else frozenset(said)


_SHORT: Final = re.compile(r"(?<![\w.&'-])[A-Z]{2,5}(?![\w&-])")
_NAME: Final = re.compile(
    r"(?<![\w'])(?-i:[A-Z][\w.']*)(?:[\s-]+(?:(?:of|the|de|la|del|da|do|and)\s+)*[A-Z][\w.']*)+"
)
_SMALL: Final = frozenset(("of", "the", "de", "la", "del", "da", "do", "and"))
_ASKING: Final = frozenset(
    "Will Does Do Did Is Are Has Have Can Which Who What When At In On By".split()
)


def _initials(text: str) -> tuple[tuple[str, frozenset[str]], ...]:
    found = []
    for name in _NAME.findall(text.replace("'s", " |").replace("’s", " |")):
        words = [w for w in re.split(r"[\s-]+", name) if w not in _SMALL]
        if words and words[0] in _ASKING:
            words = words[1:]
        if 2 <= len(words) <= 5:
            found.append(
                ("".join(w[0] for w in words).casefold(), frozenset(terms(" ".join(words))))
            )
    return tuple(found)


_FOLDED: Final = str.maketrans("wqcz", "vkks", "yaeiouhj")


@remembered(8 << 20)
def _sound(term: str) -> str:
    """The consonants of a name: what is left of it when letters of another script are written in
    ours; empty where too little is left to tell names apart."""
    if len(term) < 6 or not term.isalpha():
        return ""
    folded = term[0] + re.sub(r"(.)\1+", r"\1", term[1:].translate(_FOLDED))
    return folded if len(folded) >= 5 else ""


_ASIDE: Final = re.compile(r"\([^)]*\)|\[[^]]*\]")
_INITIALS: Final = re.compile(r"[A-Z.]{1,5}")


def _runs(text: str) -> tuple[frozenset[str], ...]:
    """Its names; what stands in brackets, and initials alone (AI, NBA), tell no market apart."""
    plain = districts(_ASIDE.sub(" ", text).replace("'s", "").replace("’s", ""))
    found = (words for words in _CAPITAL.findall(plain) if not _INITIALS.fullmatch(words))
    named = (
        frozenset(t for t in terms(words) if not is_number(t) and not is_month(t))
        for words in found
    )
    return tuple(run for run in named if run)


def _names(text: str) -> frozenset[str]:
    found = _CAPITAL.findall(text.replace("'s", "").replace("’s", ""))
    return frozenset(t for words in found for t in terms(words))


_STAGES: Final = frozenset(
    terms("semifinals quarterfinals finals playoffs knockout stage round last grand")
)
_TRADED: Final = frozenset(
    terms(
        "trade settle close day session moment point mark level print quote futures spot touch"
        " settlement"
        " change hands value"
    )
)
"""Words that say no more than that there is a quantity, where one is named."""
_FAINT: Final = frozenset(
    terms(
        "season standings annual edition ceremony award awards official overall current regular"
        " kind type whatever any sort standing table competition"
    )
)
"""Words that tell no market from another."""


def _weight(term: str, name: bool, rarity: Rarity) -> float:
    if is_number(term):
        return 0.1 if is_year(term) else NUMBER_WEIGHT
    if term in _FAINT:
        return 0.1
    weight = min(1.3, max(0.08, (rarity(term) - 4) / 14))
    return weight * NAME_WEIGHT if name else weight


@dataclass(frozen=True, slots=True)
class Comparison:
    """How a market's proposition stands to the question's, both taken positively."""

    score: float
    """How well it fits; what is the same proposition in other words has 2 and more."""
    asked: float
    """Share of the question's content that the market names, 0 to 1."""
    named: float
    """Share of the market's content that the question names, 0 to 1."""
    window: Order
    gap: float
    """Days from the market's end of time to the question's; 0 where either is open."""
    threshold: Order
    stage: Order
    choice: Order
    edition: Order
    flipped: bool
    """The market's Yes is the question's No."""
    missing: float
    """Weight of the question's most telling term that the market does not name."""
    extra: float
    """Weight of the market's most telling term that the question does not name."""
    rival: bool
    """It is about another contender for just what is asked about."""
    content: float
    """The score without what the parts add: whether both are about the same things."""
    opposed: bool
    """Taken positively, one says what ends or exceeds where the other says what lasts or not."""
    lasting: bool
    """The question is about what lasts: the longer, the less likely."""
    called: float
    """Share of the question's names that the market or its rules say, 0 to 1."""
    foreign: float
    """Weight of the market's most telling name of which the question says no part."""
    likeness: float
    """Log-odds that both are about the same thing, as fitted; see `_likeness`."""
    leveled: bool = False
    """Both name a level, and `threshold` says how these two stand to each other."""

    @property
    def same(self) -> bool:
        """No part tells the two apart."""
        return (
            self.window in ("same", "unsaid")
            and self.threshold in ("same", "opposite", "unsaid")
            and self.stage in ("same", "unsaid")
            and self.choice in ("same", "unsaid")
            and self.edition in ("same", "unsaid")
        )


def compare(q: View, m: View, at: date) -> Comparison:
    """How market `m` stands to question `q`, asked on the day `at`."""
    q, m = _spelled(q, m), _spelled(m, q)
    ours, theirs = q.proposition, m.proposition
    asked, missing = _coverage(q, m, m.covers, m.context)
    named, extra = _coverage(m, q, q.covers, frozenset())
    dense = float(q.vector @ m.vector)
    threshold = _threshold(ours, theirs, m.context)
    if threshold == "unsaid" and q.places and m.places and not q.places & m.places:
        threshold = "differs"
    if threshold == "unsaid" and q.group and m.group and q.group != m.group:
        threshold = "differs"
    amount = threshold == "implied" and theirs.threshold is None  # of a cut, of a rise
    if (threshold == "unsaid" or amount) and _course(q.sides, m.sides):
        threshold = "excludes"
    if (
        threshold == "implies"
        and theirs.threshold is None
        and (ours.predicate in ("value", "touches") and extra >= ELSE)
    ):
        threshold = "differs"  # where something stands does not follow from what else it does
    if {"annual", "monthly"} <= q.modifiers ^ m.modifiers:
        threshold = "differs"  # of a month's rise a year's says nothing
    if q.extreme * m.extreme < 0:
        threshold = "differs"  # of a day's high its low says little
    if threshold == "unsaid" and _districts(q) != _districts(m):
        threshold = "differs"  # the House is not one of its seats
    worded = threshold == "unsaid" and _opposed(q, m, extra)
    opposed = threshold == "opposite" or worded
    lasting = _lasts(q) and (worded or _lasts(m))
    window, gap = _window(ours, theirs, m.closes, at, lasting=lasting)
    stage = _stage(ours, theirs)
    if stage == "same" and _other_contest(q, m):
        stage = _titles(q, m)
    if q.places & m.places and stage in ("unsaid", "differs"):
        stage = "same"
    elif "ranks" in (ours.predicate, theirs.predicate) and (
        ours.predicate not in CONTESTS or theirs.predicate not in CONTESTS
    ):
        stage = "differs"
    if (
        q.enters != m.enters and stage in ("same", "unsaid", "differs")
        and (theirs if q.enters else ours).predicate in CONTESTS
    ):  # fmt: skip
        stage = "implied" if q.enters else "implies"  # whoever wins it has been in it
    choice = _choice(q, m)
    if choice == "unsaid" and _other_subject(q, m):
        choice = "excludes" if ours.predicate == theirs.predicate else "differs"
    if (q.second and not m.second and _RACE not in theirs.terms) or (
        _RACE in theirs.terms - ours.terms and not q.second and theirs.terms - q.covers - {_RACE}
    ):
        choice = "differs"  # which of two comes first says little of when one comes
    if (mine := _acts(ours)) and (other := _acts(theirs)) and not mine & other:
        choice = "differs"  # who is acquired has not gone public by it
    edition = _edition(ours, theirs, m.closes)
    if edition == "same" and window != "same" and not theirs.window.text:
        window, gap = "unsaid", 0.0
    # Each names something of its own that the other does not: they may differ in just that.
    content = 1.1 * asked + named + 0.5 * dense - 0.3 * min(missing, extra)
    score = (
        content + _SCORES["window"][window] - (min(0.3, abs(gap) / 400) if window != "same" else 0)
    )
    for part, order in (
        ("threshold", threshold), ("stage", stage), ("choice", choice), ("edition", edition),
    ):  # fmt: skip
        score += _SCORES[part][order]
    if (theirs.predicate in CONTESTS) != (ours.predicate in CONTESTS):
        # What is won is another thing than what happens, unless nothing telling is left over.
        score -= 0.9 * min(1.0, max(missing, extra))
    score -= 0.25 * (bool(q.places) != bool(m.places))
    score -= 0.15 * len(q.modifiers ^ m.modifiers)
    if theirs.unclear:
        score -= 0.2
    if theirs.fixture and not ours.fixture:
        score -= 0.4
    flipped = (ours.positive != theirs.positive) != opposed
    called = _called(q, m)
    likeness = (
        BASE + 2.2 * asked + 5.1 * named + 4.3 * dense + 1.3 * called
        + 0.35 * (ours.predicate == theirs.predicate) + _LIKENESS["threshold"].get(threshold, 0.0)
        + _LIKENESS["window"].get(window, 0.0) + _LIKENESS["choice"].get(choice, 0.0)
        + _LIKENESS["stage"].get(stage, 0.0)
    )  # fmt: skip
    return Comparison(
        score, asked, named, window, gap, threshold, stage, choice, edition, flipped, missing,
        extra, _is_rival(q, m, choice, stage, edition), content, opposed, lasting, called,
        _foreign(q, m), likeness,
        ours.threshold is not None and theirs.threshold is not None and threshold != "unsaid",
    )  # fmt: skip


_ACTS: Final = tuple(
    frozenset(terms(said))
    for said in (
        "acquire buy purchase takeover merger merge", "ipo", "explode explosion", "land landing",
        "die death", "marry wedding", "divorce", "bankrupt bankruptcy", "assassinate",
    )
)  # fmt: skip
"""Acts, each by its words: a text that says one of them and a text that says another are about
two things, however many names they share."""


def _acts(p: Proposition) -> frozenset[int]:
    return frozenset(n for n, said in enumerate(_ACTS) if said & p.terms)


_RACE: Final = term("before")
"""It is left of a text only where no day follows it."""
_DIVISION: Final = frozenset(terms("division"))


def _spelled(one: View, other: View) -> View:
    """A view that covers too what its names say in the other's way of writing them."""
    more: frozenset[str] = frozenset()
    for short, name in other.initials:
        if short in one.short and (len(short) > 2 or short in one.proposition.choice):
            more |= name
    for short, _ in one.initials:
        if short in other.short and (len(short) > 2 or short in other.proposition.choice):
            more |= {short}
    if one.sounds & other.sounds:
        more |= {t for t in other.names if _sound(t) in one.sounds}
    theirs = other.proposition
    division = theirs.predicate == "wins" and theirs.contest >= _DIVISION
    if division and one.proposition.stage == "playoffs":
        more |= theirs.contest  # whoever wins one of a league's divisions plays on
    return structs.replace(one, covers=one.covers | more) if more - one.covers else one


def _lasts(v: View) -> bool:
    """Whether it says, in itself positively, that something stays as it is."""
    return v.proposition.threshold is None and bool(v.motion > 0 or v.turns & LASTING)


def _opposed(q: View, m: View, extra: float) -> bool:
    """Whether one of them says what ends, is lost or left undone where the other says the rest."""
    theirs = m.proposition
    if q.motion * m.motion < 0 or q.sides & m.against & _CONTRARY:
        return True
    if (
        "lasts" in q.turns and "lasts" not in m.turns and q.proposition.positive
        and not m.motion and theirs.predicate in ("happens", "announces")
        and theirs.window.kind in ("by", "in", "open") and (q.still or extra >= CHANGE)
    ):  # fmt: skip
        return True  # what stays as it is has not been changed by the event of the market
    if (
        (q.unique or m.unique) and theirs.predicate == "happens" and theirs.threshold is None
        and ("others" in q.turns) != ("others" in m.turns)
    ):  # fmt: skip
        return True  # "another is larger than X" of what is the largest
    if _swapped(q, m):
        return True
    return turned(q.turns, m.turns, theirs)


def _swapped(q: View, m: View) -> bool:
    """Whether each puts another first: "A beats B" and "B beats A", or "before" for "beats"."""
    ours, theirs = q.proposition, m.proposition
    first = bool(
        ours.lead and theirs.lead and ours.lead != theirs.lead
        and ours.lead in m.covers and theirs.lead in q.covers
        and ours.terms & _BEATING and theirs.terms & _BEATING
    )  # fmt: skip
    before = bool(
        q.second and m.second and not q.second & m.second
        and q.second <= m.covers and m.second <= q.covers
    )  # fmt: skip
    return first or before


_BEATING: Final = frozenset(terms("beat outperform surpass exceed outdo defeat outsell"))


_CONTRARY: Final = frozenset(
    f"{name}{sign}" for name in ("approval", "guilt", "access", "part") for sign in "+-"
)
"""Opposites of which, once it is decided, one holds: a rate may also stay."""
ELSE: Final = 0.4
"""Least weight of a market's word of its own that tells another thing than a level."""
CHANGE: Final = 0.3
"""Weight of a market's word that a question of what lasts leaves unsaid: that of a change."""
BASE: Final = -11.2
_LIKENESS: Final[dict[str, dict[Order, float]]] = {
    "threshold": {"same": 7.8, "opposite": 7.8, "differs": -2.9, "excludes": -2.9},
    "window": {"same": 1.9},
    "choice": {"excludes": -2.9, "differs": -2.9},
    "stage": {"same": 2.3},
}
"""A logistic regression over 510 questions: the market that each is about, against the six best
others of its candidates; five folds by market. The page has what it gains."""
_SCORES: Final[dict[str, dict[str, float]]] = {
    "window": {"same": 0.3, "implies": -0.3, "implied": -0.3, "differs": -0.5, "unsaid": 0.0},
    "threshold": {"same": 0.3, "opposite": 0.25, "implies": -0.35, "implied": -0.35,
                  "excludes": -0.45, "differs": -0.5, "unsaid": 0.0},
    "stage": {"same": 0.2, "implies": -0.35, "implied": -0.35, "excludes": -0.4, "differs": -0.4,
              "unsaid": 0.0},
    "choice": {"same": 0.3, "excludes": -0.6, "differs": -0.6, "unsaid": 0.0},
    "edition": {"same": 0.1, "differs": -0.8, "unsaid": 0.0},
}  # fmt: skip


_COMMON: Final = frozenset(terms("player year season"))
"""Terms of the long forms of many names: by these alone no two awards are one."""


def _coverage(
    of: View, other: View, covers: frozenset[str], context: frozenset[str]
) -> tuple[float, float]:
    """Share of one view's content that the other names, and the heaviest term that it misses."""
    total = found = missing = 0.0
    told = {t for name, says in of.nicknames if says & covers for t in name}
    for one, weight in of.weights.items():
        total += weight
        if one in covers or one in told or (besides(frozenset((one,))) - _COMMON) & other.covers:
            found += weight
        elif _alike(one, covers):
            found += 0.85 * weight
        elif one in context:
            found += 0.5 * weight
            missing = max(missing, 0.5 * weight)
        else:
            missing = max(missing, weight)
    # "give up its weapons": a phrase of the question that says one word of the market.
    if total and (said := of.covers & other.proposition.terms - of.proposition.terms):
        found = min(total, found + 0.3 * len(said))
    return (found / total if total else 0.0), missing


def _foreign(q: View, m: View) -> float:
    return max(
        (max(m.weights.get(t, 0.0) for t in run) for run in m.runs
         if not run <= OFFICES and not any(names(t, q) for t in run)),
        default=0.0,
    )  # fmt: skip


def _called(q: View, m: View) -> float:
    weights = {t: w for t, w in q.weights.items() if t in q.names}
    total = sum(weights.values())
    said = sum(w for t, w in weights.items() if names(t, m) or t in m.context)
    return said / total if total else 1.0


def names(term: str, by: View) -> bool:
    """Whether a view says a term, in this word or another."""
    return (
        term in by.covers or bool((besides(frozenset((term,))) - _COMMON) & by.covers)
        or _alike(term, by.covers)
    )  # fmt: skip


def _alike(term: str, others: frozenset[str]) -> bool:
    """A longer or shorter form of one word: "scienc", "scientif"."""
    if len(term) < 5 or not term.isalpha():
        return False
    head = term[: max(5, len(term) - 3)]
    return any(o.startswith(head) and abs(len(o) - len(term)) <= 4 for o in others if len(o) >= 5)


# Part by part


def _window(
    ours: Proposition, theirs: Proposition, closes: date | None, at: date, *, lasting: bool
) -> tuple[Order, float]:
    """How the question's time stands to the market's, and the days between their ends.

    lasting : the question is about what lasts, and that it does until a day says it of all days
    before
    """
    q, m = ours.window, theirs.window
    if lasting and q.text and {q.kind, m.kind} <= {"on", "by", "open"}:
        q = structs.replace(q, kind="by", start=None)
        m = structs.replace(m, kind="by", start=None) if m.text else m
        order, gap = _window_of(q, m, ours, theirs, closes, at)
        return _TURNED.get(order, order), gap
    return _window_of(q, m, ours, theirs, closes, at)


_TURNED: Final[dict[Order, Order]] = {"implies": "implied", "implied": "implies"}
"""What the opposite implies."""


def _window_of(
    q: Window, m: Window, ours: Proposition, theirs: Proposition, closes: date | None, at: date
) -> tuple[Order, float]:
    if not q.text or (q.end is None and q.start is None):
        return "unsaid", 0.0
    if q.kind == "after" or m.kind == "after":
        if q.kind == m.kind and q.start == m.start:
            return "same", 0.0
        if m.kind == "after" and _within(q, m.start):
            return "same", 0.0  # "after the January meeting"
        if m.kind == "after" and m.start is None:  # "after the season"
            return ("same" if closes and _within(q, closes) else "unsaid"), 0.0
        return "differs", 0.0
    asked_end, named_end = q.end, m.end if m.text else None
    if asked_end is None:
        return "unsaid", 0.0
    if named_end is None:
        if closes is None:
            return "unsaid", 0.0
        # The market names no date; it closes when it must have been decided.
        gap = (asked_end - closes).days
        if q.kind in ("in", "on") and _within(q, closes):
            return "same", 0.0
        if q.kind in ("in", "on") and -_LEFT_OPEN <= gap < 0 and _decided(ours, theirs):
            return "unsaid", 0.0
        if -7 <= gap <= (200 if q.kind in ("in", "on") else 45):
            return "same" if -2 <= gap <= 7 else "unsaid", 0.0
        return ("implied" if gap > 0 else "implies"), float(gap)
    gap = (asked_end - named_end).days
    if abs(gap) <= (0 if q.kind == m.kind == "on" else 1):
        if q.kind == "in" and m.kind == "in" and q.start != m.start and _bites(q, m, at):
            return "differs", 0.0
        if (
            {q.kind, m.kind} == {"on", "by"} and ours.threshold is None and ours.positive
            and "leaves" not in (ours.predicate, theirs.predicate)
        ):  # fmt: skip
            return ("implies" if q.kind == "on" else "implied"), 0.0
        return "same", 0.0
    if q.kind == "on" or m.kind == "on":
        cumulative = ours.predicate not in ("value", "rises") and theirs.predicate not in (
            "value", "rises")  # fmt: skip
        if not cumulative or (q.kind == "on" and m.kind == "on"):
            return "differs", float(gap)
    if m.kind == "in" and m.start is not None and asked_end <= m.start:
        return "differs", float(gap)
    if q.kind == "in" and q.start is not None and named_end <= q.start:
        return "differs", float(gap)
    return ("implied" if gap > 0 else "implies"), float(gap)


_LEFT_OPEN: Final = 400
"""Days by which a market on a contest may close behind it."""


def _decided(ours: Proposition, theirs: Proposition) -> bool:
    """Whether both are about one contest, which is decided on its day: a market that closes long
    after it has left time for a delay, and asks for no later one."""
    contests = {ours.predicate, theirs.predicate} & CONTESTS
    return bool(contests) and not {ours.predicate, theirs.predicate} & {"leaves", "rises"}


def _within(w: Window, day: date | None) -> bool:
    return (
        day is not None and w.end is not None
        and (w.start or w.end - timedelta(31)) <= day <= w.end + timedelta(1)
    )  # fmt: skip


def _bites(q: Window, m: Window, at: date) -> bool:
    """Whether the starts of two windows still matter: one lies ahead."""
    return any(w.start is not None and w.start > at for w in (q, m))


def _threshold(ours: Proposition, theirs: Proposition, ruled: frozenset[str]) -> Order:
    q, m = ours.threshold, theirs.threshold
    if ours.predicate == "ranks" or theirs.predicate == "ranks":
        return "unsaid"
    if q is None or m is None:
        if q is None and m is None:
            return _numbers(ours, theirs, ruled)
        if q is not None:  # more is asked than the market says
            return "unsaid" if _told(q, theirs, ruled) else "implies"
        return "unsaid" if m is not None and _told(m, ours, frozenset()) else "implied"
    degrees = "degrees" in (q.unit, m.unit) and (
        q.unit == m.unit or bool(ours.terms & theirs.terms & _WARMTH)
    )
    if degrees or _counts(ours, theirs):
        q, m = _whole(q), _whole(m)
        if (math.isinf(q.low) and math.isinf(m.high) and q.high + 1 == m.low) or (
            math.isinf(m.low) and math.isinf(q.high) and m.high + 1 == q.low
        ):
            return "opposite"  # "seven or fewer" and "eight or more"
    if ours.predicate == theirs.predicate == "touches":
        q, m = _directed(q, m), _directed(m, q)
    return compare_ranges(q, m)


def _counts(ours: Proposition, theirs: Proposition) -> bool:
    """Whether both numbers are of things that are counted: "over 12.5 wins" is such a one too."""
    if ours.predicate == theirs.predicate == "counts":
        return True
    said = [t for t in (ours.threshold, theirs.threshold) if t is not None]
    if any(t.unit != "none" for t in said):
        return False
    ends = [x for t in said for x in (t.low, t.high) if not math.isinf(x)]
    halves = any(x % 1 == 0.5 for x in ends) and all(x * 2 % 1 == 0 for x in ends)
    counted = "counts" in (ours.predicate, theirs.predicate) and all(x % 1 == 0 for x in ends)
    return (halves or counted) and max(map(abs, ends), default=0.0) < MANY


MANY: Final = 1_000.0
"""Things: from here on a number is taken for a level, between whose values others lie."""


def _whole(t: Threshold) -> Threshold:
    """Of things that are counted, "more than 25" is "26 or more"."""
    low = t.low if t.low_in or math.isinf(t.low) else math.floor(t.low) + 1
    high = t.high if t.high_in or math.isinf(t.high) else math.ceil(t.high) - 1
    return Threshold(low, high, True, True, t.unit)


def _directed(t: Threshold, other: Threshold) -> Threshold:
    """ "Hits $5" comes from the side from which the other comes, or from below."""
    if t.low != t.high:
        return t
    if math.isinf(other.low) and not math.isinf(other.high):
        return Threshold(-math.inf, t.high, True, True, t.unit)
    return Threshold(t.low, math.inf, True, True, t.unit)


def _numbers(ours: Proposition, theirs: Proposition, ruled: frozenset[str]) -> Order:
    """Numbers outside of thresholds: a market with another one is another market."""
    q = {t for t in ours.terms if is_number(t) and not is_year(t)}
    m = {t for t in theirs.terms if is_number(t) and not is_year(t)}
    if len(q) == len(m) == 1 and ours.terms & theirs.terms & _BY_STRENGTH:
        strength, other = float(*q), float(*m)
        if max(strength, other) <= _STRONGEST and strength != other:
            return "implies" if strength > other else "implied"
    if not q and m and "bps" in theirs.terms:
        return "implied"  # a cut of 25 basis points is a cut
    if {t for t in q if len(t) > 3} - m - ruled:
        return "differs"  # a level that the market says nothing of
    return "differs" if q and m and not q & m else "unsaid"


_BY_STRENGTH: Final = frozenset(terms("earthquake hurricane tornado geomagnetic"))
"""Of these the number tells the strength, which is met by any stronger one."""
_STRONGEST: Final = 10.0


def _told(t: Threshold, p: Proposition, ruled: frozenset[str]) -> bool:
    """Whether the other says the number too, in its words or (but for small ones) its rules."""
    numbers = {x for x in (t.low, t.high) if not math.isinf(x)}
    return any(
        f"{x:g}" in p.terms or _WORDED.get(x, "") in p.terms or _FORTUNES.get(x, "") in p.terms
        or (f"{x:g}" in ruled and (x != int(x) or x > 20)) for x in numbers
    )  # fmt: skip


_WORDED: Final = {
    float(n): term(word)
    for n, word in enumerate("two three four five six seven eight nine ten".split(), 2)
}
_FORTUNES: Final = {1e9: term("billionaire"), 1e12: term("trillionaire")}


def compare_ranges(q: Threshold, m: Threshold) -> Order:
    """How the question's range stands to the market's."""
    low, high = _close(q.low, m.low), _close(q.high, m.high)
    if low and high:
        return "same"
    if (math.isinf(q.high) and math.isinf(m.low) and _close(q.low, m.high)) or (
        math.isinf(q.low) and math.isinf(m.high) and _close(q.high, m.low)
    ):
        return "opposite"
    if (low or q.low >= m.low) and (high or q.high <= m.high):
        return "implies"
    if (low or q.low <= m.low) and (high or q.high >= m.high):
        return "implied"
    if q.low > m.high or m.low > q.high:
        return "excludes"
    return "differs"


def _close(a: float, b: float) -> bool:
    return a == b or (not math.isinf(a) and not math.isinf(b)
                      and abs(a - b) <= _TICK * max(abs(a), abs(b)))  # fmt: skip


_TICK: Final = 1e-5
"""Share of a level by which two ways of writing it may differ: "below 6,800" and "6,799.99"."""


def _stage(ours: Proposition, theirs: Proposition) -> Order:
    """How far a contestant has to come: places, stages, nominations."""
    q, m = _reach(ours), _reach(theirs)
    if q is None or m is None:
        return "unsaid"
    kind_q, far_q = q
    kind_m, far_m = m
    if kind_q == kind_m == "place" and ours.threshold and theirs.threshold:
        return compare_ranges(ours.threshold, theirs.threshold)
    if {kind_q, kind_m} == {"place", "win"}:
        place = ours.threshold if kind_q == "place" else theirs.threshold
        if place is None or place.low > 1:
            return "excludes"
        if place.high == 1:
            return "same"
        return "implies" if kind_q == "win" else "implied"
    if kind_q == kind_m and kind_q in ("win", "nominee", "shortlist"):
        return "same"
    if {kind_q, kind_m} <= {"stage", "win"}:
        if far_q == far_m:
            return "same"
        return "implies" if far_q > far_m else "implied"
    if {kind_q, kind_m} == {"shortlist", "win"}:
        return "implies" if kind_q == "win" else "implied"
    if {kind_q, kind_m} == {"nominee", "win"}:
        return "implies" if kind_q == "win" else "implied"
    return "differs"


def _reach(p: Proposition) -> tuple[str, int] | None:
    match p.predicate:
        case "wins":
            return "win", STAGES["wins"]
        case "nominated":
            return "nominee", 0
        case "shortlisted":
            return "shortlist", 0
        case "advances":
            return "stage", STAGES.get(p.stage or "", 0)
        case "ranks":
            return "place", 0
    return None


def _other_contest(q: View, m: View) -> bool:
    """Whether what is won is told apart: a division's title is not the league's."""
    ours, theirs = q.proposition.contest, m.proposition.contest
    return bool(
        ours and theirs and _share(theirs, q.covers, m) < 0.4 and _share(ours, m.covers, q) < 0.4
    )


_LEAGUE_TITLES: Final = frozenset(terms("nba finals; super bowl; world series; stanley cup"))
_HALF_TITLES: Final = frozenset({"confer", "afc", "nfc", "pennant", "eastern", "western"})


def _titles(q: View, m: View) -> Order:
    """A league's champion has won its half of the league."""
    ours, theirs = q.proposition.contest, m.proposition.contest
    if ours & _LEAGUE_TITLES and theirs & _HALF_TITLES:
        return "implies"
    if theirs & _LEAGUE_TITLES and ours & _HALF_TITLES:
        return "implied"
    return "differs"


_DISTRICT: Final = re.compile(r"cd[a-z]{2}(?:\d{1,2}|al)")


def _course(ours: frozenset[str], theirs: frozenset[str]) -> bool:
    """Whether one goes up, or down, or stays, and the other goes otherwise: never both."""
    q = {side for side in ours if side.startswith("course")}
    m = {side for side in theirs if side.startswith("course")}
    return bool(q and m) and q != m


def _districts(of: View) -> frozenset[str]:
    return frozenset(t for t in of.weights if _DISTRICT.fullmatch(t))


def _is_rival(q: View, m: View, choice: Order, stage: Order, edition: Order) -> bool:
    ours = q.proposition.contest - q.subject
    theirs = m.proposition.contest - m.subject
    unique = m.proposition.exclusive or m.unique
    return bool(
        choice == "excludes" and stage in ("same", "unsaid") and edition != "differs"
        and ours and theirs and not q.proposition.indefinite and unique
        and _share(ours, m.covers, q) >= 0.6 and _share(theirs, q.covers, m) >= 0.6
        and not _unsaid(theirs, m, q)
    )  # fmt: skip


def _unsaid(of: frozenset[str], v: View, by: View) -> bool:
    """Whether a telling word of one contest is not said by the other: another seat, or award."""
    return any(v.weights.get(t, 0.0) >= TELLING and not names(t, by) and t not in by.context
               for t in of)  # fmt: skip


TELLING: Final = 0.8


def _choice(q: View, m: View) -> Order:
    """Whether both are about the same contender."""
    theirs = _telling(m.proposition.choice, m)
    if not theirs:
        if q.proposition.indefinite:
            return "unsaid"
        ours = _telling(q.proposition.choice, q)
        known = not ours or any(names(t, m) or t in m.context for t in ours)
        return "unsaid" if known else "differs"
    share = _share(theirs, q.covers, m)
    if share >= 0.5 and (m.last is None or names(m.last, q)):
        return "same"
    if share >= 0.4 and m.last is not None and names(m.last, q):
        return "same"
    if share >= 0.5 and _telling(q.proposition.choice, q) <= m.covers:
        return "same"
    ours = _telling(q.proposition.choice, q)
    if (not ours and theirs & q.covers) or (ours and _share(ours, m.covers, q) >= 0.5):
        return "unsaid"
    exclusive = m.proposition.exclusive and q.proposition.predicate == m.proposition.predicate
    return "excludes" if exclusive and ours else "differs"


def _other_subject(q: View, m: View) -> bool:
    """Whether each is asked of somebody of whom the other says nothing."""
    return bool(
        q.subject and m.subject
        and not any(names(t, m) for t in q.subject) and not any(names(t, q) for t in m.subject)
    )  # fmt: skip


def _telling(choice: frozenset[str], of: View) -> frozenset[str]:
    """The terms of a choice that name it."""
    named = frozenset(t for t in choice if t in of.names)
    return named or choice


def _share(terms_: frozenset[str], covers: frozenset[str], of: View) -> float:
    total = sum(of.weights.get(t, 0.1) for t in terms_)
    return sum(of.weights.get(t, 0.1) for t in terms_ if t in covers) / total if total else 0.0


def _edition(ours: Proposition, theirs: Proposition, closes: date | None) -> Order:
    q, m = ours.edition, theirs.edition
    if q is None:
        return "unsaid"
    if m is not None:
        return "same" if q == m else "differs"
    if closes is None:
        return "unsaid"
    return "unsaid" if abs(closes.year - q) <= 1 else "differs"
