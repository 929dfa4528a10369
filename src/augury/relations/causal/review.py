"""Pairs of factors that nobody has judged, and verdicts on them proposed by a language model. Pure.

A factor is something in the world that markets are about; a verdict says how two factors are
related. The queue holds pairs that a path of the factor base joins and that events of this
installation are about; the pairs with the most events come first. Proposals have the format of
`knowledge/judged`. A person has to check them; until then they change no answer.
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
"""Placeholder for a field that a person has to fill in, in a file of proposed verdicts."""
MAX_ALSO: Final = 3
"""A pair of patterns stands for many pairs of factors. The language model is told the first of
these pairs, and at most this many further ones as examples."""


class UnjudgedPair(NamedTuple):
    """Two factors (things in the world that markets are about), or two patterns that stand for many
    factors, whose relation nobody has judged."""

    one: str
    """Key of the first factor, or of a pattern that stands for many factors (one for each team,
    country ...)."""
    other: str
    side: Side
    examples: tuple[tuple[Factor, Factor], ...]
    """The pairs of factors that this pair stands for, those with the most events first. A pair of
    factors stands only for itself; a pair of patterns, for the pairs of factors made from them (one
    for each team, country ...)."""
    events: int
    """How many events of this installation the pair is about. For each pair of factors in
    `examples`, the events of each factor are counted, and the smaller number is taken; these
    numbers are summed."""

    @property
    def pair(self) -> tuple[str, str, Side]:
        """What identifies the pair, as in `PairVerdict.pair`: the keys of both factors (or
        patterns) in sorted order, and the side."""
        return (*sorted((self.one, self.other)), self.side)  # type: ignore[return-value]

    @property
    def title(self) -> str:
        """The names of both factors and the number of events, for people to read."""
        first, second = self.examples[0]
        more = f", and {len(self.examples) - 1} pairs like it" if len(self.examples) > 1 else ""
        return f"{first.name} | {second.name}{more} ({self.events} events)"

    @property
    def data(self) -> dict[str, object]:
        """What the language model is told about the pair: the names, what a rise of each factor
        means, and further examples of such pairs."""
        first, second = self.examples[0]
        also = self.examples[1 : MAX_ALSO + 1]
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
    """The pairs of factors that a path of the factor base joins, that events of this installation
    are about, and that nobody has judged; those with the most events first.

    Parameters
    ----------
    factors : all factors of the base, in the order of their numbers
    graph : the edges and links between the factors
    judged : the verdicts that exist
    events : number of a factor -> number of events of this installation that are about it
    proposed : pairs that are in a file of proposals already, which are left out
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
        alike = len(entities[one] & entities[other])
        whole = 2 * len(pairs) >= _possible(touched[one], touched[other], alike, side, one == other)
        queue += _listed(factors, (one, other, side), pairs, whole=whole)
    waiting = set(proposed)
    queue = [pair for pair in queue if pair.pair not in waiting]
    return sorted(queue, key=lambda pair: (-pair.events, pair.one, pair.other, pair.side))


def _reached(graph: FactorGraph, number: int) -> list[int]:
    """Numbers of the factors that a path of the factor base joins to factor number `number`. Most
    factors made from the same pattern (e.g. for other teams) are left out."""
    reached = graph.reach([(number, 1.0)])
    return np.flatnonzero(reached.weights.any(axis=0) & reached.far).tolist()


def _in_order(factors: Sequence[Factor], one: int, other: int) -> tuple[int, int]:
    def place(number: int) -> tuple[str, str]:
        return factors[number - 1].pattern, factors[number - 1].key

    return (one, other) if place(one) <= place(other) else (other, one)


def _possible(one: int, other: int, alike: int, side: Side, same_pattern: bool) -> int:
    """How many pairs the factors made from two patterns can form.

    one, other : how many of the factors made from the one and the other pattern have events
    alike : number of entities (teams, countries) for which both patterns have such a factor
    side : "same": only factors about the same entity are paired; "other": only those about
        different entities; "": all
    same_pattern : the two patterns are one and the same
    """
    if side == "same":
        return alike
    if side == "other":
        return one * (one - 1) // 2 if same_pattern else one * other - alike
    return one * other


