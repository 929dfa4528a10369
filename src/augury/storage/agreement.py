"""Checks at start that all processes on one database encrypt secrets with the same key."""

from __future__ import annotations

from augury.errors import SetupProblem
from augury.storage.database import Database
from augury.storage.vault import CantOpen, Vault

_CONSTANT = b"augury"
_OWNER = "sealed_constant"
_REFUSED = (
    "The secrets in this database were encrypted with a different key from the one that this "
    "process has. Give it the right key: set AUGURY_SECRET_KEY as on the other hosts, or copy the "
    "file secret.key from the data folder in which the secrets were stored. If that key is lost, "
    "`augury db forget-secrets --yes` deletes what was encrypted with it."
)


async def check_key(database: Database, vault: Vault) -> None:
    """Check that this process has the key that the database's secrets are encrypted with. The check
    decrypts a constant in the database; a database without the constant gets it now.

    Raises
    ------
    SetupProblem
        The constant, or a secret stored by an older version, was encrypted with another key.
    """
    async with database.transaction() as conn:
        cursor = await conn.execute("select sealed from sealed_constant for update")
        row = await cursor.fetchone()
        if row is None:
            cursor = await conn.execute(
                "(select id, url from watch_deliveries order by created_at desc limit 1) union all"
                " (select id, url from series where url is not null"
                "  order by created_at desc limit 1)"
            )
            for owner, sealed in await cursor.fetchall():
                _open(vault, bytes(sealed), owner)
            await conn.execute(
                "insert into sealed_constant (sealed) values (%s) on conflict do nothing",
                (vault.seal(_CONSTANT, _OWNER),),
            )
            cursor = await conn.execute("select sealed from sealed_constant")
            row = await cursor.fetchone()
        assert row is not None
        _open(vault, bytes(row[0]), _OWNER)


async def forget(database: Database) -> dict[str, int]:
    """Give up all data encrypted with a lost key: delete the endpoints of deliveries and the
    answers stored for idempotency, and stop fetching external series. Returns how many `endpoints`
    and `series` are affected."""
    async with database.transaction() as conn:
        cursor = await conn.execute("delete from watch_deliveries")
        endpoints = cursor.rowcount
        cursor = await conn.execute(
            "update series set due_at = null, refresh_every = null,"
            " failure = 'The URL was encrypted with a key that is lost. Create the series again.'"
            " where url is not null"
        )
        series = cursor.rowcount
        await conn.execute("delete from idempotency_keys")
        await conn.execute("delete from sealed_constant")
    return {"endpoints": endpoints, "series": series}


def _open(vault: Vault, sealed: bytes, owner: str) -> None:
    try:
        vault.open(sealed, owner)
    except CantOpen:
        raise SetupProblem(_REFUSED) from None
