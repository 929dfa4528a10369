"""Labels: which pairs of events a language model is asked to relate, how it is asked, and which of
its answers count. Pure.

Logic and the factor base take precedence: the model is not asked about a pair that one of them
relates, and a label is not used once logic relates its pair. A label says what tends to move what,
never that one thing implies another.
"""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Final, Literal, NamedTuple

import msgspec

from augury.llm.task import Control, Task, Unusable, plain
from augury.logic.relate import relate
from augury.propositions.proposition import Proposition
from augury.search.related import Relation

if TYPE_CHECKING:
    from augury.markets.store import StoredMarket
    from augury.relations.store import LabelRelation, LabelRow

WEIGHT: Final = {"proposed": 0.2, "confirmed": 0.6}
"""Weight (0 to 1) of a language model's label, by its status: small until the operator confirms the
label, then the weight of an edge of strength 2 (of 3). Rejected labels are not used. Chosen by
hand."""
A_FACTOR: Final = 6
"""Events with the same main factor (a thing in the world, e.g. a policy rate) are paired with each
other for the language model: at most this many events of each factor, the most traded ones."""

LEAST_WORDS: Final = 4
"""Smallest number of words of a reason that a language model gives for its answer. An answer with a
shorter reason is not used."""

Lag = Literal["none", "hours", "days", "weeks", "months", "years"]
DAYS: Final[dict[Lag, int]] = {
    "none": 0, "hours": 0, "days": 3, "weeks": 14, "months": 60, "years": 365,
}  # fmt: skip
SIGN: Final = {"same": 1, "opposite": -1, "unknown": 0}


class Label(msgspec.Struct, forbid_unknown_fields=True):
    relation: Literal["first_causes_second", "second_causes_first", "correlated", "none"]
    direction: Literal["same", "opposite", "unknown"]
    lag: Lag
    reason: Annotated[str, msgspec.Meta(min_length=1, max_length=200)]


def _control(first: str, second: str, *relations: str) -> Control[Label]:
    return Control(_asked(first, second), lambda said: said.relation in relations)


def _asked(first: str, second: str) -> dict[str, str]:
    return {"first": plain(first), "second": plain(second)}


_BOTH: Final = ("first_causes_second", "correlated")

