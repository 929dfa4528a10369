"""Rewrites a question in plain words into the form that markets use: positive, in figures, dated.
Pure.

Four things are done to the text before its parts are read. Words around the question are dropped
("what are the odds that"). Times such as "within a month" become dates. Numbers in words become
figures ("a quarter point", "fourth or higher"). Different ways of denying are replaced by a few
standard ones: "miss the playoffs" -> "fail to make the playoffs", "hang on as CEO" -> "not be out
as CEO". What remains is read by `propositions.reading`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime
from typing import TYPE_CHECKING, Any, Final

import msgspec

from augury.caches import cached
from augury.forecast import qualifiers
from augury.forecast.denials import DENIALS
from augury.forecast.figures import FIGURES
from augury.forecast.framing import framed
from augury.forecast.levels import LEVELS
from augury.forecast.relative_dates import dated
from augury.language import amounts
from augury.propositions.ahead import Ahead, Finder, Replacement, rule
from augury.propositions.claims import inside, masked, name_spans, unmasked
from augury.propositions.proposition import Proposition
from augury.propositions.reading import read, read_question

if TYPE_CHECKING:
    from augury.forecast.described import Guess

_REASONS: Final = {
    "wording": "the question was stripped to what it asks",
    "figures": "figures in words were written as figures",
    "polarity": "the question asks that something does not happen",
}


# Words around a question.
_LEAD: Final = (
    rule(
        r"^\W*(?:please\s+)?(?:(?:can|could|would)\s+you\s+)?(?:tell\s+me\s+|estimate\s+|"
        r"predict\s+|"
        r"forecast\s+)?(?:(?:what(?:'s|\s+is|\s+are)|how\s+(?:likely|probable)\s+is\s+it|"
        r"give\s+me)\s+)?(?:(?:the\s+)?(?:current\s+)?(?:probability|odds|chances?|likelihood)\s+)?"
        r"(?:(?:is\s+it\s+)?(?:that|of)\s+)(?=\w)",
        "Will ",
    ),
    rule(r"^\W*what(?:'s|\s+is|\s+are)\s+(?:the\s+)?(?:\w+\s+)?(?:probability|odds|chances?|likelihood)\s+(?:for\s+)?(?=\w)", "Will "),
    rule(r"^\W*(?:probability|odds|chances?|likelihood)(?:\s+that|:)?\s+(?=\w)", "Will "),
    rule(r"\b(?:is|are)\s+(.{2,80}?)\s+going\s+to\s+(?=[a-z_])", r"Will \1 "),
    # Titles before names, which markets leave out.
    (re.compile(r"\b(?:Governor|Gov\.?|Senator|Sen\.?|Representative|Rep\.?|Congress(?:man|woman)|"
                r"President(?!\s+of)|Secretary(?!\s+of)|Mayor(?!\s+of)|Chancellor|Justice|Judge|Mrs?\.?|Ms\.?|Dr\.?|"
                r"Sir|Coach)\s+(?=[A-Z][a-z]+)"), ""),
    rule(
        r"\bis\s+(.{2,60}?)\s+the\s+(?:one|team|player|person)\s+(?:who|that|to)\s+", r"Will \1 "
    ),
)  # fmt: skip


_NOD: Final = Ahead(r"\b(?:nod|ticket|slot)\b", r"\b(?:district|senate|governor|\w\w-\d)")
_POSSESSIVE: Final = re.compile(r"'s\b")
_NEGATED_TWICE: Final = re.compile(r"\bnot\s+not\b", re.I)


_NOT_YET: Final = re.compile(r"\bstill\b|\byet\b|\bnot\s+have\b|\bn['’]t\s+have\b", re.I)
"""Matches words by which a question says that something has not happened so far: "still", "yet" or
"not have", as in "Will they still not have met on June 1?"."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A question as it was understood: its wording in several forms, and what it asserts."""

    question: str
    effective: str
    """The question, reworded where needed to read like a market's title. Markets are searched for
    by this text (and names, see `judging.search_text`), and compared with it."""
    proposition: Proposition
    """What the question asserts. Its `positive` is False if the question asks whether something
    does not happen."""
    reason: str | None
    """What was changed in the question's wording, as text for people; None if nothing was
    changed."""
    wider: str | None = None
    """For a question with a condition on how something happens ("win by 5 points"): the same
    question without the condition ("win"). None for other questions and for those with a
    negation."""
    core: str = ""
    """The question in its own words, without words around it such as "is it true that"."""
    asking: str = ""
    """The sentence with the question, if the text also states something: "Will ...?" in "I hold
    some coins. Will ...?". Words around it such as "is it true that" are left out. Empty if the
    text consists of the question alone."""
    denied: bool = False
    """Whether the words around the question deny it ("is it false that ...")."""
    judged: str = ""
    """The question in the form that the judge (the trained model) reads: as it was asked, but
    without words around it that deny it ("is it false that ...")."""
    undated: bool = False
    """Whether the question names no date and a deadline was added to it (`horizons.until`)."""
    side: str | None = None
    """For a market's title with an outcome after it ("Who will win X? — Name"): that outcome,
    "Name". None for other questions."""
    guesses: tuple[Guess, ...] = ()
    """What the question may describe without naming it, likeliest first; empty until
    `engine.Engine.with_guesses` adds it."""

    @property
    def normalized(self) -> str:
        """The question as it was asked, without surplus spaces."""
        return " ".join(self.question.split())

    @property
    def rewritten(self) -> bool:
        return self.reason is not None

    def shown(self) -> dict[str, Any]:
        """What was understood of the question, as JSON data for the event stream."""
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


