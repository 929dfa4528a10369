"""Decides which role a market has for a question. Pure.

The roles: direct (of the markets that ask the question or its opposite, the best match), twin (it
asks the same as the direct market, e.g. on another venue), deadline (one of several markets on the
same event with different deadlines), bound (it limits the answer), or hint.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Final

from augury.forecast import bounds
from augury.forecast.bearing import Bearing
from augury.forecast.match import Comparison, compare
from augury.propositions.proposition import Proposition

MIN_DIRECT_SCORE: Final = 1.15
"""A market counts as asking the question itself only if its `Comparison.score` (how well it fits
the question, in points up to 3.8) is at least this. Chosen by hand."""
MIN_DIRECT_CONTENT: Final = 0.95
"""A market counts as asking the question itself, or asking it with another deadline, level or
stage, only if its `Comparison.content` is at least this. The content says how far question and
market are about the same things, in points up to 2.6. Chosen by hand."""
MIN_DIRECT_ASKED: Final = 0.36
"""A market counts as asking the question itself only if it names at least this weighted share, 0 to
1, of the question's terms (word stems). Chosen by hand."""
MIN_DIRECT_LIKENESS: Final = -0.9
"""A market counts as asking the question itself only if its `Comparison.likeness` (log-odds that
question and market are about the same thing) is at least this. Chosen on the questions of
`docs/experiments/forecasts.md`."""
MAX_SCORE_GAP: Final = 0.3
"""A market that asks the same as the best match is averaged with it only if its `Comparison.score`
(how well it fits the question, in points) is at most this much lower. Chosen by hand."""
MIN_RELATED_CONTENT: Final = 0.85
"""A market can bound the answer or hint at it only if its `Comparison.content` (how far question
and market are about the same things, in points up to 2.6) is at least this. Chosen by hand."""
MIN_RELATED_ASKED: Final = 0.34
"""A market can bound the answer or hint at it only if it names at least this weighted share, 0 to
1, of the question's terms (word stems). Chosen by hand."""
MIN_BOUND_LIKENESS: Final = -0.9
"""A market's price may bound the answer only if its `Comparison.likeness` (log-odds that question
and market are about the same thing) is at least this. Chosen on the questions of
`docs/experiments/forecasts.md`."""
MIN_STAGE_LIKENESS: Final = -2.3
"""A market on another stage (e.g. the semifinal) for the same contender may bound the answer only
if its `Comparison.likeness` (log-odds that question and market are about the same thing) is at
least this. Chosen on the questions of `docs/experiments/forecasts.md`."""
MIN_HINT_LIKENESS: Final = -2.6
"""A market may hint at the answer only if its `Comparison.likeness` (log-odds that question and
market are about the same thing) is at least this. Chosen on the questions of
`docs/experiments/forecasts.md`."""
MIN_LONE_LIKENESS: Final = -3.2
"""This limit holds for a market that stands alone (no other is nearly as like the question; see
`APART_LIKENESS`) and agrees with the question in every compared part (`Comparison.same`). The
market may hint at the answer only if its `Comparison.likeness` (log-odds that question and market
are about the same thing) is at least this. For other markets, the limit is `MIN_HINT_LIKENESS`.
Chosen on the questions of `docs/experiments/forecasts.md`."""
APART_LIKENESS: Final = 0.8
"""A market stands alone if its `Comparison.likeness` (log-odds that question and market are about
the same thing) is at least this much larger than that of every market on another subject or
contender. A market may hint at the answer if its likeness is at least `MIN_HINT_LIKENESS`. For a
market that stands alone and agrees with the question in every part that is compared, the smaller
`MIN_LONE_LIKENESS` is enough."""
EXCLUDED_LIKENESS: Final = 2.9
"""A market's level may exclude the question's: the question says "above 100", the market "below
50". The regression (`match._LIKENESS`) then subtracts this many log-odds from
`Comparison.likeness`. `is_sure` adds them back, because such a market can still bound the answer:
the two can't both come true (`limits_of`)."""
FOREIGN_WEIGHT: Final = 0.8
"""A market is taken to be about something else if it has a name that the question lacks, and the
name's weight is at least this: the Florida Panthers' Stanley Cup says nothing about Florida's
hurricanes. The weight (`Comparison.foreign`), up to 1.8, says how telling the name is. Chosen by
hand."""
MAX_DEADLINE_EXTRA: Final = 0.9
"""Question and market count as asking about one event with different deadlines only if no term that
the market alone names has a larger weight than this. The weight (`Comparison.extra`), up to 1.8,
says how telling a term is. A market with a heavier term can still bound the answer if the judge
(the trained model) accepts it. Chosen by hand."""
CONTENT_LEAD: Final = 0.4
"""Market A has the question's deadline, level and stage, and so seems to ask it. Market B differs
in one of these. If B's `Comparison.content` (how far question and market are about the same things,
in points up to 2.6) is larger than A's by at least this, A no longer counts as asking the question.
Chosen by hand."""
FULL_SHARE: Final = 0.99
"""A market counts as naming all of the question's terms (word stems) if it names at least this
weighted share of them, 0 to 1."""
PARTIAL_SHARE: Final = 0.75
"""Suppose that market A seems to ask the question. Market B names all of the question's terms
(word stems; `FULL_SHARE`), but differs in the deadline, level or stage. Then A counts as asking the
question only if it names at least this weighted share, 0 to 1, of the terms. Chosen by hand."""
TWIN_GAP: Final = 0.1
"""Two markets are taken to ask the same question only if their prices differ by at most this (as a
probability). Chosen by hand."""

