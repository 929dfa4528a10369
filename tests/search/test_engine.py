"""One contract for both engines."""

from __future__ import annotations

import contextlib
import random
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from pydantic import SecretStr
from tests.search.documents import (
    DIM,
    SCHEMA,
    TOLERANCE,
    document,
    everything,
    score,
    terms,
    unit,
)
from tests.search.qdrant import QdrantServer, running

from augury.errors import AuguryError, Unavailable
from augury.search.edge import EdgeEngine
from augury.search.engine import (
    STATUSES,
    IndexDocument,
    IndexSchema,
    SearchEngine,
    SparseVector,
)
from augury.search.server import ServerEngine
from augury.search.service import _open_engine
from augury.settings import Settings

Open = Callable[..., SearchEngine]


@pytest.fixture(scope="session")
def qdrant(tmp_path_factory: pytest.TempPathFactory) -> Iterator[QdrantServer]:
    with running(tmp_path_factory.mktemp("qdrant")) as server:
        yield server


@pytest.fixture(params=["edge", "server"])
def open_engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Open]:
    """Opens the same index again and again: `open_engine(schema)`."""
    opened: list[SearchEngine] = []
    server = request.getfixturevalue("qdrant") if request.param == "server" else None

    def open_(schema: IndexSchema = SCHEMA) -> SearchEngine:
        engine = (
            ServerEngine(server.url, schema, collection=tmp_path.name)
            if server
            else EdgeEngine(tmp_path / "index", schema)
        )
        opened.append(engine)
        return engine

    yield open_
    for engine in opened:
        engine.close()


@pytest.fixture
def engine(open_engine: Open) -> SearchEngine:
    return open_engine()


def test_a_search_server_with_a_key_takes_nobody_without_it(tmp_path: Path) -> None:
    """`AUGURY_SEARCH_KEY`; the key is in no error that a log might hold."""
    with running(tmp_path, "s3cret-of-the-index") as server:
        for wrong in (None, "another"):
            with pytest.raises(AuguryError) as refused:
                ServerEngine(server.url, SCHEMA, collection="keyed", api_key=wrong)
            assert "s3cret" not in str(refused.value)
        ours = Settings(
            data_dir=tmp_path / "data", search_url=server.url, search_key=SecretStr(server.key)
        )
        engine, kind = _open_engine(ours, SCHEMA)
        engine.upsert([document(1)])
        assert (kind, engine.count()) == ("server", 1)
        engine.close()


# The contract


def test_a_search_returns_the_best_of_both_sides(engine: SearchEngine) -> None:
    docs = {key: document(key) for key in range(1, 401)}
    engine.upsert(docs.values())
    rng = np.random.default_rng(5)
    for _ in range(10):
        query = terms({int(t): float(rng.uniform(1, 5)) for t in rng.choice(40, 3, replace=False)})
        vector = unit(rng)
        found = engine.search(query, vector, limit=25)
        lexical = {key: score(query, doc) for key, doc in docs.items()}
        dense = {key: float(doc.vector @ vector) for key, doc in docs.items()}
        for values, slack in ((lexical, 1e-4), (dense, TOLERANCE)):
            bound = sorted(values.values(), reverse=True)[24]
            expected = {key for key, value in values.items() if value > bound + slack}
            assert expected <= set(found.keys.tolist())
        assert len(found) <= 50
        assert found.keys.tolist() == sorted(set(found.keys.tolist()))
        keys = found.keys.tolist()
        worded = found.lexical > 0  # the rest was found by its vector alone
        shared = [lexical[k] for k in found.keys[worded].tolist()]
        np.testing.assert_allclose(found.lexical[worded], shared, atol=1e-4)
        assert len(shared) >= min(25, sum(value > 0 for value in lexical.values()))
        np.testing.assert_allclose(found.dense, [dense[k] for k in keys], atol=TOLERANCE)
        assert [STATUSES[s] for s in found.status] == [docs[k].status for k in keys]
        assert found.payload.tobytes() == b"".join(docs[k].payload for k in keys)


def merit(doc: IndexDocument, tag: int) -> float:
    return dict(zip(doc.tags.indices.tolist(), doc.tags.values.tolist(), strict=True)).get(tag, 0)


