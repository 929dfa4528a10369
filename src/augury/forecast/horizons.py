"""Chooses deadlines to add to a question that names no date, such as "will Starmer resign". Pure.

People rarely name a date, and the markets on an event nearly always do. A question without a date
asks whether the event happens at all. Of several markets, the one with the latest deadline is
closest to this meaning. So the question is asked again with the deadlines of the markets that most
probably ask it, the latest deadline first. The answer says for which deadline it holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import date, timedelta
from typing import TYPE_CHECKING, Final

from msgspec import structs

from augury.forecast.polarity import turns
from augury.forecast.roles import is_direct, is_same_except
from augury.propositions.proposition import EVENTS
from augury.propositions.windows import Window

if TYPE_CHECKING:
    from augury.forecast.bearing import Bearing, Compared
    from augury.forecast.evidence import Estimate
    from augury.forecast.judging import Verdicts
    from augury.forecast.normalize import Reading

MAX_DEADLINES: Final = 3
"""A question without a date is asked again with a deadline added, for at most this many deadlines.
Each repetition takes as long as a question with a date. Chosen by hand."""
MAX_CONFIDENCE: Final = 0.5
"""Upper limit, 0 to 1, of the confidence in an answer whose deadline the question does not name:
the one who asks may have another in mind. Chosen by hand."""
AMPLE_DAYS: Final = 180
"""If the deadline added to a question without a date is fewer days ahead than this,
`MAX_CONFIDENCE` is reduced in proportion: if the deadline is half as many days ahead, the limit is
halved. Someone who names no date is unlikely to mean only the next two weeks. Chosen by hand."""
MIN_DATED_PROBABILITY: Final = 0.5
"""A question without a date is asked again with a market's deadline added to it. The answer counts
only if the judge (the trained model) gives at least this probability, 0 to 1, that the market asks
the question with the deadline. The limit is not used if the hand-written rules or the judge find
that the market asks the question as it stands, without the deadline. Chosen by hand."""
DEADLINE_MARKER: Final = "furthest_deadline"
"""Marker in `Estimate.fallbacks`: the question names no date, so it is answered for the latest
deadline with which some market asks it. If no market asks it with any deadline, it is answered for
the latest deadline for which the prices of markets bound the answer."""

_TIME: Final = re.compile(
    r"\b(?:by|before|until|till?|within|during|soon|yet|today|tonight|tomorrow|now|next|this|"
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)day|weekend|days?|weeks?|months?|quarter|years?|seasons?|terms?|"
    r"summer|autumn|winter|christmas|xmas|easter|halloween|thanksgiving|midterms?|"
    r"elections?|q[1-4]|(?:19|20)\d\d|['’]\d\d)\b",
    re.I,
)
"""Matches words of time ("by", "soon", "week", "2027"). A question with such a word names a time,
even if the time could not be read."""


def names_no_time(reading: Reading) -> bool:
    """Whether a question asks if an event happens, and names no time for it."""
    window = reading.proposition.window
    return reading.undated or (
        reading.proposition.predicate in EVENTS
        and not window.text
        and not window.years
        and reading.side is None
        and _TIME.search(reading.question) is None
    )


def deadlines(compared: Compared, verdicts: Verdicts) -> list[date]:
    """Deadlines for a question that names no time. The question is asked again with them added, one
    after the other, the latest first. They are the deadlines of the markets that most probably ask
    the question or its opposite, by the judge's `verdicts`. A deadline is given as the first day
    that is too late."""
    found: dict[date, float] = {}
    for b in compared.bearings:
        verdict = verdicts.get(b.key)
        end = _deadline_ahead(b, compared.at.date())
        if verdict is None or end is None:
            continue
        if is_same_except(b.fit, "window"):
            found[end] = max(found.get(end, 0.0), verdict.side)
    likely = sorted(found, key=lambda end: -found[end])[:MAX_DEADLINES]
    return sorted(likely, reverse=True)


def _deadline_ahead(b: Bearing, at: date) -> date | None:
    """The deadline of a market (the first day that is too late) if it is after the day `at`."""
    window = b.view.proposition.window
    if not window.text or window.kind not in ("by", "in") or window.end is None:
        return None
    return window.end if window.end > at else None


def is_undated(estimate: Estimate, bearings: Iterable[Bearing]) -> bool:
    """Whether the market that decides an answer (`estimate`) names no deadline. The question is
    then answered as it was asked, without a deadline."""
    decisive = estimate.decisive
    if decisive is None:
        return False
    own = (b for b in bearings if b.market.seq == decisive.market.seq)
    return all(b.exact or not b.view.proposition.window.text for b in own)


def until(compared: Compared, end: date) -> Reading:
    """The compared question, with the deadline `end` (the first day on which it is too late)
    added."""
    reading, day = compared.reading, end - timedelta(days=1)
    date_said = f"{day:%B} {day.day}, {day.year}"
    words = f"by {date_said}"
    window = Window(kind="by", end=end, since=reading.proposition.window.since, text=words)
    # A question on whether something lasts needs "until": "stays in power until".
    judged = f"until {date_said}" if "lasts" in turns(reading.judged) else words
    return replace(
        reading,
        undated=True,
        effective=f"{reading.effective.rstrip(' ?.!')} {words}?",
        judged=f"{reading.judged.rstrip(' ?.!')} {judged}?",
        proposition=structs.replace(reading.proposition, window=window),
    )


def furthest(estimate: Estimate, bearings: Iterable[Bearing], at: date) -> date | None:
    """The latest deadline after the day `at` among the markets that set a bound on the answer. None
    if the answer's grade is not `bounded`, or if none of these markets has such a deadline."""
    if estimate.grade != "bounded":
        return None
    used = {e.key for e in estimate.evidence if e.role == "bound" and e.weight}
    ends = (_deadline_ahead(b, at) for b in bearings if b.key in used)
    return max((end for end in ends if end is not None), default=None)


