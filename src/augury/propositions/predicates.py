"""Reads which predicate a text asserts (somebody wins, leaves, reaches a stage ...), and which
words name the contender. Pure."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from augury.language import numerals
from augury.propositions.ahead import Ahead
from augury.propositions.blanked_text import BlankedText, blanked
from augury.propositions.games import names_two_sides
from augury.propositions.proposition import Predicate, Threshold, WordsRead

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
    r"\b(?:in\s+(?:the\s+)?|the\s+|among\s+the\s+)?top\s?-?(?P<top>(?:\d{1,2}|"
    r"(?<=the\stop\s)\d{3})(?![\d,.]*\d|\s?(?:%|percent|per\s+cent|[kmb]\b|thousand|million|billion|"
    rf"trillion|dollars|degrees|points|°))|{numerals.COUNT})\b"
    r"|(?:\bfinish(?:es)?\s+(?:in\s+)?|\bplaces?\s+|\bcomes?\s+(?:in\s+)?|\bbe\s+)(?:the\s+)?"
    rf"(?P<nth>{numerals.ORDINAL}|last|\d{{1,2}}(?:st|nd|rd|th))\b(?:\s+place)?"
    r"(?:\s+or\s+(?:(?P<better>better|higher)|(?P<worse>worse|lower|below)))?(?!\s+(?:person|woman|man|time|quarter|half|country|"
    r"state|team\s+to|to|\w+\s+to)\b)"
    rf"|\b(?P<pick>{numerals.ORDINAL}|\d{{1,2}}(?:st|nd|rd|th))\s+(?:overall(?:\s+(?:pick|selection))?|pick|selection)\b"
    r"|(?<!\w)#\s?(?P<hash>\d{1,2})\b|\b(?:no\.|number)\s?(?P<number>\d{1,2}|one|two)\b(?!\s+of)",
    re.I,
)
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
        (
            "final",
            r"grand\s+finals?|finals?|championship\s+game|title\s+game|super\s*bowl|world\s+series",
        ),
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
_STILL_IN: Final = Ahead(
    r"\b(?:still\s+be|remain(?:s)?|stay(?:s)?(?:\s+on)?|continue(?:s)?)\s+(?:as\s+|in\s+(?=office))?",
    r"\b(?:office|ceo|president|minister|chair\w*|chancellor|leader|speaker|"
    r"coach|manager|governor|mayor|secretary|director|pope|king|head|pm|premier)\b",
    r"[^\w' ]",
)
_LOSE: Final = re.compile(
    r"\b(?:los(?:e|es|ing)|lost)\b(?!\s+(?:to|by|more|less|fewer|another|some|any|half|most|all|nearly|"
    r"about|exactly|seats|votes|money|jobs|ground|support|points|weight|value|"
    rf"{numerals.COUNT})\b|\s+[$€£]?\d)",
    re.I,
)
"""Matches "lose" unless an amount follows: whoever loses does not win, but a party that loses 20
seats may still win."""
_LOSE_AMOUNT: Final = re.compile(r"\b(?:los(?:e|es|ing)|lost)\s*\x1f", re.I)
"""Matches "lose" right before an amount that has been read and replaced by the filler character
0x1F, as in "lose 20 seats"."""
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
_BE: Final = re.compile(r"\s+(?:be|become|becomes)\s+")
_OPEN_PRIMARY: Final = re.compile(r"\b(?:california|washington|alaska|louisiana|open|top)\b", re.I)
"""Matches words which show that a primary is open to all parties ("top-two", "California"). Two
candidates of one party can then go on to the election, so winning the primary does not mean being
the party's nominee."""


class PredicateReading(NamedTuple):
    """The predicate that a text asserts (`wins`, `leaves` ...), and the details that are read in
    the same step: the contender, the stage, whether the predicate is denied ..."""

    predicate: Predicate = "happens"
    threshold: Threshold | None = None
    """The range of values that the text names; for the predicate `ranks`, the range of ranks in the
    contest. A denial does not change the range: it is "above 5" for "not above 5". None if the text
    names none."""
    choice: str = ""
    """The words that name a contender, if the text says that a contender wins, is nominated,
    reaches a stage or has a rank; else empty."""
    stage: str | None = None
    """The stage of a contest that is reached: "playoffs" or a key of `wording.STAGES`
    ("semifinal"); None if the text is about no stage."""
    fixture: bool = False
    """Whether the text is about one game between two sides."""
    denied: bool = False
    """Whether the text asserts that the predicate is not true: "remains in office" denies `leaves`,
    "loses" denies `wins`."""
    never_in_window: bool = False
    """Whether the text says that the predicate becomes true at no time in the window: "remains in
    office" rules out `leaves` for the whole window."""


def read_predicate(
    text: BlankedText,
    threshold: Threshold | None,
    *,
    label: str | None,
    up_or_down: bool,
    may_deny: bool,
) -> PredicateReading:
    """Read the predicate (`wins`, `leaves` ...) that the text asserts, and replace its words by the
    filler character 0x1F.

    Parameters
    ----------
    threshold
        The quantity that was read from the text, if any.
    label
        Label of the asserted outcome, if it names a contender; None for Yes, No and the like.
    up_or_down
        Whether the market's outcomes are Up and Down.
    may_deny
        Whether the text has words that can deny (`Negations.may_deny`).
    """
    found = _stated(text, threshold, up_or_down=up_or_down, may_deny=may_deny)
    if found.predicate == "happens" and text.cut(_ANNOUNCE, "predicate"):
        found = found._replace(predicate="announces")
    if found.predicate not in ("happens", "wins"):
        return found
    if label is not None:
        found = found._replace(predicate="wins", choice=label)
    if found.threshold is None and names_two_sides(text):
        return found._replace(fixture=True, predicate="wins" if text.side else found.predicate)
    if found.threshold is not None and _LOSE_AMOUNT.search(text.about):
        return found
    if text.cut(_LOSE, "polarity"):
        return found._replace(predicate="wins", denied=True)
    return found


