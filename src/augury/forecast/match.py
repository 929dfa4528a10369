"""How a market relates to a question: part by part, and by the words they share. Pure.

Market and question are read into the same parts (`propositions.reading`): level, window of time,
contender, stage ... How the parts of the two relate decides what role the market can have as
evidence. The shared words decide whether the two are about the same thing at all.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Final

from augury.forecast.contest_order import choice_order, edition_order, is_rival, stage_order
from augury.forecast.coverage import coverage, foreign_weight, named_share, with_spellings_of
from augury.forecast.order import Order
from augury.forecast.polarity import LASTING, are_reversed
from augury.forecast.threshold_order import threshold_order
from augury.forecast.view import View
from augury.forecast.window_order import window_order
from augury.propositions.proposition import CONTESTS, Proposition
from augury.search.text import terms

_BEATING: Final = frozenset(terms("beat outperform surpass exceed outdo defeat outsell"))
_CONTRARY: Final = frozenset(
    f"{name}{sign}" for name in ("approval", "guilt", "access", "part") for sign in "+-"
)
"""Results that a text can name (values as in `View.polar_results`) and that have exactly one
opposite, so that always one of the two comes true: `approval+` (approved) and `approval-`
(rejected). The results of `course` (up, down) are not among them, because a rate may also stay
where it is."""
CHANGE_WEIGHT: Final = 0.3
"""If a question asks whether things stay as they are, a market on a change asks the opposite. One
sign of such a market is a term that the question lacks and whose weight is at least this. Weights
(`View.weights`), 0.08 to 1.8, say how telling a term is. Chosen by hand."""
LIKENESS_INTERCEPT: Final = -11.2
"""Intercept, in log-odds, of the logistic regression for `Comparison.likeness` (whether question
and market are about the same thing). Fitted together with `_LIKENESS`."""
_LIKENESS: Final[dict[str, dict[Order, float]]] = {
    "threshold": {"same": 7.8, "opposite": 7.8, "differs": -2.9, "excludes": -2.9},
    "window": {"same": 1.9},
    "choice": {"excludes": -2.9, "differs": -2.9},
    "stage": {"same": 2.3},
}
"""Coefficients, in log-odds, of the logistic regression for `Comparison.likeness` (whether question
and market are about the same thing): part (level, window ...) -> how question and market relate in
this part -> what is added. The other coefficients, e.g. of the shared words, are in the code of
`compare`. Fitted in five folds, split by market, on 510 questions. Each was compared with the
market about which it was written, and with the six best of the other markets
(`docs/experiments/forecasts.md`)."""
_SCORES: Final[dict[str, dict[str, float]]] = {
    "window": {"same": 0.3, "implies": -0.3, "implied": -0.3, "differs": -0.5, "unsaid": 0.0},
    "threshold": {"same": 0.3, "opposite": 0.25, "implies": -0.35, "implied": -0.35,
                  "excludes": -0.45, "differs": -0.5, "unsaid": 0.0},
    "stage": {"same": 0.2, "implies": -0.35, "implied": -0.35, "excludes": -0.4, "differs": -0.4,
              "unsaid": 0.0},
    "choice": {"same": 0.3, "excludes": -0.6, "differs": -0.6, "unsaid": 0.0},
    "edition": {"same": 0.1, "differs": -0.8, "unsaid": 0.0},
}  # fmt: skip
"""Points that are added to `Comparison.score`: part (level, window of time, contender ...) -> how
question and market relate in this part -> points. Chosen by hand."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """The result of comparing a market with a question. Their parts (level, window of time,
    contender ...) are compared one by one. Their words are compared as a whole. All fields but
    `flipped` ignore negations ("not") in the two texts."""

    score: float
    """How well the market fits the question, in points: up to 3.8 by the rules of this module, 4 to
    5 if the judge (a trained model) or a language model finds that it asks the question
    (`judging.SURE_SCORE`). A market that asks the same in other words has 2 or more."""
    asked: float
    """Share, 0 to 1, of the question's terms (word stems) that the market names, too; each term
    counts with its weight."""
    named: float
    """Share, 0 to 1, of the market's terms (word stems) that the question names, too; each term
    counts with its weight."""
    window: Order
    gap: float
    """Days from the market's deadline to the question's, negative if the market's is later. If the
    market's text names no deadline, its close counts. 0 if there is no deadline to compare, or if
    the two count as the same."""
    threshold: Order
    stage: Order
    choice: Order
    edition: Order
    flipped: bool
    """Whether the market's Yes means the question's No. Negations ("not") in the two texts count
    here."""
    missing: float
    """Weight of the most telling term that the question names and the market does not; 0 if there
    is none. The weight (`View.weights`), up to 1.8, says how telling a term is. A term that is only
    in the market's event name or rules counts half."""
    extra: float
    """Weight of the most telling term that the market names and the question does not; 0 if there
    is none. The weight (`View.weights`), up to 1.8, says how telling a term is."""
    rival: bool
    """Whether the market is about a rival of the question's contender: another contender in the
    same contest, which only one of the two can win."""
    content: float
    """The points in `score`, up to 2.6, that come from words alone: how far question and market are
    about the same things. The rest of `score` says how the two compare in level, window of time
    etc."""
    opposed: bool
    """Whether question and market assert opposite things if every "not" in them is left out. For
    example, one asserts that something ends, the other that it lasts; or one asserts that a value
    is above a level, the other that it is below."""
    lasting: bool
    """Whether the question asks if something lasts until a deadline, and the market asks if the
    same thing lasts or ends. The later the deadline, the less likely it is to last."""
    called: float
    """Share, 0 to 1, of the question's names that occur in the market or its rules; each name
    counts with its weight. 1 if the question has no names."""
    foreign: float
    """Of the market's names that share no word with the question, the weight of the most telling
    one; 0 if there are none. The weight (`View.weights`), up to 1.8, says how telling a name is."""
    likeness: float
    """Log-odds that question and market are about the same thing (0: as likely as not), by a
    logistic regression. Its coefficients are in `_LIKENESS` and in the code of `compare`."""
    leveled: bool = False
    """Whether question and market both name a level ("above 100") and the field `threshold` says
    how the two relate, i.e. is not "unsaid"."""
    wins_or_leaves: bool = False
    """Whether the question asks if somebody wins, and the market asks if somebody leaves. If both
    mean the same person, exactly one of the two comes true ("Orbán wins", "Orbán out")."""

    @property
    def same(self) -> bool:
        """Whether market and question agree in every part that is compared: window of time, level,
        stage, contender, year. A part that one of them leaves open counts as agreeing; so do
        exactly opposite levels ("above 100" and "100 or below")."""
        return (
            self.window in ("same", "unsaid")
            and self.threshold in ("same", "opposite", "unsaid")
            and self.stage in ("same", "unsaid")
            and self.choice in ("same", "unsaid")
            and self.edition in ("same", "unsaid")
        )


