"""Groups markets into events, and links markets that are the same contract on two venues. Pure.

An event is a set of markets that belong together. It is made from two kinds of groups, called
nodes: the venue's own events, and families, i.e. markets with related texts (the levels of one
quantity, the deadlines of one happening, the contenders of one contest, one game). Groups that
share a market become one event, except that two events of one venue are never joined (`assign`). In
this way a family joins events of different venues, and markets that their venue puts into no event
get one.

A link has stricter conditions: both markets assert the same or the exact opposite
(`augury.logic.relate`), and they are decided by the same facts (`_same_source`). For example, their
rules must name the same weather station for a temperature.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Hashable, Iterable, Sequence
from datetime import date
from itertools import product
from typing import Final, Literal, NamedTuple, Protocol

import msgspec

from augury.logic.relate import relate
from augury.markets.records import PLATFORMS, Platform
from augury.propositions.proposition import AMOUNTS, CONTESTS, Proposition
from augury.propositions.reading import Readable, read_market
from augury.propositions.windows import window
from augury.propositions.written_dates import written_dates
from augury.search.text import fold
from augury.search.text import terms as text_terms

Kind = Literal["game", "ladder", "deadlines", "contest", "venue_event", "single"]
"""What ties the markets of an event together, the closest tie first. game: they are on one game;
ladder: on levels of one quantity; deadlines: on deadlines of one happening; contest: on one
contest; venue_event: only their venue lists them together; single: the event has one market."""

CODE_VERSION: Final = "1"
"""Version of the code that reads markets, groups them into events, and links the same contracts of
two venues. Raise it when that code changes: all events and links are then built again."""


class Listed(Readable, Protocol):
    """The fields of a market that are needed to find its event and the same contract on another
    venue. `store.IndexRow` and `store.StoredMarket` have them."""

    @property
    def seq(self) -> int: ...
    @property
    def platform(self) -> Platform: ...
    @property
    def description(self) -> str | None: ...


class Placement(NamedTuple):
    """What a market asserts, to which event it belongs, and with which markets of another venue it
    can be linked as the same contract."""

    proposition: Proposition
    kind: Kind
    nodes: tuple[str, ...]
    """Names of the groups of markets that this market belongs to: its venue's event, and the family
    that its text puts it into (e.g. the levels of one quantity). Never empty. Groups that share a
    market become one event."""
    key: int | None
    """Hash that is equal for markets that could be the same contract on different venues; None if
    the market can't be linked with another venue's market."""
    contest_hash: int | None
    """Hash of a contest and its year. All markets on the contest's stages or finishing places
    ("reach the final", "win", "finish second") have the same hash. None for other markets."""


class Link(NamedTuple):
    """A market on Polymarket and a market on Kalshi that assert the same thing or exact
    opposites."""

    polymarket_seq: int
    """Number of the Polymarket market in Augury's database."""
    kalshi_seq: int
    """Number of the Kalshi market in Augury's database."""
    inverted: bool
    """Whether Yes of one market is No of the other."""


def place(market: Listed) -> Placement:
    """Read what a market asserts, and determine to which event it belongs and with which markets of
    another venue it can be linked."""
    p = read_market(market)
    family = _family(p)
    nodes: list[str] = []
    if market.event_id:
        nodes.append(f"{market.platform}:{market.event_id}")
    kind: Kind = "venue_event" if nodes else "single"
    if family is not None:
        kind = family[0]
        nodes.append(f"{kind}:{_digest(family):x}")
    if not nodes:
        nodes.append(f"market:{market.seq}")
    return Placement(p, kind, tuple(nodes), _key(p, market), _contest_hash(p))


