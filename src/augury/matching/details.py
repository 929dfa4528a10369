"""Details in which two questions can differ although nearly all their words are the same: how long
after an event, which title of a league, which statistic, which of several people with the same last
name. Pure.

If a market differs from the question only in such a detail, the judge (the trained model) may
wrongly find that the two ask the same. The rules of this module find the difference.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise
from typing import Final

from augury.language import numerals, vocabulary
from augury.language.vocabulary import words

_AFTER: Final = re.compile(
    rf"\b(?:(?P<count>\d{{1,3}}|twenty-four|{numerals.COUNT}|an?)\s+|the\s+|(?P<dashed>\d+)-)?(?P<unit>hour|day|week|month|year)s?\s+"
    r"(?:after|post|following)\b",
    re.I,
)
"""Matches words that say how long after an event something happens: "one week after", "the day
after"."""
_HOURS: Final = {"hour": 1, "day": 24, "week": 168, "month": 720, "year": 8760}
"""Unit -> its length in hours; months and years have about this many."""
_LONGER: Final = 7 * 24
"""Smallest time after a launch, in hours, at which a question is no longer about the launch
itself."""
_DEBUTS: Final = re.compile(r"\b(?:launch|ipo|debut|tge|airdrop)", re.I)
"""Matches words for the launch of a coin or share ("launch", "ipo", "airdrop"). Markets on new
coins and shares name a time counted from this launch: "one day after launch"."""
_AFTER_DEBUT: Final = re.compile(
    rf"\b(?:after|post|following)\s+(?:its\s+|the\s+)?{_DEBUTS.pattern}\b", re.I
)

_LEVELS: Final = {
    "division": re.compile(
        r"\b(?:[an]fc|[an]l|(?:american|national)(?: league)?)\s+"
        r"(?:north|south|east|west|central)\b|\bdivision\b",
        re.I,
    ),
    "conference": re.compile(
        r"\b[an]fc\b(?!\s+(?:north|south|east|west))|\b(?:eastern|western)\s+conference\b|\bpennant\b"
        r"|\b(?:[an]l|(?:american|national)\s+league)\s+(?:champ|pennant)",
        re.I,
    ),
    "league": re.compile(
        r"\bsuper\s*bowl\b|\bworld\s+series\b|\bstanley\s+cup\b|\bnba\s+(?:champ|title|finals?)"
        r"|\b(?:nfl|pro\s+football|pro\s+basketball|pro\s+hockey|pro\s+baseball)\s+(?:league\s+)?champ",
        re.I,
    ),
}
"""Which of a league's titles a text is about -> pattern of the words for it: a division's ("NFC
North"), a conference's ("NFC champions"), or the league's own ("Super Bowl")."""

_REACHES: Final = re.compile(
    r"\bfinals?\b|\b(?:in|to|for|at|makes?|miss\w*|reach\w*|plays?|playing)\s+(?:the\s+)?(?:20\d\d\s+)?"
    r"(?:super\s*bowl|world\s+series|stanley\s+cup)|\bteams\b|\bpennant\b",
    re.I,
)
"""Matches words for reaching a league's final ("in the Super Bowl"). Whoever wins a conference
reaches the final."""

