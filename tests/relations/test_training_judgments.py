"""Judges' lines and what is picked for them: what a ranker of relations is fitted on."""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "training" / "relations"))

from judgments import agreement, numbers, read  # pyright: ignore[reportMissingImports]
from picking import MANY, chosen  # pyright: ignore[reportMissingImports]

KEY = [
    json.dumps({"q": "q1", "qid": "r1", "ids": ["a", "b", "c", "d"]}),
    json.dumps({"q": "q2", "qid": "r2", "ids": ["a", "e"]}),
]


def test_numbers_are_listed_or_ranges() -> None:
    assert numbers("4-6,9") == [4, 5, 6, 9]


def test_what_has_no_line_bears_on_nothing() -> None:
    judged = read(["q1\t1,3-4\tupstream\t2", "q2\t2\tdirect\t3", "done"], KEY, "01")
    assert judged == {
        ("r1", "a"): ("upstream", 2),
        ("r1", "b"): ("none", 0),
        ("r1", "c"): ("upstream", 2),
        ("r1", "d"): ("upstream", 2),
        ("r2", "a"): ("none", 0),
        ("r2", "e"): ("direct", 3),
    }


def test_an_unfinished_pack_counts_for_nothing() -> None:
    assert read(["q1\t1\tdirect\t3"], KEY, "01") is None


@pytest.mark.parametrize(
    "line",
    ["q1\t1\tdirect\t4", "q1\t1\tcause\t2", "q1\t5\tdirect\t2", "q1\t0\tdirect\t2",
     "q9\t1\tdirect\t2", "q1\t1\tdirect", "q1\t1,9\tdirect\t2"],
)  # fmt: skip
def test_a_line_that_cannot_be_read_is_left_out_whole(
    line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    judged = read([line, "done"], KEY, "01")
    assert judged is not None
    assert set(judged.values()) == {("none", 0)}
    assert "01 line 1 left out" in capsys.readouterr().out


def test_agreement_of_two_judges() -> None:
    one = {("r", n): ("direct", 3) for n in "ab"} | {("r", n): ("none", 0) for n in "cd"}
    other = {**one, ("r", "b"): ("upstream", 2)}
    found = agreement(one, other)
    assert found["same relation"] == 0.75
    assert found["of those either related"] == 0.5
    assert agreement(one, one)["kappa"] == 1.0


def test_the_first_of_each_list_are_judged_and_few_of_a_family_besides() -> None:
    lists = [list(range(50)), list(range(50, 100)), [], [], list(range(100, 140)), []]
    family = dict.fromkeys(range(400), 1) | {n: n for n in range(50, 400)}
    picked = chosen(lists, family, random.Random(1), MANY)
    listed, strays = picked[: -MANY.strays], picked[-MANY.strays :]
    assert set(range(10)) | set(range(50, 60)) <= set(listed)
    assert sum(n < 50 for n in listed) == MANY.of_family
    assert len(picked) == len(set(picked)) <= MANY.judged
    assert max(strays) >= 140


def test_few_candidates_are_judged_all() -> None:
    family = dict.fromkeys((1, 2, 3, 4), 7)
    picked = chosen([[1, 2], [3], [], [], [], []], family, random.Random(1), MANY)
    assert sorted(picked) == [1, 2, 3, 4]


FOLDER = Path(__file__).parents[2] / "training" / "relations"


@pytest.mark.parametrize(
    ("queries", "judgments"),
    [
        ("queries.jsonl", "judgments.jsonl"),
        ("report.jsonl", "report_judgments.jsonl"),
        ("report2.jsonl", "report2_judgments.jsonl"),
        *((f"wide{n}.jsonl", f"wide{n}_judgments.jsonl") for n in range(1, 6)),
    ],
)
def test_what_is_kept_names_known_queries_and_no_market_twice(queries: str, judgments: str) -> None:
    lines = [json.loads(x) for x in (FOLDER / judgments).read_text().splitlines()]
    known = {json.loads(x)["qid"] for x in (FOLDER / queries).read_text().splitlines()}
    first = [line["qid"] for line in lines if line["judge"][0] != "S" and line["judge"][-1] != "b"]
    assert sorted(first) == sorted(known)
    assert {line["qid"] for line in lines} == known
    for line in lines:
        ids = [market for listed in line["ids"].values() for market in listed]
        assert len(ids) == len(set(ids)) > 0
        assert all(market.startswith(("polymarket:", "kalshi:")) for market in ids)
        assert all(judgment.split()[1] in "0123" for judgment in line["ids"])