def test_a_tag_finds_its_documents_of_highest_merit(engine: SearchEngine) -> None:
    docs = [document(key) for key in range(400)]
    engine.upsert(docs)
    engine.delete(range(0, 400, 9))
    engine.upsert([replace(docs[11], tags=terms({2: 9.0})), replace(docs[12], tags=terms({}))])
    now = {doc.key: doc for doc in docs if doc.key % 9}
    now[11], now[12] = replace(docs[11], tags=terms({2: 9.0})), replace(docs[12], tags=terms({}))
    query = unit(np.random.default_rng(5))
    for tags, statuses in (((2,), None), ((1, 3), ("active",)), ((77,), None)):
        expected: set[int] = set()
        for tag in tags:
            within = [d for d in now.values() if statuses is None or d.status in statuses]
            held = [doc for doc in within if merit(doc, tag)]
            expected |= {d.key for d in sorted(held, key=lambda d: (-merit(d, tag), d.key))[:20]}
        found = engine.tagged(tags, query, statuses, 20)
        assert set(found.keys.tolist()) == expected
        cosines = [float(query @ now[key].vector) for key in found.keys.tolist()]
        assert found.dense.tolist() == pytest.approx(cosines, abs=TOLERANCE)
        assert found.payload["key"].tolist() == found.keys.tolist()
    # Tags that no document has take no place.
    found = engine.tagged((77, 2, 2, 78, 1, 3), query, None, 20, most_tags=2)
    assert set(found.keys.tolist()) == set(engine.tagged((2, 1), query, None, 20).keys.tolist())


def test_of_equal_merit_the_lower_keys_are_found_by_tag(tmp_path: Path) -> None:
    with contextlib.closing(EdgeEngine(tmp_path, SCHEMA)) as engine:
        engine.upsert(reversed([document(key) for key in range(100)]))
        first = engine.tagged((100,), None, None, 30)
        assert first.keys.tolist() == list(range(30))
        engine.upsert([document(key, 1) for key in range(50)])  # written since the look-up
        assert engine.tagged((100,), None, None, 30).keys.tolist() == list(range(30))


def test_tags_outlive_the_engine(open_engine: Open) -> None:
    with contextlib.closing(open_engine()) as engine:
        engine.upsert([document(key) for key in range(50)])
        engine.set_checkpoint(1)
        before = engine.tagged((3,), None, None, 5).keys.tolist()
    with contextlib.closing(open_engine()) as engine:
        assert engine.tagged((3,), None, None, 5).keys.tolist() == before


def test_what_is_shown_follows_the_document(open_engine: Open) -> None:
    with contextlib.closing(open_engine()) as engine:
        if isinstance(engine, ServerEngine):
            assert engine.shown([1]) == {}  # the database shows it
            return
        docs = [replace(document(key), shown=b"text %d" % key) for key in range(6)]
        engine.upsert(docs)
        engine.upsert([replace(document(2, 1), shown=b"other")])  # in another partition
        engine.upsert([replace(document(3), shown=b"x" * 5_000)])  # longer than is kept
        engine.delete([4])
        engine.set_checkpoint(1)
    with contextlib.closing(open_engine()) as engine:
        wanted = {0: b"text 0", 1: b"text 1", 2: b"other", 5: b"text 5"}
        assert engine.shown([*range(6), 99]) == wanted
        engine.upsert([document(50)])  # takes a place that was freed
        assert engine.shown([50]) == {}


def test_payload_arrives_as_arrays(engine: SearchEngine) -> None:
    engine.upsert([document(8), document(9)])
    payload = everything(engine).payload
    assert payload["key"].tolist() == [8, 9]
    assert payload["tokens"].tolist() == [[1] * 4, [2] * 4]


def test_a_filter_searches_its_partitions_only(engine: SearchEngine) -> None:
    engine.upsert(map(document, range(30)))
    query, vector = terms({10**9: 1.0}), unit(np.random.default_rng(1))
    for statuses in (["active"], ["resolved", "closed"], [*STATUSES], None):
        found = engine.search(query, vector, statuses, limit=30)
        wanted = statuses or STATUSES
        assert found.keys.tolist() == [k for k in range(30) if STATUSES[k % 3] in wanted]
    assert not len(engine.search(query, vector, []))
    with pytest.raises(ValueError, match="unknown status: open"):
        engine.search(query, vector, ["open"])


