"""The answers of a language model that a test prescribes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from augury.forecast import opinion
from augury.forecast.tasks import MATCH, MarketOpinion, MatchAnswer


def control(data: dict[str, Any]) -> dict[str, Any] | None:
    """The right answer to a control question; None where it is none."""
    for known in MATCH.controls:
        if known.data == data:
            for said in answers_of(len(data["markets"])):
                if known.right(said):
                    return {"markets": [{"n": o.n, "why": o.why, "asks": o.asks}
                                        for o in said.markets]}  # fmt: skip
    return None


def answers_of(markets: int) -> Iterator[MatchAnswer]:
    sides: tuple[opinion.Asks, ...] = ("same", "opposite", "other")
    for number in range(3**markets):
        yield MatchAnswer(
            [MarketOpinion(n + 1, "", sides[number // 3**n % 3]) for n in range(markets)]
        )
