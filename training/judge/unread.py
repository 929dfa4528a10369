"""List pairs of a question and a market beside its own one that may ask or bound it, for readers.

    python training/judge/unread.py GATHERED MODEL OUT.jsonl --questions train7 everyday12 ...

GATHERED holds `gather.py`'s pickles, MODEL the judge's model. OUT receives one line for each pair
that no reader has seen: {"qid", "market_id", "question", "as_of", "title", "text", "likely"}.
`likely` is the encoder's probability that the market asks the question or its opposite, or bounds
its answer.
Show a reader each pair with the market's rules, and ask what the question is to the market's first
outcome. Add the verdicts to `questions/asked.jsonl`: {"qid", "market_id", "asks"}
(`questions.read_markets`). Prints the number of pairs of each file.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from fit import read
from labels import is_read
from questions import FOLDER, NEAR_MISS, load

from augury.matching.judge import MAX_CANDIDATES

LEAST = 0.15
"""A pair is listed if the encoder's probability that the market asks the question or its opposite,
or bounds its answer, is at least this, 0 to 1. Of 19,060 such pairs, readers called 48% nothing
(`labels.NOTHING`). The questions of `free1` to `free44` have no labels but readers' verdicts. For
`free1` to `free16`, the limit was .04, for the others .05, with six pairs of a question."""
MOST = 3
"""Most pairs that are listed of one question, the likeliest first."""
OF_EVENT = 2
"""Most pairs of one question with markets of the same event."""


def reported() -> set[str]:
    """The events (`Question.group`) of the report sets."""
    return {q.group for path in FOLDER.glob("*report*.jsonl") for q in load(path.stem)}


def pairs(
    one: dict[str, Any], reports: set[str], least: float = LEAST, most: int = MOST
) -> list[dict[str, Any]]:
    """The pairs of one question that are worth reading."""
    first = one["listed"][:MAX_CANDIDATES]
    if not first:
        return []
    likely = 1 - np.exp(one["said"][: len(first), 0])
    found: list[dict[str, Any]] = []
    events: Counter[str] = Counter()
    for n in np.argsort(-likely, kind="stable").tolist():
        candidate = first[n]
        if likely[n] < least or len(found) == most:
            break
        is_told = candidate["id"] == one["market_id"] and one["kind"] != NEAR_MISS
        if is_told or candidate["outcome"] or is_read(one, candidate):
            continue
        if f"e:{candidate['event_id']}" in reports:
            continue
        events[candidate["event_id"]] += 1
        if events[candidate["event_id"]] > OF_EVENT:
            continue
        found.append(
            {"qid": one["qid"], "market_id": candidate["id"], "question": one["question"],
             "as_of": one["as_of"].isoformat(), "title": candidate["question"],
             "text": candidate["text"], "likely": round(float(likely[n]), 3)}
        )  # fmt: skip
    return found


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("gathered", type=Path)
    parser.add_argument("model", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--questions", nargs="+", required=True)
    parser.add_argument("--least", type=float, default=LEAST)
    parser.add_argument("--most", type=int, default=MOST)
    given = parser.parse_args()
    found, reports = [], reported()
    for name in given.questions:
        listed = [
            pair for one in read(given.gathered, [name], given.model)
            for pair in pairs(one, reports, given.least, given.most)
        ]  # fmt: skip
        print(name, len(listed), flush=True)
        found += listed
    given.out.write_text("".join(json.dumps(pair) + "\n" for pair in found), encoding="utf-8")


if __name__ == "__main__":
    main()
