"""Terms, and the BM25 weights made of them."""

import unicodedata

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from augury.search import text
from augury.search.aliases import ALIASES, STEMS, STOP_WORDS
from augury.search.text import DocumentFrequencies, document_text, document_vector, terms


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Orbán’s party", "ORBAN's party"),
        ("the U.S. economy", "United States economy"),
        ("BTC above $150k", "Bitcoin above 150,000"),
        ("de-peg of USDT", "depeg: Tether"),
        ("Fed hikes rates", "Federal Reserve raises interest rates"),
        ("Hungarian elections", "Hungary election"),
        ("$4.5M", "4.5 million"),
        ("5.0%", "5 %"),
        ("Sept. 3rd", "September 3"),
        ("Pro Football Championship", "Super Bowl"),
        ("Will **gas prices** rise?", "gas price rises"),
        ("nonfarm payrolls", "NFP"),
        ("Roland Garros", "French Open"),
        ("quarter point", "25 basis points"),
        ("attacking a port", "airstrikes on the port"),
        ("the premier is toppled", "premier resigning"),
        ("delay of the launch", "postponement of the release"),
    ],
)
def test_one_meaning_has_one_reading(one: str, other: str) -> None:
    assert terms(one) == terms(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("T1 wins", "T2 wins"),
        ("March 2026", "May 2026"),
        ("150k", "150"),
        ("US", "UK"),
        ("San Antonio Spurs", "San Antonio Tottenham"),
        ("Washington Post", "Washington tweet"),
    ],
)
def test_different_meanings_stay_apart(one: str, other: str) -> None:
    assert terms(one) != terms(other)


def test_stop_words_are_left_out_and_order_is_kept() -> None:
    assert terms("Will the Moon be in the house of cheese?") == ["moon", "hous", "chees"]


def test_the_longest_phrase_wins() -> None:
    assert terms("New York City mayor") == ["newyorkc", "mayor"]
    assert terms("New York governor") == ["new", "york", "governor"]


@given(st.text(max_size=400))
def test_any_text_can_be_read(value: str) -> None:
    found = terms(value)
    assert all(found)
    assert len(text.term_ids(found)) == len(found)


@given(st.text(alphabet=st.characters(categories=["Lu", "Ll", "Nd", "Zs"]), max_size=100))
def test_composed_and_decomposed_letters_read_alike(value: str) -> None:
    composed = unicodedata.normalize("NFC", value)
    assert text.fold(composed) == text.fold(unicodedata.normalize("NFD", composed))


def test_text_beyond_the_limit_is_not_read() -> None:
    assert len(terms("word " * 10_000)) <= text.MAX_CHARS / 5


def test_aliases_are_written_as_words_are_read() -> None:
    for words, replacement in ALIASES.items():
        assert words
        assert 1 <= len(replacement) <= 3
        assert text._TOKEN.findall(text.fold(" ".join(words))) == list(words)


def test_what_replaces_a_word_is_replaced_by_nothing_else() -> None:
    for words, replacement in {**ALIASES, **STEMS}.items():
        read = set(terms(" ".join(replacement)))
        assert read == {text.term(word) for word in replacement}, words


def test_a_place_within_a_name_is_another_place() -> None:
    assert not set(terms("West Virginia")) & set(terms("Virginia"))
    assert not set(terms("New Mexico")) & set(terms("Mexico"))
    assert not set(terms("White House")) & set(terms("House of Representatives"))


def test_no_alias_of_one_word_is_a_stop_word() -> None:
    assert not {words[0] for words in ALIASES if len(words) == 1} & STOP_WORDS


def test_term_ids_never_change() -> None:
    # written into every index: a change of the id would need all of them rebuilt
    assert text.term_id("bitcoin") == 3_603_026_542


def test_a_document_leaves_out_an_event_its_question_repeats() -> None:
    document = document_text("Next pope? — A. Nyone", event_name="Next pope?")
    assert (document.title, document.event) == ("Next pope? — A. Nyone", "")


