"""A list of related markets says one thing at most twice; the row then names the rest."""

from __future__ import annotations

import msgspec

from augury.search.families import FoundFamily, FoundMember
from augury.search.repeats import MOST_REPEATS, merged

GOLD, SILVER = 1, 2


class Row(msgspec.Struct, frozen=True):
    id: str
    question: str = "Will it happen?"
    score: float = 0.5
    status: str = "active"
    outcomes: list[str] = msgspec.field(default_factory=lambda: ["Yes", "No"])
    current_prices: dict[str, float | None] = msgspec.field(default_factory=lambda: {"Yes": 0.4})
    closes_at: None = None
    volume: float | None = None
    event_id: str | None = None
    platform: str = "polymarket"
    twin_ids: list[str] = []
    family: FoundFamily | None = None
    also: list[FoundMember] = []


def shown(rows: list[Row], factors: dict[str, int]) -> dict[str, list[str]]:
    questions = {one.id: f"Will it be {one.id}?" for row in rows for one in _family(row)}
    return {row.id: [one.label for one in row.also] for row in merged(rows, factors, questions, 9)}


def _family(row: Row) -> list[FoundMember]:
    return row.family.more if row.family else []


def test_a_third_row_on_one_thing_is_named_in_the_second() -> None:
    rows = [Row("a"), Row("b"), Row("c", "Will gold hit $9?"), Row("d"), Row("e", "Gold at $7?")]
    factors = {"a": GOLD, "b": GOLD, "c": GOLD, "d": SILVER, "e": GOLD}
    assert shown(rows, factors) == {"a": [], "b": ["Will gold hit $9?", "Gold at $7?"], "d": []}


def test_markets_that_no_factor_led_to_keep_their_rows() -> None:
    assert shown([Row(name) for name in "abc"], {"a": 0, "b": 0}) == {"a": [], "b": [], "c": []}


def test_the_same_contract_on_another_venue_does_not_count() -> None:
    rows = [Row("a", twin_ids=["b"]), Row("b", twin_ids=["a"]), Row("c"), Row("d", "Gold at $7?")]
    factors = dict.fromkeys("abcd", GOLD)
    assert shown(rows, factors) == {"a": [], "b": [], "c": ["Gold at $7?"]}


def test_a_family_that_has_no_row_is_named_member_by_member() -> None:
    other = FoundMember("x", "$8", "active", 0.1, None)
    rows = [Row("a"), Row("b"), Row("c", family=FoundFamily("ladder", "$7", 2, [other]))]
    found = merged(rows, dict.fromkeys("abc", GOLD), {"x": "Will gold hit $8?"}, 9)
    assert [(one.id, one.label, one.price) for one in found[1].also] == [
        ("c", "Will it happen?", 0.4),
        ("x", "Will gold hit $8?", 0.1),
    ]


def test_a_row_names_only_so_many() -> None:
    rows = [Row(str(n)) for n in range(MOST_REPEATS + 9)]
    found = merged(rows, {row.id: GOLD for row in rows}, {}, 9)
    assert [len(row.also) for row in found] == [0, MOST_REPEATS]


def test_only_what_belongs_in_the_list_takes_a_free_place() -> None:
    scores = {"a": 0.9, "b": 0.8, "c": 0.7, "d": 0.3, "e": 0.5, "f": 0.45}
    rows = [Row(name, score=score) for name, score in scores.items()]
    factors = dict.fromkeys("abc", GOLD)
    assert [row.id for row in merged(rows, factors, {}, 3)] == ["a", "b", "e"]
    assert [row.id for row in merged(rows, factors, {}, 4)] == ["a", "b", "d", "e"]
