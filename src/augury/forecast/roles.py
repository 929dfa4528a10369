"""Decides what part a market plays for a question: direct (it asks the question), a twin of another
market (the same contract), one of a series of deadlines, a bound on the answer or a hint at it.
Pure."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Final

from augury.forecast.bearing import Bearing
from augury.forecast.match import Comparison, compare

DIRECT_SCORE: Final = 1.15
"""Smallest `Comparison.score` (points up to 3.8: how well a market fits the question) of a market
that counts as asking the question itself. Chosen by hand."""
DIRECT_CONTENT: Final = 0.95
"""Smallest `Comparison.content` (points up to 2.6: how far question and market are about the same
things) of a market that asks the question itself, or asks it with another deadline, level or stage.
Chosen by hand."""
DIRECT_ASKED: Final = 0.36
"""Smallest weighted share, 0 to 1, of the question's terms (word stems) that a market must name to
count as asking the question itself. Chosen by hand."""
DIRECT_LIKENESS: Final = -0.9
"""Smallest `Comparison.likeness` (log-odds that question and market are about the same thing) of a
market that asks the question itself. Chosen on the questions of `docs/experiments/forecasts.md`."""
MAX_SCORE_GAP: Final = 0.3
"""Largest amount by which the `Comparison.score` (points: how well a market fits the question) of a
market may be below that of the best match, if the two ask the same and are to be averaged. Chosen
by hand."""
RELATED_CONTENT: Final = 0.85
"""Smallest `Comparison.content` (points up to 2.6: how far question and market are about the same
things) of a market that can bound the answer or hint at it. Chosen by hand."""
RELATED_ASKED: Final = 0.34
"""Smallest weighted share, 0 to 1, of the question's terms (word stems) that a market must name to
bound the answer or hint at it. Chosen by hand."""
BOUND_LIKENESS: Final = -0.9
"""Smallest `Comparison.likeness` (log-odds that question and market are about the same thing) of a
market whose price bounds the answer. Chosen on the questions of `docs/experiments/forecasts.md`."""
STAGE_LIKENESS: Final = -2.3
"""Smallest `Comparison.likeness` (log-odds that question and market are about the same thing) of a
market that bounds the answer because it asks about another stage (e.g. the semifinal) for the same
contender. Chosen on the questions of `docs/experiments/forecasts.md`."""
HINT_LIKENESS: Final = -2.6
"""Smallest `Comparison.likeness` (log-odds that question and market are about the same thing) of a
market that hints at the answer. Chosen on the questions of `docs/experiments/forecasts.md`."""
LONE_LIKENESS: Final = -3.2
"""Smallest `Comparison.likeness` (log-odds that question and market are about the same thing) of a
market that hints at the answer because it differs in nothing from the question and stands alone
(`APART_LIKENESS`). Chosen on the questions of `docs/experiments/forecasts.md`."""
APART_LIKENESS: Final = 0.8
"""Smallest lead of a market in `Comparison.likeness` (log-odds of being about the same thing as the
question) with which it stands alone: every market on another subject or contender must be lower by
at least this much."""
EXCLUDED_LIKENESS: Final = 2.9
"""Log-odds that the regression (`match._LIKENESS`) subtracts from `Comparison.likeness` if the
market's level excludes the question's ("below 50", "above 100"). To decide whether the market
bounds the answer, they are added back, because a market can do so although the levels differ."""
FOREIGN_WEIGHT: Final = 0.8
"""Smallest weight (`Comparison.foreign`, up to 1.8: how telling a name is) of a name that only the
market says, from which the market is about something else: the Florida Panthers' Stanley Cup says
nothing about Florida's hurricanes. Chosen by hand."""
SERIES_EXTRA: Final = 0.9
"""Largest weight (`Comparison.extra`, up to 1.8: how telling a term is) of a term that only the
market names, if question and market are to ask about one event by different deadlines. A market
above it may still bound the answer, if the judge (the trained model) accepts it. Chosen by hand."""
CONTENT_LEAD: Final = 0.4
"""Smallest lead, in points of `Comparison.content` (up to 2.6: how far a market is about the same
things as the question), of one market over the market that seems to ask the question. From this
lead on, the first market is taken to be the one meant, although its deadline, level or stage
differs. Chosen by hand."""
FULL_SHARE: Final = 0.99
"""Smallest weighted share, 0 to 1, of the question's terms (word stems) that a market must name to
count as naming all of them."""
PARTIAL_SHARE: Final = 0.75
"""A market that seems to ask the question gives way to a market with another deadline, level or
stage if it names less than this weighted share, 0 to 1, of the question's terms (word stems), and
the other names all of them (`FULL_SHARE`). Chosen by hand."""
TWIN_GAP: Final = 0.1
"""Largest difference, as a probability, between the prices of two markets that are taken to ask the
same. Chosen by hand."""

