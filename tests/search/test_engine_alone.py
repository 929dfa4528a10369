"""What is true of the engine in the process, and of the server's, alone."""

from __future__ import annotations

import errno
import os
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.search.documents import (
    DIM,
    SCHEMA,
    document,
    everything,
    terms,
)
from tests.search.qdrant import free_port

from augury.errors import SetupProblem, Unavailable
from augury.search import partition
from augury.search.edge import EdgeEngine
from augury.search.engine import (
    STATUSES,
    SparseVector,
)
from augury.search.partition import shortlist
from augury.search.server import ServerEngine
from augury.search.slots import fixed, sketch

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


@pytest.mark.heavy
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


@pytest.mark.heavy
def test_near_duplicates_are_found_as_brute_force_finds_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(partition, "MIN_SHORTLIST", 256)
    monkeypatch.setattr(partition, "_FULL_SCAN_SLOTS", 1000)
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


@pytest.mark.heavy
def test_a_server_out_of_reach_is_named_unavailable() -> None:
    with pytest.raises(Unavailable, match="The search server failed"):
        ServerEngine(f"http://127.0.0.1:{free_port()}", SCHEMA, timeout=0.5)
