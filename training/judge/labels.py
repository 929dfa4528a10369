"""What a candidate is to a written question: the classes that the judge learns. Pure."""

from __future__ import annotations

from functools import cache
from typing import Any

import questions as written

CLASSES = ("other", "same", "opposite")
CERTAIN = ("implies", "implied_by", "excludes")
"""Relations by logic (`augury.logic.relate`) that order two markets."""

_readers = cache(written.read_markets)


def target(one: dict[str, Any], candidate: dict[str, Any]) -> int | None:
    """The class of a candidate for a question; None where it cannot be told: the reader was not
    sure, or the candidate may ask the very same as the question's own market."""
    if candidate["id"] == one["market_id"]:
        asks = {"p": "same", "n": "opposite"}.get(one["kind"], "other")
    elif (said := _readers().get((one["qid"], candidate["id"]))) is not None:
        asks = said
    else:
        return None if twin(one, candidate) else 0
    if asks == "other":
        return 0
    if asks == "unsure" or candidate["outcome"] > 1:
        return None
    turned = candidate["outcome"] == 1 and len(candidate["outcomes"]) == 2
    # Of "is it false that X" the judge reads X.
    asks_yes = (asks == "same") != one["denied"]
    return 1 if asks_yes != turned else 2


def is_read(one: dict[str, Any], candidate: dict[str, Any]) -> bool:
    """Whether a reader has said what the candidate asks."""
    return (one["qid"], candidate["id"]) in _readers()


def bounding(one: dict[str, Any], candidate: dict[str, Any], order: str) -> int | None:
    """Whether a candidate bounds the question in this order; None where it cannot be told.

    order : what the rules read (`features.ordered`); "" is no order
    """
    if not order:
        return None
    if candidate["id"] == one["market_id"]:
        if one["kind"] == "x":
            return None  # another day or level may follow from it, another person does not
        # What a market asks, it does not bound.
        return int(order == {"ge": "implied", "le": "implies"}.get(one["kind"]))
    asked = target(one, candidate)
    if one["kind"] in ("ge", "le") or asked is None:
        return None
    if asked:
        return 0  # by a reader's word it asks the question, too
    of_one_event = f"e:{candidate['event_id']}" == one["group"]
    if one["kind"] not in ("p", "n"):
        return None if of_one_event else 0  # markets of its event may bound it
    # Between two markets' own texts the rules are nearly always right.
    beside, relation, is_sure = candidate["own"]
    if of_one_event or relation in CERTAIN:
        return int(order == beside) if beside else None
    return None if beside and is_sure else 0


def twin(one: dict[str, Any], candidate: dict[str, Any]) -> bool:
    """Whether a candidate may ask the very same as the question's own market."""
    if "own_market" not in one:  # looked up once; this is asked of each of 160 candidates
        one["own_market"] = next(
            (c for c in one["candidates"] if c["id"] == one["market_id"]), None
        )
    own = one["own_market"]
    if own is None:
        return False
    if own["question"].casefold() == candidate["question"].casefold():
        return True
    if (own["terms"], own["parts"]) != (candidate["terms"], candidate["parts"]):
        return False
    ends = own["end"], candidate["end"]
    return None in ends or abs((ends[0] - ends[1]).days) <= 2