def _stated(
    text: BlankedText, threshold: Threshold | None, *, up_or_down: bool, may_deny: bool
) -> PredicateReading:
    if up_or_down or _UP_DOWN.search(text.raw):
        text.cut(_UP_DOWN, "predicate")
        return PredicateReading("rises", threshold)
    if text.cut(_SAY, "predicate"):
        return PredicateReading("says", threshold)
    if may_deny and text.cut(_STILL_IN, "polarity"):
        return PredicateReading("leaves", threshold, denied=True, never_in_window=True)
    if _LEAVE.search(f"{text.about} {text.side}"):
        text.cut(_LEAVE, "predicate")
        return PredicateReading("leaves", threshold)
    if threshold is None:
        return _advance(text, None) or _contest(text)
    advance = _advance(text, threshold) if _STAGE.search(text.raw) else None
    return advance or PredicateReading(threshold=threshold)


def _advance(text: BlankedText, threshold: Threshold | None) -> PredicateReading | None:
    found = _STAGE.search(text.about)
    stage = _stage(found["what"] or "") if found else None
    if found is None or stage is None:
        return None
    before = text.about[: found.start()]
    text.read.append(WordsRead("stage", " ".join(found[0].replace("\x1f", " ").split())))
    text.about = f"{before} {found['what']}"
    return PredicateReading("advances", threshold, _subject(before), stage)


def _contest(text: BlankedText) -> PredicateReading:
    """Read the predicate (`wins`, `nominated` ...) of a text that is about a contest and names no
    quantity; `happens` if the text asserts none of these."""
    if (found := _SHORTLIST.search(text.about)) and not _OF_PARTY.search(text.about):
        choice = _subject(text.about[: found.start()])
        text.cut(_SHORTLIST, "predicate")
        return PredicateReading("shortlisted", choice=choice)
    if _WIN.search(text.about):
        text.cut(_AS_NOMINEE, "choice")
    for read in (_nominated, _won_primary, _ranked, _won):
        if (reading := read(text)) is not None:
            return reading
    return PredicateReading()


def _nominated(text: BlankedText) -> PredicateReading | None:
    about = text.about
    found = _NOMINEE.search(about)
    if found is None or not _PARTY.search(about):
        return None
    start = found.start()
    if won := _WIN.search(about):
        start = min(start, won.start())
        text.cut(_WIN, "predicate")
    choice = _agent(about) or _subject(re.split(r"\b(?:be|become|win)\b", about[:start])[0])
    if nominates := _NOMINATES.search(about):
        choice = nominates["who"]
    text.cut(_NOMINEE, "predicate")
    text.cut(_PRIMARY, "predicate")
    return PredicateReading("nominated", choice=choice)


def _won_primary(text: BlankedText) -> PredicateReading | None:
    about = text.about
    won = _WIN.search(about)
    if won is None or not _PRIMARY.search(about) or not _PARTY.search(about):
        return None
    choice = _agent(about) or _subject(about[: won.start()])
    text.cut(_WIN, "predicate")
    if _OPEN_PRIMARY.search(about):
        return PredicateReading("wins", choice=choice)
    text.cut(_PRIMARY, "predicate")
    return PredicateReading("nominated", choice=choice)


def _ranked(text: BlankedText) -> PredicateReading | None:
    about = text.about
    found = _RANK.search(about)
    ranks = _ranks(found) if found else None
    if found is None or ranks is None:
        return None
    text.about = blanked(about, found.span())
    text.read.append(WordsRead("threshold", " ".join(found[0].split())))
    return PredicateReading("ranks", ranks, _subject(about[: found.start()]))


def _won(text: BlankedText) -> PredicateReading | None:
    about = text.about
    found = _WIN.search(about) or _TAKE.search(about)
    if found is None:
        return None
    choice = _agent(about) or _subject(about[: found.start()])
    while text.cut(_WIN, "predicate"):
        pass
    text.cut(_TAKE, "predicate")
    return PredicateReading("wins", choice=choice)


def _agent(about: str) -> str:
    """The words after the verb that name the winner: "X" in "won by X" and "go to X"; empty if
    there are none."""
    found = _BY_WHOM.search(about + "?")
    return (found["by"] or found["to"]) if found else ""


def _subject(before: str) -> str:
    """The words before the verb that name the contender: "X" in "Will X win ..."; empty if there
    are none.

    before : the text before the verb
    """
    found = _CHOICE.search(before.rstrip() + " ")
    if found is None:
        found = _CHOICE.search(before.strip())
    who = _BE.split(found["choice"])[0] if found else ""
    return "" if re.match(r"(?:who|which|what|there)\b", who, re.I) else who


def _stage(what: str) -> str | None:
    for name, pattern in _STAGES:
        if pattern.search(what):
            return name
    return None


def _ranks(found: re.Match[str]) -> Threshold | None:
    """The range of ranks that a match of `_RANK` names: 1 to 3 for "top 3". None for "last"."""
    if found["top"]:
        return Threshold(1, numerals.rank(found["top"]))
    number = found["nth"] or found["pick"] or found["hash"] or found["number"]
    rank = numerals.rank(number)
    if not rank:  # "last"
        return None
    if found["worse"]:
        return Threshold(rank)
    return Threshold(1 if found["better"] else rank, rank)
