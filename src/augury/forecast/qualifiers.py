"""Conditions on how something happens: "win by 5 points", "win without conceding". Pure.

Whoever wins by 5 points wins. So the wider question, without the condition ("win"), is at least as
likely, and a market that asks it gives an upper bound.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from augury.forecast import pool
from augury.forecast.evidence import Estimate
from augury.search.text import terms

WIDER_MARKER: Final = "from_wider"
"""Marker in `Estimate.fallbacks`: the question asks whether something happens in one particular
way ("win by 5 points"), and the estimate rests on a market that names no way ("win")."""
WAY_SHARE: Final = 0.5
"""The probability that something happens in one particular way ("win by 5 points") is estimated as
this share, 0 to 1, of the probability of the wider question ("win"). No market says how often it
happens in this way. Chosen by hand, without data."""
MAX_CONFIDENCE: Final = 0.4
"""Upper limit, 0 to 1, of the confidence in an answer on whether something happens in one
particular way ("win by 5 points"), if its only bound comes from the wider question ("win"). It is
not known how many of the wins are wins by 5 points. Chosen by hand."""

MAX_CHARS: Final = 240
"""Longest question, in characters, that is searched for a condition on how something happens ("win
by 5 points"). Longer ones tell a story around the question, and the patterns would take too long on
them. Chosen by hand."""

_UNIT: Final = (
    r"(?:%|percent|(?:percentage[\s-])?points?|pts|votes?|goals?|runs?|seconds?|lengths?|touchdowns?|"
    r"tds?|scores?|games?|seats?|strokes?|shots?|baskets?)"
)
_NUMBER: Final = (
    r"(?:\d[\d.,]*\+?|an?|one|two|three|four|five|six|seven|eight|nine|ten|double digits)"
)
_MARGIN: Final = (
    r"by\s+(?:an?\s+margin\s+of\s+)?"
    r"(?:at\s+least\s+|more\s+than\s+|over\s+|under\s+|less\s+than\s+|exactly\s+)?"
    rf"(?:{_NUMBER}(?:\s*(?:to|-|–)\s*\d+)?\s*{_UNIT}|\d\d?\+?)(?:\s+or\s+(?:more|less|fewer))?"
)
_WIN: Final = (
    r"\b(?:wins?|winning|won|beats?|beating|defeats?|defeating|tops?|takes?|taking|gets?|tak(?:e|ing)\s+down|"
    r"elected|re-?elected|passes|passed|hold|holds|confirmed|picked|pick|over|prevails?|carr(?:y|ies)|"
    r"kills?|rules?|strikes?\s+down|overturns?)\b"
)
_WAY: Final = re.compile(
    rf"""\s+(?:
      {_MARGIN}(?=\s+(?:over|against|in|on|at|this|next|from|before)\b|\s*[?.!]*\s*$)
      | by\s+a\s+(?:\d+\s*[-–]\s*\d+\s+(?:vote|ruling|decision|margin)|landslide|wide\s+margin|
        comfortable\s+margin|single\s+(?:goal|point|run))
      | without\s+(?:conceding|needing|having\s+to|going\s+to|dropping|losing|a\s+(?:second\s+round|
        run-?off|shootout))(?:\s+[\w'-]+){{0,5}}?(?=\s+(?:in|on|at|this|next|by|before)\b|\s*[?.!]*\s*$)
      | (?:with|on|to)\s+(?:a\s+clean\s+sheet|nil)
      | in\s+(?:straight\s+sets|(?:two|three|four|five|\d)\s+(?:straight\s+)?sets|extra\s+time|
        overtime|ot|a\s+(?:sweep|shootout|landslide))
      | on\s+penalties | outright | unanimously | comfortably | in\s+the\s+first\s+round
      | with\s+(?:an?\s+(?:outright\s+|absolute\s+)?majority(?:\s+of\s+(?:the\s+)?votes?)?|
        (?:more\s+than|over|at\s+least|under|less\s+than)\s+(?:half|{_NUMBER}\s*(?:%|percent|points?|votes?))
        (?:\s+of\s+(?:the\s+)?votes?|\s+of\s+it|\s+support)?)
    )""",
    re.I | re.X,
)
"""Matches a way to win or to pass: "by at least 5 points", "without conceding", "in straight sets",
"in the first round", "with over half of the vote"."""
_BY_OVER: Final = re.compile(
    rf"^(?P<one>.+?)\s+{_MARGIN}\s+(?:over|against)\s+(?P<other>.+)$", re.I
)
"""Matches a win that is told by its margin alone, without a verb for winning: "Ada's club by more
than 20 over Bela's"."""
_WON: Final = re.compile(_WIN, re.I)
_OTHER_SENSE: Final = re.compile(
    r"\b(?:not|n['’]t|never|no|fail\w*|los(?:e|es|ing|t)|los[ts])\b", re.I
)
"""Matches words that may deny a win, as in "not win by 5 points". For a question with such a word,
`wider` returns None. `wider` removes the margin ("by 5 points") to get a likelier question, whose
price is an upper bound. But "not win" is less likely than "not win by 5 points", so its price is no
upper bound."""


_NEEDLESS: Final = re.compile(r",?\s+(?:with\s+)?no\s+run-?off(?:\s+(?:is\s+)?needed)?\b", re.I)
"""Matches "no runoff needed" and the like after a win. These words are dropped, because they add no
condition: whoever wins outright needs no runoff."""


_IN_FINAL: Final = re.compile(
    r"\b(?:beats?|beating|defeats?|over|past)\s+(?:the\s+|da\s+)?[\w.'’-]+(?:\s[\w.'’-]+){0,3}?\s+in\s+the\s+"
    r"(?P<what>super\s+bowl|world\s+series|(?:[\w-]+\s+){0,4}(?:cup|finals?))\b",
    re.I,
)
"""Matches a win over a named opponent in a final: "beat Bayern in the Champions League final"."""


_OR_ELSE: Final = re.compile(r"\bor\s+(?:else\s+|just\s+|even\s+)?(?:wins?|tie|draw)\b", re.I)
"""Matches "or win", "or draw" and the like, which name a second way for the answer to be Yes: "keep
it within ten or win outright". For such a question, `wider` returns None."""
_SPREAD: Final = re.compile(
    r"[-+]\d+(?:\.\d)?\)|\bspread\b|\bmargin\b|\bby\s+(?:over|more)\b", re.I
)
"""Matches the title of a market on a margin: "Rebels (-10.5)"."""


def wider(text: str) -> str | None:
    """The question without its condition on how something happens, such as the margin: "Will Ada
    win?" for "Will Ada win by 5 points?". None if there is no such condition, or if a word such as
    "not" may negate what happens."""
    whole, text = text, _NEEDLESS.sub("", text)
    if len(text) > MAX_CHARS or _OTHER_SENSE.search(text) or _OR_ELSE.search(text):
        return None
    won = _WON.search(text)
    if (final := _IN_FINAL.search(text)) is not None:
        what = re.sub(r"\s*\bfinals?$", "", final["what"], flags=re.I) or final["what"]
        return f"{text[: final.start()]}win the {what}{text[final.end() :]}"
    if (told := _BY_OVER.match(text)) is not None and (
        won is None or won.start() >= told.end("one")
    ):
        return f"{told['one']} beat {told['other']}"
    if won is None:
        return None
    found = f"{text[: won.start()]}{_WAY.sub('', text[won.start() :])}"
    return None if found == whole else found


def is_asked(market: str, question: str, without: str) -> bool:
    """Whether a market's title names the question's condition on how something happens ("by 5
    points"). True if the title has at least one of the terms that the condition adds to the
    question, or is about a margin ("Rebels (-10.5)"). Also True if the condition adds no term.

    market : the market's title
    question, without : the question with the condition ("win by 5 points") and without it ("win")
    """
    way = set(terms(question)) - set(terms(without))
    return not way or bool(way & set(terms(market))) or _SPREAD.search(market) is not None


def narrowed(wide: Estimate) -> Estimate:
    """The estimate for a question with a condition on how something happens ("win by 5 points"). It
    is made from the estimate `wide` for the question without the condition ("win"), whose
    probability is an upper bound."""
    most = wide.probability or 0.0
    p = round(max(pool.PROBABILITY_EDGE, most * WAY_SHARE), 6)
    return replace(
        wide, probability=p, lower=0.0, upper=max(p, wide.upper or most), decisive=None,
        confidence=min(wide.confidence, MAX_CONFIDENCE), distribution=None,
        limits=(0.0, round(most, 6)),
        evidence=tuple(
            replace(one, role="bound", low=0.0, high=one.probability)
            if one.role == "direct" else one
            for one in wide.evidence
        ),
        reasoning="The question adds a condition on how something happens. With this condition it"
        f" is at most as likely as without it. Without the condition: {wide.reasoning}",
        fallbacks=(WIDER_MARKER,),
    )  # fmt: skip
