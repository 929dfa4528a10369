"""What the judge's verdicts change of an answer, and what they may not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

import numpy as np
import pytest
from tests.forecast.conftest import market

from augury.forecast import horizons, judging
from augury.forecast.bearing import Compared
from augury.forecast.described import Guess
from augury.forecast.engine import Engine
from augury.forecast.evidence import Estimate, Snapshot
from augury.forecast.explain import percent
from augury.forecast.normalize import normalize
from augury.forecast.properties import snapshot
from augury.language.vocabulary import default
from augury.matching.features import COMPARED, NAMES, Matrix
from augury.matching.judge import MAX_BEHIND, Judge, JudgedOrder, Verdict, worth_reading
from augury.matching.trees import Trees
from augury.search.embedding import Embedder

AT = datetime(2027, 1, 10, 12, tzinfo=UTC)
PRICE = 0.2
QUESTION = "do the Rangers get knocked out before the final"
TITLE = "Will the Rangers reach the 2027 final?"
LIMITS = {
    "same": 0.8, "opposite": 0.9, "agree": 0.1, "contrary": 0.9, "sided": 0.7, "bound": 0.2,
    "order": 0.6, "absent": 0.3,
}  # fmt: skip


class Fixed(Judge):
    """A judge with limits but without a model: its verdicts are given."""

    def __init__(self) -> None:
        super().__init__(None, None, None, None, LIMITS, ((0.0, 0.0), (1.0, 1.0)))  # type: ignore[arg-type]


class Saying(Fixed):
    """A judge that says the same of every market."""

    def __init__(self, verdict: Verdict) -> None:
        super().__init__()
        object.__setattr__(self, "said", verdict)

    def verdicts(self, question: str, markets: Sequence[str], features: Matrix) -> list[Verdict]:
        return [self.said] * len(markets)  # type: ignore[attr-defined]


@pytest.fixture(scope="module")
def engine() -> Engine:
    embedder = Embedder.load()
    return Engine(embedder.embed, embedder.rarity, Fixed())


def asked(engine: Engine, question: str, *titles: str) -> Compared:
    known: list[Snapshot] = [
        snapshot(market(n, title, PRICE, "2027-07-31T00:00"), n, PRICE, AT)
        for n, title in enumerate(titles, 1)
    ]
    return engine.compare(normalize(question, AT), known, AT)


def given(engine: Engine, compared: Compared, same: float, opposite: float) -> Estimate:
    verdict = Verdict(same, opposite)
    return engine.estimate(compared, verdicts={(1, 0): verdict})


@pytest.mark.parametrize(
    ("same", "opposite", "probability"), [(0.95, 0.02, PRICE), (0.02, 0.95, 1 - PRICE)]
)
def test_a_sure_judge_names_the_market_and_the_side(
    engine: Engine, same: float, opposite: float, probability: float
) -> None:
    found = given(engine, asked(engine, QUESTION, TITLE), same, opposite)
    assert found.probability == pytest.approx(probability, abs=0.01)
    assert [one.role for one in found.evidence] == ["direct"]


def test_where_rules_and_an_unsure_judge_name_other_sides_nothing_is_direct(
    engine: Engine,
) -> None:
    compared = asked(engine, "do the Rangers make the 2027 final", TITLE)
    assert engine.estimate(compared).probability == pytest.approx(PRICE, abs=0.01)
    found = given(engine, compared, 0.02, 0.85)
    assert "direct" not in [one.role for one in found.evidence]


def test_against_the_rules_the_judge_must_be_surer_or_neither_is_believed(engine: Engine) -> None:
    compared = asked(engine, "do the Rangers miss the 2027 final", TITLE)
    rules = engine.estimate(compared).probability
    assert rules == pytest.approx(1 - PRICE, abs=0.01)
    unsure, sure = (given(engine, compared, same, 0.02) for same in (0.85, 0.95))
    assert "direct" not in [one.role for one in unsure.evidence]
    assert sure.probability == pytest.approx(PRICE, abs=0.01)


def test_of_a_market_whose_side_is_not_clear_no_side_is_taken(engine: Engine) -> None:
    compared, low = asked(engine, QUESTION, TITLE), Fixed()
    object.__setattr__(low, "limits", LIMITS | {"same": 0.4, "opposite": 0.4})
    clear, unclear = (
        judging.applied(
            compared.bearings, {(1, 0): Verdict(same, 0.5)}, low,
            positive=compared.reading.proposition.positive,
        )[0].fit
        for same in (0.05, 0.4)
    )  # fmt: skip
    assert clear.score > judging.SURE_SCORE
    assert unclear == compared.bearings[0].fit


def test_confidence_is_the_share_that_was_right(engine: Engine) -> None:
    compared = asked(engine, QUESTION, TITLE)
    sure, surer = (given(engine, compared, same, 0.01).confidence for same in (0.82, 0.98))
    assert sure < surer


def test_what_the_judge_finds_to_be_another_matter_is_no_evidence(engine: Engine) -> None:
    question, title = "Will Arsenal win the league in 2027?", "Will Arsenal win the cup in 2027?"
    found = given(engine, asked(engine, question, title), 0.01, 0.01)
    assert "direct" not in [one.role for one in found.evidence]


def test_rules_alone_do_not_make_a_market_the_question_that_the_judge_left_unread(
    engine: Engine,
) -> None:
    question = "do the Rangers make the 2027 final"
    compared = asked(engine, question, TITLE, "Will the Sharks leave the league?")
    alone = engine.estimate(compared)
    assert [one.role for one in alone.evidence][:1] == ["direct"]
    beside = engine.estimate(compared, verdicts={(2, 0): Verdict(0.0, 0.0)})
    assert "direct" not in [one.role for one in beside.evidence]
    verbatim = asked(engine, TITLE, TITLE, "Will the Sharks leave the league?")
    assert engine.estimate(verbatim, verdicts={(2, 0): Verdict(0.0, 0.0)}).probability == (
        pytest.approx(PRICE, abs=0.01)
    )


def test_a_market_s_own_words_need_no_judge(engine: Engine) -> None:
    found = given(engine, asked(engine, TITLE, TITLE), 0.0, 0.99)
    assert found.probability == pytest.approx(PRICE, abs=0.01)


def test_logic_stands_above_the_judge(engine: Engine) -> None:
    compared = asked(engine, "Will Bitcoin be above $90,000 on May 1, 2027?",
                     "Will Bitcoin be above $100,000 on May 1, 2027?")  # fmt: skip
    assert compared.bearings[0].relation == "implied_by"
    found = given(engine, compared, 0.01, 0.99)
    assert found.probability is None or found.probability >= PRICE


def test_an_order_bounds_the_answer_where_the_judge_finds_it_right(engine: Engine) -> None:
    compared = asked(engine, "do the Rangers win a first-round series this spring",
                     "Will the New York Rangers reach the 2027 final?")  # fmt: skip
    bearing = compared.bearings[0]
    assert bearing.relation == "none"
    for bound, expected in ((None, None), (0.05, False), (0.9, True)):
        verdict = Verdict(0.01, 0.01, bound_trust=bound)
        [found] = judging.applied([bearing], {(1, 0): verdict}, Fixed(), positive=True)
        assert found.sets_bound is expected


def test_what_the_judge_lets_bound_needs_no_shared_words_and_else_bounds_nothing(
    engine: Engine,
) -> None:
    compared = asked(engine, "Will the Rangers win the championship in 2027?", TITLE)
    bearing = replace(
        compared.bearings[0], relation="none",
        fit=replace(compared.bearings[0].fit, stage="implies", window="same", content=0.3,
                    asked=0.2, likeness=-6.0, score=0.2),
    )  # fmt: skip
    roles = {}
    for bound in (0.05, 0.9):
        given = replace(compared, bearings=[bearing])
        found = engine.estimate(given, verdicts={(1, 0): Verdict(0.01, 0.01, bound_trust=bound)})
        roles[bound] = [one.role for one in found.evidence]
    assert roles == {0.05: [], 0.9: ["bound"]}


@pytest.mark.parametrize(("likely", "roles"), [(0.1, ["bound"]), (0.5, [])])
def test_where_a_market_may_ask_the_question_no_other_one_bounds_it(
    engine: Engine, likely: float, roles: list[str]
) -> None:
    compared = asked(engine, "Will the Rangers win the championship in 2027?", TITLE,
                     "Will the Rangers lift the cup in 2027?")  # fmt: skip
    fit = replace(compared.bearings[0].fit, content=0.3, asked=0.2, likeness=-6.0, score=0.2)
    compared = replace(
        compared,
        bearings=[
            replace(b, relation="none", fit=replace(fit, stage=stage, window="same"))
            for b, stage in zip(compared.bearings, ("implies", "differs"), strict=True)
        ],
    )
    first, second = ((b.market.seq, b.outcome) for b in compared.bearings)
    verdicts = {first: Verdict(0.01, 0.01, bound_trust=0.9), second: Verdict(likely, 0.01)}
    found = engine.estimate(compared, verdicts=verdicts)
    assert [one.role for one in found.evidence] == roles


@pytest.mark.parametrize(
    ("order", "bounds"),
    [
        (JudgedOrder("implies", 0.9), (0.0, PRICE)),
        (JudgedOrder("implied_by", 0.9), (PRICE, 1.0)),
        (JudgedOrder("excludes", 0.9), (0.0, 1 - PRICE)),
        (JudgedOrder("covers", 0.9), (1 - PRICE, 1.0)),
        (JudgedOrder("implies", 0.5), None),
    ],
)  # fmt: skip
@pytest.mark.parametrize("negation", ["", "not "])
def test_a_market_bounds_the_answer_by_the_judge_s_word_alone(
    engine: Engine, order: JudgedOrder, bounds: tuple[float, float] | None, negation: str
) -> None:
    """The relation is that of the question as it was asked, with its negation."""
    question = f"Will the Rangers {negation}beat the Sharks on the way to the cup?"
    compared = asked(engine, question, TITLE)
    said = {(1, 0): Verdict(0.01, 0.01, order=order)}
    found = engine.estimate(compared, verdicts=said)
    assert found.bounds == (bounds or (0.0, 1.0))
    if bounds is None:
        assert not found.count("bound")
        return
    [one] = [one for one in found.evidence if one.role == "bound"]
    assert (one.low, one.high) == pytest.approx(bounds)
    assert bounds[0] <= (found.probability or 0.0) <= bounds[1]
    assert "as the trained judge reads the texts" in found.reasoning
    assert one.relation in found.reasoning
    assert "asks the opposite" not in found.reasoning
    assert "1 minus" not in found.reasoning
    asks = engine.estimate(compared, verdicts={(1, 0): Verdict(0.95, 0.01, order=order)})
    assert [one.role for one in asks.evidence] == ["direct"]


GAME = "Ode Lantern vs. Mira Sorel"


def test_a_game_is_on_its_day_and_not_on_that_of_its_close(engine: Engine) -> None:
    """Markets on games stay open up to two years longer, in case the game is delayed."""
    game = market(1, "Quarry at Velm", PRICE, "2029-01-14T00:00",
                  event_id="KXNFLGAME-27JAN14QRXVLM")  # fmt: skip
    question = normalize("do Quarry win at Velm on January 14?", AT)
    compared = engine.compare(question, [snapshot(game, 1, PRICE, AT)], AT)
    assert compared.bearings[0].fit.window == "same"
    brief = engine.brief(compared)
    assert brief is not None
    assert "closes Jan 14 2027" in brief.markets[0]


@pytest.mark.parametrize(
    ("question", "probability"),
    [("Lantern beats Sorel", PRICE), ("Sorel beats Lantern", 1 - PRICE)],
)
def test_of_a_game_the_side_is_no_matter_of_the_judge(
    engine: Engine, question: str, probability: float
) -> None:
    game = market(1, GAME, PRICE, "2027-07-31T00:00", outcomes=("Ode Lantern", "Mira Sorel"))
    known = [snapshot(game, 1, PRICE, AT)]
    compared = engine.compare(normalize(question, AT), known, AT)
    brief = judging.brief(compared, default(), most=12)
    assert {relation.bearing for relation in brief.game_relations if relation} == {
        "same",
        "opposite",
    }
    for wrong in (Verdict(0.9, 0.05), Verdict(0.05, 0.9)):
        found = engine.estimate(compared, verdicts=brief.judged(Saying(wrong)))
        assert found.probability == pytest.approx(probability, abs=0.01)
        assert {one.role for one in found.evidence} == {"direct"}


def test_a_draw_is_no_answer_from_a_win(engine: Engine) -> None:
    rules = (
        "If Ode wins the Ode vs Sorel professional soccer game, then the market resolves to Yes."
    )
    game = market(1, "Ode vs Sorel", PRICE, "2027-07-31T00:00", description=rules)
    compared = engine.compare(
        normalize("Ode and Sorel share the points", AT), [snapshot(game, 1, PRICE, AT)], AT
    )
    brief = judging.brief(compared, default(), most=12)
    assert [relation.bearing for relation in brief.game_relations if relation] == ["excludes"]
    found = engine.estimate(compared, verdicts=brief.judged(Saying(Verdict(0.95, 0.02))))
    assert "direct" not in [one.role for one in found.evidence]


@pytest.mark.parametrize(
    ("question", "title", "unmet"),
    [
        (
            "Will Ann Lee be the top artist of 2028?",
            "Will Ann Lee be the top artist of 2027?",
            True,
        ),
        (
            "Ann Lee was top in 2025, will she be it in 2027?",
            "Ann Lee the top artist of 2027?",
            False,
        ),
        # a season has two years
        ("Will Zenda win the 2028 football title?", "Zenda football champion of 2027?", False),
        ("Will Zenda win the 2028-29 league?", "Will Zenda win the 2027–28 league?", True),
        ("Will Zenda win the 2027/28 league?", "Will Zenda win the 2027–28 league?", False),
        ("Does Zenda win the 2027 NBA title?", "Will Zenda win the 2028 NBA Finals?", True),
        ("Does Zenda win the NBA in the 2027 season?", "Zenda 2028 NBA champion?", False),
        ("Will Iran strike Israel in 2027?", "Will Israel strike Iran in 2027?", True),
        ("Will ether dip to $1,800 in June 2027?", "Will ether dip to $1,800 in May 2027?", True),
        ("Will ether dip to $1,800 in June 2027?", "Will ether dip to $1,800 in 2027?", False),
        ("Is ether above $1,800 on June 9?", "Is ether above $1,800 on June 8?", True),
        ("Is ether above $1,800 on June 9?", "Is ether above $1,800 on June 9?", False),
        # a day without a year may be the last or the next one, and so may a day of the week
        ("Was ether above $1,800 on January 3?", "Ether above $1,800 on January 3, 2027?", False),
        ("Is ether above $1,800 on June 9?", "Is ether above $1,800 on June 16?", False),
    ],
)
def test_another_year_and_swapped_parts_are_excluded(
    engine: Engine, question: str, title: str, unmet: bool
) -> None:
    assert judging.brief(asked(engine, question, title), default(), most=12).unmet == (unmet,)


@pytest.mark.parametrize(("closes", "unmet"), [("2028-01-31", False), ("2029-01-31", True)])
def test_a_market_that_closes_years_later_is_of_another_year(
    engine: Engine, closes: str, unmet: bool
) -> None:
    title = "Will Zenda win the governorship of Ruri"
    known = snapshot(market(1, title, PRICE, f"{closes}T00:00"), 1, PRICE, AT)
    compared = engine.compare(normalize(f"{title} in 2027", AT), [known], AT)
    assert judging.brief(compared, default(), most=12).unmet == (unmet,)


@pytest.mark.parametrize(
    ("question", "title"),
    [
        ("Will Ann Lee top 2028?", "Will Ann Lee be the top artist of 2027?"),
        ("Do the Lakers win the 2027 title?", "Will the Celtics win the 2027 title?"),
        ("Is it false that Ann Lee will top 2028?", "Will Ann Lee be the top artist of 2027?"),
    ],
)
@pytest.mark.parametrize(
    ("verdict", "direct"),
    [(Verdict(0.84, 0.02), 0), (Verdict(0.95, 0.02), 1), (Verdict(0.02, 0.95), 1)],
)
def test_a_sure_judge_needs_no_rules(
    engine: Engine, question: str, title: str, verdict: Verdict, direct: int
) -> None:
    compared = asked(engine, question, title)
    brief = judging.brief(compared, default(), most=12)
    assert brief.unmet == (True,)
    found = engine.estimate(compared, verdicts=brief.judged(Saying(verdict)))
    assert found.count("direct") == direct


def test_two_prices_of_one_title_make_the_answer_unsure(engine: Engine) -> None:
    def sure(other: float, closes: str) -> float:
        prices = [(0.97, "2027-07-31T00:00"), (other, closes)]
        known: list[Snapshot] = [
            snapshot(market(n, TITLE, price, end), n, price, AT)
            for n, (price, end) in enumerate(prices, 1)
        ]
        found = engine.estimate(engine.compare(normalize(TITLE, AT), known, AT))
        return found.confidence

    assert sure(0.96, "2027-07-31T12:00") > 0.85
    assert sure(0.2, "2027-07-31T12:00") < 0.5


def test_a_day_between_two_deadlines_is_answered_by_its_distance(engine: Engine) -> None:
    deadlines = [("June 30, 2027", 0.05), ("December 31, 2027", 0.45)]
    known: list[Snapshot] = [
        snapshot(market(n, f"Ada Novak out by {day}?", price, "2027-12-31T00:00"), n, price, AT)
        for n, (day, price) in enumerate(deadlines, 1)
    ]

    def answered(question: str) -> float:
        found = engine.estimate(engine.compare(normalize(question, AT), known, AT))
        assert found.probability is not None
        assert f"Estimate: {percent(found.probability)}" in found.reasoning
        return found.probability

    assert answered("Is Ada Novak out by December 25, 2027?") > 0.4
    assert 0.05 < answered("Is Ada Novak out by July 6, 2027?") < 0.1


def test_a_brief_holds_the_first_of_both_orders_once(engine: Engine) -> None:
    titles = [f"Will the {n}th Rangers reach the 2027 final?" for n in range(30)]
    compared = asked(engine, QUESTION, *titles)
    brief = judging.brief(compared, default(), most=12)
    assert len(brief.markets) == len(brief.bearings) == len(brief.ranks) == 12
    assert np.asarray(brief.features).shape[0] == 12
    assert {(0, 1)} <= {(min(rank), 1) for rank in brief.ranks}
    assert len({b.market.seq for b in brief.bearings}) == 12


def test_a_shortlist_says_which_markets_are_read(engine: Engine) -> None:
    titles = [f"Will the {n}th Rangers reach the 2027 final?" for n in range(30)]
    compared = asked(engine, QUESTION, *titles)
    column = COMPARED.index("rank")
    last = Trees(  # one tree: whatever stands behind the 20th place of the index is better
        feature=np.array([[column, -1, -1]], np.int32),
        threshold=np.array([[np.log1p(19.5), 0, 0]]),
        left=np.array([[1, 0, 0]], np.int32), right=np.array([[2, 0, 0]], np.int32),
        value=np.array([[0.0, 0.0, 1.0]]), classes=1, depth=1,
    )  # fmt: skip
    brief = judging.brief(compared, default(), last, most=10)
    assert {rank for rank, _ in brief.ranks} == set(range(20, 30))


def test_a_market_far_behind_is_read_only_if_the_rules_relate_it() -> None:
    scores = np.array([-MAX_BEHIND - 1, 0.0, -MAX_BEHIND + 1, -MAX_BEHIND - 2, -MAX_BEHIND - 3])
    rows = np.zeros((5, len(COMPARED)), np.float32)
    rows[3, COMPARED.index("window_implies")] = 1
    rows[4, COMPARED.index("same")] = 1
    assert worth_reading(scores, rows) == [1, 2, 3, 4]
    assert worth_reading(scores, rows, most=2) == [1, 2]
    assert worth_reading(scores[:0], rows[:0]) == []


TALLY = "Will the Acorns win over 12.5 games this season?"


@pytest.mark.parametrize(
    ("question", "probability"),
    [
        ("do the Acorns get to at least 13 wins this season", PRICE),
        ("do the Acorns finish with a dozen wins or fewer this season", 1 - PRICE),
    ],
)
@pytest.mark.parametrize("verdict", [(0.5, 0.45), (0.1, 0.85)])
def test_levels_say_which_side_it_is(
    engine: Engine, question: str, probability: float, verdict: tuple[float, float]
) -> None:
    found = given(engine, asked(engine, question, TALLY), *verdict)
    assert found.probability == pytest.approx(probability, abs=0.01)


@pytest.mark.parametrize(
    ("question", "probability"),
    [("will novak lose", PRICE), ("Will Ada Novak win?", 1 - PRICE)],
)
@pytest.mark.parametrize("verdict", [(0.9, 0.05), (0.05, 0.9)])
def test_who_is_voted_out_has_not_won(
    engine: Engine, question: str, probability: float, verdict: tuple[float, float]
) -> None:
    """Whichever side the judge takes."""
    found = given(engine, asked(engine, question, "Ada Novak out by July 31, 2027?"), *verdict)
    assert found.probability == pytest.approx(probability, abs=0.01)


def test_what_is_handed_out_leaves_no_post(engine: Engine) -> None:
    question = "Does the Zenda medal handed out in June 2027 go to Ada Novak?"
    found = given(engine, asked(engine, question, "Will Ada Novak win the Zenda medal?"), 0.9, 0.02)
    assert found.probability == pytest.approx(PRICE, abs=0.01)


def test_another_level_is_never_the_question(engine: Engine) -> None:
    question = "do the Acorns get to at least 15 wins this season"
    found = given(engine, asked(engine, question, TALLY), 0.99, 0.0)
    assert not found.count("direct")


def test_a_title_that_denies_counts_only_where_judge_and_rules_agree(engine: Engine) -> None:
    title = "Will Acme not go public by July 31, 2027?"
    compared = asked(engine, "does Acme stay off the stock market until August 2027", title)
    assert given(engine, compared, 0.9, 0.02).probability == pytest.approx(PRICE, abs=0.01)
    assert given(engine, compared, 0.02, 0.95).probability is None


def test_a_frame_that_denies_is_not_the_judges_to_read(engine: Engine) -> None:
    compared = asked(engine, f"Is it wrong to say that the {TITLE[9:]}", TITLE)
    brief = engine.brief(compared)
    assert brief is not None
    assert "wrong" not in brief.asked

    class Sure(Fixed):
        def verdicts(self, question: str, markets: Any, features: Any) -> list[Verdict]:
            return [Verdict(0.9, 0.05) for _ in markets]

    assert brief.judged(Sure()) == {(1, 0): Verdict(0.05, 0.9)}


def test_guesses_choose_markets_and_are_read_by_the_judge_alone(engine: Engine) -> None:
    compared = asked(engine, "does the outfit behind ChatGPT go public", "OpenAI IPO in 2027?")
    meant = next(entity for entity in default().entities if entity.name == "OpenAI")
    guessed = replace(compared.reading, guesses=(Guess(meant, 0.9),))
    brief = judging.brief(replace(compared, reading=guessed), default(), most=12)
    assert brief.features[0, NAMES.index("described")] == pytest.approx(0.9)
    assert "perhaps" not in brief.asked  # the text that a language model reads

    class Reader(Fixed):
        def verdicts(self, question: str, markets: Any, features: Any) -> list[Verdict]:
            assert "perhaps = OpenAI" in question
            return [Verdict(0.9, 0.05) for _ in markets]

    assert brief.judged(Reader()) == {(1, 0): Verdict(0.9, 0.05)}
    unguessed = judging.brief(compared, default(), most=12)
    assert unguessed.guessed_names == ()
    assert unguessed.features[0, NAMES.index("described")] == 0


def test_guesses_stay_with_a_question_to_which_a_deadline_is_added(engine: Engine) -> None:
    compared = asked(engine, "does the outfit behind ChatGPT go public", "OpenAI IPO in 2027?")
    meant = next(entity for entity in default().entities if entity.name == "OpenAI")
    guessed = replace(compared.reading, guesses=(Guess(meant, 0.9),))
    dated = horizons.until(replace(compared, reading=guessed), date(2028, 1, 1))
    assert dated.guesses == guessed.guesses