LABEL: Final = Task(
    name="label",
    version=1,
    instructions=(
        "Say how two events bear on each other. first_causes_second: bringing the first about would"
        " change the chance of the second, and not the other way round; second_causes_first: the"
        " reverse; correlated: learning the one would change what is expected of the other, with no"
        " clear arrow; none: no real bearing. direction: whether more of the one goes with more"
        " (same) or less (opposite) of the other. lag: how long an effect takes. reason: one short"
        " plain sentence without numbers."
    ),
    answer=Label,
    max_tokens=120,
    controls=(
        _control("Will a frost hit the coffee belt of Arvandia in July?",
                 "Will coffee futures close above their record in August?", *_BOTH),
        _control("Will the Falcons win the handball cup?", "Will a new comet be named in May?",
                 "none"),
        _control("Will the ferry to Norport sink?", "Will the finance minister of Selva resign?",
                 "none"),
        _control("Will unemployment in Arvandia rise above 8 %?",
                 "Will Arvandia's central bank cut its rate?", *_BOTH),
        _control("Will bakers in Novara vote for a strike?",
                 "Will Lena Ortiz win the chess olympiad?", "none"),
        _control("Will the airline Norjet go bankrupt?",
                 "Will jet fuel double in price?", "second_causes_first", "correlated"),
        _control("Will Lake Mira freeze over this winter?", "Will Orbit Labs hire a new auditor?",
                 "none"),
        _control("Will the Reform Party win the election in Selva?",
                 "Will Haruto Abe of the Reform Party become prime minister of Selva?", *_BOTH),
        _control("Will a film about lighthouses win best picture?",
                 "Will copper trade above its record?", "none"),
        _control("Will a ceasefire hold at the Norport strait?",
                 "Will insurance for ships through the Norport strait become cheaper?", *_BOTH),
    ),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Lead:
    """The market that stands for its event (the most traded one, as a rule) when a language model
    is asked about the event."""

    market: StoredMarket
    event: int
    stages: int | None
    """Hash that is equal for all events on one contest, whatever stage or finishing place they are
    about (`events.Place.stages`); None for events that are not on a contest."""
    factors: tuple[int, ...]
    """Numbers of the factors (things in the world, e.g. a policy rate) that the market is about,
    best fitting first."""
    proposition: Proposition

    @property
    def text(self) -> str:
        return self.market.question


class LeadPair(NamedTuple):
    """Two events that a language model is asked about, each given by the market that stands for it,
    in the alphabetical order of the markets' questions."""

    first: Lead
    second: Lead

    @property
    def key(self) -> bytes:
        """Digest of the questions of both markets and of the version of the model's task: equal for
        two pairs of markets with the same questions."""
        parts = (str(LABEL.version), self.first.text, self.second.text)
        return hashlib.sha256("\x1f".join(parts).encode()).digest()

    @property
    def data(self) -> dict[str, str]:
        return _asked(self.first.text, self.second.text)


def pairs(
    leads: Sequence[Lead],
    moving: Sequence[tuple[str, str]],
    near: Callable[[int], set[int]],
) -> Iterator[LeadPair]:
    """Pairs of events worth asking a language model about, the most promising first, each once.

    leads : the markets that stand for the most traded events, the most traded first
    moving : ids of pairs of markets that move together, the strongest correlation first
    near : from a factor's number, the numbers of the factors directly related to it in the factor
        base; a pair of events about two such factors is left out, since it is known to be related
    """
    by_id = {lead.market.id: lead for lead in leads}
    seen: set[bytes] = set()
    found = [(by_id[a], by_id[b]) for a, b in moving if a in by_id and b in by_id]
    found += _of_one_factor(leads)
    for one, other in found:
        pair = LeadPair(*sorted((one, other), key=lambda lead: (lead.text, lead.market.id)))
        if pair.key in seen or _alike(one, other) or _related(one, other, near):
            continue
        if undecided(one, other):
            seen.add(pair.key)
            yield pair


def _of_one_factor(leads: Sequence[Lead]) -> list[tuple[Lead, Lead]]:
    busiest: dict[int, list[Lead]] = defaultdict(list)
    for lead in leads:
        for factor in lead.factors[:1]:
            if len(busiest[factor]) < A_FACTOR:
                busiest[factor].append(lead)
    rounds = [
        (i + j, one, other)
        for members in busiest.values()
        for i, one in enumerate(members)
        for j, other in enumerate(members[:i])
    ]
    rounds.sort(key=lambda found: found[0])  # first the two most traded events of every factor
    return [(one, other) for _, one, other in rounds]


def undecided(one: Lead, other: Lead) -> bool:
    """Whether nothing relates two markets yet: they belong to different events and contests, ask
    different questions, are not linked as the same contract, and no logical relation is known."""
    if one.event == other.event or (one.stages is not None and one.stages == other.stages):
        return False
    if other.market.id in one.market.linked_market_ids or one.text == other.text:
        return False
    return relate(one.proposition, other.proposition) == "none"


def _alike(one: Lead, other: Lead) -> bool:
    """Whether two markets have at least half of the terms of the shorter question in common. Each
    market would then be a direct result of a search for the other one."""
    ours, theirs = one.proposition.terms, other.proposition.terms
    return 2 * len(ours & theirs) >= min(len(ours), len(theirs))


def _related(one: Lead, other: Lead, near: Callable[[int], set[int]]) -> bool:
    """Whether an edge or link of the factor base joins any factor of one market to any factor of
    the other market."""
    theirs = set(other.factors)
    return any(near(factor) & theirs for factor in one.factors)


_URL: Final = re.compile(r"https?:|www\.|[/@\\{}<>|`\[\]_]|\.[^\W\d]{2,}")
_NUMBER: Final = re.compile(r"\d+")


def reason(label: Label, pair: LeadPair) -> str:
    """The reason that a language model gives in its label, as one sentence that is fit to be shown.

    Raises
    ------
    Unusable
        The reason has a web address or markup, names a number that is in neither event's text, or
        says nothing: it has fewer than `LEAST_WORDS` words or only repeats one of these texts.
    """
    return shown_reason(label.reason, [lead.text for lead in pair])


def shown_reason(text: str, about: Sequence[str]) -> str:
    """A model's reason (`text`) why the things named in `about` are related, as one sentence that
    is fit to be shown.

    Raises
    ------
    Unusable
        The reason has a web address or markup, names a number that `about` does not have, or says
        nothing: it has fewer than `LEAST_WORDS` words or only repeats one of the names.
    """
    told = plain(text, 200)
    words = told.casefold().rstrip(" .?!").split()
    said = " ".join(words)
    if len(words) < LEAST_WORDS or any(said in named.casefold() for named in about):
        raise Unusable("the reason is too short, or only repeats one of the two texts or names")
    numbers = set(_NUMBER.findall(" ".join(about)))
    if _URL.search(told) or set(_NUMBER.findall(told)) - numbers:
        raise Unusable("the reason contains a URL, or a number that the events do not mention")
    return told if told.endswith((".", "!", "?", "…")) else f"{told}."


def relation(label: Label) -> LabelRelation:
    """How the first event is related to the second by a language model's label, as the value that
    the database stores: "first_causes_second" -> "causes"."""
    match label.relation:
        case "first_causes_second":
            return "causes"
        case "second_causes_first":
            return "caused_by"
        case other:
            return other


class Tie(NamedTuple):
    """A market that is related to the question because a language model's label relates it to a
    market on the question itself."""

    seq: int
    relation: Relation
    """Relation of the market to the question: upstream (a cause), downstream (an effect) or
    correlated."""
    weight: float
    sign: int
    lag_days: int
    told: str
    """Why the market is related to the question, in the language model's words, with the model's
    name and whether the operator has confirmed the label."""
    factor: int
    """Number of the factor (a thing in the world, e.g. a policy rate) that the market is most
    about; 0 if it is about none."""


_INVERSE: Final[Mapping[LabelRelation, LabelRelation]] = {
    "causes": "caused_by", "caused_by": "causes", "correlated": "correlated", "none": "none",
}  # fmt: skip
_SEEN_AS: Final[Mapping[LabelRelation, Relation]] = {
    "causes": "downstream", "caused_by": "upstream", "correlated": "correlated",
}  # fmt: skip


def tie(row: LabelRow, other: Lead, *, asked_first: bool) -> Tie:
    """A language model's label (`row`) says how two markets are related. If a question is about one
    of them, this returns how the other market is related to the question.

    other : the other market, with its event and factors
    asked_first : True if the question is about the first market of the label, False if it is about
        the second
    """
    seen = row.relation if asked_first else _INVERSE[row.relation]
    confirmed = "confirmed" if row.status == "confirmed" else "not confirmed"
    return Tie(
        seq=other.market.seq,
        relation=_SEEN_AS[seen],
        weight=WEIGHT[row.status],
        sign=row.sign,
        lag_days=row.lag_days,
        told=f"{row.reason} (Suggested by a language model, {row.model}; {confirmed}.)",
        factor=other.factors[0] if other.factors else 0,
    )
