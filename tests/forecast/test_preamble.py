"""Which words ask, and what is told around them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from augury.forecast.normalize import normalize
from augury.forecast.preamble import split_text, without_denials

AT = datetime(2026, 3, 1, 15, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "asking"),
    [
        ("I don't buy the hype, but will Bitcoin be above $64,000 on June 27?",
         "will Bitcoin be above $64,000 on June 27?"),
        ("They never fix it and nobody cares, unlikely as it sounds, does Congress repeal the cap?",
         "does Congress repeal the cap?"),
        ("nobody here buys it tho but will bill barr turn up", "will bill barr turn up"),
        ("My pension is gold. No way it ends over $4,000?", "No way it ends over $4,000?"),
        ("mom of 4 here, zero chance a republican wins the AZ 8th seat?",
         "zero chance a republican wins the AZ 8th seat?"),
        ("pm davis isn't ready, jamaica votes, but a snap election in the bahamas this year?",
         "a snap election in the bahamas this year?"),
        ("Will the euro fall below 1.00 this year? Asking for my rent money",
         "Will the euro fall below 1.00 this year?"),
    ],
)  # fmt: skip
def test_the_part_that_asks(text: str, asking: str) -> None:
    found = split_text(text)
    assert found.asking == asking
    assert f"{found.before} {found.asking} {found.after}".split()[-1] == text.split()[-1]


@pytest.mark.parametrize(
    "text",
    [
        # a condition, a time or a place belongs to the question
        "If Trump isn't there, will Vance win in 2028?",
        "I said if they don't sign, will Ukraine lose Donetsk by June?",
        "In the 2026 Kentucky Republican primary, will Andy Barr win?",
        # what follows asks nothing of its own
        "The Lakers don't win on Friday, is that likely?",
        "Will the Fed not cut in March, or will it cut in April 2026?",
        "The Fed doesn't cut in March, and it stays there?",
        "No PS3 games before 2026, is that the safe bet for a dad with 80 old discs?",
        'He said "no way, will Trump resign" on TV',
    ],
)
def test_what_belongs_together_stays(text: str) -> None:
    assert split_text(text).asking == text


def test_what_is_told_is_quiet() -> None:
    assert without_denials("They won't win, can't score, and nobody ain't sad") == (
        "They will win, can score, and is sad"
    )


@pytest.mark.parametrize(
    ("question", "positive"),
    [
        ("The Brits sat out and Macron isn't keen, but isn't Germany going to strike Iran?", True),
        ("warriors can't win 50 games without Curry, am I right?", False),
        ("us soldiers havent and wont set foot in yemen before 2025 is up?", False),
        ("doubt collignon beats ruud in paris, so he doesnt right?", False),
        ("there's zero chance Sweden win the final, right?", False),
        ("nothing's stopping the Ducks from beating Utah on Saturday?", True),
        ("Delcy's token won't be above $6B, right? Farmers dump anyway", False),
        (
            "They missed it twice, but isn't Waymo going to start by June 30, never mind Denver?",
            True,
        ),
        ("I can't see anything stopping Scheffler from winning in 2026?", True),
        ("Will no one leave the Trump Cabinet before 2027?", False),
        ("Anything but Arsenal as champions this season: is that what we'll get?", False),
        ("ether gonna dump to 1,600 this April?", True),
    ],
)
def test_the_sense_is_read(question: str, positive: bool) -> None:
    reading = normalize(question, AT)
    assert (reading.proposition.positive) is positive
