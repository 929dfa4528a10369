"""Properties that answers must have however a question is worded, tested with the titles of a
catalogue. Pure.

A title asked verbatim must get its own market's price; negated, 1 minus that price. Negating twice,
other capitals, quotes, "please" or "what are the odds that" must change nothing. If market A
directly answers the title of market B, market B must directly answer the title of market A, too.
What is right follows from these rules alone; no answer is judged by hand.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Final, Literal

from augury.forecast.engine import Engine
from augury.forecast.evidence import Estimate, Snapshot
from augury.forecast.normalize import normalize
from augury.markets.records import Market

Verdict = Literal["own", "inverted", "other", "null"]
"""Verdict on an answer. own: its probability is the right price; inverted: it is 1 minus the right
price; other: it is any other number; null: there is none. Differences of at most `RIGHT_WITHIN` do
not count."""

OWN_PRICE: Final = 0.13
"""The tests ask a market's title as a question, and give the market this invented price (as a
probability). This price, 1 minus it (the right answer to the opposite question) and `OTHERS_PRICE`
are far apart, so that an answer shows from which one it comes."""
OTHERS_PRICE: Final = 0.41
"""The tests ask a market's title as a question, and give the other markets of its event this
invented price (as a probability). It is far from `OWN_PRICE`, the price of the market itself, so
that an answer shows from which price it comes."""
MAX_SIBLINGS: Final = 12
"""A market's title is asked as a question twice: with no other markets in the catalogue, and with
at most this many other markets of the same event."""
RIGHT_WITHIN: Final = 0.005
"""An answer counts as right if it differs from the right price by at most this (as a
probability)."""
OPENED: Final = datetime(2026, 4, 18, 12, tzinfo=UTC)
"""The tests ask each market's title as a question, as if at a moment that depends on the market
(`moment`). This constant is the moment for markets whose close and opening time are both unknown.
It is fixed, so that every run asks the same questions at the same moments."""


@dataclass(slots=True)
class Tally:
    """The result of testing one property that answers must have. `counts`: how many tests gave each
    verdict. `broken`: the failed tests, each as a text with its verdict and its question (or its
    pair of questions)."""

    counts: Counter[str] = field(default_factory=Counter)
    broken: list[str] = field(default_factory=list)

    @property
    def n(self) -> int:
        return self.counts.total()

    def add(self, verdict: str, question: str, *, right: str = "own") -> None:
        self.counts[verdict] += 1
        if verdict != right:
            self.broken.append(f"{verdict}: {question}")

    def shown(self) -> dict[str, object]:
        """How often each verdict was given, and the number of all verdicts as `n`, as JSON data."""
        return {"n": self.n, **dict(sorted(self.counts.items()))}


def snapshot(market: Market, number: int, price: float, at: datetime) -> Snapshot:
    """The market as if it had been quoted at `price`, a probability, at the moment `at`. `number`:
    the market number that it gets."""
    strike = market.strike
    return Snapshot(
        seq=number, id=market.id, platform=market.platform, question=market.question,
        title=market.title, subtitle=market.subtitle, description=market.description,
        outcomes=list(market.outcomes), event_id=market.event_id, event_name=market.event_name,
        group_id=None, exclusive=None, market_type="binary", category=market.category,
        created_at=market.created_at, closes_at=market.closes_at,
        strike_kind=strike.kind if strike else None, strike_floor=strike.floor if strike else None,
        strike_cap=strike.cap if strike else None, url=market.url, slug=market.slug,
        prices=[price, round(1 - price, 6)], price_at=at, volume=None, liquidity=None,
        best_bid=None, best_ask=None,
    )  # fmt: skip


def moment(market: Market) -> datetime:
    """The as-of moment for asking a market's title as a question: 30 days before the market closes.
    If the market opened less than 30 days before its close, the moment halfway between the two. If
    it has no close, its opening or, if that is unknown, `OPENED`."""
    if market.closes_at is None:
        return market.created_at or OPENED
    asked = market.closes_at - timedelta(days=30)
    if market.created_at is not None and asked < market.created_at:
        asked = market.created_at + (market.closes_at - market.created_at) / 2
    return asked


def is_binary(market: Market) -> bool:
    """Whether a market's outcomes are Yes and No."""
    return tuple(label.casefold() for label in market.outcomes) == ("yes", "no")


# Wordings