def _family(p: Proposition) -> tuple[Kind, *tuple[Hashable, ...]] | None:
    """What identifies the family of a market (the levels of one quantity, the contenders of one
    contest ...): a tuple that is equal for all its markets and begins with the kind of family. None
    if the market's text says too little to determine the family.

    p : what the market asserts
    """
    w = p.window
    if p.unclear or not p.terms:
        return None
    if p.fixture:
        return ("game", p.contest, w.start) if w.kind == "on" and len(p.contest) > 1 else None
    if p.predicate in CONTESTS:
        if not p.contest or not p.choice or p.edition is None:
            return None
        day = (w.start, w.end) if w.kind in ("in", "on") and w.precision != "year" else ()
        return "contest", p.predicate, p.contest, p.edition, p.stage, p.threshold, *day
    if p.predicate in AMOUNTS:
        if w.kind == "open" or w.vague:
            return None
        way = p.threshold.direction if p.threshold and p.predicate == "touches" else ""
        return "ladder", p.predicate, way, p.terms, w.kind, w.start, w.end, w.clock
    if p.predicate == "rises" or w.kind not in ("by", "in") or len(p.terms) < 2:
        return None
    return "deadlines", p.predicate, p.terms


def _contest_hash(p: Proposition) -> int | None:
    if p.predicate not in ("wins", "advances", "ranks") or p.fixture:
        return None
    if not p.contest or p.edition is None:
        return None
    return _digest((p.contest, p.edition))


def _key(p: Proposition, market: Listed) -> int | None:
    """`Placement.key`: a hash of the words and the time of what the market asserts (`p`). It is
    equal for two markets that can be the same contract by the rules of `augury.logic`. None if the
    market can't be linked with another venue's market."""
    if p.unclear or not p.terms or len(market.outcomes) != 2:
        return None
    w = p.window
    when = p.edition if p.predicate in CONTESTS else None
    if p.fixture or (p.predicate not in CONTESTS and w.kind != "open"):
        when = w.start if w.kind == "after" else w.end
    return _digest((p.terms, when))


def _digest(parts: Sequence[Hashable]) -> int:
    """A hash of `parts`, in [0, 2**63), that is the same in every process. If one of the parts is a
    frozenset, the order of its elements does not matter."""
    text = "\x1e".join(
        "\x1f".join(sorted(part)) if isinstance(part, frozenset) else str(part) for part in parts
    )
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest()) >> 1


# Events


class Event(msgspec.Struct):
    """An event (markets that belong together) while it is put together from groups of markets."""

    id: int | None
    """Id of the event in the database; None until it is stored."""
    nodes: set[str]
    """Names of the groups of markets (`Placement.nodes`) that were joined into this event. A group
    is an event of a venue, a family (e.g. the levels of one quantity), or a market on its own."""
    venues: dict[str, str]
    """Venue -> name of the node (group of markets) that is the venue's own event."""


def assign(markets: Iterable[Sequence[str]], events: dict[str, Event]) -> None:
    """For one market after the other, join all groups that the market belongs to into one event.
    Changes `events` in place.

    Exception: two events that a venue itself lists separately never become one, because the venue
    may have reasons for this that its texts do not show. So two groups stay apart if they are
    already joined with two different events of the same venue.

    markets : for each market, the names of its groups (`Placement.nodes`)
    events : name of a group -> the event that it is a part of
    """
    for nodes in markets:
        for node in nodes:
            if node not in events:
                events[node] = Event(None, {node}, venue_of(node))
        first = events[nodes[0]]
        for node in nodes[1:]:
            other = events[node]
            if other is first or any(
                first.venues.get(v, name) != name for v, name in other.venues.items()
            ):
                continue
            # The stored event is kept, so that ids do not change.
            kept, gone = (other, first) if first.id is None else (first, other)
            kept.nodes |= gone.nodes
            kept.venues |= gone.venues
            for moved in gone.nodes:
                events[moved] = kept
            first = kept


def venue_of(node: str) -> dict[str, str]:
    venue = node.partition(":")[0]
    return {venue: node} if venue in PLATFORMS else {}


# Links


def links(placed: Sequence[tuple[Listed, Placement]]) -> list[Link]:
    """The links between markets on Polymarket and on Kalshi that assert the same or the exact
    opposite. All markets in `placed` must have the same `Placement.key`."""
    by_venue: dict[str, list[tuple[Listed, Placement]]] = {"polymarket": [], "kalshi": []}
    for market, where in placed:
        by_venue[market.platform].append((market, where))
    found: list[Link] = []
    for (a, one), (b, other) in product(by_venue["polymarket"], by_venue["kalshi"]):
        relation = relate(one.proposition, other.proposition)
        if relation in ("equivalent", "complement") and _same_source(a, b, one.proposition):
            found.append(Link(a.seq, b.seq, relation == "complement"))
    return found


