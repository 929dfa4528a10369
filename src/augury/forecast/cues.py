"""Reads from a text the details that its `Proposition` (the parts of what it asserts) does not
hold: names, finishing places, modifiers ("next", "annual" ...). Pure."""

from __future__ import annotations

import re
from datetime import date
from typing import Final

from augury.caches import cached
from augury.forecast.names import associated_terms, nicknames
from augury.forecast.polarity import turns
from augury.forecast.view import Words
from augury.propositions.proposition import CONTESTS, Proposition
from augury.propositions.wording import STAYS, canonical, districts
from augury.search.text import is_month, is_number, is_year, terms


def read(
    proposition: Proposition, text: str, *, context: str = "", closes: date | None = None
) -> Words:
    """Read everything in a text that is later compared with another text: its proposition (what it
    asserts), names, finishing places, modifiers ... Only the weights of its terms are missing;
    `view.view` adds them.

    text : the question or title as written, with its capitals
    context : other texts of a market (event name, rules); empty for a question
    closes : day on which the market closes; None for a question
    """
    # A capitalized word is a name even if it says little otherwise: "TIME's Person of the Year".
    names = frozenset(t for t in _names(text) if not is_number(t) and not is_month(t)) - _LEVELS
    if proposition.stage is not None:
        names -= _STAGES  # the stage is compared separately
    found = canonical(proposition.terms | names)
    names &= found
    every = frozenset(terms(text)) | found
    plain = _RELATIVE.sub(" ", text)
    return Words(
        proposition=proposition,
        content=found,
        names=names,
        covers=found | associated_terms(every),
        context=frozenset(terms(context[:1500])) if context else frozenset(),
        closes=closes,
        persistence=_persistence(proposition, plain),
        subject=_subject(text),
        unique=_UNIQUE.search(text) is not None,
        places=_places(text),
        modifiers=frozenset(name for name, pattern in _MODIFIERS.items() if pattern.search(text)),
        still=proposition.predicate == "happens" and _STILL.search(text) is not None,
        polar_results=(sides := _polar_results(proposition, text)),
        against=frozenset(side[:-1] + ("-" if side[-1] == "+" else "+") for side in sides),
        turns=turns(_after_negation(proposition, plain)),
        last=_last(proposition),
        name_terms=_name_terms(text),
        group=named["group"].casefold() if (named := _GROUP.search(text)) else "",
        initials=_initials(text),
        short=frozenset(s.casefold() for s in _SHORT.findall(text)),
        nicknames=nicknames(every),
        second=_second(text),
        enters=proposition.predicate not in CONTESTS - {"wins"}
        and _ENTERS.search(text) is not None,
        extreme=_extreme(proposition, text),
        sounds=frozenset(filter(None, map(sound, names))),
    )


_LEVELS: Final = frozenset(terms("above below over under between exactly"))
"""Words that stand before a market's level ("Above 200,000"). Titles may write them with a capital,
but they are not names."""
_STAGES: Final = frozenset(
    terms("semifinals quarterfinals finals playoffs knockout stage round last grand")
)
_RELATIVE: Final = re.compile(
    r"\b(?:what|whatever|which|that|who)\s+(?:(?:it|they|he|she|[\w'-]+)\s+)?(?:still\s+|currently\s+|now\s+)*"
    r"(?:holds?|controls?|keeps?|occup(?:y|ies)|remains?|has|have|is\s+left)\b(?:\s+of\b)?",
    re.I,
)
"""Matches the beginning of a clause that only describes a thing, as in "what it still holds of
Donetsk". Elsewhere, words such as "holds" say that something lasts, ends or is reversed. So the
match is removed before the text is searched for such words."""
_GROUP: Final = re.compile(r"\b[Gg]roup\s+(?P<group>[A-L])\b")


def _last(p: Proposition) -> str | None:
    """The term of the contender's name that comes last in the text, e.g. a surname. None if the
    name is a single term, or if the text has a class of contenders ("another party") instead of a
    name."""
    name = next((r.text for r in p.read if r.slot == "choice"), "")
    ordered = [t for t in terms(name) if t in p.choice]
    return ordered[-1] if len(ordered) > 1 and not p.indefinite else None


def _after_negation(p: Proposition, text: str) -> str:
    """The part of a text that follows its negation: "fail to name X" -> "name X". The whole text if
    it has no negation. An "or" may add a second way in which the event fails to happen. Then the
    "or" and all after it are left out: "fail to name X or name someone else" -> "name X"."""
    if p.positive:
        return text
    last = max((text.find(r.text) + len(r.text) for r in p.read if r.slot == "polarity"), default=0)
    rest = text[max(0, last) :]
    return _ANOTHER_WAY.split(rest)[0]


_ANOTHER_WAY: Final = re.compile(
    r",?\s+or\s+(?!more|less|higher|lower|later|fewer|better|worse)(?=[a-z])"
)
"""Matches the "or" before a second way in which something may fail to happen, as in "fail to name X
or name someone else"."""


