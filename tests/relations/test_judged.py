"""Judged pairs of factors."""

from __future__ import annotations

import pytest

from augury.relations.causal import knowledge
from augury.relations.causal.judged import CODES, SELF_CODE, Judged, PairVerdict, read

TEXT = """
domain = "test"
[entities.town]
fields = ["key", "name"]
rows = [["rome", "Rome"], ["oslo", "Oslo"]]
[factors."rain-{town}"]
name = "Rain in {name}"
up = "it rains more"
match = ["{name} & rain"]
[factors."floods-{town}"]
name = "Floods in {name}"
up = "more floods"
match = ["{name} & floods"]
[factors.monsoon]
name = "Monsoon"
up = "there is a monsoon"
match = ["monsoon"]
"""
ROWS = """# by hand
rain-{town}\tsame\teffect\t3\t+\t1\ta\tfloods-{town}\tRain floods.
rain-{town}\tother\tnone\ta\tfloods-{town} rain-{town}
monsoon\t\teffect\t1\t+\t7\tb\train-{town}\t
monsoon\t\tdriver\t2\t-\t0\tb\train-oslo\tThe jet stream.
"""
BASE = knowledge.parse({"test.toml": TEXT, "test.tsv": ROWS})
NUMBERS = {key: number for number, key in enumerate(BASE.factors, 1)}


def seen_from(key: str) -> dict[str, tuple[str, int]]:
    around = Judged(BASE.verdicts, tuple(BASE.factors.values())).around(NUMBERS[key])
    return {
        other: (CODES[around.codes[number] - 1], int(around.strengths[number]))
        for other, number in NUMBERS.items()
        if around.codes[number] not in (0, SELF_CODE)
    }


def test_a_pattern_is_judged_for_each_of_its_instances() -> None:
    assert seen_from("rain-rome") == {
        "floods-rome": ("effect", 3),
        "floods-oslo": ("none", 0),
        "rain-oslo": ("none", 0),
        "monsoon": ("cause", 1),
    }


def test_what_was_said_of_the_two_themselves_goes_first() -> None:
    assert seen_from("monsoon") == {"rain-rome": ("effect", 1), "rain-oslo": ("driver", 2)}
    assert seen_from("rain-oslo")["monsoon"] == ("driver", 2)


def test_a_verdict_reads_the_same_from_both_sides() -> None:
    verdict = PairVerdict("a", "b", "", "cause", 2, "-", 3, "x", "Why.")
    assert verdict.from_other_side().code == "effect"
    assert verdict.from_other_side().from_other_side() == verdict


@pytest.mark.parametrize(
    "line", ["a\t\tcause", "a\tleft\tnone\tx\tb", "a\t\tcause\t4\t+\t1\tx\tb\tWhy.", "a b c"]
)
def test_a_line_that_is_no_verdict_is_named(line: str) -> None:
    problems: list[str] = []
    assert list(read("x.tsv", line, problems)) == []
    assert problems[0].startswith("x.tsv, line 1: not a verdict: ")


def test_the_linter_finds_what_is_no_factor_and_what_is_judged_twice() -> None:
    rows = (
        "monsoon\t\tnone\tx\tsnow\nmonsoon\t\tnone\tx\train-rome\nrain-rome\t\tnone\ty\tmonsoon\n"
    )
    found = knowledge.lint(knowledge.parse({"test.toml": TEXT, "test.tsv": rows}))
    assert "the verdict on monsoon and snow names a factor that does not exist" in found
    assert "the pair of factors ('monsoon', 'rain-rome', '') has 2 verdicts" in found