def is_found(
    estimate: Estimate,
    again: Verdicts,
    compared: Compared,
    verdicts: Verdicts,
    limits: Mapping[str, float],
) -> bool:
    """Whether an answer that was found with a deadline added to the question also answers the
    question without it. The danger: the market that decides the answer may have nothing but the
    deadline in common with the question. So the judge must find it likely enough that this market
    asks the question or its opposite, in at least one of two comparisons:

    - without the deadline: the probability is at least the limit `absent`. It is enough if another
      market whose subject has the same terms reaches this limit. Such markets may differ only in
      their deadlines, and the judge may take any of them to ask the question without a deadline;
    - with the deadline: the probability is at least the limit `same` if the hand-written rules find
      that the market asks the question, else `MIN_DATED_PROBABILITY`.

    estimate, again : the answer to the question with the deadline, and the judge's verdicts on the
        markets for it
    compared, verdicts : the question without the deadline compared with the markets, and the
        judge's verdicts for it
    limits : lowest probabilities at which the judge's verdicts count (`Judge.limits`)
    """
    lead = estimate.decisive
    if lead is None:
        return False
    own = next((b for b in compared.bearings if b.key == lead.key), None)
    if own is None:
        return False
    # If markets differ only in their deadline, the judge may find the question in any of them.
    sides = (
        verdicts[b.key].side
        for b in compared.bearings
        if b.key in verdicts and b.view.proposition.terms == own.view.proposition.terms
    )
    if max(sides, default=0.0) >= limits["absent"]:
        return True
    dated = again[lead.key].side if lead.key in again else 0.0
    return dated >= (limits["same"] if is_direct(own.fit) else MIN_DATED_PROBABILITY)


def for_deadline(estimate: Estimate, end: date, at: date) -> Estimate:
    """Turn `estimate`, which was made for the deadline `end`, into the answer to a question that
    names no date and is asked on the day `at`. The reasoning then says which deadline was assumed,
    and the confidence is at most `MAX_CONFIDENCE`."""
    day = end - timedelta(days=1)
    most = MAX_CONFIDENCE * min(1.0, (end - at).days / AMPLE_DAYS)
    note = (
        f"The question names no date, so it is answered for the time until {day}, a deadline of the"
        " markets on it. Name a date in the question to ask about another."
    )
    return replace(
        estimate,
        confidence=min(estimate.confidence, round(most, 4)),
        reasoning=f"{note} {estimate.reasoning}",
        fallbacks=(*estimate.fallbacks, DEADLINE_MARKER),
    )