def normalize(question: str, at: datetime) -> Reading:
    """Understand a question that is asked on the day of `at`. The result holds the question in the
    wording that markets use, and the proposition that it asserts."""
    return _normalized(question, at.date())


@cached(16 << 20)
def _normalized(question: str, day: date) -> Reading:
    frame = framed(question)
    denied = frame.denied
    title, dash, side = frame.core.rpartition(" — ")
    if dash and title and side:
        # A market's title followed by one of its outcomes is read as that market is.
        side = side.rstrip("?").strip()
        proposition = read(frame.core, title=title, subtitle=side, opened=day, asked=True)
        return Reading(
            question=question,
            effective=frame.core,
            proposition=proposition.opposite() if denied else proposition,
            reason=_REASONS["polarity"] if denied else None,
            core=frame.core,
            denied=denied,
            judged=frame.judged,
            side=side,
        )
    text, quotes = masked(frame.core)
    done = ["wording"] if frame.changed and frame.core.casefold() != question.casefold() else []
    text = dated(text, day)
    if (counted := amounts.normalized(text)) != text:
        done.append("figures")
        text = counted
    for what, rules in (
        ("wording", _LEAD), ("figures", (*FIGURES, *LEVELS)), ("polarity", DENIALS),
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
    if not proposition.positive and _NOT_YET.search(text):
        proposition = _by_then(proposition)
    if denied:
        proposition = proposition.opposite()
    if not proposition.positive and "polarity" not in done:
        done.append("polarity")
    return Reading(
        question=question,
        effective=text,
        proposition=proposition,
        reason="; ".join(_REASONS[what] for what in dict.fromkeys(done)) or None,
        wider=None if denied else qualifiers.wider(frame.core),
        core=frame.core,
        asking=frame.asking,
        denied=denied,
        judged=frame.judged,
    )


def _by_then(proposition: Proposition) -> Proposition:
    """Read "not yet on that day" as "not by that day": a window of one day becomes a deadline. A
    proposition about a level, a count or a rank is returned unchanged, because a quantity may be at
    a level on one day only."""
    window = proposition.window
    if window.kind != "on" or proposition.predicate in ("value", "counts", "ranks"):
        return proposition
    by = msgspec.structs.replace(window, kind="by", start=None)
    return msgspec.structs.replace(proposition, window=by)


def _applied(pattern: Finder, replacement: Replacement, text: str, what: str) -> str:
    """The text after one rewriting rule: each match of `pattern` becomes `replacement`. Rules for
    negations (`what` is "polarity") do not change a match that begins inside a name."""
    if pattern.search(text) is None:
        return text
    if what != "polarity":
        return pattern.sub(replacement, text)
    names = name_spans(text)

    def outside(found: re.Match[str]) -> str:
        if inside(names, found.start()):
            return found[0]
        return replacement(found) if callable(replacement) else found.expand(replacement)

    return pattern.sub(outside, text)
