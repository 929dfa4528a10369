"""Finds the words of a text that deny something: "not", "fail to", "other than", "still un...",
"stays below". Pure.

They are cut out of the text before the predicate is read, so that "fail to reach" leaves "reach".
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from augury.propositions.blanked_text import BlankedText

_NOT: Final = re.compile(
    r"\b(?:[Ff]ail(?:s|ed|ing)?\s+to|(?:fall(?:s|ing)?|be|anything)\s+short\s+of|not|never|without|avoid(?:s|ed)?|"
    r"miss(?:es|ed)?(?:\s+out)?(?:\s+on)?(?=\s)|(?:is|are|was|were|do|does|did|has|have|had|wo|ca|ai|"
    r"would|could|should)n't|"
    r"outside(?:\s+of)?(?=\s+(?:the\s+)?(?:top|[\d$]))|[Nn]o\s+one(?!\s+(?:but|else|other|except))|"
    r"(?:with|see|sees|have|has|be|is|are|there)\s+no(?=\s+(?!changes?\b|longer\b|\d|more\b|"
    r"fewer\b|less\b|later\b)))\b(?!\s+(?:more|less|fewer|later)\s+than)",
)
_DENYING: Final = re.compile(
    r"fail|short|\bn[o']|never|outside|n't|without|avoid|miss|other|beside|except|apart|\bbut\b|remain|stay|"
    r"still|keep|kept|\bgo(?:es)?\b|hold|held|pass|\bends?\b|clos|finish|continu",
    re.I,
)
"""Matches at least a part of every phrase that denies, e.g. "n't" of "isn't". In a text without a
match, the slower searches for such phrases are skipped."""
_AUXILIARY_NOT: Final = r"(?:is|are|was|were|do|does|did|has|have|had|wo|would|ca)n't"
_NEUTRAL: Final = re.compile(
    r"\bwhether\s+or\s+not\b|\bor\s+not\b(?=\s*(?:[?.!,;)\x1f]|\Z))|"
    r"\bor\s+(?:(?:will|does|do|is|are)\s+(?:it\s+|he\s+|she\s+|they\s+)?not|"
    r"(?:wo|does|do|is|are|did)n't\s+(?:it|he|she|they|we|you))\b|"
    r"\bnot\s+(?:only|just|merely|simply)\b(?!\s+(?:yet|now|quite))|\bnever\s+mind\b|\bif\s+not\s+(?=[\d$])|"
    r"\bno\s+(?:matter|worries|doubt|thanks|question|kidding|joke|problem|offen[cs]e|big\s+deal|reason\s+to)\b|"
    r"\b(?:i\s+)?do(?:n't|\s+not)\s+(?:laugh|judge|ask|worry|know|care|hate|mean|get\s+me\s+wrong)\b|"
    rf"\b{_AUXILIARY_NOT}\s+(?:and|or|nor)\s+(?={_AUXILIARY_NOT}\b|never\b)|"
    r"\bnever\s+(?:has|have|did)\s+(?:and|or)\s+(?=never\b)|"
    r"\bwithout\s+(?-i:[A-Z])[\w'.-]*(?:\s+(?-i:[A-Z])[\w'.-]*)*(?=\s*(?:[,?.!;]|\Z))",
    re.I,
)
"""Matches "not" and similar words that must not be counted as a denial. Either they deny nothing:
"or not?", "not only", "don't laugh", "without Curry" (which says who is absent). Or they are the
first of two denials in a row that say the same and count as one: "haven't and" in "haven't and
won't"."""
_CONTRAST: Final = re.compile(
    r"(?:,\s*(?:and\s+)?not\s+(?:(?:only|just|merely|simply)\s+)?"
    r"(?:(?:(?:the|an?|his|her|their|its|in|on|at|by|for)\s+)+(?!\w+ing\b)[\w'.-]+|\x1f+)|"
    r"(?:,\s*|\band\s+)not\s+(?-i:[A-Z][\w'.-]+(?:\s+[A-Z][\w'.-]+)*))(?=\s*[,?.!;)\x1f]|\s*\Z|"
    r"\s+(?:for|to|in|as|by|will|wins?|be|is)\b)",
    re.I,
)
"""Matches an alternative that a text rules out in passing: ", not July" in "cut in June, not July";
"and not Rubio" in "Vance and not Rubio". The "not" does not negate the text's main statement."""
_SOMEBODY: Final = re.compile(
    r"\b(?:some\w*|any\w*|another|other|else|different|new|no|nobody|nope|never)\b", re.I
)
"""Matches words such as "someone else" or "never". In a text with such a word, ", not X" is a
denial ("someone else, not Kent"). In any other text, ", not X" only rules out an alternative in
passing (`_CONTRAST`)."""
_SECOND_WAY: Final = re.compile(r"\bor\s+(?:even\s+)?not\b", re.I)
"""Matches the beginning of a second denial that is an alternative to the first one: "or not even"
in "not elected, or not even running". Two such denials do not cancel out."""
_PASSES: Final = re.compile(
    r"\b(?:pass|passes|go\s+by|goes\s+by|end|ends|close|closes|finish|finishes)\s+"
    r"(?:without|with\s+no)\b(?:\s+(?:an?|any|the)\b)?",
    re.I,
)
_START_NO: Final = re.compile(
    r"^(?:will\s+)?(?:still\s+)?(?-i:[Nn]o)\s+(?=[^\x1f?]*[\x1f?])(?!changes?\b|one\b|more\b|fewer\b|\d)",
    re.I,
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


class Negations(NamedTuple):
    """The negations of a text ("not", "fail to"): how they change its meaning, and how many there
    are."""

    may_deny: bool = False
    """Whether the text has any word that could deny something, e.g. "not", "miss" or "stay"."""
    denials: int = 0
    """Number of words in the text that deny what it asserts ("not", "fail to"). Each one reverses
    the meaning, so an even number of them leaves it unchanged."""
    never_in_window: bool = False
    """Whether the text says that something happens at no time in the window: "2026 passes without a
    deal", "the bill remains unsigned"."""
    stays: bool = False
    """Whether the text says that a quantity stays above or below a level: "stays below 3%"."""


def cut_negations(text: BlankedText) -> Negations:
    """Replace the negations in the text ("not", "fail to") by the filler character 0x1F.
    Returns how many of them deny what the text asserts, and in which other ways they change its
    meaning."""
    if _DENYING.search(text.about) is None:
        return Negations()
    while text.cut(_NEUTRAL, "polarity"):
        pass
    if not _SOMEBODY.search(text.about):
        while text.cut(_CONTRAST, "polarity"):
            pass
    ways = len(_SECOND_WAY.findall(text.about))
    passes = text.cut(_PASSES, "polarity") is not None
    count = 0
    while text.cut(_NOT, "polarity"):
        count += 1
    count += text.cut(_START_NO, "polarity") is not None
    count += text.cut(_OTHER, "polarity") is not None
    count -= min(ways, max(count - 1, 0))
    remains = text.cut(_UN, "polarity") is not None
    stays = text.cut(_STAY, "polarity") is not None
    return Negations(True, count + passes + remains, passes or remains, stays)