_IN_FINAL: Final = re.compile(
    r"\b(?:in|into|reach(?:es)?|makes?|to|for|miss(?:es)?)\s+(?:(?:the|this|year's|next|season's|20\d\d|nba|nhl|mlb|nfl|uefa|"
    r"stanley\s+cup|world\s+cup|champions\s+league|europa\s+league|euroleague)\s+){0,3}"
    r"(?:finals?(?!\s+(?:table|standings|20\d\d))|super\s*bowl|world\s+series)\b",
    re.I,
)
"""Matches words for taking part in a final ("in the NBA finals"), which is not winning it."""
_CHAMPION: Final = re.compile(r"\b(?:wins?|winner|champions?(?!\s+league))\b", re.I)
_BEFORE_FINAL: Final = re.compile(r"\b(?:conference|pennant|series|[an]fc|semi-?finals?)\b", re.I)
"""Matches words for what is won before a final: "conference"."""
_STATISTICS: Final = {
    "points": r"points\s+per\s+game|ppg|scoring\s+(?:leader|title)|in\s+scoring|points\s+leader",
    "three-pointers": r"three[\s-]pointers?|3[\s-]pointers?|threes",
    "rebounds": r"rebounds?|rebounding",
    "assists": r"assists?",
    "steals": r"(?:in|most|of)\s+steals|steals\s+(?:per|leader)",
    "aces": r"(?:hits?|serves?|more|most)\s+(?:the\s+)?(?:more\s+|most\s+)?aces",
    "touchdowns": r"touchdowns?|tds?",
    "yards": r"(?<!camden )yards?|yds?",
    "home runs": r"home\s?runs?|homers?|hrs?",
    "strikeouts": r"strikeouts?",
    "home wins": r"home\s+(?:wins|games|record)",
    "volume": r"trading\s+volume|volume",
    "worth": r"fdv|fully[\s-]diluted|market\s*cap\w*|valu(?:ed|ation)",
}
"""Quantity that a text may count -> pattern of the words for it. The key "worth" stands for the
total value of all shares of a company or all coins of a kind."""
_IMPLICIT: Final = frozenset({"worth", "volume", "points"})
"""Statistics of `_STATISTICS` that a title may leave out."""
_STATISTIC: Final = re.compile(
    "|".join(
        rf"(?P<{name.replace(' ', '_').replace('-', '_')}>\b(?:{pattern})\b)"
        for name, pattern in _STATISTICS.items()
    ),
    re.I,
)
_LEADS: Final = re.compile(r"\bleads?\b|\bleader\b|\bmost\b|\bper\s+game\b", re.I)
_GAME: Final = re.compile(r"\A[^:?]{3,60}\s(?:at|vs\.?)\s[^:?]{3,60}(?:\s(?:—|Winner)|\?|\Z)", re.I)
"""Matches the title of a market on who wins a game: "Utah at Texas"."""
_MARGIN: Final = re.compile(r"\b(?:by|within|than|keep\w*)\s+(?:\w+\s+){0,3}touchdowns?\b", re.I)
"""Matches a winning margin given in touchdowns: "by two touchdowns"."""
_AWARD: Final = re.compile(
    r"\b(?:oscars?|academy\s+awards?|grammys?|emmys?|tonys?|golden\s+globes?|baftas?|awards?|best\s+(?:picture|"
    r"director|(?:supporting\s+)?act(?:or|ress)|album|song|film))\b",
    re.I,
)
_GIVERS: Final = re.compile(
    r"\b(?:(?P<academy>oscars?|academy\s+awards?)|(?P<globes>golden\s+globes?)|(?P<emmys>emmys?)|"
    r"(?P<grammys>grammys?)|(?P<tonys>tonys?\s+awards?|tonys)|(?P<baftas>baftas?)|(?P<actors>sag\s+awards?|actor\s+awards?)|"
    r"(?P<critics>critics.?\s+choice))\b",
    re.I,
)
"""Matches the names of awards. Each group stands for one body that gives awards."""
_OILS: Final = re.compile(
    r"\b(?:(?P<brent>brent)|(?P<texas>wti|west\s+texas|crude\s+oil\s+\(cl\)))\b", re.I
)
_NOMINATION: Final = re.compile(
    r"\bprimar(?:y|ies)\b|\bnominat|\b(?:be|become|becomes|is|as)\s+(?:the\s+)?(?:\w+\s+)?nominee\b",
    re.I,
)
_PARTY_WINS: Final = re.compile(
    r"\bwhich\s+party\b|\b(?:republicans?|democrats?|democratic)\s+(?:party\s+)?wins?\b", re.I
)
"""Matches the title of a market that asks which party wins an election. Such a market says nothing
about who is nominated."""
_MOST: Final = re.compile(r"\bmost\s+(?:(?P<votes>votes)|(?:\w+\s+)?(?P<seats>seats))\b", re.I)
_NOMINATED: Final = re.compile(r"\b(?:nominat|nominee|nods?\b|shortlist|in\s+the\s+running)", re.I)
_WON: Final = re.compile(r"\b(?:wins?|winning|winner|won|takes?\s+home|goes\s+to)\b", re.I)
_WINS: Final = re.compile(
    rf"{_WON.pattern}|\b(?:champ\w*|los(?:e|es|ing|t)|beats?|defeats?|sweeps?|prevails?|takes?|lifts?|titles?|"
    r"trophy|mvp|victor\w*)\b",
    re.I,
)
_WON_OR_LOST: Final = re.compile(
    rf"{_WON.pattern}|\b(?:los(?:e|es|ing|t)|takes?|beats?|ahead)\b", re.I
)
_ANNOUNCED: Final = re.compile(r"\bannounc|\btease", re.I)
_RELEASED: Final = re.compile(r"\breleas|\bdrops?\b|\bcomes?\s+out\b|\blaunch|\bships?\b", re.I)
_THAN_IN: Final = re.compile(
    r"\bthan\s+(?:it\s+was\s+)?(?:in\s+)?(?:fiscal\s+)?(?:year\s+)?(20\d\d)\b", re.I
)
"""Matches "than" and a year if the text compares something with that year: "smaller than in 2025".
The group is the year."""
_CAUSE: Final = re.compile(
    r"\w\s+(?:because\s+of|due\s+to\s+(?:the|an?|its|his|her|their)|thanks\s+to|as\s+a\s+result\s+of)\s"
    r"[^,.;!?]+\?*\s*\Z",
    re.I,
)
"""Matches a cause at the end of a question: "close because of the volcano?"."""
_OVER: Final = re.compile(r"\b(?:because|due|thanks|result|over|for|from|after)\b", re.I)
"""Matches words by which a title may name a cause: "jailed over the files"."""
_RACE: Final = re.compile(
    r"\bbefore\s+(?:(?:it|he|she|they)\s+)?(?:gets?\s+to|reach(?:es|ing)?|hits?|hitting|falls?|falling|drops?|"
    r"dropping)\s+(?:to\s+|below\s+)?\$?\d",
    re.I,
)
"""Matches the start of the second of two levels in "dip to $2,000 before it gets to $3,000"."""
_FIRST: Final = re.compile(r"\b(?:before|first|sooner)\b", re.I)
_SHORT: Final = (
    "william will bill billy liam", "robert rob bob bobby bert", "richard rich rick dick ricky",
    "james jim jimmy jamie jd", "john jack johnny jon jonathan", "edward ed ted eddie ned",
    "elizabeth liz beth betsy lisa eliza", "margaret maggie meg peggy", "michael mike mick mikey",
    "katherine kate kathy cathy kat", "joseph joe joey jo", "charles charlie chuck",
    "alexander alex sasha xander lex", "nicholas nick nico", "anthony tony", "andrew andy drew",
    "thomas tom tommy", "daniel dan danny", "matthew matt", "christopher chris kit topher",
    "steven stephen steve", "theodore ted theo teddy", "francis frank fran", "henry hank harry",
    "lawrence larry", "patrick pat paddy", "ronald ron ronnie", "donald don donnie", "gregory greg",
    "samuel sam sammy", "benjamin ben benny", "jeffrey jeff geoff", "kenneth ken kenny",
    "raymond ray", "timothy tim", "vincent vince vinny", "zachary zach zack", "philip phil",
    "peter pete", "david dave", "eugene gene", "gerald jerry gerry", "harold hal", "louis lou",
    "susan sue", "deborah deb debbie", "patricia pat patty trish", "rebecca becky", "jerome jay",
    "jennifer jen jenny", "victoria vicky tori", "juan jp", "alexandria alex aoc", "vladimir vlad",
    "mohammed mo mohamed muhammad",
)  # fmt: skip
_SHORT_FORMS: Final = tuple(frozenset(one.split()) for one in _SHORT)
"""First names that may be the same person's: "William", "Bill"."""

