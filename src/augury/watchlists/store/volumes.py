"""Samples of markets' volumes, which the metric `volume_spike` compares."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from augury.watchlists.store.reading import Connection

VOLUMES_KEPT = timedelta(days=15)
"""How long a stored value of a market's volume is kept."""


async def sample_volumes(
    conn: Connection, volumes: dict[str, float], now: datetime, apart: timedelta
) -> None:
    """Store each market's cumulative volume, unless its last stored value is younger than `apart`.

    volumes : cumulative volume by market id
    """
    await conn.execute(
        """
        insert into watch_volumes (market_id, at, volume)
        select u.id, %(now)s, u.volume from unnest(%(ids)s::text[], %(volumes)s::float8[])
             u (id, volume)
        where not exists (
          select from watch_volumes v where v.market_id = u.id and v.at > %(now)s - %(apart)s)
        on conflict do nothing
        """,
        {
            "ids": list(volumes), "volumes": list(volumes.values()), "now": now, "apart": apart,
        },
    )  # fmt: skip


async def volumes_before(
    conn: Connection, windows: Sequence[tuple[str, timedelta]], count: int, now: datetime
) -> list[list[float | None]]:
    """For each (market id, span), the market's cumulative volume at the times `now - count * span`,
    ..., `now - 2 * span`, `now - span`, from stored samples.

    Each volume is that of the last sample at or before the time. It is None if there is none, or if
    at that time the sample was older than both `span` and 20 minutes.
    """
    rows = await conn.execute(
        """
        select array_agg(v.volume order by k desc)
        from unnest(%s::text[], %s::interval[]) with ordinality a (market_id, span, n)
        cross join generate_series(1, %s) k
        left join lateral (
          select volume from watch_volumes
          where market_id = a.market_id and at <= %s::timestamptz - k * a.span
            and at > %s::timestamptz - k * a.span - greatest(a.span, interval '20 minutes')
          order by at desc limit 1
        ) v on true
        group by a.n order by a.n
        """,
        (*(list(column) for column in zip(*windows, strict=True)), count, now, now),
        binary=True,
    )
    return [row[0] for row in await rows.fetchall()]
