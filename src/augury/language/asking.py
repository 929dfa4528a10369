"""Removes negations that negate nothing from questions: "isn't X going to win?", "X wins, doesn't
it?". Pure."""

from __future__ import annotations

import re
from typing import Final

from augury.language.entities import mentions
from augury.language.vocabulary import default

_VERBS: Final = "is|are|was|were|do|does|did|has|have|had|would|could|should"
_NOT: Final = rf"(?:{_VERBS}|wo|ca|ai)n't"
_DENIED: Final = rf"(?P<verb>{_VERBS}|wo|ca|ai)n't"
_MAYBE: Final = re.compile(rf"\b{_DENIED}\b|,\s*\w+\s+(?:it|s?he|they|we|you|there)\b", re.I)
"""Matches a negated auxiliary ("isn't"), or a comma, a word and a pronoun (", does it"). It is a
quick check before the slower patterns: without a match, `affirmed` returns the question
unchanged."""
_TAG: Final = re.compile(
    rf"(?<!\bor)(?: {_NOT} (?:it|s?he|they)|"
    rf", ?(?:{_NOT}|{_VERBS}|will|can) (?:it|s?he|they|we|you|there))"
    r"(?= ?(?:[?.!;]|\Z))",
    re.I,
)
"""Matches a question tag: ", don't they" in "They win the title, don't they?"."""
_ECHO: Final = re.compile(
    r"(?<![,.;\u2013\u2014-])[,.;\u2013\u2014-]{1,3} ?"
    r"(?:(?:so|and|am i (?:right|correct)|(?:fair|safe) to say|i mean|is it that) (?:that )?)?"
    rf"(?:it|s?he|they) (?:{_NOT}|(?:{_VERBS}|will|can) not)"
    r"(?: (?!by\b|before\b|in\b)\w+){0,2}(?:, ?\w+(?: \w+){0,2})? ?[?.!]{0,3}\Z",
    re.I,
)
"""Matches a negative statement at the end of a question: ", so he doesn't, right?". If the words
before the statement are negative, too, the statement only repeats them and is removed."""
_DOUBT: Final = re.compile(r"\b(?:doubt|not|no|never|zero)\b|n't\b", re.I)
_MIN_WORDS_BEFORE_TAG: Final = 3
"""A question tag (such as ", doesn't it") is removed only if at least this many words stand before
it. In "why won't he?" only one word stands before "won't he", so nothing is removed."""
_INVERTED: Final = re.compile(
    r"(?:(?:^|(?<=[.!?;:,\u2013\u2014-]\s))(?:(?:so|but|and|yet)\s+)?|"
    r"\b(?:but|so|yet|as\s+it\s+(?:sounds|seems|is))\s+)"
    rf"{_DENIED}\s+",
    re.I,
)
"""Matches a negated auxiliary where a subject may follow: "Isn't " in "Isn't the Fed going to
cut?"."""
_SUBJECT: Final = re.compile(
    r"(?:the|an?|this|that|these|those|his|her|its|their|our|my|your|it|s?he|they|we|you|there|"
    r"(?:any|some|every)(?:one|body|thing)|any|some|all|both|either|at\s+least|more\s+than|\d+|(?:\w+\s+){0,2}\w+(?=\s+going\s+to\s))\s",
    re.I,
)
_NAME: Final = re.compile(r"[A-Z]")
_IN_TITLES: Final = ("do", "ca")
"""Auxiliaries, without "n't", with which a title of a film or song may begin: "do" in "Don't Look
Up", "ca" in "Can't Buy Me Love". If a question begins with one of them, a capitalized word after it
may be part of such a title, so the word is not taken for the subject."""
_AFFIRMED: Final = {"wo": "will", "ca": "can", "ai": "is"}


def affirmed(question: str) -> str:
    """The question without negations that negate nothing: "Isn't the Fed going to cut?" -> "Is the
    Fed going to cut?", "BTC hits 100k, doesn't it?" -> "BTC hits 100k?". A negated auxiliary
    without a subject does negate: "Won't resign before June?" keeps "won't", but in lower case, so
    that it is not taken for a name."""
    if _MAYBE.search(question) is None:
        return question
    question = _TAG.sub(_without_tag, question)
    if (echo := _ECHO.search(question)) and _DOUBT.search(question[: echo.start()]):
        question = question[: echo.start()].rstrip() + "?"
    return _INVERTED.sub(_made_affirmative, question)


def _without_tag(found: re.Match[str]) -> str:
    before = found.string[: found.start()].split()
    return "" if len(before) >= _MIN_WORDS_BEFORE_TAG else found[0]


def _made_affirmative(found: re.Match[str]) -> str:
    rest = found.string[found.end() :]
    whole, verb = found[0], found["verb"]
    begins = found.start() == 0
    if not names_subject(rest, verb if begins else ""):
        return whole.lower() if begins and not _NAME.match(rest) else whole
    auxiliary = affirmative(verb).lower()
    if verb[0].isupper():
        auxiliary = auxiliary.capitalize()
    start = found.start("verb") - found.start()
    return f"{whole[:start]}{auxiliary} "


def affirmative(verb: str) -> str:
    """The affirmative form of an auxiliary without its "n't": "wo" -> "will", "is" -> "is"."""
    return _AFFIRMED.get(verb.lower(), verb)


def names_subject(text: str, verb: str) -> bool:
    """Whether the text after an auxiliary begins with a subject: an article, a pronoun, a name.

    verb : the auxiliary without "n't". After "do" and "ca", a capitalized word is a name only if it
        begins a name of the vocabulary. The reason: titles of films and songs also begin with these
        auxiliaries ("Don't Look Up")
    """
    if _SUBJECT.match(text) or (_NAME.match(text) and verb.lower() not in _IN_TITLES):
        return True
    named = mentions(text, default())
    return bool(named) and named[0].start == 0
