"""Rules that take numbers, places in a contest ("third") and amounts written in words, and rewrite
them in the form that markets use. Pure."""

from __future__ import annotations

import re
from typing import Final

from augury.language import calendar, numerals
from augury.propositions.ahead import Ahead, Finder, Replacement, rule
from augury.propositions.wording import STATES

_TENS: Final = {word: n for word, n in {**numerals.COUNTS, "hundred": 100}.items() if n}
_NTH_WORD = numerals.ORDINAL
_TEN_WORD = "|".join(sorted(_TENS, key=len, reverse=True))
_PLACE = (
    rf"(?:(?P<w>{_NTH_WORD})|(?P<d>\d{{1,3}})(?:st|nd|rd|th))(?:[\s-]+(?:place|spot|position))?"
)
_MONTH = calendar.MONTH
_ROMAN = re.compile(r"(?P<l>L)?(?P<x>X{0,4})(?P<i>I[XV]|V?I{0,3})\Z")
_AMOUNT = r"\d{1,3}(?:,\d{3})*(?:\.\d+)?"
_NO_LATER_GROUP = r"(?!(?:(?<=\b\d,)|(?<=\b\d\d,)|(?<=\b\d\d\d,))\d{3})"
"""Lookahead that keeps a match from beginning inside a number, e.g. at the 500 of "2,500". Nothing
is lost: a match from the number's first digit was tried before, and ends at the same place."""
_STEPS: Final = {"half": 50, "quar": 25, "thre": 75}
_BANK: Final = re.compile(
    r"\b(?:fed|fomc|ecb|boe|boj|rba|rbnz|snb|central\s+banks?|bank\s+of\s+\w+|interest|rates)\b",
    re.I,
)
_MOVES: Final = re.compile(
    r"\b(?:cut|hike|hiking|rais|lower|eas(?:e|ing)\b|jack|trim|slash|reduc|increas|decreas|bump|mov)",
    re.I,
)
_STEP = r"(?:cut|hold|pause|hike|skip)"
_THEN = r"(?:\s*,\s*(?:and\s+)?(?:then\s+)?|\s+(?:and\s+)?then\s+|\s*[-–—/>]+\s*|\s+and\s+)"


def _place(found: re.Match[str]) -> int:
    return numerals.rank(found["w"] or found["d"])


def _top(found: re.Match[str]) -> str:
    return f" in the top {_place(found)}"


def _below_top(found: re.Match[str]) -> str:
    place = _place(found)
    return f" not in the top {place - 1}" if place > 1 else found[0]


def _spelled(found: re.Match[str]) -> str:
    return f"top {_TENS[found[1].casefold()]}"


def _number(word: str) -> int:
    return int(word) if word.isdecimal() else _TENS[word.casefold()]


def _counted(found: re.Match[str]) -> str:
    return f"{found[1] or ''}{_TENS[found[2].casefold()]}{found[3] or ''}"


def _rate_step(found: re.Match[str]) -> str:
    """Rewrites the amount of a rate move in basis points: "half a percent" -> "50 bps". It does so
    only if the text names a central bank, interest or rates, and a word before the amount says that
    something is moved ("cut", "raise"). Otherwise the amount stays as it is."""
    before = found.string[: found.start()]
    if not (_BANK.search(found.string) and _MOVES.search(before)):
        return found[0]
    step = found[1].casefold()
    return f"{_STEPS.get(step[:4]) or round(float(step) * (100 if step[0] == '.' else 1))} bps"


def _super_bowl(found: re.Match[str]) -> str:
    """Names a Super Bowl by its year instead of its Roman number: "Super Bowl LVIII" -> "2024 Super
    Bowl". A numeral that cannot be read is left as it is."""
    read = _ROMAN.match(found[1].upper())
    if read is None:
        return found[0]
    ones = {"IX": 9, "IV": 4}.get(read["i"], read["i"].count("I") + 5 * ("V" in read["i"]))
    return f"{1966 + 50 * bool(read['l']) + 10 * len(read['x']) + ones} Super Bowl"


