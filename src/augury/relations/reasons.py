"""Why a market is related to the question, as one sentence that names the mechanism. Pure.

Names of factors are titles ("AFC championship", "AI bubble bursts"), so they stand in quotation
marks: a sentence around them needs neither an article nor another form of the verb.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from augury.relations.causal.judged import Code
    from augury.relations.causal.knowledge import Base
    from augury.relations.causal.parts import Factor

WORDS_KEPT: Final = 4_096
"""Number of words for which a cache keeps whether they are ordinary words or names."""

_ONE_OF: Final = {
    "battleground-governor": "state", "battleground-senate": "state", "cbb-team": "college team",
    "cfb-team": "college team", "chief-seat": "office", "clemency": "person",
    "decided-state": "state", "democrat-2028": "candidate", "economy": "country",
    "election-official": "official", "eurovision-country": "country", "film-star": "actor",
    "front-town": "town at the front", "gulf-target": "target", "ipo-candidate": "company",
    "mega-cap": "company", "mention-topic": "topic", "mlb-star": "player", "nba-star": "player",
    "nfl-star": "player", "normalizer": "country", "pure-lab": "AI lab", "ai-lab": "AI lab",
    "redistricting-state": "state", "republican-2028": "candidate", "safe-governor": "state",
    "safe-senate": "state", "striker": "player", "swing-state": "state",
    "takeover-target": "company", "tariff-sector": "sector", "wbd-bidder": "bidder",
}  # fmt: skip
"""Name of a list of entities in the factor base -> noun for one entity of it: "battleground-senate"
-> "state". The name of any other list is such a noun itself ("country")."""
_TEAM: Final = re.compile(r"^(f1|mlb|nba|nfl|nhl|wnba)-")
_FIRST_WORD: Final = re.compile(r"(?P<word>[A-Z][a-z]*)(?![\w'’.-])(?P<before_name> [A-Z])?")
_NO_NAMES: Final = frozenset(
    """A All An And Any As At Both But By Each Every Few For From He Her His If In It Its Many More
    Most No Of On One Only Or She Some That The Their There These They This Those To Two What When
    Where While Who With Without""".split()
)
"""Words that are capitalized at the beginning of a sentence, but do not belong to a name that
follows: "The" in "The AFC champion", unlike "New" in "New England"."""


def causes(names: Sequence[str], reasons: Sequence[str]) -> str:
    """The sentence that explains a chain of causes: "“A” drives “B”, which drives “C”: reason;
    reason."

    names : names of the factors, from cause to effect
    reasons : one reason for each step of the chain
    """
    first, *rest = map(_quoted, names)
    chain = ", which drives ".join(rest)
    return _sentence(f"{first} drives {chain}", reasons)


def together(one: str, other: str, reason: str, *, sign: int, code: Code | None) -> str:
    """The sentence that says why two factors (things in the world that markets are about) move
    together although neither drives the other: "“A” and “B” have a common driver: reason."

    Parameters
    ----------
    one, other : names of the two factors
    sign : -1 if more of one goes with less of the other, else 1
    code : the verdict on how the two are related (`judged.Code`); None if nobody judged them
    """
    both = f"{_quoted(one)} and {_quoted(other)}"
    if reason.startswith("rivals "):
        return _ended(f"{both} are {_inside(reason)}")
    match code:
        case "rival":
            said = "are rivals" if sign < 0 else "are parallel cases"
        case "driver":
            said = "have a common driver"
        case "part" if sign > 0:
            said = "are parts of one thing"
        case _:
            said = "move against each other" if sign < 0 else "move together"
    return _sentence(f"{both} {said}", [reason])


def alike(one: Factor, other: Factor, contests: Sequence[str]) -> str:
    """The sentence that says how two factors made from one pattern (for two teams, countries ...)
    are related: that they are rivals, or parallel cases.

    contests : names of the contests that both factors are a part of
    """
    both = f"{_quoted(one.name)} and {_quoted(other.name)}"
    if contests:
        return f"{both} are rivals: both are part of {_quoted(contests[0])}."
    return f"{both} are parallel cases: the same question about another {_one_of(one.kind or '')}."


def supposed(condition: str, about: str) -> str:
    """The sentence for a cause that the question itself supposes ("if the dollar collapses"), if
    the factor base does not know it as a cause: "The question asks what “A” would do to “B”."
    """
    return f"The question asks what {_quoted(condition)} would do to {_quoted(about)}."


def same(name: str) -> str:
    """The sentence for a market that is related because it is about the question's own subject, the
    factor called `name`: "It is another question about the same subject, “A”."
    """
    return f"It is another question about the same subject, {_quoted(name)}."


def _quoted(name: str) -> str:
    return f"“{name}”"


def _one_of(kind: str) -> str:
    league = _TEAM.match(kind)
    if league and kind not in _ONE_OF:
        return f"{league[1].upper()} {kind[league.end() :]}"
    return _ONE_OF.get(kind, kind.replace("-", " ")) or "thing"


def _sentence(said: str, reasons: Sequence[str]) -> str:
    return _ended(f"{said}: {'; '.join(map(_inside, dict.fromkeys(reasons)))}")


def _inside(reason: str) -> str:
    """A reason without its final period, and with semicolons in place of its colons, since the
    sentence around it has a colon before the reason."""
    return reason.rstrip(". ").replace(": ", "; ")


def _ended(sentence: str) -> str:
    return sentence if sentence.endswith(("!", "?")) else f"{sentence}."


class Phrasing:
    """Rewrites the reasons that edges and links of the factor base give, for use inside a
    sentence."""

    def __init__(self, base: Base) -> None:
        first: dict[str, str] = {}
        for key, factor in base.factors.items():
            first.setdefault(factor.pattern, key)
        keys = set(first.values())  # one instance of each pattern: the others use the same words
        texts = [edge.reason for edge in base.edges if {edge.cause, edge.effect} <= keys]
        texts += [link.reason for link in base.links if {link.one, link.other} <= keys]
        self._text = "\n".join(dict.fromkeys(texts))
        self._is_plain = lru_cache(maxsize=WORDS_KEPT)(self._stands_small)

    def inside(self, reason: str) -> str:
        """The reason with its first word put in lower case, unless that word is a name."""
        first = _FIRST_WORD.match(reason)
        if first is None or (first["before_name"] and first["word"] not in _NO_NAMES):
            return reason
        if first["word"] not in _NO_NAMES and not self._is_plain(first["word"]):
            return reason
        return reason[0].lower() + reason[1:]

    def _stands_small(self, word: str) -> bool:
        """Whether the reasons of the factor base have `word` more often in lower case than
        capitalized."""
        named = self._text.count(f" {word} ")
        return word != "I" and self._text.count(f" {word.lower()} ") > named
