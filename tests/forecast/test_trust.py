"""How likely a finished answer is right, by what is known of how it was made."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from augury.forecast import trust
from augury.forecast.service import ForecastService
from augury.matching.features import TEXT_FEATURES
from augury.matching.judge import Verdict


def test_the_trees_read_every_sign_and_no_more() -> None:
    trees = trust.default()
    assert trees.classes == 2
    assert 0 <= trees.feature.max() < len(trust.SIGNS)
    assert trust.SIGNS[-len(TEXT_FEATURES) :] == TEXT_FEATURES
    assert len(set(trust.SIGNS)) == len(trust.SIGNS)


@pytest.mark.anyio
async def test_an_answer_is_no_surer_than_it_is_trusted(service: ForecastService) -> None:
    found = (await service.forecast("will bitcoin get to 150k by the end of the year")).estimate
    assert found.signs is not None
    assert len(found.signs) == len(trust.SIGNS)
    assert found.trust is not None
    assert found.confidence <= found.trust


@pytest.mark.anyio
async def test_a_market_s_own_words_need_no_trust(service: ForecastService) -> None:
    found = (await service.forecast("Will OpenAI release GPT-6 before 2027?")).estimate
    assert (found.probability, found.trust) == (pytest.approx(0.12, abs=0.01), None)


def market(key: tuple[int, int], price: float | None) -> Any:
    return SimpleNamespace(key=key, outcome=key[1], market=SimpleNamespace(price=lambda _: price))


@pytest.mark.parametrize(
    ("grade", "probability", "limits", "found"),
    [
        ("asked", 0.3, (0.0, 1.0), (0.4, 0.2)),
        ("asked", 0.9, (0.0, 1.0), (0.0, 0.4)),
        ("bounded", 0.5, (0.28, 0.72), (0.4, 0.2)),
        ("bounded", 0.1, (0.0, 0.2), (0.2, 0.4)),
    ],
)
def test_what_else_may_ask_it_agrees_or_contradicts(
    grade: str, probability: float, limits: tuple[float, float], found: tuple[float, float]
) -> None:
    """One unused market at 32%, one at 92% that may ask the opposite, one without a price."""
    estimate: Any = SimpleNamespace(grade=grade, probability=probability, bounds=limits)
    read = [market((1, 0), 0.32), market((2, 0), 0.92), market((3, 0), None), market((4, 0), 0.5)]
    compared: Any = SimpleNamespace(bearings=read)
    others = {(1, 0): Verdict(0.4, 0.01), (2, 0): Verdict(0.0, 0.2), (3, 0): Verdict(0.9, 0.0)}
    assert trust._beside(estimate, compared, others) == found
