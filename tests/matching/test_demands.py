"""What a question demands, and which markets lack it."""

from __future__ import annotations

import pytest

from augury.language.entities import mentions
from augury.language.vocabulary import default
from augury.matching.demands import Demands


def lacks(question: str, market: str) -> bool:
    known = default()
    wanted = Demands.of(question, mentions(question, known))
    theirs = mentions(market, known)
    return wanted.is_of_another(market, theirs) or wanted.unmet(market, theirs)


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
        ("Will Ada Novak get married this year?", "Ada Novak pregnant before marriage?"),
        # another team, another office of a person who is in one
        ("Dodgers for the World Series?", "Will the Los Angeles Angels win the World Series?"),
        ("Will Jon Ossoff get reelected?", "Will Jon Ossoff win the Presidential Election?"),
        # another coin, another company
        ("will solana hit 200", "Will XRP hit $200?"),
        ("does nvidia buy intel", "Will Apple buy a chip maker?"),
        # over and over
        ("Will gold be above $5,000 on every single day of May?", "Will gold hit $5,000 in May?"),
        # another thing of the same name, another step of the same person
        ("Is there a new Zorblax VI trailer before June?", "Zorblax VI released before June?"),
        ("Will Ada Novak enter the race for the nomination?", "Will Ada Novak win the nomination?"),
        # another office
        ("Will Ada Novak be elected Governor of Texas?", "Will Ada Novak become US Senator?"
         " (Mayor of London)"),
        # another place, another act of the same person
        ("Is Ada Novak the first pick?", "Will Ada Novak be the second pick in the draft?"),
        ("Does Zorblax have the #1 model?", "Will Zorblax have the third best model?"),
        ("Is Ada Novak out by June?", "Ada Novak impeached by June 30?"),
        ("Does Ada Novak retire?", "Ada Novak x Bea Dorn get married by June 30?"),
        ("Is Ada Novak out before 2027?", "Will Ada Novak resign by December 31, 2026?"),
        ("Is Ada Novak still chair in June?", "Ada Novak federally charged by June 30?"),
        ("Will Ruritania go to war with Zenda?", "Will Ruritania strike Zenda by June 30?"),
        ("Is Ada Novak impeached and removed?", "Ada Novak impeached by June 30?"),
        ("Ada Novak runs 2028?", "Will Ada Novak win the 2028 election?"),
        # a count from which on, and one count
        ("At least 2 Fed cuts this year?", "Will 2 Fed rate cuts happen in 2026?"),
        ("Will there be three or more launches?", "Will 3 Zorblax launches happen in 2026?"),
        # the opposite act
        ("Will Acme buy any bitcoin by June?", "Will Acme sell any bitcoin by June?"),
        ("Does the low in Zenda stay above 40 today?", "Highest temperature in Zenda above 40?"),
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
        ("Will Ada Novak tie the knot?", "Ada Novak x Bea Dorn get married by June 30?"),
        ("Is the first pick Ada Novak?", "Will Ada Novak be the 1st pick?"),
        ("Will Ada be told off for the first time?", "Will Ada finish second?"),
        ("Does a Zorblax VI teaser come out?", "Zorblax VI teaser released by June?"),
        ("Will Ada Novak run for mayor?", "Will Ada Novak announce a run for mayor?"),
        ("Ada Novak runs for mayor, does she win?", "Will Ada Novak win the mayoral race?"),
        ("Will Acme buy Zorblax?", "Will Acme acquire Zorblax?"),
        ("Will Acme purchase and sell bitcoin?", "Will Acme sell bitcoin?"),
        ("Does Ada Novak quit this year?", "Will Ada Novak resign by December 31, 2026?"),
        ("Will Ruritania bomb Zenda?", "Will Ruritania strike Zenda by June 30?"),
        ("At least 2 Fed cuts this year?", "Will 2 or more Fed rate cuts happen in 2026?"),
        ("Will 2 Fed rate cuts happen?", "Will 2 Fed rate cuts happen in 2026?"),
        ("Will gold be over 5 percent up?", "Will 3 Fed rate cuts happen in 2026?"),
    ],
)
def test_what_it_has_or_need_not_have(question: str, market: str) -> None:
    assert not lacks(question, market)


