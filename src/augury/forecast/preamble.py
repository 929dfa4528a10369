"""Separates the part of a text that asks from what is stated before and after it: "I hold some
coins. Will ...?", "they lost last year, but will ...?", "will ...? Asking for a friend." Pure."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from augury.forecast.polarity import without_turns
from augury.language.asking import affirmative, names_subject
from augury.language.entities import mentions
from augury.language.vocabulary import default


class SplitText(NamedTuple):
    """A text split into the part that asks (`asking`) and the statements before and after it.
    `before` and `after` are often empty."""

    before: str
    asking: str
    after: str


def split_text(text: str) -> SplitText:
    """Split a text into the sentence or clause that asks and the statements before and after it:
    "they lost last year, but will the Lakers win the title? Just wondering." has all three."""
    before, asking = _sentence(text)
    asking, after = _remark(asking)
    clause, asking = _clause(asking)
    if not clause:
        clause, asking = _elliptic(asking)
    return SplitText(f"{before} {clause}".strip(), asking, after)


def without_denials(text: str) -> str:
    """Remove negations ("not", "n't") and words that reverse the meaning ("lose") from a text that
    stands around a question. These words do not concern what is asked. What remains need not be
    grammatical: "I don't want to lose my coins" -> "I do want to my coins"."""
    text = _CONTRACTED.sub(lambda found: affirmative(found[1]), text)
    return " ".join(_DENIES.sub(" ", without_turns(text)).split())


def is_droppable(around: str, asking: str) -> bool:
    """Whether the text around a question can be dropped: it is about the asker ("my coins") and has
    no name or number, while the part that asks (`asking`) names somebody or something."""
    if _SELF.search(around) is None or _NAMES.search(around.partition(" ")[2]) is not None:
        return False
    return bool(_NAMED.search(asking) or mentions(asking, default()))


def _sentence(text: str) -> tuple[str, str]:
    """A text in two parts: the sentences before the one that asks, and the rest. The first part is
    empty if the text begins with the question."""
    start = 0
    for gap in _GAP.finditer(text):
        if text[start : gap.start()].endswith("?"):
            break
        start = gap.end()
        before, asking = text[:start].strip(), text[start:]
        label = before.endswith(":") and len(before.split()) < 5 and not _DOUBTS.match(asking)
        if (
            _ASKS.match(asking) and len(asking.split()) > 4 and not label
            and not _COMMENT.match(asking)
            and before.count('"') % 2 == 0
        ):  # fmt: skip
            return before, asking
    return "", text


def _elliptic(text: str) -> tuple[str, str]:
    """Split a statement with a negation from the clause after it, if that clause asks without a
    verb in front: "nobody there likes it, but a snap election in the Bahamas this year?" ->
    ("nobody there likes it", "a snap election in the Bahamas this year?"). Any other text is not
    split: the first part is empty, the second is the text."""
    gaps = list(_TURN.finditer(text))
    if gaps and not _ASKS.match(text):
        before, asking = text[: gaps[-1].start()].strip(), text[gaps[-1].end() :]
        if (
            len(asking.split()) > 4 and _DENIES.search(_plain(before)) and _is_about(asking)
            and not _DENIES.search(_plain(asking)) and before.count('"') % 2 == 0
            and not _CONDITION.search(before) and not _BACK.match(asking)
        ):  # fmt: skip
            return before, asking
    return "", text


def _plain(text: str) -> str:
    """The text with "not" written out: "isn't" -> "is not"."""
    return _CONTRACTED.sub(r"\1 not", text)


def _is_about(asking: str) -> bool:
    """Whether a clause asks about somebody or something, unlike "Is that likely?". It does so if it
    is long or has a name or a number."""
    if _COMMENT.match(asking):
        return False
    long = len(asking.split()) >= 8
    return long or bool(_NAMES.search(asking[1:]) or mentions(asking, default()))


def _remark(text: str) -> tuple[str, str]:
    """A text in two parts: the question, and a remark that follows it ("Asking for a friend"). The
    second part is empty if there is none."""
    end = text.find("?")
    after = text[end + 1 :].strip()
    if end < 0 or len(text[:end].split()) < 4 or "?" in after or not after[:1].isalpha():
        return text, ""
    return text[: end + 1], after


def _clause(text: str) -> tuple[str, str]:
    """A sentence in two parts, split before the clause that asks: "they lost last year, but will
    the Lakers win the title?" -> "they lost last year", "will the Lakers win the title?". If no
    clause can be split off, the first part is empty and the second is the whole text."""
    if _ASKS.match(text):
        return "", text
    for gap in reversed(list(_CLAUSE.finditer(text))):
        before, asking = text[: gap.start()].strip(), text[gap.end("gap") :]
        if len(before.split()) < 4 or len(asking.split()) < 5:
            continue
        turns = _BUT.search(gap["gap"]) is not None or not gap["aux"]
        if not turns and (not _VERB.search(before) or _WHERE.match(before)):
            continue
        if before.count('"') % 2 or not _is_about(asking):
            continue
        if gap["aux"] and not names_subject(asking[len(gap["aux"]) :].lstrip(), ""):
            continue
        if _CONDITION.search(before):
            continue
        return before, asking
    return "", text


_GAP: Final = re.compile(
    r"(?<=[.!?;:])(?<!\bSt\.)(?<!\bvs\.)(?<!\bMr\.)(?<!\bMrs\.)(?<!\bDr\.)(?<!\bJr\.)(?<!\b[A-Z]\.)\s+"
)
"""Matches the space after the end of a sentence, or after a colon or semicolon; not after
abbreviations such as "St." or an initial."""
_ASKS: Final = re.compile(
    r"(?:(?:so|and|but|now)\s+)?(?:will|would|does|do|did|is|are|was|can|could|has|have|how\s+likely|"
    r"how\s+probable|what(?:'s|\s+is|\s+are)\s+(?:the\s+)?(?:\w+\s+)?(?:odds|chances?|probability|"
    r"likelihood)|any\s+chance|what\s+odds|(?:i\s+)?doubt|am\s+i\s+(?:right|wrong)|"
    r"(?:there's\s+|there\s+is\s+)?(?:no|zero|still\s+no)\b(?!\s+one\b))\b",
    re.I,
)
_DOUBTS: Final = re.compile(
    r"(?:i\s+)?doubt|(?:there's\s+|there\s+is\s+|still\s+)?(?:no|zero)\b", re.I
)
_CLAUSE: Final = re.compile(
    r"(?P<gap>(?:(?:,|;|(?<!\.)\.{2,4}| [\u2013\u2014-]) (?:(?:but|so|yet|still|though|tho|and|or|"
    r"then|now|well|never mind(?: (?:that|it|all that))?,?|actually|honestly|seriously) ){0,4}|"
    r" (?:(?:but|so|tho) ){1,3})"
    r"(?:(?:\b\w{1,12} as (?:it|that) (?:sounds?|is|seems?|may \w{1,12})),? )?)"
    r"(?:(?P<aux>will|would|does|do|did|is|are|was|can|could|has|have) |"
    r"(?=(?:there's |there is )?(?:no|zero) (?:way|chance|shot|hope)\b|doubt (?!it\b)))",
    re.I,
)
"""Matches what stands between a statement and the question after it: ", but will " in "Rates are
high, but will the Fed cut?". The match ends with the auxiliary verb of the question ("will"). If a
denial follows instead, the match ends before it: ", but " in "Rates are high, but no chance they
cut"."""
_COMMENT: Final = re.compile(
    r"(?:is|was|does|would|will|can|could)\s+(?:(?:that|this|it)\s+(?:an?|the|what|how|so|likely|right|true|fair|"
    r"safe|possible|on|make|sound|seem|look|correct|really|your)|i)\b",
    re.I,
)
"""Matches the beginning of a question that only asks about the statement before it: "is that how
you see it?"."""
_BUT: Final = re.compile(r"\b(?:but|so|yet|still|though|tho)\b", re.I)
"""Matches words that often stand between an introductory statement and the question itself ("but",
"so")."""
_TURN: Final = re.compile(r"(?:,|;|(?<!\.)\.{2,4}|\s[\u2013\u2014-])\s+(?:but|still|yet)\s+", re.I)
_BACK: Final = re.compile(
    r"(?:it|he|she|they|we|that|this|his|her|their|its|the|only|just|not|then)\b", re.I
)
"""Matches the first word of a clause, after a conjunction such as "but", if it refers back to the
clause before it ("it", "only", "the"): in "but the other one" it matches "the". The two clauses are
then not split."""
_VERB: Final = re.compile(
    r"\b(?:is|are|was|were|am|has|have|had|does|do|did|will|would|can|could|said|says?|swears?|thinks?|"
    r"bets?|got|gets?|won|lost|knows?|wants?|likes?|never|everyone|everybody|nobody|people|"
    r"[a-z]{3,}(?:ed|ing)|not)\b|'(?:s|re|m|ve|ll|d)\b|n't\b",
    re.I,
)
"""Matches words that show that a text is a clause: mostly verbs, also "nobody" or "never". A phrase
such as "in the 2026 primary" has none."""
_CONDITION: Final = re.compile(
    r"\b(?:if|unless|assuming|suppos(?:e|ing)|provided|whenever)\b|"
    r"(?:^|[,;:.]\s+|\b(?:and|but|so|or)\s+)(?:even\s+)?(?:when|after|once|should|given|in\s+case|were|"
    r"had|before|by|until|as|while|since)\b",
    re.I,
)
"""Matches the words with which a condition ("if", "unless") or a clause of time ("after") begins.
Such a clause belongs to the question and is not split off."""
_WHERE: Final = re.compile(
    r"(?:in|at|on|for|of|between|among|from|during|with|within|over|under|out\s+of|according)\b",
    re.I,
)
"""Matches a preposition at the beginning of a text that stands before a question. Such a text, e.g.
"in the 2026 primary", is part of the question and is not split off as an introduction."""
_SELF: Final = re.compile(r"\b(?:I|I'm|I've|I'd|I'll|my|me|mine|we|our|us)\b", re.I)
_NAMES: Final = re.compile(r"\b(?!I\b)[A-Z]|\d")
"""Matches a digit, or a capital letter at the beginning of a word (not the word "I"): signs of a
name, a date or a number."""
_NAMED: Final = re.compile(
    r"(?<=\w\s)(?!(?:I|Jan|Feb|Mar|Apr|May|June?|July?|Aug|Sep|Oct|Nov|Dec|New\s+Year)[a-z]*\b)[A-Z]"
)
"""Matches the capital letter at the beginning of a word inside a sentence, a sign that the word is
a name. The word "I", names of months and "New Year" are not matched."""
_DENIES: Final = re.compile(
    r"\b(?:not|no|never|nobody|none|nothing|neither|nor|without|cannot|hardly|barely|fail(?:s|ed)?|"
    r"zero|false|wrong|doubt\w*|unlikely|except|besides|other\s+than|anywhere|anyone|anything)\b",
    re.I,
)
_CONTRACTED: Final = re.compile(r"\b(\w+)n't\b", re.I)
