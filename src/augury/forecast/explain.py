"""Why an estimate is what it is, in plain sentences that name its evidence. Pure.

Market text is quoted as data: shortened, on one line, without control characters.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

from augury.forecast.evidence import Evidence, Role
from augury.forecast.match import Comparison
from augury.forecast.normalize import Reading
from augury.logic.joint_outcomes import Relation

NOTHING: Final = "No open market is about this question, so no probability is given."
_LONGEST: Final = 140
_VENUES: Final = {"polymarket": "Polymarket", "kalshi": "Kalshi"}


def quoted(text: str) -> str:
    """A market's text for use in a sentence: in quotes, on one line, cut to `_LONGEST`
    characters."""
    plain = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    plain = plain.replace('"', "'")
    return f'"{plain if len(plain) <= _LONGEST else plain[: _LONGEST - 1] + "…"}"'


def shortened(text: str) -> str:
    """A market's text for use as a label: on one line, cut to `_LONGEST` characters."""
    return quoted(text)[1:-1]


def nothing(reading: Reading, seen: int) -> str:
    """The text shown if no market can answer the question. `seen`: number of market outcomes that
    were compared with it."""
    if not seen:
        return f"{NOTHING} There was no open market with a recent price to compare it with."
    return (
        f"{NOTHING} It was compared with {seen} outcome{'' if seen == 1 else 's'} of open markets"
        " with a recent price; none is about the same things."
    )


ORDER_PHRASES: Final[dict[Relation, str]] = {
    "implies": "this happens only if it does",
    "implied_by": "if it happens, so does this",
    "excludes": "if it happens, this does not",
    "covers": "if it does not happen, this does",
}
"""Phrases that say how a market ("it") bounds the question ("this")."""


def relation(c: Comparison, role: Role, flipped: bool) -> str:
    """How a market relates to the question, in a few words: "its deadline is 3 days later".

    c : the comparison of market and question
    role : the market's role as evidence
    flipped : whether the market asks the opposite
    """
    if role == "direct":
        return "asks the opposite" if flipped else "asks the same"
    parts = []
    if c.window in ("implies", "implied") and c.gap:
        days = abs(round(c.gap))
        parts.append(f"its deadline is {days} days {'earlier' if c.gap > 0 else 'later'}")
    if c.threshold in ("implies", "implied", "excludes"):
        parts.append("it asks about another level" if c.leveled else _AMOUNT_PHRASES[c.threshold])
    if c.stage in ("implies", "implied", "excludes"):
        parts.append("it asks about another stage or place")
    if c.choice in ("excludes", "differs"):
        parts.append("it asks about another outcome")
    return "; ".join(parts) or "it is about the same things"


_AMOUNT_PHRASES: Final = {
    "implied": "it is one way for this to happen",
    "implies": "this is one way for it to happen",
    "excludes": "if it happens, this does not",
}
"""Phrases that say how a market ("it") relates to the question ("this") if only one of the two
names an amount; the keys are values of `Order`. The market "Cut by 25 bps" is one way for "Will the
Fed cut?" to come true."""


VISIBLE_CHANGE: Final = 0.0005
"""An explanation mentions that the bounds set by logic changed a probability (0 to 1) only if they
changed it by at least this. It is half of a tenth of a percentage point, the finest step in which
percentages are shown."""


def reasoning(
    reading: Reading,
    p: float,
    lower: float,
    upper: float,
    evidence: Sequence[Evidence],
    kind: str,
    *,
    pooled: float,
) -> str:
    """How an estimate was made, in two to six sentences: which markets count, and their prices.

    kind : how these markets relate to the question ("direct", "deadlines" ...), a key of `_HOW`
    pooled : the probability that these markets alone give. If the prices of other markets rule it
        out, the probability `p` is the nearest one that they allow
    """
    counted = [one for one in evidence if one.counts]
    sentences = [_HOW[kind].format(n=len(counted), s="" if len(counted) == 1 else "s")]
    if kind == "direct" and len(counted) == 1:
        sentences = [
            "One open market asks " + ("the opposite of this." if counted[0].flipped else "this.")
        ]
    for one in counted[:2]:
        sentences.append(_sentence(one, kind))
    if not reading.proposition.positive and kind not in ("direct", "judged"):
        sentences.append(
            "The question asks whether this does not happen, so the probability of Yes is 1"
            " minus the probability that this happens."
        )
    if abs(pooled - p) >= VISIBLE_CHANGE:
        end = "no less" if p > pooled else "no more"
        sentences.append(
            f"That gives {percent(pooled)}, but the prices of other markets allow {end} than"
            f" {percent(p)}."
        )
    sentences.append(
        f"Estimate: {percent(p)}. The market price has an 80% chance to be between"
        f" {percent(lower)} and {percent(upper)} a week from now."
    )
    return " ".join(sentences)


