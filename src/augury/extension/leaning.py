"""Whether the markets closest to a page are on sports. Pure.

Word lists know the words somebody thought of. The catalogue knows who plays: a headline on
"Gauff" or "Verstappen" finds markets that their venues filed under sports.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, NamedTuple

_FILED_UNDER_SPORTS = re.compile(
    r"\b(?:e-?sports?|sports?|nba|nfl|mlb|nhl|ncaa|soccer|football|tennis|olympics?|chess|ufc|boxing|golf|"
    r"cricket|formula 1|f1)\b",
    re.IGNORECASE,
)
_FILED_ANYWHERE: Final = frozenset(
    {"other", "all", "unknown", "us-current-affairs", "world", "mentions"}
)
"""Categories that do not tell whether a market is on sports."""
RANKS = 7.0
"""Half-life of a vote in ranks: a market this many ranks lower counts half."""
DOUBT = 0.25
"""Evidence below which a vote is weak. A market that shares all words with the page has evidence 1.
"""


class Vote(NamedTuple):
    """A market's voice: `sports` is 1, -1 or, unknown, 0; `share` how much of what the page's
    words tell it has in common, in [0, 1]."""

    sports: int
    share: float


def filed(category: str | None, tags: Iterable[str]) -> int:
    """What a venue's category and tags say: 1 of sports, -1 not of sports, 0 nothing."""
    if any(_FILED_UNDER_SPORTS.search(word) for word in (category or "", *tags)):
        return 1
    return -1 if category and category.casefold() not in _FILED_ANYWHERE else 0


def leaning(votes: Iterable[Vote]) -> float:
    """The page's leaning in (-1, 1), 1 towards sports; `votes` best first.

    Weighted by share and rank; but many markets with the same word of the headline are no more
    evidence than the one that shares most.
    """
    towards = evidence = best = 0.0
    for rank, vote in enumerate(votes):
        if vote.sports:
            best = max(best, vote.share)
        weight = vote.share / (1 + rank / RANKS)
        towards += weight * vote.sports
        evidence += weight * abs(vote.sports)
    return towards / evidence * best / (best + DOUBT) if evidence else 0.0
