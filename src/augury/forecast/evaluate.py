"""Scores of forecasts on questions whose market prices and outcomes are known. Pure.

A question's kind says which answer is right:

- `paraphrase` (asks what a market asks, in other words): the market's price;
- `negation` (asks the opposite of a market): 1 minus the market's price;
- `near` (close to a market, e.g. with another deadline): a probability above or below that market's
  price, whichever logic demands;
- `unanswerable`: no number;
- `range` (a question made to mislead, or one asked freely, without a market in view): a probability
  in a range, no number, or either of these, as the evaluation file says.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, Literal

from augury.forecast.evidence import GRADES, Grade

Kind = Literal["paraphrase", "negation", "near", "unanswerable", "range"]
KINDS: Final[tuple[Kind, ...]] = ("paraphrase", "negation", "near", "unanswerable", "range")
RIGHT: Final = frozenset(("hit", "held", "right"))
WRONG: Final = frozenset(("miss", "broken", "made", "wrong"))
"""Verdicts on an answer (`Answered.verdict`) that count as wrong: `miss` (a probability different
from the market's), `broken` (beyond the bound that logic sets), `made` (a probability for an
unanswerable question), `wrong` (a probability outside the right range). The verdict `inverted` (the
answer is right for the opposite question) is counted separately."""
SURE_CONFIDENCE: Final = 0.5
"""A wrong answer is counted in `surely_wrong` if its confidence (0 to 1) is at least this. Chosen
by hand."""

RIGHT_WITHIN: Final = 0.05
"""An answer counts as right if it differs from the right price by at most this (as a
probability)."""
INVERTED_BY: Final = 0.2
"""An answer p counts as inverted, i.e. as right for the opposite question, if |p - r| is larger
than |p - (1 - r)| by at least this much, where r is the right price. Example: r = 0.8 and p =
0.2."""
BOUND_SLACK: Final = 0.02
"""An answer still counts as right if it lies beyond a bound that logic sets, but by at most this
(as a probability)."""
WEEK: Final = (timedelta(days=3), timedelta(days=14))
"""Shortest and longest time from a forecast to the later market price by which the forecast's
interval is tested. The interval is for the price a week later. If a market has several prices in
this time, the one nearest to a week is used."""


@dataclass(frozen=True, slots=True)
class EvaluationQuestion:
    """One question of an evaluation file, with what is known of its right answer."""

    qid: str
    kind: Kind
    question: str
    as_of: datetime
    market_id: str | None = None
    p: float | None = None
    outcome: float | None = None
    bound: tuple[str, float] | None = None
    """For a question of kind `near` (close to a market, whose price limits the right answer on one
    side): ("le", x) if the right probability is at most x, ("ge", x) if it is at least x. None: no
    limit is known."""
    right: tuple[float, float] | None = None
    """For a question of kind `range`: the smallest and the largest probability that count as right.
    None: no probability counts as right, so every answer that gives one is wrong."""
    null_ok: bool = False
    """For a question of kind `range`: whether an answer without a probability is right, too."""
    event: str | None = None
    """Key of the question's event. The markets of one event resolve together. None: the event is
    not known, and the question's market is taken as an event of its own."""

    @classmethod
    def of(cls, line: Mapping[str, Any]) -> EvaluationQuestion:
        """The question that one parsed line of an evaluation file holds."""
        bound, least, most = line.get("bound"), line.get("lo"), line.get("hi")
        in_range = least is not None or most is not None or "null_ok" in line
        return cls(
            qid=str(line["qid"]),
            kind="range" if in_range else line["kind"],
            question=str(line["question"]),
            as_of=datetime.fromisoformat(str(line["as_of"]).replace("Z", "+00:00")),
            market_id=line.get("market_id"),
            p=line.get("p"),
            outcome=line.get("outcome"),
            bound=(bound["op"], float(bound["value"])) if bound else None,
            right=None if least is None or most is None else (float(least), float(most)),
            null_ok=bool(line.get("null_ok", False)),
        )


