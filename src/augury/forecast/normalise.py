"""A question in plain words brought to the form markets have: positive, in figures, dated. Pure.

Three things are done to the text before its parts are read: what surrounds the question is
dropped ("what are the odds that"), figures in words become figures ("a quarter point", "fourth or
higher"), and ways of saying that something does not happen become "not" ("miss the playoffs",
"come and go without", "hang on as"). What remains is read by `relations.reading`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Final

from augury.forecast.framing import framed
from augury.forecast.levels import LEVELS
from augury.forecast.moments import dated
from augury.language import amounts, calendar, numerals
from augury.relations.ahead import Ahead, Finder, Replacement
from augury.relations.claims import claimed, inside, masked, unmasked
from augury.relations.proposition import Proposition
from augury.relations.reading import read, read_question
from augury.relations.wording import STATES
from augury.remembered import remembered


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
    wider: str | None = None
    """The win alone, where the question is of a win by so much."""
    core: str = ""
    """The question without what stands around it, in its own words."""
    denied: bool = False
    """What stands around it denies it: "is it false that"."""
    side: str | None = None
    """The side that it names of a market's title: "Who will win X? — Name"."""

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

    def parts(self, at: datetime) -> list[Reading]:
        """The question for each of the names of which one will do."""
        return [normalise(_EITHER.sub(f"{name} ", self.effective), at) for name in self.either]

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


def normalise(question: str, at: datetime) -> Reading:
    """Read a question as asked at `at`; of the moment only the day tells."""
    return _normalised(question, at.date())


@remembered(16 << 20)
def _normalised(question: str, day: date) -> Reading:
    frame = framed(question)
    denied = frame.denied
    title, dash, side = frame.core.rpartition(" — ")
    if dash and title and side:
        # A market's title with one of its sides is read as the market is.
        side = side.rstrip("?").strip()
        proposition = read(frame.core, title=title, subtitle=side, opened=day, asked=True)
        return Reading(
            question=question,
            effective=frame.core,
            proposition=proposition.denied() if denied else proposition,
            reason=_REASONS["polarity"] if denied else None,
            core=frame.core,
            denied=denied,
            side=side,
        )
    text, quotes = masked(frame.core)
    done = ["wording"] if frame.changed and frame.core.casefold() != question.casefold() else []
    text = dated(text, day)
    if (counted := amounts.plain(text)) != text:
        done.append("figures")
        text = counted
    for what, rules in (
        ("wording", _LEAD), ("figures", (*_FIGURES, *LEVELS)), ("polarity", _POLARITY),
    ):  # fmt: skip
        before = text
        for pattern, replacement in rules:
            text = _applied(pattern, replacement, text, what)
        if text != before:
            done.append(what)
            text = " ".join(text.split())
    text = _NOD.sub("nomination", text)
    if _NEGATED_TWICE.search(text):
        text = _NEGATED_TWICE.sub(" ", text)
        text = " ".join(text.split())
    text = unmasked(text, quotes)
    proposition = read_question(_POSSESSIVE.sub("", text), day)
    if denied:
        proposition = proposition.denied()
    if not proposition.positive and "polarity" not in done:
        done.append("polarity")
    return Reading(
        question=question,
        effective=text,
        proposition=proposition,
        reason="; ".join(_REASONS[what] for what in dict.fromkeys(done)) or None,
        either=() if denied else _either(text),
        wider=_wider(text) if proposition.positive and not denied else None,
        core=frame.core,
        denied=denied,
    )


_REASONS: Final = {
    "wording": "the question was stripped to what it asks",
    "figures": "figures in words were written as figures",
    "polarity": "the question asks that something does not happen",
}


def _applied(pattern: Finder, replacement: Replacement, text: str, what: str) -> str:
    """The text with a rule applied, but to nothing that begins in a name."""
    if pattern.search(text) is None:
        return text
    if what != "polarity":
        return pattern.sub(replacement, text)
    names = claimed(text)

    def outside(found: re.Match[str]) -> str:
        if inside(names, found.start()):
            return found[0]
        return replacement(found) if callable(replacement) else found.expand(replacement)

    return pattern.sub(outside, text)


def _rule(pattern: str, replacement: Replacement) -> tuple[Finder, Replacement]:
    return re.compile(pattern, re.I), replacement


def _ahead(pattern: str, later: str, replacement: Replacement) -> tuple[Finder, Replacement]:
    return Ahead(pattern, later), replacement


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
    _rule(r"^\W*what(?:'s|\s+is|\s+are)\s+(?:the\s+)?(?:\w+\s+)?(?:probability|odds|chances?|likelihood)\s+(?:for\s+)?(?=\w)", "Will "),
    _rule(r"^\W*(?:probability|odds|chances?|likelihood)(?:\s+that|:)?\s+(?=\w)", "Will "),
    _rule(r"\b(?:is|are)\s+(.{2,80}?)\s+going\s+to\s+(?=\w)", r"Will \1 "),
    # Titles stand before names that markets give without.
    (re.compile(r"\b(?:Governor|Gov\.?|Senator|Sen\.?|Representative|Rep\.?|Congress(?:man|woman)|"
                r"President(?!\s+of)|Secretary(?!\s+of)|Mayor(?!\s+of)|Chancellor|Justice|Judge|Mrs?\.?|Ms\.?|Dr\.?|"
                r"Sir|Coach)\s+(?=[A-Z][a-z]+)"), ""),
    _rule(
        r"\bis\s+(.{2,60}?)\s+the\s+(?:one|team|player|person)\s+(?:who|that|to)\s+", r"Will \1 "
    ),
)  # fmt: skip

_TENS: Final = {word: n for word, n in {**numerals.COUNTS, "hundred": 100}.items() if n}
_NTH_WORD = numerals.ORDINAL
_TEN_WORD = "|".join(sorted(_TENS, key=len, reverse=True))
_PLACE = (
    rf"(?:(?P<w>{_NTH_WORD})|(?P<d>\d{{1,3}})(?:st|nd|rd|th))(?:[\s-]+(?:place|spot|position))?"
)


def _place(found: re.Match[str]) -> int:
    return numerals.ORDINALS[found["w"].casefold()] if found["w"] else int(found["d"])


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


_MONTH = calendar.MONTH
_ROMAN = re.compile(r"(?P<l>L)?(?P<x>X{0,4})(?P<i>I[XV]|V?I{0,3})\Z")


