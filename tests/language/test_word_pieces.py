"""Word pieces: the first step of the transformers that read texts."""

from __future__ import annotations

import numpy as np

from augury.language import word_pieces


def test_a_text_is_cut_into_pieces_between_a_first_and_a_last_mark() -> None:
    found = word_pieces.tokenizer(64).encode("Will the Fed cut rates?")
    assert found.tokens == ["[CLS]", "will", "the", "fed", "cut", "rates", "?", "[SEP]"]


def test_the_longer_text_of_a_pair_is_cut_and_a_batch_is_as_long_as_its_longest() -> None:
    cut = word_pieces.tokenizer(16)
    long, short = cut.encode_batch([("oil price", "oil " * 50), ("oil", "gas")])
    assert len(long.ids) == len(short.ids) == 16
    assert sum(long.attention_mask) == 16
    assert sum(short.attention_mask) == 5
    assert long.tokens[1:3] == ["oil", "price"]


def test_like_words_have_like_vectors() -> None:
    cut, table = word_pieces.tokenizer(8), word_pieces.table()
    ids = np.array([cut.encode(word).ids[1] for word in ("monday", "tuesday", "bitcoin")])
    found = table.vectors(ids)
    assert found.shape == (3, table.levels.shape[1])
    assert found.dtype == np.float32
    monday, tuesday, bitcoin = found / np.linalg.norm(found, axis=1, keepdims=True)
    assert monday @ tuesday > 2 * monday @ bitcoin
    assert table.vectors(ids[None]).shape == (1, *found.shape)
