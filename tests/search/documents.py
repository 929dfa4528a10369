"""Documents and queries of the tests of search engines."""

from __future__ import annotations

import numpy as np

from augury.search.engine import (
    STATUSES,
    EngineHits,
    IndexDocument,
    IndexSchema,
    SearchEngine,
    SparseVector,
)

DIM = 64
RECORD = np.dtype([("key", "<i8"), ("liquidity", "<f4"), ("tokens", "<u4", (4,))])
SCHEMA = IndexSchema(DIM, RECORD, "test-1")
TOLERANCE = 2e-3  # of a cosine between stored vectors


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