_ORDINARY: Final = frozenset(
    "will may mark grant art chase rob pat bill sue chance hope faith grace joy april june august"
    " drew can do does did has is are was dean major king prince duke earl miles case page guy"
    " frank rich the la de del van von el al saint st new san los mr mrs ms dr sir lady lord"
    " president senator sheriff german kid queen ayatollah dakota governor judge justice coach"
    " young old big little miss don in on or an as at so my no all".split()
)
"""Words that are not taken for first names, because they are also ordinary words, titles or other
parts of names: "Will" in "Will Thompson lead"."""


def ask_otherwise(title: str, question: str) -> bool:
    """Whether a market's title and a question are about the same people and things, but differ in
    what they ask, such as a nomination and the award. The differences for which `are_of_others`
    looks are not checked here."""
    return (
        _of_another_title(title, question)
        or _of_another_stage(title, question)
        or (_CAUSE.search(question) is not None and _OVER.search(title) is None)
        or (_RACE.search(question) is not None and _FIRST.search(title) is None)
    )


def are_of_others(title: str, question: str) -> bool:
    """Whether a market's title and a question differ in a detail that makes them separate
    questions, so that the answer to one says nothing about the other: they are about different
    persons, or about different lengths of time after an event."""
    return (
        _differ_in(_GIVERS, title, question)
        or _differ_in(_OILS, title, question)
        or _differ_in(_MOST, title, question)
        or _at_another_time(title, question)
        or _of_another_statistic(title, question)
        or _is_compared_with_another_year(title, question)
        or _of_a_namesake(title, question)
        or (
            _NOMINATION.search(question) is not None
            and _PARTY_WINS.search(title) is not None
            and _NOMINATION.search(title) is None
        )
    )


def _differ_in(pattern: re.Pattern[str], title: str, question: str) -> bool:
    """Whether the two texts name different things. Each group of `pattern` matches the names of one
    thing. False if a text names none of the things, or if both name the same one."""
    ours, theirs = _named(pattern, question), _named(pattern, title)
    return bool(ours and theirs) and not ours & theirs


