"""What is remembered of callers' texts is bounded by bytes."""

from __future__ import annotations

import gc
import random
import string
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest

from augury.caches import Once, cached, memory_bytes
from augury.extension import names as extension
from augury.forecast import polarity
from augury.forecast.normalize import normalize
from augury.propositions.reading import read
from augury.search.text import terms, title_terms

AT = datetime(2026, 11, 22, tzinfo=UTC)
SCRIPTS = (string.ascii_lowercase, "абвгдежзиклмн", "αβγδεζηθ", "漢字仮名交文", "𐐀𐐁𐐂𐐃𐐄")


def test_results_are_kept_and_what_is_asked_for_again_stays() -> None:
    made: list[str] = []

    @cached(200_000)
    def twice(text: str) -> str:
        made.append(text)
        return text * 2

    for n in range(2_000):
        assert twice(str(n)) == str(n) * 2
        assert twice("asked for again") == "asked for again" * 2
    assert made.count("asked for again") == 1
    assert twice("0") == "00"
    assert made.count("0") == 2  # forgotten meanwhile


@pytest.mark.heavy
def test_what_is_kept_takes_no_more_bytes_than_it_may() -> None:
    @cached(1 << 20)
    def long(number: int) -> str:
        return "x" * 10_000

    gc.collect()
    before = _resident()
    assert sum(len(long(n)) for n in range(20_000)) == 200_000_000
    assert _resident() - before < 20_000_000
    assert long(1) is long(1)


def test_one_result_larger_than_all_is_not_kept() -> None:
    @cached(10_000)
    def huge(_: int) -> bytes:
        return bytes(20_000)

    assert huge(1) is not huge(1)


def test_weights_count_the_parts() -> None:
    assert memory_bytes(("a" * 1000, frozenset({"b" * 1000}))) > 2000
    assert memory_bytes({"a": "b" * 5000}) > 5000
    assert memory_bytes(extension.name("x" * 5000)) > 5000


def _resident() -> int:
    """Bytes of memory that are this process's."""
    line = next(s for s in Path("/proc/self/status").read_text().splitlines() if "RssAnon" in s)
    return int(line.split()[1]) * 1024


def _hostile(rng: random.Random) -> str:
    """A text of words that nobody has written before, some of them long."""
    letters = rng.choice(SCRIPTS)
    words = (
        "".join(rng.choices(letters, k=rng.choice((5, 12, 60, 400))))
        for _ in range(rng.choice((1, 4, 8)))
    )
    return " ".join(words)[:2_000]


def _grown(rounds: int) -> tuple[float, float]:
    """Megabytes that memory grew by in the first third of the rounds, and after it."""
    rng = random.Random(14)
    marks: list[int] = []
    for n in range(rounds):
        if n % (rounds // 3) == 0:
            gc.collect()
            marks.append(_resident())
        text = _hostile(rng)
        terms(text)
        title_terms(text)
        polarity.turns(text)
        extension.name(text)
        read(text, title=text, opened=AT.date())
        if n % 10 == 0:
            normalize(text[:500], AT)
    gc.collect()
    return (marks[1] - marks[0]) / 1e6, (_resident() - marks[1]) / 1e6


@pytest.mark.heavy
def test_memory_is_bounded_over_hostile_texts() -> None:
    first, later = _grown(3_000)
    assert first < 150
    assert later < 100


@pytest.mark.slow
def test_memory_is_flat_over_a_hundred_thousand_hostile_texts() -> None:
    first, later = _grown(100_000)
    print(f"grown by {first:.0f} MB, then by {later:.0f} MB")
    assert first < 400
    assert later < 40


def test_what_a_process_needs_one_of_is_made_once() -> None:
    once, made = Once[object](), list[object]()

    def make() -> object:
        time.sleep(0.01)
        made.append(object())
        return made[-1]

    assert not once
    with ThreadPoolExecutor(4) as pool:
        given = list(pool.map(lambda _: once.get(make), range(8)))
    assert once
    assert given == made * 8
