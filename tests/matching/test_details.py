"""Details that tell two questions apart whose words are nearly all the same."""

from __future__ import annotations

import pytest

from augury.matching.details import are_of_others, ask_otherwise

APART = [
    ("Is Rolk's FDV above $2B a week after launch?", "Rolk FDV above $2B one day after launch?"),
    ("is Acme worth $30B a month after its IPO", "Will Acme be worth $30B on IPO day?"),
    ("Do the Jets win the AFC East?", "Will the Jets win the 2027 AFC Championship?"),
    ("do the jets win the super bowl", "Will the Jets win the AFC Championship?"),
    ("the jets in the super bowl?", "Will the Jets win the 2027 Super Bowl?"),
    ("does Ruri reach this year's final", "Will Ruri win the World Cup?"),
    ("will Ann Lee lead the NBA in assists", "Will Ann Lee lead the NBA in rebounds?"),
    ("is Rolk's trading volume above $4B", "Rolk FDV above $4B one day after launch?"),
    ("Does Ann Lee win Best Actress?", "2027 Best Actress Oscar nominations? — Ann Lee"),
    ("is Ann Lee nominated for Best Actress", "Will Ann Lee win Best Actress in 2027?"),
    ("does The Hut take best film at the BAFTAs", "Will The Hut win Best Film at the Oscars?"),
    ("does she announce an album this year", "Will she release an album this year?"),
    ("is the airport closed because of the volcano?", "Will the airport close this year?"),
    ("does ether dip to $2,000 before it gets to $3,000?", "Will ether dip to $2,000 in May?"),
    ("a smaller deficit in 2027 than in 2026?", "A smaller deficit this year than in 2025?"),
    ("will Amen Thompson lead in steals", "Will Ausar Thompson lead in steals?"),
]
ALIKE = [
    ("is Rolk above $2B 24 hours after launch", "Rolk FDV above $2B one day after launch?"),
    ("do the jets make the super bowl", "Will the Jets win the AFC Championship?"),
    ("do the Jets reach the final and win it", "Will the Jets win the 2027 Super Bowl?"),
    ("does Ruri reach the final", "Will Ruri reach the UEFA Champions League final?"),
    ("is Rolk worth over $4B", "Rolk FDV above $4B one day after launch?"),
    ("is Ann Lee in the running for Best Actress", "Best Actress nominations? — Ann Lee"),
    ("do all nominees lose to Ann Lee", "Will Ann Lee win Best Actress in 2027?"),
    ("Because of the tariffs, does GDP fall?", "Will GDP fall in 2027?"),
    ("will Bill Burns resign", "Will William Burns resign?"),
    ("is Rolk above $2B 7 days after launch", "Rolk FDV above $2B one week after launch?"),
    ("Does the GOP nominee win the Ohio race?", "Which party will win the Ohio race?"),
    ("Is the Fed due to cut in March?", "Will the Fed cut rates in March?"),
    ("do the Jets defeat the Bears in the Super Bowl", "Will the Jets win the Super Bowl?"),
    ("do the Jets win the AFC Championship", "Will the Jets make the 2027 Super Bowl?"),
    ("does Ann Lee hit 60 home runs", "Ann Lee: 60+ HRs in 2027?"),
    ("will Thompson lead in steals", "Will Ausar Thompson lead in steals?"),
    ("did Mark Thompson or Ausar Thompson lead in steals", "Will Ausar Thompson lead in steals?"),
]


def differ(title: str, question: str) -> bool:
    return are_of_others(title, question) or ask_otherwise(title, question)


@pytest.mark.parametrize(("question", "title"), APART)
def test_a_detail_tells_them_apart(question: str, title: str) -> None:
    assert differ(title, question)


@pytest.mark.parametrize(("question", "title"), ALIKE)
def test_what_differs_in_words_alone_is_the_same(question: str, title: str) -> None:
    assert not differ(title, question)
