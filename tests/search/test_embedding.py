"""The static embedder, from the installed wheel, offline."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from augury.search import embedding
from augury.search.embedding import Embedder, EmbeddingProblem, content
from augury.search.text import document_text


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    return Embedder.load()


def test_vectors_are_unit_and_float32(embedder: Embedder) -> None:
    vectors = embedder.embed(["Snow in Oslo?", "Bitcoin above $200k"])
    assert vectors.shape == (2, embedder.dim)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 1], abs=1e-5)


def test_meaning_is_near_without_a_shared_word(embedder: Embedder) -> None:
    query = embedder.embed_query("chance of a blizzard in Norway")
    near, far = embedder.embed(["Oslo snowstorm this winter?", "Who wins the tennis final?"])
    assert query @ near > query @ far + 0.1


@pytest.mark.parametrize("text", ["", "  ", "\ud800", "\x00", "🙂" * 50, "the", "x" * 20_000])
def test_odd_texts_have_a_vector(embedder: Embedder, text: str) -> None:
    vector = embedder.embed_query(text)
    assert vector.shape == (embedder.dim,)
    assert np.isfinite(vector).all()


def test_no_texts_have_no_vectors(embedder: Embedder) -> None:
    assert embedder.embed([]).shape == (0, embedder.dim)
    assert embedder.embed_documents([]).shape == (0, embedder.dim)


def test_a_text_has_one_vector_whatever_stands_beside_it(embedder: Embedder) -> None:
    texts = [f"Snow in town {i}?" for i in range(5000)]
    together = embedder.embed(texts)
    for row in (0, 2047, 2048, 4999):
        assert together[row] == pytest.approx(embedder.embed_query(texts[row]), abs=1e-6)


def test_a_document_stands_between_its_question_and_its_event(embedder: Embedder) -> None:
    document = document_text("Will Anna win?", event_name="Mayor of Oslo")
    plain = document_text("Will Anna win?")
    vectors = embedder.embed_documents([document, plain])
    event, title = embedder.embed(["Mayor of Oslo", "Will Anna win?"])
    assert vectors[1] == pytest.approx(title, abs=1e-6)
    assert vectors[0] @ event > vectors[1] @ event


def test_threads_may_share_one(embedder: Embedder) -> None:
    texts = [f"Snow in town {i}?" for i in range(64)]
    with ThreadPoolExecutor(4) as pool:
        vectors = list(pool.map(embedder.embed_query, texts))
    assert np.array(vectors) == pytest.approx(embedder.embed(texts), abs=1e-6)


def test_content_keeps_something_always() -> None:
    assert content("Will the Moon be full?") == "Moon full?"
    assert content("what will be will be") == "what will be will be"


def test_a_missing_package_is_said_plainly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedding, "PACKAGE", "no_such_package_here")
    with pytest.raises(EmbeddingProblem, match="not installed"):
        Embedder.load()


def test_another_table_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedding, "_WEIGHTS_SHA256", "0" * 64)
    with pytest.raises(EmbeddingProblem, match="wrong table"):
        Embedder.load()
