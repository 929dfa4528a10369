"""Questions that ask for several things at once: "both A and B", "A, B or C", "X wins and Y loses".
Pure.

Each thing becomes a question of its own. `joint` then combines the answers into one.
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime
from typing import Final

from augury.forecast import compound
from augury.forecast.compound import NAME, Connective, Parts
from augury.forecast.normalize import Reading, normalize
from augury.language import vocabulary

MAX_CHARS: Final = 240
"""Longest question, in characters, that is split into several. Longer ones tell a story around the
question, and the patterns would take too long on them. Chosen by hand."""
_AUXILIARY: Final = r"(?:will|would|does|do|did|is|are|was|can|could|has|have|should|might|gonna)"
_WORD: Final = r"[\w$#][\w.'’&$%-]*"
_ITEM: Final = rf"{_WORD}(?:\s{_WORD}){{0,4}}?"
_WHICH: Final = (
    r"(?:both(?:\s+of)?|either(?:\s+of)?|neither|(?:at\s+least\s+)?one\s+of|any\s+of|all\s+of)"
)
_AFTER_ITEM: Final = (
    r"(?:by|before|until|in|on|at|this|next|during|after|over|for|to|with|as|from|within|under|against|"
    r"tomorrow|tonight|today|sometime|ever|both|each|all|be|been|being|become|going|gonna|win|wins|"
    r"winning|won|make|makes|making|take|takes|taking|reach|reaches|reaching|finish|finishing|get|gets|"
    r"getting|lead|leads|leading|end|ends|hold|holds|own|owns|come|comes|coming|go|goes|announce|"
    r"announces|announcing|release|releases|releasing|leave|leaves|leaving|sign|signs|signing|join|"
    r"joins|joining|run|runs|running|play|plays|playing|say|says|saying|hit|hits|hitting|close|closes|"
    r"fall|falls|lose|loses|losing|buy|buys|buying|launch|launches|launching|is|are)"
)
_CHOICE: Final = re.compile(
    rf"^(?P<before>(?:[^,?]*?\s)?)(?P<which>{_WHICH})\s+(?:the\s+)?(?P<items>{_ITEM}(?:,\s+{_ITEM})*),?\s+"
    rf"(?P<joint>and|or|nor)\s+(?P<last>{_ITEM})(?P<after>(?:\s+{_AFTER_ITEM}\b[^?]*)?)$",
    re.I,
)
"""Matches a list after a word such as "both", "either" or "neither": "does she win both Wimbledon
and the US Open"."""
_LIST: Final = re.compile(
    rf"^(?P<before>(?:{_AUXILIARY}\s+)?)(?P<items>{_ITEM}(?:,\s+{_ITEM})+),?\s+(?P<joint>and|or)\s+"
    rf"(?P<last>{_ITEM})(?P<after>\s+{_AFTER_ITEM}\b[^?]*)$",
    re.I,
)
"""Matches a list of three or more names that share one verb: "Will Ada, Bela or Cora be the next
mayor"."""
_PAIR: Final = re.compile(
    rf"^(?P<before>(?:{_AUXILIARY}\s+)?)(?P<items>{_ITEM})\s+(?P<joint>and|or)\s+"
    rf"(?P<last>(?:the\s+)?{_ITEM})(?P<after>\s+{_AFTER_ITEM}\b[^?]*)$",
    re.I,
)
"""Matches a pair of names that share one verb: "trump or vance saying it", "the knicks and the nets
both win". It counts only if both names are in the vocabulary."""
_OBJECTS: Final = re.compile(
    rf"^(?P<before>.*?\b(?i:win(?:s|ning)?|carry|carries|captur(?:e|es|ing)|takes?|flips?|visits?|sweeps?)\s+)"
    rf"(?:the\s+)?(?P<items>{NAME})\s+(?P<joint>and)\s+(?P<last>{NAME})(?P<after>(?:\s+[a-z][^?]*)?)$"
)
"""Matches a pair of things that somebody wins or takes: "win Wimbledon and the US Open"."""
_VERB: Final = (
    r"(?:wins?|be|is|reach(?:es)?|hits?|passe?s?|cuts?|raises?|signs?|leaves?|resigns?|becomes?|"
    r"happens?|ends?|falls?|rises?|loses?|announces?|releases?|launch(?:es)?|closes?|gets?|makes?|takes?|"
    r"carr(?:y|ies)|goes?|runs?|beats?|finish(?:es)?|files?)"
)
_CLAUSES: Final = re.compile(
    rf"^(?P<lead>(?:{_AUXILIARY}\s+)?)(?P<who>{_ITEM})\s+(?P<first>{_VERB}\b[^?]*?),?\s+(?:and|but)\s+"
    rf"(?P<links>(?:also\s+|then\s+|to\s+)*)(?P<other>(?:(?:the\s+)?{_ITEM}\s+)?)(?P<second>{_VERB}\b[^?]*?)$",
    re.I,
)
"""Matches two statements joined by "and", on two subjects ("Will Ada win the vote and Bela leave")
or on one ("Will Ada win the vote and leave")."""
_TIME: Final = re.compile(
    r"\s(?:by|before|until|in|at|on|during|this|next|after)\s(?:the\s)?[\w\s,'’-]*$", re.I
)
_DENIES: Final = re.compile(r"\b(?:not|without|never|nor|neither)\b|n['’]t\b", re.I)
_APART: Final = re.compile(
    r"^\s+(?:both|each|all)\b|,?\s+(?:any|all|either|both|one)\s+of\s+(?:the\s+(?:two|three|four)|them)$",
    re.I,
)
"""Matches words that only say that a list's members are meant one by one: "any of the three"."""
_COMPARES: Final = re.compile(
    r"\bfirst\W*$|\b(?:bigger|better|higher|larger|longer|faster|smaller|worse)\b.*\bthan\s+[a-z]",
    re.I,
)
"""Matches a question about which of two comes first, or whether one is larger than another: "end up
with a bigger weekend than Dune". Such a question is not split into parts, because the answers to
the parts would not answer it."""
_RIVALS: Final = re.compile(rf"^(?:{_AUXILIARY}\s*)?$|\b(?:be|is|become|becomes)\s+$", re.I)
"""Matches the words before a list whose members share one verb or compete for one post. Examples:
"Will" before "A or B win"; "will the next mayor be" before "A or B". Of the lists that this module
reads, only such a list may have members that exclude each other."""


