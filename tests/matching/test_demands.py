"""What a question demands, and which markets lack it."""

from __future__ import annotations

import pytest

from augury.language.entities import mentions
from augury.language.vocabulary import default
from augury.matching.demands import Demands


def lacks(question: str, market: str) -> bool:
    known = default()
    wanted = Demands.of(question, mentions(question, known))
    return wanted.unmet(market, mentions(market, known))


@pytest.mark.parametrize(
    ("question", "market"),
    [
        # one of two named alternatives is not the two
        ("Will the title go to Arsenal or Liverpool?", "Will Arsenal win the title?"),
        ("Will the nominee be either JD Vance or Marco Rubio?", "Will JD Vance be nominated?"),
        ("Will both Arsenal and Liverpool be relegated?", "Will Arsenal be relegated?"),
        # what has to come first
        ("Will Bitcoin hit $200k before the Zorblax launch?", "Will Bitcoin hit $200k in 2027?"),
        ("Will there be a vote before any official ceasefire?", "Will there be a vote in 2027?"),
        # over and over
        ("Will gold be above $5,000 on every single day of May?", "Will gold hit $5,000 in May?"),
        # another office
        ("Will Ada Novak be elected Governor of Texas?", "Will Ada Novak become US Senator?"
         " (Mayor of London)"),
        # the opposite act
        ("Will Acme buy any bitcoin by June?", "Will Acme sell any bitcoin by June?"),
    ],
)  # fmt: skip
def test_what_a_market_lacks(question: str, market: str) -> None:
    assert lacks(question, market)
    assert not lacks(question, question)


@pytest.mark.parametrize(
    ("question", "market"),
    [
        ("Will Bitcoin hit $200k before July?", "Will Bitcoin hit $200k by June 30?"),
        ("Will Bitcoin hit $200k before the end of the year?", "Will Bitcoin hit $200k in 2027?"),
        ("Will he resign before his term ends?", "Will he resign by January 20, 2029?"),
        ("Will Bitcoin hit $200k before the Zorblax launch?", "Bitcoin $200k before Zorblax?"),
        ("Arsenal or Liverpool: who draws?", "Arsenal vs Liverpool — Tie"),
        ("Will Ada Novak be elected Governor of Texas?", "Will Ada Novak win in Texas?"),
        ("Will Arsenal and Liverpool still be rivals?", "Will Arsenal keep its rival?"),
        ("Will gold stay below $5,000 every day in May?", "Will gold hit $5,000 in May?"),
        ("Will Acme buy Zorblax?", "Will Acme acquire Zorblax?"),
        ("Will Acme purchase and sell bitcoin?", "Will Acme sell bitcoin?"),
    ],
)
def test_what_it_has_or_need_not_have(question: str, market: str) -> None:
    assert not lacks(question, market)
