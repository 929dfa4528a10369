"""Relation vectors: how a market is related to a query by their texts alone."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from tests.relations.small_base import pool

from augury.relations import vectors
from augury.relations.columns import COLUMNS, TEXT_COLUMNS
from augury.relations.ranker import CLASSES
from augury.relations.service import RelationService, TreeReading
from augury.search.embedding import Embedder
from augury.search.indexer import schema
from augury.search.related import RELATION_VECTOR_SIZE
from augury.search.text import document_text


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    return Embedder.load()


def chances(embedder: Embedder, query: str, *titles: str) -> list[dict[str, float]]:
    known = vectors.default()
    markets = known.of_markets(embedder.embed_documents([document_text(one) for one in titles]))
    found = np.exp(known.log_chances(query, markets))
    return [dict(zip(CLASSES, row.tolist(), strict=True)) for row in found]


@pytest.mark.parametrize(
    ("query", "cause", "effect"),
    [
        ("Will the Fed cut rates in June?", "Will US inflation be above 3% in May?",
         "Will the average 30-year mortgage rate fall below 6%?"),
        ("Strait of Hormuz closed", "Will Israel strike Iran by June?",
         "Will crude oil hit $120 by the end of June?"),
        ("Will OpenAI release GPT-6?", "Will Nvidia be allowed to sell H20 chips?",
         "Will OpenAI have the best AI model at the end of June?"),
    ],
)  # fmt: skip
def test_texts_tell_a_cause_from_an_effect(
    embedder: Embedder, query: str, cause: str, effect: str
) -> None:
    of_cause, of_effect = chances(embedder, query, cause, effect)
    upstream = of_cause["upstream"] / of_cause["downstream"]
    assert upstream > of_effect["upstream"] / of_effect["downstream"]


def test_a_market_on_something_else_is_unrelated(embedder: Embedder) -> None:
    (other,) = chances(
        embedder, "Will the Fed cut rates in June?", "Will the Lakers beat the Suns?"
    )
    assert other["none"] > 0.9


def test_chances_sum_to_one_and_do_not_depend_on_the_other_markets(embedder: Embedder) -> None:
    titles = ["Will oil hit $100?", "Will Spain win the World Cup?", "Will it rain in Paris?"]
    together = chances(embedder, "oil price", *titles)
    assert all(sum(one.values()) == pytest.approx(1, abs=1e-5) for one in together)
    for title, one in zip(titles, together, strict=True):
        (alone,) = chances(embedder, "oil price", title)
        assert alone == pytest.approx(one, abs=1e-3)


@pytest.mark.parametrize("query", ["", "zzyzx", "oil " * 500, "\ud800 oil", "\x00", "🛢️"])
def test_odd_texts_and_a_pool_without_markets_have_chances_too(query: str) -> None:
    known = vectors.default()
    assert known.log_chances(query, np.zeros((0, RELATION_VECTOR_SIZE), np.int8)).shape == (0, 5)
    stored = known.of_markets(np.zeros((1, 256), np.float32))
    assert stored.shape == (1, RELATION_VECTOR_SIZE)
    assert stored.dtype == np.int8
    assert np.isfinite(known.log_chances(query, stored)).all()


def test_only_what_changes_stored_vectors_has_the_index_built_again(embedder: Embedder) -> None:
    relations, now = RelationService(), vectors.default()
    before = schema(embedder, relations).fingerprint

    def fingerprint(version: str, reader: vectors.QueryReader) -> str:
        relations.networks = vectors.RelationVectors(now._markets, reader, now._scales, version)
        return schema(embedder, relations).fingerprint

    assert fingerprint("another", now._queries) != before
    assert fingerprint(now.version, vectors.QueryReader(b"another")) == before
    assert relations.networks.pair_version != now.pair_version


def test_a_long_query_is_read_up_to_its_64th_piece() -> None:
    read = vectors.default()._queries
    assert (read("oil " * 500) == read("oil " * (vectors.MAX_TOKENS - 2))).all()


def test_threads_may_share_the_reader_of_queries() -> None:
    read = vectors.default()._queries
    queries = [f"Will oil hit ${price}?" for price in range(60, 120)]
    with ThreadPoolExecutor(4) as threads:
        together = list(threads.map(read, queries))
    for query, found in zip(queries, together, strict=True):
        assert (read(query) == found).all()


def test_the_trees_see_the_chances_in_their_order(embedder: Embedder) -> None:
    relations = RelationService()
    stored = relations.relation_vectors(embedder.embed(["Will oil hit $100?", "Will it rain?"]))
    nothing = np.zeros((0, 6), np.float32)
    lookup = relations.ask(
        "US inflation", np.arange(0), nothing.astype(np.uint16), nothing, nothing[:, 0]
    )
    markets = replace(
        pool(("ocean", 1.0), ("ocean", 1.0)), query="US inflation", relation_vectors=stored
    )
    reading = lookup.read(markets)
    assert isinstance(reading, TreeReading)
    columns = [COLUMNS.index(name) for name in TEXT_COLUMNS]
    expected = vectors.default().log_chances("US inflation", stored)
    assert reading.rows()[:, columns] == pytest.approx(expected)
    assert len(TEXT_COLUMNS) == len(CLASSES)
