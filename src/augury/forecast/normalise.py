"""A question in plain words brought to the form markets have: positive, in figures, dated. Pure.

Three things are done to the text before its parts are read: what surrounds the question is
dropped ("what are the odds that"), figures in words become figures ("a quarter point", "fourth or
higher"), and ways of saying that something does not happen become "not" ("miss the playoffs",
"come and go without", "hang on as"). What remains is read by `relations.proposition`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any, Final

from augury.relations.proposition import Proposition, read_question

Replacement = str | Callable[[re.Match[str]], str]


@dataclass(frozen=True, slots=True)
class Reading:
    """A question as it was understood."""

    question: str
    effective: str
    """The question in the form in which markets were looked for and compared."""
    proposition: Proposition
    """What is asserted; `positive` False where the question asks for the opposite."""
    reason: str | None
    """What was done to the question; None where nothing was."""
    either: tuple[str, ...] = ()
    """Names of which any one will do: "either Google or OpenAI"."""

    @property
    def normalized(self) -> str:
        """The question without surplus blanks."""
        return " ".join(self.question.split())

    @property
    def rewritten(self) -> bool:
        return self.reason is not None

    @property
    def search_text(self) -> str:
        """What markets are searched by."""
        return self.effective

    def shown(self) -> dict[str, Any]:
        """As streams show it."""
        p = self.proposition
        return {
            "original_question": self.question,
            "effective_question": self.effective,
            "normalization_reason": self.reason,
            "asks_opposite": not p.positive,
            "predicate": p.predicate,
            "threshold": None
            if p.threshold is None
            else {"low": _finite(p.threshold.low), "high": _finite(p.threshold.high)},
            "window": {
                "kind": p.window.kind,
                "start": p.window.start and p.window.start.isoformat(),
                "end": p.window.end and p.window.end.isoformat(),
            },
        }


def _finite(value: float) -> float | None:
    return value if abs(value) != float("inf") else None


@lru_cache(maxsize=1 << 12)
def normalise(question: str, at: datetime) -> Reading:
    """Read a question as asked at `at`."""
    text = " ".join(question.replace("’", "'").replace("‘", "'").split())
    done: list[str] = []
    for what, rules in (("wording", _LEAD), ("figures", _FIGURES), ("polarity", _POLARITY)):
        before = text
        for pattern, replacement in rules:
            text = pattern.sub(replacement, text)
        if text != before:
            done.append(what)
            text = " ".join(text.split())
    if _NEGATED_TWICE.search(text):
        text = _NEGATED_TWICE.sub(" ", text)
        text = " ".join(text.split())
    proposition = read_question(text, at)
    if not proposition.positive and "polarity" not in done:
        done.append("polarity")
    reasons = {
        "wording": "the question was stripped to what it asks",
        "figures": "figures in words were written as figures",
        "polarity": "the question asks that something does not happen",
    }
    return Reading(
        question=question,
        effective=text,
        proposition=proposition,
        reason="; ".join(reasons[what] for what in done) or None,
        either=_either(text),
    )


def _rule(pattern: str, replacement: Replacement) -> tuple[re.Pattern[str], Replacement]:
    return re.compile(pattern, re.I), replacement


# What stands around a question.
_LEAD: Final = (
    _rule(
        r"^\W*(?:please\s+)?(?:(?:can|could|would)\s+you\s+)?(?:tell\s+me\s+|estimate\s+|"
        r"predict\s+|"
        r"forecast\s+)?(?:(?:what(?:'s|\s+is|\s+are)|how\s+(?:likely|probable)\s+is\s+it|"
        r"give\s+me)\s+)?(?:(?:the\s+)?(?:current\s+)?(?:probability|odds|chances?|likelihood)\s+)?"
        r"(?:(?:is\s+it\s+)?(?:that|of)\s+)(?=\w)",
        "Will ",
    ),
    _rule(r"^\W*(?:probability|odds|chances?|likelihood)(?:\s+that|:)?\s+(?=\w)", "Will "),
    _rule(r"\b(?:is|are)\s+(.{2,80}?)\s+going\s+to\s+(?=\w)", r"Will \1 "),
    _rule(
        r"\bis\s+(.{2,60}?)\s+the\s+(?:one|team|player|person)\s+(?:who|that|to)\s+", r"Will \1 "
    ),
)  # fmt: skip

_TENS: Final = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8,
    "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "fifteen": 15, "twenty": 20, "thirty": 30,
    "forty": 40, "fifty": 50, "hundred": 100,
}  # fmt: skip
_NTH: Final = {
    "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7,
    "eighth": 8, "ninth": 9, "tenth": 10, "eleventh": 11, "twelfth": 12, "fifteenth": 15,
    "sixteenth": 16, "twentieth": 20,
}  # fmt: skip
_NTH_WORD = "|".join(_NTH)
_TEN_WORD = "|".join(_TENS)
_PLACE = (
    rf"(?:(?P<w>{_NTH_WORD})|(?P<d>\d{{1,3}})(?:st|nd|rd|th)?)(?:[\s-]+(?:place|spot|position))?"
)


def _place(found: re.Match[str]) -> int:
    return _NTH[found["w"].casefold()] if found["w"] else int(found["d"])


def _top(found: re.Match[str]) -> str:
    return f" in the top {_place(found)}"


def _below_top(found: re.Match[str]) -> str:
    place = _place(found)
    return f" not in the top {place - 1}" if place > 1 else found[0]


def _spelled(found: re.Match[str]) -> str:
    return f"top {_TENS[found[1].casefold()]}"


_FIGURES: Final = (
    _rule(r"\b(?:a\s+)?half[\s-](?:a\s+|of\s+a\s+)?(?:percentage[\s-])?point\b", "50 bps"),
    _rule(
        r"\b(?:a\s+)?three[\s-]quarters?(?:\s+of\s+a)?[\s-](?:percentage[\s-])?point\b", "75 bps"
    ),
    _rule(r"\b(?:a\s+|one\s+)?quarter(?:\s+of\s+a)?[\s-](?:percentage[\s-])?point\b", "25 bps"),
    _rule(r"\b(?:a|one)\s+(?:full\s+)?percentage[\s-]point\b", "100 bps"),
    _rule(r"(?<=\d)[\s-]?(?:basis[\s-]points?|bps?)\b", " bps"),
    _rule(rf"\btop[\s-]({_TEN_WORD})\b", _spelled),
    _rule(
        rf"\s(?:in\s+)?(?:the\s+)?{_PLACE}\s+or\s+(?:better|higher|above)\b"
        r"(?!\s+(?:in\s+)?(?:percent|%))", _top,
    ),
    _rule(rf"\s(?:in\s+)?{_PLACE}\s+(?:place\s+)?or\s+(?:worse|lower|below)\b", _below_top),
    _rule(r"\b(?:among|one\s+of)\s+the\s+(?:last|final)\s+(four|eight|sixteen|two)"
          r"(?:\s+teams?)?(?:\s+(?:standing|left|remaining))?", lambda f: {
              "four": "reach the semifinals", "eight": "reach the quarterfinals",
              "sixteen": "reach the round of 16", "two": "reach the final"}[f[1].casefold()]),
)  # fmt: skip

_STAGE_WORD = (
    r"(?:semi-?\s?finals?|quarter-?\s?finals?|finals?|round\s+of\s+\d+|knockout\s+\w+|playoffs?|"
    r"(?:last|final)\s+(?:four|eight|sixteen|4|8|16)|group\s+stage)"
)
_RUN_OUT = (
    r"(?:pass(?:es)?(?:\s+by)?|ends?|finish(?:es)?|closes?|concludes?|runs?\s+out|goes?\s+by|"
    r"go\s+by|comes?\s+and\s+goe?s?|elapses?|expires?|gets?\s+through|goes?\s+through|go\s+through|"
    r"makes?\s+it\s+(?:past|through|to|beyond)|gets?\s+(?:past|beyond)|survives?)"
)

# Ways of saying that something does not happen. Each leaves one "not", which the reader of
# propositions takes for what it is; what it knows by itself (fail to, avoid, without, other than,
# stay below) is left to it.
_POLARITY: Final = (
    _rule(r"\b(?:be\s+)?(?:beaten|defeated)\s+or\s+(?:otherwise\s+)?fail\s+to\b", "fail to"),
    _rule(r"\b((?:any|every|some)(?:one|body|thing))\s+but\b", r"\1 other than"),
    _rule(r"\b(any|every|some)\s+(\w+)\s+but\b", r"\1 \2 other than"),
    _rule(
        rf"\b{_RUN_OUT}\b(?=.{{0,60}}\b(?:without|with\s+no|"
        r"with\s+.{2,40}\s+(?:still\s+)?(?:not|un)))", " ",
    ),
    _rule(r"\bwith\s+(.{2,60}?)\s+(?:still\s+)?not\s+having\b", r"without \1 having"),
    _rule(r"\b(?:still\s+)?(?:be|is|are|stay|remain)\s+short\s+of\b", "not be"),
    _rule(r"\b(?:falls?|comes?|stops?|ends?\s+up|finish(?:es)?)\s+short\s+of\b", "not have"),
    _rule(
        r"\b(?:be\s+)?(?:any|some)thing\s+(?:short\s+of|less\s+than(?!\s*\$?\d))(?!\w)", "not be"
    ),
    _rule(r",?\s+such\s+as\s+(?:an?\s+)?[^?]*", ""),
    _rule(r",\s+(?:whether|be\s+it|either)\s+(?:by|through|because)\b[^?]*", ""),
    _rule(r"\bmiss(?:es)?\s+(?:out\s+on\s+)?(?:the\s+)?cut\s+(?:for|in|at)\b", "fail to reach"),
    _rule(
        r"\bmiss(?:es)?\s+(?:out\s+on\s+)?(?:the\s+)?(?=.{0,40}(?:playoffs?|post-?season|"
        r"finals?|final\s+four|tournament|world\s+cup))", "fail to make the ",
    ),
    _rule(
        r"\bmiss(?:es)?\s+(?:out\s+on\s+)?(.{0,60}?)'s\s+top\s+(\d+)",
        r"fail to finish in the top \2 of \1",
    ),
    _rule(r"\bmiss(?:es)?\s+(?:out\s+on\s+)?(?:the\s+)?(?=top\s+\d)", "fail to finish in the "),
    _rule(r"\bmiss(?:es)?\s+out\s+on\s+", "fail to get "),
    _rule(r"\bmiss(?:es)?\s+(?=\w)", "fail to make "),
    _rule(r"\bskips?\s+(?=\w)", "not attend "),
    _rule(r"\b(?:snubs?|boycotts?|stays?\s+away\s+from)\s+(?=\w)", "not attend "),
    _rule(
        r"\b(?:escapes?|evades?|dodges?|staves?\s+off|fends?\s+off|(?:is|be)\s+spared)\s+(?=\w)",
        "avoid ",
    ),
    _rule(r"\b(?:declines?|refuses?|neglects?|omits?)\s+to\b", "not"),
    _rule(r"\b(?:refrains?|holds?\s+(?:off|back)|keeps?)\s+(?:from|on)\s+(?=\w+ing\b)", "not "),
    _rule(r"\b(?:decides?|opts?|chooses?)\s+(?:against\s+|not\s+to\s+)", "not "),
    _rule(
        r"\b(?:finish(?:es)?|ends?|falls?|lands?|lies?|comes?\s+in|be|is|places?)\s+outside"
        r"(?:\s+of)?\s+(?:the\s+)?(?=(?:top\b|\$?\d|-\d|range|band))", "not be in the ",
    ),
    _rule(
        r"\b(?:be\s+)?(?:eliminated|knocked\s+out|exits?|crash(?:es)?\s+out|bows?\s+out|"
        r"goes?\s+out|go\s+out|falls?|out)\b(.{0,60}?)\s+(?:before|short\s+of|ahead\s+of|"
        rf"prior\s+to)\s+(?:reaching\s+)?(?:the\s+)?(?={_STAGE_WORD})",
        r"fail to reach \1 the ",
    ),
    _rule(r"\b(?:remains?|stays?|keeps?|is\s+still|be\s+still|still\s+be|continue\s+to\s+be)\s+"
          r"(?:out\s+of|outside|free\s+of|clear\s+of)\b", "not be in"),
    _rule(
        r"\b(?:remains?|stays?|still\s+be|be\s+still)\s+(?:well\s+)?(?:below|under|short\s+of|off|"
        r"above|away\s+from)\s+(?=normal|usual|pre-?\w+\s+levels?)", "not return to ",
    ),
    _rule(
        r"\b(?:hangs?\s+on|clings?\s+on|holds?\s+on|stays?\s+on|survives?|lasts?)\s+"
        r"(?:to\s+(?:power|office)\s+)?(?:as|in)\s+(?:the\s+)?", "not be out as ",
    ),
    _rule(
        r"\b(?:keeps?|retains?|holds?\s+onto|hangs?\s+onto|clings?\s+to)\s+(?:his|her|their|its|"
        r"the)\s+(?=(?:job|post|office|premiership|presidency|leadership|position|role)\b)",
        "not be out of ",
    ),
    _rule(
        r"\b(?:remains?|stays?|is\s+still|still\s+be)\s+in\s+(?:office|power|post|charge)\b",
        "not be out",
    ),
    _rule(r"\bstill\s+(?=(?:have|has|be|is|are)\s+(?:not|no|yet)\b)", ""),
    _rule(r"\b(?:have|has|be|is|are)\s+yet\s+to\s+(?:be\s+)?", "not "),
    _rule(r"\b(?:nobody|no\s+one|none\s+of|neither)\b", "not anyone"),
    _rule(
        r"^(will|is|are|does|do|did|has|have|can)\s+no\s+(?!longer|more|fewer|less|later)(?=\w)",
        r"\1 not a ",
    ),
    _rule(r"\b(?:at\s+least\s+)?(?:a\s+)?part\s+of\s+(?=.{2,60}\bnot\b)", "all of "),
)  # fmt: skip
_NEGATED_TWICE: Final = re.compile(r"\bnot\s+not\b", re.I)

_EITHER: Final = re.compile(
    r"\beither\s+(?P<a>[^,?]{2,60}?)\s+or\s+(?P<b>[^,?]{2,60}?)\s+(?=(?:win|be|have|has|become|take|"
    r"make|reach|finish|get|lead|end|hold|own|come|go|announce|release|leave|sign|join)\b)",
    re.I,
)


def _either(text: str) -> tuple[str, ...]:
    found = _EITHER.search(text)
    return (found["a"], found["b"]) if found else ()
