"""Finds the passages of a question that mean whoever holds an office on a day: "the British PM".
Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from typing import Final

from augury.language.entities import Mention, mentions
from augury.language.vocabulary import Entity, Vocabulary

_ROLE: Final = re.compile(
    r"\b(?:presidents?|pm|premier|minister|chancellor|taoiseach|chair(?:man|woman|person)?|secretary|"
    r"governor|mayor|speaker|leader|director|ceo|chief|head|boss|pope|pontiff|king|queen|diplomat|"
    r"general|commissioner|potus|commander)\b",
    re.I,
)
"""Matches the word for a person in the name of an office: "president", not "White House"."""
_SOUGHT: Final = re.compile(
    r"\b(?:next|new|future|first|an?|any|another|some|former|ex|acting|interim|be|been|being|becomes?|"
    r"becoming|became|as|for|to|of|wins?|won|elect(?:s|ed)?|picks?|picked|names?|named|chooses?|chosen|"
    r"appoint(?:s|ed)?|nominate[sd]?|tap(?:s|ped)?|who)(?:\s+the)?$",
    re.I,
)
"""Is applied to the text before the name of an office. Matches if the last words of this text show
that the office does not stand for the person who now holds it, but for someone who may get it ("be
the", "the next") or who once held it ("former")."""
_CONTEST: Final = re.compile(
    r"^\s*(?:race|election|elect|nominee|nomination|candidate|primary|contest|runoff|ticket|"
    r"job|seat|post|spot|slot|role|office|position|pick|vacancy|succession)\b",
    re.I,
)
"""Is applied to the text after the name of an office. Matches if the first word of this text shows
that the contest for the office, or the office itself, is meant, and not the person who holds it:
"race" (in "the governor race"), "nominee", "job"."""
_DETERMINED: Final = re.compile(
    r"^\W*(?:will|would|do(?:es)?|did|is|was|has|can|could|should)?$"
    r"|\b(?:the|our|their|current|sitting|incumbent)$",
    re.I,
)
"""Matches the text before the name of an office if, after this text, the name can mean the person
who holds the office. Such a text ends in a word like "the" or "current", or the name stands at the
start of the question: the text is empty or one word like "Will"."""
_OWNED: Final = re.compile(r"^[\w.]+(?:'s|’s|ish|an|ese|i|ch)\s", re.I)
"""Matches the start of an office that begins with the name of its country, state or company:
"Florida's governor", "British PM"."""


def asked_mentions(text: str, vocabulary: Vocabulary, day: date) -> list[Mention]:
    """The mentions of a question (`entities.mentions`).

    A mention of an office can mean the person who holds it. Its `holder` is then the person who
    holds the office on `day`. It is not set if the vocabulary does not know this person, or if the
    text also mentions the person.
    """
    found = mentions(text, vocabulary)
    return [_with_holder(one, found, text, vocabulary, day) for one in found]


def holder(office: Entity, day: date) -> str | None:
    """Name of the holder of an office on a day; None if the vocabulary does not know it."""
    for name, start, end in office.holders:
        if (start is None or start <= day) and (end is None or day < end):
            return name
    return None


def _with_holder(
    one: Mention, found: Sequence[Mention], text: str, vocabulary: Vocabulary, day: date
) -> Mention:
    if len(one.entities) != 1 or not one.entities[0].holders:
        return one
    if not _means_person(one, found, text):
        return one
    name = holder(one.entities[0], day)
    person = vocabulary.person(name) if name is not None else None
    if person is None or any(person.key in other.keys for other in found):
        return one
    return replace(one, holder=person)


def _means_person(one: Mention, found: Sequence[Mention], text: str) -> bool:
    """Whether a mention of an office means the person who holds it, not the office."""
    before, after = text[: one.start].rstrip(), text[one.end :]
    if not _ROLE.search(one.text) or _SOUGHT.search(before) or _CONTEST.search(after):
        return False
    if not (_DETERMINED.search(before) or _OWNED.match(one.text)):
        return False
    # "Is Warsh the Fed chair by June": somebody else, to whom the office is given.
    named = before.removesuffix(" the")
    return not any(other.end == len(named) for other in found)
