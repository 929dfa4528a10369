"""What follows from what: pairs of real wording, by hand. The oracle is in `test_logic_oracle`."""

# ruff: noqa: E501
from __future__ import annotations

from datetime import date

import pytest

from augury.logic.joint_outcomes import Relation, inverse
from augury.logic.relate import relate
from augury.propositions.reading import read_question

DAY = date(2026, 11, 21)

PAIRS: list[tuple[str, str, Relation]] = [
    # a letter tells two teams of a city apart, and a middle initial tells nothing
    ("Will the Los Angeles L win the 2026 Pro Basketball Western Conference Championship?",
     "Will the Los Angeles C win the 2026 Pro Basketball Western Conference Championship?", "excludes"),
    ("Will the Los Angeles L win the 2026 Pro Basketball Western Conference Championship?",
     "Will the Los Angeles Lakers win the 2026 NBA Western Conference Championship?", "equivalent"),
    ("Will Donald J. Trump win the 2028 presidential election?",
     "Will Donald Trump win the 2028 presidential election?", "equivalent"),
    ("Will BTC reach $150k by March 31, 2027?", "Will BTC reach $120k by June 30, 2027?", "implies"),
    ("Will BTC reach $150k by June 30, 2027?", "Will BTC reach $120k by March 31, 2027?", "none"),
    ("Will BTC reach $150k by March 31, 2027?", "Will BTC stay below $120k through June 30, 2027?",
     "excludes"),
    ("Will gold be above $5,000 on May 3, 2027?", "Will gold reach $5,000 in May 2027?", "implies"),
    ("Will gold be above $5,000 on May 3, 2027?", "Will gold be above $5,000 on May 4, 2027?", "none"),
    ("Will gold be above $5,000 on May 3, 2027?", "Will gold be below $5,000 on May 3, 2027?",
     "complement"),
    # what is decided after one meeting is not decided after another
    ("Fed cuts rates by 25 bps after January 2027 meeting?",
     "Fed cuts rates by 25 bps after March 2027 meeting?", "none"),
    ("Fed cuts rates by 25 bps after January 2027 meeting?",
     "Will the Fed cut rates by 25 bps at its January 2027 meeting?", "equivalent"),
    ("Fed cuts rates by 50+ bps after the January 28, 2027 meeting?",
     "Fed cuts rates by 25+ bps after the January 28, 2027 meeting?", "implies"),
    ("Fed cuts rates by 50+ bps after the January 28, 2027 meeting?",
     "Fed cuts rates by 25+ bps after the March 18, 2027 meeting?", "none"),
    ("Will the Fed cut rates after January 2027?", "Will the Fed cut rates after March 2027?",
     "implied_by"),
    ("Will the treaty be signed before April 1, 2027?", "Will the treaty be signed by March 31, 2027?",
     "equivalent"),
    ("Will the treaty be signed by March 31, 2027?", "Will the treaty fail to be signed by May 2027?",
     "none"),
    ("Will the treaty be signed by March 31, 2027?",
     "Will the treaty remain unsigned through March 31, 2027?", "complement"),
    ("Will the treaty be signed by March 31, 2027?",
     "Will the signing of the treaty be announced by March 31, 2027?", "none"),
    ("Will the Fed make more than 3 cuts in 2027?", "Will the Fed make exactly 3 cuts in 2027?",
     "excludes"),
    ("Will the Fed make at least 4 cuts in 2027?", "Will the Fed make more than 3 cuts in 2027?",
     "equivalent"),
    ("Will the Fed make 3 or fewer cuts in 2027?", "Will the Fed make more than 3 cuts in 2027?",
     "complement"),
    ("Will Ann Lee win the 2028 mayoral election in Springfield?",
     "Will Bob Ray win the 2028 mayoral election in Springfield?", "excludes"),
    ("Will Ann Lee win the 2028 mayoral election in Springfield?",
     "Will someone other than Ann Lee win the 2028 mayoral election in Springfield?", "complement"),
    ("Will Ann Lee win the 2028 US presidential election?",
     "Will Ann Lee win the 2028 Democratic presidential nomination?", "implies"),
    ("Will the Celtics win the 2027 NBA Finals?",
     "Will the Celtics win the 2027 NBA Eastern Conference?", "implies"),
    ("Will the Celtics make the 2027 NBA playoffs?", "Will the Celtics win the 2027 NBA Finals?",
     "implied_by"),
    ("Will the Celtics win the 2027 NBA Finals?", "Will the Celtics win the 2028 NBA Finals?", "none"),
    ("Will Norway reach the final of the 2030 World Cup?",
     "Will Norway reach the quarterfinals of the 2030 World Cup?", "implies"),
    ("Will Norway win the 2030 World Cup?", "Will Norway fail to reach the final of the 2030 World Cup?",
     "excludes"),
    ("Will Leeds finish in the top 4 of the 2026-27 Premier League?",
     "Will Leeds win the 2026-27 Premier League?", "implied_by"),
    ("Will Leeds finish outside the top four of the 2026-27 Premier League?", "Will Leeds finish in the top 4 of the 2026-27 Premier League?", "complement"),
    ("Will Leeds finish fifth or lower in the 2026-27 Premier League?", "Will Leeds finish in the top 4 of the 2026-27 Premier League?", "complement"),
    ("Will UConn win the 2027 NCAA Tournament?", "Will Connecticut win the 2027 NCAA Tournament?", "none"),
    ("Will Freedonia strike Sylvania by May 31, 2027?", "Will Sylvania strike Freedonia by June 30, 2027?", "none"),
    ("Will the truce last through May 31, 2027?", "Will the truce last through June 30, 2027?", "none"),
    ("Will 'Never Enough' win the 2027 Song Prize?", "Will 'Always There' win the 2027 Song Prize?", "excludes"),
    ("Will Song A be the #1 song for the week of April 18, 2027?", "Will Song B be the #1 song for the week of April 25, 2027?", "none"),
    ("Will Kim Park remain President through June 30, 2027?",
     "Will Kim Park cease to be President by March 31, 2027?", "excludes"),
]  # fmt: skip


@pytest.mark.parametrize(("one", "two", "wanted"), PAIRS)
def test_a_pair_of_questions_relates_as_it_should_both_ways(
    one: str, two: str, wanted: Relation
) -> None:
    a, b = read_question(one, DAY), read_question(two, DAY)
    assert relate(a, b) == wanted
    assert relate(b, a) == inverse(wanted)


@pytest.mark.parametrize(
    ("asked", "wanted"), [(date(2027, 3, 2), "equivalent"), (date(2026, 12, 1), "implies")]
)
def test_a_year_that_has_begun_without_its_event_ends_like_its_deadline(
    asked: date, wanted: Relation
) -> None:
    market = read_question("Will Ann Lee resign before 2028?", DAY)
    question = read_question("Will Ann Lee resign in 2027?", asked)
    assert relate(question, market) == wanted
    assert relate(market, question) == inverse(wanted)
    without = read_question("Will Ann Lee not resign in 2027?", asked)
    assert relate(without, market) == ("complement" if wanted == "equivalent" else "covers")
