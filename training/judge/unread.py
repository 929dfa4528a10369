"""List pairs of a question and a market beside its own one that the judge takes to ask it.

    python training/judge/unread.py GATHERED MODEL OUT.jsonl --questions train7 everyday12 ...

GATHERED holds `gather.py`'s pickles, MODEL the judge's model. OUT receives one line for each pair
that no reader has seen: {"qid", "market_id", "question", "as_of", "title", "text"}. Show a reader
each pair with the market's rules, and add to `questions/asked.jsonl` what he says of the market's
first outcome: {"qid", "market_id", "asks"}, where `asks` is same, opposite, other or unsure. Prints
the number of pairs of each file.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
from fit import judged, read
from labels import is_read, target

from augury.matching.trees import Trees

LEAST = {"x": 0.15, "p": 0.3, "n": 0.3, "u": 0.3}
"""Kind of question -> least probability that a market asks it, or its opposite, from which on the
pair is listed. Of pairs from these on, readers found that 80% of the markets beside near misses (x)
ask the question, and 48% of the others."""


def pairs(one: dict[str, Any], trees: Trees) -> list[dict[str, Any]]:
    """The pairs of one question that are worth reading."""
    if one["kind"] not in LEAST:
        return []
    one = judged(one)
    if not one["first"]:
        return []
    sides = trees.probabilities(one["rows"])[:, 1:].max(axis=1)
    return [
        {"qid": one["qid"], "market_id": candidate["id"], "question": one["question"],
         "as_of": one["as_of"].isoformat(), "title": candidate["question"],
         "text": candidate["text"]}
        for candidate, side in zip(one["first"], sides.tolist(), strict=True)
        if side >= LEAST[one["kind"]] and candidate["id"] != one["market_id"]
        and not is_read(one, candidate) and target(one, candidate) is not None
    ]  # fmt: skip


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("gathered", type=Path)
    parser.add_argument("model", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--questions", nargs="+", required=True)
    given = parser.parse_args()
    with np.load(given.model / "trees.npz") as kept:
        trees = Trees.of(kept)
    found = []
    for name in given.questions:
        listed = [
            pair for one in read(given.gathered, [name], given.model) for pair in pairs(one, trees)
        ]
        print(name, len(listed), flush=True)
        found += listed
    given.out.write_text("".join(json.dumps(pair) + "\n" for pair in found), encoding="utf-8")


if __name__ == "__main__":
    main()
