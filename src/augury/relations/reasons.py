"""Why a market is related to the question, as one sentence that names the mechanism. Pure.

A factor is something in the world that markets are about. Names of factors are titles ("AFC
championship", "AI bubble bursts"). They are put in quotation marks, so that a sentence can contain
them without an article and without changing their verb.
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
"""Size of a cache, in words. It keeps for each word whether it is an ordinary word or a name."""

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
"""Name of a list of entities in the factor base (which factor drives which) -> noun for one entity
of the list: "battleground-senate" -> "state". Lists that are missing here are named by such a noun
("country")."""
_TEAM: Final = re.compile(r"^(f1|mlb|nba|nfl|nhl|wnba)-")
_FIRST_WORD: Final = re.compile(r"(?P<word>[A-Z][a-z]*)(?![\w'’.-])(?P<before_name> [A-Z])?")
_NOT_IN_NAMES: Final = frozenset(
    """A All An And Any As At Both But By Each Every Few For From He Her His If In It Its Many More
    Most No Of On One Only Or She Some That The Their There These They This Those To Two What When
    Where While Who With Without""".split()
)
"""Words that do not belong to a name that follows them at the beginning of a sentence: "The" in
"The AFC champion", unlike "New" in "New England"."""


def causes(names: Sequence[str], reasons: Sequence[str]) -> str:
    """The sentence that explains a chain of causes between factors (things in the world): "“A”
    drives “B”, which drives “C”: reason; reason."

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
    reason : why they move together
    sign : -1 if more of one goes with less of the other, else 1
    code : how the two are related by the verdict on the pair (`judged.Code`); None without a
        verdict
    """
    both = f"{_quoted(one)} and {_quoted(other)}"
    if reason.startswith("rivals "):
        return _ended(f"{both} are {_inside(reason)}")
    match code:
        case "rival":
            relation = "are rivals" if sign < 0 else "are parallel cases"
        case "driver":
            relation = "have a common driver"
        case "part" if sign > 0:
            relation = "are parts of one thing"
        case _:
            relation = "move against each other" if sign < 0 else "move together"
    return _sentence(f"{both} {relation}", [reason])


def alike(one: Factor, other: Factor, contests: Sequence[str]) -> str:
    """The sentence that says how two factors (things in the world) of the same kind, e.g. two
    teams' titles or two central banks' rates, are related: as rivals or as parallel cases.

    contests : names of the contests that both factors are a part of; with such a contest, the
        factors are rivals
    """
    both = f"{_quoted(one.name)} and {_quoted(other.name)}"
    if contests:
        return f"{both} are rivals: both are part of {_quoted(contests[0])}."
    noun = _one_of(one.entity_list or "")
    return f"{both} are parallel cases: the same question about another {noun}."


def supposed(condition: str, about: str) -> str:
    """The sentence for a cause that the question itself supposes ("if the dollar collapses") and
    that the factor base (which factor drives which) does not list as one: "The question asks what
    “A” would do to “B”."

    condition, about : names of the factor that is supposed and of the one that is asked about
    """
    return f"The question asks what {_quoted(condition)} would do to {_quoted(about)}."


def same(name: str) -> str:
    """The sentence for a market that is about the same factor (thing in the world) as the question:
    "It is another question about the same subject, “A”." `name`: the factor's name.
    """
    return f"It is another question about the same subject, {_quoted(name)}."


def _quoted(name: str) -> str:
    return f"“{name}”"


def _one_of(kind: str) -> str:
    league = _TEAM.match(kind)
    if league and kind not in _ONE_OF:
        return f"{league[1].upper()} {kind[league.end() :]}"
    return _ONE_OF.get(kind, kind.replace("-", " ")) or "thing"


def _sentence(statement: str, reasons: Sequence[str]) -> str:
    return _ended(f"{statement}: {'; '.join(map(_inside, dict.fromkeys(reasons)))}")


def _inside(reason: str) -> str:
    """A reason in the form in which it follows a colon in a sentence: without its final period, and
    with semicolons in place of its own colons."""
    return reason.rstrip(". ").replace(": ", "; ")


def _ended(sentence: str) -> str:
    return sentence if sentence.endswith(("!", "?")) else f"{sentence}."


class Phrasing:
    """Adapts the reasons of the factor base (why one factor drives another) for use inside a
    sentence."""

    def __init__(self, base: Base) -> None:
        first: dict[str, str] = {}
        for key, factor in base.factors.items():
            first.setdefault(factor.pattern, key)
        keys = set(first.values())  # one instance of each pattern: the others use the same words
        texts = [edge.reason for edge in base.edges if {edge.cause, edge.effect} <= keys]
        texts += [link.reason for link in base.links if {link.one, link.other} <= keys]
        self._text = "\n".join(dict.fromkeys(texts))
        self._is_plain = lru_cache(maxsize=WORDS_KEPT)(self._is_mostly_lower_case)

    def inside_sentence(self, reason: str) -> str:
        """The reason as it stands inside a sentence: with its first word in lower case, unless that
        word is a name."""
        first = _FIRST_WORD.match(reason)
        if first is None or (first["before_name"] and first["word"] not in _NOT_IN_NAMES):
            return reason
        if first["word"] not in _NOT_IN_NAMES and not self._is_plain(first["word"]):
            return reason
        return reason[0].lower() + reason[1:]

    def _is_mostly_lower_case(self, word: str) -> bool:
        """Whether the reasons in the factor base contain `word` more often in lower case than
        capitalized, so that it is no name."""
        named = self._text.count(f" {word} ")
        return word != "I" and self._text.count(f" {word.lower()} ") > named
