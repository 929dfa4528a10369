"""Turns text into terms, which the lexical index and the ranker both read.

Documents and queries are treated alike: fold to ASCII, split, replace aliases, stem, and give each
term a stable 32-bit id. The lexical score of a document is a dot product: the document's weights
have BM25's term saturation and length normalization, and the query's weights are the inverse
document frequency (Robertson & Zaragoza 2009, "The Probabilistic Relevance Framework: BM25 and
Beyond").
"""

from __future__ import annotations

import re
import threading
import unicodedata
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import Stemmer
from numpy.typing import NDArray

from augury.caches import cached
from augury.language import calendar
from augury.language.numerals import FACTORS
from augury.search.aliases import ALIASES, STEMS, STOP_WORDS, WEAK_WORDS

TermIds = NDArray[np.uint32]
Weights = NDArray[np.float32]

K1: Final = 1.2
"""BM25's saturation parameter, with its usual value. The larger it is, the more each repetition of
a term adds to the score."""
B: Final = 0.75
"""BM25's length normalization, from 0 (none) to 1 (full), with its usual value. The larger it is,
the less a term in a long text counts."""
AVERAGE_LENGTH: Final = 16.0
"""Document length that BM25 treats as average. It is the number of terms, each counted with the
weight of its field (e.g. `TITLE_WEIGHT`). It is fixed and not the measured average, so that a new
market does not change the weights of the documents already indexed."""
TITLE_WEIGHT: Final = 2.0
EVENT_WEIGHT: Final = 1.0
BODY_WEIGHT: Final = 0.5
BODY_WORDS: Final = 80
"""Of a market's resolution rules, this many words from the start are indexed. Rules state their
subject at the start; the rest is boilerplate. Chosen by hand."""
MAX_CHARS: Final = 10_000
"""A text is cut to this many characters before any other step."""

NUMBER_WEIGHT: Final = 0.5
"""The weight of a query term is multiplied by this number if the term is a number, a month or a
word that is frequent in headlines (`WEAK_WORDS`). Numbers and months say which market of a family
(e.g. of one event) is meant; the other words of a query say which family. Chosen by hand."""

_TOKEN = re.compile(r"\d+(?:[.,]\d+)*[^\W\d_]*|[^\W_\d][^\W_]*(?:'[^\W\d_]+)?")
_NUMBER = re.compile(r"(\d+(?:[.,]\d+)*)([^\W\d_]*)\Z")
_INITIALS = re.compile(r"\b(?:[a-z]\.){2,}")
_ACCENTS = re.compile("[\u0300-\u036f]+")
_LETTERS = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ı": "i", "æ": "ae", "œ": "oe", "ß": "ss"}
    | {"’": "'", "‘": "'", "ʼ": "'", "−": "-"}
)
_ORDINAL: Final = frozenset({"st", "nd", "rd", "th"})
_UNIT: Final = frozenset({"bp", "bps", "pp", "pct", "f", "c"})


@dataclass(frozen=True, slots=True)
class DocumentText:
    """The text of a market: its question, its event's name, and the rest (rules, tags,
    category)."""

    title: str
    event: str
    body: str


def document_text(
    question: str,
    *,
    event_name: str | None = None,
    description: str | None = None,
    category: str | None = None,
    tags: Iterable[str] = (),
) -> DocumentText:
    """The text of a market in three fields, which have different weights in the index: the
    question, the event's name, and the rest (start of the resolution rules, tags, category).

    `question` is the whole question ("title — subtitle" for Kalshi), `description` the resolution
    rules. If the question begins with the event's name, the field of the event stays empty.
    """
    title = _plain(question)
    event = _plain(event_name or "")
    if event and title.casefold().startswith(event.casefold()):
        event = ""
    body = [" ".join(_plain(description or "").split()[:BODY_WORDS]), *tags, category or ""]
    return DocumentText(title, event, " ".join(part for part in body if part))


def _plain(text: str) -> str:
    return " ".join(text[:MAX_CHARS].replace("**", "").split())


def fold(text: str) -> str:
    """Lower case, without diacritics or typographic quotes: "Orbán’s" -> "orban's".

    Initials lose their dots ("U.S." -> "us"), so that they are one word.
    """
    folded = text[:MAX_CHARS].lower().replace("*", "").replace("`", "'")
    if not folded.isascii():
        folded = _ACCENTS.sub("", unicodedata.normalize("NFKD", folded))
        folded = folded.lower().translate(_LETTERS)
    if "." in folded:
        folded = _INITIALS.sub(lambda match: match.group().replace(".", "") + " ", folded)
    return folded


@cached(16 << 20)
def title_terms(text: str) -> tuple[str, ...]:
    """The terms of a text, as `terms` makes them, with a cache: markets of one event share its
    name, and both the index and the ranker read a market's question."""
    return tuple(terms(text))


