"""How well the side of a game is read: coverage and precision over written questions.

    python training/judge/contests.py --markets M.parquet --questions train5 ... [--show]

Counts the questions p and n whose market is on the winner of one game: for how many the reader
(`augury.language.results`) is certain, and how often what it says is the truth; and what it says of
questions of other kinds. It reads the side, not the game: of another day's game of the same two it
says "same" too. Needs no catalogue but the Parquet
file that `store.py` is given.
"""

from __future__ import annotations

import argparse
import collections
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars
import questions as written

from augury.language import results
from augury.language.contests import contest
from augury.language.vocabulary import default


@dataclass(frozen=True)
class Market:
    """What of a market is read."""

    question: str
    subtitle: str | None
    event_name: str | None
    description: str | None
    outcomes: list[str]


def markets(path: Path) -> dict[str, Market]:
    """The markets of a Parquet file by id."""
    found = {}
    for row in polars.read_parquet(path).iter_rows(named=True):
        found[row["id"]] = Market(
            row["question"], row.get("subtitle"), row["event_title"], row["description"],
            list(row["outcomes"] or ("Yes", "No")),
        )  # fmt: skip
    return found


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--markets", type=Path, required=True)
    parser.add_argument("--questions", nargs="+", required=True)
    parser.add_argument("--show", action="store_true", help="print what was not read or wrongly")
    given = parser.parse_args()
    known, counts = markets(given.markets), collections.Counter[str]()
    for one in written.load(*given.questions):
        market: Any = known.get(one.market_id)
        game = contest(market, 0) if market is not None else None
        if game is None:
            continue
        relation = results.game_relation(
            one.question, game, results.teams_and_people(one.question, default()), default()
        )
        said = relation.bearing if relation is not None else None
        if one.kind in ("p", "n"):
            verdict = "silent" if said is None else "right" if said == one.target else "wrong"
        else:
            verdict = f"other: {said}"
        counts[verdict] += 1
        if given.show and verdict not in ("right", "other: None"):
            title = known[one.market_id].question
            print(f"{verdict:12} | {one.kind} | {one.question} | {title} | {said}")
    read = counts["right"] + counts["wrong"]
    asked, right = read + counts["silent"], counts["right"] / read
    print(dict(sorted(counts.items())))
    print(f"{asked} questions on winners; read {read / asked:.1%}, of these right {right:.1%}")


if __name__ == "__main__":
    main()
