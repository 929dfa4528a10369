"""How likely a finished answer is right, by what is known of how it was made."""

from __future__ import annotations

import pytest

from augury.forecast import trust
from augury.forecast.service import ForecastService
from augury.matching.features import TEXT_FEATURES


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
