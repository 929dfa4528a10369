"""What a forecast rests on: markets as they stood at one moment, and the role of each as
evidence."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Literal, NamedTuple

from augury.forecast.distribution import Distribution, chances
from augury.markets.records import Origin as MarketOrigin
from augury.markets.records import Platform

Role = Literal["direct", "bound", "proxy", "weak"]
"""The part that a market plays as evidence for one question.

- direct: the market asks the question itself, or its exact opposite;
- bound: logic puts the answer above or below the market's price;
- proxy: the market hints at the answer, but logic sets no bound;
- weak: the market only shares the question's subject.
"""


class Snapshot(NamedTuple):
    """A market as it was known at one moment, with the last price quoted up to that moment.

    In a replay, fields that are known only for the present (volume, liquidity, bid, ask) are None.
    """

    seq: int
    id: str
    platform: Platform
    question: str
    title: str
    subtitle: str | None
    description: str | None
    outcomes: list[str]
    event_id: str | None
    event_name: str | None
    group_id: str | None
    exclusive: bool | None
    market_type: str
    category: str | None
    created_at: datetime | None
    closes_at: datetime | None
    strike_kind: str | None
    strike_floor: float | None
    strike_cap: float | None
    url: str | None
    slug: str | None
    prices: list[float | None]
    """Price of each outcome as a probability; None where there was no quote."""
    price_at: datetime | None
    volume: float | None
    liquidity: float | None
    best_bid: float | None
    best_ask: float | None
    origin: MarketOrigin = "venue"
    digest: bytes | None = None
    words: bytes | None = None
    """What was read of the market's text (subject, level, deadline ...), packed by `words.packed`;
    valid only while `digest` equals `words.digest` of the market. None: not read yet."""

    def price(self, outcome: int) -> float | None:
        """Price of the market outcome with this index, as a probability; None without a quote. If
        the second of two outcomes has no quote, its price is 1 minus the price of the first."""
        if outcome < len(self.prices) and self.prices[outcome] is not None:
            return self.prices[outcome]
        if len(self.outcomes) == 2 and self.prices and self.prices[0] is not None:
            return round(1 - self.prices[0], 12)
        return None

    def current_prices(self) -> dict[str, float]:
        """Price by outcome label; outcomes without a price are left out."""
        priced = ((label, self.price(i)) for i, label in enumerate(self.outcomes))
        return {label: price for label, price in priced if price is not None}


@dataclass(frozen=True, slots=True)
class Evidence:
    """A market that is evidence for one question, with its role and its weight."""

    market: Snapshot
    outcome: int
    """Index of the market outcome whose price is used."""
    role: Role
    flipped: bool
    """Whether the market outcome speaks for No to the question, so that 1 minus its price counts:
    it asks the opposite, or it bounds the answer because the two exclude each other or one of them
    must come true."""
    probability: float
    """Probability of Yes to the question, 0 to 1, as the price of the market outcome implies it: 1
    minus the price if `flipped`."""
    age: float
    """Days since the market's price was quoted."""
    fit: float
    """How well the market matches the question, 0 to 1: a third of `Comparison.score`, cut off at 0
    and 1."""
    weight: float
    """How much the market counts in the estimate, 0 to 1. It depends on how well the market matches
    the question, on the age of its price, on its bid-ask spread and on how much it is traded. 0:
    the market is only shown."""
    relation: str
    """How the market relates to the question, in words: "its deadline is 3 days later"."""
    low: float = 0.0
    high: float = 1.0
    """`low` and `high`: lower and upper bound that logic puts on the answer, given this market
    alone, as probabilities. 0 and 1: no bound."""
    averaged: bool = True
    """For a market that asks the question itself: whether its price enters the average of such
    markets. False for markets that answer an open question ("who", "how many"): each of them prices
    another outcome."""

    @property
    def key(self) -> tuple[int, int]:
        """The market outcome: market number and index of the outcome, as `Bearing.key`."""
        return self.market.seq, self.outcome

    @property
    def counts(self) -> bool:
        """Whether the estimate rests on the market. False: the market is only shown."""
        return self.weight > 0

    @property
    def share(self) -> float | None:
        """The market's share, 0 to 1, in the average of the markets that ask the question itself.
        0: the market is only shown. None: the market counts, but its price is not averaged. It sets
        a bound, is a hint, or is on one possible answer to an open question ("Who will win?")."""
        averaged = self.averaged and self.role == "direct"
        return round(self.weight, 4) if averaged or not self.weight else None

    def shown(self) -> dict[str, Any]:
        """This piece of evidence as JSON data, for the event stream and for the table
        `forecasts`."""
        return {
            "market_id": self.market.id,
            "question": self.market.question,
            "role": self.role,
            "relation": self.relation,
            "flipped": self.flipped,
            "outcome": self.market.outcomes[self.outcome],
            "price": self.market.price(self.outcome),
            "price_as_of": self.market.price_at and self.market.price_at.isoformat(),
            "age_days": round(self.age, 4),
            "probability": self.probability,
            "low": self.low,
            "high": self.high,
            "fit": round(self.fit, 4),
            "weight": self.share,
        }


Origin = Literal["live", "sample", "replay"]
"""Where an answer comes from: present markets (live), the invented sample catalogue, or markets as
of an earlier moment (replay)."""

Grade = Literal["asked", "bounded", "hinted", "none"]
"""How an answer was found, best first: a market asks the question (asked); other markets bound the
answer by logic (bounded); a related market only hints at it (hinted); there is no answer (none).
"""

GRADES: Final[tuple[Grade, ...]] = ("asked", "bounded", "hinted", "none")