def _chain(found: re.Match[str]) -> str:
    """A chain of rate decisions as markets write it: "cut, then hold, then cut" ->
    "cut–pause–cut"."""
    steps: list[str] = re.findall(_STEP, found[0].casefold())
    return "–".join("pause" if step == "hold" else step for step in steps)


def _ahead(pattern: str, later: str, replacement: Replacement) -> tuple[Finder, Replacement]:
    return Ahead(pattern, later), replacement


FIGURES: Final = (
    rule(r"\bsuper\s+bowl\s+([LXVI]+)\b", _super_bowl),
    rule(r"\s+at\s+least\s+once\b", ""),
    rule(r"\bbe\s+(?:playing|featuring|appearing|competing|taking\s+part)\s+(?:in|at)\b", "play in"),
    rule(r"\bmatch(?:es)?\s+or\s+(?=(?:beat|exceed|surpass|outperform))", ""),
    _ahead(r"\b(?:be\s+(?:handed|awarded|given|presented\s+with)|scoops?|bags?|picks?\s+up|collects?|lands?|nabs?|snags?|walks?\s+off\s+with|"
          r"(?:come|go|walk)(?:es|s)?\s+(?:home|away)\s+with|gets?\s+(?:his|her|their|its)\s+hands\s+on|hoists?|brings?\s+home)\s+"
          r"(?=(?:the|an?|this|his|her|their)\b)", r"\b(?:award|oscar|grammy|emmy|tony|globe|trophy|title|cup|prize|medal|mvp|crown|honou?rs?|ballon|year|championship)\b", "win "),
    rule(r"\b(?:be|is|get|gets)\s+voted\s+(?=(?:the\s+)?(?:(?:19|20)\d\d\s+)?(?-i:[A-Z]))", "win "),
    rule(r"\banywhere\s+(?:(?:in|on)\s+(?:the\s+world|the\s+planet|the\s+globe|earth)|at\s+all)\b", ""),
    rule(rf"\b{_NO_LATER_GROUP}({_AMOUNT})\s+(?!(?:percent|degrees?|points?|bps)\b)([a-z]{{3,}}s)\s+or\s+(more|fewer|less)\b", r"\1 or \3 \2"),
    rule(r"\b(?:the|(?<='s))\s+(?:daily\s+)?(high|low)\b(?=.*\b\d+\s*(?:degrees|°))(?!\s+temperature)", r" \1 temperature"),
    # A sentence without such a verb is matched to its end and kept, so it is scanned only once.
    rule(r"\b((?:high|low|temperature)\b[^?]*?)(?:\b(?P<verb>stays?|remains?|keeps?|holds?)\s+at\s+(?=\d+\s*(?:degrees|°\s?[FC]?)?\s+or\s+(?:less|lower|below|higher|more|above))|(?=\?|\Z))",
          lambda f: f"{f[1]}be at " if f["verb"] and re.search(r"\b(?:high|low)\b", f[1]) else f[0]),
    rule(rf"\b(?:go(?:es)?\s+)?{_STEP}s?{_THEN}{_STEP}s?{_THEN}{_STEP}s?\b", _chain),
    rule(rf"\bthe\s+({_NTH_WORD}|\d{{1,2}}(?:st|nd|rd|th))\s+(?:congressional\s+)?district\s+(?:of|in)\s+({'|'.join(s_.replace(' ', chr(92)+'s+') for s_ in STATES)})\b",
          lambda f: f"{f[2]}'s {numerals.ORDINALS.get(f[1].casefold()) or re.sub('[a-z]', '', f[1])}th District"),
    rule(rf"\b({'|'.join(s_.replace(' ', chr(92)+'s+') for s_ in STATES)})'s?\s+({_NTH_WORD})\s+(?=(?:congressional\s+)?district\b)",
          lambda f: f"{f[1]}'s {numerals.ORDINALS[f[2].casefold()]}th "),
    rule(r"\bfirst\s+or\s+second\b", "in the top 2"),
    rule(rf"\b(?:in\s+|(?<!\bin\s))one\s+of\s+(?:the\s+)?(.{{0,40}}?)(?:top\s+({_TEN_WORD}|\d++)|({_TEN_WORD}|(?<!\d)\d++)\s+(?:top|best|highest|leading))\s+"
          r"(?:places?|spots?|positions?|teams?|clubs?|finishers?)\b", lambda f: f"in the top {_number(f[2] or f[3])} of the {f[1]}"),
    rule(rf"\boutside\s+(?:of\s+)?((?:[\w'-]+\s+){{1,5}}?)(?:the\s+)?top\s+({_TEN_WORD}|\d+)\b", lambda f: f"outside the top {_number(f[2])} of {f[1]}"),
    rule(r"\bM\s?(\d\.\d)\s?(?:\+|or\s+(?:more|greater|higher|stronger|above))", r"magnitude \1 or higher"),
    rule(rf"\b(?:close|end|finish)(?:es|s)?\s+(?:out\s+)?({_MONTH}(?:\s+20\d\d)?|the\s+(?:month|year|quarter|week))\s+((?:above|below|over|under)\s+\$?\d[\d.,]*\d?(?:\s?%|[a-z]\w*)?)",
          r"be \2 at the end of \1"),
    rule(r"\b(the\s+(?:last\s+)?)(semi|quarter)s\b", r"\1\2finals"),
    rule(rf"\b({_MONTH})\s+(\d{{1,2}})\s+(?:to|through|thru|until|till|and)\s+(\d{{1,2}}),?\s+((?:19|20)\d\d)\b", r"\1 \2-\3, \4"),
    rule(rf"\b({_MONTH}\s+\d{{1,2}})\s+(to|through|thru|until|till|and)\s+({_MONTH}\s+\d{{1,2}}),?\s+((?:19|20)\d\d)\b",
          r"\1, \4 \2 \3, \4"),
    rule(r"\b(?:(?:have|get|score|post|pull\s+off|secure|claim|by)\s+)?(?:an?\s+)?(\d+(?:\.\d+)?)[\s-](?:percentage[\s-])?points?\s+(?:win|victory|margin)\b(?:\s+or\s+more)?",
          r"win by \1% or more"),
    rule(r"\bgo(?:es)?\s+to\s+the\s+polls(?:\s+in|\s+for)?(?:\s+an?)?(?:\s+\w+)?(?:\s+election)?\b", "hold an election"),
    rule(r"\b(?:win|take|get|earn|claim|bring\s+home)s?\s+(?:an?y?|some)\s+(?:\w+\s+)?medal\b", "finish in the top 3"),
    rule(r"\bat\s+least\s+one\s+(?=(?:\w+-)?\w+\b)(?!of\b|more\b|hundred\b)", "any "),
    rule(r"\b(?:get|go|make\s+it|come|progress|advance)(?:s|es)?\s+(?:as\s+far\s+as|at\s+least\s+to|all\s+the\s+way\s+to)\s+",
          "reach "),
    rule(r"\b(?:book|earn|secure|punch|claim|grab|clinch|take|win|get|nab|seal)(?:es|s)?\s+(?:an?|their|his|her|its|the)\s+"
          r"(?:place|spot|berth|ticket|slot|seat|trip)\s+(?:in|to|at|for)\s+(?=(?:the\s+)?(?:[\w'-]+\s+){0,5}?(?:semi|quarter|final|playoff|play-off|post-?season|knockout|last\s+|round\s+of|"
          r"world\s+cup))", "reach "),
    rule(r"\b(?:(?:end\s+up|finish|rank|be|go\s+down)(?:e?s)?\s+)?(?:among|one\s+of|in)\s+the\s+(two|three|four|five|ten|\d\d?)\s+(?=\w+est\b)",
          r"finish in the top \1 "),
    rule(r"\bat\s+least\s+one\s+of\s+(?:the\s+two\s+)?(?=(?:the\s+)?(?-i:[A-Z]))", ""),
    rule(r"\brank(?:s|ed)?\s+(?:in\s+)?(?:the\s+)?(?=(?:first|second|third|fourth|fifth|\d)\b)", "finish "),
    rule(rf"\b({'|'.join(s_.replace(' ', chr(92)+'s+') for s_ in STATES)})'s\s+(\d{{1,2}})(?:st|nd|rd|th)"
          r"(?!\s+(?:congressional|district|state|senate|street))\b", r"\1's \2th District"),
    rule(
        rf"(\b(?:at\s+least|at\s+most|more\s+than|fewer\s+than|less\s+than|exactly|over|under)\s+)({_TEN_WORD})(\b)",
        _counted,
    ),
    rule(rf"(\b)({_TEN_WORD})(\s+or\s+(?:more|fewer|less)\b)", _counted),
    rule(rf"(?<=\s)()((?!one\b|hundred\b)(?:{_TEN_WORD}))(\s+(?:\w+\s+)?(?:times?|cuts?|hikes?|\w+s)\b)", _counted),
    rule(rf"(?<=other\sthan\s)()((?!one\b|hundred\b)(?:{_TEN_WORD}))\b()", _counted),
    rule(r"\btwice\b", "2 times"),
    rule(r"\bmagnitude[\s-](\d(?:\.\d)?)(?:\+|[\s-]or[\s-](?:stronger|greater|larger|higher|more))", r"magnitude \1"),
    rule(r"\b(\d(?:\.\d)?)(?:\+|[\s-]or[\s-](?:stronger|greater|larger|higher|more))(?:[\s-]magnitude)?\s+(?=(?:earth)?quakes?\b|tremors?\b)", r"\1 "),
    rule(r"\b(?:a\s+)?half[\s-](?:a\s+|of\s+a\s+)?(?:percentage[\s-])?point\b", "50 bps"),
    rule(
        r"\b(?:a\s+)?three[\s-]quarters?(?:\s+of\s+a)?[\s-](?:percentage[\s-])?point\b", "75 bps"
    ),
    rule(r"\b(?:a\s+|one\s+)?quarter(?:\s+of\s+a)?[\s-](?:percentage[\s-])?point\b", "25 bps"),
    rule(r"\b(?:a|one)\s+(?:full\s+)?percentage[\s-]point\b", "100 bps"),
    rule(r"(?<=\d)[\s-]?(?:basis[\s-]points?|bps?)\b", " bps"),
    rule(r"\b(?:an?\s+)?(half|quarter|three[\s-]quarters?)(?:\s+(?:an?|of\s+an?))?[\s-]per\s?cent\b", _rate_step),
    rule(r"(?<![\d.,$])0?(\.(?:25|50?|75))\s?(?:%|per\s?cent\b)", _rate_step),
    rule(r"(?<![\d.,$])(25|50|75|100)(?=\s?\+|\s+(?:or\s+\w+er|or\s+more|in|at|this|next|by)\b|\s*[?!,]|\s*\Z)", _rate_step),
    rule(r"(?<=\d\sbps)\s+or\s+(?:bigger|larger|greater|deeper|steeper)\b", " or more"),
    rule(rf"\btop[\s-]({_TEN_WORD})\b", _spelled),
    rule(
        rf"\s(?:in\s+)?(?:the\s+)?{_PLACE}\s+or\s+(?:better|higher|above)\b"
        r"(?!\s+(?:in\s+)?(?:percent|%))", _top,
    ),
    rule(rf"\s(?:in\s+)?{_PLACE}\s+(?:place\s+)?or\s+(?:worse|lower|below)\b", _below_top),
)  # fmt: skip
