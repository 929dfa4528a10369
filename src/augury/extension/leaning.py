"""Whether the markets closest to a page are on sports. Pure.

Word lists contain only words that somebody thought of. The catalogue knows the players: a headline
on "Gauff" or "Verstappen" finds markets that their venues list under sports.
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
HALF_VOTE_RANK = 7.0
"""The markets closest to a page vote on whether it is on sports. At this rank, counted from 0, a
market's vote has half the weight of the closest market's. A larger value gives markets further down
more weight. Chosen by hand."""
VOTE_DOUBT = 0.25
"""The markets closest to a page vote on whether it is on sports. The result is multiplied by s / (s
+ DOUBT), where s is the largest share (0 to 1) of the page's words that a voting market contains. A
larger value makes results weaker. Chosen by hand."""


class Vote(NamedTuple):
    """A market's vote on whether a page is on sports. `sports`: 1 if the market is on sports, -1 if
    not, 0 if unknown. `share`: how much of the page's words, weighted by rarity, the market
    contains, in [0, 1]."""

    sports: int
    share: float


def filed(category: str | None, tags: Iterable[str]) -> int:
    """Whether a market is on sports, by its venue's category and tags: 1 yes, -1 no, 0 unknown."""
    if any(_FILED_UNDER_SPORTS.search(word) for word in (category or "", *tags)):
        return 1
    return -1 if category and category.casefold() not in _FILED_ANYWHERE else 0


def leaning(votes: Iterable[Vote]) -> float:
    """Whether a page is on sports, by the votes of the markets closest to it: from -1 (surely not)
    to 1 (surely), both excluded.

    `votes`: one per market, the closest market first. Each is weighted by its share and its rank.
    The result is damped by the largest share alone (`VOTE_DOUBT`), because many markets with the
    same word of the headline are no more evidence than one.
    """
    towards = evidence = best = 0.0
    for rank, vote in enumerate(votes):
        if vote.sports:
            best = max(best, vote.share)
        weight = vote.share / (1 + rank / HALF_VOTE_RANK)
        towards += weight * vote.sports
        evidence += weight * abs(vote.sports)
    return towards / evidence * best / (best + VOTE_DOUBT) if evidence else 0.0
