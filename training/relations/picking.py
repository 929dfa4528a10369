"""Which of a query's candidates are judged. Pure."""

from __future__ import annotations

import random
from typing import NamedTuple

LISTED = 50
"""Of each list, the results that are candidates for a judgment."""
BEST = 20
"""Of those nearest by words, and by vectors."""
RELATIONS = 4


class Size(NamedTuple):
    """How many markets of a query are judged."""

    judged: int
    """Most markets of one query."""
    of_family: int
    """Most of one family, beyond the first of a list: a ladder teaches once."""
    sure: int
    """First results of each list that are judged whatever else is."""
    strays: int
    """Judged by chance among all other candidates: what no list shows has to be known too."""
    pack: int
    """Queries in one pack for a judge."""


MANY = Size(judged=130, of_family=10, sure=10, strays=8, pack=10)
"""To fit and score lists."""
FEW = Size(judged=46, of_family=4, sure=9, strays=4, pack=20)
"""To teach the relation vectors: many queries matter more than many markets of each."""


def chosen(
    lists: list[list[int]], family: dict[int, int], dice: random.Random, size: Size
) -> list[int]:
    """The markets to judge: in turn the next of each list, until there are enough, and strays.

    Parameters
    ----------
    lists
        Candidates in order: the service's list of each relation, then others.
    family
        Of every candidate; none of these is left unjudged where all are few.
    """
    sure = {key for listed in lists[:RELATIONS] for key in listed[: size.sure]}
    kept: dict[int, None] = dict.fromkeys(sure)
    members: dict[int, int] = {}
    for key in kept:
        members[family[key]] = members.get(family[key], 0) + 1
    for place in range(LISTED):
        for listed in lists:
            room = len(kept) < size.judged - size.strays
            if place < len(listed) and listed[place] not in kept and room:
                key = listed[place]
                if members.get(family[key], 0) < size.of_family:
                    kept[key] = None
                    members[family[key]] = members.get(family[key], 0) + 1
    others = sorted(family.keys() - kept.keys())
    return [*kept, *dice.sample(others, min(size.strays, len(others)))]
