"""Versions of models and the aliases that name them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import msgspec
from psycopg.rows import args_row

from augury.rvol.store.sql import Connection


async def put_model(
    conn: Connection,
    model_id: str,
    model_version: str,
    *,
    code: str,
    families: Sequence[str],
    members: Sequence[str],
    training: str,
) -> None:
    """Register a version of a forecasting model; a version already registered stays as it is."""
    await conn.execute(
        "insert into rvol_models (model_id, model_version, code, families, members, training)"
        " values (%s, %s, %s, %s, %s, %s) on conflict do nothing",
        (model_id, model_version, code, list(families), list(members), training),
    )


async def set_alias(
    conn: Connection, alias: str, model_id: str, model_version: str | None, reason: str
) -> bool:
    """Make an alias (e.g. `champion`) name this model and version from now on. Returns False if it
    does already."""
    current = (await aliases(conn)).get(alias)
    if current == (model_id, model_version):
        return False
    await conn.execute(
        "insert into rvol_aliases (alias, model_id, model_version, reason) values (%s, %s, %s, %s)",
        (alias, model_id, model_version, reason),
    )
    return True


async def aliases(conn: Connection) -> dict[str, tuple[str, str | None]]:
    """By alias: the model and the version that it names now (version None: the newest)."""
    rows = await conn.execute(
        "select distinct on (alias) alias, model_id, model_version from rvol_aliases"
        " order by alias, since desc"
    )
    return {alias: (model_id, version) for alias, model_id, version in await rows.fetchall()}


class Model(msgspec.Struct, frozen=True):
    """One version of a forecasting model."""

    model_id: str
    model_version: str
    families: list[str]
    members: list[str]
    training: str
    code: str
    created_at: datetime
    trained_through: datetime | None
    """Time up to which this version has learned from data: the `as_of` of its newest forecast,
    because models are refit for every forecast. None without forecasts."""
    updated_at: datetime | None
    """When the newest forecast of this version was published; None without forecasts."""


async def models(conn: Connection) -> list[Model]:
    """All versions of all forecasting models, sorted by model, then newest version first."""
    async with conn.cursor(row_factory=args_row(Model), binary=True) as cursor:
        await cursor.execute(
            """
            select m.model_id, m.model_version, families, members, training, code, created_at,
                   (select max(as_of) from rvol_forecasts f where f.model_id = m.model_id
                    and f.model_version = m.model_version),
                   (select s.published_at from rvol_sets s where s.set_id = (
                      select f.set_id from rvol_forecasts f where f.model_id = m.model_id
                      and f.model_version = m.model_version order by as_of desc limit 1))
            from rvol_models m order by model_id, created_at desc, model_version desc
            """
        )
        return await cursor.fetchall()