@pytest.mark.parametrize(
    ("question", "market"),
    [
        # a race in a place that nobody named
        ("After Keith Ellison's term is up, will Democrats have the attorney general office?",
         "Who will win the Attorney General race in Oklahoma? — Democratic party"),
        ("Will a Democrat be sworn in as the state's attorney general in 2027?",
         "Who will win the Attorney General race in New York? — Democratic party"),
        ("Do Republicans lose the Senate?",
         "Will the Republicans win the North Carolina Senate race in 2026?"),
        ("Do Democrats win WV-01 in 2026?", "Will the Democrats win the WV-02 House seat?"),
        ("is Ada Novak the nominee in ny-03", "Will Ada Novak be the nominee for NY-04?"),
        # another office of the same place
        ("Does Thune's South Dakota seat go to a Democrat?",
         "Who will win the Attorney General race in South Dakota? — Democratic party"),
        ("Does the GOP win the western Colorado House seat?",
         "Who will win the Senate race in Colorado? — Republican party"),
    ],
)  # fmt: skip
def test_a_market_on_another_race(question: str, market: str) -> None:
    assert lacks(question, market)


@pytest.mark.parametrize(
    ("question", "market", "on_another"),
    [
        ("does brent hit $130 in May", "Will WTI Crude Oil (WTI) hit $120 in May?", True),
        ("Will Bitcoin hit $100k?", "Will Bitcoin Cash hit $1,000?", True),
        ("Do Republicans win the West Virginia Senate race in 2026?",
         "Will Republicans win the Virginia Senate race in 2026?", True),
        ("fannie and freddie let out of conservatorship", "Will Freddie Mac IPO?", False),
        ("Elon Musk out as xAI CEO?", "Elon Musk out as Tesla CEO before 2027?", True),
        ("does Ada Novak win the Republican primary in CO-3",
         "Which party will win the House race for CO-3? — Republican party", True),
        ("is Ada Novak elected in CO-3", "Will Ada Novak be the nominee for CO-3?", False),
        ("do the Jets win the Super Bowl", "Will the Jets win the AFC Championship?", False),
        ("does ether dip to $1,800 in June", "Will ether dip to $1,900 in June?", False),
    ],
)  # fmt: skip
def test_a_market_on_another_matter_bounds_nothing(
    question: str, market: str, on_another: bool
) -> None:
    known = default()
    wanted = Demands.of(question, mentions(question, known))
    assert wanted.is_of_another(market, mentions(market, known)) == on_another


@pytest.mark.parametrize(
    ("question", "market"),
    [
        ("republicans come up short for the NH senate seat?",
         "Who will win the Senate race in New Hampshire? — Republican party"),
        ("Does Tina Smith's Senate seat stay blue?",
         "Will the Democrats win the Minnesota Senate race in 2026?"),
        ("Is Jeremy Moss nominated for the 11th?",
         "Will Jeremy Moss be the Democratic nominee for MI-11?"),
        ("GOP holds NY-17 in the midterms?",
         "Which party will win the House race for NY-17? — Republican party"),
        ("Does Sherrill win on Nov 4 2025?",
         "Will Mikie Sherrill win the New Jersey Governor Election in 2025"),
        ("Do Dems win the senate race in Ohio?", "Will Democrats win Ohio?"),
        ("Does the GOP win our House seat, the 17th?",
         "Which party will win the House race for NY-17? — Republican party"),
        ("Is Ada Novak confirmed by the Senate?", "Ada Novak confirmed as Attorney General?"),
        # the office has its state in its name, and a state may be written by two letters
        ("republican next colorado governor", "Who will win the governorship in Colorado?"),
        ("both PA senators keep their seats", "Will a Senate seat in Pennsylvania be vacant?"),
    ],
)  # fmt: skip
def test_a_market_on_the_race_asked_for(question: str, market: str) -> None:
    assert not lacks(question, market)


@pytest.mark.parametrize(
    ("told", "asking", "market", "lacking"),
    [
        ("With Oklahoma City playing so well it seems hopeless.",
         "Will the Denver Nuggets finish as Northwest Division champion?",
         "Will the Oklahoma City Thunder win the NBA Northwest Division?", True),
        ("With Oklahoma City playing so well it seems hopeless.",
         "Will the Denver Nuggets finish as Northwest Division champion?",
         "Will the Denver Nuggets win the NBA Northwest Division?", False),
        ("Thunder up!", "Do SGA and the boys reach the NBA finals?",
         "Will the Oklahoma City Thunder win the Western Conference?", False),
        ("Lula votes soon.", "Will he win?", "Will Lula win the election?", False),
    ],
)  # fmt: skip
def test_whom_only_the_words_before_a_question_name(
    told: str, asking: str, market: str, lacking: bool
) -> None:
    known = default()
    whole = f"{told} {asking}"
    wanted = Demands.of(whole, mentions(whole, known), mentions(asking, known))
    assert wanted.unmet(market, mentions(market, known)) is lacking
