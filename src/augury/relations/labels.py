"""Labels, i.e. a language model's answers on how two events are related: which pairs of events the
model is asked about, how it is asked, and which of its answers count. Pure.

Logic and the factor base (what drives what, written by people) take precedence. If logic or the
factor base already relates two events, the model is not asked about them. If logic comes to relate
two events after they were labeled, their label is no longer used. A label says what tends to move
what, never that one thing implies another.
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
"""How much (0 to 1) a language model's label (its answer on how two events are related) counts, by
the operator's decision on it (`LabelStatus`). A confirmed label counts as much as an edge of
strength 2 (of 3) in the factor base. Rejected labels are not used. Chosen by hand."""
MAX_EVENTS_PER_FACTOR: Final = 6
"""The language model is asked about pairs of events that have the same main factor (a thing in the
world, e.g. a policy rate). For each factor, at most this many events are paired with each other:
the most traded ones."""

MIN_REASON_WORDS: Final = 4
"""An answer of the language model is used only if the reason that it gives has at least this many
words."""

Lag = Literal["none", "hours", "days", "weeks", "months", "years"]
"""How long an effect takes, in the words of a language model's answer."""
DAYS: Final[dict[Lag, int]] = {
    "none": 0, "hours": 0, "days": 3, "weeks": 14, "months": 60, "years": 365,
}  # fmt: skip
"""Time that an effect takes, as the language model words it -> number of days that is stored.
Chosen by hand."""
SIGN: Final = {"same": 1, "opposite": -1, "unknown": 0}
"""Direction in a language model's answer -> sign: +1 if more of the first thing goes with more of
the second, -1 if more of the first goes with less of the second, 0 if unknown."""


class Label(msgspec.Struct, forbid_unknown_fields=True):
    """A language model's answer on how two events are related: the relation, whether more of one
    goes with more or less of the other (`direction`), how long an effect takes (`lag`), and why."""

    relation: Literal["first_causes_second", "second_causes_first", "correlated", "none"]
    direction: Literal["same", "opposite", "unknown"]
    lag: Lag
    reason: Annotated[str, msgspec.Meta(min_length=1, max_length=200)]


def _control(first: str, second: str, *relations: str) -> Control[Label]:
    return Control(_task_data(first, second), lambda answer: answer.relation in relations)


def _task_data(first: str, second: str) -> dict[str, str]:
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
    """The market that stands for an event when a language model is asked about the event: usually
    its most traded market."""

    market: StoredMarket
    event: int
    contest_hash: int | None
    """Hash of the contest that the event is about. All events on that contest have the same hash,
    whatever stage or finishing place they are about (`events.Placement.contest_hash`). None for an
    event that is not about a contest."""
    factors: tuple[int, ...]
    """Ids of the factors (things in the world, e.g. a policy rate) that the market is about, best
    fitting first."""
    proposition: Proposition

    @property
    def text(self) -> str:
        return self.market.question


class LeadPair(NamedTuple):
    """Two events that a language model is asked about. Each is represented by one market; the
    markets are in the alphabetical order of their questions."""

    first: Lead
    second: Lead

    @property
    def key(self) -> bytes:
        """Hash of both markets' questions and of the version of the model's task. Two pairs of
        markets with the same questions have the same key, so that the model is asked only once."""
        parts = (str(LABEL.version), self.first.text, self.second.text)
        return hashlib.sha256("\x1f".join(parts).encode()).digest()

    @property
    def data(self) -> dict[str, str]:
        return _task_data(self.first.text, self.second.text)


def pairs(
    leads: Sequence[Lead],
    moving: Sequence[tuple[str, str]],
    near: Callable[[int], set[int]],
) -> Iterator[LeadPair]:
    """Pairs of events worth asking a language model about, each once, the most promising first.
    Pairs that the factor base or logic already relates are left out.

    leads : one market for each of the most traded events, the most traded first
    moving : pairs of ids of markets whose prices move together, the strongest correlation first
    near : function that returns, for the id of a factor, the ids of the factors that an edge or
        link of the factor base joins to it
    """
    by_id = {lead.market.id: lead for lead in leads}
    seen: set[bytes] = set()
    found = [(by_id[a], by_id[b]) for a, b in moving if a in by_id and b in by_id]
    found += _of_one_factor(leads)
    for one, other in found:
        pair = LeadPair(*sorted((one, other), key=lambda lead: (lead.text, lead.market.id)))
        if pair.key in seen or _alike(one, other) or _related(one, other, near):
            continue
        if not_yet_related(one, other):
            seen.add(pair.key)
            yield pair


def _of_one_factor(leads: Sequence[Lead]) -> list[tuple[Lead, Lead]]:
    busiest: dict[int, list[Lead]] = defaultdict(list)
    for lead in leads:
        for factor in lead.factors[:1]:
            if len(busiest[factor]) < MAX_EVENTS_PER_FACTOR:
                busiest[factor].append(lead)
    rounds = [
        (i + j, one, other)
        for members in busiest.values()
        for i, one in enumerate(members)
        for j, other in enumerate(members[:i])
    ]
    rounds.sort(key=lambda found: found[0])  # first the two most traded events of every factor
    return [(one, other) for _, one, other in rounds]


