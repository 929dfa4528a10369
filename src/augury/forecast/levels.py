"""Rules for ways of saying that a quantity reaches a level or stays on one side of it. Pure.

Each rule rewrites a wording to one of those that `markets.quantities` reads, e.g. hit (from either
side), surpass, dip to, climb to, stay (below or above).
"""

from __future__ import annotations

from typing import Final

from augury.propositions.ahead import rule

_MONEY: Final = r"[$€£]\s?\d"
_AMOUNT: Final = r"[$€£]?\d"
_LEVEL: Final = (
    r"(?:[$€£]\d|\d[\d,.]{0,14}\s?(?:k|m|bn?|t|[mb]illion|trillion)\b|\d{2}[\d,.]{0,14}\s?(?:[?]|$|(?:by|this|in|"
    r"before|end|eo[dwmqy])\b))"
)
"""Pattern of a number that is probably a price or another level: "$100", "100k", "the 100 by June".
Either it has a currency sign or a scale ("k", "million"); or it has at least two digits, and after
it the question ends or a date follows."""


LEVELS: Final = (
    rule(r"\b(?:(?:hit|reach|touch|top|cross)(?:es|s)?|above|over|below|under|past)\s+(?:six|6)\s+figures\b", "reach $100,000"),
    rule(r"(?:(?<=\d)|(?<=\d[kmbt%])|(?<=\dbn))\s+(?:mark|level|barrier|milestone|threshold|line)\b", ""),
    rule(r"\bnorth\s+of\s+(?=[$€£]?\d)", "above "),
    rule(r"\bsouth\s+of\s+(?=[$€£]?\d)", "below "),
    rule(r"\b(?:bigger|larger|greater|higher)\s+than\s+(?=[$€£]?\d)", "above "),
    rule(r"\b(?:smaller|lower)\s+than\s+(?=[$€£]?\d)", "below "),
    rule(rf"\bshy\s+of\s+(?={_AMOUNT})", "below "),
    # Stays on its side.
    rule(rf"\bspends?\s+(?P<when>.{{3,60}}?)\s+(?P<side>below|under|beneath|above|over)\s+(?P<level>{_AMOUNT}[\d.,]*+(?:\s?(?:%|[kmbt]\b|\w+illion\b))?)",
          r"stay \g<side> \g<level> \g<when>"),
    rule(r"\b(?:stay|remain|be|get|hover|end\s+up)(?:s|es)?\s+(?:stuck|capped|pinned|trapped|confined|anchored|rangebound|well|comfortably|safely)\s+"
          r"(?=(?:below|under|above|over)\b)", "stay "),
    rule(r"\b(?:stay|remain|fall|come|finish|end|top|max|stop|peak)(?:e?s)?\s+(?:up\s+|in\s+|out\s+)?(?:just\s+|well\s+)?short\s+of\s+"
          rf"(?:reaching\s+|hitting\s+)?(?:the\s+)?(?={_MONEY})", "stay below "),
    rule(r"\bkeeps?\s+(?:its|their)\s+heads?\s+(?=above\b)", "stay "),
    rule(rf"\b(?:holds?(?:\s+on\s?to)?|defends?|keeps?|maintains?)\s+(?:the\s+)?(?={_MONEY})", "stay above "),
    # Gets there.
    rule(rf"\b(?:los(?:e|es)|surrenders?|gives?\s+up)\s+(?:the\s+)?(?={_MONEY})", "dip below "),
    rule(r"\b(?:falling|dropping|dipping|sinking|sliding|slipping|plunging|tumbling|slumping)\s+(?:back\s+|down\s+)?(?=(?:to|below|under|beneath)\b)", "dip "),
    rule(r"\b(?:rising|climbing|rallying|surging|jumping|soaring)\s+(?:back\s+|up\s+)?(?=(?:to|past|above|over)\b)", "climb "),
    rule(rf"\b(?:hitting|reaching|touching)\s+(?=(?:the\s+)?{_AMOUNT})", "hit "),
    rule(r"\b(?:fall|drop|dip|sink|slide|slump|tumble|plunge|retreat|pull\s+back|come|crash|plummet|dive|drift|ease|correct|sag|tank|crater|"
          r"nosedive|sell\s+off|slip|go|get|move|trade|weaken|cool|decline)(?:e?s)?\s+(?:back\s+|all\s+the\s+way\s+)?down\s+to\s+(?=[$€£]?\d)", "dip to "),
    rule(r"\b(?:fall|drop|dip|sink|slide|slump|tumble|plunge|retreat|pull\s+back|crash|plummet|dive|drift|ease|correct|sag|tank|crater|"
          r"nosedive|sell\s+off|slip|weaken|cool|decline)(?:e?s)?\s+(?:back\s+|all\s+the\s+way\s+)?to\s+(?=[$€£]?\d)", "dip to "),
    rule(r"\b(?:crash|plummet|dive|drift|ease|sag|tank|crater|nosedive|slip|weaken|cool|sell\s+off|get|go|come|move)(?:e?s)?\s+(?:back\s+|down\s+)?(?P<side>below|under|beneath)\s+(?=[$€£]?\d)",
          "dip below "),
    rule(r"\b(?:go|get|gets|goes|come|comes|move|moves|trade|trades|sink|sinks|fall|falls|drop|drops)\s+(?:back\s+)?(?:down\s+)?as\s+low\s+as\s+(?=[$€£]?\d)", "dip to "),
    rule(r"\b(?:get|climb|go|rise|move|rally|run|push|power|advance|recover|spike|jump|pop|shoot|zoom|rocket|bounce|creep|tick|surge|soar|swing|inch|head|fly|march)(?:e?s)?\s+(?:back\s+|all\s+the\s+way\s+)?up\s+to\s+(?=[$€£]?\d)", "reach "),
    rule(r"\b(?:get|go|come|move|trade|return|make\s+it|swing)(?:e?s)?\s+(?:back\s+)?to\s+(?=[$€£]\d)", "hit "),
    rule(rf"\b(?:print|see|tag|notch|attain|achieve|fetch|meet)(?:e?s)?\s+(?:the\s+)?(?={_MONEY})", "hit "),
    rule(rf"\b(?:clear|breach|pierce|eclipse|crack|smash|pass|blow|break)(?:e?s)?\s+(?:(?:through|past)\s+)?(?:the\s+)?(?={_MONEY})", "surpass "),
    rule(rf"\b(?:go|move|push|run|fly|power|race|trade|march|get|close|break|vault|blast|charge|shoot|advance|push)(?:e?s)?\s+(?:up\s+)?(?:past|beyond|through)\s+(?:the\s+)?(?={_MONEY})",
          "surpass "),
    rule(r"\b(?:get|climb|go|rise|move|rally|run|push|spike|jump|shoot|head)(?:e?s)?\s+(?:back\s+|up\s+)?(?:above|over)\s+(?=[$€£]?\d)",
          "surpass "),
    rule(rf"^(?P<what>\W{{0,5}}(?:(?:is|are|will|does|do|can)\s+)?(?:(?!(?:dips?|climbs?|down|up)\s)[a-z][\w/&.-]{{0,30}}\s+){{1,2}}?)(?:go(?:es|ing)?\s+)?to\s+(?={_LEVEL})",
         r"\g<what>hit "),
    rule(rf"\b(?:getting|climbing)\s+(?:back\s+|up\s+)?to\s+(?={_LEVEL})", "hit "),
    rule(rf"\bdown\s+to\s+(?={_LEVEL})", "dip to "),
    rule(rf"^(?P<what>\W{{0,5}}(?:(?:is|will|does)\s+)?(?!(?:pays?|deposit|spend|fines?|costs?)\s)[a-z][\w/&.-]{{0,30}}\s+)up\s+to\s+(?={_LEVEL})",
         r"\g<what>reach "),
    rule(rf"\bgoe?s?\s+past\s+(?={_LEVEL})", "surpass "),
    rule(r"^(?P<what>\W{0,5}[a-z][\w/&.-]{1,20}\s+)(?=[$€£]?\d[\d,.]*\s?(?:k|m|bn?)\b|[$€£]\d|"
         r"(?!(?:19|20)\d\d\b)\d{1,3},?\d{2,3}\s+(?:by|this|in|before|end|eo[dwmqy])\b)", r"\g<what>hit "),
    rule(rf"\bset(?:s)?\s+foot\s+above\s+(?={_AMOUNT})", "surpass "),
)  # fmt: skip
"""Rules that rewrite wordings on levels, in the order in which they are applied: "fall short of
$100" -> "stay below $100", "drop to $100" -> "dip to $100". Rules for staying on one side of a
level come first. If the rules for reaching a level came first, they would change "hitting" in "stop
short of hitting $100" to "hit", and the rule for "stop short of" would no longer match."""