def parts(reading: Reading) -> Parts | None:
    """The questions that are asked as one, e.g. "Will A win?" and "Will B win?" for "Will either A
    or B win?". None for other questions.

    `compound.parts` recognizes the simple form with two names. The patterns of this module
    recognize other forms: longer lists ("A, B or C"), names without capital letters, two things
    that somebody wins or takes ("win Wimbledon and the US Open"), and two statements joined by
    "and" or "but"."""
    text = " ".join(reading.core.split()).strip(" ?.!\"'")
    found = compound.parts(reading.effective) or compound.parts(text)
    if found is None and len(text) <= MAX_CHARS:
        found = _chosen(text) or _listed(text) or _clauses(text) or _objects(text)
    if found is None or _COMPARES.search(text):
        return None
    if not reading.denied:
        return found
    return replace(found, denied=not found.denied)


def first_of(reading: Reading, at: datetime) -> Parts | None:
    """Split off the first of two things that a question asks for, if only this one can be asked
    alone. From "Will X be impeached and then convicted, all this year?" it takes "Will X be
    impeached this year?". A date that is named only after the second thing is added to the first.

    None if the question asks for one thing, or contains a negation: then the answer can be Yes
    although the first thing does not come true.
    """
    if reading.denied or _DENIES.search(reading.question):
        return None
    for text in (reading.normalized, reading.effective):
        act = compound.second_act(text)
        first = text[: text.rindex(act)].rpartition(" and ")[0].rstrip(" ,") if act else ""
        if act and first:
            window = reading.proposition.window
            if window.text and normalize(first, at).proposition.window.kind == "open":
                first += f" {window.text}"
            name = re.sub(rf"^{_AUXILIARY}\s+", "", first, flags=re.I)
            return Parts("both", (name, act), (f"{first}?",), rivals=False)
    return None