def not_yet_related(one: Lead, other: Lead) -> bool:
    """Whether two markets are unrelated as far as is known: they belong to different events and
    contests, ask different questions, are not linked as the same contract on two venues, and
    neither implies or excludes the other."""
    if one.event == other.event or (
        one.contest_hash is not None and one.contest_hash == other.contest_hash
    ):
        return False
    if other.market.id in one.market.linked_market_ids or one.text == other.text:
        return False
    return relate(one.proposition, other.proposition) == "none"


def _alike(one: Lead, other: Lead) -> bool:
    """Whether two markets share at least half of the terms of the shorter question. A search for
    one of them would then find the other as a direct result (a market on the question itself), so
    a language model need not be asked."""
    ours, theirs = one.proposition.terms, other.proposition.terms
    return 2 * len(ours & theirs) >= min(len(ours), len(theirs))


def _related(one: Lead, other: Lead, near: Callable[[int], set[int]]) -> bool:
    """Whether the factor base already relates two markets: an edge (one drives the other) or a link
    (both move together) joins any factor (thing in the world) of one market to any factor of the
    other."""
    theirs = set(other.factors)
    return any(near(factor) & theirs for factor in one.factors)


_URL: Final = re.compile(r"https?:|www\.|[/@\\{}<>|`\[\]_]|\.[^\W\d]{2,}")
_NUMBER: Final = re.compile(r"\d+")


def reason(label: Label, pair: LeadPair) -> str:
    """The reason that a language model gives in its label, as one sentence that is fit to be shown.

    Raises
    ------
    Unusable
        The reason contains a URL or markup, or a number that neither market's question mentions; or
        it has fewer than `MIN_REASON_WORDS` words; or it only repeats a part of one question.
    """
    return shown_reason(label.reason, [lead.text for lead in pair])


def shown_reason(text: str, about: Sequence[str]) -> str:
    """A language model's reason (`text`) why two things are related, as one sentence that is fit to
    be shown.

    about : the texts that the model was given on the two things: the questions of two markets, or
        the names of two factors and what a rise of each means

    Raises
    ------
    Unusable
        The reason contains a URL or markup, or a number that `about` does not mention; or it has
        fewer than `MIN_REASON_WORDS` words; or it only repeats a part of one of the texts.
    """
    sentence = plain(text, 200)
    words = sentence.casefold().rstrip(" .?!").split()
    wording = " ".join(words)
    if len(words) < MIN_REASON_WORDS or any(wording in given.casefold() for given in about):
        raise Unusable(
            f"the reason has fewer than {MIN_REASON_WORDS} words, or only repeats what the "
            "language model was told about one of the two markets or factors"
        )
    numbers = set(_NUMBER.findall(" ".join(about)))
    if _URL.search(sentence) or set(_NUMBER.findall(sentence)) - numbers:
        raise Unusable(
            "the reason contains a URL or markup, or a number that is not in what the language "
            "model was told about the two markets or factors"
        )
    return sentence if sentence.endswith((".", "!", "?", "…")) else f"{sentence}."


def relation(label: Label) -> LabelRelation:
    """The relation of the first event to the second by a language model's label, in the form that
    the database stores: "first_causes_second" -> "causes"."""
    match label.relation:
        case "first_causes_second":
            return "causes"
        case "second_causes_first":
            return "caused_by"
        case other:
            return other


class LabeledMarket(NamedTuple):
    """A market that is related to the question because a language model's label (its answer on how
    two events are related) joins it to a market on the question itself."""

    seq: int
    """The market's number in the database (column `seq`)."""
    relation: Relation
    """Relation of the market to the question: upstream (a cause), downstream (an effect) or
    correlated."""
    weight: float
    """How much the label counts, 0 to 1 (`WEIGHT`)."""
    sign: int
    """+1 if this market and the market on the question become more likely together, -1 if one
    becomes less likely when the other becomes more likely, 0 if unknown."""
    lag_days: int
    reason: str
    """Why the market is related to the question, in the language model's words, with the model's
    name and whether the operator has confirmed the label."""
    factor: int
    """Id of the factor (a thing in the world, e.g. a policy rate) that the market is most about; 0
    if it is about none."""


_INVERSE: Final[Mapping[LabelRelation, LabelRelation]] = {
    "causes": "caused_by", "caused_by": "causes", "correlated": "correlated", "none": "none",
}  # fmt: skip
_SEEN_AS: Final[Mapping[LabelRelation, Relation]] = {
    "causes": "downstream", "caused_by": "upstream", "correlated": "correlated",
}  # fmt: skip


def labeled_market(row: LabelRow, other: Lead, *, asked_first: bool) -> LabeledMarket:
    """Of the two markets that a language model's label relates, one is on the question itself. This
    returns how the other one is related to the question.

    row : the label
    other : the other market, with its event and factors
    asked_first : True if the label's first market is the one on the question, False if its second
        is
    """
    seen = row.relation if asked_first else _INVERSE[row.relation]
    confirmed = "confirmed" if row.status == "confirmed" else "not confirmed"
    return LabeledMarket(
        seq=other.market.seq,
        relation=_SEEN_AS[seen],
        weight=WEIGHT[row.status],
        sign=row.sign,
        lag_days=row.lag_days,
        reason=f"{row.reason} (Suggested by a language model, {row.model}; {confirmed}.)",
        factor=other.factors[0] if other.factors else 0,
    )
