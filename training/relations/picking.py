"""Which of a query's candidates are judged. Pure."""

from __future__ import annotations

import random

LISTED = 50
"""Of each list, the results that are candidates for a judgment."""
BEST = 20
"""Of those nearest by words, and by vectors."""
JUDGED = 130
"""Most markets judged of one query."""
OF_FAMILY = 10
"""Most of one family, beyond those in the first ten of a list: a ladder teaches once."""
RELATIONS = 4
SURE = 10
"""First results of each list that are judged whatever else is."""
STRAYS = 8
"""Judged by chance among all other candidates: what no list shows has to be known too."""


def chosen(lists: list[list[int]], family: dict[int, int], dice: random.Random) -> list[int]:
    """The markets to judge: in turn the next of each list, until there are enough, and strays.

    Parameters
    ----------
    lists
        Candidates in order: the service's list of each relation, then others.
    family
        Of every candidate; none of these is left unjudged where all are few.
    """
    sure = {key for listed in lists[:RELATIONS] for key in listed[:SURE]}
    kept: dict[int, None] = dict.fromkeys(sure)
    members: dict[int, int] = {}
    for key in kept:
        members[family[key]] = members.get(family[key], 0) + 1
    for place in range(LISTED):
        for listed in lists:
            if place < len(listed) and listed[place] not in kept and len(kept) < JUDGED - STRAYS:
                key = listed[place]
                if members.get(family[key], 0) < OF_FAMILY:
                    kept[key] = None
                    members[family[key]] = members.get(family[key], 0) + 1
    others = sorted(family.keys() - kept.keys())
    return [*kept, *dice.sample(others, min(STRAYS, len(others)))]
