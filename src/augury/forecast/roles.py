"""What a market can be to a question: direct, a twin, of a series, a bound or a hint. Pure."""

from __future__ import annotations

from datetime import date
from typing import Final

from augury.forecast.bearing import Bearing
from augury.forecast.match import Comparison, compare

DIRECT_SCORE: Final = 1.15
DIRECT_CONTENT: Final = 0.95
DIRECT_ASKED: Final = 0.36
"""Below one of these a market is not taken to ask the question itself."""
DIRECT_LIKENESS: Final = -0.9
AS_GOOD: Final = 0.3
"""Markets whose score comes so near to the best are about the same."""
KIN_CONTENT: Final = 0.85
KIN_ASKED: Final = 0.34
"""Least likeness of a market that bounds or informs the answer."""
BOUND_LIKENESS: Final = -0.9
STAGE_LIKENESS: Final = -2.3
HINT_LIKENESS: Final = -2.6
LONE_LIKENESS: Final = -3.2
APART: Final = 0.8
EXCLUDED: Final = 2.9
"""Least likeness, in log-odds, of a market that bounds the answer, that tells how far the same
contender comes, and that is taken as a hint: among others, and where nothing else comes within
`APART` of it. What excludes the question's event has lost `EXCLUDED` for that. The page has what
they give and cost with the market asked about taken away."""
FOREIGN: Final = 0.8
"""A market with a name of so much weight that the question does not say is about something else:
the Florida Panthers' Stanley Cup says nothing of Florida's hurricanes."""
SERIES_EXTRA: Final = 0.9
"""A market with another deadline that has so telling a word of its own is of another series."""
OUTDONE: Final = 0.4
"""By so much more content another market outdoes one that no part tells from the question."""
ALL: Final = 0.99
MOST: Final = 0.75
"""A market that names the first share of what is asked about outdoes one that names less than the
second."""
TWIN_GAP: Final = 0.1
"""Markets whose prices differ by more do not ask the same, whatever their words."""


def is_direct(c: Comparison) -> bool:
    """Whether it asks the question itself."""
    return (
        c.same and c.score >= DIRECT_SCORE and c.content >= DIRECT_CONTENT
        and c.asked >= DIRECT_ASKED and c.likeness >= DIRECT_LIKENESS and c.foreign < FOREIGN
    )  # fmt: skip


def outdoes(kin: Comparison, direct: Comparison) -> bool:
    """Whether another market is so much more about the same things that it must be the one meant,
    though it asks for another deadline, level or stage."""
    says_all = kin.asked >= ALL and direct.asked < MOST
    return (
        (says_all or kin.content >= direct.content + OUTDONE) and kin.missing <= direct.missing
        and kin.extra <= direct.extra and bool(orders_of(kin) & {"implies", "implied"})
        and kin.choice in ("same", "unsaid") and kin.edition != "differs"
    )  # fmt: skip


def are_series(best: Bearing, other: Bearing) -> bool:
    """Whether two markets ask for the same event, by two days."""
    a, b = best.view.proposition, other.view.proposition
    return (
        other.fit.content >= best.fit.content - 0.25 and other.fit.opposed == best.fit.opposed
        and other.fit.lasting == best.fit.lasting and a.predicate == b.predicate
        and a.positive == b.positive
    )  # fmt: skip


def is_kin(c: Comparison) -> bool:
    """Whether it is enough about the same things to bound or inform the answer."""
    return c.rival or (c.content >= KIN_CONTENT and c.asked >= KIN_ASKED)


def is_sure(c: Comparison) -> bool:
    """Whether it is surely enough about the same thing for logic to follow from its price."""
    staged = c.stage in ("implies", "implied") and c.choice == "same"
    if not staged and not c.rival and c.foreign >= FOREIGN:
        return False
    told = c.likeness + (EXCLUDED if c.threshold == "excludes" else 0.0)
    return c.rival or told >= (STAGE_LIKENESS if staged else BOUND_LIKENESS)


def is_hint(c: Comparison, *, alone: bool) -> bool:
    """Whether it may be about the same thing, and no part but a doubtful one says otherwise.

    alone : nothing else comes near it
    """
    if c.choice in ("excludes", "differs") or c.edition == "differs":
        return False
    if c.same and alone:
        return c.likeness >= LONE_LIKENESS
    return c.likeness >= HINT_LIKENESS and c.foreign < FOREIGN


def are_twins(a: Bearing, b: Bearing, at: date) -> bool:
    """Whether two markets ask the same as each other: what is on two venues, not two of a kind."""
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
    """How its parts stand to those of the question."""
    return {c.window, c.threshold, c.stage, c.choice}


def is_rung(c: Comparison, part: str) -> bool:
    """Whether it asks the same of another level or by another day."""
    return (
        getattr(c, part) in ("implies", "implied") and same_but(c, part) and not c.opposed
        and c.content >= DIRECT_CONTENT and is_sure(c)
    )  # fmt: skip


def same_but(c: Comparison, but: str) -> bool:
    """No part but one tells the two apart."""
    return c.edition != "differs" and all(
        getattr(c, part) in ("same", "opposite", "unsaid")
        for part in ("window", "threshold", "stage", "choice")
        if part != but
    )


def limits_of(c: Comparison, positive: float) -> tuple[float, float]:
    """Between which chances a market puts the question's proposition."""
    orders = orders_of(c)
    if "excludes" in orders:
        return 0.0, 1 - positive
    if "implied" in orders and "implies" not in orders:
        return positive, 1.0
    if "implies" in orders and "implied" not in orders:
        return 0.0, positive
    return 0.0, 1.0
