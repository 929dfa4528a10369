"""Removes the frame around a question, and tells whether the frame denies the question. Pure.

The frame is the words around the question proper. "Please tell me, is it false that the Fed will
cut rates?" asks the opposite of "Will the Fed cut rates?". The frame is removed, and the question
is put with its auxiliary in front. Denials in the frame are counted: two cancel out. Negations in
the question proper stay in it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from augury.forecast.preamble import is_droppable, split_text, without_denials
from augury.language.asking import affirmed
from augury.language.spelling import written_out
from augury.propositions.claims import without_emphasis

_CURLY: Final = str.maketrans("’‘ʼ“”„«»", '\'\'\'"""""')


@dataclass(frozen=True, slots=True)
class Framed:
    """A question without its frame, i.e. without words around it such as "is it true that"."""

    core: str
    denied: bool
    """Whether the words around the question deny it: "is it false that ...". Two denials cancel
    out."""
    changed: bool
    asking: str = ""
    """The sentence with the question, if the text also states something before or after it ("I hold
    some coins. Will ...?"); else empty."""
    judged: str = ""
    """The question as the judge (`matching.judge`, a trained model) reads it: as it was asked, but
    without words around it that deny it ("is it false that ..."). A "not" that denies nothing
    ("isn't X going to win?") is left out, too."""


def framed(question: str) -> Framed:
    """Remove the frame of a question, i.e. the words around the question proper: "Please tell me,
    is it false that X will win?" -> "Will X win?", with `denied` set in the result."""
    spelled = " ".join(written_out(question.translate(_CURLY)).split())
    plain = affirmed(spelled)
    parts = split_text(without_emphasis(plain))
    text, around_it = parts.asking, f"{parts.before} {parts.after}".strip()
    denials = 0
    for _ in range(6):
        before = text
        if (whole := _QUOTES.fullmatch(text)) is not None:
            text = whole["text"].strip()
        text = _POLITE.sub("", text, count=1)
        if (found := _JUDGED.fullmatch(text)) is not None:
            stated = found["said"] or found["quoted"] or found["before"]
            denials, text = denials + 1, _asked(stated)
        elif (found := _DENIAL.match(text)) is not None:
            denials, text = denials + 1, _asked(text[found.end() :])
        elif (found := _ASSENT.match(text)) is not None:
            text = _asked(text[found.end() :])
        if text == before:
            break
    if (found := _LIKELY.fullmatch(text)) is not None:
        denials, text = denials + bool(found["no"]), f"Will {found['who']} {found['rest']}"
    if (found := _GOING.fullmatch(text)) is not None:
        text = f"Will {found['who']} not {found['rest']}"
    text = text[:1].upper() + text[1:] if _STARTS.match(text) else text
    asking = text
    if around_it and not is_droppable(around_it, asking):
        text = f"{text} {without_denials(around_it)}"
    denied = denials % 2 == 1
    judged = text if denied else plain if plain != spelled else question
    return Framed(text, denied, text != plain, asking if around_it else "", judged)


def _asked(stated: str) -> str:
    """A statement as a question: "the Fed will not cut" -> "Will the Fed not cut". A text that is a
    question already only gets a capital."""
    stated = _IT_IS.sub(r"\g<verb> it", stated.strip(' ,:"'))
    if _STARTS.match(stated) or _DENIAL.match(stated) or _ASSENT.match(stated):
        return stated[:1].upper() + stated[1:]
    found = _STATED.match(stated)
    if found is None:
        return f"Will {stated}"
    denied = "not " if found["no"] or found["aux"].endswith("n't") else ""
    return f"Will {found['who']} {denied}{stated[found.end() :]}"


