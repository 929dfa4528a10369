"""Combines probabilities: means in log-odds, curves that never fall (over deadlines) or never rise
(over levels), and estimates from a lower and an upper bound. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

PROBABILITY_EDGE: Final = 0.001
"""Estimates stay at least this far from the probabilities 0 and 1, because a market that trades at
0.999 is not yet decided."""


def clip(p: float) -> float:
    return min(1 - PROBABILITY_EDGE, max(PROBABILITY_EDGE, p))


def logit(p: float) -> float:
    p = clip(p)
    return math.log(p / (1 - p))


def expit(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))


def pooled(probabilities: Sequence[float], weights: Sequence[float]) -> float:
    """The weighted mean of probabilities, taken in log-odds; a single probability is returned as it
    is."""
    if len(probabilities) == 1:
        return probabilities[0]
    total = sum(weights)
    return expit(sum(w * logit(p) for p, w in zip(probabilities, weights, strict=True)) / total)


def spread(probabilities: Sequence[float], weights: Sequence[float]) -> float:
    """How far the probabilities disagree: their weighted standard deviation in log-odds; 0 if all
    are equal."""
    total = sum(weights)
    mean = sum(w * logit(p) for p, w in zip(probabilities, weights, strict=True)) / total
    square = sum(w * (logit(p) - mean) ** 2 for p, w in zip(probabilities, weights, strict=True))
    return math.sqrt(square / total)


def isotonic(values: Sequence[float], weights: Sequence[float]) -> list[float]:
    """The non-decreasing sequence with the smallest weighted sum of squared distances to `values`,
    by the pool-adjacent-violators algorithm (Ayer et al. 1955)."""
    blocks: list[list[float]] = []  # mean, weight, length
    for value, weight in zip(values, weights, strict=True):
        blocks.append([value, weight, 1])
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            last = blocks.pop()
            mean, mass, length = blocks[-1]
            mass_of_both = mass + last[1]
            blocks[-1] = [
                (mean * mass + last[0] * last[1]) / mass_of_both, mass_of_both, length + last[2],
            ]  # fmt: skip
    return [mean for mean, _, length in blocks for _ in range(int(length))]


def _merged(points: Sequence[tuple[float, float, float]]) -> list[tuple[float, float, float]]:
    """The points (x, probability, weight) in order of x. Points with the same x become one: their
    probabilities are pooled and their weights added."""
    places: dict[float, list[tuple[float, float]]] = {}
    for x, p, weight in points:
        places.setdefault(x, []).append((p, weight))
    return [
        (x, pooled([p for p, _ in held], [w for _, w in held]), sum(w for _, w in held))
        for x, held in sorted(places.items())
    ]


def by_deadline(
    points: Sequence[tuple[float, float, float]], at: float
) -> tuple[float, float, float]:
    """The probability that an event happens by a time, from its probabilities by other times.

    Parameters
    ----------
    points
        (days from now, probability, weight) of the known deadlines, in any order.
    at
        Days from now, positive.

    Returns
    -------
    The probability by `at`, and the probabilities at the neighboring deadlines as its lower and
    upper limit (0 and 1 without a neighbor).

    The hazard (the rate at which the event happens) is taken as constant between two deadlines, and
    up to the first. Beyond the last deadline it falls, because what has not happened by then may
    never happen.
    """
    ordered = _merged([(max(0.5, t), p, w) for t, p, w in points])
    times = [t for t, _, _ in ordered]
    chances = isotonic([p for _, p, _ in ordered], [w for _, _, w in ordered])
    lower = max((p for t, p in zip(times, chances, strict=True) if t <= at), default=0.0)
    upper = min((p for t, p in zip(times, chances, strict=True) if t >= at), default=1.0)
    hazards = [-math.log(1 - clip(p)) for p in chances]
    before, hazard_before = 0.0, 0.0
    for time, hazard in zip(times, hazards, strict=True):
        if at <= time:
            share = (at - before) / (time - before) if time > before else 1.0
            total = hazard_before + share * (hazard - hazard_before)
            return min(upper, max(lower, 1 - math.exp(-total))), lower, upper
        before, hazard_before = time, hazard
    rate = hazard_before / before
    beyond = hazard_before + 0.6 * rate * before * math.log(at / before)
    return max(lower, 1 - math.exp(-beyond)), lower, upper


def by_threshold(
    points: Sequence[tuple[float, float, float]], at: float
) -> tuple[float, float, float]:
    """The probability that a value exceeds the threshold `at`, from the probabilities for other
    thresholds.

    points : (threshold, probability of exceeding it, weight), in any order

    Returns the probability, and the probabilities for the neighboring thresholds as its lower and
    upper limit (0 and 1 without a neighbor). Between two thresholds log-odds are linear. Below the
    lowest and above the highest they continue at the slope of the two nearest thresholds. If
    `points` has only one threshold T, log-odds fall by 1 for each T/10 by which `at` is above T,
    and rise by 1 for each T/10 by which it is below. Beyond the outermost thresholds, log-odds
    change by at most 2.5.
    """
    ordered = _merged(points)[::-1]
    xs = [x for x, _, _ in ordered]
    chances = isotonic([p for _, p, _ in ordered], [w for _, _, w in ordered])
    xs.reverse()
    chances.reverse()
    lower = max((p for x, p in zip(xs, chances, strict=True) if x >= at), default=0.0)
    upper = min((p for x, p in zip(xs, chances, strict=True) if x <= at), default=1.0)
    odds = [logit(p) for p in chances]
    for i in range(len(xs) - 1):
        if xs[i] <= at <= xs[i + 1]:
            width = xs[i + 1] - xs[i]
            share = (at - xs[i]) / width if width else 0.0
            estimate = expit(odds[i] + share * (odds[i + 1] - odds[i]))
            return min(upper, max(lower, estimate)), lower, upper
    edge = 0 if at < xs[0] else len(xs) - 1
    other = 1 if edge == 0 else len(xs) - 2
    if len(xs) > 1 and xs[edge] != xs[other]:
        slope = min(0.0, (odds[edge] - odds[other]) / (xs[edge] - xs[other]))
    else:
        slope = -1 / (0.1 * max(abs(xs[edge]), 1e-9))
    step = max(-2.5, min(2.5, slope * (at - xs[edge])))
    estimate = expit(odds[edge] + step)
    return min(upper, max(lower, estimate)), lower, upper


def convert_day_and_reach(price: float, *, on_the_day: bool) -> tuple[float, float, float]:
    """Convert between two probabilities for a quantity and a level: P(day), that the quantity is
    beyond the level on a given day, and P(reach), that it reaches the level at any time up to that
    day.

    For a fair random walk, P(day) is half of P(reach) (reflection principle). Returns an estimate,
    and its lower and upper bound.

    price : the known probability
    on_the_day : True: `price` is P(reach), and P(day) is estimated; False: the reverse
    """
    if on_the_day:
        return price / 2, 0.0, price
    return min(1 - PROBABILITY_EDGE, 2 * price), price, 1.0


def within(lower: float, upper: float) -> float:
    """Estimate a probability from its bounds alone. `lower` 0 or `upper` 1 means that there is no
    such bound.

    With two bounds, the estimate is their mean in log-odds, or their plain mean if the lower one is
    above the upper one. With a lower bound alone, it is the bound's square root: 0.25 -> 0.5. This
    is right if the event that gives the bound needs two equally likely steps, and the question is
    about the first step only. With an upper bound alone, the same rule is applied to the
    complements: 0.75 -> 0.5. Without bounds, the estimate is 0.5.
    """
    if lower > upper:
        return (lower + upper) / 2
    if upper >= 1:
        return math.sqrt(lower) if lower > 0 else 0.5
    if lower <= 0:
        return 1 - math.sqrt(1 - upper)
    return expit((logit(lower) + logit(upper)) / 2)
