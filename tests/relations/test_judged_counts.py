"""What judged pairs add up to, and what they say beside an edge."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from augury.relations import commands
from augury.relations.causal import browse, knowledge, own_verdicts
from augury.relations.causal.judged import Judged
from augury.relations.causal.judged_counts import EdgeCounts, counts

TEXT = """
domain = "weather"
[entities.town]
fields = ["key", "name"]
rows = [["rome", "Rome"], ["oslo", "Oslo"]]
[factors."rain-{town}"]
name = "Rain in {name}"
up = "it rains more"
match = ["{name} & rain"]
effects = [["floods-{key}", "+", 3, 1, "Rain floods streets."]]
[factors."floods-{town}"]
name = "Floods in {name}"
up = "more floods"
match = ["{name} & floods"]
[factors.monsoon]
name = "Monsoon"
up = "there is a monsoon"
match = ["monsoon"]
effects = [["rain-rome", "+", 3, 1, "It brings rain."], ["harvest", "-", 2, 90, "Fields drown."]]
moves_with = [["bread", "+", 1, "Both follow the year."]]
"""
MORE = """
domain = "food"
[factors.harvest]
name = "Rice harvest"
up = "more rice is harvested"
match = ["rice harvest"]
[factors.bread]
name = "Bread price"
up = "bread costs more"
match = ["bread"]
"""
ROWS = """rain-{town}\tsame\teffect\t3\t+\t1\tab\tfloods-{town}\tRain floods.
monsoon\t\teffect\t1\t+\t7\tb\tharvest\tRice likes water.
monsoon\t\tnone\tb\tbread rain-{town}
"""
OWN = """bread\t\tdriver\t2\t+\t0\tana@2026-11-23\tmonsoon\tThe year.
harvest\t\tcause\t2\t-\t9\tmodel:m@2026-11-23\tmonsoon\tFields drown.
"""
TEXTS = {"a.toml": TEXT, "b.toml": MORE, "test.tsv": ROWS}


@pytest.fixture
def base(monkeypatch: pytest.MonkeyPatch) -> knowledge.Base:
    base = knowledge.parse(TEXTS)
    assert knowledge.lint(base) == []
    monkeypatch.setattr(knowledge, "load", lambda: base)
    return base


@pytest.fixture
def data_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("AUGURY_DATA_DIR", str(tmp_path))
    own_verdicts.accepted_folder(tmp_path).mkdir()
    (own_verdicts.accepted_folder(tmp_path) / "own.tsv").write_text(OWN, encoding="utf-8")
    return tmp_path


def judged(base: knowledge.Base) -> Judged:
    return Judged(base.verdicts, tuple(base.factors.values()))


def test_counts_by_verdict_strength_and_domain(base: knowledge.Base) -> None:
    found = counts(base, judged(base), base.verdicts)
    assert (found.pairs, found.judged_twice, found.own) == (4, 1, 0)
    assert found.by_verdict == {"effect": 2, "none": 2}
    assert found.by_strength == {"0": 2, "3": 1, "1": 1}
    assert found.by_domain == {"weather": 4, "food": 2}


def test_edges_are_compared_with_what_readers_said(base: knowledge.Base) -> None:
    # rain to floods agrees; monsoon to harvest by another sign; its rain and its link are none.
    assert counts(base, judged(base), base.verdicts).against_edges == EdgeCounts(4, 4, 2, 1, 2)


def test_own_verdicts_are_compared_with_the_shipped(base: knowledge.Base, data_dir: Path) -> None:
    joined = own_verdicts.with_accepted(base, data_dir)
    found = counts(joined, judged(joined), base.verdicts)
    assert (found.pairs, found.own, found.own_over_shipped, found.own_same_relation) == (4, 2, 2, 1)


def test_the_linter_prints_the_counts(base: knowledge.Base, data_dir: Path) -> None:
    outcome = CliRunner().invoke(commands.app, ["lint", "--json"])
    assert outcome.exit_code == 0
    found = json.loads(outcome.stdout)["judged"]
    assert (found["pairs"], found["own"], found["by_verdict"]["driver"]) == (4, 2, 1)
    shown = CliRunner().invoke(commands.app, ["lint"]).stdout
    assert "judged pairs of factors 4: " in shown
    assert "judged by two readers: 1 (25.0%)" in shown
    assert "your own: 2; 2 of them replace a shipped verdict, 1 with the same relation" in shown


def test_an_unreadable_own_line_fails_the_lint(base: knowledge.Base, data_dir: Path) -> None:
    (own_verdicts.accepted_folder(data_dir) / "bad.tsv").write_text("a b c\n", encoding="utf-8")
    outcome = CliRunner().invoke(commands.app, ["lint"])
    assert outcome.exit_code == 1
    assert "bad.tsv, line 1: not a verdict" in outcome.stdout


def test_every_arrow_says_what_it_rests_on(base: knowledge.Base, data_dir: Path) -> None:
    joined = own_verdicts.with_accepted(base, data_dir)
    listing = browse.listing(joined, judged(joined))
    (monsoon,), _, _ = browse.find(listing, "monsoon", None, None, 10)
    by_key = {arrow["key"]: arrow["judged"] for arrow in monsoon["drives"] + monsoon["moves_with"]}
    assert by_key["harvest"] == {
        "verdict": "effect", "strength": 2, "sign": "-", "readers": 1, "source": "own",
        "agrees": True,
    }  # fmt: skip
    assert by_key["rain-rome"] == {
        "verdict": "none", "strength": 0, "sign": "0", "readers": 1, "source": "shipped",
        "agrees": False,
    }  # fmt: skip
    assert by_key["bread"]["agrees"] is True
    floods, _, _ = browse.find(listing, "floods in oslo", None, None, 10)
    rome, _, _ = browse.find(listing, "floods", None, None, 10)
    (arrow,) = (floods or rome)[0]["driven_by"]
    assert (arrow["judged"]["verdict"], arrow["judged"]["readers"]) == ("cause", 2)


def test_one_pair_looked_up_is_as_all_around_a_factor() -> None:
    """`verdict` and `around` apply the same precedence, over the shipped base."""
    base = knowledge.load()
    held = judged(base)
    factors = tuple(base.factors.values())
    for number in range(1, len(factors) + 1, 400):
        around = held.around(number)
        for other in range(1, len(factors) + 1, 7):
            if other != number:
                said = held.verdict(number, other)
                strength = said.strength if said else 0
                assert bool(around.codes[other]) is (said is not None)
                assert around.strengths[other] == strength
