"""Questions without a yes or no: which outcomes they list, and when they list none."""

from __future__ import annotations

import pytest
from tests.forecast.conftest import market, put

from augury.forecast.distribution import chances
from augury.forecast.open_questions import asks
from augury.forecast.service import ForecastService
from augury.markets.records import Market
from augury.search.service import SearchService
from augury.storage.database import Database

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("gold vs btc, which does better in 2026", "name"),
        ("openai ipo or anthropic first", "name"),
        ("Will Ramp or Brex IPO first?", "name"),
        ("dem or rep wins white house", "name"),
        ("who has the best model: google or openai", "name"),
        ("will gold or silver be above $100 in june", None),
        ("will it rain or snow tomorrow", None),
        ("does he win or lose", None),
        ("arsenal vs liverpool, does arsenal win", None),
        ("Will it happen by June 30 or sooner?", None),
        ("who takes the michigan primary, is it haley stevens?", None),
        ("Which app is on top this Friday, will it be Threads?", None),
        ("how many cuts in 2027, is it three", None),
        ("who wins, is it trump or vance?", "name"),
        ("when base drops its coin will it be worth more than two billion", None),
        ("When in 2027 will the Fed cut?", "day"),
        ("when OpenAI IPO will happen?", "day"),
        ("WHO declaring an emergency over bird flu in 2027?", None),
        ("WHO WINS THE ELECTION", "name"),
    ],
)
async def test_which_of_two_is_no_yes_or_no(question: str, kind: str | None) -> None:
    assert asks(question) == kind


async def test_an_open_question_sums_to_one_or_says_why_not(
    service: ForecastService, search: SearchService, database: Database
) -> None:
    def of(number: int, name: str, price: float, **more: object) -> Market:
        text = f"Will {name} win the 2027 Ruritanian presidential election?"
        return market(number, text, price, "2027-09-30T00:00", event_id="ruritania", **more)

    await put(
        database,
        of(400, "Ada Kern", 0.5, exclusive=True), of(401, "Bo Lind", 0.3, exclusive=True),
        of(402, "Cy Moss", 0.1, exclusive=True),
        market(410, "Will Bitcoin dip to $70,000 by December 31, 2026?", 0.3, "2026-12-31T23:59"),
    )  # fmt: skip
    await search.catch_up()
    for question in (
        "Who will win the 2027 Ruritanian presidential election?",
        "How high will Bitcoin go by December 31, 2026?",
    ):
        estimate = (await service.forecast(question)).estimate
        assert estimate.distribution is not None, (question, estimate.error)
        assert sum(p.probability for p in estimate.distribution) == pytest.approx(1, abs=1e-3)
        assert (estimate.probability, estimate.grade) == (None, "asked")
        if question.startswith("Who"):
            labels = [part.label for part in estimate.distribution]
            assert labels == ["Ada Kern", "Bo Lind", "Cy Moss", "any other"]
        else:
            lowers = [part.lower for part in estimate.distribution]
            assert lowers == [None, 150_000, 200_000]


async def test_how_high_is_told_by_the_levels_of_that_time_only(
    service: ForecastService, search: SearchService, database: Database
) -> None:
    day = "Bitcoin price on December 24, 2026?"
    await put(database, *(
        market(420 + n, f"{day} — {said}", price, "2026-12-25T00:00", event_id="day",
               exclusive=True)
        for n, (said, price) in enumerate(
            (("$98,000 or below", 0.2), ("$98,001 to $99,999", 0.5), ("$100,000 or above", 0.3)))
    ))  # fmt: skip
    await search.catch_up()
    year = (await service.forecast("How high will Bitcoin get in 2026?")).estimate
    assert year.distribution is not None
    assert [part.lower for part in year.distribution] == [None, 150_000, 200_000]
    assert [one.share for one in year.evidence] == [None, None]
    later = (await service.forecast("How high will Bitcoin get by June 30, 2027?")).estimate
    assert later.distribution is None
    assert "by December 31, 2026" in (later.error or "")
    price = (await service.forecast("What will Bitcoin's price be on December 24, 2026?")).estimate
    assert price.distribution is not None
    assert len(price.distribution) == 3