@dataclass(frozen=True, slots=True)
class Answered:
    """The answer to a question of an evaluation. `later`: the question's probability of Yes roughly
    a week after `asked.as_of`. It comes from the price of the question's market at that time
    (`later_price`). None: no such price is known."""

    asked: EvaluationQuestion
    probability: float | None
    lower: float | None
    upper: float | None
    seconds: float
    later: float | None = None
    used: tuple[str, ...] = ()
    grade: Grade = "none"
    confidence: float = 0.0
    hint: float | None = None
    """The probability that was withheld from the public answer because the evidence for it is too
    weak; None: nothing was withheld."""
    role: str | None = None
    """Role (`direct`, `bound`, `proxy` or `weak`) of the first market in the answer's evidence;
    None without evidence."""
    reason: str | None = None
    """Why the answer has no probability, as an `evidence.NullKind`; None if it has one."""
    bounds: tuple[float, float] | None = None
    """Lower and upper bound that logic puts on the probability; None: the answer does not rest on
    bounds."""
    way: str | None = None
    """If no market asks the question itself: how the answer was derived from other markets. It is
    the first marker in `Estimate.fallbacks` that begins with `from_`, written with spaces: "from
    deadlines" for `from_deadlines`. None if there is no such marker."""

    @property
    def any_probability(self) -> float | None:
        """The probability of the answer, whether it was given to the public or withheld; None if
        there is none."""
        return self.probability if self.probability is not None else self.hint

    @property
    def verdict(self) -> str:
        """The verdict on the answer, in words that depend on the question's kind.

        - `paraphrase`, `negation`: hit, miss, inverted (right for the opposite question), null (no
          probability), or unjudged (the right price is not known);
        - `near` (close to a market, whose price bounds the right answer): held (the answer respects
          the bound), broken (it does not), or null;
        - `unanswerable`: null (the right answer), or made (the answer gives a probability);
        - `range` (the evaluation file says which probabilities are right, or that none is): right,
          wrong, inverted, or null (a probability was needed, and the answer gives none).
        """
        kind, p = self.asked.kind, self.probability
        if kind == "range":
            return self._within()
        if p is None:
            return "null"
        if kind == "unanswerable":
            return "made"
        if kind == "near":
            return "held" if holds(p, self.asked.bound) else "broken"
        right = self.asked.p
        if right is None:
            return "unjudged"
        if abs(p - right) <= RIGHT_WITHIN:
            return "hit"
        return "inverted" if _is_inverted(p, right) else "miss"

    def _within(self) -> str:
        p, right = self.probability, self.asked.right
        if p is None:
            return "right" if self.asked.null_ok else "null"
        if right is None:
            return "wrong"
        if right[0] <= p <= right[1]:
            return "right"
        middle = (right[0] + right[1]) / 2
        turned = right[0] <= 1 - p <= right[1] and abs(p - middle) >= INVERTED_BY
        return "inverted" if turned else "wrong"

    @property
    def outcome(self) -> str:
        """The verdict on the answer in words common to all kinds of questions: right, wrong,
        inverted, null (no number), or unjudged (no known price). For an unanswerable question, an
        answer without a probability is right."""
        verdict = self.verdict
        if verdict in RIGHT or (verdict == "null" and self.asked.kind == "unanswerable"):
            return "right"
        return "wrong" if verdict in WRONG else verdict


def holds(p: float, bound: tuple[str, float] | None) -> bool:
    """Whether the probability `p` lies within a bound ("le" or "ge", value), or beyond it by at
    most `BOUND_SLACK`."""
    if bound is None:
        return True
    op, value = bound
    return p <= value + BOUND_SLACK if op == "le" else p >= value - BOUND_SLACK


def later_price(
    prices: Sequence[tuple[datetime, float]], as_of: datetime, asked: EvaluationQuestion
) -> float | None:
    """The price of the question's market about a week after `as_of`, as the probability of Yes to
    the question: 1 minus the price if the question negates the market. None if no price was
    recorded 3 to 14 days (`WEEK`) after `as_of`.

    prices : times and prices of the market's first outcome
    """
    between = [(abs(at - as_of - timedelta(days=7)), price) for at, price in prices
               if as_of + WEEK[0] <= at <= as_of + WEEK[1]]  # fmt: skip
    if not between:
        return None
    price = min(between)[1]
    return 1 - price if asked.kind == "negation" else price


