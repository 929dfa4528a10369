"""The pairs of factors that nobody has judged, and the verdicts that a language model proposes on
them. Pure.

A factor is something in the world that markets are about. A verdict says how two factors are
related. The review queue holds pairs that are not judged yet. It holds only pairs whose two factors
are joined by a path of the factor base (which factor drives which), and only if the installation's
catalogue has at least one event about each of the two factors. Pairs with the most events come
first. Proposals have the format of `knowledge/judged`. They change no answer until a person accepts
them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Final, Literal, NamedTuple

import msgspec
import numpy as np

from augury.llm.task import Control, Task, Unusable
from augury.relations.causal.judged import Code, PairVerdict, Side, side_of
from augury.relations.labels import DAYS, SIGN, Lag, shown_reason

if TYPE_CHECKING:
    from augury.relations.causal.judged import Judged
    from augury.relations.causal.parts import Factor
    from augury.relations.causal.paths import FactorGraph

OPEN: Final = "?"
"""In a file of proposed verdicts, the placeholder for a field that a person has to fill in."""
MAX_EXAMPLES: Final = 3
"""A pair of patterns stands for many pairs of factors (e.g. one for each team). The language model
is asked about the first of these pairs, and is given at most this many of the others as
examples."""


class UnjudgedPair(NamedTuple):
    """Two factors (things in the world that markets are about) whose relation nobody has judged; or
    two patterns, which stand for many such pairs of factors."""

    one: str
    """Key of the first factor, or of a pattern that stands for many factors (one for each team,
    country ...)."""
    other: str
    """Key of the second factor or, in a pair of patterns, of the second pattern."""
    side: Side
    examples: tuple[tuple[Factor, Factor], ...]
    """The pairs of factors for which a verdict on this pair will hold, those with the most events
    first. If `one` and `other` are factors, they are the only pair. If they are patterns, these are
    pairs of factors made from them (e.g. one pair for each team or country)."""
    events: int
    """Number of events of this installation for which a verdict on the pair matters. For two
    factors, it is the number of events about the first or about the second, whichever is smaller.
    For a pair of patterns, it is the sum of this number over all pairs of factors in
    `examples`."""

    @property
    def pair(self) -> tuple[str, str, Side]:
        """What identifies the pair: the keys of both factors in sorted order, and `side`. As in
        `PairVerdict.pair`, a key can be that of a pattern, which stands for many factors."""
        return (*sorted((self.one, self.other)), self.side)  # type: ignore[return-value]

    @property
    def title(self) -> str:
        """The names of both factors and the number of events about them, for people to read."""
        first, second = self.examples[0]
        more = f", and {len(self.examples) - 1} pairs like it" if len(self.examples) > 1 else ""
        return f"{first.name} | {second.name}{more} ({self.events} events)"

    @property
    def data(self) -> dict[str, object]:
        """What the language model is told about the pair of factors: their names, and what a rise
        of each means. A pair of patterns is described by the first pair of factors that it stands
        for. For each of these two factors, the names of at most `MAX_EXAMPLES` other factors made
        from the same pattern are added."""
        first, second = self.examples[0]
        also = self.examples[1 : MAX_EXAMPLES + 1]
        return {
            "first": first.name,
            "first_up": first.up,
            "first_also": list(dict.fromkeys(a.name for a, _ in also if a is not first)),
            "second": second.name,
            "second_up": second.up,
            "second_also": list(dict.fromkeys(b.name for _, b in also if b is not second)),
        }


def unjudged(
    factors: Sequence[Factor],
    graph: FactorGraph,
    judged: Judged,
    events: Mapping[int, int],
    proposed: Collection[tuple[str, str, Side]] = (),
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> list[UnjudgedPair]:
    """The pairs of factors (things in the world) that nobody has judged, although a path of the
    factor base joins them and events of this installation are about them; those with the most
    events first.

    Parameters
    ----------
    factors : all factors of the base, in the order of their ids
    graph : the edges and links between the factors
    judged : the verdicts that exist
    events : id of a factor -> number of events of this installation that are about it
    proposed : pairs that are already in a file of proposals; they are left out
    progress : called with the number of factors done and the number of factors in all
    """
    found: dict[tuple[str, str, Side], dict[tuple[int, int], int]] = defaultdict(dict)
    for nth, number in enumerate(sorted(events)):
        progress(nth, len(events))
        for other in _reached(graph, number):
            if other in events and not judged.around(number).codes[other]:
                one, two = _in_order(factors, number, other)
                sides = factors[one - 1].pattern, factors[two - 1].pattern
                side = side_of(factors[one - 1], factors[two - 1])
                found[(*sides, side)][one, two] = min(events[one], events[two])
    progress(len(events), len(events))
    touched = Counter(factors[number - 1].pattern for number in events)
    entities: dict[str, set[str | None]] = defaultdict(set)
    for number in events:
        entities[factors[number - 1].pattern].add(factors[number - 1].entity)
    queue: list[UnjudgedPair] = []
    for (one, other, side), pairs in found.items():
        shared = len(entities[one] & entities[other])
        as_patterns = 2 * len(pairs) >= _possible(
            touched[one], touched[other], shared, side, one == other
        )
        queue += _listed(factors, (one, other, side), pairs, as_patterns=as_patterns)
    waiting = set(proposed)
    queue = [pair for pair in queue if pair.pair not in waiting]
    return sorted(queue, key=lambda pair: (-pair.events, pair.one, pair.other, pair.side))


def _reached(graph: FactorGraph, number: int) -> list[int]:
    """Ids of the factors that are connected to the factor with the id `number` by a path of the
    factor base.

    Siblings are factors made from the same pattern, e.g. for other teams. A sibling that is related
    to the factor in no other way is left out, unless it is one of the first few
    (`paths.FIRST_SIBLINGS`).
    """
    reached = graph.reach([(number, 1.0)])
    return np.flatnonzero(reached.weights.any(axis=0) & reached.looked_up).tolist()


def _in_order(factors: Sequence[Factor], one: int, other: int) -> tuple[int, int]:
    def place(number: int) -> tuple[str, str]:
        return factors[number - 1].pattern, factors[number - 1].key

    return (one, other) if place(one) <= place(other) else (other, one)


def _possible(one: int, other: int, shared: int, side: Side, same_pattern: bool) -> int:
    """How many pairs can be formed of a factor made from one pattern and a factor made from another
    one. A factor counts only if there are events about it.

    one, other : number of such factors made from the first and from the second pattern
    shared : number of entities (teams, countries) for which both patterns have such a factor
    side : "same": only factors about the same entity form pairs; "other": only factors about
        different entities do; "": all do
    same_pattern : whether both patterns are the same
    """
    if side == "same":
        return shared
    if side == "other":
        return one * (one - 1) // 2 if same_pattern else one * other - shared
    return one * other


def _listed(
    factors: Sequence[Factor],
    ends: tuple[str, str, Side],
    pairs: Mapping[tuple[int, int], int],
    *,
    as_patterns: bool,
) -> Iterator[UnjudgedPair]:
    """The unjudged pairs of factors made from two patterns, in the form in which they are to be
    judged: all as one pair of patterns, or each pair of factors on its own.

    A pattern gives one factor for each entity (team, country ...) of a list. A verdict on a pair of
    patterns holds for all pairs of their factors.

    If `as_patterns` is True and `pairs` has several pairs, they are judged as one pair of patterns.
    Otherwise, each pair of factors is judged on its own. There are two exceptions:

    - Factors made from the same pattern are always judged as one pair of patterns.
    - If the two patterns are over different lists, each pair of factors is always judged on its
      own. For example, what holds for a bank and its own currency does not hold for other
      currencies.

    ends : keys of both patterns, and whether the two factors are about the same entity (`Side`)
    pairs : (id of a factor, id of the other factor) -> number of events about the pair
    as_patterns : whether `pairs` has at least half of the pairs that can be formed
    """
    one, other, side = ends
    examples = tuple(
        (factors[a - 1], factors[b - 1])
        for a, b in sorted(pairs, key=lambda pair: (-pairs[pair], pair))
    )
    of_two_lists = not side and all(factor.entity_list is not None for factor in examples[0])
    siblings = side == "other" and one == other
    if siblings or (as_patterns and len(pairs) > 1 and not of_two_lists):
        yield UnjudgedPair(one, other, side, examples, sum(pairs.values()))
        return
    for (a, b), events in pairs.items():
        both = factors[a - 1], factors[b - 1]
        yield UnjudgedPair(both[0].key, both[1].key, "", (both,), events)


# What the model is asked


class FactorPairAnswer(msgspec.Struct, forbid_unknown_fields=True):
    """A language model's answer on how two factors (things in the world) are related."""

    relation: Literal[
        "first_causes_second", "second_causes_first", "common_driver", "rival_or_parallel",
        "same_thing", "none",
    ]  # fmt: skip
    strength: Literal[0, 1, 2, 3]
    direction: Literal["same", "opposite", "unknown"]
    lag: Lag
    reason: Annotated[str, msgspec.Meta(min_length=1, max_length=200)]


