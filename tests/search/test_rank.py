"""Ranking of candidates, on invented markets."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from augury.search import rank
from augury.search.rank import FEATURES, Candidates, RankQuery
from augury.search.records import RECORD, family_key, is_fixture, record
from augury.search.relating import is_meant
from augury.search.text import DocumentFrequencies, document_text, document_vector

BACKGROUND = [
    document_vector(document_text(f"Will event {i} happen in city {i % 7} in {2020 + i % 7}?"))[0]
    for i in range(300)
]


def world(
    markets: list[str], dense: float | list[float] = 0.6, liquidity: list[float] | None = None
) -> tuple[DocumentFrequencies, Candidates]:
    """Markets by their questions, among 300 others on nothing."""
    documents = [document_text(m) for m in markets]
    frequencies = DocumentFrequencies()
    frequencies.add_batch(BACKGROUND)
    frequencies.add_batch([document_vector(d)[0] for d in documents])
    records = np.array(
        [
            record(
                document,
                family=family_key("kalshi", None, market),
                liquidity=liquidity[i] if liquidity else None,
            )
            for i, (market, document) in enumerate(zip(markets, documents, strict=True))
        ],
        dtype=RECORD,
    )
    keys = [f"kalshi:K{i:03}" for i in range(len(markets))]
    cosines = np.broadcast_to(np.asarray(dense, np.float32), (len(markets),))
    return frequencies, Candidates(keys, records, cosines)


def ranked(query: str, markets: list[str], dense: float | list[float] = 0.6) -> list[str]:
    frequencies, candidates = world(markets, dense)
    found = rank.rank(RankQuery.of(query, frequencies), candidates, frequencies)
    return [markets[i] for i in found.order]


def feature(name: str, query: str, markets: list[str]) -> list[float]:
    frequencies, candidates = world(markets)
    matrix = rank.features(RankQuery.of(query, frequencies), candidates, frequencies)
    return matrix[:, FEATURES.index(name)].tolist()


def test_a_record_survives_packing() -> None:
    one = record(document_text("Snow in Oslo in March 2026?"), family="f", closes=1.9e9)
    two = record(document_text("Reds vs. Blues"), family="g", liquidity=100.0)
    back = np.frombuffer(one.tobytes() + two.tobytes(), RECORD)
    assert back[0] == one
    assert back[1] == two


@given(
    st.text(max_size=300),
    st.text(max_size=100),
    st.one_of(st.none(), st.floats(-1e12, 1e12)),
    st.one_of(st.none(), st.floats(allow_nan=False)),
)
def test_any_market_has_a_record(
    question: str, family: str, closes: float | None, money: float | None
) -> None:
    made = record(
        document_text(question), family=family, closes=closes, liquidity=money, volume=money
    )
    assert np.isfinite(made["salience"])
    assert made["length"] <= rank.MAX_TERMS


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Will Anna Bee win the cup?", "Will Carl win the cup?", True),
        ("Will it snow by March 31?", "Will it snow by April 3?", True),
        ("Oil above $90 in May?", "Oil above $100.5 in June?", True),
        ("Who wins the cup? — Anna", "Who wins the cup? — Carl", True),
        ("Will Anna win the cup?", "Will Anna win the league?", False),
        ("Will it snow in Oslo?", "Will it snow in Rome?", False),
        ("Will gold hit (HIGH) $90 in May?", "Will gold hit (LOW) $80 in June 2026?", True),
        ("Will gold hit $90 in May?", "Will silver hit $90 in May?", False),
        ("Will it be between 20 and 22°C?", "Will it be 30°C or higher?", True),
        ("Will 2026 be the hottest year?", "Will 2025 be the third-hottest year?", True),
        ("Will no rate cuts happen in 2026?", "Will 1 rate cut happen in 2025?", True),
        ("Will Anna win the 98th cup on 2026-03-22?", "Will Carl win the 98th cup on May 3?", True),
        ("Will gold reach $2000 in May?", "Will gold reach $3000 on May 5?", False),
        ("Will gold reach $2000 in May?", "Will gold reach $3000 in June?", True),
        ("Will gold reach $2000 in May?", "Will silver reach $2000 in May?", False),
        ("Will gold close above $90 May 5?", "Will gold close above $100 May 6?", True),
        ("Will more than two cuts happen?", "Will more than 3 cuts happen?", True),
        ("Will Anna have the best model?", "Will Carl have the second-best model?", False),
        ("Will Anna win the Six Nations?", "Will Carl win the 4 Nations?", False),
        ("Will Anna win the F1 race in 2025–26?", "Will Carl win the F1 race in 2026?", True),
    ],
)
def test_families_without_an_event(one: str, other: str, same: bool) -> None:
    assert (family_key("x", None, one) == family_key("x", None, other)) is same


def test_an_event_names_its_family_within_its_venue() -> None:
    assert family_key("x", "e", "A?") == family_key("x", "e", "B?")
    assert family_key("x", "e", "A?") != family_key("y", "e", "A?")


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Reds vs. Blues", True),
        ("Bitcoin Up or Down - July 1", True),
        ("Spread: Reds (-4.5)", True),
        ("Ball: who will win Reds v. Blues, scheduled for May 3?", True),
        ("Who will win Reds v. Blues: game 6?", True),
        ("Will the Reds or the Blues win their season opener?", True),
        ("Will the Reds win on 2026-05-03?", True),
        ("Reds to win by more than 7.5 points", True),
        ("Will measles spread to Oslo?", False),
        ("Roe v. Wade overturned?", False),
        ("anna@example.com", False),
    ],
)
def test_fixtures(title: str, expected: bool) -> None:
    assert is_fixture(title) is expected


def test_the_asked_proposition_comes_before_what_shares_its_words() -> None:
    markets = [
        "Will the mayor of Oslo visit Rome to see the snow festival sponsors?",
        "Snow in Oslo?",
        "Snow in Rome?",
    ]
    assert ranked("Snow in Oslo", markets)[0] == "Snow in Oslo?"


def test_a_full_name_counts_once() -> None:
    markets = ["Will Anna Maria Bee be on television?", "Bee resigns?"]
    assert ranked("Will Anna Maria Bee resign", markets)[0] == "Bee resigns?"


def test_years() -> None:
    markets = ["Snow in Oslo in 2025?", "Snow in Oslo in 2026?", "Snow in Oslo before 2027?"]
    assert feature("year", "Oslo snow 2026", markets) == [0, 1, 1]


def test_numbers_that_disagree() -> None:
    markets = ["Oil above $90?", "Oil above $110?", "Oil rising?"]
    assert feature("number_conflict", "oil past $110", markets) == [1, 0, 0]
    assert feature("number_conflict", "oil price", markets) == [0, 0, 0]


def test_a_game_is_no_fault_when_a_game_is_asked_for() -> None:
    markets = ["Reds vs. Blues", "Will the Reds win the cup?"]
    assert feature("fixture", "Reds", markets) == [1, 0]
    assert feature("fixture", "Reds vs Blues", markets) == [0, 0]


def test_a_side_bet_is_told_from_its_game() -> None:
    titles = [
        "Will the Reds win the cup?",
        "Reds vs. Blues",
        "Reds vs. Blues: O/U 2.5",
        "Reds at Blues",
        "RED at BLU — Red",
        "Will snow fall at Easter in Oslo?",
    ]
    records = [record(document_text(title), family=title) for title in titles]
    assert [int(record["fixture"]) for record in records] == [0, 1, 2, 1, 1, 0]


def test_another_quarter_than_the_asked_one_is_a_conflict() -> None:
    markets = ["GDP growth in Q1 above 2%?", "GDP growth in Q3 above 2%?", "GDP growth above 2%?"]
    assert feature("number_conflict", "GDP growth Q3", markets) == [1, 0, 0]


def test_what_is_about_another_thing_than_the_query_gives_way() -> None:
    own = np.array([0.8, 0.0, 0.0, 0.3], np.float32)
    related = np.array([0.0, 0.0, 0.5, 0.8], np.float32)
    added = rank.factor_adjustment(own, related)
    assert added[0] > 0
    assert added[2] < added[1] < 0  # a cause has its place elsewhere, a stray word has none
    assert added[3] < 0
    # where nothing is surely about the query's factors, the rest is not held against the words
    assert rank.factor_adjustment(own[1:2], related[1:2]) == [0]


def test_words_by_the_slow_readable_way() -> None:
    markets = ["Snow in Oslo and snow in Bergen?", "Rain in Oslo?"]
    frequencies, candidates = world(markets)
    query = RankQuery.of("oslo snow", frequencies)
    expected = []
    for row in candidates.records:
        kept = row["terms"][: row["length"]].tolist()
        norm = 1 - 0.75 + 0.75 * len(kept) / rank.AVERAGE_LENGTH
        total = 0.0
        for key, weight in zip(query.ids.tolist(), query.weights.tolist(), strict=True):
            f = kept.count(key)
            total += weight * f * 2.2 / (f + 1.2 * norm)
        expected.append(total)
    assert feature("words", "oslo snow", markets) == pytest.approx(expected, rel=1e-5)


def test_what_is_far_from_the_query_is_not_shown() -> None:
    markets = ["Snow in Oslo?", "Who wins the tennis final?"]
    assert ranked("Snow in Oslo", markets, dense=[0.8, 0.0]) == ["Snow in Oslo?"]
    assert ranked("zyzzyva", ["Who wins the tennis final?"], dense=[0.1]) == []


def test_words_in_the_rules_count_where_no_title_is_near() -> None:
    frequencies, candidates = world(["Event Alpha?", "Event Beta?"], dense=[0.2, 0.1])
    query = RankQuery.of("zyzzyva", frequencies)
    assert len(rank.rank(query, candidates, frequencies).order) == 0
    told = replace(candidates, lexical=np.array([0.0, 0.9], np.float32))
    assert rank.rank(query, told, frequencies).order.tolist() == [1]


def test_salience_breaks_ties_and_ties_only() -> None:
    markets = ["Snow in Oslo?", "Snow in Oslo?", "Snow in Rome?"]
    frequencies, candidates = world(markets, liquidity=[10.0, 9e6, 9e9])
    found = rank.rank(RankQuery.of("Snow in Oslo", frequencies), candidates, frequencies)
    assert found.order[:2].tolist() == [1, 0]


def test_fitted_grades_order_and_what_is_below_the_floor_is_left_out() -> None:
    _, candidates = world(["Snow in Oslo?"] * 4, liquidity=[1.0, 9e6, 1.0, 1.0])
    grades = np.array([0.701, 0.7, 0.09, 0.2], np.float32)
    nothing = np.zeros(4, np.bool_)
    found = rank.by_grade(candidates, grades, nothing, 0.1)
    assert found.order.tolist() == [1, 0, 3]
    assert (np.diff(found.scores) <= 0).all()
    assert len(rank.by_grade(candidates, grades * 0, nothing, 0.1).order) == 0


@pytest.mark.parametrize(
    ("query", "title", "closes", "other"),
    [
        ("Oslo snow 2026", "Snow in Oslo in 2026?", 0, False),
        ("Oslo snow 2026", "Snow in Oslo in 2025?", 0, True),
        ("Oslo snow 2026", "Snow in Oslo before 2027?", 0, False),
        ("Oslo snow 2026", "Snow in Oslo?", 1_780_000_000, False),  # May 2026
        ("Oslo snow 2026", "Snow in Oslo?", 1_750_000_000, True),  # June 2025
        ("Oslo snow 2026", "Snow in Oslo in the season of 2025?", 1_780_000_000, False),
        ("Oslo snow 2026", "Snow in Oslo in 2020?", 1_780_000_000, True),
        ("Oslo snow in March", "Snow in Oslo in March?", 0, False),
        ("Oslo snow in March", "Snow in Oslo in April?", 0, True),
        ("Oslo snow in March", "Snow in Oslo?", 0, False),
        ("Oslo snow by the end of 2026", "Snow in Oslo by December 31, 2026?", 0, False),
        ("Oslo snow by the end of 2026", "Snow in Oslo on June 27, 2026?", 0, True),
        ("Oslo snow year-end", "Snow in Oslo in April?", 0, True),
        ("Oslo snow by the end of 2026", "Snow in Oslo before January 1, 2027?", 0, False),
        ("Oslo snow by year's end", "Snow in Oslo in April?", 0, True),
        ("Oslo snow at the end of the 2026-27 season", "Snow in Oslo in May 2026?", 0, False),
        ("Oslo snow at the end of 2026 Q1", "Snow in Oslo in March 2026?", 0, False),
        ("Oslo snow at the end of the year", "Snow in Oslo before 2027?", 0, False),
        ("Oslo snow by end of March 2026", "Snow in Oslo in March 2026?", 0, False),
        ("Oslo snow", "Snow in Oslo in 2020?", 1, False),
    ],
)
def test_of_another_year_or_month_than_asked(
    query: str, title: str, closes: int, other: bool
) -> None:
    frequencies, candidates = world([title])
    candidates.records["closes"] = closes
    asked = RankQuery.of(query, frequencies)
    assert rank.of_another_time(asked, candidates.records).tolist() == [other]


@pytest.mark.parametrize(
    ("title", "past"),
    [
        ("Will Bitcoin hit $100k in 2024?", True),
        ("Will Bitcoin hit $100k in 2026?", False),
        ("Will Bitcoin hit $100k before 2026?", False),  # names 2025 and 2026
        ("Will the Reds win the 2025-2026 Cup?", False),
        ("Will Bitcoin hit $100k?", False),
    ],
)
def test_a_question_is_past_if_all_years_it_names_are(title: str, past: bool) -> None:
    _, candidates = world([title])
    assert rank.names_past_year(candidates.records, 2026).tolist() == [past]


def test_a_crowd_of_one_family_gives_way_to_what_is_nearly_as_good() -> None:
    ladder = [f"Snow above {i} cm in Oslo in January?" for i in range(1, 21)]
    others = [f"Snow deeper than {i} cm in Oslo in January?" for i in range(1, 9)]
    frequencies, candidates = world([*ladder, *others])
    query = RankQuery.of("Oslo snow January", frequencies)

    def places_of_others(collapse: bool) -> list[int]:
        order = rank.rank(query, candidates, frequencies, collapse=collapse).order.tolist()
        assert len(order) == len(candidates.keys)
        return [place for place, i in enumerate(order) if i >= len(ladder)]

    assert places_of_others(collapse=False) == list(range(20, 28))
    assert places_of_others(collapse=True) == list(range(10, 18))


@settings(max_examples=30)
@given(st.permutations(range(12)))
def test_the_order_of_candidates_changes_nothing(order: list[int]) -> None:
    markets = [f"Snow above {i % 4} cm in Oslo?" for i in range(12)]
    frequencies, candidates = world(markets)
    query = RankQuery.of("Snow in Oslo", frequencies)
    shuffled = Candidates(
        [candidates.keys[i] for i in order], candidates.records[order], candidates.dense[order]
    )
    straight = rank.rank(query, candidates, frequencies)
    crooked = rank.rank(query, shuffled, frequencies)
    assert [candidates.keys[i] for i in straight.order] == [shuffled.keys[i] for i in crooked.order]
    assert straight.scores == pytest.approx(crooked.scores)


def test_a_deeper_search_ranks_the_best_alike() -> None:
    markets = [f"Snow above {i} cm in Oslo?" for i in range(10)] + ["Deep snow in Oslo?"]
    filler = [f"Rain number {i} in Rome?" for i in range(400)]
    dense = [0.7] * len(markets) + [0.1] * len(filler)
    frequencies, deep = world(markets + filler, dense)
    shallow = Candidates(deep.keys[:60], deep.records[:60], deep.dense[:60])
    query = RankQuery.of("snow in Oslo", frequencies)
    found = [rank.rank(query, c, frequencies).order[:11].tolist() for c in (deep, shallow)]
    assert found[0] == found[1]


def test_scores_never_rise_and_lie_in_the_open_unit_interval() -> None:
    markets = [f"Snow above {i} cm in Oslo?" for i in range(15)] + ["Rain in Oslo?", "Snow?"]
    frequencies, candidates = world(markets)
    scores = rank.rank(RankQuery.of("Snow in Oslo", frequencies), candidates, frequencies).scores
    assert (np.diff(scores) <= 0).all()
    assert ((scores > 0) & (scores < 1)).all()


@pytest.mark.parametrize("query", ["", "the", "?!", "snow " * 5000, "🙂", "x y z " * 500])
def test_odd_queries_can_be_ranked(query: str) -> None:
    frequencies, candidates = world(["Snow in Oslo?", "?"])
    found = rank.rank(RankQuery.of(query, frequencies), candidates, frequencies)
    assert np.isfinite(found.scores).all()


def test_no_candidates_have_an_empty_ranking() -> None:
    frequencies, candidates = world(["Snow in Oslo?"])
    nothing = Candidates([], candidates.records[:0], candidates.dense[:0])
    assert len(rank.rank(RankQuery.of("snow", frequencies), nothing, frequencies).order) == 0


def test_an_empty_catalogue_can_be_asked() -> None:
    query = RankQuery.of("snow in Oslo", DocumentFrequencies())
    assert np.isfinite(query.weights).all()


def test_another_month_than_the_asked_one_is_a_conflict() -> None:
    markets = [
        "Will the Fed cut rates in December?",
        "Will the Fed cut rates in March?",
        "Will the Fed cut rates this year?",
    ]
    assert feature("number_conflict", "Fed cut in December", markets) == [0, 1, 0]
    assert feature("number_conflict", "Fed cut", markets) == [0, 0, 0]
    assert ranked("Fed rate cut in December", markets)[0] == markets[0]


def test_what_shares_only_the_least_telling_words_is_not_meant() -> None:
    matched, cosine = np.array([0.2, 0.2, 0.6]), np.array([0.3, 0.6, 0.1])
    assert is_meant(matched.astype(np.float32), cosine.astype(np.float32)).tolist() == [
        False, True, True,
    ]  # fmt: skip