def terms(text: str) -> list[str]:
    """The terms of a text in reading order, stop words left out.

    Numbers become canonical decimals: "$110", "110.0" -> "110"; "4.5M", "4.5 million" ->
    "4500000"; "25th" -> "25"; "5%" -> "5".
    """
    words = _TOKEN.findall(fold(text))
    out: list[str] = []
    position, end = 0, len(words)
    while position < end:
        word = words[position]
        position += 1
        if word in _PHRASES:
            for phrase, replacement in _PHRASES[word]:
                rest = len(phrase) - 1
                if not rest or phrase[1:] == tuple(words[position : position + rest]):
                    out += replacement
                    position += rest
                    break
            else:
                if word not in STOP_WORDS:
                    out.append(term(word))
        elif position < end and words[position] in FACTORS and word[0].isdigit():
            number = _scaled(word, words[position])
            out.append(term(word) if number is None else number)
            position += number is not None
        elif word not in STOP_WORDS:
            out.append(term(word))
    return out


@cached(64 << 20)
def term(word: str) -> str:
    """The term of one word in lower case without accents. A number becomes canonical ("110.0" ->
    "110"). Any other word becomes its stem, or the stem that replaces this stem
    (`augury.search.aliases.STEMS`): "attacks" -> "strike"."""
    if word[0].isdigit():
        return _number(word)
    stem = _stem(word.removesuffix("'s").partition("'")[0] or word)
    return _STEM_TERMS.get(stem, stem)


def is_number(term: str) -> bool:
    return term[0].isdigit()


def is_year(term: str) -> bool:
    return len(term) == 4 and term[:2] in ("19", "20") and term.isdecimal()


def is_month(term: str) -> bool:
    return term in _MONTH_TERMS


def query_weight(term: str) -> float:
    """Factor by which a query term's weight is multiplied: `NUMBER_WEIGHT` for numbers, months and
    words that are frequent in headlines ("surges", "hits", "report"; see `WEAK_WORDS`), 1 for other
    terms."""
    weak = is_number(term) or is_month(term) or term in _WEAK_TERMS
    return NUMBER_WEIGHT if weak else 1.0


def term_id(term: str) -> int:
    """A stable id of a term, in [0, 2**32).

    CRC-32 is the same on all machines and in all versions. Among a million terms, about a hundred
    pairs share an id, too few to matter for the ranking.
    """
    return zlib.crc32(term.encode("utf-8", "surrogatepass"))


def term_ids(terms: Sequence[str]) -> TermIds:
    return np.fromiter((term_id(t) for t in terms), dtype=np.uint32, count=len(terms))


def document_vector(document: DocumentText) -> tuple[TermIds, Weights]:
    """A document's part of the lexical score (dot product with the query's weights): the ids of its
    distinct terms, ascending, and their weights.

    weight = f (K1 + 1) / (f + K1 (1 - B + B length / AVERAGE_LENGTH)), where f is the term's count
    and length the count of all terms, each summed over the fields with their weights (BM25F).
    """
    counts: dict[int, float] = {}
    fields = (
        (title_terms(document.title), TITLE_WEIGHT),
        (title_terms(document.event), EVENT_WEIGHT),
        (terms(document.body), BODY_WEIGHT),
    )
    length = 0.0
    for found, weight in fields:
        length += weight * len(found)
        for name in found:
            key = term_id(name)
            counts[key] = counts.get(key, 0.0) + weight
    ordered = sorted(counts)
    ids = np.array(ordered, dtype=np.uint32)
    frequency = np.array([counts[i] for i in ordered], dtype=np.float32)
    return ids, saturate(frequency, np.float32(length / AVERAGE_LENGTH))


def saturate(frequency: Weights, relative_length: Weights | np.float32) -> Weights:
    """BM25's weight of a term that occurs `frequency` times, without the inverse document
    frequency. `relative_length`: the document's length divided by the average length."""
    norm = K1 * (1 - B + B * relative_length)
    return (frequency * (K1 + 1) / (frequency + norm)).astype(np.float32)


def query_vector(terms: Sequence[str], frequencies: DocumentFrequencies) -> tuple[TermIds, Weights]:
    """A query as a vector, whose dot product with a document's weights is the lexical score: the
    ids of the query's distinct terms in reading order, and their weights, which sum to 1.

    A weight is the term's share of the query's total rarity (idf times `query_weight`), so that the
    scores of long and short queries have the same scale.
    """
    distinct = list(dict.fromkeys(terms))
    ids = term_ids(distinct)
    weights = frequencies.idf(ids) * np.array([query_weight(t) for t in distinct], np.float32)
    total = float(weights.sum())
    return ids, (weights / total if total > 0 else weights).astype(np.float32)


