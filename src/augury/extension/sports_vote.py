"""Whether a page is on sports, by a vote of the markets closest to it. Pure.

Lists of words about sports miss many names. The catalogue of markets has them: a headline on
"Gauff" or "Verstappen" finds markets that their venues list under sports.
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
"""Categories, as venues name them, under which markets on any subject are filed, so that they do
not tell whether a market is on sports."""
HALF_VOTE_RANK = 7.0
"""Each of the markets closest to a page votes on whether the page is on sports. At this rank,
counted from 0, a market's vote has half the weight of the closest market's. A larger value gives
markets further down more weight. Chosen by hand."""
VOTE_DOUBT = 0.25
"""Each of the markets closest to a page votes on whether the page is on sports. The result is
multiplied by s / (s + `VOTE_DOUBT`), where s is the largest share (0 to 1) of the page's words that
a voting market contains. A larger value moves all results closer to 0 (undecided). Chosen by
hand."""


class Vote(NamedTuple):
    """A market's vote on whether a page is on sports. `sports`: 1 if the market is on sports, -1 if
    not, 0 if unknown. `share`: how much of the page's words, weighted by rarity, the market
    contains, in [0, 1]."""

    sports: int
    share: float


def filed_under_sports(category: str | None, tags: Iterable[str]) -> int:
    """Whether a market is on sports, by its venue's category and tags: 1 yes, -1 no, 0 unknown."""
    if any(_FILED_UNDER_SPORTS.search(word) for word in (category or "", *tags)):
        return 1
    return -1 if category and category.casefold() not in _FILED_ANYWHERE else 0


def vote_result(votes: Iterable[Vote]) -> float:
    """How certain it is that a page is about sports, judged by the markets closest to it: between
    -1 (certainly not) and 1 (certainly), both excluded.

    `votes`: one per market, the closest market first. A vote is weighted by its rank and by its
    `share`, i.e. how much of the page's words the market contains. The result is made weaker if
    even the largest share is small (`VOTE_DOUBT`), because many markets that share the same word
    with the page are no more evidence than one.
    """
    toward = evidence = best = 0.0
    for rank, vote in enumerate(votes):
        if vote.sports:
            best = max(best, vote.share)
        weight = vote.share / (1 + rank / HALF_VOTE_RANK)
        toward += weight * vote.sports
        evidence += weight * abs(vote.sports)
    return toward / evidence * best / (best + VOTE_DOUBT) if evidence else 0.0