def summary(answers: Sequence[Answered], latency: Mapping[str, float]) -> dict[str, Any]:
    """The figures that `augury eval forecast` prints, as JSON data. `latency`: percentiles of the
    time per answer, in ms."""
    groups: dict[str, list[Answered]] = {}
    for answer in answers:
        groups.setdefault(answer.asked.kind, []).append(answer)
    near, without = groups.get("near", []), groups.get("unanswerable", [])
    weeks = [a for a in answers if a.later is not None and a.lower is not None]
    return {
        "n": len(answers),
        **{kind: _priced(groups.get(kind, [])) for kind in ("paraphrase", "negation")},
        "near": {
            "n": len(near),
            "bound_held": _share(a.verdict == "held" for a in near),
            "answered": _share(a.probability is not None for a in near),
            **outcomes(near),
        },
        "unanswerable": {
            "n": len(without),
            "null_share": _share(a.probability is None for a in without),
            **outcomes(without),
        },
        "range": _ranged(groups.get("range", [])),
        "by_grade": by_grade(answers),
        "interval_cover": _share(_covers(a) for a in weeks),
        "interval_n": len(weeks),
        "interval_width": _mean(
            a.upper - a.lower for a in weeks if a.upper and a.lower is not None
        ),
        "latency_ms": dict(latency),
        "per_question": [per_question(a) for a in answers],
    }


def outcomes(answers: Sequence[Answered]) -> dict[str, Any]:
    """Shares, 0 to 1, of the answers that are right, wrong, inverted (right for the opposite
    question) and null (no number). `surely_wrong`: share of the answers that are wrong or inverted
    and have a confidence of at least `SURE_CONFIDENCE`."""
    return {
        **{word: _share(a.outcome == word for a in answers)
           for word in ("right", "wrong", "inverted", "null")},
        "surely_wrong": _share(
            a.outcome in ("wrong", "inverted") and a.confidence >= SURE_CONFIDENCE for a in answers
        ),
    }  # fmt: skip


def _ranged(answers: Sequence[Answered]) -> dict[str, Any]:
    decided = [a for a in answers if not a.asked.null_ok]
    return {
        "n": len(answers),
        **outcomes(answers),
        "n_decided": len(decided),
        "decided_right": _share(a.outcome == "right" for a in decided),
    }


def by_grade(answers: Sequence[Answered]) -> dict[str, Any]:
    """How good the answers are, by grade (how an answer was found: asked, bounded, hinted, none):
    their Brier scores, and their distance from the price of the market asked about. Questions
    without a known price are left out.

    Answers withheld from the public count with the probability that they would have given.
    `base_brier` is the score of always answering the base rate: the share of all these questions
    that came true.
    """
    asked = [a for a in answers if a.asked.p is not None]
    outcomes = [a.asked.outcome for a in asked if a.asked.outcome is not None]
    base = sum(outcomes) / len(outcomes) if outcomes else 0.0
    out: dict[str, Any] = {}
    for grade in GRADES:
        mine = [a for a in asked if a.grade == grade]
        given = [(a, p) for a in mine if (p := a.any_probability) is not None]
        off = [abs(p - _p(a.asked.p)) for a, p in given]
        decided = [(a, p) for a, p in given if a.asked.outcome is not None]
        out[grade] = {
            "n": len(mine),
            "share": round(len(mine) / len(asked), 4) if asked else None,
            "mean_distance": _mean(off),
            "within_0.05": _share(d <= RIGHT_WITHIN for d in off),
            "within_0.15": _share(d <= 0.15 for d in off),
            "inverted": _share(_is_inverted(p, _p(a.asked.p)) for a, p in given),
            "n_decided": len(decided),
            "brier": _mean((p - _p(a.asked.outcome)) ** 2 for a, p in decided),
            "crowd_brier": _mean((_p(a.asked.p) - _p(a.asked.outcome)) ** 2 for a, _ in decided),
            "base_brier": _mean((base - _p(a.asked.outcome)) ** 2 for a, _ in decided),
        }
    return out


