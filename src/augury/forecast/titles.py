"""Questions with a known outcome. They are the titles of markets that are resolved by now; each is
asked as of a time when its market was still open."""

from __future__ import annotations

import random
from datetime import UTC, timedelta
from typing import TYPE_CHECKING, Final

from augury.forecast.evaluate import EvaluationQuestion

if TYPE_CHECKING:
    import polars as pl

MIN_TIME_LEFT: Final = timedelta(days=3)
"""A market's title is asked as of the time of one of the market's recorded prices, at least this
long before the market's end. The end is the market's close or its resolution, whichever is
first."""
PER_EVENT: Final = 4
"""Largest number of markets of one event whose titles are asked as questions. The markets of an
event are resolved together, so that more of them would add little. Chosen by hand."""


def resolved_markets(markets: pl.DataFrame) -> pl.DataFrame:
    """The resolved Yes/No markets of a table of exported markets, with two more columns: `end`, the
    market's close or its resolution, whichever is first; `event`, the id of the market's event (its
    title if it has no id, the market's id if it has neither)."""
    import polars as pl

    return markets.filter(
        (pl.col("status") == "resolved")
        & pl.col("result").is_in(["Yes", "No"])
        & (pl.col("outcomes").list.first() == "Yes")
    ).with_columns(
        end=pl.min_horizontal("closes_at", "resolved_at"),
        event=pl.coalesce("event_id", "event_title", "id"),
    )


def resolved(
    markets: pl.DataFrame, prices: pl.DataFrame, *, most: int, seed: int
) -> list[EvaluationQuestion]:
    """At most `most` questions with known outcomes: titles of resolved Yes/No markets. Each title
    is asked as of the time of one of the market's recorded prices (drawn by `seed`), at least
    `MIN_TIME_LEFT` before the market's end.

    markets, prices : tables of a dump, i.e. of files with exported markets and prices
    """
    import polars as pl

    rng = random.Random(seed)
    decided = resolved_markets(markets)
    priced = (
        prices.rename({"market_id": "id"})
        .join(decided.select("id", "question", "result", "event", "end"), on="id")
        .filter(
            (pl.col("ts") <= pl.col("end") - MIN_TIME_LEFT) & pl.col("price").is_between(0.01, 0.99)
        )
        .sort("id", "ts")
    )
    by_market: dict[str, list[dict]] = {}
    for row in priced.iter_rows(named=True):
        by_market.setdefault(row["id"], []).append(row)
    found: list[EvaluationQuestion] = []
    of_event: dict[str, int] = {}
    for name in rng.sample(sorted(by_market), len(by_market)):
        row = rng.choice(by_market[name])
        of_event[row["event"]] = of_event.get(row["event"], 0) + 1
        if of_event[row["event"]] > PER_EVENT:
            continue
        found.append(
            EvaluationQuestion(
                qid=name, kind="paraphrase", question=row["question"],
                as_of=row["ts"].replace(tzinfo=UTC) + timedelta(minutes=1), market_id=name,
                p=row["price"], outcome=float(row["result"] == "Yes"), event=row["event"],
            )
        )  # fmt: skip
        if len(found) == most:
            break
    return found