def compare(q: View, m: View, at: date) -> Comparison:
    """Compare the market `m` with the question `q`, which is asked on the day `at`. Each of their
    parts (level, window of time ...) is compared, and their words as a whole."""
    q, m = with_spellings_of(q, m), with_spellings_of(m, q)
    ours, theirs = q.proposition, m.proposition
    asked, missing = coverage(q, m, m.covers, m.context)
    named, extra = coverage(m, q, q.covers, frozenset())
    threshold = threshold_order(q, m, extra)
    worded = threshold == "unsaid" and _opposed(q, m, extra)
    opposed = threshold == "opposite" or worded
    lasting = _lasts(q) and (worded or _lasts(m))
    window, gap = window_order(ours, theirs, m.closes, at, lasting=lasting)
    stage, choice = stage_order(q, m), choice_order(q, m)
    edition = edition_order(ours, theirs, m.closes)
    if edition == "same" and window != "same" and not theirs.window.text:
        window, gap = "unsaid", 0.0
    orders: dict[str, Order] = {
        "window": window, "threshold": threshold, "stage": stage, "choice": choice,
        "edition": edition,
    }  # fmt: skip
    dense, names = float(q.vector @ m.vector), named_share(q, m)
    # If each names something that the other does not, they may differ in exactly that.
    content = 1.1 * asked + named + 0.5 * dense - 0.3 * min(missing, extra)
    likeness = LIKENESS_INTERCEPT + 2.2 * asked + 5.1 * named + 4.3 * dense + 1.3 * names
    likeness += 0.35 * (ours.predicate == theirs.predicate)
    for part, odds in _LIKENESS.items():
        likeness += odds.get(orders[part], 0.0)
    return Comparison(
        **orders,
        score=_score(q, m, content, orders, gap, max(missing, extra)),
        asked=asked, named=named, gap=gap,
        flipped=(ours.positive != theirs.positive) != opposed,
        missing=missing, extra=extra, rival=is_rival(q, m, choice, stage, edition),
        content=content, opposed=opposed, lasting=lasting, called=names,
        foreign=foreign_weight(q, m), likeness=likeness,
        leveled=None not in (ours.threshold, theirs.threshold) and threshold != "unsaid",
        wins_or_leaves=_wins_or_leaves(ours, theirs),
    )  # fmt: skip