NullKind = Literal[
    "not_understood", "condition", "no_market", "stale_price", "closed", "decided", "open_question",
    "hint_only", "bounds_only", "doubtful",
]  # fmt: skip
"""Why a forecast has no probability:

- not_understood: the question names nothing that a market could be about;
- condition: the question depends on a condition (no market's price takes it into account), or asks
  for two things at once;
- no_market: no market is about the question;
- stale_price: a market asks the question, but was last priced too long ago;
- closed: a market asked the question, and has closed without a result so far;
- decided: a market asked the question, and has been decided;
- open_question: the question cannot be answered by yes or no;
- hint_only: the answer is only a hint, i.e. it rests only on a related market; such answers are
  given in words, without a probability;
- bounds_only: the answer rests only on markets on rivals of the contender in the question, and
  their prices leave less than `grade.MIN_LEFT_PROBABILITY` for that contender; such answers have
  not been reliable;
- doubtful: there is an answer, but too few answers that were made like it have been right
  (`trust.MIN_TRUST`).
"""


@dataclass(frozen=True, slots=True)
class NullReason:
    """Why a forecast has no probability, and what can be done about it."""

    kind: NullKind
    text: str
    """One or more sentences for people: why the forecast has no probability, and what to do about
    it."""
    market: Snapshot | None = None
    """The market that asks the question, or asked it before it closed; None: there is none."""
    price: float | None = None
    """Last price of `market`, turned into the probability of Yes to the question (1 minus the price
    if the market asks the opposite); None: not known."""
    price_at: datetime | None = None
    retry_as_of: datetime | None = None
    """Time of the last recorded price of `market`. The question can be answered if it is asked as
    of this time. None: there is no such price."""


@dataclass(frozen=True, slots=True)
class Rejected:
    """A market that was compared with the question and not used, with the reason (`why`)."""

    market: Snapshot
    why: str


@dataclass(frozen=True, slots=True)
class Estimate:
    """The answer that the markets give to a question, before it is put into a response. If it has
    no probability, `error` says why."""

    evidence: tuple[Evidence, ...]
    """The markets on which the estimate rests, and some that are only shown (weight 0)."""
    probability: float | None = None
    lower: float | None = None
    upper: float | None = None
    confidence: float = 0.0
    distribution: Distribution | None = None
    reasoning: str = ""
    error: str | None = None
    fallbacks: tuple[str, ...] = ()
    decisive: Evidence | None = None
    """Of the markets that ask the question itself, the one with the largest weight. Its result
    decides whether the forecast was right. None: no market asks the question."""
    rejected: tuple[Rejected, ...] = ()
    """The markets nearest to the question that were compared with it and not used."""
    null: NullReason | None = None
    """Why there is no probability. None if there is one; also None while the service has not yet
    looked for the cause."""
    warnings: tuple[str, ...] = ()
    """Cautions for readers of the estimate, one sentence each."""
    limits: tuple[float, float] | None = None
    """Lower and upper bound that several markets together put on the probability of Yes, e.g. by
    the sum of their prices. None: each market sets its own bounds (`Evidence.low` and
    `Evidence.high`)."""
    trust: float | None = None
    """Probability, 0 to 1, that the answer is right, computed from how it was made (`trust`). None:
    it was not computed, e.g. because the question is a market's title."""
    signs: tuple[float, ...] | None = None
    """The numbers, named in `trust.SIGNS`, from which `trust` was computed."""

    @property
    def grade(self) -> Grade:
        """How the estimate was found, by the roles of the markets with a weight above 0: `hinted`
        if one of these markets is a proxy or weak; else `bounded` if one is a bound; else `asked`.
        `none`: there is no answer."""
        if self.probability is None and not self.distribution:
            return "none"
        roles = {one.role for one in self.evidence if one.counts}
        if "proxy" in roles or "weak" in roles:
            return "hinted"
        if "bound" in roles:
            return "bounded"
        return "asked" if roles else "none"

    @property
    def bounds(self) -> tuple[float, float]:
        """Lower and upper bound on the probability of Yes to the question: `limits` if it is set.
        Otherwise, they are the tightest bounds set by the markets with the role `bound` and a
        weight above 0. If these contradict each other (lower above upper), the two are swapped."""
        if self.limits is not None:
            return self.limits
        counted = [one for one in self.evidence if one.counts and one.role == "bound"]
        low = max((one.low for one in counted), default=0.0)
        high = min((one.high for one in counted), default=1.0)
        return min(low, high), max(low, high)

    def count(self, *roles: Role) -> int:
        """How many of the markets in `evidence` have one of these roles."""
        return sum(one.role in roles for one in self.evidence)

    @property
    def profile(self) -> str:
        """Which roles the markets in `evidence` have, as one of the API's names:

        - direct_only: all markets ask the question itself;
        - direct_mixed: some ask it, others do not;
        - proxy_only: none asks it; at least one bounds the answer or hints at it;
        - weak_only: all only share the question's subject;
        - none: there are no markets.
        """
        direct, others = self.count("direct"), self.count("bound", "proxy", "weak")
        if direct:
            return "direct_mixed" if others else "direct_only"
        if self.count("bound", "proxy"):
            return "proxy_only"
        return "weak_only" if others else "none"

    def shown(self) -> dict[str, Any]:
        """The estimate as JSON data, for the event stream."""
        return {
            "probability": self.probability,
            "lower": self.lower,
            "upper": self.upper,
            "confidence": self.confidence,
            "distribution": chances(self.distribution) if self.distribution else None,
            "profile": self.profile,
            "grade": self.grade,
        }


def answer_bounds(estimate: Estimate) -> tuple[float, float]:
    """Lower and upper bound on the estimate's probability. Both are the probability itself, unless
    the grade is `bounded`: then prices of other markets set the bounds."""
    if estimate.grade == "bounded":
        return estimate.bounds
    return estimate.probability or 0.0, estimate.probability or 0.0
