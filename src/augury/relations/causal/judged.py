"""Verdicts on pairs of factors: whether and how two factors are related. Pure.

A factor is something in the world that markets are about. A verdict comes from one or two readers,
who judged the pair without seeing the edges of the factor base (which factor drives which). The
verdicts are in `knowledge/judged/*.tsv`; `docs/factors.md` describes the format. A verdict can also
be on two patterns: a pattern stands for many factors, one for each entity of a list (of teams, of
countries).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from augury.relations.causal.parts import Factor

Code = Literal["cause", "effect", "driver", "rival", "part", "none"]
"""What factor B is to factor A (things in the world that markets are about), according to a verdict
on the two. cause: B drives A; effect: A drives B; driver: a third factor drives both; rival: they
are rivals or parallel cases; part: they are the same thing, or one is a part of the other; none:
they are unrelated."""
Side = Literal["", "same", "other"]
"""Which pairs of factors a verdict on two patterns covers. A pattern gives one factor for each
entity of a list (e.g. for each team). If both patterns use the same list, the verdict may cover
only some of the pairs. `same`: those of two factors on the same team; `other`: those of two factors
on different teams. Empty: the verdict covers all pairs."""

CODES: Final[tuple[Code, ...]] = ("cause", "effect", "driver", "rival", "part", "none")
SIDES: Final[tuple[Side, ...]] = ("", "same", "other")
REVERSED_CODE: Final[dict[Code, Code]] = {"cause": "effect", "effect": "cause"}
"""A verdict has a code for what factor B is to factor A. If the two factors are exchanged, a code
that is a key here becomes its value; all other codes stay as they are."""


@dataclass(frozen=True, slots=True)
class PairVerdict:
    """A verdict on how factor B is related to factor A (things in the world that markets are
    about)."""

    one: str
    """Key of factor A, the pair's first factor. In a verdict on patterns: key of a pattern, which
    stands for many factors (one for each team, country ...)."""
    other: str
    """Key of factor B, the pair's second factor. If the verdict is on two patterns, each of which
    stands for many factors, it is the key of the second pattern."""
    side: Side
    code: Code
    """What factor B (`other`) is to factor A (`one`): its cause, its effect ..."""
    strength: int
    """Strength of the relation. 3: first-order; 2: clear, second-order; 1: weak but real; 0:
    unrelated."""
    sign: str
    """"+" if factor B tends to rise when factor A rises, "-" if factor B tends to fall, "0" if it
    may do either or the two are unrelated."""
    days: int
    """Typical number of days from cause to effect; 0 if neither drives the other."""
    judge: str
    """Who judged the pair. In the files shipped with this version, each letter names a reader. Two
    letters name two readers who gave this verdict: the first two, or one of them and a third who
    settled their difference. In an operator's own file, `NAME@DATE` for a person and
    `model:NAME@DATE` for a language model."""
    reason: str = ""

    @property
    def pair(self) -> tuple[str, str, Side]:
        """What identifies the pair of factors: both keys in sorted order, and `side`. Two verdicts
        on the same pair have the same value, even if factor A of one is factor B of the other.

        A key can be that of a pattern, which stands for many factors. `side` then says for which
        pairs of these factors the verdict holds.
        """
        return (*sorted((self.one, self.other)), self.side)  # type: ignore[return-value]

    @property
    def is_own(self) -> bool:
        """Whether the verdict was added by the operator of this installation, and not shipped with
        this version."""
        return "@" in self.judge

    @property
    def readers(self) -> int:
        """Number of readers (people or language models) who judged the pair of factors: 1 or 2."""
        return 1 if self.is_own else len(self.judge)

    @property
    def line(self) -> str:
        """The verdict as a line of a verdict file, in the form that the function `read` parses."""
        if self.code == "none":
            return "\t".join((self.one, self.side, "none", self.judge, self.other))
        return "\t".join(
            (self.one, self.side, self.code, str(self.strength), self.sign, str(self.days),
             self.judge, self.other, self.reason)
        )  # fmt: skip

    def from_other_side(self) -> PairVerdict:
        """The same verdict with factors A and B exchanged: a cause becomes an effect."""
        return PairVerdict(
            self.other, self.one, self.side, REVERSED_CODE.get(self.code, self.code), self.strength,
            self.sign, self.days, self.judge, self.reason,
        )  # fmt: skip


def read(name: str, text: str, problems: list[str]) -> Iterator[PairVerdict]:
    """Read the verdicts on pairs of factors A and B from the content (`text`) of the file `name`.
    Messages on lines that can't be read are added to `problems`.

    A line has the fields A, side, code, strength, sign, days, judge, B, reason, separated by tabs.
    The code says what B is to A (`Code`). A and B can also be patterns, each of which stands for
    many factors (e.g. one for each team). The side then says which pairs of these factors the
    verdict covers (`Side`). If the code is "none" (A and B are unrelated), the strength is 0.
    Several such verdicts on one A may share a short line, with the fields A, side, "none", judge,
    and all Bs separated by spaces.
    """
    for number, line in enumerate(text.splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        fields = line.split("\t")
        if len(fields) >= 3 and fields[1] in SIDES and fields[2] in CODES:
            found = list(_verdicts(fields))
        else:
            found = []
        yield from found
        if not found:
            problems.append(
                f"{name}, line {number}: not a verdict: {line[:80]!r}. docs/factors.md describes "
                "the format of verdicts on factors."
            )


def _verdicts(fields: Sequence[str]) -> Iterator[PairVerdict]:
    one, side, code = fields[0], cast("Side", fields[1]), cast("Code", fields[2])
    if code == "none" and len(fields) == 5:
        for other in fields[4].split():
            yield PairVerdict(one, other, side, "none", 0, "0", 0, fields[3])
    elif len(fields) == 9:
        strength, sign, days, judge, other, reason = fields[3:]
        strengths = {"0"} if code == "none" else {"1", "2", "3"}
        if strength in strengths and sign in {"+", "-", "0"} and days.isdecimal():
            yield PairVerdict(
                one, other, side, code, int(strength), sign, int(days), judge, reason
            )  # fmt: skip


class Around(NamedTuple):
    """The verdicts on all pairs of one given factor (thing in the world) with other factors: two
    arrays, indexed by the id of the other factor."""

    codes: NDArray[np.int8]
    """Shape (factors + 1,), indexed by the id of the other factor: a number for the verdict on the
    pair. It is the position of the verdict's code in `CODES`, counted from 1, or 0 if nobody judged
    the pair. This factor itself has `SELF_CODE`."""
    strengths: NDArray[np.int8]
    """Shape (factors + 1,), indexed by factor id: how strongly that factor and this one are
    related, 0 to 3, according to the verdict on the pair. 0 if nobody judged the pair. This factor
    itself has 3."""


SELF_CODE: Final = len(CODES) + 1
"""Value in `Around.codes` for a factor paired with itself, on which there is no verdict."""
FACTORS_KEPT: Final = 512
"""A cache keeps, for at most this many factors, the verdicts on all pairs with the factor
(`Around`). They take about 15 kB for each factor."""


class Judged:
    """All verdicts on how pairs of factors (things in the world that markets are about) are
    related, looked up by the ids of the factors: their positions in the factor base, from 1."""

    def __init__(self, verdicts: Iterable[PairVerdict], factors: Sequence[Factor]) -> None:
        self._factors = factors
        self._touching: dict[str, list[PairVerdict]] = defaultdict(list)
        for verdict in verdicts:
            self._touching[verdict.one].append(verdict)
            self._touching[verdict.other].append(verdict.from_other_side())
        self._numbers: dict[str, list[int]] = defaultdict(list)
        for number, factor in enumerate(factors, 1):
            self._numbers[factor.key].append(number)
            if factor.pattern != factor.key:
                self._numbers[factor.pattern].append(number)
        self.around = lru_cache(maxsize=FACTORS_KEPT)(self._around)

    def verdict(self, one: int, other: int) -> PairVerdict | None:
        """The verdict on what the factor with the id `other` is to the factor with the id `one`;
        None if nobody judged the pair.

        Many factors are made from a pattern (one for each team, country ...). A verdict on the two
        factors themselves takes precedence over a verdict on their patterns.
        """
        asked, seen = self._factors[one - 1], self._factors[other - 1]
        for key in dict.fromkeys((asked.key, asked.pattern)):
            for end in dict.fromkeys((seen.key, seen.pattern)):
                for verdict in self._by_ends.get((key, end), ()):
                    if not verdict.side or side_of(asked, seen) == verdict.side:
                        return verdict
        return None

    @cached_property
    def _by_ends(self) -> dict[tuple[str, str], list[PairVerdict]]:
        found: dict[tuple[str, str], list[PairVerdict]] = defaultdict(list)
        for key, touching in self._touching.items():
            for verdict in touching:
                found[key, verdict.other].append(verdict)
        return dict(found)

    def _around(self, number: int) -> Around:
        """The verdicts on the factor with the id `number`: for each other factor, how that factor
        is related to this one.

        A pattern stands for many factors, e.g. one for each team. A verdict on the two factors
        themselves takes precedence over a verdict on their patterns.
        """
        asked = self._factors[number - 1]
        codes, strengths = np.zeros((2, len(self._factors) + 1), np.int8)
        for key in dict.fromkeys((asked.pattern, asked.key)):
            touching = sorted(self._touching[key], key=lambda v: v.other in self._patterns)
            for verdict in reversed(touching):
                at = self._others(asked, verdict)
                codes[at] = CODES.index(verdict.code) + 1
                strengths[at] = verdict.strength
        codes[number], strengths[number] = SELF_CODE, 3
        return Around(codes, strengths)

    @cached_property
    def _patterns(self) -> frozenset[str]:
        return frozenset(factor.pattern for factor in self._factors if factor.entity is not None)

    def _others(self, asked: Factor, verdict: PairVerdict) -> list[int]:
        others = self._numbers[verdict.other]
        if not verdict.side:
            return others
        return [
            number for number in others if side_of(asked, self._factors[number - 1]) == verdict.side
        ]


def side_of(one: Factor, other: Factor) -> Side:
    """How the entities of two factors relate. A factor made from a pattern is about one entity of a
    list, e.g. one team of a league. "same": both factors are about the same entity; "other": they
    are about two entities of the same list; empty: neither. A verdict on two patterns may hold for
    only one of the cases "same" and "other" (`Side`)."""
    if one.entity_list is None or one.entity_list != other.entity_list:
        return ""
    return "same" if one.entity == other.entity else "other"