def _chosen(text: str) -> Parts | None:
    found = _CHOICE.match(text)
    if found is None:
        return None
    which, joint = found["which"].casefold(), found["joint"].casefold()
    connective: Connective = "either"
    if which.startswith(("both", "all")):
        if joint != "and":
            return None
        connective = "both"
    elif which == "neither":
        if joint == "and":
            return None
    elif which.startswith("either") and joint != "or":
        return None
    return _parts(found, connective, denied=which == "neither")


def _listed(text: str) -> Parts | None:
    found = _LIST.match(text)
    if found is None:
        pair = _PAIR.match(text)
        if pair is None or not (_is_name(pair["items"]) and _is_name(pair["last"])):
            return None
        return _together(pair)
    return _together(found)


def _together(found: re.Match[str]) -> Parts | None:
    """Split a question with a list of names before its verb into one question for each name: "Will
    A or B win?" becomes "Will A win?" and "Will B win?".

    None if the names are joined by "and" without an "all", "each" or "both" after them: "A and B"
    may do one thing together, e.g. meet."""
    if found["joint"].casefold() == "or":
        return _parts(found, "either")
    together = re.match(r"\s+(?:all|each|both)(?:\s+(?:two|three|four))?\b", found["after"], re.I)
    if together is None:
        return None
    return _parts(found, "both", after=found["after"][together.end() :])


def _objects(text: str) -> Parts | None:
    found = _OBJECTS.match(text)
    if found is None or _is_name(f"{found['items']} and {found['last']}"):
        return None
    return _parts(found, "both")


def _parts(
    found: re.Match[str], connective: Connective, *, denied: bool = False, after: str | None = None
) -> Parts | None:
    """Split a question with a list ("Will A, B or C win?") into a question for each item ("Will A
    win?"). None if the words before or after the list contain a negation.

    found : match of a pattern with the groups `before`, `items`, `last` and `after`
    denied : whether the list begins with "neither"
    after : words after the list; None: those in the group `after`
    """
    before, rest = found["before"], found["after"] if after is None else after
    if _DENIES.search(before) or _DENIES.search(rest):
        return None
    rest = _APART.sub("", rest.rstrip(" ?.!"))
    names = tuple(one.strip() for one in (*re.split(r",\s+", found["items"]), found["last"]))
    whole = tuple(f"{before}{name}{rest}?" for name in names)
    rivals = bool(_RIVALS.search(before)) and not re.search(r"\btheir\b", rest, re.I)
    return Parts(connective, names, whole, denied=denied, rivals=rivals)


def _clauses(text: str) -> Parts | None:
    found = _CLAUSES.match(text)
    if found is None or _DENIES.search(text):
        return None
    lead, who, other = found["lead"], found["who"], found["other"].strip()
    first, second = found["first"], found["second"]
    if other.casefold() in ("he", "she", "it", "they"):
        other = ""
    time = _TIME.search(second)
    if time is not None and _TIME.search(first) is None and "then" not in found["links"].casefold():
        first += time[0]
    names = f"{who} {first}", f"{other or who} {second}"
    return Parts("both", names, tuple(f"{lead}{name}?" for name in names), rivals=False)


def _is_name(text: str) -> bool:
    """Whether a text as a whole is a name in the vocabulary (articles aside)."""
    words = [word.folded for word in vocabulary.words(text)]
    if words[:1] == ["the"]:
        words = words[1:]
    if not words:
        return False
    return any(
        len(alias.words) == len(words) for alias, _ in vocabulary.default().aliases_at(words, 0)
    )