def _named(pattern: re.Pattern[str], text: str) -> frozenset[str]:
    return frozenset(str(match.lastgroup) for match in pattern.finditer(text))


def _at_another_time(title: str, question: str) -> bool:
    """Whether the texts ask about different times after an event, e.g. one about a day after a
    launch and the other about a week after it. If the title is about a launch and names no such
    time, it differs from a question about a week or more after a launch."""
    ours, theirs = _times(question), _times(title)
    if theirs:
        return bool(ours) and not ours & theirs
    late = any(hours >= _LONGER for hours in ours) and _AFTER_DEBUT.search(question) is not None
    return late and _DEBUTS.search(title) is not None


def _times(text: str) -> frozenset[int]:
    """The times after an event that a text names, in hours: "a day after the launch" -> 24."""
    return frozenset(
        _count(m["count"] or m["dashed"]) * _HOURS[m["unit"].lower()] for m in _AFTER.finditer(text)
    )


def _count(text: str | None) -> int:
    return 1 if text is None or text.lower() in ("a", "an") else numerals.compound(text)


def _of_another_title(title: str, question: str) -> bool:
    ours, theirs = (
        {name for name, pattern in _LEVELS.items() if pattern.search(text)}
        for text in (question, title)
    )
    if theirs == {"conference"} and _REACHES.search(question):
        return False
    if ours == {"conference"} and _REACHES.search(title):
        return False
    if _IN_FINAL.search(question) and not _WINS.search(question):
        return _is_on_champion(title) and _IN_FINAL.search(title) is None
    return bool(ours and theirs) and not ours & theirs


def _is_on_champion(title: str) -> bool:
    """Whether a title is on winning a whole contest, and not on winning something before its final,
    e.g. a conference of the league or a semifinal."""
    won = list(_CHAMPION.finditer(title))
    return bool(won) and _BEFORE_FINAL.search(title, won[-1].end()) is None


def _of_another_statistic(title: str, question: str) -> bool:
    """Whether the texts name different statistics, or the question names one, such as assists, and
    the title asks who leads in something else."""
    ours, theirs = _named(_STATISTIC, question), _named(_STATISTIC, title)
    if _MARGIN.search(question):
        ours -= {"touchdowns"}
    is_bare = _LEADS.search(title) is not None or _GAME.search(title) is not None
    named = theirs or (ours - _IMPLICIT if is_bare else frozenset())
    return bool(ours) and not ours & theirs and bool(named)


def _of_another_stage(title: str, question: str) -> bool:
    """Whether one text asks about a nomination for an award and the other about the award, or one
    about an announcement and the other about the thing itself."""
    if _AWARD.search(title):
        nominated = _NOMINATED.search(title) is not None
        if nominated and _WON.search(question) and not _NOMINATED.search(question):
            return True
        if not nominated and _WON.search(title) and _NOMINATED.search(question):
            return _WON_OR_LOST.search(question) is None
    return (
        _ANNOUNCED.search(question) is not None
        and _RELEASED.search(question) is None
        and _RELEASED.search(title) is not None
        and _ANNOUNCED.search(title) is None
    )


def _is_compared_with_another_year(title: str, question: str) -> bool:
    ours, theirs = _THAN_IN.search(question), _THAN_IN.search(title)
    return ours is not None and theirs is not None and ours[1] != theirs[1]


def _of_a_namesake(title: str, question: str) -> bool:
    """Whether the title and the question name different people of the same last name: the title
    "Ausar Thompson", the question "Amen Thompson". False if the question also has the first name
    from the title."""
    asked = [one.folded for one in words(question)]
    named = words(title)
    theirs = {one.folded for one in named}
    for first, last in pairwise(named):
        is_name = first.capital and last.capital and title[first.end : last.start] == " "
        if not is_name or first.folded not in _first_names() or first.folded in asked:
            continue
        before = {asked[n - 1] for n, word in enumerate(asked) if word == last.folded and n}
        if (
            before and before <= _first_names() - theirs and last.folded.isalpha()
            and not any(_may_be_one(first.folded, other) for other in before)
        ):  # fmt: skip
            return True
    return False


def _may_be_one(one: str, other: str) -> bool:
    return one[:3] == other[:3] or any(one in form and other in form for form in _SHORT_FORMS)


@cache
def _first_names() -> frozenset[str]:
    """The first names of the people in the vocabulary, folded, without those that are also ordinary
    words."""
    people = (e.name for e in vocabulary.default().entities if e.kind == "person")
    names = [[word.folded for word in words(name)] for name in people]
    return frozenset(one[0] for one in names if len(one) > 1 and len(one[0]) > 2) - _ORDINARY