SAME_END: Final = timedelta(days=2)
"""Two markets with the same title are taken to end together if their closes are at most this far
apart: one venue closes at midnight in New York, another a day after the event."""


def is_direct(c: Comparison) -> bool:
    """Whether a market asks the question itself, according to their comparison `c`."""
    return (
        c.same and c.score >= MIN_DIRECT_SCORE and c.content >= MIN_DIRECT_CONTENT
        and c.asked >= MIN_DIRECT_ASKED and c.likeness >= MIN_DIRECT_LIKENESS
        and c.foreign < FOREIGN_WEIGHT
    )  # fmt: skip


def is_better_match(other: Comparison, direct: Comparison) -> bool:
    """Whether another market is probably closer to what the question asks than the market that
    seems to ask it. `direct` compares the question with the market that seems to ask it. `other`
    compares the question with the other market, which has another deadline, level or stage. True
    if the other market matches the question's subject so much better that this outweighs the
    difference."""
    says_all = other.asked >= FULL_SHARE and direct.asked < PARTIAL_SHARE
    return (
        (says_all or other.content >= direct.content + CONTENT_LEAD)
        and other.missing <= direct.missing and other.extra <= direct.extra
        and bool(orders_of(other) & {"implies", "implied"})
        and other.choice in ("same", "unsaid") and other.edition != "differs"
    )  # fmt: skip


def direct_markets(bearings: Sequence[Bearing], at: date) -> list[Bearing]:
    """The outcomes of the markets that ask the question itself or its opposite: the best one first,
    then up to five twins of it (`are_twins`). Empty if no market asks it.

    bearings : the market outcomes compared with the question, the best match first
    at : the day on which the question is asked
    """
    good = [
        b for b in bearings
        if b.exact or b.relation in bounds.SAME
        or (is_direct(b.fit) and b.relation not in bounds.ORDERED)
    ]  # fmt: skip
    if not good:
        return []
    if exact := [b for b in good if b.exact] or [b for b in good if b.relation in bounds.SAME]:
        best = exact[0]
        return [best, *_twins(best, [b for b in good if b is not best], at)]
    best = good[0]
    own = (
        best.view.proposition.terms
    )  # a market on the same event at another level is no better match
    others = (b for b in bearings if b.view.proposition.terms != own)
    if any(is_better_match(b.fit, best.fit) for b in others):
        return []
    return [best, *_twins(best, good[1:], at)]