def hint_floor(answers: Sequence[Answered]) -> dict[str, Any]:
    """The smallest confidence with which hints (answers that rest only on a related market) score
    better than the base rate (the share of all questions that came true).

    Questions about one market count as one, because one result resolves them all.

    Returns
    -------
    `floor`: the smallest c for which the hints with a confidence of at least c come from at least
    `MIN_HINTS` markets and have a Brier score at least two standard errors (of the difference)
    below that of the base rate. None: there is no such c. `steps`: for each c tried, the number of
    markets, the Brier scores and t (their difference in standard errors).
    """
    decided = [a for a in answers if a.asked.outcome is not None and a.asked.p is not None]
    base = sum(_p(a.asked.outcome) for a in decided) / len(decided) if decided else 0.0
    hints = [a for a in decided if a.grade == "hinted" and a.any_probability is not None]
    steps: list[dict[str, Any]] = []
    for least in (x / 20 for x in range(20)):
        above = [a for a in hints if a.confidence >= least]
        by_market: dict[str | None, list[float]] = {}
        for a in above:
            outcome = _p(a.asked.outcome)
            gain = (_p(a.any_probability) - outcome) ** 2 - (base - outcome) ** 2
            by_market.setdefault(a.asked.market_id, []).append(gain)
        gains = [sum(found) / len(found) for found in by_market.values()]
        if len(gains) < 2:
            break
        mean = sum(gains) / len(gains)
        spread = (sum((g - mean) ** 2 for g in gains) / (len(gains) - 1) / len(gains)) ** 0.5
        steps.append(
            {
                "least_confidence": least,
                "n": len(above),
                "markets": len(gains),
                "brier": _mean((_p(a.any_probability) - _p(a.asked.outcome)) ** 2 for a in above),
                "base_brier": _mean((base - _p(a.asked.outcome)) ** 2 for a in above),
                "mean_distance": _mean(abs(_p(a.any_probability) - _p(a.asked.p)) for a in above),
                "t": round(mean / spread, 2) if spread else 0.0,
            }
        )
    sure = (s for s in steps if s["t"] <= -2.0 and s["markets"] >= MIN_HINTS)
    return {"floor": next((s["least_confidence"] for s in sure), None), "steps": steps}


MIN_HINTS: Final = 20
"""`hint_floor` compares hints (answers that rest only on a related market) with the base rate. If
the hints answer questions about fewer than this many different resolved markets, it never finds
that they score better."""


def _is_inverted(p: float, right: float) -> bool:
    return abs(p - right) > RIGHT_WITHIN and abs(p - right) - abs(p - (1 - right)) >= INVERTED_BY


def per_question(answer: Answered) -> dict[str, Any]:
    """The question, what is known of its right answer, the answer given and the verdict on it: one
    entry of the evaluation's report, as JSON data."""
    asked = answer.asked
    return {
        "qid": asked.qid,
        "kind": asked.kind,
        "question": asked.question,
        "probability": answer.probability,
        "p": asked.p,
        "bound": {"op": asked.bound[0], "value": asked.bound[1]} if asked.bound else None,
        "range": None if asked.right is None else list(asked.right),
        "outcome": asked.outcome,
        "verdict": answer.verdict,
        "grade": answer.grade,
        "role": answer.role,
        "reason": answer.reason,
        "confidence": answer.confidence,
        "hint": answer.hint,
        "bounds": None if answer.bounds is None else list(answer.bounds),
        "way": answer.way,
        "interval": None if answer.lower is None else [answer.lower, answer.upper],
        "markets": list(answer.used),
        "expected_market": asked.market_id,
    }


def _priced(answers: Sequence[Answered]) -> dict[str, Any]:
    decided = [a for a in answers if a.probability is not None and a.asked.outcome is not None]
    return {
        "n": len(answers),
        "hit": _share(a.verdict == "hit" for a in answers),
        "inverted": _share(a.verdict == "inverted" for a in answers),
        "answered": _share(a.probability is not None for a in answers),
        **outcomes(answers),
        "brier": _mean((_p(a.probability) - _p(a.asked.outcome)) ** 2 for a in decided),
        "crowd_brier": _mean(
            (_p(a.asked.p) - _p(a.asked.outcome)) ** 2 for a in decided if a.asked.p is not None
        ),
    }


def _p(value: float | None) -> float:
    assert value is not None
    return value


def _covers(answer: Answered) -> bool:
    return _p(answer.lower) <= _p(answer.later) <= _p(answer.upper)


def _share(marks: Iterable[bool]) -> float | None:
    return _mean(float(mark) for mark in marks)


def _mean(values: Iterable[float]) -> float | None:
    known = list(values)
    return round(sum(known) / len(known), 4) if known else None
