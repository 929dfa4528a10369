"""What a candidate is to a written question: the classes that the judge learns. Pure."""

from __future__ import annotations

from functools import cache
from typing import Any

import questions as written
from questions import BOUNDED, FREE

from augury.logic.joint_outcomes import ORDERS, of_denied_first, of_denied_second
from augury.matching.judge import OF_CORES

CLASSES = ("other", "same", "opposite", *ORDERS)
"""What a question is to a market's outcome. The first three say whether the market asks it; of a
market that does not, an order says that its price bounds the answer: `implies`, the question can
only come true if the outcome does; `implied_by`, it surely comes true if the outcome does;
`excludes`, at most one of the two comes true; `covers`, at least one."""
UNORDERED = -1
"""The market asks something else, and whether its price bounds the answer is not known."""
BY_KIND = {"p": "same", "n": "opposite", "ge": "implied_by", "le": "implies", "ex": "excludes",
           "cv": "covers", "o": "other", "u": "other"}  # fmt: skip
"""What a question of each kind is to its own market's first outcome."""
NOTHING = "nothing"
"""A reader's word for a market that does not ask the question and whose price does not bound the
answer. A reader's "other" says only that it asks something else."""
BY_READER = {NOTHING: "other", **{found: found for found in ORDERS}}
"""Class of a market that asks something else, by what a reader says of it."""

_readers = cache(written.read_markets)


def target(one: dict[str, Any], candidate: dict[str, Any]) -> int | None:
    """The class of a candidate for a question; None where it cannot be told: the reader was not
    sure, or the candidate may ask the very same as the question's own market."""
    said = _said(one, candidate)
    if candidate["id"] == one["market_id"]:
        asks = BY_KIND.get(one["kind"], "other")
        if asks == "other" and said in ("same", "opposite", "unsure"):
            asks = "unsure"  # writer and reader disagree
    elif said is not None:
        asks = said
    else:
        return None if _may_ask(one, candidate) else 0
    if asks not in ("same", "opposite", "unsure"):
        return 0
    if asks == "unsure" or candidate["outcome"] > 1:
        return None
    turned = candidate["outcome"] == 1 and len(candidate["outcomes"]) == 2
    # Of "is it false that X" the judge reads X.
    asks_yes = (asks == "same") != one["denied"]
    return 1 if asks_yes != turned else 2


def _may_ask(one: dict[str, Any], candidate: dict[str, Any]) -> bool:
    """Whether an unread candidate, not the question's own market, may ask the question: another
    day or level of the own market's event may be just what was asked."""
    if one["kind"] in ("o", FREE):
        return True
    is_bounded = one["kind"] in BOUNDED
    return twin(one, candidate) or (is_bounded and _is_of_one_event(one, candidate))


def relation(one: dict[str, Any], candidate: dict[str, Any]) -> int | None:
    """The place in `CLASSES` of what a question is to a candidate; `UNORDERED`; None where not even
    whether the candidate asks the question can be told."""
    asks = target(one, candidate)
    if asks != 0:
        return asks
    found = order(one, candidate)
    return UNORDERED if found is None else CLASSES.index(found)


def order(one: dict[str, Any], candidate: dict[str, Any]) -> str | None:
    """The order of a question to a candidate that does not ask it, or "other" where its price does
    not bound the answer; None where that cannot be told."""
    is_own = candidate["id"] == one["market_id"]
    read = BY_READER.get(_said(one, candidate) or "")
    if is_own or read:
        if candidate["outcome"] > 1:
            return None
        # A near miss may be another day or level of its market: only a reader knows its order.
        found = BY_KIND.get(one["kind"], read) if is_own else read
        if found in ORDERS and candidate["outcome"] == 1 and len(candidate["outcomes"]) == 2:
            found = of_denied_second(found)
    elif one["kind"] in ("p", "n"):
        found = _order_of_own(one, candidate)
        if found in ORDERS and one["kind"] == "n":
            found = of_denied_first(found)
    elif one["kind"] in (*BOUNDED, FREE) or is_read(one, candidate):
        return None
    else:
        found = None if _is_of_one_event(one, candidate) else "other"
    return of_denied_first(found) if found in ORDERS and one["denied"] else found


def _order_of_own(one: dict[str, Any], candidate: dict[str, Any]) -> str | None:
    """The order of the question's own market to another one."""
    # Between two markets' own texts logic is nearly always right, and so are the rules if both are
    # of one event.
    by_rules, by_logic, is_sure = candidate["own"]
    if by_logic in ORDERS:
        return by_logic
    if by_logic != "none" or is_read(one, candidate):
        return None
    if _is_of_one_event(one, candidate):
        return OF_CORES.get(by_rules)
    return None if by_rules and is_sure else "other"


def _is_of_one_event(one: dict[str, Any], candidate: dict[str, Any]) -> bool:
    return f"e:{candidate['event_id']}" == one["group"]


def is_read(one: dict[str, Any], candidate: dict[str, Any]) -> bool:
    """Whether a reader has said what the candidate asks."""
    return _said(one, candidate) is not None


def _said(one: dict[str, Any], candidate: dict[str, Any]) -> str | None:
    return _readers().get((one["qid"], candidate["id"]))


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