_HOW: Final = {
    "direct": "{n} open markets ask this.",
    "deadlines": "No open market has this deadline; bounds come from {n} market{s} with other"
    " deadlines.",
    "span": "No open market asks about this span; what counts is how likely it is by the end of the"
    " span less how likely it is by its beginning, from {n} market{s} with such deadlines.",
    "thresholds": "No open market has this level; bounds come from {n} market{s} at other levels.",
    "parts": "No open market asks this; bounds come from {n} market{s} on ways for it to happen or"
    " on what excludes it.",
    "stages": "No open market asks this; bounds come from {n} market{s} that ask more or less.",
    "bounds": "No open market asks this; logic bounds it by {n} market{s}.",
    "judged": "No open market asks this; as the trained judge reads the texts, the answer is"
    " bounded by {n} market{s}.",
    "rivals": "The contender asked about has no market; the estimate is a part of what the prices"
    " of {n} rival{s} leave.",
    "proxy": "No open market asks this or bounds the answer; the nearest one only hints at it.",
}


def _sentence(one: Evidence, kind: str) -> str:
    price = one.market.price(one.outcome)
    where = _VENUES[one.market.platform]
    text = (
        f"{quoted(one.market.question)} on {where} stands at {percent(price or 0.0)}"
        f" ({_age(one.age)} old)"
    )
    if one.flipped and kind != "judged":
        return f"{text}; it asks the opposite, so {percent(one.probability)} counts."
    return f"{text}; {one.relation}." if kind != "direct" else f"{text}."


def _with_price(one: Evidence) -> str:
    """A market with its venue, price and age: "Will X win?" on Kalshi at 44% (18 h old)."""
    price = percent(one.market.price(one.outcome) or 0.0)
    return (
        f"{quoted(one.market.question)} on {_VENUES[one.market.platform]} at {price}"
        f" ({_age(one.age)} old)"
    )


def _age(days: float) -> str:
    if days < 1 / 24:
        return f"{max(1, round(days * 1440))} min"
    return f"{round(days * 24)} h" if days < 2 else f"{round(days)} days"


def percent(p: float) -> str:
    """A probability as text for people: 0.44 -> 44%, 0.004 -> 0.4%."""
    return f"{100 * p:.0f}%" if 0.0995 <= p < 0.9905 else f"{100 * p:.1f}%"


def moment(at: datetime) -> str:
    """A time as text: in UTC, in the ISO 8601 form that requests accept."""
    return at.astimezone(UTC).isoformat().replace("+00:00", "Z")


def day(at: datetime) -> str:
    """A day as text for people: 2026-12-31 (UTC)."""
    return f"{at.astimezone(UTC):%Y-%m-%d} (UTC)"


def bounds_text(between: tuple[float, float], evidence: Sequence[Evidence]) -> str:
    """The text shown instead of a probability if the only evidence is the prices of rivals, i.e. of
    markets about other contenders in the contest.

    between : lower and upper bound that these prices put on the probability
    """
    low, high = between
    text = (
        f"No open market asks this. Markets on rivals put it between {percent(low)} and"
        f" {percent(high)}. Such answers have scored worse than the base rate, so no probability is"
        " given."
    )
    counted = [one for one in evidence if one.counts]
    if not counted:
        return text
    return f"{text} The nearest is {_with_price(counted[0])}."


def doubtful(evidence: Sequence[Evidence]) -> str:
    """The text shown instead of a probability if answers that were made in the same way have been
    right too rarely."""
    text = (
        "It is not sure enough that an open market asks this. Too many answers on such evidence"
        " have been wrong, so no probability is given."
    )
    near = next((one for one in evidence if one.counts), None)
    if near is None:
        return text
    told = "it may ask something else" if near.role == "direct" else near.relation
    return f"{text} The nearest market is {_with_price(near)}; {told}."


def hint(evidence: Sequence[Evidence]) -> str:
    """A sentence that names the market nearest to the question and its price, and says that it is
    about a related matter; empty without evidence."""
    if not evidence:
        return ""
    return (
        f"The nearest is {_with_price(evidence[0])}; it is about a related matter, and may differ."
    )
