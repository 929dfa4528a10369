"""How likely an answer is right, judged by all that is known of how it was made. Pure.

The rules and the judge (`matching.judge`, a trained model) look at one market at a time, and were
fitted on questions that have a market. Whether the finished answer can be believed also depends on
what the question leaves open, on the other markets that were read, and on how the number was
derived. The trees of this module were fitted on answers to questions that people asked freely,
whether a market decides them or not (`training/judge/trust.py`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from functools import cache
from pathlib import Path
from typing import Final

import numpy as np

from augury.forecast import bounds, judging
from augury.forecast.bearing import Bearing, Compared
from augury.forecast.evidence import Estimate, Evidence, answer_bounds
from augury.forecast.normalize import Reading
from augury.language import vocabulary
from augury.matching import features
from augury.matching.judge import Verdict
from augury.matching.trees import Trees

Signs = tuple[float, ...]
"""The numbers from which the trust in one answer is computed, in the order of their names in
`SIGNS`."""
WAYS: Final = ("deadlines", "thresholds", "stages", "rivals", "parts", "bounds")
"""Ways to derive an answer from markets that do not ask the question itself, e.g. "deadlines": from
markets with other deadlines."""
_ORDERS: Final = {
    "same": {"same"}, "unsaid": {"unsaid"}, "ordered": {"implies", "implied", "excludes"},
}  # fmt: skip
"""Group -> the relations (`Order`) in it. A relation says how a part of the question (date, level,
stage ...) compares with the same part of a market. With a relation of the group "ordered", the
market's price would bound the answer if all else were equal."""
SIGNS: Final = (
    "confidence", "bounded", *(f"from_{way}" for way in WAYS), "width", "markets_used", "extreme",
    *features.FIT, "gap", "logic_same", "logic_ordered", "turned", "age", "rival", "leaves",
    *(f"{part}_{order}" for part in features.PARTS for order in _ORDERS),
    "predicate_same", "read", "certain", "side", "against", "contrary", "bound_trust", "order",
    "other_side", "agreeing", "contradicting", "markets_read", "low", "high", "least_bound_trust",
    "denied", "dated", "leveled", "terms", "words", "past",
    "denials", "market_denials", *features.TEXT_FEATURES,
)  # fmt: skip
"""Names of the numbers from which the trees judge an answer, in their order. They describe:

- `confidence` to `extreme`: the answer, i.e. its confidence so far, how it was derived, the width
  of its bounds, the number of markets on which it rests, the distance of its probability from .5;
- up to `predicate_same`: how its heaviest market compares with the question (`match.Comparison`);
- `read` to `order`: the judge's verdict on this market. The answer uses the market on one of two
  sides: as asking the question, or as asking its opposite. `side`: the judge's probability of this
  side; `against`: its probability of the other side (both -1 if the judge did not read the market).
  `contrary`: 1 if the hand-written rules choose the other side, else 0. `order`: the probability of
  the likeliest relation by which the market's price would bound the answer (`Verdict.order`), -1 if
  the judge did not read the market;
- `other_side`: the largest probability, in the judge's verdicts on markets that were not used, that
  a market asks the question or its opposite; `agreeing`: this maximum over only those of the unused
  markets whose price would give nearly the same answer (`SAME_ANSWER`); `contradicting`: over only
  those whose price would give a different one; `markets_read`: the number of the judge's verdicts;
- `low` to `least_bound_trust`: the bounds on the answer, and the judge's trust in the least trusted
  of the markets that set them (-1: none was read);
- `denied` to `past`: the question itself, e.g. whether it names a level, and its number of words;
- `denials`, `market_denials`: how many words of the question and of the market's title deny;
- `features.TEXT_FEATURES`: how the names and numbers in the two texts compare.
"""
_DENIALS: Final = re.compile(
    r"n[\'’]t\b|\b(?:not?|never|none|nobody|nothing|neither|nor|without|un(?:able|likely)|cannot|"
    r"fail\w*|miss\w*|avoid\w*|still|stays?|remain\w*|keep\w*|surviv\w*|hold\w*|lose\w*|lost|"
    r"instead|rather|under|below|out|end\w*|stop\w*|refus\w*|den(?:y|ies|ied)|reject\w*|block\w*)\b",
    re.I,
)
"""Matches words that deny something or may reverse the meaning of a text: "not", "fail", "still".
The more of them a text has, the more easily it is misread as its opposite."""