class DocumentFrequencies:
    """The number of documents in which each term occurs, in a hash table of fixed size.

    It has 2**20 counts (4 MB), however large the catalogue is. Terms that share a bucket look a
    little more common than they are. Only one thread may add counts; others may read meanwhile.
    """

    BUCKETS: Final = 1 << 20

    def __init__(self, documents: int = 0, counts: NDArray[np.uint32] | None = None) -> None:
        if counts is not None and counts.shape != (self.BUCKETS,):
            raise ValueError(f"expected {self.BUCKETS} counts, got {counts.shape}")
        self.documents = documents
        self.counts = np.zeros(self.BUCKETS, np.uint32) if counts is None else counts

    def add(self, ids: TermIds) -> None:
        """Add one document to the counts: 1 for each of `ids`, the ids of its distinct terms."""
        self.add_batch([ids])

    def add_batch(self, documents: Sequence[TermIds]) -> None:
        """Add documents to the document frequencies. Each is given by its distinct term ids."""
        if not documents:
            return
        buckets = np.concatenate(documents) & np.uint32(self.BUCKETS - 1)
        self.counts += np.bincount(buckets, minlength=self.BUCKETS).astype(np.uint32)
        self.documents += len(documents)

    def remove(self, ids: TermIds) -> None:
        """Subtract from the counts a document that was added before, given by its distinct term
        ids. No count falls below zero."""
        buckets = ids & np.uint32(self.BUCKETS - 1)
        held = self.counts[buckets]
        self.counts[buckets] = held - np.minimum(held, 1)
        self.documents = max(0, self.documents - 1)

    def idf(self, ids: TermIds) -> Weights:
        """Inverse document frequency of each term id: ln(1 + (N - n + 1/2) / (n + 1/2)), where n of
        N documents contain the term. Always positive."""
        n = self.counts[ids & np.uint32(self.BUCKETS - 1)].astype(np.float32)
        n = np.minimum(n, self.documents)
        return np.log1p((self.documents - n + 0.5) / (n + 0.5)).astype(np.float32)

    def count(self, ids: TermIds) -> NDArray[np.uint32]:
        """The number of documents in which each id occurs. It may be a little too high, because ids
        can share a bucket."""
        return self.counts[ids & np.uint32(self.BUCKETS - 1)]

    def to_bytes(self) -> bytes:
        return self.documents.to_bytes(8, "little") + self.counts.astype("<u4").tobytes()

    @classmethod
    def from_bytes(cls, data: bytes) -> DocumentFrequencies:
        counts = np.frombuffer(data, dtype="<u4", offset=8).astype(np.uint32)
        return cls(int.from_bytes(data[:8], "little"), counts)


_stemmer = Stemmer.Stemmer("english")
_stemming = threading.Lock()


def _stem(word: str) -> str:
    if not word.isascii() or not word.isalpha():
        return word
    with _stemming:  # a stemmer is not thread-safe
        return _stemmer.stemWord(word)


def _scaled(word: str, unit: str) -> str | None:
    try:
        value = float(word.replace(",", "")) * FACTORS[unit]
    except (ValueError, KeyError):
        return None
    return f"{value:.0f}" if value < 1e16 else None


def _number(word: str) -> str:
    match = _NUMBER.match(word)
    if match is None:
        return word
    digits, unit = match.groups()
    if not digits.isascii():  # digits of other scripts, which \d and float accept
        digits = "".join(str(unicodedata.digit(c)) if c.isdigit() else c for c in digits)
    if unit in FACTORS and (scaled := _scaled(digits, unit)) is not None:
        return scaled
    plain = digits.replace(",", "")
    if plain.count(".") == 1:
        plain = plain.rstrip("0").rstrip(".") or "0"
    return plain if not unit or unit in _ORDINAL or unit in _UNIT else plain + unit


def _by_first_word() -> dict[str, list[tuple[tuple[str, ...], tuple[str, ...]]]]:
    phrases: dict[str, list[tuple[tuple[str, ...], tuple[str, ...]]]] = {}
    for words, replacement in ALIASES.items():
        stems = tuple(term(word) for word in replacement)
        phrases.setdefault(words[0], []).append((words, stems))
    for candidates in phrases.values():
        candidates.sort(key=lambda pair: -len(pair[0]))
    return phrases


_STEM_TERMS: Final = {_stem(word): _stem(other) for (word,), (other,) in STEMS.items()}
_PHRASES: Final = _by_first_word()
_MONTH_TERMS: Final = frozenset(_stem(month) for month in calendar.MONTHS)
MONTH_IDS: Final = term_ids(sorted(_MONTH_TERMS))
"""Ids of the terms that name months."""
YEAR_END_IDS: Final = term_ids(sorted(_stem(month) for month in ("december", "january")))
"""Ids of the terms for the months that name the end of a year ("by December 31", "before January
1")."""
QUARTER_IDS: Final = term_ids(("q1", "q2", "q3", "q4"))
"""Ids of the terms that name quarters."""
_WEAK_TERMS: Final = frozenset(_stem(word) for word in WEAK_WORDS) - _MONTH_TERMS
