"""The factors that a query is about, each with a weight.

A factor is something in the world that markets are about, e.g. a policy rate. A query's own factors
are those that its words name, and those that its best direct results (markets on the question
itself) are about. If its words name none, the results alone decide.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from augury.relations.causal.factors import Matcher
from augury.relations.causal.knowledge import Base
from augury.relations.causal.paths import FactorGraph
from augury.search.subject import split

# All weights and shares below are from 0 to 1.
MAX_QUERY_FACTORS: Final = 6
"""A query is taken to be about at most this many factors (things in the world, e.g. a policy rate).
Chosen by hand."""
MIN_FACTOR_SHARE: Final = 0.25
"""A query is taken to be about a factor only if the factor's weight is at least this share (0 to 1)
of the largest weight among the query's factors. Chosen by hand."""
MIN_NAMED_WEIGHT: Final = 0.4
"""If only a small part of a query's words name a factor (a thing in the world, e.g. a policy rate),
the factor's weight (0 to 1) in the query is little more than this. If all of the words name it, the
weight is 1. In between, the weight rises linearly with that part (`factors.Match.fit`).
`DOUBTFUL_SHARE` may lower it afterwards. Chosen by hand."""
VOTE_WEIGHT: Final = 0.8
"""Weight (0 to 1) that a factor (a thing in the world) gets in a query if all of the query's best
direct results (markets on the question itself) are closely about that factor. If only some of the
results are, the weight is smaller. Chosen by hand."""
GUESSED_TOP_WEIGHT: Final = 0.5
"""If the words of a query name no factor (thing in the world), its factors are guessed from its
best direct results (markets on the question itself). If these results agree (`MIN_AGREED_WEIGHT`),
the weights of the guessed factors are scaled up until the largest is at least this (0 to 1). Chosen
by hand."""
MIN_AGREED_WEIGHT: Final = 0.1
"""If the words of a query name no factor (thing in the world), its best direct results (markets on
the question itself) vote on its factors, with weights up to `VOTE_WEIGHT`. The results count as
agreeing if the factor with the most votes has at least this weight (0 to 1). Chosen by hand."""
SURE_WEIGHT: Final = 0.6
"""A query is certainly about a factor (thing in the world) that its words name if the factor's
weight (0 to 1) in the query is at least this. Chosen by hand."""
ANSWERED_SHARE: Final = 0.5
"""Suppose that a query certainly names a factor, i.e. a thing in the world (`SURE_WEIGHT`). If less
than this share (0 to 1) of its best direct results (markets on the question itself) is about the
factor, search has probably missed markets that name it in other words. The factor's markets are
then looked up as well. Chosen by hand."""
SUPPOSED_SHARE: Final = 0.8
"""A query may suppose a cause in a condition ("if the dollar collapses"). A factor (thing in the
world) that the condition names counts as such a cause if its weight is at least this share (0 to 1)
of the largest weight among the factors that the condition names. Chosen by hand."""
DOUBTFUL_SHARE: Final = 0.4
"""The weight of a factor (thing in the world) is multiplied by this number (0 to 1) if the query is
probably not about the factor. There are two cases. In the first, the query's words certainly name
another factor (`SURE_WEIGHT`), and this one was inferred only from the markets that search found.
In the second, the words that name this factor are only a part of another factor's name ("OpenAI" in
"OpenAI's listing"). Chosen by hand."""


class OwnFactors(NamedTuple):
    """The factors (things in the world, e.g. a policy rate) that a query is about, called its own
    factors, and other factors that matter for its answer."""

    factors: Sequence[tuple[int, float]]
    """The query's own factors as (id, weight from 0 to 1), the strongest first."""
    contests: Collection[int]
    """If the query is about one contender of a contest ("this team wins the league"): ids of the
    factors about the whole contest ("who wins the league")."""
    unanswered: Sequence[int]
    """Ids of the factors that the query's words certainly name (`SURE_WEIGHT`), but that few of the
    query's best direct results are about (a share below `ANSWERED_SHARE`)."""
    supposed: Collection[int]
    """Ids of the factors in the query's condition ("if the dollar collapses"). The query is not
    about them: it asks what follows from them."""


