"""The relations by which a market that does not ask the question bounds its answer."""

from __future__ import annotations

import numpy as np
import pytest

from augury.logic.joint_outcomes import (
    FF,
    FT,
    ORDERS,
    TF,
    TT,
    negated_first,
    negated_second,
    of_denied_first,
    of_denied_second,
    relation_of,
)
from augury.matching.features import NAMES
from augury.matching.judge import encoded_features, relations, ruled_features

IMPOSSIBLE = {"implies": TF, "implied_by": FT, "excludes": TT, "covers": FF}


def _row(**values: float) -> np.ndarray:
    row = np.zeros(len(NAMES), np.float32)
    for name, value in values.items():
        row[NAMES.index(name)] = value
    return row


@pytest.mark.parametrize("order", ORDERS)
def test_the_denial_of_a_question_has_the_relation_that_truth_tables_give(order: str) -> None:
    assert of_denied_first(order) == relation_of(negated_first(IMPOSSIBLE[order]))  # type: ignore[arg-type]
    assert of_denied_second(order) == relation_of(negated_second(IMPOSSIBLE[order]))  # type: ignore[arg-type]


@pytest.mark.parametrize("denies", [False, True])
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize(
    ("found", "of_cores"),
    [("implies", "implies"), ("implied", "implied_by"), ("excludes", "excludes")],
)
def test_the_order_of_what_is_asserted_becomes_that_of_question_and_outcome(
    found: str, of_cores: str, *, turned: bool, denies: bool
) -> None:
    impossible = IMPOSSIBLE[of_cores]
    if denies:
        impossible = negated_first(impossible)
    if turned:
        impossible = negated_second(impossible)
    row = _row(**{f"window_{found}": 1, "turned": turned, "asked_negative": denies})
    assert relations(row[None]) == [relation_of(impossible)]
    assert dict(zip(ORDERS, ruled_features(relations(row[None]))[0], strict=True)) == {
        order: float(order == relation_of(impossible)) for order in ORDERS
    }


def test_two_markets_without_an_order_have_none() -> None:
    rows = np.stack([_row(), _row(window_implies=1, threshold_implied=1)])
    assert relations(rows).tolist() == ["", ""]
    assert not ruled_features(relations(rows)).any()


def test_what_bounds_the_answer_does_not_count_as_asking_it() -> None:
    shares = np.array([[0.1, 0.2, 0.1, 0.5, 0.05, 0.03, 0.02]], np.float32)
    same, opposite, *_, implies, _, _, covers = encoded_features(np.log(shares))[0]
    assert same == pytest.approx(np.log(0.2 / 0.7), abs=1e-3)
    assert opposite == pytest.approx(np.log(0.1 / 0.7), abs=1e-3)
    assert implies == pytest.approx(0, abs=1e-3)
    assert covers == pytest.approx(np.log(0.02 / 0.98), abs=1e-3)
