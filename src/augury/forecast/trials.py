"""Support for `augury eval`: sets up a temporary store to forecast from, and takes test questions
and prices of resolved markets from a dump (files of exported markets and prices)."""

from __future__ import annotations

import random
from bisect import bisect_right
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from augury.clock import now
from augury.forecast.evaluate import EvaluationQuestion
from augury.forecast.titles import PER_EVENT, resolved_markets
from augury.settings import Settings

if TYPE_CHECKING:
    from augury.forecast.calibrate import DecidedPrice
    from augury.services import Services
    from augury.venues.dump import DumpFile

DAYS_BEFORE: Final = (2, 5, 10, 20, 35)
"""The title of a resolved market is asked as a trial question, as of this many days before the
market's end. One of the numbers is drawn at random for each market. The draw leaves out numbers of
days at which the market did not have a price yet."""


@asynccontextmanager
async def store(
    markets: DumpFile, prices: DumpFile, *, with_model: bool = False
) -> AsyncIterator[Services]:
    """A context in which all services run over a temporary store that has only the markets and
    prices of the two files; the store is deleted at the end.

    with_model : include the language model that the settings name
    """
    from augury.services import running
    from augury.venues.importing import import_file

    with TemporaryDirectory(prefix="augury-eval-") as folder:
        # A database that the environment names is in real use: nothing is imported into it.
        settings = Settings(
            data_dir=Path(folder), database_url=None, database_direct_url=None, search_url=None,
            sync="off", sample="off",
        )  # fmt: skip
        if not with_model:
            settings.llm_url = None
        async with running(settings) as services:
            await import_file(services.database, markets)
            await import_file(services.database, prices)
            await services.search.catch_up()
            yield services


def _is_before(at: datetime | None, end: datetime) -> bool:
    return at is not None and at < end


def before_the_end(
    markets: DumpFile, prices: DumpFile, *, most: int, seed: int
) -> list[EvaluationQuestion]:
    """At most `most` questions with known outcomes: titles of resolved markets from files of
    exported markets and prices. Each title is asked once, as of some days before the market's end.
    The number of days is drawn from `DAYS_BEFORE` at random (`seed`). A number is drawn only if the
    market already had a price that many days before its end.

    In each question, `p` is the last price of the market's first outcome before that time, however
    old; `outcome` is 1 if the first outcome won, else 0.
    """
    from augury.markets.records import Market
    from augury.venues.dump_markets import read_markets
    from augury.venues.dump_prices import match_prices
    from augury.venues.records import KnownMarket

    decided = {
        m.id: m
        for part in read_markets(markets)
        for m in part
        if isinstance(m, Market) and m.resolution is not None and (m.resolved_at or m.closes_at)
    }
    known = [
        KnownMarket(m.id, list(m.outcomes), m.event_id, m.subtitle, []) for m in decided.values()
    ]
    rows = match_prices(prices, known)
    rows = rows.filter(rows["reason"].is_null() & (rows["outcome"] == 0)).sort("market_id", "at")
    history: dict[str, tuple[list[datetime], list[float]]] = {}
    for name, at, price in rows.select("market_id", "at", "price").iter_rows():
        times, values = history.setdefault(name, ([], []))
        times.append(at)
        values.append(price)
    rng = random.Random(seed)
    found: list[EvaluationQuestion] = []
    of_event: dict[str, int] = {}
    for name in rng.sample(sorted(history), len(history)):
        market, (times, values) = decided[name], history[name]
        end = min(at for at in (market.closes_at, market.resolved_at) if at is not None)
        if end > now() or (market.resolved_at is None and _is_before(market.observed_at, end)):
            continue  # still open, or resolved before its close at an unknown time
        moments = [at for n in DAYS_BEFORE if (at := end - timedelta(days=n)) > times[0]]
        event = market.event_id or market.event_name or market.id
        if not moments or of_event.get(event, 0) == PER_EVENT:
            continue
        of_event[event] = of_event.get(event, 0) + 1
        as_of = rng.choice(moments)
        found.append(
            EvaluationQuestion(
                qid=name, kind="paraphrase", question=market.question, as_of=as_of, market_id=name,
                p=values[bisect_right(times, as_of) - 1],
                outcome=float(market.resolution == market.outcomes[0]), event=event,
            )
        )  # fmt: skip
        if len(found) == most:
            break
    return found


def decided_prices(markets: Path, prices: Path) -> Iterator[DecidedPrice]:
    """Prices of resolved Yes/No markets, taken 1, 7, 30 and 90 days (`calibrate.HORIZONS`) before
    their end: their close or their resolution, whichever is first.

    markets, prices : Parquet files of exported markets and of their prices. CSV and JSONL files
        raise a `PolarsError`, because they hold text in place of times and lists
    """
    import polars as pl

    from augury.forecast.calibrate import HORIZONS, DecidedPrice
    from augury.venues.dump import DumpFile

    decided = resolved_markets(DumpFile(markets, kind="markets").frame)
    history = DumpFile(prices, kind="prices").frame.rename({"market_id": "id"}).sort("ts")
    for days in HORIZONS:
        asked = decided.select(
            "id", "platform", "event", "result", ts=pl.col("end") - pl.duration(days=days)
        ).drop_nulls("ts")
        priced = asked.sort("ts").join_asof(
            history, on="ts", by="id", tolerance="14d", check_sortedness=False
        )  # fmt: skip
        for row in priced.drop_nulls("price").iter_rows(named=True):
            outcome = float(row["result"] == "Yes")
            yield DecidedPrice(row["price"], outcome, days, row["platform"], row["event"])