_QUOTES: Final = re.compile(
    r"[\"'](?P<text>[^\"]{12,}|(?:will|is|are|does|do|did|has|have|can|who|what)\b.{8,})[\"']\s*[?.!]*",
    re.I,
)
_POLITE: Final = re.compile(
    r"^\W*(?:(?:please|pls|hey|hi|hello|so|well|ok(?:ay)?|quick\s+question|just\s+(?:wondering|curious)|"
    r"question|serious(?:ly)?)\b[\s,:;!-]*)+"
    r"|^\W*(?:(?:can|could|would)\s+you\s+)?(?:tell\s+me|let\s+me\s+know|estimate|predict|forecast)\b"
    r"[\s,:;-]*(?:if\s+|whether\s+)?(?=[\w\"'$])"
    r"|^\W*(?:odds|chances?|probability|likelihood)\s*[:?-]\s*(?=[\w\"'$])",
    re.I,
)
_TRUTH: Final = r"(?:really\s+|simply\s+|just\s+|plainly\s+|still\s+)?"
_THINK: Final = (
    r"(?:say|think|claim|believe|bet|expect|assume|suppose|guess|imagine|predict|reckon|insist)"
)
_THINKING: Final = (
    r"(?:saying|thinking|claiming|believing|betting|expecting|assuming|supposing|guessing|"
    r"imagining|predicting|reckoning|insisting)"
)
_SAY: Final = (
    rf"(?:\s+(?:to\s+{_THINK}|(?:in|for|if\s+(?:i|you|we|they)(?:'m|'re|\s+am|\s+are)?)\s+{_THINKING}|"
    rf"if\s+(?:i|you|we|they)\s+{_THINK}))?(?:\s+on)?(?:\s+that|\s*[:,])?\s+"
    r"(?!(?:to|for|of|about)\s)(?=[\w\"'$])"
)
_WRONG: Final = (
    r"(?:false|untrue|wrong|incorrect|mistaken|in\s+error|"
    r"an?\s+(?:lie|mistake|error|blunder|(?:bad|losing)\s+(?:bet|idea|call)))"
)
_ANYONE: Final = (
    r"(?:i|you|we|they|one|people|those|any(?:one|body)|some(?:one|body)|"
    r"(?:a|the)\s+(?:man|person))"
)
_JUDGED: Final = re.compile(
    rf"\W{{0,5}}(?:is|are|was|were|would|will)\s+{_ANYONE}\s+who\s+{_THINK}s?(?:\s+that)?[\s,:]{{1,3}}"
    rf"(?P<said>[\w\"'$].{{7,400}}?)[\s,]{{1,3}}(?:be\s+)?(?:mistaken|wrong|incorrect|in\s+error)"
    rf"\s?[?.!]{{0,3}}"
    rf"|\W{{0,5}}[\"'](?P<quoted>\w.{{7,400}}?)[\"']\W{{0,5}}(?:is|was|would|will)\s+(?:that|this|it)\s+"
    rf"(?:be\s+)?{_TRUTH}{_WRONG}\s?[?.!]{{0,3}}"
    rf"|(?P<before>\w.{{7,400}}?)[,;:\u2013\u2014-]{{1,3}}\s?(?:is|was|would|will)\s+(?:that|this|it)\s+"
    rf"(?:be\s+)?{_TRUTH}{_WRONG}\s?[?.!]{{0,3}}",
    re.I,
)
"""Matches a statement together with words before or after it that call it wrong: "Is anyone who
says ... mistaken?", or "..., is that false?"."""
_DENIAL: Final = re.compile(
    rf"^\W*(?:is|was|would|will)\s+it\s+(?:be\s+|turn\s+out\s+|prove\s+)?(?:to\s+be\s+)?{_TRUTH}"
    rf"(?:{_WRONG}|"
    r"impossible|not\s+(?:true|the\s+case|right|correct|likely)|out\s+of\s+the\s+question|"
    r"(?:very\s+|highly\s+|rather\s+)?(?:unlikely|improbable|doubtful)|a\s+long\s+shot)"
    rf"{_SAY}"
    r"|^\W*(?:(?:i|we)\s+(?:(?:really|seriously|highly|still)\s+)?(?:doubt|can't\s+see(?!\s+\w+\s+(?:stop|keep|prevent|block)p?ing)|"
    r"(?:don't|do\s+not)\s+(?:think|believe|expect))|(?:do|would|should)\s+(?:i|you|we)\s+doubt|"
    r"how\s+(?:unlikely|improbable)\s+is\s+it)(?:\s+(?:that|whether|if))?\s+(?!(?:that|whether|if|to|for|of|about|so)\b|it\b(?!\s+\w+\s+\w)|it\s+but\b)(?=[\w\"'$])"
    rf"|^\W*(?:am|is|are|was|were|would|will)\s+{_ANYONE}\s+(?:be\s+)?{_TRUTH}"
    rf"(?:mistaken|wrong|incorrect|in\s+error)(?:\s+who\s+{_THINK}s?)?{_SAY}"
    rf"|^\W*(?:it\s+is\s+|it's\s+|it\s+would\s+be\s+)?{_WRONG}\s+to\s+{_THINK}(?:\s+on)?(?:\s+that|\s*[:,])?"
    r"\s+(?=[\w\"'$])"
    r"|^\W*(?:is|will)\s+there\s+(?:be\s+)?(?:really\s+|absolutely\s+)?(?:no|zero)\s+"
    r"(?:way|chance|possibility|prospect)(?:\s+(?:that|in\s+hell|at\s+all))*[\s,:]+(?=[\w\"'$])"
    r"|^\W*(?:there\s+is\s+|there's\s+)?(?:absolutely\s+)?(?:no|zero)\s+(?:way|chance|shot|hope|prospect|world)"
    r"(?:\s+(?:that|in\s+hell|where|of|at\s+all))*[\s,:]+(?=[\w\"'$])"
    r"|^\W*doubt(?:ful)?\s+(?:that\s+)?(?!(?:it|about|on|of|in)\b)(?=[\w\"'$])"
    r"|^\W*(?:what(?:'s|\s+is|\s+are)\s+the\s+)?(?:odds|chances?|probability|likelihood)\s+against\s+(?=[\w\"'$])",
    re.I,
)
_ASSENT: Final = re.compile(
    rf"^\W*(?:is|was|would|will)(?:n't)?\s+it\s+(?:be\s+)?{_TRUTH}(?:true|the\s+case|right|correct|"
    r"certain|likely|possible|a\s+given|fair|safe|so)"
    rf"{_SAY}"
    rf"|^\W*(?:am|is|are|was|were|would|will)\s+{_ANYONE}\s+(?:be\s+)?{_TRUTH}(?:right|correct)"
    rf"(?:\s+who\s+{_THINK}s?)?{_SAY}"
    r"|^\W*(?:what(?:'s|\s+is|\s+are)|give\s+me)\s+(?:(?:the|any)\s+)?(?:current\s+)?"
    r"(?:odds|chances?|probability|likelihood)\s+(?:is\s+it\s+)?"
    r"(?:(?:that|is|of\s+it\s+being\s+true\s+that)\s+)?(?!of\b|against\b|for\b|on\b|to\b)(?=[\w\"'$])"
    r"|^\W*(?:(?:the|any)\s+)?(?:odds|chances?|probability|likelihood)\s+that\s+(?=[\w\"'$])"
    r"|^\W*how\s+(?:likely|probable)\s+is\s+it\s+(?:that\s+)?(?=[\w\"'$])"
    r"|^\W*(?:(?:is|are)\s+there\s+)?(?:any\s+|a\s+|some\s+)(?:good\s+|real\s+)?(?:way|chance|"
    r"possibility|shot|(?:world|universe|scenario)(?=\s+(?:that|where|in)\b))\s+"
    r"(?:that\s+|where\s+|in\s+which\s+)?"
    r"(?!(?:of|to|for|in|at)\b)(?=[\w\"'$])"
    rf"|^\W*(?:(?:do|does|would)\s+)?(?:you|u|we|i|anyone|anybody|people)\s+(?:guys\s+|all\s+)?{_TRUTH}"
    rf"{_THINK}s?(?:\s+that)?\s+(?!(?:to|for|of|about|on|so|it|in)\b)(?=[\w\"'$])",
    re.I,
)
_STATED: Final = re.compile(
    r"(?P<who>(?-i:(?!.{0,90}\b(?:that|who|which)\s+will\b))\S.{0,90}?)(?P<aux>\s+will|'ll|\s+won't|\s+(?:is|are)\s+going\s+to|"
    r"\s+(?:is|are)n't\s+going\s+to)\s+(?P<no>not\s+)?",
)
_STARTS: Final = re.compile(
    r"(?:will|is|are|does|do|did|has|have|can|could|was|were|would|who|what|which|when|how)\s+(?=\S)"
    r"(?!\w+\s+will\s)", re.I
)  # fmt: skip
_IT_IS: Final = re.compile(r"^it\s+(?P<verb>is|was|would|will)\b", re.I)
_LIKELY: Final = re.compile(
    r"(?:is|are)\s+(?P<who>(?!it\b|there\b)\S.{0,90}?)\s+(?:(?:very|highly|still|really)\s+)?"
    r"(?P<no>un|not\s+(?:very\s+)?)?likely\s+to\s+(?P<rest>.+)",
    re.I,
)
"""Matches "Is Bitcoin likely to ..." and "Is Bitcoin unlikely to ..."; in the latter, group `no` is
set."""
_GOING: Final = re.compile(
    r"(?P<who>(?!is\b|are\b|will\b)\S.{0,90}?)\s+(?:(?:is|are)n't|(?:is|are)\s+not)\s+(?:ever\s+)?"
    r"going\s+to\s+(?P<rest>.+)",
    re.I,
)
"""Matches a negated statement that is used as a question: "The Fed isn't going to cut rates?"."""