SAME_ANSWER: Final = 0.05
"""Two answers are nearly the same if their probabilities (0 to 1) differ by at most this; a price
agrees with a bounded answer if it is inside the bounds, or at most this far outside. It is the
tolerance of `augury eval forecast`."""
TREES: Final = Path(__file__).with_name("trust.npz")
"""File with the fitted decision trees that give the probability that an answer is right."""
MIN_TRUST: Final = 0.6
"""The public answer shows its number only if the probability that it is right (its trust, 0 to 1)
is at least this. Chosen on the curve that `training/judge/trust.py` prints: how many right and how
many wrong answers the public sees at a given limit. For this curve, the trust in each answer was
computed by decision trees that were fitted only on answers about other events.

- 1,513 answers to questions that people asked without a market in view: 951 right and 562 wrong
  without a limit, 765 and 189 at .55, 722 and 158 at .6, 689 and 126 at .65.
- 1,159 answers to near questions (a market's price bounds their answer): 1,068 right and 91 wrong
  without a limit, 894 and 56 at .55, 834 and 47 at .6, 774 and 36 at .65.
- 2,893 answers to other questions (most ask what a market asks, or its opposite): 2,419 right and
  474 wrong without a limit, 2,346 and 282 at .55, 2,300 and 232 at .6, 2,252 and 178 at .65.
"""

WHOLE_TRUST: Final = 0.75
"""A question is not split into several, and not refused for being about two things or a private
matter, if a market asks it and the trust in the answer from this market (0 to 1) is at least this.
On questions whose failures may be read, this made 11 answers right and none wrong
(`docs/adr/0055-the-whole-question-first.md`)."""


@cache
def default() -> Trees:
    """The decision trees that compute the trust in an answer, as shipped with this version."""
    with np.load(TREES) as kept:
        return Trees.of(kept)


def trusted(estimate: Estimate, found: Signs | None, trees: Trees) -> Estimate:
    """The estimate with its trust, i.e. the probability that it is right, which also limits its
    confidence. `found`: the numbers from which the trust is computed (`SIGNS`); None: the estimate
    is returned unchanged."""
    if found is None:
        return estimate
    trust = round(float(trees.probabilities(np.array([found]))[0, 1]), 4)
    confidence = min(estimate.confidence, trust)
    return replace(estimate, signs=found, trust=trust, confidence=confidence)


def asks_whole(estimate: Estimate) -> bool:
    """Whether the estimate rests on a market that asks the question or its opposite, with a trust
    of at least `WHOLE_TRUST`."""
    if estimate.decisive is None or estimate.trust is None:
        return False
    return estimate.trust >= WHOLE_TRUST


def signs(estimate: Estimate, compared: Compared, verdicts: judging.Verdicts) -> Signs | None:
    """The numbers from which the trust in an answer is computed; `SIGNS` lists them. None in three
    cases: the answer rests on no market; it rests only on hints; or the question is the title of
    the market with the largest weight in the answer (`Bearing.exact`)."""
    if estimate.probability is None or estimate.grade not in ("asked", "bounded"):
        return None
    used = [one for one in estimate.evidence if one.counts]
    best = max(used, key=lambda one: one.weight)
    key = (best.market.seq, best.outcome)
    reading = compared.reading
    lead = next((b for b in compared.bearings if b.key == key), None)
    if lead is None or lead.exact:
        return None
    taken = {(one.market.seq, one.outcome) for one in used}
    said = verdicts.get(key)
    others = {k: v for k, v in verdicts.items() if k not in taken}
    low, high = estimate.bounds
    fit, asked = lead.fit, reading.proposition
    return (
        estimate.confidence, float(estimate.grade == "bounded"),
        *(float(f"from_{way}" in estimate.fallbacks) for way in WAYS),
        high - low if estimate.grade == "bounded" else 0.0, float(len(used)),
        abs(estimate.probability - 0.5),
        *(float(getattr(fit, name)) for name in features.FIT),
        math.copysign(math.log1p(abs(fit.gap)), fit.gap),
        float(lead.relation in bounds.SAME), float(lead.relation in bounds.ORDERED),
        float(lead.turned), math.log1p(lead.age), float(fit.rival), float(fit.wins_or_leaves),
        *(
            float(getattr(fit, part) in orders)
            for part in features.PARTS for orders in _ORDERS.values()
        ),
        float(asked.predicate == lead.view.proposition.predicate),
        float(said is not None), float(said is not None and said.certain),
        *_sides(lead, said, flipped=best.flipped, positive=asked.positive),
        -1.0 if said is None or said.bound_trust is None else said.bound_trust,
        -1.0 if said is None or said.order is None else said.order.probability,
        max((v.side for v in others.values()), default=0.0),
        *_beside(estimate, compared, others), float(len(verdicts)),
        low, high, _least_bound_trust(used, verdicts),
        float(not asked.positive), float(bool(asked.window.text)),
        float(asked.threshold is not None), float(len(asked.terms)),
        float(len(reading.question.split())), float(judging.is_past(reading)),
        float(len(_DENIALS.findall(reading.question))),
        float(len(_DENIALS.findall(lead.market.question))),
        *_texts(reading, lead, compared.at.date()),
    )  # fmt: skip


