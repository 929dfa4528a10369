"""The fitted trees that come with this version, on the base that comes with it."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib import resources

import numpy as np
import pytest
from tests.relations.small_base import pool

from augury.relations import rank, ranker, reasons, vectors
from augury.relations.causal import knowledge
from augury.relations.causal.paths import RELATIONS
from augury.relations.columns import COLUMNS, DIRECT_COLUMNS
from augury.relations.service import RelationService
from augury.search.embedding import Embedder


def test_they_were_fitted_on_the_columns_that_the_code_has() -> None:
    told = json.loads((resources.files("augury.relations") / "ranker.json").read_text())
    assert tuple(told["columns"]) == COLUMNS
    assert told["pairs"] > 20_000


@pytest.mark.parametrize("name", ["ranker", "direct"])
def test_they_were_fitted_with_the_relation_vectors_that_ship(name: str) -> None:
    told = json.loads((resources.files("augury.relations") / f"{name}.json").read_text())
    assert told["vectors"] == vectors.default().pair_version


def test_the_trees_for_direct_too() -> None:
    told = json.loads((resources.files("augury.relations") / "direct.json").read_text())
    assert tuple(told["columns"]) == DIRECT_COLUMNS
    assert told["pairs"] > 10_000
    assert ranker.direct().grades(np.zeros((0, len(DIRECT_COLUMNS)), np.float32)).shape == (0,)


def test_what_asks_the_same_is_more_direct_than_what_shares_a_word() -> None:
    relations = RelationService(knowledge.load())
    number = relations.matcher.numbers["us-inflation"]
    nothing = np.zeros((0, 6), np.float32)
    lookup = relations.ask(
        "US inflation", np.arange(0), nothing.astype(np.uint16), nothing, nothing[:, 0]
    )
    tags = np.zeros((2, 6), np.uint16)
    tags[0, 0] = number
    said = np.array([0.9, 0.2], np.float32)
    markets = replace(
        pool(("ocean", 1.0), ("ocean", 1.0)), tags=tags, words=said, dense=said, matched_share=said,
        matched_weight=said, directness=np.array([8, 3], np.float32),
    )  # fmt: skip
    reading = lookup.read(markets)
    assert reading.direct_rows().shape == (2, len(DIRECT_COLUMNS))
    same, other = reading.direct()
    assert 1 > same > 2 * other > 0


def test_chances_of_a_market_sum_to_one() -> None:
    rows = np.random.default_rng(0).random((9, len(COLUMNS))).astype(np.float32)
    chances = ranker.default().chances(rows)
    assert chances.shape == (9, len(ranker.CLASSES))
    assert chances.sum(axis=1) == pytest.approx(1, abs=1e-5)
    assert ranker.default().chances(rows[:0]).shape == (0, len(ranker.CLASSES))


def test_the_chances_of_a_market_do_not_depend_on_how_many_are_asked_about() -> None:
    """Only many rows are shared out between threads."""
    rows = np.random.default_rng(1).random((400, len(COLUMNS))).astype(np.float32)
    trees = ranker.default()
    together = trees.chances(rows)
    apart = [trees.chances(rows[start : start + 40]) for start in range(0, 400, 40)]
    assert together == pytest.approx(np.concatenate(apart), abs=1e-5)
    assert (together == trees.chances(rows)).all()


@pytest.mark.parametrize(
    ("query", "cause", "effect"),
    [
        ("Fed interest rates", "us-inflation", "bitcoin"),
        ("ceasefire in Ukraine", "ukraine-talks", "equities-russia"),
        ("Strait of Hormuz closed", "iran-ceasefire", "crude-oil"),
    ],
)
def test_a_cause_stands_upstream_and_an_effect_downstream(
    query: str, cause: str, effect: str
) -> None:
    relations = RelationService(knowledge.load())
    numbers = relations.matcher.numbers
    nothing = np.zeros((0, 6), np.float32)
    lookup = relations.ask(query, np.arange(0), nothing.astype(np.uint16), nothing, nothing[:, 0])
    tags = np.zeros((2, 6), np.uint16)
    tags[:, 0] = numbers[cause], numbers[effect]
    markets = replace(pool(("ocean", 1.0), ("ocean", 1.0)), tags=tags)
    rows = lookup.read(markets).rows()
    chances = relations.ranker.chances(rows)[:, 2:]
    up, down = RELATIONS.index("upstream"), RELATIONS.index("downstream")
    assert chances[0, up] > chances[0, down]
    assert chances[1, down] > chances[1, up]


def by_text(query: str, titles: list[str], *, meant: bool = True) -> dict[str, list[str]]:
    """The reasons for markets that have no factor, by relation; `meant`: the first one may be meant
    by the query."""
    relations, embedder = RelationService(knowledge.load()), Embedder.load()
    first = np.zeros((int(meant), 6), np.float32)
    lookup = relations.ask(
        query, np.arange(len(first)), first.astype(np.uint16), first, first[:, 0] + 0.5
    )
    tags = np.zeros((len(titles), 6), np.uint16)
    markets = replace(
        pool(*(("ocean", 1.0) for _ in titles)),
        tags=tags,
        relation_vectors=relations.relation_vectors(embedder.embed(titles)),
        query=query,
    )
    reading = lookup.read(markets)
    return {
        relation: [
            reading.reason(relation, at, factor)
            for at, factor in zip(found.positions.tolist(), found.factor_ids.tolist(), strict=True)
        ]
        for relation, found in reading.rank(np.zeros(len(titles), np.float32)).items()
    }


def test_a_market_without_a_path_is_listed_by_its_text_and_the_reason_says_so() -> None:
    titles = ["Will unemployment rise above 6%?", "Who will win the chess title?"]
    ((relation, why),) = ((r, w) for r, w in by_text("recession", titles).items() if w)
    assert why == [reasons.BY_TEXT[relation]]  # type: ignore[index]


def test_nothing_is_related_to_a_query_that_nobody_understands() -> None:
    found = by_text("zzyzx quux", ["Will a new bird flu outbreak hit US farms?"], meant=False)
    assert not any(found.values())


@pytest.mark.parametrize(("weight", "relation"), [(0.2, "upstream"), (0.7, "correlated")])
def test_a_label_counts_only_if_it_says_more_than_the_texts(weight: float, relation: str) -> None:
    labeled = np.zeros((3, 1), np.float32)
    labeled[RELATIONS.index("correlated")] = weight
    found = rank.rank(
        np.array([[0.6, 0.02, 0.02]], np.float32),
        pool(("ocean", 1.0)),
        np.zeros((3, 1, 6), np.float32),
        np.zeros(1, np.float32),
        dict.fromkeys(RELATIONS, 0.1),
        labeled,
    )
    assert [r for r, listed in found.items() if len(listed.positions)] == [relation]
    assert found[relation].factor_ids.tolist() == [0]  # type: ignore[index]
