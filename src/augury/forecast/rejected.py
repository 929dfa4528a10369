"""Which markets were compared with a question and not used, and why. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from augury.forecast import explain
from augury.forecast.evidence import Estimate, Rejected
from augury.forecast.match import Comparison, compare
from augury.forecast.outcome_labels import label
from augury.forecast.roles import FOREIGN_WEIGHT, MIN_RELATED_CONTENT

if TYPE_CHECKING:
    from augury.forecast.bearing import Bearing

MAX_REJECTED: Final = 8
"""At most this many markets are listed as compared but not used: those nearest to the question."""
MIN_ABOUT: Final = 0.34
"""A market counts as being about the question at all only if it names at least this weighted share,
0 to 1, of the question's terms (word stems; `Comparison.asked`). Chosen by hand."""
MIN_TWIN: Final = 0.6
"""Two markets on different venues count as twins, i.e. as the same contract, only if each names at
least this weighted share, 0 to 1, of the other's terms (word stems). Chosen by hand."""
MAX_TWIN_GAP: Final = 0.1
"""Two markets on different venues count as twins, i.e. as the same contract, only if their prices
differ by at most this (as a probability). Chosen by hand."""


def rejected(bearings: Sequence[Bearing], estimate: Estimate) -> tuple[Rejected, ...]:
    """The markets nearest to the question that are not in the estimate's evidence (not even with
    weight 0), best first, each with the reason why it was not used.

    bearings : every market outcome that was compared with the question, the best fit first
    """
    seen = {one.market.id for one in estimate.evidence}
    weighed = {one.market.id: one.outcome for one in estimate.evidence if one.counts}
    counted = [b for b in bearings if weighed.get(b.market.id) == b.outcome]
    found: list[Rejected] = []
    for bearing in bearings:
        if len(found) == MAX_REJECTED:
            break
        if bearing.market.id not in seen:
            seen.add(bearing.market.id)
            text = _counted_once(bearing, counted, estimate) or difference(bearing, bearing.fit)
            found.append(Rejected(bearing.market, text))
    return tuple(found)


def _counted_once(b: Bearing, counted: Sequence[Bearing], estimate: Estimate) -> str | None:
    """Why the market `b` is not used, as a sentence, if the reason is that markets of another venue
    on the same event count already. None if that is not the reason.

    counted : the market outcomes that have weight in the estimate
    """
    twin = next((other for other in counted if _are_twins(b, other)), None)
    if twin is not None:
        return (
            f"It asks the same as {twin.market.id} on the other venue, which counts already: one"
            " event is not counted twice."
        )
    ways = b.fit.threshold in ("implied", "excludes") and b.fit.content >= MIN_RELATED_CONTENT
    elsewhere = all(other.market.platform != b.market.platform for other in counted)
    if ways and elsewhere and "from_parts" in estimate.fallbacks and not b.fit.leveled:
        return (
            "The ways for this to happen are added up from the other venue's markets, which count."
        )
    return None


def difference(b: Bearing, fit: Comparison) -> str:
    """Why the market outcome `b` was not used: one sentence that says how it differs from the
    question. `fit`: the comparison of the two."""
    if fit.asked < MIN_ABOUT:
        return "It names too little of what the question is about."
    if fit.edition == "differs":
        return "It is about another year or edition."
    if fit.choice in ("excludes", "differs"):
        return f"It is about another outcome: {explain.quoted(label(b))}."
    if fit.foreign >= FOREIGN_WEIGHT:
        return "It names something that the question does not."
    if fit.stage not in ("same", "unsaid"):
        return "It asks about another stage, place or act."
    if fit.content < MIN_RELATED_CONTENT:
        return "It shares some words with the question, and is about something else."
    if fit.leveled and fit.threshold not in ("same", "opposite"):
        return "It asks about another level or amount."
    if fit.window not in ("same", "unsaid"):
        return "It asks about another period or deadline."
    if fit.threshold == "excludes":
        return "It asks about what can't happen together with this."
    if fit.threshold not in ("same", "opposite", "unsaid"):
        return "It asks about a level or an amount, and the question does not."
    return "Other markets fit the question better, or it may be about something else."


def _are_twins(a: Bearing, b: Bearing) -> bool:
    """Whether two markets on different venues seem to ask the same question and have nearly the
    same price."""
    if a.market.platform == b.market.platform or abs(a.positive - b.positive) > MAX_TWIN_GAP:
        return False
    if a.market.price_at is None or (a.view.proposition.threshold is None) != (
        b.view.proposition.threshold is None
    ):
        return False
    at = (a.market.price_at + timedelta(days=a.age)).date()
    there = compare(a.view, b.view, at)
    return (
        there.same and min(there.asked, there.named) >= MIN_TWIN
        and there.opposed == (a.fit.opposed != b.fit.opposed) and compare(b.view, a.view, at).same
    )  # fmt: skip
