"""Why a market is related to the question: one sentence that names the mechanism, or that no
mechanism is known. Pure.

A factor is something in the world that markets are about. Its name is written like a headline,
without an article and sometimes with a verb ("AFC championship", "AI bubble bursts"). A sentence
puts the name in quotation marks, so that it can stay as it is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from augury.relations.causal.judged import Code
    from augury.relations.causal.parts import Factor
    from augury.relations.causal.paths import Relation

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
"""Name of a list of entities (teams, states ...) in the factor base -> noun for a single entity of
the list: each entity of "battleground-senate" is a "state". For a list that is not here, the name
of the list is this noun ("country"). The factor base is the text files, written by people, that say
which factor drives which."""
BY_TEXT: Final[dict[Relation, str]] = {
    "upstream": "Its text suggests that it is about a cause of what you ask about. "
    "Augury's list of causes and effects does not say how.",
    "downstream": "Its text suggests that it is about a consequence of what you ask about. "
    "Augury's list of causes and effects does not say how.",
    "correlated": "Its text suggests that it moves together with what you ask about. "
    "Augury's list of causes and effects does not say why.",
}
"""Relation (upstream, downstream, correlated) -> the sentence shown for a market that is listed
under this relation although no path of this kind leads from the query's factors (things in the
world) to the market's."""
_TEAM: Final = re.compile(r"^(f1|mlb|nba|nfl|nhl|wnba)-")


def causes(names: Sequence[str], reasons: Sequence[str]) -> str:
    """The text that explains a chain of causes between factors (things in the world): "“A” drives
    “B”, which drives “C”: Reason. Reason."

    names : names of the factors, from cause to effect
    reasons : one reason for each step of the chain, as a sentence
    """
    first, *rest = map(_quoted, names)
    chain = ", which drives ".join(rest)
    return _sentence(f"{first} drives {chain}", reasons)


def together(one: str, other: str, reason: str, *, sign: int, code: Code | None) -> str:
    """The sentence that says why two factors (things in the world that markets are about) move
    together although neither drives the other: "“A” and “B” have a common driver: Reason."

    Parameters
    ----------
    one, other : names of the two factors
    reason : why they move together
    sign : -1 if one factor tends to fall when the other rises, else 1
    code : how the two are related, according to the verdict on the pair (`judged.Code`); None
        without a verdict
    """
    both = f"{_quoted(one)} and {_quoted(other)}"
    if reason.startswith("Rivals "):
        return f"{both} are r{reason[1:]}"
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
        return f"{both} are rivals: Both are part of {_quoted(contests[0])}."
    noun = _one_of(one.entity_list or "")
    return f"{both} are parallel cases: The same question about another {noun}."


def supposed(condition: str, about: str) -> str:
    """The sentence for a market on a cause that the question itself names ("if the dollar
    collapses"): "The question asks what “A” would do to “B”." It is used if the factor base (which
    factor drives which) does not say how this cause drives what the question is about.

    condition, about : names of two factors: the cause, and what the question is about
    """
    return f"The question asks what {_quoted(condition)} would do to {_quoted(about)}."


def own(name: str) -> str:
    """The sentence for a market that answers the question: "It is about “A”, the query's own
    subject." `name`: the name of the factor (thing in the world) that both are about."""
    return f"It is about {_quoted(name)}, the query's own subject."


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
    """`statement`, a colon, and the reasons without repetition. Colons within the reasons become
    semicolons, because a sentence with two colons is hard to read."""
    return f"{statement}: {' '.join(one.replace(': ', '; ') for one in dict.fromkeys(reasons))}"
