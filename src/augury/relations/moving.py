"""Measures from recorded prices which markets move together, and keeps the result ready.

One process measures on a schedule; every process reloads the result when it has changed.
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
"""Length of a time step: when markets are checked for moving together, their price changes over
each such step are compared. It is short enough for young markets to have enough steps, and long
enough for a venue's busy hours not to look like news."""
WINDOW_LENGTH: Final = timedelta(days=180)
MOST_MARKETS: Final = 6_000
"""Maximum number of markets that are compared with each other: those with the longest price
history. The work grows with the square of this number."""
EVERY_SECONDS: Final = 6 * 3600.0
"""Seconds between two measurements of which markets move together."""
LOOK_EVERY: Final = 60.0
"""Seconds between two checks of whether another process has measured which markets move together.
"""


class Partner(NamedTuple):
    """A market whose price moves together with that of another, given market."""

    seq: int
    correlation: float
    steps: int


class Moving:
    """Which markets' prices move together, by the last measurement."""

    def __init__(self, database: Database, clock: Clock = now) -> None:
        self._database = database
        self._clock = clock
        self._measured_at: datetime | None = None
        self._partners: Mapping[int, tuple[Partner, ...]] = {}

    def partners(self, seqs: Iterable[int]) -> dict[int, Partner]:
        """The markets that move together with any of the markets numbered `seqs`: number of the
        market -> `Partner`. If a market moves with several of them, the strongest correlation is
        given."""
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
        rows, compared = await asyncio.to_thread(measured, priced)
        async with self._database.transaction() as conn:
            await store.replace_co_movements(conn, rows, at, compared)
        log.info("co_movement_measured", markets=compared, pairs=len(rows))
        await self.refresh()

    async def refresh(self) -> None:
        """Reload the pairs of markets that move together if they have been measured again."""
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
        """Until `stop` is set, check every `LOOK_EVERY` seconds whether another process has
        measured which markets move together, and reload the pairs of markets if so."""
        while not stop.is_set():
            with suppress(AuguryError):  # without the database, the loaded pairs stay in use
                await self.refresh()
            await pause(stop, LOOK_EVERY)


def measured(priced: Sequence[PricedStep]) -> tuple[list[CoMovementRow], int]:
    """Find the pairs of markets whose prices move together. Returns these pairs, and the number of
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