def _twins(best: Bearing, others: Sequence[Bearing], at: date) -> list[Bearing]:
    return [b for b in others if b.fit.score >= best.fit.score - MAX_SCORE_GAP
            and are_twins(best, b, at)][:5]  # fmt: skip


def stands_alone(best: Bearing, bearings: Sequence[Bearing]) -> bool:
    """Whether the market `best` stands alone: every market on another subject is less like the
    question, by at least `APART_LIKENESS`.

    bearings : all market outcomes compared with the question
    """
    own = best.view.proposition.terms
    return all(
        b.fit.likeness <= best.fit.likeness - APART_LIKENESS
        for b in bearings
        if b.view.proposition.terms != own
    )


def differ_by_deadline(best: Bearing, other: Bearing) -> bool:
    """Whether two markets ask about the same event in the same direction (that it happens, or that
    it does not), so that they differ at most by their deadlines. `best` is the better match for the
    question."""
    a, b = best.view.proposition, other.view.proposition
    return (
        other.fit.content >= best.fit.content - 0.25 and other.fit.opposed == best.fit.opposed
        and other.fit.lasting == best.fit.lasting and a.predicate == b.predicate
        and a.positive == b.positive
    )  # fmt: skip


def in_order(series: Sequence[Bearing]) -> list[Bearing]:
    """The markets of a series of deadlines, without those that ask something narrower or wider. A
    market is left out if its words differ from those of the best match, and its probability
    contradicts (`_contradict`) that of a market with the same words as the best match.

    series : the best match for the question first
    """
    terms = series[0].view.proposition.terms
    own = [b for b in series if b.view.proposition.terms == terms]
    return [
        b for b in series
        if b.view.proposition.terms == terms or not any(_contradict(b, one) for one in own)
    ]  # fmt: skip


def _contradict(one: Bearing, other: Bearing) -> bool:
    """Whether the probabilities of two markets with different deadlines contradict each other, by
    more than `TWIN_GAP`. A later deadline can't make it less likely that an event happens in time.
    And it can't make it more likely that a state lasts until then."""
    sooner, later = (one, other) if one.fit.gap > other.fit.gap else (other, one)
    rises = -1 if one.fit.lasting else 1
    return sooner.fit.gap != later.fit.gap and (
        rises * (sooner.positive - later.positive) > TWIN_GAP
    )


def is_about(b: Bearing) -> bool:
    """Whether the market is about the question's event. True if the judge (the trained model)
    accepts that the market's price bounds the answer from above or below (`Bearing.sets_bound`).
    Also true if market and question share enough content (`MIN_DIRECT_CONTENT`)."""
    return b.sets_bound or b.fit.content >= MIN_DIRECT_CONTENT


def is_of_a_member(asked: Proposition, b: Bearing) -> bool:
    """Whether the question is about a party and the market about one of its people: "Democrats win
    Maine" and "Mills is the Democratic nominee in Maine"."""
    theirs = b.view.proposition
    return bool(
        asked.choice and theirs.choice
        and not asked.choice & theirs.choice and asked.choice <= theirs.contest
    )  # fmt: skip


def says_never(b: Bearing) -> bool:
    """Whether a market says that none of the things that are counted happens ("Will no rate cuts
    happen in 2026?")."""
    said = b.view.proposition
    return said.predicate == "happens" and said.threshold is None and b.turned


def is_related(c: Comparison) -> bool:
    """Whether a market is close enough to the question's subject to bound the answer or hint at it,
    according to their comparison `c`. True for every market on a rival of the question's contender,
    because only one of the two can win."""
    return c.rival or (c.content >= MIN_RELATED_CONTENT and c.asked >= MIN_RELATED_ASKED)


def is_sure(c: Comparison) -> bool:
    """Whether question and market are so surely about the same thing, according to their comparison
    `c`, that the market's price may bound the answer."""
    staged = c.stage in ("implies", "implied") and c.choice == "same"
    if not staged and not c.rival and c.foreign >= FOREIGN_WEIGHT:
        return False
    likeness = c.likeness + (EXCLUDED_LIKENESS if c.threshold == "excludes" else 0.0)
    return c.rival or likeness >= (MIN_STAGE_LIKENESS if staged else MIN_BOUND_LIKENESS)