def _super_bowl(found: re.Match[str]) -> str:
    """The year in which it is played: the first was in January 1967."""
    read = _ROMAN.match(found[1].upper())
    if read is None:
        return found[0]
    ones = {"IX": 9, "IV": 4}.get(read["i"], read["i"].count("I") + 5 * ("V" in read["i"]))
    return f"{1966 + 50 * bool(read['l']) + 10 * len(read['x']) + ones} Super Bowl"


def _chain(found: re.Match[str]) -> str:
    """Decisions in their order, as markets write them."""
    steps: list[str] = re.findall(_STEP, found[0].casefold())
    return "–".join("pause" if step == "hold" else step for step in steps)


_AMOUNT = r"\d{1,3}(?:,\d{3})*(?:\.\d+)?"
_NO_LATER_GROUP = r"(?!(?:(?<=\b\d,)|(?<=\b\d\d,)|(?<=\b\d\d\d,))\d{3})"
"""Not at thousands of an amount that begins before: it was tried, and would end alike."""
_STEP = r"(?:cut|hold|pause|hike|skip)"
_THEN = r"(?:\s*,\s*(?:and\s+)?(?:then\s+)?|\s+(?:and\s+)?then\s+|\s*[-–—/>]+\s*|\s+and\s+)"
_FIGURES: Final = (
    _rule(r"\bsuper\s+bowl\s+([LXVI]+)\b", _super_bowl),
    _rule(r"\b(?:bring|take|push)s?\s+((?:its\s+|the\s+|interest\s+|policy\s+)*)rates?\s+down\b", r"cut \1rates"),
    _rule(r"\b(?:bring|take|push)s?\s+down\s+(?=(?:its\s+|the\s+|interest\s+|policy\s+)*rates?\b)", "cut "),
    _rule(r"\s+at\s+least\s+once\b", ""),
    _rule(r"\bbe\s+(?:playing|featuring|appearing|competing|taking\s+part)\s+(?:in|at)\b", "play in"),
    _rule(r"\bmatch(?:es)?\s+or\s+(?=(?:beat|exceed|surpass|outperform))", ""),
    _ahead(r"\b(?:be\s+(?:handed|awarded|given|presented\s+with)|scoops?|bags?|picks?\s+up|collects?|lands?|nabs?|snags?|walks?\s+off\s+with|"
          r"(?:come|go|walk)(?:es|s)?\s+(?:home|away)\s+with|gets?\s+(?:his|her|their|its)\s+hands\s+on|hoists?|brings?\s+home)\s+"
          r"(?=(?:the|an?|this|his|her|their)\b)", r"\b(?:award|oscar|grammy|emmy|tony|globe|trophy|title|cup|prize|medal|mvp|crown|honou?rs?|ballon|year|championship)\b", "win "),
    _rule(r"\b(?:be|is|get|gets)\s+voted\s+(?=(?:the\s+)?(?:(?:19|20)\d\d\s+)?(?-i:[A-Z]))", "win "),
    _rule(r"\b(?:comes?\s+out\s+of|emerges?\s+from)\s+(the\s+(?:[\w'-]+\s+){0,4}?(?:election|vote|ballot|contest|race|runoff))\s+as\s+(?=(?!the\s+(?:largest|biggest))(?:\w))",
          r"win \1 for "),
    _rule(r"\banywhere\s+(?:(?:in|on)\s+(?:the\s+world|the\s+planet|the\s+globe|earth)|at\s+all)\b", ""),
    _rule(rf"\b{_NO_LATER_GROUP}({_AMOUNT})\s+(?!(?:percent|degrees?|points?|bps)\b)([a-z]{{3,}}s)\s+or\s+(more|fewer|less)\b", r"\1 or \3 \2"),
    _rule(r"\b(?:the|(?<='s))\s+(?:daily\s+)?(high|low)\b(?=.*\b\d+\s*(?:degrees|°))(?!\s+temperature)", r" \1 temperature"),
    # A match to the end of the sentence says that nothing more comes in it.
    _rule(r"\b((?:high|low|temperature)\b[^?]*?)(?:\b(?P<verb>stays?|remains?|keeps?|holds?)\s+at\s+(?=\d+\s*(?:degrees|°\s?[FC]?)?\s+or\s+(?:less|lower|below|higher|more|above))|(?=\?|\Z))",
          lambda f: f"{f[1]}be at " if f["verb"] and re.search(r"\b(?:high|low)\b", f[1]) else f[0]),
    _rule(rf"\b(?:go(?:es)?\s+)?{_STEP}s?{_THEN}{_STEP}s?{_THEN}{_STEP}s?\b", _chain),
    _rule(rf"\bthe\s+({_NTH_WORD}|\d{{1,2}}(?:st|nd|rd|th))\s+(?:congressional\s+)?district\s+(?:of|in)\s+({'|'.join(s_.replace(' ', chr(92)+'s+') for s_ in STATES)})\b",
          lambda f: f"{f[2]}'s {numerals.ORDINALS.get(f[1].casefold()) or re.sub('[a-z]', '', f[1])}th District"),
    _rule(rf"\b({'|'.join(s_.replace(' ', chr(92)+'s+') for s_ in STATES)})'s?\s+({_NTH_WORD})\s+(?=(?:congressional\s+)?district\b)",
          lambda f: f"{f[1]}'s {numerals.ORDINALS[f[2].casefold()]}th "),
    _rule(r"\bfirst,?\s+second,?\s+(?:or|and)\s+third\b", "in the top 3"),
    _rule(r"\bfirst\s+or\s+second\b", "in the top 2"),
    _rule(rf"\b(?:in\s+|(?<!\bin\s))one\s+of\s+(?:the\s+)?(.{{0,40}}?)(?:top\s+({_TEN_WORD}|\d++)|({_TEN_WORD}|(?<!\d)\d++)\s+(?:top|best|highest|leading))\s+"
          r"(?:places?|spots?|positions?|teams?|clubs?|finishers?)\b", lambda f: f"in the top {_number(f[2] or f[3])} of the {f[1]}"),
    _rule(rf"\boutside\s+(?:of\s+)?((?:[\w'-]+\s+){{1,5}}?)(?:the\s+)?top\s+({_TEN_WORD}|\d+)\b", lambda f: f"outside the top {_number(f[2])} of {f[1]}"),
    _rule(r"\bM\s?(\d\.\d)\s?(?:\+|or\s+(?:more|greater|higher|stronger|above))", r"magnitude \1 or higher"),
    _rule(r"\b(?:earns?|gains?|gets?|secures?|takes?|claims?|seals?)\s+(?:the|an?|his|her|their|its)\s+(?:\w+\s+){1,4}by\s+winning\b", "win"),
    _rule(r"\bcomes?\s+(?:out|away)\s+(?:of|from)\s+(?=.{2,50}\bwith\s+the\s+(?:most|largest|biggest|highest)\b)", "emerge from "),
    _rule(r"\b(the\s+(?:last\s+)?)(semi|quarter)s\b", r"\1\2finals"),
    _rule(rf"\b({_MONTH})\s+(\d{{1,2}})\s+(?:to|through|thru|until|till|and)\s+(\d{{1,2}}),?\s+((?:19|20)\d\d)\b", r"\1 \2-\3, \4"),
    _rule(rf"\b({_MONTH}\s+\d{{1,2}})\s+(to|through|thru|until|till|and)\s+({_MONTH}\s+\d{{1,2}}),?\s+((?:19|20)\d\d)\b",
          r"\1, \4 \2 \3, \4"),
    _rule(r"\b(?:(?:have|get|score|post|pull\s+off|secure|claim|by)\s+)?(?:an?\s+)?(\d+(?:\.\d+)?)[\s-](?:percentage[\s-])?points?\s+(?:win|victory|margin)\b(?:\s+or\s+more)?",
          r"win by \1% or more"),
    _rule(r",?\s+(?:and\s+)?with\s+(?:no|not\s+an?)\s+(?:single\s+)?\w+-free\s+\w+,?", " "),
    _rule(r"\bgo(?:es)?\s+to\s+the\s+polls(?:\s+in|\s+for)?(?:\s+an?)?(?:\s+\w+)?(?:\s+election)?\b", "hold an election"),
    _rule(r"\b(?:win|take|get|earn|claim|bring\s+home)s?\s+(?:an?y?|some)\s+(?:\w+\s+)?medal\b", "finish in the top 3"),
    _rule(r"\b(?:finish|be|end\s+up|get|make\s+it|stand)(?:es|s)?\s+on(?:to)?\s+the\s+podium\b", "finish in the top 3"),
    _rule(r"\bat\s+least\s+one\s+(?=(?:\w+-)?\w+\b)(?!of\b|more\b|hundred\b)", "any "),
    _rule(r"\b(?:get|go|make\s+it|come|progress|advance)(?:s|es)?\s+(?:as\s+far\s+as|at\s+least\s+to|all\s+the\s+way\s+to)\s+",
          "reach "),
    _rule(r"\b(?:book|earn|secure|punch|claim|grab|clinch|take|win|get|nab|seal)(?:es|s)?\s+(?:an?|their|his|her|its|the)\s+"
          r"(?:place|spot|berth|ticket|slot|seat|trip)\s+(?:in|to|at|for)\s+(?=(?:the\s+)?(?:[\w'-]+\s+){0,5}?(?:semi|quarter|final|playoff|play-off|post-?season|knockout|last\s+|round\s+of|"
          r"world\s+cup))", "reach "),
    _rule(r"\bbe\s+(?:an?\s+)?(?:\d{4}\s+)?(?:(?:nba|nfl|mlb|nhl|ipl)\s+)?playoff\s+team\b", "make the playoffs"),
    _rule(r"\bbe\s+(?:in|among|part\s+of)\s+the\s+((?:\d{4}\s+)?(?:\w+\s+)?playoff)\s+(?:field|teams?|bracket|picture|mix)\b", r"make the \1s"),
    _rule(r"\b(?:among|one\s+of)\s+the\s+(?:last|final)\s+(four|eight|sixteen|two)"
          r"(?:\s+teams?)?(?:\s+(?:standing|left|remaining))?", lambda f: {
              "four": "reach the semifinals", "eight": "reach the quarterfinals",
              "sixteen": "reach the round of 16", "two": "reach the final"}[f[1].casefold()]),
    _rule(r"\bat\s+least\s+one\s+of\s+(?:the\s+two\s+)?(?=(?:the\s+)?[A-Z])", ""),
    _rule(r"\brank(?:s|ed)?\s+(?:in\s+)?(?:the\s+)?(?=(?:first|second|third|fourth|fifth|\d)\b)", "finish "),
    _rule(rf"\b({'|'.join(s_.replace(' ', chr(92)+'s+') for s_ in STATES)})'s\s+(\d{{1,2}})(?:st|nd|rd|th)"
          r"(?!\s+(?:congressional|district|state|senate|street))\b", r"\1's \2th District"),
    _rule(
        rf"(\b(?:at\s+least|at\s+most|more\s+than|fewer\s+than|less\s+than|exactly|over|under)\s+)({_TEN_WORD})(\b)",
        _counted,
    ),
    _rule(rf"(\b)({_TEN_WORD})(\s+or\s+(?:more|fewer|less)\b)", _counted),
    _rule(rf"(?<=\s)()((?!one\b|hundred\b)(?:{_TEN_WORD}))(\s+(?:\w+\s+)?(?:times?|cuts?|hikes?|\w+s)\b)", _counted),
    _rule(rf"(?<=other\sthan\s)()((?!one\b|hundred\b)(?:{_TEN_WORD}))\b()", _counted),
    _rule(r"\btwice\b", "2 times"),
    _rule(r"\bmagnitude[\s-](\d(?:\.\d)?)(?:\+|[\s-]or[\s-](?:stronger|greater|larger|higher|more))", r"magnitude \1"),
    _rule(r"\b(\d(?:\.\d)?)(?:\+|[\s-]or[\s-](?:stronger|greater|larger|higher|more))(?:[\s-]magnitude)?\s+(?=(?:earth)?quakes?\b|tremors?\b)", r"\1 "),
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
_WHO = (
    r"(?:someone|somebody|anyone|anybody|something|anything|(?:an?|any|some|another)\s+(?:\w+\s+)?"
    r"(?:team|player|club|side|candidate|person|company|country|nation|film|movie|driver|party|school|"
    r"artist|song|album|show|firm|coin|lab|franchise|contender|rival|actor|actress|director|man|woman))"
)
_SPAN = rf"(?:{_MONTH}(?:\s+\d{{1,2}})?(?:,?\s+(?:19|20)\d\d)?|(?:19|20)\d\d)"
_LIST = r"(?:line-?up|short-?list|nominees|nominations)\b"
_LEAGUE = r"(?:premier\s+league|serie\s+a|la\s+liga|bundesliga|ligue\s+1|eredivisie|[\w']+\s+league|top\s+(?:flight|division|tier))"
_UN = (
    r"un(?!changed|ited|ified|limited|precedented|employed|disputed|expected|opposed|conditional|"
    r"usual|der|defeated|beaten|certain|likely|animous|ion|til|less)"
    r"(?=(?:\w+ed|sold|built|paid|signed|known|drafted|won|met|seen|struck|done|made|held|taken|"
    r"broken|spoken|written|chosen|read|told|heard|spent|sent|sung|worn|cut|shut|set|split|hurt|cast|hit)\b)"
)
_NO = r"no\s+(?!longer|more|fewer|less|later|changes?|sooner|earlier|one\b|doubt|matter)"
_POLARITY: Final = (
    _rule(rf"^will\s+it\s+be\s+({_SPAN})\s+or\s+(?:later|after|beyond)\s+before\s+([^?]+)\?*$", r"Will \2 not happen before \1?"),
    _rule(rf"\b(?:when|once|after|by\s+the\s+time)\s+({_SPAN})\s+(?:is|has)\s+(?:past|passed|over|gone|behind\s+us)\b", r"by the end of \1"),
    _rule(r"^(?:is|are)\s+((?:(?!\bstill\b)[\w.'’-]+\s+){1,6})still\s+(?=\w)", r"Will \1still be "),
    _rule(r"\b(?:nobody|no\s+one|none|no\s+other\s+\w+)\s+(?:but|other\s+than|except(?:\s+for)?|besides)\s+(?=[A-Z])", ""),
    _rule(r"\b(?:an?|any|some)\s+(?-i:non-(?=[A-Z]))([\w']+)\b(?!\s+(?:film|song|album|work|language|launch|space|US|commercial))", r"someone other than \1"),
    _rule(r"\b(?:an?|any|some)\s+(?:opponent|rival|challenger|competitor)\s+(?:of|to)\s+", "someone other than "),
    _rule(r"\breject(?:s|ed)?\s+(?=(?-i:[A-Z])[\w.'-]+\s+(?-i:[A-Z]))(?=.*\b(?:primary|election|nomin\w+|race|ballot)\b)", "not choose "),
    _rule(r"\b((?:keep|stay|remain|hold)s?\b[^?]*?),\s+(?:with\s+no|without)\b[^?]*", r"\1"),
    _rule(r",?\s+or\s+(?:else\s+)?(?:not|never)\s+happen\s+at\s+all\b", ""),
    _rule(r"\blos(?:e|es|ing)\s+(?:the|his|her|their|its)\s+(?:place|spot|status|crown|rank|ranking|position|standing)\s+as\s+", "no longer be "),
    # Put off, held back.
    _rule(rf"\b((?:delay|postpone|defer|shelve|wait)s?|puts?\s+off|push(?:es)?\s+back|holds?\s+(?:off|back))\b(.{{0,60}}?)\s+(?:past|beyond|(?:until|till|to)\s+after)\s+(?={_SPAN})",
          r"\1\2 through "),
    _rule(r"\bholds?\s+off\s+(?:on|from)\s+(?=(?:an?|the|its|any)\b)", "not have "),
    _rule(r"\bwith\s+(.{2,60}?)\s+(?:still\s+)?yet\s+to\s+(?:be\s+)?", r"without \1 having "),
    _rule(rf"\bleaves?\s+(.{{2,60}}?)\s+{_UN}", r"not have \1 "),
    _rule(rf"\bwith\s+((?:(?!\b(?:be|is|are|remain|stay|go|still|left)).){{2,60}}?)\s+(?:still\s+)?{_UN}", r"without \1 being "),
    _rule(rf"\b(leads?\s+to|results?\s+in|brings?|yields?|produces?|finds?|faces?|includes?|features?|contains?|hears?|gets?|makes?|wins?|takes?|names?)\s+{_NO}",
          r"not \1 any "),
    _rule(r"\b(?:be\s+)?nowhere\s+(?:to\s+be\s+(?:seen|found)|in\s+sight|near)\b", "not be there"),
    _rule(r"\bon\s+the\s+outside\s+of\s+", "not in "),
    # Offices and seats.
    _rule(rf"\b(?:makes?\s+it|gets?|lasts?|comes?)\s+(?:through|past|beyond)\s+({_SPAN})\s+(?:still\s+)?(?:as|in\s+(?=office|power|post|charge))\s*", r"not be out by the end of \1 as "),
    _rule(rf"\b(?:weathers?|outlasts?)\s+({_SPAN})\s+(?:still\s+)?(?:as|in\s+(?=office|power|post|charge))\s*", r"not be out by the end of \1 as "),
    _rule(r"\blos(?:e|es|ing)\s+(?:the|his|her|their|its)\s+(?=(?:gavel|speakership|chairmanship|throne|chancellorship|captaincy|mayoralty|governorship)\b)", "leave "),
    _rule(r"\blos(?:e|es|ing)\s+power\b", "be out of power"),
    _rule(r"\blos(?:e|es|ing)\s+(?:(?:its|their|his|her|all)\s+)?(?:control|hold|grip|possession)\s+(?:of|on|over)\b", "no longer control"),
    _rule(r"\b(?:holds?|keeps?|retains?|flips?|recaptures?|regains?|reclaims?|takes?(?:\s+back)?|wins?\s+back)\s+(?:on\s?to\s+)?(?:control\s+of\s+|(?:their|its|a|the)\s+majority\s+in\s+)?"
          r"(?=(?:the\s+|an?\s+)?(?:(?:U\.?S\.?\s+)?(?-i:House|Senate)\b(?!\s+(?:of|race\s+in|arrest|Judiciary))|[\w.' -]{0,30}?(?:congressional\s+district|\d(?:st|nd|rd|th)\s+district|House\s+seat|Senate\s+seat|governorship|governor's\s+(?:mansion|office))|(?-i:[A-Z]{2}-\d)))",
          "win "),
    # Rates that stay where they are.
    _rule(r"\brates?\s+(not\s+)?(?:be|remains?|stays?|is|are|be\s+left|be\s+kept|be\s+held)\s+(?:unchanged|the\s+same|steady|flat|on\s+hold|where\s+(?:it|they)\s+(?:is|are))\b",
          r"rates \1see no change"),
    _rule(r"\brates?\s+(?:be|end\s+up)\s+(?:different|changed|moved)\b", "rates not see no change"),
    _rule(r"\bskips?\s+(?=(?:an?|any)\s+(?:rate|interest)\b)", "not make "),
    _rule(r"\b(?:either\s+)?(?:(?:cut|lower|reduce)s?\s+or\s+(?:hike|raise|increase)s?|(?:hike|raise|increase)s?\s+or\s+(?:cut|lower|reduce)s?)\s+(?=(?:interest\s+|its\s+|the\s+|key\s+|policy\s+|bank\s+)*rates?\b)",
          "not make no change in "),
    # A deal that is struck, or signed, is reached.
    _rule(r"\b(?:strikes?|inks?|clinch(?:es)?|seals?|cuts?|hammers?\s+out|thrash(?:es)?\s+out|nails?\s+down|conclud(?:e|es))\s+"
          r"(?=(?:an?|any|some|the|their)\s+(?:[\w-]+\s+){0,4}?(?:deal|agreement|accord|pact|truce|ceasefire|settlement)\b)", "reach "),
    # Leagues that one drops out of.
    _rule(rf"\blos(?:e|es)\s+(?:its|their)\s+(?:place|spot|status)\s+in\s+(?=(?:the\s+)?{_LEAGUE})", "be relegated from "),
    _rule(rf"\b(?:keeps?|retains?|saves?)\s+(?:its|their)\s+(?:place|spot|status)\s+in\s+(?=(?:the\s+)?{_LEAGUE})", "not be relegated from "),
    _rule(r"\b(?:drops?|falls?|goes|go|sinks?|tumbles?|slips?)\s+(?:back\s+)?(?:down\s+)?(?:in)?to\s+(?:the\s+)?(?:serie\s+b|ligue\s+2|la\s+liga\s+2|(?:2\.|second|zweite)\s+bundesliga|championship|segunda|second\s+(?:tier|division))\b",
          "be relegated"),
    _rule(r"\b(?:stays?\s+up|(?:beat|avoid|escape|dodge|survive)s?\s+(?:the\s+)?(?:drop|relegation)|"
          r"retains?\s+(?:its|their)\s+(?:top[\s-]flight|league)\s+status|"
          r"survives?(?=\s+in\s+(?:the\s+)?(?:premier|serie|ligue|la\s+liga|bundesliga|championship|top)))\b",
          "not be relegated"),
    _rule(r"\b(?:go|goes|going)\s+down(?!\s+(?:in\s+(?:flames|history)|with|to\s+defeat)|\s+(?:to|by|as|in\s+(?:price|value|history)))\b", "be relegated"),
    _rule(r"\b(?:drops?|falls?|tumbles?)\s+(?:out\s+of|from)\s+(?:the\s+|[A-Z]\w+'s\s+)?(?:\w+\s+)?(?:top\s+(?:flight|division|tier)|premier\s+league)\b",
          "be relegated"),
    # Candidates.
    _rule(rf"^(?:will|does|do|is|are)\s+.{{2,60}}?\s+(?:leav(?:e|es|ing)|keep(?:s|ing)?|cut(?:s|ting)?|drop(?:s|ping)?|omit(?:s|ting)?|exclud(?:e|es|ing))\s+(.{{2,60}}?)\s+"
          rf"(?:out\s+of|off(?:\s+of)?|from)\s+(?:the|its|their)\s+(.{{0,60}}?)\s*\b{_LIST}", r"Will \1 not be nominated for \2 "),
    _rule(rf"\b(?:be\s+|is\s+|are\s+|gets?\s+)?(?:left|kept|cut|dropped|omitted|excluded|missing|absent)\s+(?:out\s+of|off(?:\s+of)?|from)\s+(?:the|its|their)\s+(.{{0,60}}?)\s*\b{_LIST}",
          r"not be nominated for \1 "),
    _rule(r"\bpass(?:es)?\s+over\s+(?=[A-Z])", "not choose "),
    _rule(r"\b(?:dumps?|ditch(?:es)?|abandons?|spurns?|jilts?)\s+(?=[A-Z])", "not nominate "),
    _rule(r"\b(?:is|are|be|gets?|getting)\s+(?:defeated|beaten|toppled|ousted|unseated|knocked\s+off|upset)\s+"
          r"(?:in|at)\s+(?=(?:the|an?|his|her|their)\b)", "fail to win "),
    _rule(r"\b(?:is|are|be|gets?)\s+beaten\s+to\b", "fail to win"),
    _rule(r"\b(?:keeps?|retains?|holds?\s+on\s?to|defends?|successfully\s+defends?)\s+(?=(?:the|his|her|their|its)\s+"
          r"(?:\w+\s+){0,2}(?:title|crown|nomination|trophy|championship|cup)\b)", "win "),
    _rule(r"\bfrom\s+outside\s+(?:of\s+)?(?=(?:the\s+)?[A-Z])", "from somewhere other than "),
    _rule(r"\bdoes\s+(.{2,60}?)\s+(?:launch|mount|start|begin|kick\s+off|declare|announce)\s+(?:an?|his|her|their)\s+"
          r"(?:\w+\s+)?(?:white\s+house|presidential)\s+(?:campaign|bid|run|candidacy)\b",
          r"does \1 announce a presidential run"),
    _rule(r"\b(?:launch(?:es)?|mounts?|starts?|begins?|kicks?\s+off|declares?|enters?)\s+(?:an?|his|her|their|the)\s+"
          r"(?:\w+\s+)?(?:white\s+house|presidential)\s+(?:campaign|bid|run|candidacy|race)\b",
          "announce a presidential run"),
    _rule(r"\bdeclares?\s+(?:himself|herself)?\s*(?:a\s+candidate\s+)?for\s+president\b", "announce a presidential run"),
    _rule(r"\b(?:a\s+)?declared\s+presidential\s+candidate\b", "announced as running for president"),
    _rule(r"\b(?:remains?|stays?)\s+out\s+of\s+the\s+(?:presidential|2028|white\s+house)\s+race\b",
          "not announce a presidential run"),
    _rule(r"\brenominat(?=ed\b|ion\b)", "nominat"),
    _rule(r"\b(?:be|is|are|gets?)\s+(?:replaced|supplanted|displaced|dropped|dumped|removed)\s+as\s+"
          r"(?=(?:the|an?|his|her|their)\s+(?:[\w'-]+\s+){0,4}?(?:nominee|candidate|standard-bearer)\b)", "not be "),
    # Another than the one named.
    _rule(r"\b(?:some|any|an)\s*other\s+((?:[\w-]+\s+){1,3})than\b", r"some \1other than"),
    _rule(r"\b(?:else|different)\s+(?:than|but|besides|from)\b", "other than"),
    _rule(rf"\b({_WHO})\s+(?:who\s+is\s+)?not\s+(?:named|called)\b", r"\1 other than"),
    _rule(rf"\b({_WHO})\s+(?:but|except(?:\s+for)?|besides|apart\s+from|aside\s+from|bar)\b",
          r"\1 other than"),
    _rule(r"\b((?:any|every|some)(?:one|body|thing))\s+but\b", r"\1 other than"),
    _rule(r"\b(any|every|some)(where)?\s+(?:(\w+)\s+)?but\b", r"\1\2 \3 other than"),
    _rule(r"\b(?:the\s+)?(?:field|rest(?:\s+of\s+the\s+field)?)\s+(?:\(not\s+(.{2,40}?)\)|over\s+(.{2,40}?))(?=\s|\?)",
          lambda f: f"someone other than {f[1] or f[2]}"),
    _rule(r"\b(?:eludes?|slips?\s+(?:past|away\s+from)|escapes?|bypass(?:es)?)\s+(?=(?:the\s+)?[A-Z])",
          "go to someone other than "),
    # Figures and places.
    _rule(r"\b(?:as\s+|be\s+(?:the\s+)?|finish\s+(?:as\s+)?(?:the\s+)?)?runners?[\s-]up\b", "finish in 2nd place"),
    _rule(r"\b(?:be\s+)?(?:any|some)thing\s+(?:short\s+of|less\s+than(?!\s*\$?\d))(?!\w)", "not be"),
    _rule(r"\b(?:still\s+)?(?:be|is|are|stay|remain)\s+(?:short|shy)\s+of\b", "not be"),
    _rule(r"\b(?:falls?|comes?|stops?|ends?\s+up|finish(?:es)?|stay|pulls?\s+up)\s+(?:just\s+|well\s+)?"
          rf"(?:short|shy)\s+of\s+(?:reaching\s+|making\s+)?(?:the\s+)?(?={_STAGE_WORD})", "fail to reach the "),
    _rule(r"\b(?:falls?|comes?|stops?|ends?(?:\s+up)?|finish(?:es)?|stay|pulls?\s+up)\s+(?:just\s+|well\s+)?"
          r"(?:short|shy)\s+of\b", "not have"),
    _rule(r"\b(?:falls?|comes?\s+up|ends?\s+up)\s+(?:empty|short)(?:-handed)?\b", "not win"),
    _rule(r"\b(?:finish(?:es)?|ends?|falls?|lands?|lies?|comes?\s+in|be|is|places?|settles?|sits?|prints?|"
          r"drops?|ranks?)\s+(?:up\s+)?outside(?:\s+of)?\s+(?:the\s+)?(?=(?:top\b|\$?\d|-\d|range|band|places?))",
          "not be in the "),
    _rule(r"\b(?:finish(?:es)?|ends?(?:\s+up)?|places?|comes?\s+in|be|ranks?)\s+(?:lower|worse)\s+than\s+"
          rf"(?:w*)(?P<w>{_NTH_WORD})\b", lambda f: f"not be in the top {numerals.ORDINALS[f['w'].casefold()]}"),
    _rule(r"\b(?:tops?\s+out|max(?:es)?\s+out|peaks?)\s+(?:below|under|at\s+less\s+than)\b", "stay below"),
    _rule(r"\b(?:bottoms?(?:\s+out)?)\s+(?:above|over)\b", "stay above"),
    _rule(r"(?<!never\s)(?<!not\s)\b(?:sits?|trades?|holds?|hovers?|keeps?)\s+(below|under|above|over)\b(?=.{0,40}\b(?:through|throughout|until|all\s+(?:the\s+)?(?:way|year|month)|entire|whole|at\s+all\s+times))",
          r"stay \1"),
    # What is said of a thing in passing, not of the question.
    _rule(r"(?<=\w),\s+without\s+(?:\w+\s+)?(?:having|being|\w+ing)\b[^?,]*(?=[?,]|$)", ""),
    _rule(r"\b(?:un(?:interrupted(?:ly)?|broken)|without\s+(?:an?\s+|any\s+)?(?:interruption|break|pause|delay|exception|"
          r"doubt|question|fail|precedent|warning|further\s+ado|let-?up))\b", ""),
    _rule(r"(?<=\w{2}\s)(?:(?:that|which|who)\s+)?(?:it|he|she|they)?\s*(?<!true\sthat\s)\b(?:does|do|did)(?:\s+not|n't)\s+"
          r"(?:currently|yet|already|now|presently)\s+\w+", ""),
    # Time that passes without it: what has not come by its end.
    _rule(rf"^will\s+({_MONTH},?\s+(?:19|20)\d\d)\s+{_RUN_OUT}\s+(?=without\b|with\s+no\b)", r"Will through \1 "),
    _rule(rf"\b{_RUN_OUT}\b(?=.{{0,60}}\b(?:without|with\s+no|"
          r"with\s+.{2,40}\s+(?:still\s+)?(?:not|un)))", " "),
    _rule(r"\bwith\s+(.{2,60}?)\s+(?:still\s+)?not\s+having\b", r"without \1 having"),
    _rule(rf"\b({_MONTH}(?:\s+\d{{1,2}})?(?:,?\s+(?:19|20)\d\d)?|(?:19|20)\d\d)\s+(?:arrives?|comes?|dawns?|starts?|begins?|rolls?\s+around)\s+with\s+(?=.{{2,60}}?\bstill\b)",
          r"the start of \1 end with "),
    _rule(r"\bwith\s+(.{2,60}?)\s+still\s+un(?=\w+ed\b)", r"without \1 being "),
    _rule(rf"\b(?:when|once|as)\s+({_MONTH}(?:\s+\d{{1,2}})?(?:,?\s+(?:19|20)\d\d)?|(?:19|20)\d\d)\s+"
          r"(?:arrives?|comes?|dawns?|starts?|begins?|rolls?\s+around)\b", r"before \1"),
    _rule(r"\bnot\s+until\s+(?:after|at\s+least)\b", "not by"),
    _rule(r"\b(?:until\s+)?(?:some\s+time\s+)?(?:(?<!no\s)(?<!not\s)later\s+than|no\s+(?:earlier|sooner)\s+than|only\s+after)\b", "not by"),
    _rule(r"\b(?:slips?|slides?|drags?(?:\s+on)?|is\s+delayed|be\s+(?:delayed|postponed|pushed(?:\s+back)?)|pushed)\s+"
          r"(?:past|beyond|to\s+after|until\s+after|into)\b", "not happen by"),
    # Contests.
    _rule(r"\b(?:be\s+)?(?:beaten|defeated)\s+or\s+(?:otherwise\s+)?fail\s+to\b", "fail to"),
    _rule(r"\b(?:los(?:e|es|ing)|give\s+up|forfeits?|vacates?)\s+(?:or\s+(?:leave|vacate|relinquish|give\s+up|step\s+down\s+from)\s+)?"
          r"(?=(?:the|his|her|its|their)?\s*(?:\w+\s+)?(?:position|post|job|office|power|premiership|presidency|leadership|role|keys)\b)",
          "leave "),
    _rule(r"\bloses?\s+(?:out(?:\s+(?:on|in))?\s+)?(?!to\b|by\b|its\b|his\b|her\b|their\b|power\b|control\b|office\b|"
          r"more\b|at\b|\d|out\b|or\b|(?:the\s+)?(?:\w+\s+)?(?:position|post|job|role|majority|confidence|status|"
          r"license|rating|peg|access|support|control|value|ground|territory|lead|spot)\b)", "fail to win "),
    _rule(r"\bloses?\s+out\s+(?:on\s+|in\s+)?", "fail to win "),
    _rule(r"\b(?:be\s+)?(?:snubbed|passed\s+over|overlooked|shut\s+out|left\s+(?:out|off)|denied)\s+(?:for\s+|of\s+|in\s+|by\s+)?(?=\w)",
          "fail to get "),
    _rule(r"\bmiss(?:es)?\s+(?:out\s+on\s+)?(?:the\s+)?cut\s+(?:for|in|at)\b", "fail to reach"),
    _rule(r"\bmiss(?:es)?\s+(?:out\s+on\s+)?(?:the\s+)?(?=.{0,40}(?:playoffs?|post-?season|"
          r"finals?|final\s+four|tournament|world\s+cup))", "fail to make the "),
    _rule(r"\bmiss(?:es)?\s+(?:out\s+on\s+)?(.{0,60}?)'s\s+top\s+(\d+)",
          r"fail to finish in the top \2 of \1"),
    _rule(r"\bmiss(?:es)?\s+(?:out\s+on\s+)?(?:a\s+(?:spot|place)\s+in\s+)?(?:the\s+)?(?=top\s+\d)",
          "fail to finish in the "),
    _rule(r"\bmiss(?:es)?\s+out\s+on\s+", "fail to win "),
    _rule(r"\bmiss(?:es)?\s+(?=\w)", "fail to make "),
    _rule(r"\b(?:be\s+)?(?:eliminated|knocked\s+out|ousted|dumped\s+out|exits?|crash(?:es)?\s+out|bows?\s+out|"
          r"goes?\s+out|go\s+out|falls?|out|over|finished|ends?)\b(.{0,60}?)\s+(?:before|short\s+of|ahead\s+of|prior\s+to)\s+"
          rf"(?:reaching\s+|making\s+)?(?:the\s+)?((?:[\w'-]+\s+){{0,5}}?)(?={_STAGE_WORD})", r"fail to reach \1 the \2"),
    _rule(r"\b(?:be\s+)?(?:eliminated|knocked\s+out)\s+(?=(?:in|at|from|of)\b)", "fail to advance "),
    # Acts left undone.
    _rule(r"\b(?:skips?|snubs?|boycotts?|stays?\s+away\s+from|sits?\s+out|pulls?\s+out\s+of\s+attending)\s+(?=\w)",
          "not attend "),
    _rule(r"\bbe\s+absent\s+from\b", "not attend"),
    _rule(r"\b(?:escapes?|evades?|dodges?|staves?\s+off|fends?\s+off|(?:is|be)\s+spared|sidesteps?|resists?|"
          r"steers?\s+clear\s+of|duck(?:s?\s+out\s+of|(?=\s+(?:the|an?|his|her|its|their|any)\b)))\s+(?=\w)", "avoid "),
    _rule(r"\b(?:declines?|refuses?|neglects?|omits?)\s+to\b", "not"),
    _rule(r"\b(?:refrains?|holds?\s+(?:off|back)|abstains?|desists?)\s+(?:from|on)\s+(?=\w+ing\b)", "not "),
    _rule(r"\b(?:decides?|opts?|chooses?)\s+(?:against\s+|not\s+to\s+)", "not "),
    _rule(r"\b(?:instead\s+of|rather\s+than)\s+(?=\w+ing\b)", "not "),
    _rule(r"\b(?:is|are|be)\s+(?:still\s+)?(?:waiting|yet)\s+(?:for|to)\b", "not have"),
    _rule(r"\bstill\s+(?:be\s+)?(?:waiting\s+(?:for|to)|awaiting|lack(?:s|ing)?)\b", "not have"),
    _rule(r"\blacks?\s+(?=\w)", "not have "),
    # What stays as it is.
    _rule(r"\b(?:see|sees|ride|rides|wait|waits)\s+(?:(?:out|off)\s+(?=.{2,40}\s(?:as|in)\s)|(?=(?:the\s+)?(?:\w+\s+){1,3}out\s+(?:as|in)\b))"
          r"((?:the\s+)?(?:\w+\s+){1,4}?)(?:out\s+)?(?:as|in\s+(?=office|power|post|charge))\s*", r"not be out by the end of \1as "),
    _rule(r"\bloses?\s+(?:its|the)\s+(?:dollar\s+|us\s+dollar\s+)?peg\b", "depeg"),
    _rule(r"\b(?:holds?|keeps?|maintains?|retains?)\s+(?:its|the)\s+(?:dollar\s+)?peg\b", "not depeg"),
    _rule(r"\b(?:remains?|stays?|still\s+be|be\s+still|continues?\s+to\s+be)\s+(?:an?\s+)?private(?:ly)?"
          r"(?:\s+(?:held|owned))?(?:\s+company)?\b", "not IPO"),
    _rule(r"\b(?:remains?|stays?|still\s+(?:be\s+)?|be\s+still)\s*(?:held\s+by|in|under)\s+ukrain(?:e|ian)"
          r"(?:\s+(?:hands|control))?\b", "not be captured by Russia"),
    _rule(r"\b(?:remains?|stays?|still\s+be|be\s+still)\s+ukrain(?:e|ian)(?:[\s-](?:held|controlled))?\b",
          "not be captured by Russia"),
    _rule(r"\b(?:remains?|stays?|goes?|go|keeps?|still\s+be|be\s+still|is\s+still|be|is|are)\s+(?:\w+ly\s+)?"
          rf"{_UN}", "not be "),
    _rule(r"\b(?:changes?|moves?|adjusts?|alters?)\s+(?=(?:its|the|interest|policy|key|bank)?\s*(?:\w+\s+){0,3}rates?\b)",
          "not make no change in "),
    _rule(r"\b(?:leaves?|keeps?|holds?|maintains?)\s+((?:its\s+|the\s+)?(?:\w+\s+){0,3}rates?)\s+(?:unchanged|steady|"
          r"on\s+hold|where\s+(?:it|they)\s+(?:is|are)|alone|as\s+(?:it|they)\s+(?:is|are)|flat)\b",
          r"make no change in \1"),
    _rule(r"\b(?:remains?|stays?|be|is|are|goes?)\s+(?:unchanged|the\s+same)\b", "not change"),
    _rule(r"\b(?:stands?\s+pat(?:\s+on)?|hits?\s+pause(?:\s+on)?|pauses?(?:\s+on)?)\s+(?=(?:interest\s+)?rates?|at\b)",
          "make no change in rates "),
    _rule(r"\b(?:remains?|stays?|keeps?|is\s+still|be\s+still|still\s+be|continue\s+to\s+be)\s+"
          r"(?:out\s+of|outside|free\s+of|clear\s+of)\b", "not be in"),
    _rule(r"\b(?:remains?|stays?|still\s+be|be\s+still)\s+(?:well\s+)?(?:below|under|short\s+of|off|"
          r"above|away\s+from)\s+(?=normal|usual|pre-?\w+\s+levels?)", "not return to "),
    _rule(r"\b(?:hangs?\s+on|clings?\s+on|holds?\s+on|stays?\s+on|survives?|lasts?|hangs?\s+in\s+there)\s+"
          r"(?:to\s+(?:power|office)\s+)?(?:as|in)\s+(?:the\s+)?", "not be out as "),
    _rule(r"\b(?:keeps?|retains?|holds?\s+on\s?to|hangs?\s+on\s?to|clings?\s+to)\s+(?:his|her|their|its|"
          r"the)\s+(?=(?:job|post|office|premiership|presidency|leadership|position|role)\b)",
          "not be out of "),
    _rule(r"\b(?:remains?|stays?|is\s+still|still(?:\s+be)?)\s+in\s+(?:office|power|post|charge|the\s+job|"
          r"number\s+(?:10|ten)|downing\s+street|the\s+white\s+house|the\s+oval\s+office|the\s+kremlin|the\s+elys[ée]e)\b",
          "not be out"),
    _rule(r"\bstill\s+(?=(?:(?:have|has|be|is|are)\s+)?(?:not|no|yet)\b)", ""),
    _rule(r"\b(?:(?:have|has|be|is|are)\s+)?(?:still\s+)?yet\s+to\s+(?:be\s+)?", "not "),
    # None.
    _rule(r"\b(?:nobody|no\s+one|none\s+of|neither)\b", "not anyone"),
    _rule(r"^(will|is|are|does|do|did|has|have|can)\s+(?:there\s+be\s+)?(?:no|zero)\s+"
          r"(?!longer|more|fewer|less|later|change)(?=\w)", r"\1 not a "),
    _rule(r"\b(?:at\s+least\s+)?(?:a\s+|some\s+)?part\s+of\s+(?=.{2,60}\bnot\b)", "all of "),
    # What only lists the ways it may not happen.
    _rule(r",?\s+such\s+as\s+(?:an?\s+)?[^?]*", ""),
    _rule(r",\s+(?:whether|be\s+it|either)\s+(?:by|through|because)\b[^?]*", ""),
)  # fmt: skip
_NOD: Final = Ahead(r"\b(?:nod|ticket|slot)\b", r"\b(?:district|senate|governor|\w\w-\d)")
_POSSESSIVE: Final = re.compile(r"'s\b")
_NEGATED_TWICE: Final = re.compile(r"\bnot\s+not\b", re.I)

_EITHER: Final = re.compile(
    r"\beither\s+(?P<a>[^,?]{2,60}?)\s+or\s+(?P<b>[^,?]{2,60}?)\s+(?=(?:win|be|have|has|become|take|"
    r"make|reach|finish|get|lead|end|hold|own|come|go|announce|release|leave|sign|join)\b)",
    re.I,
)

_MARGIN: Final = re.compile(
    r"(?<=\w)(?P<rest>[^?]*?)(?:(?P<by>\s+by)\s+(?:an?\s+margin\s+of\s+)?(?:at\s+least|more\s+than|over)?\s*\d[\d.,]*\s*"
    r"(?:%|percent|(?:percentage[\s-])?points?|votes|goals|runs|seconds|lengths)(?:\s+or\s+more)?|(?=\?|\Z))",
    re.I,
)
"""Or the end of a sentence without one, from which on it is looked for again."""
_WINS: Final = re.compile(r"\b(?:wins?|beats?|defeats?)\b", re.I)


def _wider(text: str) -> str | None:
    won = _WINS.search(text)
    found = _MARGIN.finditer(text, won.end()) if won else ()
    margin = next((one for one in found if one["by"]), None)
    return f"{text[: margin.start()]}{margin['rest']}{text[margin.end() :]}" if margin else None


def _either(text: str) -> tuple[str, ...]:
    found = _EITHER.search(text)
    return (found["a"], found["b"]) if found else ()
