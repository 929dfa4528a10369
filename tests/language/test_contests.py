"""The side of a game is logic: what a market claims, what a question asks, how the two stand."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from augury.language import results
from augury.language.contests import NOTHING, Contest, Ends, contest
from augury.language.vocabulary import Alias, Entity, Vocabulary

FIRST, SECOND, DRAW = Ends.FIRST, Ends.SECOND, Ends.DRAW


@dataclass(frozen=True)
class Market:
    question: str
    subtitle: str | None = None
    event_name: str | None = None
    description: str | None = None
    outcomes: list[str] = field(default_factory=lambda: ["Yes", "No"])


def team(name: str, *aliases: str, topic: str = "ncaa") -> Entity:
    said = tuple(Alias(tuple(a.casefold().split()), "any") for a in (name, *aliases))
    return Entity(name, "team", topic, said, frozenset())


WORDS = Vocabulary(
    [
        team("Quarry State Moles", "Quarry State", "Quarry St", "Moles"),
        team("Quarry Badgers", "Quarry"),
        team("Harbor Gulls", "Harbor", "Gulls"),
        team("Port Velm", "Velm", "the Lanterns", topic="soccer"),
        team("Sund Athletic", "Sund", "Red Caps", topic="soccer"),
        team("Orrin Rovers", "Orrin", topic="soccer"),
        Entity(
            "Tam Brask", "person", "soccer", (Alias(("tam", "brask"), "any"),), frozenset(),
            ("Port Velm",),
        ),
    ]
)  # fmt: skip

COLLEGE = Market(
    "Harbor at Quarry St.",
    description="If Quarry St. wins the Harbor at Quarry St. college football game originally "
    "scheduled for Sep 6, 2025, then the market resolves to Yes.",
)
SOCCER = Market(
    "Port Velm vs Sund",
    description="If Sund wins the Port Velm vs Sund professional EPL soccer game originally "
    "scheduled for Sep 6, 2025 after 90 minutes, then the market resolves to Yes.",
)
TIE = Market(
    "Port Velm vs Sund — Tie",
    description="If Tie wins the Port Velm vs Sund professional EPL soccer game, then the market "
    "resolves to Yes.",
)
FIGHT = Market(
    "Will Juno Karst win the Ode vs Karst professional MMA fight scheduled for Aug 16, 2025?"
)
NAMED = Market("Open Velm: Ada Lunt vs Mira Sorel", outcomes=["Ada Lunt", "Mira Sorel"])
DAY = Market("Will Sund Athletic FC win on 2026-05-11?")
LEVEL = Market("Will Port Velm vs. Sund Athletic end in a draw?")


def stand(question: str, market: Market, outcome: int = 0) -> str | None:
    game = contest(market, outcome)
    assert game is not None
    found = results.game_relation(question, game, results.teams_and_people(question, WORDS), WORDS)
    return found.bearing if found else None


@pytest.mark.parametrize(
    ("market", "outcome", "claim", "yes", "draws"),
    [
        (COLLEGE, 0, SECOND, "Quarry St.", False),
        (SOCCER, 0, SECOND, "Sund", True),
        (SOCCER, 1, FIRST | DRAW, "Sund", True),
        (TIE, 0, DRAW, "Tie", True),
        (FIGHT, 0, SECOND, "Juno Karst", False),
        (NAMED, 0, FIRST, "Ada Lunt", False),
        (NAMED, 1, SECOND, "Mira Sorel", False),
        (DAY, 0, FIRST, "Sund Athletic FC", True),
        (LEVEL, 0, DRAW, "Tie", True),
        (Market("Harbor at Quarry Winner? — Harbor"), 0, FIRST, "Harbor", False),
        (Market("NBA: Gulls vs. Moles 2023-03-17", outcomes=["Gulls", "Moles"]), 1, SECOND,
         "Moles", False),
        (Market("Ode vs Karst", subtitle="Juno Karst"), 0, SECOND, "Juno Karst", False),
    ],
)  # fmt: skip
def test_a_market_claims_ends_of_its_game(
    market: Market, outcome: int, claim: Ends, yes: str, draws: bool
) -> None:
    game = contest(market, outcome)
    assert game is not None
    assert (game.claim, game.side, game.draws) == (claim, yes, draws)


@pytest.mark.parametrize(
    "title",
    [
        "Harbor at Quarry St.: Spread — Harbor wins by over 3.5 points",
        "Gulls vs. Moles: O/U 8.5",
        "Set 1 Winner: Lunt vs Sorel",
        "Dota 2: Team Ode vs Karst - Game 2 Winner",
        "Game Handicap: Ode (-1.5) vs Karst (+1.5)",
        "Will gold close at $3,000?",
        "Harbor at Quarry St.",  # nothing says which side
    ],
)
def test_other_markets_claim_no_end(title: str) -> None:
    assert contest(Market(title), 0) is None


def test_the_rules_name_the_sides_that_a_title_abbreviates() -> None:
    rules = "If Quarry wins the Quarry vs Port Velm professional women's basketball game originally"
    game = contest(Market("QRX at PV — Quarry", description=rules), 0)
    assert game is not None
    assert (game.claim, game.sides) == (FIRST, (("Quarry",), ("Port Velm",)))


def test_a_margin_in_the_rules_is_no_win() -> None:
    rules = "If Harbor wins the Harbor at Quarry St. college football game by more than 3.5 points,"
    assert contest(Market("Harbor at Quarry St.", description=rules), 0) is None


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("moles beat harbor", "same"),
        ("Quarry State over the Gulls this weekend?", "same"),
        ("any way the moles win on saturday", "same"),
        ("do the gulls lose to Quarry St", "same"),
        ("Can the Gulls pull the upset over Quarry State?", "opposite"),
        ("Quarry State drops its opener", "opposite"),
        ("quarry state fails to beat harbor", "opposite"),
        ("no upset for the gulls", "same"),
        ("quarry state doesn't lose to harbor", "same"),
        ("gulls get knocked out by Quarry State", "same"),
        ("Quarry State sends the gulls home", "same"),
        ("Harbor keeps Quarry State from winning", "opposite"),
        ("the win goes to Harbor", "opposite"),
        ("moles ML vs harbor", "same"),
        # Another school of a like name, and other matters.
        ("Quarry beats Harbor", None),
        ("moles win by 21+ over harbor", None),
        ("moles and gulls combine for 55 points", None),
        ("moles win the conference", None),
        ("Won't the moles beat harbor?", None),
        ("who wins, moles or gulls", None),
        ("harbor plays the moles", None),
    ],
)
def test_a_question_of_a_game_without_draws(question: str, expected: str | None) -> None:
    assert stand(question, COLLEGE) == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Will Velm defeat St. Brask (PA)?", "same"),
        ("Will Velm defeat St Brask?", "same"),
        ("Will St. Brask PA defeat Velm?", "opposite"),
    ],
)
def test_a_state_behind_a_name_may_be_left_out(question: str, expected: str) -> None:
    game = contest(
        Market("St. Brask (PA) at Velm",
               description="If Velm wins the St. Brask (PA) at Velm college football game, then"),
        0,
    )  # fmt: skip
    assert game is not None
    stand = results.game_relation(question, game, results.teams_and_people(question, WORDS), WORDS)
    assert stand is not None
    assert stand.bearing == expected


@pytest.mark.parametrize(
    ("question", "won", "tied", "day"),
    [
        ("Sund beat Port Velm", "same", "excludes", "same"),
        ("red caps drop points at velm", "opposite", "implied", "opposite"),
        ("Sund don't win at Velm", "opposite", "implied", "opposite"),
        ("Sund lose to Port Velm", "excludes", "excludes", "excludes"),
        ("Tam Brask and Velm lose to Sund", "same", "excludes", "same"),
        ("Velm avoid defeat against Sund", "opposite", "implied", "opposite"),
        ("can velm get something off the red caps", "opposite", "implied", "opposite"),
        ("Velm with at least a draw against Sund", "opposite", "implied", "opposite"),
        ("Velm and Sund share the points", "excludes", "same", "excludes"),
        ("one of the two wins, Velm or Sund?", "implied", "opposite", "implied"),
        ("Sund beat Orrin", None, None, "same"),
        ("Sund go through against Velm", None, None, None),
    ],
)
def test_a_question_of_a_game_with_draws(
    question: str, won: str | None, tied: str | None, day: str | None
) -> None:
    assert (stand(question, SOCCER), stand(question, TIE)) == (won, tied)
    assert stand(question, DAY) == day or (day == "implied" and "one of" in question)


ENDS = st.integers(0, 7).map(Ends)


@given(asked=ENDS, claim=ENDS, draws=st.booleans())
def test_sets_stand_as_truth_tables_say(asked: Ends, claim: Ends, draws: bool) -> None:
    game = Contest((("A",), ("B",)), claim, draws, "", "A")
    asked, claim = asked & game.all, claim & game.all
    ends = [end for end in (FIRST, SECOND, DRAW) if end & game.all]
    table = [(bool(end & asked), bool(end & claim)) for end in ends]
    match game.bearing(asked):
        case "same":
            assert all(a == c for a, c in table)
        case "opposite":
            assert all(a != c for a, c in table)
        case "excludes":
            assert not any(a and c for a, c in table)
        case "implies":
            assert all(c for a, c in table if a)
        case "implied":
            assert all(a for a, c in table if c)
        case "apart":
            assert set(table) >= {(True, True), (True, False), (False, True)}


WORDING = (
    "does {a} beat {b}", "{a} over {b}", "{a} loses to {b}", "{a} gets past {b}",
    "will {a} fail to beat {b}", "{a} avoids defeat against {b}", "{b} is beaten by {a}",
    "{a} drops points against {b}", "{a} and {b} draw", "{a} doesn't win against {b}",
)  # fmt: skip
NAMES = ("Ada Lunt", "Mira Sorel", "Juno Karst", "Bo Ferrand", "Wils Okten")


@given(
    wording=st.sampled_from(WORDING), names=st.permutations(NAMES), draws=st.booleans(),
    claim=st.integers(1, 6).map(Ends),
)  # fmt: skip
def test_names_and_order_change_nothing(
    wording: str, names: list[str], draws: bool, claim: Ends
) -> None:
    a, b = names[:2]
    question = wording.format(a=a, b=b)
    swapped = claim & DRAW
    swapped |= SECOND if claim & FIRST else NOTHING
    swapped |= FIRST if claim & SECOND else NOTHING
    game = Contest(((a,), (b,)), claim, draws, "", a)
    turned = Contest(((b,), (a,)), swapped, draws, "", a)
    expected = results.game_relation(question, game, (), WORDS)
    assert results.game_relation(question, turned, (), WORDS) == expected
    other = Contest((("Pia Tarn",), ("Gus Melk",)), claim, draws, "", a)
    assert (
        results.game_relation(wording.format(a="Pia Tarn", b="Gus Melk"), other, (), WORDS)
        == expected
    )


@given(asked=ENDS, claim=ENDS, draws=st.booleans())
def test_the_complement_of_a_market_turns_the_answer(asked: Ends, claim: Ends, draws: bool) -> None:
    one, other = (Contest((("A",), ("B",)), c, draws, "", "A") for c in (claim, ~claim))
    asked &= one.all
    turns = {
        ("same", "opposite"), ("excludes", "implies"), ("implied", "apart"), ("apart", "apart"),
    }  # fmt: skip
    found = one.bearing(asked), other.bearing(asked)
    if asked in (NOTHING, one.all) or claim & one.all in (NOTHING, one.all):
        return  # always or never so: no question, no market
    assert found in turns or found[::-1] in turns
