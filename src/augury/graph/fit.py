"""Measures the strengths of the edges of causal graphs, i.e. how often two joined markets moved
together, on a dump of markets and their recorded prices."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray
from rich.progress import track

from augury.clock import now
from augury.errors import SetupProblem
from augury.graph import calibrate, strength
from augury.graph.calibrate import Cell, Fit, Joined
from augury.logic import relate as logic
from augury.propositions.reading import read_market
from augury.relations import comovement, rank
from augury.relations.causal.factors import MAX_FACTORS
from augury.relations.causal.paths import RELATIONS
from augury.relations.own_factors import MIN_NAMED_WEIGHT
from augury.relations.service import RelationService
from augury.search.text import document_text
from augury.tables import Console

if TYPE_CHECKING:
    from augury.markets.records import Market

LEAST_DAYS: Final = 3
"""Two markets are used as a pair only if the price changes of both are known on at least this many
days. An unchanged price is a known change, of 0."""
PER_RELATION: Final = 12
"""Each market is paired with at most this many others in each relation (upstream, downstream,
correlated). They are the markets to which its strongest paths lead through the factor base
(the list of which factor drives which). It is also paired with markets about the same factor (a
thing in the world, e.g. a policy rate): at most this many, drawn at random."""
MIN_PATH_STRENGTH: Final = 0.1
"""Two markets count as related if a path of at least this strength (0 to 1) joins them. The path
leads along causes or links from a factor (a thing in the world, e.g. a policy rate) of the first
market to a factor of the second. The strength is a product of three numbers, each 0 to 1: the
weight of the path, and how much each of the two markets is about the factor at its end of the path.
Without such a path or a common factor, two markets count as unrelated. Chosen by hand."""
SUBJECT_STRENGTH: Final = 0.4
"""Strength (0 to 1), chosen by hand, of the edge between two markets that are about the same factor
(a thing in the world, e.g. a policy rate) and have no logical relation. It only serves as a
baseline, to show whether the fitted strength is better."""
MAX_LOGIC_CHECKS: Final = 30
"""For each market, at most this many others are checked for a logical relation to it. They are
drawn at random from the markets of the same event and from those about the same factor (a thing in
the world, e.g. a policy rate)."""
MAX_CHANCE_PAIRS: Final = 12
"""Each market is paired with at most this many unrelated markets, drawn at random. These pairs show
how often prices move together by chance."""


def measure(markets: Path, prices: Path, *, seed: int = 0, quiet: bool = False) -> dict[str, Any]:
    """Measure the strength of each kind of edge, i.e. how often markets joined by such an edge
    moved together. The strengths are fitted on earlier days and scored on later ones.

    Parameters
    ----------
    markets, prices
        Parquet files of a dump.
    seed
        Seed of the random choice of pairs.

    Returns
    -------
    The table that is stored in `strength.FILE`: `provenance` (what was measured, and on which
    files), `later` (scores on the later days; see `calibrate.Fit`) and `kinds`. For each kind of
    edge, it has `strength`, `n` (number of pairs of events on which it was fitted), and `fitted`
    and `later` (measurements, as in `calibrate.Cell`). It contains no text of any market.

    Raises
    ------
    SetupProblem
        The files contain too few prices.
    """
    listed, changes, first = _recorded(markets, prices)
    pairs = list(_pairs(listed, changes, seed, quiet=quiet))
    try:
        fitted = calibrate.fit(changes, pairs)
    except ValueError as error:
        raise SetupProblem(
            f"The strengths of edges can't be measured: {error}. Use a dump with longer price "
            "histories."
        ) from None
    return _table(fitted, first, seed, (markets, prices))


def _recorded(markets: Path, prices: Path) -> tuple[list[Market], comovement.Changes, int]:
    """Three things: the markets whose price changes are known on at least `LEAST_DAYS` days; their
    daily changes of log-odds, (markets, days); and the day of the first column, in days since
    1970-01-01. If a market's prices come from several sources, those of the source with the most
    days are used."""
    import polars as pl

    from augury.markets.records import Market
    from augury.venues.dump import DumpFile
    from augury.venues.dump_markets import read_markets
    from augury.venues.dump_prices import in_another_unit, match_prices
    from augury.venues.records import KnownMarket

    slices = read_markets(DumpFile(markets, kind="markets"))
    catalogue = {m.id: m for part in slices for m in part if isinstance(m, Market)}
    known = [
        KnownMarket(m.id, list(m.outcomes), m.event_id, m.subtitle, list(m.token_ids))
        for m in catalogue.values()
    ]
    rows = match_prices(DumpFile(prices, kind="prices"), known)
    rows = rows.filter(pl.col("reason").is_null())
    shrunken = in_another_unit(rows, known)
    rows = rows.join(shrunken, on=["market_id", "at", "source"], how="anti")
    daily = (
        rows.filter(pl.col("outcome") == 0)
        .with_columns(day=pl.col("at").dt.epoch("d"))
        .sort("at")
        .group_by("market_id", "source", "day")
        .agg(pl.col("price").last())
    )
    fullest = (
        daily.group_by("market_id", "source")
        .len()
        .sort("len", "source", descending=[True, False])
        .unique("market_id", keep="first")
    )
    daily = daily.join(fullest.select("market_id", "source"), on=["market_id", "source"])
    if not len(daily):
        raise SetupProblem(
            f"No price in {prices} belongs to a market in {markets}. Give two files of the same "
            "dump."
        )
    ids = sorted(set(daily["market_id"].to_list()))
    row = {market: number for number, market in enumerate(ids)}
    first, last = int(daily["day"].min()), int(daily["day"].max())  # type: ignore[arg-type]
    held = np.full((len(ids), last - first + 1), np.nan)
    for market, day, price in daily.select("market_id", "day", "price").iter_rows():
        held[row[market], day - first] = price
    changes = comovement.log_odds_changes(held)
    moving = np.flatnonzero(np.isfinite(changes).sum(axis=1) >= LEAST_DAYS)
    return [catalogue[ids[number]] for number in moving], changes[moving], first + 1


def _pairs(
    markets: Sequence[Market], changes: comovement.Changes, seed: int, *, quiet: bool
) -> Iterator[Joined]:
    """The pairs of markets to measure: the pairs that a causal graph would join, each with its
    edge; and for comparison, pairs of unrelated markets: each market is paired with at most
    `MAX_CHANCE_PAIRS` others that are unrelated to it.

    changes : daily changes of log-odds, one row for each market
    """
    rng = np.random.default_rng(seed)
    relations = RelationService()
    tags, fits, directions = _tagged(relations, markets)
    read = [read_market(market) for market in markets]
    events = _events(markets)
    known = np.isfinite(changes).astype(np.float32)
    console = Console(stderr=True, markup=False)
    for a in track(range(len(markets)), "Pairing", console=console, disable=quiet):
        both = (known @ known[a] >= LEAST_DAYS) & (np.arange(len(markets)) != a)
        asked = [
            (int(tag), min(1.0, MIN_NAMED_WEIGHT + (1 - MIN_NAMED_WEIGHT) * float(fit)))
            for tag, fit in zip(tags[a], fits[a], strict=True)
            if tag
        ]
        reached = relations.graph.reach(asked)
        own, paths = rank.bearing(reached, tags, fits)
        evidence = paths.max(axis=2, initial=0)
        similar = both & ((own > 0) | (events == events[a]))
        joined = set()
        for b in _some(np.flatnonzero(similar), rng, MAX_LOGIC_CHECKS):
            relation = logic.relate(read[a], read[b])
            if relation == "none":
                continue
            joined.add(b)
            if a < b:
                yield _logical(a, b, relation, events)
        yes_direction = int(directions[a, 0])
        strongest = evidence.argmax(axis=0)
        apart = both & (events != events[a])
        for nth, relation in enumerate(RELATIONS):
            shown = apart & (own == 0) & (strongest == nth) & (evidence[nth] >= MIN_PATH_STRENGTH)
            for b in _best(np.flatnonzero(shown), evidence[nth], rng, PER_RELATION):
                at = int(paths[nth, b].argmax())
                path = reached.path(nth, int(tags[b, at]))
                signs = int(np.prod([step.sign for step in path]))
                sign = signs * int(directions[b, at]) * yes_direction
                causal = relation != "correlated"
                hand_strength = float(np.prod([step.weight for step in path]))
                kind = strength.kind(path, causal=causal, signed=sign != 0)
                yield Joined(a, b, kind, sign, _couple(events, a, b), hand_strength)
        subject = [b for b in np.flatnonzero(apart & (own > 0)).tolist() if b not in joined]
        for b in _some(np.array(subject, np.intp), rng, PER_RELATION):
            yield Joined(a, b, strength.SUBJECT, 0, _couple(events, a, b), SUBJECT_STRENGTH)
        alone = np.flatnonzero(apart & (own == 0) & (evidence.max(axis=0) < MIN_PATH_STRENGTH))
        for b in _some(alone, rng, MAX_CHANCE_PAIRS):
            yield Joined(a, b, strength.UNRELATED, 0, _couple(events, a, b), 0.0)


def _tagged(
    relations: RelationService, markets: Sequence[Market]
) -> tuple[NDArray[np.uint16], NDArray[np.float32], NDArray[np.int8]]:
    most = MAX_FACTORS
    tags = np.zeros((len(markets), most), np.uint16)
    fits = np.zeros((len(markets), most), np.float32)
    directions = np.ones((len(markets), most), np.int8)
    for row, market in enumerate(markets):
        text = document_text(
            market.question, event_name=market.event_name, description=market.description
        )
        for place, tag in enumerate(relations.tags(text)[:most]):
            tags[row, place], fits[row, place], directions[row, place] = tag
    return tags, fits, directions


def _events(markets: Sequence[Market]) -> NDArray[np.int64]:
    numbers: dict[str, int] = defaultdict(lambda: len(numbers))
    return np.array([numbers[m.event_id or m.event_name or m.id] for m in markets])


def _couple(events: NDArray[np.int64], a: int, b: int) -> tuple[int, int]:
    one, other = sorted((int(events[a]), int(events[b])))
    return one, other


def _logical(a: int, b: int, relation: str, events: NDArray[np.int64]) -> Joined:
    sign = 1 if relation in ("implies", "implied_by", "equivalent") else -1
    return Joined(a, b, strength.logical(sign), sign, _couple(events, a, b), 1.0)


def _some(rows: NDArray[np.intp], rng: np.random.Generator, most: int) -> list[int]:
    return rng.permutation(rows)[:most].tolist()


def _best(
    rows: NDArray[np.intp], weight: NDArray[np.float32], rng: np.random.Generator, most: int
) -> list[int]:
    mixed = rng.permutation(rows)
    return mixed[np.argsort(-weight[mixed], kind="stable")][:most].tolist()


def _table(fitted: Fit, first: int, seed: int, files: Sequence[Path]) -> dict[str, Any]:
    """The table of strengths as it is stored in a file.

    first : day of the first column of price changes, in days since 1970-01-01
    seed : seed of the random choice of pairs
    files : the files that were measured; their hashes are stored
    """
    origin = date(1970, 1, 1) + timedelta(days=first)
    return {
        "provenance": {
            "command": f"augury eval edges --seed {seed}",
            "measured_on": now().date().isoformat(),
            "files_sha256": [hashlib.sha256(file.read_bytes()).hexdigest() for file in files],
            "fitted_before": (origin + timedelta(days=fitted.split)).isoformat(),
            "quantity": "of the days on which one of two markets moved, the share on which both"
            " did as the edge says",
        },
        "later": {"brier": fitted.brier, "mean_distance": fitted.error},
        "kinds": {
            kind: {
                "strength": kept.strength,
                "n": kept.fitted.events,
                "fitted": _cell(kept.fitted),
                "later": _cell(kept.later),
            }
            for kind, kept in fitted.kinds.items()
        },
    }


def _cell(cell: Cell | None) -> dict[str, float] | None:
    return None if cell is None else {**cell._asdict(), "share": round(cell.share, 4)}