_VERBS: Final = frozenset(
    """be win reach hit have make get take announce release say become close finish leave cut
    raise lower hold launch sign pass strike invade capture enter go lose beat visit meet ban
    approve acquire buy sell join return remain stay resign end fall drop rise drop exceed surpass
    call file report post host attend play perform star score advance qualify confirm nominate
    endorse pardon run declare recognize recognise withdraw open buy issue publish win's vote
    happen occur form break fail dip touch trade settle increase decrease retain keep list ipo
    deploy test send deliver fire charge convict arrest impeach extradite rule overturn uphold
    agree normalize normalise stop start begin attack agree control seize secure lead rank place
    appear feature drop top gain receive earn marry divorce date engage build mention tweet use
    change move face give see default collapse survive expand impose remove lift repeal veto
    extend renew cancel complete land fly name appoint replace step serve testify plead admit
    block allow require pay donate join merge split delist depeg flip mine burn airdrop""".split()
)
_AUXILIARY: Final = re.compile(r"Will\s+")


@dataclass(frozen=True, slots=True)
class Clause:
    """The two parts of a title "Will S V ...?": the subject S, and the rest from the verb V on."""

    subject: str
    rest: str

    @property
    def stated(self) -> str:
        """The clause as a statement: S will V ..."""
        return f"{self.subject} will {self.rest}"


def clause(title: str) -> Clause | None:
    """Subject and rest of a title in the form "Will S V ...?"; None for other titles, or if the
    verb V is not known."""
    if " — " in title or title.count("?") > 1 or not (found := _AUXILIARY.match(title)):
        return None
    rest = title[found.end() :]
    words = rest[: max(1, len(rest.rstrip().rstrip("?").rstrip()))].split(" ")
    for place, word in enumerate(words):
        if place and word in _VERBS and words[place - 1] not in ("to", "and", "or", "the", "a"):
            return Clause(" ".join(words[:place]), " ".join(words[place:]))
    return None


def rewordings(title: str, parts: Clause | None) -> Iterator[tuple[str, str]]:
    """Other wordings of the question that a title asks, with the same meaning, as pairs of (name of
    the change, wording).

    parts : the two parts of the title (`clause`). None: the title could not be split, and only
        changes that need no parts are made
    """
    yield "upper case", title.upper()
    yield "lower case", title.lower()
    yield "no question mark", title.replace("?", "")
    yield "in quotes", f'"{title}"'
    yield "typographic quotes", f"“{title}”"
    if title.startswith("Will "):
        yield "please", f"Please tell me: {title[0].lower()}{title[1:]}"
        yield "odds", f"Odds: {title}"
    if parts is not None:
        yield "odds that", f"What are the odds that {parts.stated}?"
        yield "is it true", f"Is it true that {parts.stated}?"
        yield "chance", f"What's the chance {parts.stated}?"


def denied(parts: Clause) -> Iterator[tuple[str, str]]:
    """Questions that ask the opposite of a title, as pairs of (name of the way to deny it,
    question), e.g. ("not", "Will S not V ...?")."""
    yield "not", f"Will {parts.subject} not {parts.rest}?"
    yield "NOT", f"Will {parts.subject} NOT {parts.rest}?"
    yield "false", f"Is it false that {parts.stated}?"
    yield "isn't", f"{parts.subject} isn't going to {parts.rest}?"
    yield "no way", f"Is there no way that {parts.stated}?"
    yield "untrue", f"Is it not true that {parts.stated}?"


def denied_twice(parts: Clause) -> Iterator[tuple[str, str]]:
    """Deny a title twice, so that the question asks the same as the title. Yields pairs (name of
    the wording, question), e.g. ("false not", "Is it false that S will not V ...?")."""
    yield "false not", f"Is it false that {parts.subject} will not {parts.rest}?"
    yield "wrong not", f"Is it wrong to say that {parts.subject} will not {parts.rest}?"


# Properties


def judged(found: Estimate, right: float) -> Verdict:
    """Compare the probability that an answer gave with the right one, `right`: "own" if they are
    the same, "inverted" if it is 1 minus `right`, "other" if it is any other number, "null" if the
    answer gave none."""
    p = found.probability
    if p is None:
        return "null"
    if abs(p - right) <= RIGHT_WITHIN:
        return "own"
    return "inverted" if abs(p - (1 - right)) <= RIGHT_WITHIN else "other"


