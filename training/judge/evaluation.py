"""Write training questions as `augury eval forecast` reads them.

    python training/judge/evaluation.py PRICES.parquet OUT --questions report formalreport

OUT receives one JSONL file a question file. What a question's market was worth when it was asked,
turned to the question's side, is the right answer; of what logic bounds it is the bound; a question
that no market asks has no right number. A question written as a near miss of a market that another
market asks, as a reader says (`questions.read_answers`), is one about that market.
"""

from __future__ import annotations

import argparse
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl
import questions as written

WIDEST = 0.5
"""A near miss that bounds answer is left out if they are farther apart, as nearly any number is
within."""
KINDS = {"p": "paraphrase", "n": "negation", **dict.fromkeys(written.BOUNDED, "near")}


def lines(
    name: str, prices: dict[str, list[tuple[datetime, float]]], kinds: list[str] | None = None
) -> list[dict[str, Any]]:
    """The questions, of these kinds, whose right answer is known."""
    found: list[dict[str, Any]] = []
    read = written.read_answers()
    for one in written.load(name):
        if kinds and one.kind not in kinds:
            continue
        kind, market = KINDS.get(one.kind, "unanswerable"), one.market_id
        line: dict[str, Any] = {"qid": one.qid, "question": one.question,
                                "as_of": one.as_of.isoformat()}  # fmt: skip
        if kind == "unanswerable" and (known := read.get(one.qid)) is not None:
            if known["verdict"] == "unsure":
                continue
            if known["verdict"] == "right" and known["market_id"] is not None:
                kind = "negation" if known["opposite"] else "paraphrase"
                market = known["market_id"]
            elif known["verdict"] == "right":
                least, most = known["range"]
                if most - least > WIDEST:
                    continue
                line |= {"lo": least, "hi": most, "null_ok": True}
        line |= {"kind": kind, "market_id": market}
        if kind != "unanswerable":
            before = [p for at, p in prices.get(market, []) if at <= one.as_of]
            if not before or not 0 < before[-1] < 1:
                continue
            if kind == "near":
                line["bound"] = bound(one.kind, before[-1])
            else:
                line["p"] = before[-1] if kind == "paraphrase" else 1 - before[-1]
        found.append(line)
    return found


def bound(kind: str, price: float) -> dict[str, Any]:
    """What a market with this price says of a question that it bounds."""
    least = kind in ("ge", "cv")
    value = price if kind in ("ge", "le") else round(1 - price, 6)
    return {"op": "ge" if least else "le", "value": value}


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("prices", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--questions", nargs="+", required=True)
    parser.add_argument("--kinds", nargs="+", help="only questions of these kinds")
    parser.add_argument("--into", help="add all to this one file")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    prices: dict[str, list[tuple[datetime, float]]] = {}
    for market, at, price in pl.read_parquet(given.prices).sort("ts").iter_rows():
        prices.setdefault(market, []).append((at.replace(tzinfo=UTC), price))
    for name in given.questions:
        kept = lines(name, prices, given.kinds)
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in kept)
        path = given.out / f"{given.into or name}.jsonl"
        with path.open("a" if given.into else "w", encoding="utf-8") as file:
            file.write(text)
        print(name, len(kept))


if __name__ == "__main__":
    main()