CODE_OF: Final[Mapping[str, Code]] = {
    "first_causes_second": "effect", "second_causes_first": "cause", "common_driver": "driver",
    "rival_or_parallel": "rival", "same_thing": "part", "none": "none",
}  # fmt: skip
"""Relation of two factors, as a language model's answer states it -> code of the verdict, which
says what the second factor is to the first."""
_SIGN: Final = {1: "+", -1: "-", 0: "0"}


def _control(first: str, second: str, *relations: str) -> Control[FactorPairAnswer]:
    data = {
        "first": first, "first_up": f"more of: {first}", "first_also": [],
        "second": second, "second_up": f"more of: {second}", "second_also": [],
    }  # fmt: skip
    return Control(data, lambda answer: answer.relation in relations)


REVIEW: Final = Task(
    name="review",
    version=1,
    instructions=(
        "Say how two things that people bet on bear on each other. first_causes_second: bringing"
        " the first about would change the chance of the second, and not the other way round;"
        " second_causes_first: the reverse; common_driver: both follow from something else that"
        " drives them; rival_or_parallel: they compete, or are the same kind of thing elsewhere;"
        " same_thing: one is the other or a part of it; none: no real bearing. strength: 3 any"
        " expert names it first; 2 an expert reckons with it; 1 if the first stood at 50 percent,"
        " knowing the second would move it by a point at least; 0 only for none. direction: whether"
        " more of the one (first_up, second_up say what more means) goes with more (same) or less"
        " (opposite) of the other. lag: how long an effect takes. reason: one short plain sentence"
        " that names the mechanism, without numbers. first_also and second_also name others of the"
        " same kind: the answer must hold of them as well. In doubt choose none."
    ),
    answer=FactorPairAnswer,
    max_tokens=150,
    controls=(
        _control("Policy rate of a central bank", "Mortgage rates in that country",
                 "first_causes_second"),
        _control("Retail price of gasoline", "Price of crude oil", "second_causes_first"),
        _control("Best actor at a film award", "Snowfall in Norway this winter", "none"),
        _control("Drought in a wheat-growing country", "Price of wheat", "first_causes_second"),
        _control("Title of one chess champion", "Price of copper", "none"),
        _control("One team wins the league", "Another team wins the same league",
                 "rival_or_parallel"),
        _control("Home sales", "Home building", "common_driver", "first_causes_second",
                 "second_causes_first", "rival_or_parallel"),
        _control("A comet is discovered", "A minister of finance resigns", "none"),
        _control("Premiums for shipping insurance in a strait", "War near that strait",
                 "second_causes_first"),
        _control("A song leads the chart", "Unemployment in Canada", "none"),
    ),
)  # fmt: skip


