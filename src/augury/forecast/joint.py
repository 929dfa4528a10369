"""One answer for a question of several parts ("A and B", "A or B"), from the answers to its parts.
The modules `compound` and `coordination` find the parts. Pure.

Parts of one question usually depend on each other (a party wins both chambers), but how strongly is
not known. Logic limits the answer: "A and B" is at most as likely as the less likely part, and "A
or B" is at least as likely as the likelier part. If a part has no answer, the other parts still set
such a limit.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from augury.forecast import grade, pool
from augury.forecast.compound import Connective, Parts
from augury.forecast.distribution import Distribution, named
from augury.forecast.evidence import Estimate, answer_bounds

MAX_CONFIDENCE: Final = 0.5
"""Upper limit, 0 to 1, of the confidence in the answer to "A and B" or "A or B" if A and B can both
come true. Their probabilities alone do not determine the answer, because A and B may depend on each
other. Chosen by hand."""


def joined(asked: Parts, answers: Sequence[Estimate], *, exclusive: bool) -> Estimate:
    """The estimate for a question of several parts ("A or B", "A and B"), from the estimates for
    the parts, in their order. If only some parts have an answer that may be shown
    (`grade.is_shown`), these parts only bound the estimate. If no part has such an answer, and at
    least one part has no probability at all, the estimate has no probability either.

    answers : an estimate for each of `asked.questions`
    exclusive : whether at most one of the parts can come true
    """
    found = _joined(asked, answers, exclusive=exclusive)
    if not asked.denied or found.probability is None:
        return found
    lower, upper = found.lower, found.upper
    limits = found.limits
    return replace(
        found,
        probability=round(1 - found.probability, 6),
        lower=None if upper is None else round(1 - upper, 4),
        upper=None if lower is None else round(1 - lower, 4),
        limits=None if limits is None else (round(1 - limits[1], 6), round(1 - limits[0], 6)),
        distribution=None,
        reasoning="The question asks for the opposite of what follows. So the answer is 1 minus"
        f" the probability of what follows. {found.reasoning}",
    )


def _joined(asked: Parts, answers: Sequence[Estimate], *, exclusive: bool) -> Estimate:
    both = asked.connective == "both"
    usable = [one for one in answers if one.probability is not None and grade.is_shown(one)]
    if usable and len(usable) < len(asked.names):
        return _of_some(asked, usable)
    if any(one.probability is None for one in answers):
        return _without_answer(asked, answers)
    each = [one.probability or 0.0 for one in answers]
    least, most = zip(*map(answer_bounds, answers), strict=True)
    if both and exclusive:
        low = high = p = 0.0
    elif both:
        low, high = max(0.0, sum(least) - len(each) + 1), min(most)
        p = (math.prod(each) + min(each)) / 2
    elif exclusive:
        low, high = min(1.0, sum(least)), min(1.0, sum(most))
        p = sum(each)
    else:
        low, high = max(least), min(1.0, sum(most))
        p = (1 - math.prod(1 - one for one in each) + max(each)) / 2
    found = _made(answers, (low, high), p)
    names = _names(asked)
    how = _HOW[asked.connective, exclusive].format(names=names, low=low, high=high)
    return replace(
        found,
        distribution=_one_of(asked, answers) if exclusive and not both else None,
        reasoning=f"{how} {found.reasoning}",
        fallbacks=(
            "sum_of_alternatives" if exclusive and not both else f"{asked.connective}_part",
        ),
    )


def _without_answer(asked: Parts, answers: Sequence[Estimate]) -> Estimate:
    unknown = next(one for one in answers if one.probability is None)
    told = (
        f"The question has {len(asked.names)} parts ({'; '.join(asked.names)}), and at least one"
        " of them has no answer."
    )
    return replace(unknown, warnings=(*unknown.warnings, told))


def _of_some(asked: Parts, known: Sequence[Estimate]) -> Estimate:
    """The estimate for a question of several parts if only some of them have an answer that may be
    shown (`known`). It is the middle of the bounds that these parts set, because nothing is known
    of the other parts."""
    least, most = zip(*map(answer_bounds, known), strict=True)
    limits = (0.0, min(most)) if asked.connective == "both" else (max(least), 1.0)
    found = _made(known, limits, sum(limits) / 2)
    how = (
        "{} have to come true, so this is at most as likely as any part that has an answer."
        if asked.connective == "both"
        else "{} will do, so this is at least as likely as any part that has an answer."
    )
    told = "For that part:" if len(known) == 1 else "For these parts:"
    width = limits[1] - limits[0]
    return replace(
        found,
        confidence=round(found.confidence * (1 - width / 2), 3),
        reasoning=f"{how.format(_names(asked))} {told} {found.reasoning}",
        fallbacks=(f"{asked.connective}_part", "part_without_answer"),
    )


def _made(answers: Sequence[Estimate], limits: tuple[float, float], p: float) -> Estimate:
    """The estimate for a question of several parts: the probability `p`, its bounds, and the
    evidence of all parts.

    answers : the estimates for the parts
    limits : lower and upper limit that logic sets, given the probabilities of the parts
    """
    low, high = limits
    p = round(pool.clip(p), 6)
    below = sum((one.probability or 0.0) - (one.lower or 0.0) for one in answers)
    above = sum((one.upper or 1.0) - (one.probability or 0.0) for one in answers)
    evidence = tuple(
        replace(
            one, weight=one.weight / len(answers),
            role="bound" if high > low and one.role == "direct" else one.role,
        )
        for part in answers for one in part.evidence
    )  # fmt: skip
    confidence = min(one.confidence for one in answers)
    if high > low:
        confidence = min(confidence, MAX_CONFIDENCE)
    return Estimate(
        evidence=evidence, probability=p,
        lower=round(min(p, max(0.0, low - below)), 4),
        upper=round(max(p, min(1.0, high + above)), 4),
        confidence=round(confidence, 3),
        reasoning=" ".join(dict.fromkeys(one.reasoning for one in answers)),
        warnings=tuple(dict.fromkeys(w for one in answers for w in one.warnings)),
        limits=(round(low, 6), round(high, 6)) if high > low else None,
        trust=min((one.trust for one in answers if one.trust is not None), default=None),
    )  # fmt: skip


_HOW: Final[dict[tuple[Connective, bool], str]] = {
    ("either", True): "{names} will do, and only one of them can, so their chances are added.",
    ("either", False): "{names} will do, and several can. Logic puts this between {low:.0%}"
    " and {high:.0%}; the estimate is the middle between parts that are independent and parts"
    " that go together.",
    ("both", False): "{names} have to come true. Logic puts this between {low:.0%} and"
    " {high:.0%}; the estimate is the middle between parts that are independent and parts that go"
    " together.",
    ("both", True): "{names} have to come true, and only one of them can.",
}


def _names(asked: Parts) -> str:
    """The names of the question's parts, put together as the beginning of a sentence: "Both of A
    and B", "Any of A, B or C"."""
    names = asked.names if asked.rivals else tuple(f'"{name}"' for name in asked.names)
    two = len(names) == 2
    if asked.connective == "both":
        lead, word = "Both of" if two else "All of", "and"
    else:
        lead, word = "Either of" if two else "Any of", "or"
    return f"{lead} {', '.join(names[:-1])} {word} {names[-1]}"


def _one_of(asked: Parts, answers: Sequence[Estimate]) -> Distribution:
    """The distribution over the outcomes of a question "A or B": A comes true, B comes true, or
    neither."""
    each = {
        name: round(one.probability or 0.0, 6)
        for name, one in zip(asked.names, answers, strict=True)
    }
    return named({**each, "neither": round(max(0.0, 1 - sum(each.values())), 6)})