def test_a_document_vector_has_each_term_once_in_order_of_id() -> None:
    ids, weights = document_vector(
        document_text("Snow in Oslo, snow in Bergen?", event_name="Snow", tags=["weather"])
    )
    assert ids.dtype == np.uint32
    assert weights.dtype == np.float32
    assert (np.diff(ids.astype(np.int64)) > 0).all()
    found = ids.tolist()
    assert set(found) == {text.term_id(t) for t in terms("snow oslo bergen weather")}
    by_term = dict(zip(found, weights.tolist(), strict=True))
    assert by_term[text.term_id("snow")] > by_term[text.term_id("oslo")]
    assert by_term[text.term_id("oslo")] > by_term[text.term_id("weather")]


def test_an_empty_document_has_an_empty_vector() -> None:
    ids, weights = document_vector(document_text("?"))
    assert len(ids) == len(weights) == 0


@given(st.floats(0.5, 100), st.floats(0, 50))
def test_saturation_rises_and_is_bounded(frequency: float, length: float) -> None:
    def weight(f: float) -> float:
        return float(text.saturate(np.array([f], np.float32), np.float32(length))[0])

    assert 0 < weight(frequency) < text.K1 + 1
    assert weight(frequency) <= weight(frequency + 1)


def counted(*documents: str) -> DocumentFrequencies:
    frequencies = DocumentFrequencies()
    frequencies.add_batch([text.term_ids(sorted(set(terms(d)))) for d in documents])
    return frequencies


def test_idf_follows_its_formula() -> None:
    frequencies = counted("snow oslo", "snow bergen", "rain bergen", "sun rome")
    idf = frequencies.idf(text.term_ids(["snow", "rome", "nowhere"]))
    assert idf == pytest.approx(np.log1p([(4 - n + 0.5) / (n + 0.5) for n in (2, 1, 0)]), rel=1e-5)


def test_frequencies_survive_storage_and_removal() -> None:
    frequencies = counted("snow oslo", "snow bergen")
    again = DocumentFrequencies.from_bytes(frequencies.to_bytes())
    assert again.documents == 2
    again.remove(text.term_ids(["snow", "bergen"]))
    ids = text.term_ids(["snow", "oslo", "bergen"])
    assert again.idf(ids) == pytest.approx(counted("snow oslo").idf(ids))


def test_removing_what_was_never_counted_does_no_harm() -> None:
    frequencies = DocumentFrequencies()
    frequencies.remove(text.term_ids(["snow"]))
    assert frequencies.documents == 0
    assert not frequencies.counts.any()


def test_frequencies_refuse_a_table_of_another_size() -> None:
    with pytest.raises(ValueError, match="counts"):
        DocumentFrequencies(1, np.zeros(8, np.uint32))


def test_query_weights_are_shares_and_prefer_rare_words() -> None:
    frequencies = counted(*["snow oslo"] * 30, "snow bergen 2026 surges")
    ids, weights = text.query_vector(["snow", "bergen", "2026", "surg", "snow"], frequencies)
    assert len(ids) == 4
    assert weights.sum() == pytest.approx(1, abs=1e-5)
    share = dict(zip(["snow", "bergen", "2026", "surg"], weights.tolist(), strict=True))
    assert share["bergen"] > share["snow"]
    assert share["2026"] == pytest.approx(share["bergen"] / 2, rel=1e-4)
    assert share["surg"] == pytest.approx(share["bergen"] / 2, rel=1e-4)


def test_the_dot_product_prefers_the_market_that_says_more_of_the_query() -> None:
    documents = ["Snow in Oslo in May?", "Snow in Rome?", "Rain in Oslo?"]
    frequencies = counted(*documents)
    query = dict(zip(*text.query_vector(terms("Oslo snow"), frequencies), strict=True))

    def score(document: str) -> float:
        pairs = zip(*document_vector(document_text(document)), strict=True)
        return sum(float(query.get(i, 0)) * float(w) for i, w in pairs)

    assert max(documents, key=score) == documents[0]
