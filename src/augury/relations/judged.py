"""Judged pairs of factors: what one says of the other, none included. Pure.

Careful readers judged pairs blind to the base's edges; `knowledge/judged/*.tsv` keeps what they
said, `docs/factors.md` tells the format.
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
    from augury.relations.causal_parts import Factor

Code = Literal["cause", "effect", "driver", "rival", "part", "none"]
"""What B is, seen from A: a cause of it, an effect, driven with it by something common, a rival or
parallel, (a part of) the same thing, or nothing."""
Side = Literal["", "same", "other"]
"""Of two patterns of one list: whether the pair is of one entity or of two; otherwise empty."""

CODES: Final[tuple[Code, ...]] = ("cause", "effect", "driver", "rival", "part", "none")
SIDES: Final[tuple[Side, ...]] = ("", "same", "other")
TURNED: Final[dict[Code, Code]] = {"cause": "effect", "effect": "cause"}


@dataclass(frozen=True, slots=True)
class PairVerdict:
    """One judged pair, read from A's side."""

    one: str
    """Key of A: of a factor, or of a pattern for all its instances."""
    other: str
    side: Side
    code: Code
    strength: int
    """3: first-order; 2: clear, second-order; 1: weak but real; 0: none."""
    sign: str
    """"+", "-", or "0" where it can be either."""
    days: int
    """Typical lag from cause to effect."""
    judge: str
    """Who judged: a letter a reader, two where both agreed or it was settled between them;
    `model:NAME@DATE` or `NAME@DATE` in an operator's own file."""
    reason: str = ""

    @property
    def pair(self) -> tuple[str, str, Side]:
        """Equal for all verdicts on the same pair."""
        return (*sorted((self.one, self.other)), self.side)  # type: ignore[return-value]

    @property
    def is_own(self) -> bool:
        """Whether an operator's reader or model judged, and none of the project's."""
        return "@" in self.judge

    @property
    def readers(self) -> int:
        """How many judged the pair."""
        return 1 if self.is_own else len(self.judge)

    @property
    def line(self) -> str:
        """As a file holds it; `read` is the way back."""
        if self.code == "none":
            return "\t".join((self.one, self.side, "none", self.judge, self.other))
        return "\t".join(
            (self.one, self.side, self.code, str(self.strength), self.sign, str(self.days),
             self.judge, self.other, self.reason)
        )  # fmt: skip

    def turned(self) -> PairVerdict:
        """The same, read from B's side."""
        return PairVerdict(
            self.other, self.one, self.side, TURNED.get(self.code, self.code), self.strength,
            self.sign, self.days, self.judge, self.reason,
        )  # fmt: skip


def read(name: str, text: str, problems: list[str]) -> Iterator[PairVerdict]:
    """The verdicts of one file; what can't be read goes to `problems`.

    A line is `A, side, code, strength, sign, days, judge, B, reason`, with tabs between; of "none"
    it is `A, side, none, judge`, and then all Bs with spaces between, or as any other line with
    strength 0.
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
            problems.append(f"{name}, line {number}: no verdict: {line[:80]!r}")


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
    """What the verdicts say of every factor, seen from one; 0 where nobody judged."""

    codes: NDArray[np.int8]
    """(factors + 1,): place in `CODES`, from 1; `SELF` of the factor itself"""
    strengths: NDArray[np.int8]
    """(factors + 1,)"""


SELF: Final = len(CODES) + 1
REMEMBERED: Final = 512
"""Factors whose surroundings are kept in memory, some 15 kB each."""


class Judged:
    """All verdicts on the factors of a base, by number (0 is none)."""

    def __init__(self, verdicts: Iterable[PairVerdict], factors: Sequence[Factor]) -> None:
        self._factors = factors
        self._touching: dict[str, list[PairVerdict]] = defaultdict(list)
        for verdict in verdicts:
            self._touching[verdict.one].append(verdict)
            self._touching[verdict.other].append(verdict.turned())
        self._numbers: dict[str, list[int]] = defaultdict(list)
        for number, factor in enumerate(factors, 1):
            self._numbers[factor.key].append(number)
            if factor.pattern != factor.key:
                self._numbers[factor.pattern].append(number)
        self.around = lru_cache(maxsize=REMEMBERED)(self._around)

    def verdict(self, one: int, other: int) -> PairVerdict | None:
        """What is said of two factors, read from the first; None where nobody judged them.

        As in `around`, a verdict on the two themselves goes before one on all of their kind.
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
        """A verdict on two factors themselves goes before one on all of their kind."""
        asked = self._factors[number - 1]
        codes, strengths = np.zeros((2, len(self._factors) + 1), np.int8)
        for key in dict.fromkeys((asked.pattern, asked.key)):
            touching = sorted(self._touching[key], key=lambda v: v.other in self._patterns)
            for verdict in reversed(touching):
                at = self._others(asked, verdict)
                codes[at] = CODES.index(verdict.code) + 1
                strengths[at] = verdict.strength
        codes[number], strengths[number] = SELF, 3
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
    """Of two instances over one list: whether they are of one entity."""
    if one.kind is None or one.kind != other.kind:
        return ""
    return "same" if one.entity == other.entity else "other"
