"""How market outcomes compare with a question. `Bearing` is the comparison of one outcome;
`Compared` holds the comparisons of the outcomes of all markets found. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from augury.forecast.evidence import Snapshot
from augury.forecast.match import Comparison
from augury.forecast.normalize import Reading
from augury.forecast.view import View
from augury.logic.joint_outcomes import Relation
from augury.matching.judge import JudgedOrder


@dataclass(frozen=True, slots=True)
class Bearing:
    """The result of comparing one market outcome (e.g. the Yes of a market) with a question."""

    market: Snapshot
    outcome: int
    view: View
    fit: Comparison
    positive: float
    """Probability, 0 to 1, that the price of the market outcome gives to the question, read without
    its negation. For "Will X win?" and for "Will X not win?", it is the probability that X wins."""
    turned: bool
    """Whether the market outcome asserts the opposite of what the question is about. A "not" in the
    question is ignored. Example: the outcome says that X does not win, and the question is "Will X
    win?" or "Will X not win?". If True, `positive` is 1 minus the price."""
    age: float
    """Days since the market's price was quoted."""
    exact: bool = False
    """Whether the question is the market's own title: word for word, or with one "not" or "never"
    added or left out."""
    relation: Relation = "none"
    """Logical relation of the question to the market outcome, one of the values of `Relation`. For
    example, `implies`: if the question comes true, the outcome does, too. `none`: no relation is
    certain, or none was worked out because the question is the market's own title (see `exact`)."""
    sets_bound: bool | None = None
    """Whether the price of this market outcome limits the answer from above or below, e.g. because
    the market's deadline is earlier. True: the hand-written rules (`match`) find such a limit, and
    the judge (the trained model, `matching.judge`) agrees. False: the judge does not agree, or
    finds that some market asks the question itself. None: the judge gave no opinion; then
    `roles.is_related` and `roles.is_sure` decide."""
    judged_order: JudgedOrder | None = None
    """How the question is related to the market outcome according to the judge. Because of this
    relation, the outcome's price bounds the answer. None: the judge is not sure of such a relation,
    logic already found one, or the judge finds it likely that some market asks the question. The
    relation is used only if logic and the hand-written rules give no answer, or only a hint."""
    confidence_limit: float = 1.0
    """Upper limit, 0 to 1, of the confidence in an answer that takes this market outcome to mean
    the same as the question. If the judge (`matching.judge`) says that both mean the same, the
    limit is how often the judge was right, on held-out questions, when it gave the same
    probability. If a language model says so: `opinion.TRUSTED_SHARE`. If only the hand-written
    rules say so: 1."""

    @property
    def key(self) -> tuple[int, int]:
        """The market outcome: market number and index of the outcome."""
        return self.market.seq, self.outcome


@dataclass(frozen=True, slots=True)
class Compared:
    """A question compared with the markets as they stood at the moment `at`: the input of all later
    steps of a forecast."""

    reading: Reading
    markets: Sequence[Snapshot]
    at: datetime
    question: View
    bearings: list[Bearing]
    """The comparisons of market outcomes with the question, the best match first. Outcomes without
    a price are left out. Of Yes and No, only Yes is compared (`words.sides`)."""
    past: bool = False
    """Whether a question that names no time may also be answered from markets whose deadline is
    over."""
