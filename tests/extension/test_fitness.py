"""What may stand on a general page."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

import pytest

from augury.extension import fitness

NOW = datetime(2026, 4, 15, tzinfo=UTC)


@dataclass(frozen=True)
class Market:
    question: str = "Will the Fed cut rates?"
    event_name: str | None = None
    tags: tuple[str, ...] = ()
    status: str = "active"
    prices: tuple[float | None, ...] = (0.6, 0.4)
    closes_at: datetime | None = field(default=NOW + timedelta(days=9))
    best_bid: float | None = 0.59
    best_ask: float | None = 0.61
    liquidity: float | None = 5_000.0
    volume_24h: float | None = None
    volume: float | None = None


def test_a_fit_market() -> None:
    assert fitness.is_fit(Market(), NOW)


@pytest.mark.parametrize(
    "unfit",
    [
        replace(Market(), status="closed"),
        replace(Market(), status="resolved"),
        replace(Market(), closes_at=NOW),
        replace(Market(), prices=(0.96, 0.04)),
        replace(Market(), prices=(0.03, 0.97)),
        replace(Market(), prices=(0.96, 0.02, 0.02)),
        replace(Market(), prices=(None, None)),
        replace(Market(), best_bid=0.40),
        replace(Market(), liquidity=100.0),
        replace(Market(), liquidity=None),
        replace(Market(), question="Will he be assassinated?"),
        replace(Market(), event_name="War in Ukraine"),
        replace(Market(), tags=("Epstein",)),
    ],
)
def test_unfit_markets(unfit: Market) -> None:
    assert not fitness.is_fit(unfit, NOW)


@pytest.mark.parametrize(
    "text",
    [
        "Will the Pope die this year?", "Deaths in the heat wave", "Who will be KILLED off?",
        "Will Iran strike Israel? Air strikes", "Nuclear weapon detonated", "Will X be executed",
        "Mass shooting in June", "Hostages freed", "A sexual assault verdict", "Sex tape released",
        "OnlyFans top earner", "Fatalities from Hurricane Ida", "7.0 earthquake in Aug", "Suicide",
        "Bird flu outbreak", "Russia captures Sumy", "Terrorist attack", "Gaza ceasefire",
        "Plane crash into sea", "Will the US next strike Iran?", "Will Russia enter Sloviansk?",
        "Iran nuke before 2027?", "Senator arrested",
        "Will Diddy be pardoned", "How many people will Trump deport",
    ],
)  # fmt: skip
def test_unsafe_subjects(text: str) -> None:
    assert not fitness.is_safe(text)


@pytest.mark.parametrize(
    "text",
    [
        "Hurricanes vs. Senators", "Storm at Dream", "Will the Fed cut rates?", "A trade deal",
        "Senators strike a deal",
        "Thunder win the title", "Best Picture winner", "Highest temperature in NYC",
        "Rockets beat Warriors", "Strikeouts by Skenes", "Bitcoin above $100k",
    ],
)  # fmt: skip
def test_harmless_subjects(text: str) -> None:
    assert fitness.is_safe(text)
