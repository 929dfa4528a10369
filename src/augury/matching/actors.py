"""Reads which named entity acts on which: "Will Iran strike Israel?" is not "Will Israel strike
Iran?". Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from augury.language.entities import Mention

_VERBS: Final = (
    r"pardon", r"endors", r"su(?:e|es|ed|ing)\b", r"fir(?:e|es|ed|ing)\b", r"inva(?:d|sion)",
    r"str(?:ik|uck)", r"attack", r"bomb", r"(?:acqui|buy|bought)", r"nominat", r"appoint",
    r"arrest", r"extradit", r"sanction", r"impeach", r"visit", r"replac", r"succeed", r"invit",
    r"annex", r"recogni", r"fund", r"threaten", r"blockad", r"recall",
    r"criticiz", r"investigat", r"charg", r"kill", r"bans?\b|banned", r"withdr[ae]w",
    r"overtak|surpass|outperform|outpac|outgain|beat|flip|(?:do|does|doing|perform)\w*\s+better",
)  # fmt: skip
"""Patterns for the beginnings of verbs by which one entity (a person, a country) acts on another:
"attack", "endors". The last pattern is for verbs that compare two quantities ("gold outperforms
bitcoin"). This last pattern is not used if one of the entities is a team or a person, because in a
game, "B beats A" is the opposite of "A beats B", not just another question. `language.results`
reads the results of games."""
_PLAYERS: Final = frozenset({"team", "person"})
_ACT: Final = re.compile(r"\b(?:" + "|".join(f"({verb})" for verb in _VERBS) + r")\w*", re.I)
"""Matches a word that begins like one of `_VERBS`. The number of the group that matches is the
position of the verb in `_VERBS`, counted from 1."""
_PASSIVE: Final = re.compile(
    rf"\b(?:be|been|being|is|are|was|were|gets?|got)\s+(?:\w+\s+)?(?:{'|'.join(_VERBS)})\w*.{{0,30}}\bby\b",
    re.I,
)
_JOINED: Final = re.compile(
    r"\b(?:and|or|vs\.?|versus|with|if|before|after|while|because)\b|[,;:?]", re.I
)
"""Matches "and", "vs", a comma, and the like. If one of these stands between two names, the first
one does not act on the second."""
MAX_GAP_CHARS: Final = 40
"""The first of two names can be taken to act on the second only if at most this many characters
stand between them. Chosen by hand."""

Act = tuple[frozenset[str], int, frozenset[str]]
"""Who does what to whom: the keys of the entity that acts ("place:Iran"), the position of the verb
in `_VERBS` (counted from 1), and the keys of the entity on which it acts. If a name may mean
several entities, the set has the keys of all of them."""


def acts(text: str, named: Sequence[Mention]) -> tuple[Act, ...]:
    """The acts of one named entity on another in a text, in the order of the text. "Iran strikes
    Israel" has one: (Iran, strike, Israel).

    named : the mentions of entities in the text
    """
    found: list[Act] = []
    for one, other in pairwise(sorted(named, key=lambda mention: mention.start)):
        between = text[one.end : other.start]
        if len(between) > MAX_GAP_CHARS or _JOINED.search(between):
            continue
        if (act := _ACT.search(between)) is not None:
            verb = act.lastindex or 0
            kinds = {entity.kind for mention in (one, other) for entity in mention.entities}
            if verb == len(_VERBS) and kinds & _PLAYERS:
                continue
            passive = _PASSIVE.search(between) is not None
            found.append((other.keys, verb, one.keys) if passive else (one.keys, verb, other.keys))
    return tuple(found)


def swapped(ours: Sequence[Act], theirs: Sequence[Act]) -> bool:
    """Whether two texts name the same act of the same two entities, but with actor and target
    swapped. False if the texts also share an act that is not swapped.

    ours, theirs : the acts of the two texts
    """
    acted = [(a, b) for a in ours for b in theirs if a[1] == b[1]]
    if any(a[0] & b[0] and a[2] & b[2] for a, b in acted):
        return False
    return any(a[0] & b[2] and a[2] & b[0] for a, b in acted)
