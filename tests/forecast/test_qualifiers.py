"""A way to win is a case of winning, so the market on the win is an upper bound."""

from __future__ import annotations

import pytest

from augury.forecast.evidence import Estimate
from augury.forecast.qualifiers import is_asked, narrowed, wider


@pytest.mark.parametrize(
    ("question", "without"),
    [
        ("golden gophers winning by two touchdowns or more at cal?",
         "golden gophers winning at cal?"),
        ("red raiders by more than 20 over oregon state", "red raiders beat oregon state"),
        ("Will Leeds win with a clean sheet on May 11?", "Will Leeds win on May 11?"),
        ("liverpool win at turf moor without conceding", "liverpool win at turf moor"),
        ("caceres takes the primary with over half of the vote", "caceres takes the primary"),
        ("iga over mirra in two sets in stuttgart", "iga over mirra in stuttgart"),
        ("Will Keller be reelected in the first round in November?",
         "Will Keller be reelected in November?"),
        ("Will she be confirmed by the Senate with more than 55 votes?",
         "Will she be confirmed by the Senate?"),
        ("niners beat the bills in the super bowl next february",
         "niners win the super bowl next february"),
        ("Bayern beat Arsenal in the Champions League final?", "Bayern win the Champions League?"),
        ("burt jones gets the nod outright on may 19, no runoff needed",
         "burt jones gets the nod on may 19"),
        ("Will the Court strike it down by a 6-3 vote before 2029?",
         None),
        ("Will the Knicks win by June 12?", None),
        ("Will Ada win by 2028?", None),
        ("Bearkats keep it within ten or win outright tomorrow?", None),
        ("Will Ada not win by 5 points?", None),
        ("Will rates rise by 50 basis points?", None),
    ],
)  # fmt: skip
def test_the_way_is_left_out(question: str, without: str | None) -> None:
    assert wider(question) == without


def test_a_market_on_the_way_names_it() -> None:
    question, without = "Will Ada win by 5 points?", "Will Ada win?"
    assert is_asked("Ada wins by 5 or more", question, without)
    assert is_asked("Ada (-4.5)", question, without)
    assert not is_asked("Will Ada win the race?", question, without)


def test_the_win_bounds_the_way() -> None:
    win = Estimate(evidence=(), probability=0.6, lower=0.5, upper=0.7, confidence=0.95, trust=0.9)
    found = narrowed(win)
    assert found.limits == (0.0, 0.6)
    assert 0 < (found.probability or 0) < 0.6
    assert (found.lower, found.upper) == (0.0, 0.7)
    assert found.confidence < 0.5
    assert found.trust == 0.9
