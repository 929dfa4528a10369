"""Reasons as a person reads them."""

from __future__ import annotations

import pytest

from augury.relations import reasons
from augury.relations.causal import knowledge
from augury.relations.causal.judged import Code

TEXT = """
domain = "test"
[entities.tennis-player]
fields = ["key", "name"]
rows = [["a", "Ana"], ["b", "Bea"]]
[factors.open]
name = "Open title"
up = "somebody wins"
match = ["open"]
[factors.gas]
name = "Gas price"
up = "gas costs more"
match = ["gas"]
[factors.votes]
name = "Votes"
up = "more votes"
match = ["votes"]
[factors."titles-{tennis-player}"]
name = "{name} titles"
up = "{name} wins"
match = ["{name}"]
contest = ["open"]
[factors."form-{tennis-player}"]
name = "{name} form"
up = "{name} plays well"
match = ["{name} & form"]
"""
BASE = knowledge.parse({"test.toml": TEXT})


def test_a_chain_is_told_from_cause_to_effect_with_its_reasons_in_order() -> None:
    assert reasons.causes(["A", "B", "C"], ["A makes B.", "B makes C."]) == (
        "“A” drives “B”, which drives “C”: A makes B. B makes C."
    )
    assert reasons.causes(["A", "B", "C"], ["One sea.", "One sea."]).endswith("“C”: One sea.")
    assert reasons.causes(["A", "B"], ["Who knows why?"]) == "“A” drives “B”: Who knows why?"
    # One colon a sentence.
    assert reasons.causes(["A", "B"], ["One sea: storms cross it."]) == (
        "“A” drives “B”: One sea; storms cross it."
    )


@pytest.mark.parametrize(
    ("code", "sign", "said"),
    [
        ("rival", -1, "are rivals"),
        ("rival", 1, "are parallel cases"),
        ("driver", 1, "have a common driver"),
        ("part", 1, "are parts of one thing"),
        ("part", -1, "move against each other"),
        ("none", 1, "move together"),
        (None, 1, "move together"),
        (None, -1, "move against each other"),
    ],
)
def test_what_moves_together_says_how(code: Code | None, sign: int, said: str) -> None:
    found = reasons.together("A", "B", "One sea.", sign=sign, code=code)
    assert found == f"“A” and “B” {said}: One sea."


def test_rivals_are_named_once() -> None:
    found = reasons.together("A", "B", "Rivals for one title.", sign=-1, code="rival")
    assert found == "“A” and “B” are rivals for one title."


def test_two_of_a_kind_are_rivals_in_a_contest_and_parallels_elsewhere() -> None:
    ana, bea = BASE.factors["titles-a"], BASE.factors["titles-b"]
    assert reasons.alike(ana, bea, ["Open title"]) == (
        "“Ana titles” and “Bea titles” are rivals: Both are part of “Open title”."
    )
    ana, bea = BASE.factors["form-a"], BASE.factors["form-b"]
    assert reasons.alike(ana, bea, []).endswith("The same question about another tennis player.")


def test_every_list_of_entities_has_a_noun() -> None:
    """No reason says "another ipo candidate", nor a year or a role that tells nothing."""
    for kind in {
        factor.entity_list for factor in knowledge.load().factors.values() if factor.siblings
    }:
        if kind is not None:
            said = reasons._one_of(kind)
            assert not any(c.isdigit() for c in said if said[:2] != "F1"), kind
            assert said
            assert "-" not in said
