"""What is known of a question and a market beside each other."""

from __future__ import annotations

import numpy as np
import pytest

from augury.language.vocabulary import default
from augury.matching import features

MARKET = "Will the Miami Heat win more than 40 games?"


def of(name: str, question: str, market: str) -> float:
    ours, theirs = (features.read_names(text, default()) for text in (question, market))
    return float(features.name_features(ours, [theirs])[0, features.TEXT_FEATURES.index(name)])


def test_names_and_numbers_are_counted_on_either_side() -> None:
    question = "do the Heat beat the Celtics in 40 games"
    assert of("entities_shared", question, MARKET) == 1
    assert of("entities_unnamed", question, MARKET) == 1
    assert of("entities_foreign", question, MARKET) == 0
    assert of("numbers_shared", question, MARKET) == 1


def test_there_is_a_row_for_every_market_and_none_without() -> None:
    ours = features.read_names("do the Heat win", default())
    assert features.name_features(ours, []).shape == (0, len(features.TEXT_FEATURES))
    assert features.name_features(ours, [ours, ours]).shape == (2, len(features.TEXT_FEATURES))


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ({"window_same", "threshold_implied"}, "implied"),
        ({"stage_implies", "choice_same"}, "implies"),
        ({"window_implies", "threshold_implied"}, ""),
        ({"window_implies", "threshold_excludes"}, "excludes"),
        ({"choice_excludes", "rival"}, ""),
        ({"edition_implies"}, ""),
        (set(), ""),
    ],
)
def test_an_order_is_one_way_or_none(parts: set[str], expected: str) -> None:
    row = np.array([[float(name in parts) for name in features.NAMES]], np.float32)
    assert features.ordered(row).tolist() == [expected]
    assert features.ordered(row[:0]).shape == (0,)