def test_a_status_change_moves_the_document(engine: SearchEngine) -> None:
    engine.upsert([document(1, status="active"), document(2, status="active")])
    engine.upsert([document(1, status="resolved")])
    assert [engine.count(status) for status in STATUSES] == [1, 0, 1]
    assert engine.search(terms({10**9: 1.0}), None, ["active"]).keys.tolist() == [2]
    assert engine.search(terms({10**9: 1.0}), None, ["resolved"]).keys.tolist() == [1]


def test_an_upsert_replaces_and_the_last_of_a_batch_wins(engine: SearchEngine) -> None:
    engine.upsert([document(1), document(1, 1), document(2)])
    engine.upsert([document(2, 1)])
    assert everything(engine, 0).keys.tolist() == []
    assert everything(engine, 1).keys.tolist() == [1, 2]
    assert engine.count() == 2


def test_a_deleted_document_is_gone_and_its_place_used_again(engine: SearchEngine) -> None:
    engine.upsert(map(document, range(10)))
    engine.delete([3, 4, 999])
    vector = document(3).vector
    assert 3 not in engine.search(terms({10**9: 1.0}), vector).keys
    engine.upsert([document(50)])
    assert everything(engine).keys.tolist() == [0, 1, 2, 5, 6, 7, 8, 9, 50]
    assert engine.count() == 9


def test_either_side_may_be_missing(engine: SearchEngine) -> None:
    assert not len(engine.search(terms({1: 1.0}), unit(np.random.default_rng(1))))
    engine.upsert(map(document, range(5)))
    only_dense = engine.search(None, document(2).vector)
    assert len(only_dense) == 5
    assert not only_dense.lexical.any()
    assert only_dense.keys[only_dense.dense.argmax()] == 2
    only_terms = engine.search(terms({10**9: 2.0}), np.zeros(DIM, np.float32))
    assert only_terms.lexical.tolist() == [2.0] * 5
    assert not only_terms.dense.any()
    assert not len(engine.search(SparseVector.empty(), None))
    assert not len(engine.search(terms({12345: 1.0}), None))
    with pytest.raises(ValueError, match="limit"):
        engine.search(None, None, limit=0)


def test_a_document_may_lack_either_side(engine: SearchEngine) -> None:
    bare = replace(document(1), terms=SparseVector.empty(), vector=np.zeros(DIM, np.float32))
    engine.upsert([bare, document(2)])
    assert engine.count() == 2
    assert everything(engine).keys.tolist() == [2]


def test_the_largest_key_and_term_fit(engine: SearchEngine) -> None:
    key = 2**63 - 2
    engine.upsert([replace(document(1), key=key, terms=terms({2**32 - 1: 1.0}))])
    found = engine.search(terms({2**32 - 1: 3.0}), None)
    assert found.keys.tolist() == [key]
    assert found.lexical.tolist() == [3.0]


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ({"key": -1}, "outside"),
        ({"key": 2**63 - 1}, "outside"),
        ({"status": "open"}, "unknown status"),
        ({"vector": np.zeros(3, np.float32)}, "shape"),
        ({"vector": np.full(DIM, np.nan, np.float32)}, "finite"),
        ({"terms": terms({1: float("inf")})}, "finite"),
        ({"payload": b"short"}, "payload"),
    ],
)
def test_a_document_that_does_not_fit_is_refused(
    engine: SearchEngine, wrong: dict[str, object], reason: str
) -> None:
    with pytest.raises(ValueError, match=reason):
        engine.upsert([document(1), replace(document(2), **wrong)])
    assert engine.count() == 0


def test_documents_and_checkpoint_outlive_the_engine(open_engine: Open) -> None:
    engine = open_engine()
    assert engine.checkpoint() == 0
    engine.upsert(map(document, range(700)))
    engine.delete(range(100))
    engine.set_checkpoint(41)
    engine.set_checkpoint(42)
    before = engine.search(terms({3: 1.0}), document(300).vector, limit=50)
    engine.close()
    engine.close()
    with pytest.raises(Unavailable):
        engine.search(terms({3: 1.0}), None)
    with pytest.raises(Unavailable):
        engine.upsert([document(1)])
    again = open_engine()
    assert again.checkpoint() == 42
    assert again.count() == 600
    after = again.search(terms({3: 1.0}), document(300).vector, limit=50)
    for name in ("keys", "lexical", "dense", "status", "payload"):
        assert np.array_equal(getattr(before, name), getattr(after, name)), name