async def test_a_decision_of_several_is_listed_whole_and_counted_once(
    service: ForecastService, search: SearchService, database: Database
) -> None:
    ways = {
        "decreases interest rates by 50+ bps": 0.03, "decreases interest rates by 25 bps": 0.6,
        "holds: no change in interest rates": 0.35, "increases interest rates by 25+ bps": 0.02,
    }  # fmt: skip
    after, closes = "after the January 2027 meeting?", "2027-01-28T00:00"
    meeting = "What will the Fed do at its January 2027 meeting?"
    await put(
        database,
        *(market(430 + n, f"Fed {way} {after}", p, closes, event_id="fed", exclusive=True)
          for n, (way, p) in enumerate(ways.items())),
        *(market(440 + n, f"{meeting} — {way}", p, closes, subtitle=way, platform="kalshi",
                 id=f"kalshi:{440 + n}", event_id="KXFED", title=meeting)
          for n, (way, p) in enumerate({"Cut by 25 bps": 0.59, "No change": 0.36}.items())),
    )  # fmt: skip
    await search.catch_up()
    asked = "What will happen to the Fed rate in January 2027?"
    listed = (await service.forecast(asked)).estimate
    assert listed.distribution is not None, listed.error
    assert chances(listed.distribution) == pytest.approx(ways)

    cut = (await service.forecast("Will the Fed cut rates in January 2027?")).estimate
    assert cut.grade == "bounded"
    assert {one.share for one in cut.evidence if one.weight} == {None}
    assert {one.relation for one in cut.evidence if one.weight} == {
        "it is one way for this to happen", "if it happens, this does not",
    }  # fmt: skip
    why = {one.market.id: one.why for one in cut.rejected}
    assert "polymarket:431" in why["kalshi:440"]
    assert "not counted twice" in why["kalshi:440"]


async def test_a_question_without_yes_or_no_lists_its_outcomes(service: ForecastService) -> None:
    estimate = (await service.forecast("Who will win the 2026-27 Premier League?")).estimate
    assert estimate.probability is None
    assert estimate.error
    assert estimate.distribution is not None
    assert [part.label for part in estimate.distribution][:2] == ["Arsenal", "Liverpool"]


@pytest.mark.parametrize(
    ("question", "contest"),
    [
        ("who wins the world cup", "2026 FIFA World Cup"),
        ("who will win the 2028 election", "2028 US Presidential Election"),
    ],
)
async def test_a_contest_is_known_by_its_name_or_its_year(
    service: ForecastService,
    search: SearchService,
    database: Database,
    question: str,
    contest: str,
) -> None:
    of = {"event_id": "cup", "exclusive": True}
    sides = {"Ann Lee": 0.3, "Bo Kim": 0.25, "Cy Oak": 0.4}
    await put(database, *(
        market(30 + n, f"Will {side} win the {contest}?", p, "2026-12-30T00:00", **of)
        for n, (side, p) in enumerate(sides.items())
    ))  # fmt: skip
    await search.catch_up()
    estimate = (await service.forecast(question)).estimate
    assert estimate.distribution is not None
    assert [part.label for part in estimate.distribution][:3] == ["Cy Oak", "Ann Lee", "Bo Kim"]


async def test_dates_of_something_else_do_not_say_when(
    service: ForecastService, search: SearchService, database: Database
) -> None:
    await put(
        database,
        market(40, "GTA VI released before June 2027?", 0.2, "2027-06-30T00:00"),
        market(41, "Will the Ruritania app be released by March 31, 2027?", 0.4, "2027-03-31T00:00",
               event_id="app"),
        market(42, "Will the Ruritania app be released by June 30, 2027?", 0.6, "2027-06-30T00:00",
               event_id="app"),
    )  # fmt: skip
    await search.catch_up()
    assert (await service.forecast("when does gta 6 come out")).estimate.distribution is None


async def test_the_winner_of_one_contest_is_none_of_another(
    service: ForecastService, search: SearchService, database: Database
) -> None:
    await put(
        database,
        *(
            market(n, f"Will the {team} win the 2027 NFL league championship?", 0.3,
                   "2027-03-31T00:00", event_id="nfl", exclusive=True)
            for n, team in enumerate(("Los Angeles Rams", "Chicago Bears", "Dallas Cowboys"), 21)
        ),
    )  # fmt: skip
    await search.catch_up()
    found = await service.forecast("Who wins the Champions League?")
    assert found.estimate.distribution is None
    assert found.estimate.evidence == ()
