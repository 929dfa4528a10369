"""Why a forecast has no probability, worded so that its reader can act on it. Pure.

The reasons are tried in this order: the question depends on a condition; it was not understood; a
market asks it, but its price is old, it has closed, or it has been decided; no market is about it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from augury.forecast import compound, explain
from augury.forecast.evidence import Estimate, NullKind, NullReason, Snapshot
from augury.forecast.normalize import Reading
from augury.markets.records import Status
from augury.propositions.windows import has_ended

REPLACEABLE: Final = frozenset({"no_market", "not_understood"})
"""Reasons (`NullKind`) for a missing probability that give way to a more specific one. If a market
asks the question, but is closed, decided or without a recent price, the forecast says that
instead."""


@dataclass(frozen=True, slots=True)
class PastMarket:
    """A market as it was known at one moment in the past. It may then have been open, closed or
    resolved."""

    market: Snapshot
    """The market with its last known price, however old. If it never had a price, the price is set
    to 0.5."""
    status: Status
    resolution: str | None
    resolved_at: datetime | None
    priced_at: datetime | None
    """Time of the last price that the market had while it was open, even if this price was not
    recorded in the price history; None if it never had a price."""
    recorded_at: datetime | None
    """Time of the last price in the price history that was recorded while the market was open: the
    latest `as_of` with which the question can still be answered from this market. None if no price
    was recorded then."""


def with_reason(estimate: Estimate, kind: NullKind, text: str) -> Estimate:
    """A copy of the estimate without its probability, with a reason why there is none: `kind` for
    programs, `text` for people."""
    return explained(estimate, NullReason(kind, text))


def explained(estimate: Estimate, reason: NullReason) -> Estimate:
    """A copy of the estimate without its probability. `reason` (why there is none) becomes its
    error, its reasoning and its null reason."""
    return replace(
        estimate, probability=None, lower=None, upper=None, confidence=0.0, decisive=None,
        error=reason.text, reasoning=reason.text, null=reason,
    )  # fmt: skip


def is_understood(reading: Reading) -> bool:
    """Whether a question, as it was understood, names anything that a market could be about."""
    return bool(reading.proposition.terms)


def is_over(reading: Reading, at: datetime) -> bool:
    """Whether the time that a question asks about has certainly ended on the day of `at`. False for
    questions that name no time or a vague one."""
    return has_ended(reading.proposition.window, at.date())


def over(reading: Reading, estimate: Estimate) -> Estimate:
    """The estimate for a question about a time that is over. It has no probability, because open
    markets are about later times. The list of rejected markets is taken from `estimate`."""
    end = reading.proposition.window.end
    day = f" ({end - timedelta(days=1)})" if end else ""
    text = (
        f"The time that the question asks about is over{day}, and no market is known that asked it."
        " Ask about a time to come, or as of a time before."
    )
    empty = Estimate(evidence=(), rejected=estimate.rejected, fallbacks=("no_relevant_market",))
    return with_reason(empty, "no_market", text)


def not_understood() -> str:
    return (
        "The question was not understood: it names nothing that a market could be about."
        ' Ask about an event, with names and a date, e.g. "Will the Fed cut rates by March 2027?"'
    )


def conditional(condition: str) -> str:
    return (
        f"The question depends on a condition ({explain.quoted(condition)}), and market prices do"
        " not take it into account. Ask without the condition, or ask about the condition itself."
    )


def two_acts(act: str) -> str:
    return (
        f"The question asks for more than one thing at once (also {explain.quoted(act)})."
        " Ask one thing at a time."
    )


def private(whose: str) -> str:
    return (
        f"The question is about a private matter ({explain.quoted(whose)}), and no market is about"
        " that. Ask about a public event."
    )


def reason_not_answered(asked: Estimate, known: PastMarket, at: datetime) -> NullReason:
    """Why there is no answer although a market asks the question: the market is decided, closed, or
    has no recent price. Worded for the person who asked.

    asked : the estimate made as if the market were open at its last price
    known : the market, as it was known at `at`
    """
    market = known.market
    name = f"{market.id} {explain.quoted(market.question)}"
    lead = asked.decisive
    at_price, retry = known.priced_at, known.recorded_at
    price = lead.probability if lead is not None and at_price is not None else None
    again = f" For an answer as of then, ask with as_of={explain.moment(retry)}." if retry else ""
    if known.status == "resolved":
        when = known.resolved_at or market.closes_at
        result = f" as {explain.quoted(known.resolution)}" if known.resolution else ""
        day = f" on {explain.day(when)}" if when else ""
        text = f"This was decided{day}: {name} resolved{result}.{_last(price, at_price)}{again}"
        return NullReason("decided", text, market, price, at_price, retry)
    if known.status == "closed" or (market.closes_at is not None and market.closes_at <= at):
        day = f" on {explain.day(market.closes_at)}" if market.closes_at else ""
        text = (
            f"A market asked this and closed{day}; its result is not known yet: {name}."
            f"{_last(price, at_price)}{again}"
        )
        return NullReason("closed", text, market, price, at_price, retry)
    if at_price is None or price is None:
        text = f"A market asks this, but it has never had a price: {name}."
        return NullReason("stale_price", text, market)
    days = max(1, round((at - at_price).total_seconds() / 86_400))
    text = (
        f"A market asks this, but its last price is {days} days old, too old for an answer as of"
        f" now: {name} gave {explain.percent(price)} on {explain.day(at_price)}.{again}"
    )
    return NullReason("stale_price", text, market, price, at_price, retry)


def _last(price: float | None, at: datetime | None) -> str:
    if price is None or at is None:
        return ""
    return f" Its last price before that gave {explain.percent(price)} ({explain.day(at)})."


_NOTHING: Final = Estimate(evidence=(), fallbacks=("no_relevant_market",))


def depending(question: str) -> Estimate | None:
    """The estimate for a question with a condition ("if ..."), whatever the markets say: it has a
    reason and no probability. None if the question has no condition."""
    condition = compound.condition(question)
    if condition is None:
        return None
    return with_reason(_NOTHING, "condition", conditional(condition))


def blocked(reading: Reading, *, is_split: bool) -> Estimate | None:
    """The estimate for a question about two things at once, or about a private matter, if no market
    surely asks it (`trust.asks_whole`): it has a reason and no probability. None for other
    questions.

    is_split : whether the two things can be answered one by one
    """
    if not is_split:
        act = compound.second_act(reading.effective) or compound.second_act(reading.core)
        if act is not None:
            return with_reason(_NOTHING, "condition", two_acts(act))
    if (whose := compound.private_subject(reading.asking or reading.core)) is not None:
        return with_reason(_NOTHING, "no_market", private(whose))
    return None