_HIGHEST: Final = re.compile(r"\b(?:highs?|highest|maximum|max|hottest|warmest)\b", re.I)
_LOWEST: Final = re.compile(r"\b(?:lows?|lowest|minimum|min|coldest|coolest)\b", re.I)
_KEEPS: Final = r"\b(?:stay|remain|hold|keep)s?\s+(?:at\s+\d\S*(?:\s+degrees)?\s+or\s+"
_NEVER_BELOW: Final = re.compile(rf"{_KEEPS}(?:more|higher|above|warmer)|above|over)\b", re.I)
_NEVER_ABOVE: Final = re.compile(rf"{_KEEPS}(?:less|lower|below|colder)|below|under)\b", re.I)
WARMTH: Final = frozenset(terms("temperature"))


def _extreme(p: Proposition, text: str) -> int:
    if p.threshold is None or not (p.threshold.unit == "degrees" or p.terms & WARMTH):
        return 0
    if named := (_HIGHEST.search(text) is not None) - (_LOWEST.search(text) is not None):
        return named
    # "Stays above 50" is about the day's low, "stays below 70" about its high.
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
_HOLDS_OFFICE: Final = re.compile(
    r"\b(?:be|is|are)\s+(?:the\s+|an?\s+)?(?:[\w'-]+\s+){0,2}?(?:leader|president|premier|pm|ceo|"
    r"prime\s+minister|chancellor|head|chair\w*|speaker|governor|mayor|secretary|director|"
    r"coach|manager|pope|king|supreme\s+leader)\b(?!\s+(?-i:[A-Z]))"
    r"(?!.*\b(?:elect|nominee|next)\w*)", re.I,
)  # fmt: skip


def _persistence(p: Proposition, text: str) -> int:
    """1 if the text says that a state lasts ("remains"), -1 if it says that a state ends
    ("leaves"), 0 if it says neither. Always 0 for a proposition about a level or a contest."""
    if p.threshold is not None or p.predicate in ("wins", "nominated", "advances", "ranks"):
        return 0
    plain = _DATED_END.sub(lambda m: m[0] if m["before"] and not m["end"] else " ", text)
    if p.predicate == "leaves" or _ENDS.search(plain):
        return -1
    if _LASTS.search(plain) or _HOLDS_OFFICE.search(plain):
        return 1
    return 0


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
_ENTERS: Final = re.compile(
    r"\bqualif(?:y|ies|ied)\s+for\b|\b(?:make|get|go|reach|miss|play\s+(?:at|in)|be\s+(?:at|in)|appear\s+(?:at|in))(?:es|s)?\s+"
    r"(?:it\s+)?(?:out\s+on\s+)?(?:to\s+)?(?:the\s+)?(?:\w+\s+){0,3}?(?:World\s+Cup|Olympics|Euros?|Champions\s+League|Copa|tournament)\b(?!\s+(?:final|semi|quarter|knockout|group|title|trophy))",
    re.I,
)


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
"""Pairs of opposite results, e.g. approved and rejected: (name of the pair, pattern of one result,
pattern of the other). If question and market name the two results of one pair, they ask opposite
things (`View.polar_results` and `View.against`)."""
_NO_CHANGE: Final = re.compile(
    r"\bno\s+changes?\b|\bunchanged\b|\bhold\s+rates\b|\bstand\s+pat\b", re.I
)


def _polar_results(p: Proposition, text: str) -> frozenset[str]:
    level = p.threshold  # "a cut by 50 bps or more" names a direction, "above 50%" none
    if level.unit != "bps" and "bps" not in p.terms if level else p.predicate != "happens":
        return frozenset()
    found = ["course="] if _NO_CHANGE.search(text) else []
    for name, up, down in _OPPOSITES:
        if name == "course" and found:
            continue
        rises, sinks = up.search(text) is not None, down.search(text) is not None
        if rises != sinks:
            found.append(f"{name}{'+' if rises else '-'}")
    return frozenset(found)


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


@cached(8 << 20)
def sound(term: str) -> str:
    """First letter and consonants of a name, with similar letters merged, so that most ways of
    writing a foreign name in Latin letters agree: "zelensky" and "zelenskyy" -> "zlnsk". Empty for
    names of fewer than 6 letters and for results of fewer than 5: they are too short to tell names
    apart."""
    if len(term) < 6 or not term.isalpha():
        return ""
    folded = term[0] + re.sub(r"(.)\1+", r"\1", term[1:].translate(_FOLDED))
    return folded if len(folded) >= 5 else ""


_CAPITAL: Final = re.compile(
    r"(?<![.!?:]\s)(?<!^)(?<![\w'])[A-Z][\w.&'-]*"
    r"(?:\s+(?:of\s+(?:the\s+)?)?[A-Z0-9][\w.&'-]*)*"
)
"""Matches a name: one or more capitalized words in a row, as in "Bank of England". The first word
of a sentence is never matched, because it always has a capital."""
_ASIDE: Final = re.compile(r"\([^)]*\)|\[[^]]*\]")
_INITIALS: Final = re.compile(r"[A-Z.]{1,5}")


def _name_terms(text: str) -> tuple[frozenset[str], ...]:
    """For each name in the text ("Real Madrid"), the set of its terms (word stems). Names in
    brackets and initials (AI, NBA) are left out: they do not tell markets apart."""
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
