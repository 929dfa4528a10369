"""Which questions are open ("who", "how many", "when"), and for what kind of answer they ask. Pure.

A yes/no question may contain the same words. They may begin a clause that only tells the time
("When it opens, does it ..."). Or a guess may follow them, and the question is whether the guess is
right ("Who takes it, is it Rossi?").
"""

from __future__ import annotations

import re
from typing import Final, Literal

Asks = Literal["name", "amount", "highest", "lowest", "day"]
"""The kind of answer that an open question asks for."""

_OPEN: Final = re.compile(
    r"\W*(?:in\s+|by\s+|at\s+|on\s+|to\s+|for\s+)?(?!(?-i:WHO\s[a-z]))"
    r"(?:(?P<name>who|whom|whose|which|what|where)|(?P<day>when)"
    r"|how\s+(?:(?P<highest>high)|(?P<lowest>low)|(?P<amount>many|much|far|long|often|big|large|hot|cold|tall)))\b",
    re.I,
)
_EITHER: Final = re.compile(
    r"\W*[^,?]{2,60}?\s(?:vs?\.?|versus|or)\s[^,?]{2,60}(?:,|\s-)\s*(?:which|who)\b"
    r"|\W*(?:who|which)\b.{2,80}?[:,]\s*[^,?]{2,40}\sor\s"
    r"|\W*(?:will\s+(?:the\s+)?|does\s+|do\s+)?[\w.&'’-]{2,30}(?:\s[\w.&'’-]{2,30}){0,3}?\sor\s(?:the\s)?"
    r"[\w.&'’-]{2,30}(?:\s[\w.&'’-]{2,30}){0,3}?\s(?:first|sooner|earlier)\W*$"
    r"|\W*(?:the\s)?(?:dems?|democrats?|reps?|republicans?|gop)\sor\s(?:the\s)?(?:dems?|democrats?|reps?|republicans?|gop)"
    r"\s(?:wins?|takes?|gets?|holds?|to\s+win)\b",
    re.I,
)
"""Matches a question that asks which of two things it will be: "gold vs btc, which does better",
"OpenAI or Anthropic IPO first"."""
_AMOUNT: Final = re.compile(
    r"\W*(?:at\s+)?(?:what|which)\s+(?:\w+\s+){0,3}?(?:price|level|value|rate|number|percentage|"
    r"share|score|margin|temperature|figure)\b|\W*what\s+will\s+(?:\w+\s+){0,6}?(?:be|reach|close\s+at)\s*\??$"
    r"|\W*what\s+will\s+(?:[\w'’-]+\s+){0,6}?(?:price|level|value|rate|number|percentage|share|margin|"
    r"temperature|yield|inflation)\s+(?:be|reach|hit|close\s+at|stand\s+at)\b",
    re.I,
)
_DAY: Final = re.compile(
    r"\W*(?:in\s+|on\s+|by\s+)?(?:what|which)\s+(?:day|date|month|year|quarter)\b", re.I
)
_HIGHEST: Final = re.compile(r"\b(?:highest|peak|maximum|high)\b", re.I)
_LOWEST: Final = re.compile(r"\b(?:lowest|bottom|minimum|low)\b", re.I)
_AUXILIARIES: Final = (
    r"is|are|was|were|will|won['’]t|does|do|did|has|have|can|could|would|should|isn['’]t|doesn['’]t"
)
_CLAUSE: Final = re.compile(
    rf"^\W{{0,5}}(?:when|where)\s[^,?]{{3,120}},\s{{0,5}}(?:{_AUXILIARIES})\s"
    rf"|^\W{{0,5}}when\s(?!(?:{_AUXILIARIES}|in|on|by|during|this|next|exactly|precisely|the\s+hell|else)\b)"
    rf"[^,?]{{3,120}}?\s(?:{_AUXILIARIES})\s(?:it|he|she|they|there|the|that|(?-i:[A-Z])[\w.'’-]{{0,30}})\s\w",
    re.I,
)
"""Matches a clause of time or place before a yes/no question ("When June wraps up, is ...", "When
Base drops its coin will it ..."): here "when" or "where" does not ask for a day or a place."""
_GUESS: Final = re.compile(
    rf"\w\W{{0,3}}?(?:[,.;:?!…–—]|\s-)\s{{0,5}}(?:(?:so|and|like)\s)?(?:{_AUXILIARIES})\s(?:it|he|she|they|that|this|there|the)\b"
    r"(?![^?]*\bor\b)[^?]{2,80}\?*\W*$",
    re.I,
)
"""Matches a guess that is added at the end of an open question as a question of its own: "Who takes
it, is it Rossi?" asks whether it is Rossi. It does not match a guess with two names ("is it Rossi
or Bianchi"): such a question stays open."""


def asks(text: str) -> Asks | None:
    """The kind of answer that an open question asks for: "Who will win?" -> `name`, "How many
    goals?" -> `amount`, "How high will it go?" -> `highest`, "When will it happen?" -> `day`. None
    for a yes/no question."""
    if _CLAUSE.match(text) or _GUESS.search(text):
        return None
    if _DAY.match(text):
        return "day"
    if _AMOUNT.match(text):
        if _HIGHEST.search(text):
            return "highest"
        return "lowest" if _LOWEST.search(text) else "amount"
    if _EITHER.match(text):
        return "name"
    found = _OPEN.match(text)
    if found is None:
        return None
    return next(kind for kind in ("name", "day", "highest", "lowest", "amount") if found[kind])