def verdict(pair: UnjudgedPair, answer: FactorPairAnswer, judge: str) -> PairVerdict:
    """Turn a language model's answer on a pair of factors into a verdict.

    judge : who judged, as `judge_of` returns it

    Raises
    ------
    Unusable
        Relation and strength contradict each other, or the reason is not fit to be shown.
    """
    code = CODE_OF[answer.relation]
    if (code == "none") != (answer.strength == 0):
        raise Unusable(
            "relation and strength contradict each other: the strength must be 0 if the relation "
            'is "none", and above 0 otherwise'
        )
    if code == "none":
        return PairVerdict(pair.one, pair.other, pair.side, code, 0, "0", 0, judge)
    texts = [text for factor in pair.examples[0] for text in (factor.name, factor.up)]
    return PairVerdict(
        pair.one, pair.other, pair.side, code, answer.strength, _SIGN[SIGN[answer.direction]],
        DAYS[answer.lag] if code in ("cause", "effect") else 0, judge,
        shown_reason(answer.reason, texts),
    )  # fmt: skip


def judge_of(name: str, day: str, *, is_model: bool) -> str:
    """Who judged a pair of factors, and when, in the form of `PairVerdict.judge`: "NAME@DATE", with
    "model:" before the name of a language model, and hyphens in place of spaces."""
    return f"{'model:' if is_model else ''}{'-'.join(name.split())}@{day}"


# The file of proposals that a person reads

HEADER: Final = """\
# Proposed verdicts on pairs of factors. They count once you have accepted this file:
#   augury relations review --accept THIS_FILE
# First correct what is wrong. A pair whose line you delete is proposed again by the next review.
# Fields: A, side, code, strength, sign, days, judge, B, reason. The code says what B is to A:
# cause, effect, driver, rival, part or none. docs/factors.md describes the format.
"""


def proposal_lines(pair: UnjudgedPair, proposal: PairVerdict | str) -> str:
    """The two lines on a pair of factors in a file of proposed verdicts: the factors' names as a
    comment, and the verdict.

    proposal : the verdict to write; or a text that names the person who is to judge, in the form
        that `judge_of` returns. With a text, the verdict is left open for this person to fill in
    """
    if isinstance(proposal, str):
        fields = (pair.one, pair.side, OPEN, OPEN, OPEN, OPEN, proposal, pair.other, "")
        line = "\t".join(fields)
    else:
        line = proposal.line
    return f"# {' '.join(pair.title.split())}\n{line}\n"


def is_open(line: str) -> bool:
    """Whether a line in a file of proposed verdicts has fields that a person has to fill in."""
    return not line.startswith("#") and OPEN in line.split("\t")[2:6]


def open_pairs(text: str) -> Iterator[tuple[str, str, Side]]:
    """The pairs of factors whose verdict is still missing in a file of proposed verdicts. A person
    has to fill it in. `text`: the content of the file.

    Each pair has the form of `PairVerdict.pair`.
    """
    for line in filter(is_open, text.splitlines()):
        fields = line.split("\t")
        if len(fields) > 7:
            one, other = sorted((fields[0], fields[7]))
            yield one, other, fields[1]  # type: ignore[misc]