def _score(
    q: View, m: View, content: float, orders: dict[str, Order], gap: float, unnamed: float
) -> float:
    """How well the market `m` fits the question `q`, in points (`Comparison.score`): their shared
    content, plus or minus points for each part (level, window of time ...).

    content : points for the words that the two share
    orders : for each part, how the question relates to the market (`Order`)
    gap : days between the two deadlines
    unnamed : largest weight of a term that one of the two texts names and the other does not
    """
    ours, theirs = q.proposition, m.proposition
    score = content + _SCORES["window"][orders["window"]]
    if orders["window"] != "same":
        score -= min(0.3, abs(gap) / 400)
    for part in ("threshold", "stage", "choice", "edition"):
        score += _SCORES[part][orders[part]]
    if (theirs.predicate in CONTESTS) != (ours.predicate in CONTESTS):
        # A contest and another event differ, unless question and market name the same terms.
        score -= 0.9 * min(1.0, unnamed)
    score -= 0.25 * (bool(q.places) != bool(m.places))
    score -= 0.15 * len(q.modifiers ^ m.modifiers)
    if theirs.unclear:
        score -= 0.2
    if theirs.fixture and not ours.fixture:
        score -= 0.4
    return score


def _wins_or_leaves(ours: Proposition, theirs: Proposition) -> bool:
    # Not the other way round: an Oscar that is "handed out" leaves no post.
    return ours.predicate == "wins" and theirs.predicate == "leaves"


def _lasts(v: View) -> bool:
    """Whether a text has a word such as "stays" or "avoids": something stays as it is, or is not
    done. A "not" before the word makes no difference. Always False for a text with a level ("stays
    above 100")."""
    return v.proposition.threshold is None and bool(v.persistence > 0 or v.turns & LASTING)


def _opposed(q: View, m: View, extra: float) -> bool:
    """Whether question (`q`) and market (`m`) assert opposite things even without their negations
    ("not"). For example, one says that something ends and the other that it lasts, or both name the
    same two sides in opposite order.

    extra : weight of the most telling term that only the market names. If the question asks whether
        things stay as they are, a large weight means that the market is about a change
        (`CHANGE_WEIGHT`)
    """
    theirs = m.proposition
    if q.persistence * m.persistence < 0 or q.polar_results & m.against & _CONTRARY:
        return True
    if _wins_or_leaves(q.proposition, theirs):
        return True  # who is voted out has not won
    if (
        "lasts" in q.turns and "lasts" not in m.turns and q.proposition.positive
        and not m.persistence and theirs.predicate in ("happens", "announces")
        and theirs.window.kind in ("by", "in", "open") and (q.still or extra >= CHANGE_WEIGHT)
    ):  # fmt: skip
        return True  # the market's event would be a change, the opposite of staying as it is
    if (
        (q.unique or m.unique) and theirs.predicate == "happens" and theirs.threshold is None
        and ("others" in q.turns) != ("others" in m.turns)
    ):  # fmt: skip
        return True  # "another is larger than X" against "X is the largest"
    if _swapped(q, m):
        return True
    return are_reversed(q.turns, m.turns, theirs)


def _swapped(q: View, m: View) -> bool:
    """Whether both texts name the same two sides, in opposite order: "A beats B" and "B beats A",
    or "A before B" and "B before A"."""
    ours, theirs = q.proposition, m.proposition
    first = bool(
        ours.actor and theirs.actor and ours.actor != theirs.actor
        and ours.actor in m.covers and theirs.actor in q.covers
        and ours.terms & _BEATING and theirs.terms & _BEATING
    )  # fmt: skip
    before = bool(
        q.second and m.second and not q.second & m.second
        and q.second <= m.covers and m.second <= q.covers
    )  # fmt: skip
    return first or before