def test_clear_empties_and_resets_the_checkpoint(open_engine: Open) -> None:
    engine = open_engine()
    engine.upsert(map(document, range(50)))
    engine.set_checkpoint(7)
    engine.clear()
    assert (engine.count(), engine.checkpoint()) == (0, 0)
    engine.upsert([document(1)])
    assert everything(engine).keys.tolist() == [1]


def test_another_schema_starts_anew(open_engine: Open) -> None:
    engine = open_engine()
    engine.upsert([document(1)])
    engine.set_checkpoint(7)
    engine.close()
    other = open_engine(replace(SCHEMA, version="test-2"))
    assert (other.count(), other.checkpoint()) == (0, 0)


@pytest.mark.heavy
def test_searches_beside_a_writer_see_whole_documents(engine: SearchEngine) -> None:
    engine.upsert(map(document, range(300)))
    stop = threading.Event()
    problems: list[BaseException] = []

    def write() -> None:
        rng = random.Random(3)
        try:
            while not stop.is_set():
                keys = rng.sample(range(300), 20)
                engine.upsert(document(key, rng.randrange(3)) for key in keys[:10])
                engine.delete(keys[10:12])
                engine.upsert([document(keys[10])])
        except BaseException as error:
            problems.append(error)

    def read(seed: int) -> None:
        rng = np.random.default_rng(seed)
        try:
            for _ in range(40):
                vector = unit(rng)
                found = engine.search(terms({int(rng.integers(40)): 1.0}), vector, limit=60)
                keys = found.keys.tolist()
                assert keys == sorted(set(keys))
                assert found.payload["key"].tolist() == keys
        except BaseException as error:
            problems.append(error)

    writer = threading.Thread(target=write)
    readers = [threading.Thread(target=read, args=(seed,)) for seed in range(3)]
    for thread in (writer, *readers):
        thread.start()
    for thread in readers:
        thread.join()
    stop.set()
    writer.join()
    assert not problems


def test_the_order_of_writing_does_not_change_an_answer(open_engine: Open) -> None:
    engine = open_engine()
    docs = [document(key) for key in range(300)]
    query, vector = terms({3: 2.0, 7: 1.0}), unit(np.random.default_rng(9))
    answers = []
    for order in (docs, docs[::-1]):
        engine.clear()
        engine.upsert(order)
        answers.append(engine.search(query, vector, limit=40))
    first, second = answers
    assert first.keys.tolist() == second.keys.tolist()
    np.testing.assert_array_equal(first.lexical, second.lexical)
    np.testing.assert_allclose(first.dense, second.dense, atol=1e-6)


def test_both_engines_give_the_same_answer(tmp_path: Path, qdrant: QdrantServer) -> None:
    docs = [document(key) for key in range(1500)]  # few enough for exact search on both
    near = EdgeEngine(tmp_path / "index", SCHEMA)
    far = ServerEngine(qdrant.url, SCHEMA, collection=tmp_path.name)
    try:
        rng = np.random.default_rng(2)
        for engine in (near, far):
            engine.upsert(docs)
        for statuses in (None, ["active"], ["closed", "resolved"]):
            query = terms({int(t): float(rng.uniform(1, 5)) for t in rng.choice(40, 3)})
            vector = unit(rng)
            one = near.search(query, vector, statuses)
            two = far.search(query, vector, statuses)
            common = np.intersect1d(one.keys, two.keys)
            assert len(common) >= 0.95 * max(len(one), len(two))
            # Only the last places of the dense side differ, where cosines are rounded otherwise.
            names = statuses or STATUSES
            last = np.sort([doc.vector @ vector for doc in docs if doc.status in names])[-100]
            for answer in (one, two):
                odd = answer.dense[~np.isin(answer.keys, common)]
                np.testing.assert_allclose(odd, last, atol=TOLERANCE)
            a, b = np.isin(one.keys, common), np.isin(two.keys, common)
            both = (one.lexical[a] > 0) & (two.lexical[b] > 0)
            np.testing.assert_allclose(one.lexical[a][both], two.lexical[b][both], atol=1e-4)
            np.testing.assert_allclose(one.dense[a], two.dense[b], atol=TOLERANCE)
            np.testing.assert_array_equal(one.status[a], two.status[b])
            np.testing.assert_array_equal(one.payload[a], two.payload[b])
    finally:
        near.close()
        far.close()