def _beside(
    estimate: Estimate, compared: Compared, others: judging.Verdicts
) -> tuple[float, float]:
    """The values of `agreeing` and `contradicting` (`SIGNS`). Each belongs to a group of markets
    that the answer does not use. The value is the largest probability, by the judge's verdicts,
    that a market of the group asks the question or its opposite; 0 if the group is empty.

    - `agreeing`: markets whose price would give nearly the same answer (`SAME_ANSWER`);
    - `contradicting`: markets whose price would give another answer.

    others : the judge's verdicts on the markets that the answer does not use
    """
    low, high = answer_bounds(estimate)
    agreeing = contradicting = 0.0
    for one in compared.bearings:
        said, price = others.get(one.key), one.market.price(one.outcome)
        if said is None or price is None:
            continue
        number = price if said.same >= said.opposite else 1 - price
        if low - SAME_ANSWER <= number <= high + SAME_ANSWER:
            agreeing = max(agreeing, said.side)
        else:
            contradicting = max(contradicting, said.side)
    return agreeing, contradicting


def _least_bound_trust(used: Sequence[Evidence], verdicts: judging.Verdicts) -> float:
    """The judge's trust (`Verdict.bound_trust`, a probability) in the least trusted of the markets
    that bound the answer; -1 if it read none of them."""
    said = (verdicts.get(one.key) for one in used if one.role == "bound")
    return min((_bounding_trust(one) for one in said if one is not None), default=-1.0)


def _bounding_trust(verdict: Verdict) -> float:
    """How sure the judge is that a market bounds the answer, as a probability, 0 to 1.

    If the hand-written rules find a bound, this is the probability that they are right
    (`Verdict.bound_trust`). If they find none, the judge has chosen the likeliest of the relations
    by which the market would bound the answer (`Verdict.order`). Then this is the probability of
    that relation. -1 if the verdict holds neither probability."""
    alone = -1.0 if verdict.order is None else verdict.order.probability
    return alone if verdict.bound_trust is None else verdict.bound_trust


def _sides(
    lead: Bearing, said: Verdict | None, *, flipped: bool, positive: bool
) -> tuple[float, float, float]:
    """The values of `side`, `against` and `contrary` (`SIGNS`).

    The answer uses the market on one of two sides: as asking the question, or as asking its
    opposite. `side` is the judge's probability of this side. `against` is its probability of the
    other side. Both are -1 without a verdict. `contrary` is 1 if the hand-written rules choose the
    other side, else 0.

    said : the judge's verdict on the market; None if the judge did not read it
    flipped : whether the answer uses 1 minus the market's price, i.e. the second of these sides
    positive : False if the question contains a negation ("Will X not win?")
    """
    contrary = float(flipped != (lead.turned == positive))
    if said is None:
        return -1.0, -1.0, contrary
    ours, theirs = (said.opposite, said.same) if flipped else (said.same, said.opposite)
    return ours, theirs, contrary


def _texts(reading: Reading, lead: Bearing, day: date) -> list[float]:
    known = vocabulary.default()
    market = lead.market
    title = " ".join(filter(None, (market.question, market.subtitle)))
    ours = features.read_names(reading.judged, known, asked_on=day)
    theirs = features.read_names(title, known)
    return [float(x) for x in features.name_features(ours, [theirs])[0]]
