"""Turns markets on several levels or deadlines into a distribution over the ranges between them.
Pure.

A level or deadline with its probability is called a rung; all rungs of one quantity or event form a
ladder. The probabilities of a ladder are made monotone, i.e. changed so that they only rise or only
fall. The question's own level or deadline is one of the rungs, and its probability is not changed.
The parts of the distribution sum to 1.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta
from typing import Final, NamedTuple, TypeAlias

from augury.forecast.pool import isotonic

MAX_LEVELS: Final = 12
"""A distribution has at most this many levels (or deadlines) besides the question's own. If there
are more, those nearest to the question's own are used. Chosen by hand."""
MAX_CONTRADICTION: Final = 0.15
"""The probabilities of several levels (or deadlines) must only rise or only fall; isotonic
regression makes them so. If it has to change any of them by more than this (as a probability), the
markets contradict each other: they are taken to be about different things, and no distribution is
given. Chosen by hand."""
_ASKED_WEIGHT: Final = 1e6
"""Weight of the question's own answer in an isotonic regression; all other probabilities have
weight 1. The regression changes the probabilities of several levels or deadlines so that they only
rise or only fall. With this weight, the question's own answer practically does not change."""

Label = Callable[[float], str]


class Part(NamedTuple):
    """One of several outcomes that exclude each other, with its probability."""

    label: str
    lower: float | date | None
    """Lower end of this outcome's range: an amount, or the first day of a period. None: the range
    is open below, or the outcome is a name."""
    upper: float | date | None
    """Upper end of this outcome's range: an amount, or the first day after a period. None: the
    range is open above, or the outcome is a name."""
    probability: float


Distribution: TypeAlias = tuple[Part, ...]
"""Outcomes that exclude each other, with their probabilities: ranges in order of amount or date, or
names. The probabilities sum to 1. Only in the answer to "A or B?" can the sum be larger, if the
prices of A and of B alone sum to more than 1."""


def chances(parts: Distribution) -> dict[str, float]:
    """The distribution as a mapping from the label of each outcome to its probability."""
    return {part.label: part.probability for part in parts}


def named(by_label: Mapping[str, float]) -> Distribution:
    """A distribution over named outcomes, from their probabilities by name."""
    return tuple(Part(label, None, None, p) for label, p in by_label.items())


def by_level(
    rungs: Mapping[float, float], asked: float, p: float, *, upward: bool, label: Label
) -> Distribution | None:
    """Probabilities of the ranges between levels. For example, the chances of reaching 100 and of
    reaching 120 give the chances of "below 100", "100 to 120" and "120 or more".

    Parameters
    ----------
    rungs
        For each level other than the question's own: the probability of reaching it (`upward`), or
        of staying at or below it (not `upward`).
    asked, p
        The question's own level and its probability.
    label
        Writes a level as text.

    Returns
    -------
    The ranges, from low to high; None if `rungs` has no level besides the question's own, or if
    probabilities contradict each other (`MAX_CONTRADICTION`).
    """
    ladder = _ladder(rungs, asked, p, rising=not upward)
    if len(ladder) < 2:
        return None
    levels, below = list(ladder), [1 - s if upward else s for s in ladder.values()]
    names = [f"{label(a)} to {label(b)}" for a, b in itertools.pairwise(levels)]
    first, last = (
        (f"below {label(levels[0])}", f"{label(levels[-1])} or more")
        if upward
        else (f"{label(levels[0])} or less", f"above {label(levels[-1])}")
    )
    return _parts([first, *names, last], [None, *levels, None], below)


def by_day(rungs: Mapping[date, float], asked: date, p: float) -> Distribution | None:
    """Probabilities of the spans of time between deadlines. For the deadlines May 31 and June 30
    there are three: "by 2026-05-31", "2026-06-01 to 2026-06-30" and "later or never".

    Parameters
    ----------
    rungs
        For each deadline other than the question's own: the probability that it is met. A deadline
        is given as the first day that is too late (June 1 for "by May 31").
    asked, p
        The question's own deadline, in the same form, and its probability.

    Returns
    -------
    The spans in order of time; None if `rungs` has no deadline besides the question's own, or if
    probabilities contradict each other (`MAX_CONTRADICTION`).
    """
    days = {float(day.toordinal()): chance for day, chance in rungs.items()}
    ladder = _ladder(days, float(asked.toordinal()), p, rising=True)
    if len(ladder) < 2:
        return None
    ends = [date.fromordinal(int(day)) for day in ladder]
    day = timedelta(days=1)
    names = [f"by {ends[0] - day}"]
    names += [f"{a} to {b - day}" for a, b in itertools.pairwise(ends)]
    return _parts([*names, "later or never"], [None, *ends, None], list(ladder.values()))


def level_label(unit: str) -> Label:
    """Returns a function that writes a level as text, by its unit: $150,000 (usd), 4% (percent),
    20° (degrees), 25 bps (bps), 2,500 (any other)."""

    def label(level: float) -> str:
        figure = f"{level:,.10g}" if abs(level) < 1e15 else f"{level:g}"
        if unit == "usd":
            return f"${figure}"
        return figure + {"percent": "%", "degrees": "°", "bps": " bps"}.get(unit, "")

    return label


def _ladder(
    rungs: Mapping[float, float], asked: float, p: float, *, rising: bool
) -> dict[float, float]:
    near = sorted((x for x in rungs if x != asked), key=lambda x: (abs(x - asked), x))[:MAX_LEVELS]
    places = sorted([*near, asked])
    chances = [p if x == asked else rungs[x] for x in places]
    weights = [_ASKED_WEIGHT if x == asked else 1.0 for x in places]
    if not rising:
        chances, weights = chances[::-1], weights[::-1]
    smooth = isotonic(chances, weights)
    if max(abs(a - b) for a, b in zip(smooth, chances, strict=True)) > MAX_CONTRADICTION:
        return {}
    return dict(zip(places, smooth if rising else smooth[::-1], strict=True))


def _parts(
    names: list[str], ends: Sequence[float | date | None], below: list[float]
) -> Distribution:
    """The distribution over the consecutive ranges `names`. The probabilities are rounded so that
    they still sum to 1.

    ends : the limits of the ranges, one more than there are names; the first and the last are None,
        because the outer ranges are open-ended
    below : for each limit between two ranges, the probability that the value is below it, ascending
    """
    curve = [0.0, *(round(x, 4) for x in below), 1.0]
    return tuple(
        Part(name, lower, upper, round(max(0.0, high - low), 4))
        for name, lower, upper, low, high in zip(
            names, ends, ends[1:], curve, curve[1:], strict=False
        )
    )