class EventCatalogue:
    """Yes/No markets, and for each of them its siblings: the other markets of the same event."""

    def __init__(self, markets: Iterable[Market]) -> None:
        self.markets = [m for m in markets if is_binary(m)]
        self._events: dict[tuple[str, str], list[Market]] = {}
        for m in self.markets:
            if m.event_id:
                self._events.setdefault((m.platform, m.event_id), []).append(m)

    def siblings(self, market: Market) -> list[Market]:
        """At most `MAX_SIBLINGS` other markets of the event of `market`, without those with the
        same title."""
        of = self._events.get((market.platform, market.event_id or ""), [])
        others = [m for m in of if m is not market and m.question != market.question]
        return others[:MAX_SIBLINGS]


def ask(engine: Engine, question: str, market: Market, beside: Sequence[Market] = ()) -> Estimate:
    """The engine's answer to a question if there are no markets but `market`, at the price
    `OWN_PRICE`, and those in `beside`, each at the price `OTHERS_PRICE`."""
    at = moment(market)
    known = [snapshot(market, 0, OWN_PRICE, at)]
    known += [snapshot(other, n, OTHERS_PRICE, at) for n, other in enumerate(beside, 1)]
    return engine.answer(normalize(question, at), known, at)


def verbatim(
    engine: Engine, catalogue: EventCatalogue, markets: Iterable[Market]
) -> dict[str, Tally]:
    """Test whether each title, asked as it stands, gets its own market's price: alone, and among
    the other markets of its event. Returns the verdicts by name of the test: "alone" and
    "siblings", or "who alone" and "who siblings" for titles followed by the name of an outcome."""
    found = {name: Tally() for name in ("alone", "siblings", "who alone", "who siblings")}
    for market in markets:
        kind = "who " if " — " in market.question else ""
        alone = judged(ask(engine, market.question, market), OWN_PRICE)
        found[f"{kind}alone"].add(alone, market.question)
        if beside := catalogue.siblings(market):
            among = judged(ask(engine, market.question, market, beside), OWN_PRICE)
            found[f"{kind}siblings"].add(among, market.question)
    return found


def reworded(engine: Engine, markets: Sequence[Market]) -> dict[str, Tally]:
    """Test whether forecasts stay right when a market's title is asked in other wordings.
    Rephrased, or denied twice, the title should get the market's own price; denied once, 1 minus
    that price. Returns for each wording ("lower case", "denied: not" ...) how often the answer got
    each verdict of `judged`: the right price, 1 minus it, another one or none."""
    found: dict[str, Tally] = {}
    for market in markets:
        parts = clause(market.question)
        for name, question in rewordings(market.question, parts):
            verdict = judged(ask(engine, question, market), OWN_PRICE)
            found.setdefault(name, Tally()).add(verdict, question)
        if parts is None:
            continue
        for name, question in denied(parts):
            verdict = judged(ask(engine, question, market), 1 - OWN_PRICE)
            found.setdefault(f"denied: {name}", Tally()).add(verdict, question)
        for name, question in denied_twice(parts):
            verdict = judged(ask(engine, question, market), OWN_PRICE)
            found.setdefault(f"denied twice: {name}", Tally()).add(verdict, question)
    return found


def bearing(found: Estimate) -> tuple[str, bool]:
    """The role (e.g. "direct") of the first market in an answer's evidence, and whether this market
    asks the opposite of the question; ("none", False) if the answer has no probability or no
    evidence."""
    if found.probability is None or not found.evidence:
        return "none", False
    return found.evidence[0].role, found.evidence[0].flipped


def symmetric(engine: Engine, pairs: Iterable[tuple[Market, Market]]) -> Tally:
    """Test that forecasts treat the two markets of a pair alike. The title of each market is asked
    as a question, and the other market is the only one that can answer. The answer is direct if
    that market is found to ask the same as the title, or its exact opposite. A pair passes if
    neither answer is direct. It also passes if both are direct and agree on whether the markets ask
    the same or the opposite. In the result, `counts["own"]` is the number of pairs that passed, and
    `counts["other"]` the number that failed."""
    tally = Tally()
    for a, b in pairs:
        there, back = bearing(ask(engine, a.question, b)), bearing(ask(engine, b.question, a))
        if "direct" not in (there[0], back[0]):
            tally.add("own", "")
        elif there != back:
            tally.add("other", f"{a.question} / {b.question}: {there} {back}")
        else:
            tally.add("own", "")
    return tally
