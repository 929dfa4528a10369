"""List pairs of a question and a market of which the encoder is unsure, for readers.

    python training/judge/unread.py GATHERED MODEL OUT.jsonl --questions train7 everyday12 ...

GATHERED holds pickles of `described.py`, MODEL the judge's model. OUT receives one line for each
pair that no reader has seen: {"qid", "market_id", "question", "as_of", "title", "text", "unsure"}
(`unsure`). A pair of a question and the market that it was written about is listed only if the
question is a near miss, because its writer knows the others.
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

LEAST = 0.45
"""A pair is listed if it is at least this unsure (`unsure`, in nats). At .45, the 18 parts from
which the encoder learned on 2026-11-30 gave 14,426 pairs; readers called 49% of them nothing
(`labels.NOTHING`). The lower the limit, the more pairs, and the more often nothing."""
MOST = 4
"""Most pairs that are listed of one question, the most unsure first."""
OF_EVENT = 3
"""Most pairs of one question with markets of the same event."""
ASKED_MORE = 0.5
"""How much more unsure a pair counts, in nats, if the encoder is certain that the market asks the
question or its opposite: there, a mistake costs most."""
NEAR_MISS_MORE = 0.3
"""How much more unsure a near miss with its own market counts, in nats."""


def unsure(said: np.ndarray, *, near_miss: bool) -> float:
    """How unsure the encoder is of a pair, in nats: the entropy of its classes, plus `ASKED_MORE`
    times the probability that the market asks the question or its opposite, plus `NEAR_MISS_MORE`
    for a near miss with its own market.

    said : log-probabilities of the classes (`labels.CLASSES`)
    near_miss : whether the market is the one of which the question is a near miss
    """
    p = np.exp(said)
    entropy = -float((p * np.maximum(said, -20.0)).sum())
    return entropy + ASKED_MORE * float(p[1] + p[2]) + NEAR_MISS_MORE * near_miss


def reported() -> set[str]:
    """The events (`Question.group`) of the report sets."""
    return {q.group for path in FOLDER.glob("*report*.jsonl") for q in load(path.stem)}


def pairs(
    one: dict[str, Any], reports: set[str], least: float = LEAST, most: int = MOST
) -> list[dict[str, Any]]:
    """The unread pairs of one question of which the encoder is at least `least` nats unsure
    (`unsure`), at most `most` of them, none with a market of the events `reports`."""
    first = one["listed"][:MAX_CANDIDATES]
    if not first:
        return []
    own = [each["id"] == one["market_id"] for each in first]
    near_miss = one["kind"] == NEAR_MISS
    said = one["said"][: len(first)]
    how = [
        unsure(each, near_miss=near_miss and is_own) for each, is_own in zip(said, own, strict=True)
    ]
    found: list[dict[str, Any]] = []
    events: Counter[str] = Counter()
    for n in sorted(range(len(first)), key=lambda n: -how[n]):
        candidate = first[n]
        if how[n] < least or len(found) == most:
            break
        is_told = own[n] and not near_miss
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
             "text": candidate["text"], "unsure": round(how[n], 3)}
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