def is_hint(c: Comparison, *, alone: bool) -> bool:
    """Whether a market can hint at the answer, according to its comparison with the question, `c`:
    both are likely to be about the same thing, and not about different contenders or years.

    alone : whether the market's likeness to the question is at least `APART_LIKENESS` above that of
        every market on another subject or contender; a lower likeness may then be enough
    """
    if c.choice in ("excludes", "differs") or c.edition == "differs":
        return False
    if c.leveled and c.threshold == "differs":
        return False  # nothing orders the two levels
    if c.same and alone:
        return c.likeness >= MIN_LONE_LIKENESS
    return c.likeness >= MIN_HINT_LIKENESS and c.foreign < FOREIGN_WEIGHT


def are_twins(a: Bearing, b: Bearing, at: date) -> bool:
    """Whether two markets ask the same question, as one contract on two venues does: they differ in
    no part (deadline, level ...), share nearly all terms and have nearly the same price.

    at : the day on which the question is asked
    """
    there, back = compare(a.view, b.view, at), compare(b.view, a.view, at)
    return (
        there.same and back.same and a.fit.opposed == b.fit.opposed
        and min(there.asked, there.named) >= 0.9
        and (a.view.proposition.threshold is None) == (b.view.proposition.threshold is None)
        and _deadline(a) == _deadline(b)
        and abs(a.positive - b.positive) <= TWIN_GAP
    )  # fmt: skip


def are_contrary(a: Bearing, b: Bearing) -> bool:
    """Whether two markets have the same title and closing times at most `SAME_END` apart, but
    prices that differ by more than `TWIN_GAP`. Such markets may ask different things: for example,
    one counts only what happens after its opening, and its title does not say so."""
    if a.market.seq == b.market.seq or abs(a.positive - b.positive) <= TWIN_GAP:
        return False
    ends = a.market.closes_at, b.market.closes_at
    if ends[0] is None or ends[1] is None or abs(ends[0] - ends[1]) > SAME_END:
        return False
    one, other = ((of.market.question.casefold(), of.market.subtitle, of.outcome) for of in (a, b))
    return one == other


def _deadline(b: Bearing) -> date | None:
    window = b.view.proposition.window
    return window.end if window.text else None


def orders_of(c: Comparison) -> set[str]:
    """The relations (`Order`) of a market to the question in the parts that logic can compare:
    window of time, level, stage and contender."""
    return {c.window, c.threshold, c.stage, c.choice}


def is_rung(c: Comparison, part: str) -> bool:
    """Whether a market asks the question with another level (`part` is "threshold") or another
    deadline ("window"), and differs in nothing else."""
    return (
        getattr(c, part) in ("implies", "implied") and is_same_except(c, part) and not c.opposed
        and c.content >= MIN_DIRECT_CONTENT and is_sure(c)
    )  # fmt: skip


def is_same_except(c: Comparison, but: str) -> bool:
    """Whether market and question differ in none of their parts (window of time, level, stage,
    contender, year), except possibly in the part `but`. Opposite levels ("above 3%", "below 3%") do
    not count as different. Nor does a part about which market or question says nothing definite."""
    return c.edition != "differs" and all(
        getattr(c, part) in ("same", "opposite", "unsaid")
        for part in ("window", "threshold", "stage", "choice")
        if part != but
    )


def limits_of(c: Comparison, positive: float) -> tuple[float, float]:
    """Lower and upper bound on the probability of what the question is about, from the price of one
    market and how it relates to the question (`c`); 0 and 1 if it sets no bound.

    positive : the market's price; 1 - price if the market asserts the opposite of what the question
        is about (`Bearing.positive`)
    """
    orders = orders_of(c)
    if "excludes" in orders:
        return 0.0, 1 - positive
    if "implied" in orders and "implies" not in orders:
        return positive, 1.0
    if "implies" in orders and "implied" not in orders:
        return 0.0, positive
    return 0.0, 1.0
