"""Measures from recorded prices which markets move together.

One process measures on a schedule and stores the result in the database. Every process keeps a copy
in memory, and reloads it when the stored result has changed.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Final, NamedTuple

import numpy as np
import structlog

from augury.clock import Clock, now, pause
from augury.errors import AuguryError
from augury.relations import comovement, store
from augury.relations.store import CoMovementRow, PricedStep
from augury.storage.database import Database

log = structlog.get_logger(__name__)

STEP_LENGTH: Final = timedelta(hours=6)
"""Length of a time step. To find markets that move together, their price changes from step to step
are compared. The length is a compromise: short enough that young markets have enough steps, and
long enough that a venue's busy hours do not look like news."""
WINDOW_LENGTH: Final = timedelta(days=180)
"""Markets that move together are found from the prices that were recorded in this period, which
ends now."""
MOST_MARKETS: Final = 6_000
"""To find markets that move together, at most this many markets are compared with each other: those
with prices in the most time steps. The work grows with the square of this number."""
MEASURE_SECONDS: Final = 6 * 3600.0
"""After this many seconds, the service measures again which markets move together."""
CHECK_SECONDS: Final = 60.0
"""Seconds between two checks of whether another process has measured which markets move together.
"""


class Partner(NamedTuple):
    """A market whose price moves together with the price of a market that was asked about."""

    seq: int
    """The market's number in the database (column `seq`)."""
    correlation: float
    """Rank correlation of the two markets' price changes, -1 to 1."""
    steps: int
    """Number of time steps (`STEP_LENGTH`) in which the price changes of both markets are known."""


class CoMovements:
    """The pairs of markets whose prices move together, as last measured."""

    def __init__(self, database: Database, clock: Clock = now) -> None:
        self._database = database
        self._clock = clock
        self._measured_at: datetime | None = None
        self._partners: Mapping[int, tuple[Partner, ...]] = {}

    def partners(self, seqs: Iterable[int]) -> dict[int, Partner]:
        """The markets whose prices move together with the price of at least one of the markets
        `seqs`: database number of such a market -> its correlation. If it moves with several of
        `seqs`, the strongest correlation counts. `seqs`: database numbers."""
        found: dict[int, Partner] = {}
        for seq in seqs:
            for partner in self._partners.get(seq, ()):
                known = found.get(partner.seq)
                if known is None or abs(partner.correlation) > abs(known.correlation):
                    found[partner.seq] = partner
        return found

    async def measure(self) -> None:
        """Compare the prices recorded in the last 180 days (`WINDOW_LENGTH`), and store the pairs
        of markets that move together."""
        at = self._clock()
        async with self._database.reading() as conn:
            priced = await store.priced_steps(
                conn,
                at - WINDOW_LENGTH,
                int(STEP_LENGTH.total_seconds()),
                comovement.LEAST_STEPS + 1,
            )
        rows, compared = await asyncio.to_thread(moving_pairs, priced)
        async with self._database.transaction() as conn:
            await store.replace_co_movements(conn, rows, at, compared)
        log.info("co_movement_measured", markets=compared, pairs=len(rows))
        await self.refresh()

    async def refresh(self) -> None:
        """Reload the pairs of markets that move together from the database if they have been
        measured again."""
        async with self._database.reading() as conn:
            at = await store.co_movements_measured_at(conn)
            if at is None or at == self._measured_at:
                return
            rows = await store.co_movements(conn)
        partners: dict[int, list[Partner]] = defaultdict(list)
        for row in rows:
            partners[row.first_seq].append(Partner(row.second_seq, row.correlation, row.steps))
            partners[row.second_seq].append(Partner(row.first_seq, row.correlation, row.steps))
        self._partners = {seq: tuple(found) for seq, found in partners.items()}
        self._measured_at = at

    async def follow(self, stop: asyncio.Event) -> None:
        """Until `stop` is set, check every `CHECK_SECONDS` seconds whether another process has
        measured which markets move together, and reload the pairs of markets if so."""
        while not stop.is_set():
            with suppress(AuguryError):  # without the database, the loaded pairs stay in use
                await self.refresh()
            await pause(stop, CHECK_SECONDS)


def moving_pairs(priced: Sequence[PricedStep]) -> tuple[list[CoMovementRow], int]:
    """Find the pairs of markets whose prices move together. Returns these pairs and the number of
    markets that were compared.

    priced : the last price of each market in each time step
    """
    lengths: dict[int, int] = defaultdict(int)
    for one in priced:
        lengths[one.seq] += 1
    chosen = sorted(lengths, key=lambda seq: (-lengths[seq], seq))[:MOST_MARKETS]
    rows = {seq: row for row, seq in enumerate(chosen)}
    kept = [one for one in priced if one.seq in rows]
    if not kept:
        return [], 0
    first, last = min(one.step for one in kept), max(one.step for one in kept)
    prices = np.full((len(rows), last - first + 1), np.nan)
    events = np.zeros(len(rows), np.int64)
    numbers: dict[str, int] = {}
    for one in kept:
        prices[rows[one.seq], one.step - first] = one.price
        events[rows[one.seq]] = numbers.setdefault(one.event, len(numbers))
    pairs = comovement.co_movements(comovement.log_odds_changes(prices), events)
    return [
        CoMovementRow(
            chosen[pair.first], chosen[pair.second], pair.lag, pair.correlation, pair.steps, pair.q
        )
        for pair in pairs
    ], len(rows)
