"""What the judge reads: nothing rewritten, names told behind the text."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date

from augury.language.contests import contest
from augury.language.vocabulary import default
from augury.matching import features, pairs


@dataclass(frozen=True)
class Market:
    question: str
    subtitle: str | None = None
    event_name: str | None = None
    description: str | None = None
    outcomes: list[str] = field(default_factory=lambda: ["Yes", "No"])


def test_the_question_stays_as_it_was_written() -> None:
    text = pairs.question_text("will wemby win  mvp", default(), date(2026, 2, 3))
    assert text == "will wemby win mvp (wemby = Victor Wembanyama) | Feb 2026"


def test_the_judge_reads_guesses_after_the_names() -> None:
    plain = "will the man in the Kremlin resign | Mar 2026"
    assert pairs.with_guesses(plain, []) == plain
    assert pairs.with_guesses(plain, ["Vladimir Putin"]) == (
        "will the man in the Kremlin resign (perhaps = Vladimir Putin) | Mar 2026"
    )
    named = "will the GOP win (GOP = Republican Party) | Mar 2026"
    assert pairs.with_guesses(named, ["Donald Trump", "J. D. Vance"]) == (
        "will the GOP win (GOP = Republican Party; perhaps = Donald Trump;"
        " perhaps = J. D. Vance) | Mar 2026"
    )


def test_a_market_tells_what_its_event_adds_and_what_decides() -> None:
    market = Market(
        "Who will win the MVP? — Victor Wembanyama", event_name="NBA MVP",
        description="If Victor Wembanyama wins the award, this resolves to Yes. More rules follow.",
    )  # fmt: skip
    text = pairs.market_text(market, 0, contest(market, 0), date(2026, 7, 1), default())
    assert text.startswith("Who will win the MVP? — Victor Wembanyama | NBA MVP")
    assert pairs.before_close(text).startswith(
        "Who will win the MVP? — Victor Wembanyama | NBA MVP"
    )
    assert "Jul 01 2026" not in pairs.before_close(text)
    assert text.endswith(
        "| closes Jul 01 2026 | If Victor Wembanyama wins the award, this resolves to Yes."
    )


def test_an_outcome_with_a_name_is_told() -> None:
    market = Market("Lakers vs. Celtics", outcomes=["Lakers", "Celtics"])
    assert "| yes = Celtics" in pairs.market_text(market, 1, contest(market, 1), None, default())


def test_the_side_of_a_game_is_told_from_the_rules() -> None:
    rules = (
        "If Quarry wins the Harbor St. vs Quarry college football game originally scheduled for "
        "Sep 6, 2025, then the market resolves to Yes. More follows."
    )
    market = Market("Harbor St. at Quarry", event_name="Harbor St. at Quarry", description=rules)
    assert pairs.choice(market, 0, contest(market, 0)) == "Quarry"
    text = pairs.market_text(market, 0, contest(market, 0), None, default())
    assert "| yes = Quarry" in text
    assert "Quarry college football" in text  # "St." is no end of a sentence


def test_shared_foreign_and_conflicting_names_are_counted() -> None:
    ours = features.read_names("Do the Celtics win the NBA Finals?", default())
    same = features.read_names("Will the Boston Celtics win the NBA Finals?", default())
    other = features.read_names("Will the Miami Heat win the NBA Finals?", default())
    assert features._names(ours.entities, same.entities)[0] >= 1
    assert features._names(ours.entities, same.entities)[3] == 0
    assert features._names(ours.entities, other.entities)[3] == 1


def test_whose_side_is_asked_about_first() -> None:
    ours = features.read_names("do the Celtics beat the Heat?", default())
    title = "Boston at Miami Winner?"
    for side, expected in (("Boston Celtics", 1.0), ("Miami Heat", -1.0)):
        market = features.read_names(f"{title} — {side}", default(), side)
        assert features._choice_first(ours.entities, market) == expected
