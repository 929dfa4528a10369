"""Training questions: one JSON object a line in `training/questions/`.

`{"qid", "writer", "kind", "question", "as_of", "market_id", "group"}`. `kind`: p (the market's
Yes), n (its complement), ge, le, ex, cv (logic bounds it by the market: it follows from its Yes,
only its Yes makes it possible, its Yes rules it out, it follows from its No), x (another matter
that looks alike), o (the same, and neither answer follows from the other), u (no market says
anything of it), f (asked without a market in view; it has none). `group` is the market's event:
splits go by it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

BOUNDED = ("ge", "le", "ex", "cv")
"""Kinds of questions whose answer is bounded by the price of their own market."""
NEAR_MISS = "x"
"""Kind of a question that differs from its market in one detail. The market's price may still bound
the answer; only readers say whether it does, and in which order (`read_markets`)."""
FREE = "f"
"""Kind of a question that was asked without a market in view: only readers say what markets are to
it (`read_markets`)."""
FOLDER = Path(__file__).parents[1] / "questions"


@dataclass(frozen=True)
class Question:
    """One written question."""

    qid: str
    kind: str
    question: str
    as_of: datetime
    market_id: str
    group: str

    @property
    def target(self) -> str:
        """What its market is to it: same, opposite or other."""
        return {"p": "same", "n": "opposite"}.get(self.kind, "other")


def load(*names: str) -> list[Question]:
    """The questions of some files, in their order."""
    found = []
    for name in names:
        with (FOLDER / f"{name}.jsonl").open(encoding="utf-8") as lines:
            for line in lines:
                one = json.loads(line)
                found.append(
                    Question(
                        one["qid"],
                        one["kind"],
                        one["question"],
                        datetime.fromisoformat(one["as_of"].replace("Z", "+00:00")),
                        one["market_id"],
                        one["group"],
                    )
                )
    return found


def read_answers() -> dict[str, dict[str, Any]]:
    """What readers said of the numbers that were given to near misses (`answers.jsonl`), by qid.

    `{"qid", "verdict", "p", "market_id", "opposite", "range"}`. `verdict`: right, inverted, wrong,
    or unsure; `p` the number that was read. `market_id` and `opposite`: the market that asks the
    question, and whether it asks its opposite; null where several or none do. `range`: the bounds
    within which the right number lies, where the answer rests on bounds.
    """
    with (FOLDER / "answers.jsonl").open(encoding="utf-8") as lines:
        return {one["qid"]: one for one in map(json.loads, lines)}


def read_markets() -> dict[tuple[str, str], str]:
    """What readers said that a question is to a market's first outcome, by (qid, market's id):
    same, opposite, an order (`labels.CLASSES`), nothing, other (something else, which may be
    ordered or not), or unsure.

    From `asked.jsonl`, `{"qid", "market_id", "asks"}`: markets other than the one that the
    question was written about, and of a near miss this market, too; and from the right ones of
    `answers.jsonl`.
    """
    found = {
        (qid, one["market_id"]): "opposite" if one["opposite"] else "same"
        for qid, one in read_answers().items()
        if one["verdict"] == "right" and one["market_id"] is not None
    }
    with (FOLDER / "asked.jsonl").open(encoding="utf-8") as lines:
        read = map(json.loads, lines)
        return found | {(one["qid"], one["market_id"]): one["asks"] for one in read}
