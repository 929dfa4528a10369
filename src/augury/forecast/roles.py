"""Decides what a market is to a question: direct, twin, part of a series, bound or hint. Pure."""

from __future__ import annotations

from datetime import date
from typing import Final

from augury.forecast.bearing import Bearing
from augury.forecast.match import Comparison, compare

DIRECT_SCORE: Final = 1.15
"""Smallest `Comparison.score`, in points up to 3.8, of a direct market. Chosen by hand."""
DIRECT_CONTENT: Final = 0.95
"""Smallest `Comparison.content`, in points up to 2.6, of a direct market, and of a market with
another deadline, level or stage from which an answer is derived. Chosen by hand."""
DIRECT_ASKED: Final = 0.36
"""Smallest share, 0 to 1, of the question's content that a direct market names. Chosen by hand."""
DIRECT_LIKENESS: Final = -0.9
"""Smallest likeness, in log-odds, of a direct market; chosen as `EXCLUDED` says."""
AS_GOOD: Final = 0.3
"""Largest number of points of `Comparison.score` that another market may be below the best direct
market to count as its twin. Chosen by hand."""
KIN_CONTENT: Final = 0.85
"""Smallest `Comparison.content`, in points up to 2.6, of a market that bounds the answer or hints
at it. Chosen by hand."""
KIN_ASKED: Final = 0.34
"""Smallest share, 0 to 1, of the question's content that a market names to bound the answer or hint
at it. Chosen by hand."""
BOUND_LIKENESS: Final = -0.9
"""Smallest likeness, in log-odds, of a market that bounds the answer."""
STAGE_LIKENESS: Final = -2.3
"""Smallest likeness, in log-odds, of a market that bounds the answer by another stage of the same
contender."""
HINT_LIKENESS: Final = -2.6
"""Smallest likeness, in log-odds, of a hint."""
LONE_LIKENESS: Final = -3.2
"""Smallest likeness, in log-odds, of a hint that stands alone: see `APART`."""
APART: Final = 0.8
"""A hint stands alone if the likeness of every market with other terms is lower by at least this
much, in log-odds."""
EXCLUDED: Final = 2.9
"""Log-odds added back to the likeness of a market that excludes the question's event, because the
fit subtracts as much for excluding (`match._LIKENESS`). All likeness limits were chosen on the
questions of `docs/experiments/forecasts.md`, with the market asked about taken away."""
FOREIGN: Final = 0.8
"""From this weight on (`Comparison.foreign`, up to 1.8), a name in the market of which the question
says nothing makes the market about something else: the Florida Panthers' Stanley Cup says nothing
of Florida's hurricanes. Chosen by hand."""
SERIES_EXTRA: Final = 0.9
"""Largest weight (`Comparison.extra`, up to 1.8) of a term that only the market names, for question
and market to belong to one series of deadlines. Chosen by hand."""
OUTDONE: Final = 0.4
"""A market with this many points of `Comparison.content` more than a direct candidate is the one
meant in its place, even with another deadline, level or stage. Chosen by hand."""
ALL: Final = 0.99
"""Share, 0 to 1, of the question's content from which on a market counts as naming all of it."""
MOST: Final = 0.75
"""A direct candidate that names less than this share, 0 to 1, of the question's content gives way
to a market that names all of it. Chosen by hand."""
TWIN_GAP: Final = 0.1
"""Largest difference, as a probability, between the prices of two markets that ask the same. Chosen
by hand."""


def is_direct(c: Comparison) -> bool:
    """Whether a market asks the question itself."""
    return (
        c.same and c.score >= DIRECT_SCORE and c.content >= DIRECT_CONTENT
        and c.asked >= DIRECT_ASKED and c.likeness >= DIRECT_LIKENESS and c.foreign < FOREIGN
    )  # fmt: skip