class OwnFactorFinder:
    """Finds out which factors (things in the world, e.g. a policy rate) a query is about."""

    def __init__(self, base: Base, matcher: Matcher, graph: FactorGraph) -> None:
        """`matcher` and `graph` are made from `base`, the factor base."""
        self._base = base
        self._matcher = matcher
        self._graph = graph

    def find(
        self,
        query: str,
        tags: NDArray[np.uint16],
        fits: NDArray[np.float32],
        scores: NDArray[np.float32],
    ) -> OwnFactors:
        """The factors (things in the world) that the query's words name, and those that its best
        direct results (markets on the question itself) are about.

        Parameters
        ----------
        tags, fits : (n, MOST_TAGS)
            Ids of the factors that each of the n best direct results is about, and how well each
            one fits, 0 to 1.
        scores : (n,)
            How good each result is; its factors count in proportion.
        """
        weights, supposed = self._named(query)
        votes: Counter[int] = Counter()
        total = float(scores.sum())
        for row, fit, score in zip(tags.tolist(), fits.tolist(), scores.tolist(), strict=True):
            for tag, share in zip(row, fit, strict=True):
                if tag:
                    votes[tag] += score * min(1.0, 0.3 + share)
        voted = {tag: VOTE_WEIGHT * vote / total for tag, vote in votes.items()}
        if not weights and (top := max(voted.values(), default=0.0)) >= MIN_AGREED_WEIGHT:
            voted = {tag: vote * max(1.0, GUESSED_TOP_WEIGHT / top) for tag, vote in voted.items()}
        found = {
            tag: float((tags == tag).any(axis=1).mean()) if len(tags) else 0.0 for tag in weights
        }
        unanswered = [
            tag
            for tag, weight in weights.items()
            if weight >= SURE_WEIGHT and found[tag] < ANSWERED_SHARE
        ]
        near = {tag: self._near(tag) for tag in weights}
        sure = max(weights.values(), default=0.0) >= SURE_WEIGHT
        for tag, vote in voted.items():
            if tag in supposed:
                continue
            # Factors that a named factor drives or follows from are the answer, not the question.
            if not any(tag in near[one] and weights[one] >= vote for one in near):
                share = DOUBTFUL_SHARE if sure and tag not in near else 1.0
                weights[tag] = max(weights.get(tag, 0.0), share * vote)
        # A question about one contender is not about what the others do.
        contests: set[int] = set()
        for tag, weight in tuple(weights.items()):
            for contest in self._contests(tag):
                if tag in near or weight > weights.get(contest, 0.0):
                    weights.pop(contest, None)
                    contests.add(contest)
        best = sorted(weights.items(), key=lambda pair: (-pair[1], pair[0]))[:MAX_QUERY_FACTORS]
        least = MIN_FACTOR_SHARE * best[0][1] if best else 0.0
        factors = [(tag, weight) for tag, weight in best if weight >= least]
        return OwnFactors(factors, contests, unanswered, supposed)

    def _named(self, query: str) -> tuple[dict[int, float], set[int]]:
        """The factors that a query names, in two parts.

        The first, id -> weight, has the factors that the query is about. The second has the ids of
        those that it only supposes as causes ("if the dollar collapses"), and is not about.
        """
        subject = split(query)
        about = self._weighed(subject.about)
        if not subject.condition or not about:
            return self._weighed(query), set()
        condition = self._weighed(subject.condition)
        least = SUPPOSED_SHARE * max(condition.values(), default=0.0)
        supposed = {factor for factor, weight in condition.items() if weight >= least}
        return about, supposed - about.keys()

    def _weighed(self, text: str) -> dict[int, float]:
        weights: dict[int, float] = {}
        for match in self._matcher.match(text):
            weight = min(1.0, MIN_NAMED_WEIGHT + (1 - MIN_NAMED_WEIGHT) * match.fit)
            weights[match.factor] = DOUBTFUL_SHARE * weight if match.part else weight
        return weights

    def _near(self, number: int) -> set[int]:
        """Ids of the neighbors of the factor with the id `number`: the factors that are joined to
        it by an edge or link of the factor base. If a neighbor is about one contender of a contest
        ("this team wins the league"), the factors about the whole contest ("who wins the league")
        are included too."""
        near = self._graph.near(number)
        return near.union(*(self._contests(other) for other in near))

    def _contests(self, number: int) -> set[int]:
        """If the factor with the id `number` is about one contender of a contest ("this team wins
        the league"): the ids of the factors about the whole contest ("who wins the league")."""
        contests = self._matcher.factors[number - 1].contests
        return {self._matcher.numbers[key] for key in contests if key in self._base.factors}
