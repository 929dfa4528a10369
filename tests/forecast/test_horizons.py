"""Questions that name no date are answered for the furthest deadline, and the answer says so."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from tests.forecast.conftest import NOW, market, put

from augury.forecast import horizons
from augury.forecast.engine import Engine
from augury.forecast.evidence import Estimate
from augury.forecast.normalize import normalize
from augury.forecast.service import ForecastService
from augury.search.embedding import Embedder
from augury.search.service import SearchService
from augury.storage.database import Database

AT = datetime(2026, 4, 18, tzinfo=UTC)


@pytest.mark.parametrize(
    "question",
    [
        "will starmer resign",
        "is kash patel getting fired",
        "Will Apple ever release a foldable iPhone?",
        "btc to 200k",
        "does trump pardon ghislaine maxwell",
        "will cuba's government fall",
    ],
)
def test_an_event_without_a_date_names_no_time(question: str) -> None:
    assert horizons.names_no_time(normalize(question, AT))


@pytest.mark.parametrize(
    "question",
    [
        "will starmer resign by june",
        "is starmer out soon",
        "does he retire before the season starts",
        "will trump fire him this term",
        "will gavin newsom win the 2028 election",
        "who will resign next",
        "will arsenal win the league",
        "is sbf free by new year's",
        "Will Russia capture Kupiansk by March 31, 2027?",
        "Starmer out? — Yes",
    ],
)
def test_words_of_time_and_contests_name_one(question: str) -> None:
    assert not horizons.names_no_time(normalize(question, AT))


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("will russia capture kupiansk", 0.40),
        ("Will Russia fail to capture Kupiansk?", 0.60),
    ],
)
async def test_the_furthest_deadline_answers(
    service: ForecastService, question: str, expected: float
) -> None:
    estimate = (await service.forecast(question)).estimate
    assert estimate.probability == pytest.approx(expected, abs=0.02)
    assert estimate.confidence <= horizons.MAX_CONFIDENCE
    assert "2027-03-31" in estimate.reasoning
    assert "furthest_deadline" in estimate.fallbacks


@pytest.mark.anyio
async def test_a_date_in_the_question_is_kept(service: ForecastService) -> None:
    question = "Will Russia capture Kupiansk by January 31, 2027?"
    estimate = (await service.forecast(question)).estimate
    assert estimate.probability == pytest.approx(0.18, abs=0.02)
    assert "furthest_deadline" not in estimate.fallbacks


@pytest.mark.anyio
async def test_a_deadline_that_is_over_is_no_evidence(
    service: ForecastService, database: Database, search: SearchService
) -> None:
    """The market is open still, since its venue decides it later."""
    await put(database, market(
        77, "Will Russia capture Kupiansk by October 31, 2026?", 0.001, "2026-12-31T23:59",
    ))  # fmt: skip
    await search.catch_up()
    estimate = (await service.forecast("will russia capture kupiansk")).estimate
    assert "polymarket:77" not in [one.market.id for one in estimate.evidence]
    past = await service.forecast("Will Russia capture Kupiansk by October 31, 2026?")
    assert past.estimate.probability == pytest.approx(0.001, abs=0.001)


def test_a_near_deadline_says_little_of_a_question_without_one() -> None:
    day = NOW.date()
    told = [
        horizons.for_deadline(
            Estimate((), probability=0.1, confidence=0.9), day + timedelta(n), day
        )
        for n in (12, 90, 180, 900)
    ]
    assert [one.confidence for one in told] == [0.0333, 0.25, 0.5, 0.5]


def test_a_question_that_lasts_is_asked_until_the_deadline() -> None:
    embedder = Embedder.load()
    engine = Engine(embedder.embed, embedder.rarity)
    for text, words in (("Will Starmer resign?", "by"), ("Will Maduro stay in power?", "until")):
        compared = engine.compare(normalize(text, AT), [], AT)
        until = horizons.until(compared, date(2027, 1, 1))
        assert until.judged.endswith(f" {words} December 31, 2026?")
        assert until.proposition.window.end == date(2027, 1, 1)