def outdoes(kin: Comparison, direct: Comparison) -> bool:
    """Whether the market `kin` matches the question's subject so much better than the candidate
    `direct` that it must be the one meant, though its deadline, level or stage differs."""
    says_all = kin.asked >= ALL and direct.asked < MOST
    return (
        (says_all or kin.content >= direct.content + OUTDONE) and kin.missing <= direct.missing
        and kin.extra <= direct.extra and bool(orders_of(kin) & {"implies", "implied"})
        and kin.choice in ("same", "unsaid") and kin.edition != "differs"
    )  # fmt: skip


def are_series(best: Bearing, other: Bearing) -> bool:
    """Whether two markets ask for the same event, each by its own deadline."""
    a, b = best.view.proposition, other.view.proposition
    return (
        other.fit.content >= best.fit.content - 0.25 and other.fit.opposed == best.fit.opposed
        and other.fit.lasting == best.fit.lasting and a.predicate == b.predicate
        and a.positive == b.positive
    )  # fmt: skip


def is_kin(c: Comparison) -> bool:
    """Whether a market is close enough to the question's subject to bound the answer or hint at
    it."""
    return c.rival or (c.content >= KIN_CONTENT and c.asked >= KIN_ASKED)


def is_sure(c: Comparison) -> bool:
    """Whether it is certain enough that a market is about the same thing for its price to bound the
    answer."""
    staged = c.stage in ("implies", "implied") and c.choice == "same"
    if not staged and not c.rival and c.foreign >= FOREIGN:
        return False
    told = c.likeness + (EXCLUDED if c.threshold == "excludes" else 0.0)
    return c.rival or told >= (STAGE_LIKENESS if staged else BOUND_LIKENESS)


def is_hint(c: Comparison, *, alone: bool) -> bool:
    """Whether a market can be a hint: it is likely enough to be about the same thing, and not about
    another contender or edition.

    alone : no market of another family comes within `APART` of its likeness
    """
    if c.choice in ("excludes", "differs") or c.edition == "differs":
        return False
    if c.same and alone:
        return c.likeness >= LONE_LIKENESS
    return c.likeness >= HINT_LIKENESS and c.foreign < FOREIGN


def are_twins(a: Bearing, b: Bearing, at: date) -> bool:
    """Whether two markets ask the same, like one contract on two venues, and are not just alike."""
    there, back = compare(a.view, b.view, at), compare(b.view, a.view, at)
    return (
        there.same and back.same and a.fit.opposed == b.fit.opposed
        and min(there.asked, there.named) >= 0.9
        and (a.view.proposition.threshold is None) == (b.view.proposition.threshold is None)
        and _deadline(a) == _deadline(b)
        and abs(a.positive - b.positive) <= TWIN_GAP
    )  # fmt: skip


def _deadline(b: Bearing) -> date | None:
    window = b.view.proposition.window
    return window.end if window.text else None


def orders_of(c: Comparison) -> set[str]:
    """The relations of the parts that logic can compare to those of the question."""
    return {c.window, c.threshold, c.stage, c.choice}


def is_rung(c: Comparison, part: str) -> bool:
    """Whether a market differs from the question only in `part`, its level or its deadline."""
    return (
        getattr(c, part) in ("implies", "implied") and same_but(c, part) and not c.opposed
        and c.content >= DIRECT_CONTENT and is_sure(c)
    )  # fmt: skip


def same_but(c: Comparison, but: str) -> bool:
    """Whether no part except `but` tells market and question apart."""
    return c.edition != "differs" and all(
        getattr(c, part) in ("same", "opposite", "unsaid")
        for part in ("window", "threshold", "stage", "choice")
        if part != but
    )


def limits_of(c: Comparison, positive: float) -> tuple[float, float]:
    """Lower and upper bound that a market puts on the probability of the question's proposition."""
    orders = orders_of(c)
    if "excludes" in orders:
        return 0.0, 1 - positive
    if "implied" in orders and "implies" not in orders:
        return positive, 1.0
    if "implies" in orders and "implied" not in orders:
        return 0.0, positive
    return 0.0, 1.0
