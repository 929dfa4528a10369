"""One row a family: contests by price, ladders by level, dates by date."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, NamedTuple

import pytest

from augury.search.families import folded


class Row(NamedTuple):
    id: str
    question: str
    score: float = 0.5
    price: float | None = 0.5
    volume: float | None = 0.0
    closes_at: datetime | None = datetime(2027, 1, 1, tzinfo=UTC)
    status: str = "active"
    event_id: str | None = None
    platform: str = "polymarket"
    outcomes: Any = ("Yes", "No")

    @property
    def current_prices(self) -> dict[str, float | None] | None:
        return {"Yes": self.price}


def shown(query: str, *rows: Row) -> list[tuple[str, str, list[str]]]:
    return [
        (
            row.id,
            family.kind if family else "",
            [one.label for one in family.more] if family else [],
        )
        for row, _, family in folded(query, rows)
    ]


POPE = [
    Row("p1", "Who will the next Pope be? — Peter Erdo", 0.62, 0.05, event_id="POPE"),
    Row("p2", "Who will the next Pope be? — Matteo Zuppi", 0.60, 0.2, 10, event_id="POPE"),
    Row("p3", "Who will the next Pope be? — Pietro Parolin", 0.58, 0.3, event_id="POPE"),
    Row("p4", "Who will the next Pope be? — Luis Tagle", 0.57, 0.2, 99, event_id="POPE"),
]


def test_a_contest_is_one_row_by_price_then_volume() -> None:
    other = Row("x", "Will the Pope visit Peru?", 0.61)
    found = shown("next pope", POPE[0], other, *POPE[1:])
    assert found == [
        ("p3", "contest", ["Luis Tagle", "Matteo Zuppi", "Peter Erdo"]),
        ("x", "", []),
    ]
    _, score, family = folded("next pope", POPE)[0]
    assert (score, family and family.label, family and family.size) == (0.62, "Pietro Parolin", 4)


def test_whom_the_query_names_stands_for_the_contest() -> None:
    assert shown("will zuppi become pope", *POPE)[0][0] == "p2"


def test_others_whom_the_query_names_come_first() -> None:
    found = shown("pope: zuppi or erdo", *POPE)
    assert found == [("p2", "contest", ["Peter Erdo", "Pietro Parolin", "Luis Tagle"])]


@pytest.mark.parametrize(
    ("query", "row", "first"),
    [
        ("will the yankees or the red sox win", "Boston Red Sox", "New York Yankees"),
        ("boston red sox or chicago white sox", "Boston Red Sox", "Chicago White Sox"),
        ("boston red sox", "Boston Red Sox", "Los Angeles Dodgers"),
    ],
)
def test_a_word_said_of_the_one_shown_names_no_other(query: str, row: str, first: str) -> None:
    prices = {"Los Angeles Dodgers": 0.4, "New York Yankees": 0.2, "Boston Red Sox": 0.1,
              "Chicago White Sox": 0.01}  # fmt: skip
    teams = [
        Row(team, f"Will the {team} win the World Series?", price=price, event_id="WS")
        for team, price in prices.items()
    ]
    ((shown_row, _, more),) = shown(query, *teams)
    assert (shown_row, more[0]) == (row, first)


def test_whom_the_query_names_stays_behind_open_ones_if_closed() -> None:
    closed = POPE[0]._replace(status="closed")
    (found,) = shown("pope: zuppi or erdo", closed, *POPE[1:])
    assert found == ("p2", "contest", ["Pietro Parolin", "Luis Tagle", "Peter Erdo"])


def test_a_level_that_the_query_names_keeps_its_place() -> None:
    rungs = [
        Row(f"g{level}", f"Will gold hit ${level} in May?", closes_at=None, event_id="GOLD")
        for level in (4000, 4500, 5000, 5500)
    ]
    (found,) = shown("gold at 5500 or 5000", *rungs)
    assert found == ("g5000", "ladder", ["$4000", "$4500", "$5500"])


def test_a_label_of_which_the_query_has_every_word_stands_for_the_family() -> None:
    years = [
        Row("y1", "Will 2026 be the second-hottest year on record?", 0.6, 0.9),
        Row("y2", "Will 2026 be the hottest year on record?", 0.55, 0.1),
        Row("y3", "Will 2026 be the third-hottest year on record?", 0.5, 0.3),
    ]
    assert shown("is 2026 the hottest year", *years)[0][0] == "y2"
    assert shown("the second-hottest year ever", *years)[0][0] == "y1"
    assert shown("climate in 2026", *years)[0][0] == "y1"  # by price


def test_no_one_and_more_are_levels() -> None:
    cuts = [
        Row("c1", "Will 12 or more Fed rate cuts happen in 2026?", 0.6),
        Row("c2", "Will no Fed rate cuts happen in 2026?", 0.55),
        Row("c3", "Will one Fed rate cut happen in 2026?", 0.5),
    ]
    ((shown_first, kind, more),) = shown("fed cuts in 2026", *cuts)
    assert (shown_first, kind) == ("c1", "ladder")
    assert [one.partition(" ")[0] for one in more] == ["no", "one"]


def test_a_candidate_that_was_listed_again_is_one() -> None:
    later = datetime(2026, 10, 31, tzinfo=UTC)
    rows = [
        Row("a", "Will Ann win the 2026 Prize?", 0.6, None, closes_at=None),
        Row("b", "Will Ann win the 2026 Prize?", 0.6, 0.3, closes_at=later),
        Row("c", "Will Bob win the 2026 Prize?", 0.6, 0.1, closes_at=later),
        Row("d", "Will Cid win the 2026 Prize?", 0.6, None, closes_at=None),
    ]
    assert shown("who wins the prize", *rows) == [("b", "contest", ["Bob", "Cid"])]


def test_the_best_result_may_be_a_copy_that_another_one_stands_for() -> None:
    rows = [
        Row("a", "Will Ann win the 2026 Prize?", 0.9, None, closes_at=None),
        Row("b", "Will Ann win the 2026 Prize?", 0.3, 0.3),
        Row("c", "Will Bob win the 2026 Prize?", 0.2, 0.1),
    ]
    [(row, score, family)] = folded("who wins the prize", rows)
    assert (row.id, score, family and family.size) == ("b", 0.9, 2)


def test_a_word_that_all_questions_share_names_nobody() -> None:
    rows = [
        Row("a", "Will Z.ai have the best AI model in June?", 0.6, 0.01, event_id="AI"),
        Row("b", "Will Google have the best AI model in June?", 0.6, 0.3, event_id="AI"),
    ]
    assert shown("best ai model", *rows)[0][0] == "b"
    assert shown("z.ai best ai model", *rows)[0][0] == "a"


def test_a_ladder_goes_by_level_and_dates_by_date() -> None:
    ladder = [
        Row("l3", "Will Bitcoin reach $1m in 2026?", 0.6),
        Row("l1", "Will Bitcoin reach $90,000 in 2026?", 0.5),
        Row("l2", "Will Bitcoin reach $150k in 2026?", 0.55),
    ]
    assert shown("bitcoin price 2026", *ladder) == [("l3", "ladder", ["$90,000", "$150k"])]
    assert shown("bitcoin $150k in 2026", *ladder)[0][0] == "l2"
    dates = [
        Row("d3", "Will it end by June 2028?", 0.6, closes_at=datetime(2028, 7, 1, tzinfo=UTC)),
        Row("d1", "Will it end by March 2026?", 0.6, closes_at=datetime(2026, 4, 1, tzinfo=UTC),
            status="closed"),
        Row("d2", "Will it end by May 2027?", 0.5, closes_at=datetime(2027, 6, 1, tzinfo=UTC)),
        Row("d0", "Will it end by March 2025?", 0.6, closes_at=datetime(2025, 4, 1, tzinfo=UTC),
            status="closed"),
    ]  # fmt: skip
    assert shown("will it end", *dates) == [
        ("d2", "dates", ["June 2028", "March 2026", "March 2025"])
    ]
    assert shown("will it end by march 2026", *dates)[0][0] == "d1"


def test_contests_of_several_years_are_several_without_an_event() -> None:
    rows = [
        Row(f"{team}{year}", f"Will the {team} win the {year} Cup?")
        for year in (2026, 2027)
        for team in ("Reds", "Blues")
    ]
    assert [ids for ids, _, _ in shown("who wins the cup", *rows)] == ["Blues2026", "Blues2027"]


def test_levels_in_several_months_are_several_ladders_without_an_event() -> None:
    rows = [
        Row(f"{month}{level}", f"Will oil hit ${level} in {month}?", closes_at=closes)
        for month, closes in (
            ("April", datetime(2026, 4, 30, tzinfo=UTC)), ("May", datetime(2026, 6, 1, tzinfo=UTC)),
        )
        for level in (100, 120)
    ]  # fmt: skip
    found = [(kind, more) for _, kind, more in shown("oil price", *rows)]
    assert found == [("ladder", ["$120"]), ("ladder", ["$120"])]


def test_what_nothing_tells_apart_shows_its_day_or_its_question() -> None:
    same = [
        Row("a", "Games total: O/U 2.5", closes_at=datetime(2026, 3, 1, tzinfo=UTC)),
        Row("b", "Games total: O/U 2.5", closes_at=datetime(2026, 3, 2, tzinfo=UTC)),
    ]
    assert shown("games total", *same)[0][2] == ["2026-03-02"]
    assert shown("games total", *(row._replace(closes_at=None) for row in same))[0][2] == [
        "Games total: O/U 2.5"
    ]


def test_a_far_lower_score_never_stands_for_the_family() -> None:
    rows = [POPE[0], POPE[2]._replace(score=0.2)]
    assert shown("pope", *rows)[0][0] == "p1"


def test_nothing_folds_to_nothing() -> None:
    assert folded("", []) == []