SAME_END: Final = timedelta(days=2)
"""Largest time between the closes of two markets with the same title at which they are taken to end
together: one venue closes at midnight in New York, another a day after the event."""


def is_direct(c: Comparison) -> bool:
    """Whether a market asks the question itself, according to their comparison `c`."""
    return (
        c.same and c.score >= DIRECT_SCORE and c.content >= DIRECT_CONTENT
        and c.asked >= DIRECT_ASKED and c.likeness >= DIRECT_LIKENESS and c.foreign < FOREIGN_WEIGHT
    )  # fmt: skip


def is_better_match(other: Comparison, direct: Comparison) -> bool:
    """Whether one market (`other`: its comparison with the question) matches the question's subject
    so much better than the market that seems to ask the question (`direct`: its comparison) that it
    must be the one meant, although its deadline, level or stage differs."""
    says_all = other.asked >= FULL_SHARE and direct.asked < PARTIAL_SHARE
    return (
        (says_all or other.content >= direct.content + CONTENT_LEAD)
        and other.missing <= direct.missing and other.extra <= direct.extra
        and bool(orders_of(other) & {"implies", "implied"})
        and other.choice in ("same", "unsaid") and other.edition != "differs"
    )  # fmt: skip


def are_series(best: Bearing, other: Bearing) -> bool:
    """Whether two markets ask about the same event in the same direction (that it happens, or that
    it does not), so that their deadlines form a series. `best` is the better match for the
    question."""
    a, b = best.view.proposition, other.view.proposition
    return (
        other.fit.content >= best.fit.content - 0.25 and other.fit.opposed == best.fit.opposed
        and other.fit.lasting == best.fit.lasting and a.predicate == b.predicate
        and a.positive == b.positive
    )  # fmt: skip


def is_related(c: Comparison) -> bool:
    """Whether a market is close enough to the question's subject to bound the answer or hint at it,
    according to their comparison `c`. Always so for a market on a rival contender."""
    return c.rival or (c.content >= RELATED_CONTENT and c.asked >= RELATED_ASKED)


def is_sure(c: Comparison) -> bool:
    """Whether question and market are so surely about the same thing, according to their comparison
    `c`, that the market's price may bound the answer."""
    staged = c.stage in ("implies", "implied") and c.choice == "same"
    if not staged and not c.rival and c.foreign >= FOREIGN_WEIGHT:
        return False
    likeness = c.likeness + (EXCLUDED_LIKENESS if c.threshold == "excludes" else 0.0)
    return c.rival or likeness >= (STAGE_LIKENESS if staged else BOUND_LIKENESS)


def is_hint(c: Comparison, *, alone: bool) -> bool:
    """Whether a market can hint at the answer, according to its comparison with the question, `c`:
    both are likely to be about the same thing, and not about different contenders or years.

    alone : every market on another subject or contender is less like the question, by at least
        `APART_LIKENESS`
    """
    if c.choice in ("excludes", "differs") or c.edition == "differs":
        return False
    if c.leveled and c.threshold == "differs":
        return False  # nothing orders the two levels
    if c.same and alone:
        return c.likeness >= LONE_LIKENESS
    return c.likeness >= HINT_LIKENESS and c.foreign < FOREIGN_WEIGHT


def are_twins(a: Bearing, b: Bearing, at: date) -> bool:
    """Whether two markets ask the same, as one contract on two venues does: they differ in no part
    (deadline, level ...), share nearly all terms and have nearly the same price.

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
    """Whether two markets have the same title and close together, but differ in price by more than
    `TWIN_GAP`. They may ask different things: for example, one counts only what happens after its
    opening, and its title does not say so."""
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
        and c.content >= DIRECT_CONTENT and is_sure(c)
    )  # fmt: skip


def is_same_except(c: Comparison, but: str) -> bool:
    """Whether market and question differ in no part (window of time, level, stage, contender, year)
    other than the part `but`."""
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