def _listed(
    factors: Sequence[Factor],
    ends: tuple[str, str, Side],
    pairs: Mapping[tuple[int, int], int],
    *,
    whole: bool,
) -> Iterator[UnjudgedPair]:
    """The unjudged pairs between two patterns (`ends`): a single pair of patterns if `whole` (most
    pairs of their factors are joined), else each of `pairs` on its own.

    Two factors made from the same pattern always become a pair of patterns. Two patterns over
    different lists never do: what holds for a bank and its own currency does not hold for other
    currencies.

    pairs : (factor number, factor number) -> number of events
    """
    one, other, side = ends
    examples = tuple(
        (factors[a - 1], factors[b - 1])
        for a, b in sorted(pairs, key=lambda pair: (-pairs[pair], pair))
    )
    of_two_lists = not side and all(factor.kind is not None for factor in examples[0])
    siblings = side == "other" and one == other
    if siblings or (whole and len(pairs) > 1 and not of_two_lists):
        yield UnjudgedPair(one, other, side, examples, sum(pairs.values()))
        return
    for (a, b), events in pairs.items():
        both = factors[a - 1], factors[b - 1]
        yield UnjudgedPair(both[0].key, both[1].key, "", (both,), events)


# What the model is asked


class FactorPairAnswer(msgspec.Struct, forbid_unknown_fields=True):
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
"""A language model's answer on two factors -> code of the verdict. The code says what the second
factor is, seen from the first."""
_SIGN: Final = {1: "+", -1: "-", 0: "0"}


def _control(first: str, second: str, *relations: str) -> Control[FactorPairAnswer]:
    data = {
        "first": first, "first_up": f"more of: {first}", "first_also": [],
        "second": second, "second_up": f"more of: {second}", "second_also": [],
    }  # fmt: skip
    return Control(data, lambda said: said.relation in relations)


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

    Raises
    ------
    Unusable
        Relation and strength contradict each other, or the reason is not fit to be shown.
    """
    code = CODE_OF[answer.relation]
    if (code == "none") != (answer.strength == 0):
        raise Unusable("relation and strength contradict each other")
    if code == "none":
        return PairVerdict(pair.one, pair.other, pair.side, code, 0, "0", 0, judge)
    texts = [text for factor in pair.examples[0] for text in (factor.name, factor.up)]
    return PairVerdict(
        pair.one, pair.other, pair.side, code, answer.strength, _SIGN[SIGN[answer.direction]],
        DAYS[answer.lag] if code in ("cause", "effect") else 0, judge,
        shown_reason(answer.reason, texts),
    )  # fmt: skip


def judge_of(name: str, day: str, *, is_model: bool) -> str:
    """Who judged, and when, in the form of `PairVerdict.judge`: "NAME@DATE", with "model:" before
    the name of a language model, and hyphens in place of spaces."""
    return f"{'model:' if is_model else ''}{'-'.join(name.split())}@{day}"


# The text that a person reads

HEADER: Final = """\
# Judged pairs of factors, proposed; they count once they are accepted:
#   augury relations review --accept THIS_FILE
# Mend what is wrong; a pair whose line is deleted comes back with the next review.
# A, side, code, strength, sign, days, judge, B, reason; code is what B is, seen from A:
# cause, effect, driver, rival, part, none. docs/factors.md says more.
"""


def written(pair: UnjudgedPair, proposal: PairVerdict | str) -> str:
    """The two lines of a pair in a file of proposed verdicts: the names of its factors as a
    comment, then the verdict.

    proposal : the verdict; or the name of a judge, for a line that this judge has to fill in
    """
    if isinstance(proposal, str):
        fields = (pair.one, pair.side, OPEN, OPEN, OPEN, OPEN, proposal, pair.other, "")
        line = "\t".join(fields)
    else:
        line = proposal.line
    return f"# {' '.join(pair.title.split())}\n{line}\n"


def is_open(line: str) -> bool:
    """Whether a line in a file of proposed verdicts waits for a person to fill it in."""
    return not line.startswith("#") and OPEN in line.split("\t")[2:6]


def open_pairs(text: str) -> Iterator[tuple[str, str, Side]]:
    """The pairs (as `PairVerdict.pair`) in a file of proposed verdicts that a person still has to
    judge. `text`: what the file contains."""
    for line in filter(is_open, text.splitlines()):
        fields = line.split("\t")
        if len(fields) > 7:
            one, other = sorted((fields[0], fields[7]))
            yield one, other, fields[1]  # type: ignore[misc]
