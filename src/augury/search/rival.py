"""A minimal rival for the benchmark: searches by words with the library tantivy and by vectors with
the library usearch, their results merged by rank.

It has no database, no query parsing and no ranking, so its latency is a lower bound for a search
made of these two libraries. For comparison, Augury's engine, without the rest of the service,
answers the same queries; the two take turns. The libraries are in the `bench` dependency group, not
in the product.
"""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from augury.markets.generator import generate
from augury.search.engine import SparseVector
from augury.search.load import percentiles
from augury.search.text import document_text, query_vector, terms

if TYPE_CHECKING:
    from augury.search.service import SearchService

RESULT_LIMIT = 100
_CHUNK = 5_000


def measure(service: SearchService, n: int, texts: Sequence[str], folder: Path) -> dict[str, Any]:
    """Compare the latency of our engine with that of the libraries tantivy and usearch: index `n`
    generated markets with the two libraries, send each query to our engine and then to them, and
    return both latencies in ms. If the libraries are not installed, nothing is measured and the
    result says so."""
    if not all(importlib.util.find_spec(name) for name in ("tantivy", "usearch")):
        return {"skipped": "tantivy and usearch are not installed (dependency group `bench`)"}
    started = time.perf_counter()
    ask = _build(service, n, folder)
    built = time.perf_counter() - started
    engine, frequencies, embedder = service.engine, service.frequencies, service.embedder
    ours: list[float] = []
    theirs: list[float] = []
    for k, text in enumerate(texts):
        for seconds, turn in ((ours, True), (theirs, False)):
            began = time.perf_counter()
            vector = embedder.embed_query(text)
            if turn:
                ids, weights = query_vector(terms(text), frequencies)
                engine.search(SparseVector(ids, weights), vector, None, RESULT_LIMIT)
            else:
                ask(text, vector)
            if k >= 20:
                seconds.append(time.perf_counter() - began)
    return {
        "build_seconds": round(built, 1),
        "rival_latency_ms": percentiles(theirs),
        "our_engine_latency_ms": percentiles(ours),
        "ratio_of_p50": round(float(np.median(theirs) / np.median(ours)), 2),
    }


def _build(
    service: SearchService, n: int, folder: Path
) -> Callable[[str, np.ndarray[Any, Any]], list[int]]:
    import tantivy  # pyright: ignore[reportMissingImports]
    from usearch.index import Index  # pyright: ignore[reportMissingImports]

    folder.mkdir()
    builder = tantivy.SchemaBuilder()
    builder.add_unsigned_field("key", fast=True)
    builder.add_text_field("text", tokenizer_name="whitespace", index_option="freq")
    schema = builder.build()
    words = tantivy.Index(schema, str(folder))
    writer = words.writer(256_000_000, 1)
    vectors = Index(ndim=service.embedder.dim, metric="cos", dtype="i8")
    made, key = generate(n), 0
    while chunk := list(islice(made, _CHUNK)):
        documents = [document_text(m.question, event_name=m.event_name) for m in chunk]
        keys = np.arange(key, key + len(chunk), dtype=np.uint64)
        vectors.add(keys, service.embedder.embed_documents(documents))
        for document in documents:
            entry = tantivy.Document()
            entry.add_unsigned("key", key)
            entry.add_text("text", " ".join(terms(f"{document.title} {document.event}")))
            writer.add_document(entry)
            key += 1
    writer.commit()
    writer.wait_merging_threads()
    words.reload()
    searcher = words.searcher()

    def ask(text: str, vector: np.ndarray[Any, Any]) -> list[int]:
        clauses = [
            (tantivy.Occur.Should, tantivy.Query.term_query(schema, "text", term))
            for term in set(terms(text))
        ]
        found = searcher.search(
            tantivy.Query.boolean_query(clauses), RESULT_LIMIT, count=False
        ).hits
        lexical = searcher.fast_field_values("key", [address for _, address in found])
        fused: dict[Any, float] = {}
        for ranking in (lexical, vectors.search(vector, RESULT_LIMIT).keys.tolist()):
            for rank, hit in enumerate(ranking):
                fused[hit] = fused.get(hit, 0.0) + 1 / (60 + rank)
        return sorted(fused, key=lambda hit: -fused[hit])

    return ask
