"""From the factors a question names to those around them."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.relations.small_base import BASE, NUMBERS, TEXT, pool

from augury.relations import rank
from augury.relations.causal import knowledge, paths
from augury.relations.causal.paths import FactorGraph, Reached, Relation
from augury.relations.columns import COLUMNS
from augury.relations.rank import RELATED_RATIO
from augury.relations.ranker import CLASSES
from augury.relations.service import QueryFactors, RelationService
from augury.search.related import Pool, PoolReading
from augury.search.schemas import DIMENSIONS


def reach(*keys: str) -> tuple[Reached, dict[str, dict[str, float]]]:
    reached = FactorGraph(BASE).reach([(NUMBERS[key], 1.0) for key in keys])
    weights = {
        relation: {
            key: float(reached.weights[nth, number])
            for key, number in NUMBERS.items()
            if reached.weights[nth, number]
        }
        for nth, relation in enumerate(paths.RELATIONS)
    }
    return reached, weights


def test_causes_are_upstream_effects_downstream_and_the_second_step_counts_less() -> None:
    _, weights = reach("monsoon")
    assert weights["upstream"]["ocean"] == 1.0
    assert weights["downstream"]["rain-rome"] == 1.0
    assert weights["downstream"]["harvest"] == pytest.approx(0.6)
    assert weights["downstream"]["bread"] == pytest.approx(0.6 * paths.SECOND_STEP)
    assert "bread" not in weights["upstream"]


def test_what_is_asked_for_is_not_related_to_itself() -> None:
    _, weights = reach("monsoon", "harvest")
    assert not any("monsoon" in found or "harvest" in found for found in weights.values())


def test_links_and_siblings_move_together() -> None:
    assert reach("beer")[1]["correlated"] == {"bread": pytest.approx(0.6)}
    rome = reach("rain-rome")[1]["correlated"]
    assert rome["rain-oslo"] == rome["rain-lima"] == paths.SIBLING_WEIGHT


def test_a_pattern_may_say_that_its_instances_have_nothing_in_common() -> None:
    text = TEXT.replace('up = "it rains more"', 'up = "it rains more"\nsiblings = false')
    base = knowledge.parse({"test.toml": text})
    assert base.problems == ()
    assert FactorGraph(base).siblings == {}


def test_only_the_first_siblings_are_looked_up() -> None:
    reached, _ = reach("rain-rome")
    assert reached.looked_up[NUMBERS["monsoon"]]
    assert reached.looked_up[NUMBERS["rain-oslo"]]
    towns = [f'["t{n}", "Town {n}"]' for n in range(paths.FIRST_SIBLINGS)]
    text = TEXT.replace('["oslo", "Oslo"]', ", ".join([*towns, '["oslo", "Oslo"]']))
    base = knowledge.parse({"test.toml": text})
    numbers = {key: number for number, key in enumerate(base.factors, 1)}
    reached = FactorGraph(base).reach([(numbers["rain-rome"], 1.0)])
    assert reached.weights[2, numbers["rain-oslo"]] == paths.SIBLING_WEIGHT
    assert not reached.looked_up[numbers["rain-oslo"]]
    assert reached.looked_up[numbers["rain-t0"]]


def test_the_steps_lead_from_the_question_to_the_factor() -> None:
    reached, _ = reach("rain-rome")
    path = reached.path(0, NUMBERS["ocean"])
    assert [(step.source, step.target) for step in path] == [
        (NUMBERS["rain-rome"], NUMBERS["monsoon"]),
        (NUMBERS["monsoon"], NUMBERS["ocean"]),
    ]
    assert sum(step.lag for step in path) == 32


# Ranking and reasons


class Plain:
    """In place of the fitted trees: the chance of a relation is the weight of its path."""

    floors = dict.fromkeys(paths.RELATIONS, 0.05)

    def chances(self, rows: NDArray[np.float32]) -> NDArray[np.float32]:
        out = np.zeros((len(rows), len(CLASSES)), np.float32)
        for nth, relation in enumerate(paths.RELATIONS, 2):
            out[:, nth] = rows[:, COLUMNS.index(f"{relation[:2]}_path")]
        out[:, 4] = np.maximum(out[:, 4], 0.1 * rows[:, COLUMNS.index("own")])
        return out


def plainly(base: knowledge.Base = BASE) -> RelationService:
    relations = RelationService(base)
    relations.__dict__["ranker"] = Plain()
    return relations


def asked(query: str, *results: str):
    """What a query is about whose best direct results are about the factors `results`."""
    tags = np.zeros((len(results), 6), np.uint16)
    tags[:, 0] = [NUMBERS[key] for key in results]
    fits = (tags > 0).astype(np.float32)
    keys, scores = np.arange(len(results)), np.ones(len(results), np.float32)
    return plainly().ask(query, keys, tags, fits, scores)


class Row(NamedTuple):
    position: int
    score: float
    factor_id: int
    reason: str


def rows(reading: PoolReading, direct: NDArray[np.float32]) -> dict[Relation, list[Row]]:
    return {
        relation: [
            Row(at, score, factor, reading.reason(relation, at, factor))
            for at, score, factor in zip(*(column.tolist() for column in found), strict=True)
        ]
        for relation, found in reading.rank(direct).items()
    }


def ranked(lookup: QueryFactors, markets: Pool) -> dict[Relation, list[Row]]:
    """The markets of each relation where no market is surely direct."""
    return rows(lookup.read(markets), np.zeros(len(markets.keys), np.float32))


def related(query: str, markets: Pool) -> dict[Relation, list[Row]]:
    return ranked(asked(query), markets)


def test_results_say_what_a_question_is_about_where_its_words_do_not() -> None:
    found = dict(asked("Plenty", "bread", "beer", "ocean", "harvest", "monsoon").factors)
    assert found[NUMBERS["bread"]] == 0.5
    named = dict(asked("Harvest", "bread", "beer").factors)
    assert set(named) == {NUMBERS["harvest"]}  # what the harvest drives is an answer


def test_no_market_stands_in_two_related_lists_and_the_better_fit_first() -> None:
    markets = pool(("ocean", 0.5), ("ocean", 1.0), ("harvest", 1.0), ("bread", 1.0))
    found = related("Monsoon", markets)
    assert [r.position for r in found["upstream"]] == [1, 0]
    assert [r.position for r in found["downstream"]] == [2, 3]
    positions = [r.position for ranked in found.values() for r in ranked]
    assert len(set(positions)) == len(positions)


def test_a_direct_result_is_in_a_relation_too_if_its_chance_is_large_beside_its_score() -> None:
    markets = pool(("ocean", 1.0), ("harvest", 1.0))
    (chance,) = (r.score for r in related("Monsoon", markets)["upstream"])
    for share, kept in ((1.1, True), (0.9, False)):
        score = np.array([share * chance / RELATED_RATIO, 0], np.float32)
        found = rows(asked("Monsoon").read(markets), score)
        assert (found["upstream"] == []) is kept
        assert [r.position for r in found["downstream"]] == [1]


def test_a_label_relates_a_weakly_direct_market_and_no_strongly_direct_one() -> None:
    markets = pool(("ocean", 1.0))
    nothing = np.zeros((3, 1, 6), np.float32)
    labeled = np.array([[0.6], [0], [0]], np.float32)
    floors = dict.fromkeys(DIMENSIONS, 0.1)
    for score, expected in ((0.0, [0]), (0.5, [0]), (0.9, [])):
        direct = np.array([score], np.float32)
        found = rank.rank(np.zeros((1, 3)), markets, nothing, direct, floors, labeled)
        assert found["upstream"].positions.tolist() == expected


def test_further_members_of_a_family_give_way_to_others() -> None:
    markets = pool(*[("ocean", 1.0)] * 5, ("ocean", 0.8))
    family = np.array([1] * 5 + [2], np.uint64)
    found = related("Monsoon", replace(markets, family=family))["upstream"]
    assert [r.position for r in found] == [0, 1, 2, 5, 3, 4]
    scores = [r.score for r in found]
    assert scores == sorted(scores, reverse=True)


def test_what_the_words_name_is_looked_up_where_few_results_are_about_it() -> None:
    assert list(asked("Monsoon", "bread", "bread").unanswered) == [NUMBERS["monsoon"]]
    assert list(asked("Monsoon").unanswered) == [NUMBERS["monsoon"]]
    assert not asked("Monsoon", "monsoon", "bread").unanswered
    assert not asked("Plenty", "bread").unanswered


def test_a_question_is_about_the_whole_phrase_and_less_about_a_part_of_it() -> None:
    text = TEXT.replace('match = ["bread"]', 'match = ["bread", "bread & beer"]')
    relations = plainly(knowledge.parse({"test.toml": text}))
    tags, fits = np.zeros((0, 6), np.uint16), np.zeros((0, 6), np.float32)
    asked = relations.ask("bread or beer?", np.arange(0), tags, fits, fits[:, 0])
    weights = dict(asked.factors)
    assert weights[NUMBERS["beer"]] < 0.5 * weights[NUMBERS["bread"]]


def test_a_reason_names_the_chain_in_the_direction_of_cause() -> None:
    found = related("Will it rain in Rome?", pool(("ocean", 1.0), ("monsoon", 1.0)))
    reasons = {r.position: r.reason for r in found["upstream"]}
    assert reasons[1] == "“Monsoon” drives “Rain in Rome”: It brings rain."
    assert reasons[0] == (
        "“Warm ocean” drives “Monsoon”, which drives “Rain in Rome”: Warm water feeds it. It brings"
        " rain."
    )
    down = related("ocean", pool(("monsoon", 1.0)))["downstream"]
    assert down[0].reason == "“Warm ocean” drives “Monsoon”: Warm water feeds it."


def test_the_trees_see_which_town_a_market_is_about() -> None:
    lookup = asked("Will it rain in Rome?")
    markets = pool(("rain-oslo", 1.0), ("rain-rome", 1.0), ("monsoon", 0.1))
    rows = lookup.read(markets).rows()
    assert rows[:, COLUMNS.index("foreign")].tolist() == [1, 0, 0]
    found = ranked(lookup, pool(("rain-oslo", 1.0), ("monsoon", 0.1)))
    assert [r.position for r in found["correlated"]] == [0]


def test_the_trees_see_when_a_market_is_settled() -> None:
    lookup = asked("Monsoon")
    markets = pool(("ocean", 1.0), ("ocean", 1.0), ("ocean", 1.0), ("ocean", 1.0))
    closes = (markets.median_close + np.array([-2, 0, 3, 0]) * 31_557_600).astype(np.uint32)
    closes[3] = 0  # at no known time
    markets = replace(markets, closes=closes)
    rows = lookup.read(markets).rows()
    assert rows[:, COLUMNS.index("after")].tolist() == [-2, 0, 3, 0]


def test_who_leads_a_list_is_related_only_where_it_names_something_of_the_question() -> None:
    text = TEXT.replace('up = "there is a monsoon"', 'up = "the rain in question leads"')
    relations = plainly(knowledge.parse({"test.toml": text}))
    tags, fits = np.zeros((0, 6), np.uint16), np.zeros((0, 6), np.float32)
    lookup = relations.ask("ocean", np.arange(0), tags, fits, fits[:, 0])
    other = pool(("monsoon", 1.0))
    assert ranked(lookup, other)["downstream"] == []
    named = replace(other, words=np.full(1, 0.4, np.float32))
    assert len(ranked(lookup, named)["downstream"]) == 1


def test_another_question_about_the_same_is_correlated() -> None:
    found = related("Monsoon", pool(("monsoon", 1.0)))
    assert found["correlated"][0].reason == (
        "It is another question about the same subject, “Monsoon”."
    )


def test_who_takes_part_in_the_contest_asked_for_is_another_outcome_of_it() -> None:
    text = TEXT.replace(
        'match = ["{name} & rain"]', 'match = ["{name} & rain"]\ncontest = ["harvest"]'
    )
    relations = plainly(knowledge.parse({"test.toml": text}))
    tags, fits = np.zeros((0, 6), np.uint16), np.zeros((0, 6), np.float32)
    lookup = relations.ask("harvest", np.arange(0), tags, fits, fits[:, 0])
    own, related = lookup.factor_shares(pool(("rain-oslo", 1.0)).tags, np.ones((1, 6), np.float32))
    assert own[0] > 0
    assert related[0] == 0
    own, _ = lookup.factor_shares(pool(("beer", 1.0)).tags, np.ones((1, 6), np.float32))
    assert own[0] == 0


def test_nothing_is_related_to_a_question_about_nothing_known() -> None:
    lookup = asked("Will the Ulan Bator bus stop be renamed?")
    assert lookup.tags == []
    assert not any(ranked(lookup, pool(("ocean", 1.0))).values())


@pytest.mark.heavy
def test_the_base_that_ships_is_sound_and_broad() -> None:
    base = knowledge.load()
    assert knowledge.lint(base) == []
    assert len(base.written) >= 600
    by_hand = {factor.key for factor in base.written}
    written = [e for e in base.edges if e.cause in by_hand and e.effect in by_hand]
    assert len(written) >= 2_500


def test_what_a_question_supposes_is_none_of_its_subject_but_drives_it() -> None:
    lookup = asked("What happens to the harvest if there is a monsoon?", "monsoon", "monsoon")
    weights = dict(lookup.factors)
    assert NUMBERS["harvest"] in weights
    assert NUMBERS["monsoon"] not in weights
    assert lookup.reached.weights[:, NUMBERS["monsoon"]].tolist() == [1, 0, 0]
    assert lookup.factor_reason("upstream", NUMBERS["monsoon"]).startswith("“Monsoon” drives ")
    # The base knows no path from bread to the sea.
    lookup = asked("What would dear bread do to the ocean?")
    assert dict(lookup.factors).keys() == {NUMBERS["ocean"]}
    assert lookup.factor_reason("upstream", NUMBERS["bread"]) == (
        "The question asks what “Bread price” would do to “Warm ocean”."
    )
    assert NUMBERS["bread"] in lookup.tags


def test_a_chance_below_the_floor_of_its_relation_is_not_listed() -> None:
    gains = np.array([[0.2, 0.05], [0, 0], [0, 0]], np.float32)
    keys, family = np.arange(2, dtype=np.int64), np.arange(2, dtype=np.uint64)
    subject = np.zeros(2, np.uint16)
    for floor, expected in ((0.01, [0, 1]), (0.1, [0]), (0.3, [])):
        floors = dict.fromkeys(DIMENSIONS, floor)
        shown, _ = rank.ordered(gains, keys, family, subject, floors)["upstream"]
        assert shown.tolist() == expected


def test_a_third_market_about_one_factor_gives_way_to_what_is_nearly_as_likely() -> None:
    gains = np.zeros((3, 6), np.float32)
    gains[1] = [0.9, 0.8, 0.7, 0.65, 0.64, 0.3]
    keys, family = np.arange(6, dtype=np.int64), np.arange(6, dtype=np.uint64)
    floors = dict.fromkeys(DIMENSIONS, 0.1)

    def listed(*subject: int) -> dict[int, float]:
        found = rank.ordered(gains, keys, family, np.array(subject, np.uint16), floors)
        shown, chances = found["downstream"]
        return {one: round(float(c), 3) for one, c in zip(shown.tolist(), chances, strict=True)}

    assert list(listed(7, 7, 7, 7, 8, 7)) == [0, 1, 4, 2, 3, 5]
    assert listed(7, 7, 8, 7, 9, 9) == {0: 0.9, 1: 0.8, 2: 0.7, 4: 0.64, 3: 0.553, 5: 0.3}
    # What no factor is known of crowds nothing.
    assert listed(0, 0, 0, 0, 7, 7) == dict(enumerate(np.round(gains[1].tolist(), 3).tolist()))