_COIN_TERMS: Final = frozenset(
    "bitcoin ethereum solana ripple dogecoin bnb hyperliquid cardano litecoin avalanch".split()
)


def _same_source(a: Listed, b: Listed, p: Proposition) -> bool:
    """Whether two markets that assert the same, or the exact opposite, are also decided by the same
    facts. The conditions depend on what the markets are about:

    - a level of the weather: the rules of both markets name the same weather station;
    - a level of a coin's price: the first market's text names a time of day;
    - whether an event happens: the deadlines in the two rules and in `p` do not differ, and the
      rules agree on whether an announcement is enough. If such an event can happen repeatedly, e.g.
      a visit, both markets were also opened at about the same time (`_MAX_OPENING_GAP_DAYS`);
    - anything else: no condition.

    p : what the first market asserts
    """
    if p.predicate in _HAPPENINGS:
        one, other = a.description or "", b.description or ""
        if bool(_ANNOUNCED.search(one)) != bool(_ANNOUNCED.search(other)):
            return False  # the announcement is enough for one of the two
        if p.terms & _REPEATABLE_TERMS and not _opened_together(a, b):
            return False  # it may have happened before one of the two was asked
        ends = {end for rules in (one, other) if (end := _day_after_deadline(rules, p)) is not None}
        return len(ends) < 2 and (not ends or p.window.end is None or p.window.end in ends)
    if p.predicate != "value" or p.threshold is None:
        return True
    if p.threshold.unit == "degrees" or p.contest & {"temperatur", "rain", "snow", "wind"}:
        stations = _station(a.description), _station(b.description)
        return stations[0] is not None and stations[0] == stations[1]
    # A coin has another price every minute, so the text has to say which time of day counts.
    return not p.terms & _COIN_TERMS or p.window.clock is not None


_REPEATABLE_TERMS: Final = frozenset(
    text_terms("meet visit strike speak talk attend test fly post say")
)
_MAX_OPENING_GAP_DAYS: Final = 45
"""Two markets on something that can happen repeatedly, e.g. a visit, are linked as the same
contract only if they were opened at most this many days apart. Markets opened further apart may
mean different visits (`docs/experiments/relations-links.md`)."""


def _opened_together(a: Listed, b: Listed) -> bool:
    if a.created_at is None or b.created_at is None:
        return False
    return abs((a.created_at - b.created_at).days) <= _MAX_OPENING_GAP_DAYS


_HAPPENINGS: Final = frozenset({"happens", "leaves", "announces", "says"})
_ANNOUNCED: Final = re.compile(r"\b(?:announc\w+|intent(?:ion)?\s+to|agrees?\s+to)\b", re.I)
_DEADLINE_CHARACTERS: Final = 400
"""A deadline is looked for in the first part of a market's resolution rules, this many characters
long; the rest of the rules is about exceptions."""


def _day_after_deadline(rules: str, p: Proposition) -> date | None:
    """The day after the deadline that a market's resolution rules name; None if they name none.

    p : what the market asserts. If the deadline has no year, it gets the year that brings it
        nearest to the end of this proposition's window
    """
    start = rules[:_DEADLINE_CHARACTERS].split("therwise")[0]
    found = [m for m in written_dates(start, p.window.end) if m.relation in ("by", "before")]
    return window(found[:1], start, anchor=p.window.end).end if found else None


_STATION: Final = re.compile(
    r"\b(?:recorded|measured|observed|reported)\s+(?:at|in|by)\s+(?:the\s+)?(?P<at>[^,.;]{3,60}?)"
    r"(?:\s+(?:weather\s+)?station|\s+airport|,|\s+for\b|\s+on\b|\s+in\s+degrees|\s+as\b|\.)",
    re.I,
)


def _station(description: str | None) -> str | None:
    """The place, e.g. a weather station, where the value that decides a market is measured,
    according to the market's resolution rules (`description`); None if they name no place."""
    found = _STATION.search(description or "")
    return " ".join(fold(found["at"]).split()) if found else None
