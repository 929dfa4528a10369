"""The SQL of accounts and API keys."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from psycopg import AsyncConnection
from psycopg.rows import class_row

from augury.access.records import Account, ApiKey, StoredKey, StoredSession

Connection = AsyncConnection[Any]

_KEY_COLUMNS = """
  k.id, k.account_id, a.name as account, k.prefix, k.scopes, k.label,
  k.created_at, k.expires_at, k.revoked_at, k.last_used_at
"""


async def key_by_prefix(conn: Connection, prefix: str) -> StoredKey | None:
    """The API key with this prefix, with only the fields that authentication needs; None if there
    is no such key. Takes one query."""
    async with conn.cursor(row_factory=class_row(StoredKey)) as cursor:
        await cursor.execute(
            """
            select k.id, k.account_id, k.secret_hash, k.scopes, k.expires_at, k.revoked_at,
                   a.rvol_approved, k.last_used_at
              from api_keys k join accounts a on a.id = k.account_id
             where k.prefix = %s
            """,
            (prefix,),
        )
        return await cursor.fetchone()


async def account_by_name(conn: Connection, name: str) -> Account | None:
    async with conn.cursor(row_factory=class_row(Account)) as cursor:
        await cursor.execute(
            "select id, name, rvol_approved, created_at from accounts where name = %s", (name,)
        )
        return await cursor.fetchone()


async def ensure_account(conn: Connection, account_id: str, name: str) -> Account:
    """The account of this name. If there is none, it is created with the id `account_id`."""
    await conn.execute(
        "insert into accounts (id, name) values (%s, %s) on conflict (name) do nothing",
        (account_id, name),
    )
    account = await account_by_name(conn, name)
    assert account is not None
    return account


async def list_accounts(conn: Connection) -> list[Account]:
    async with conn.cursor(row_factory=class_row(Account)) as cursor:
        await cursor.execute(
            "select id, name, rvol_approved, created_at from accounts order by name"
        )
        return await cursor.fetchall()


async def set_rvol_approved(conn: Connection, account_id: str, approved: bool) -> None:
    await conn.execute(
        "update accounts set rvol_approved = %s where id = %s", (approved, account_id)
    )


async def insert_key(
    conn: Connection,
    *,
    id: str,
    account_id: str,
    prefix: str,
    secret_hash: bytes,
    scopes: Sequence[str],
    label: str | None,
    expires_at: datetime | None,
) -> None:
    await conn.execute(
        """
        insert into api_keys (id, account_id, prefix, secret_hash, scopes, label, expires_at)
        values (%s, %s, %s, %s, %s, %s, %s)
        """,
        (id, account_id, prefix, secret_hash, list(scopes), label, expires_at),
    )


async def key_by_id(conn: Connection, id: str) -> ApiKey | None:
    async with conn.cursor(row_factory=class_row(ApiKey)) as cursor:
        await cursor.execute(
            f"select {_KEY_COLUMNS} from api_keys k join accounts a on a.id = k.account_id"  # noqa: S608
            " where k.id = %s for update of k",
            (id,),
        )
        return await cursor.fetchone()


async def list_keys(conn: Connection, account: str | None) -> list[ApiKey]:
    """All API keys, or those of the account of this name, oldest first."""
    async with conn.cursor(row_factory=class_row(ApiKey)) as cursor:
        await cursor.execute(
            f"select {_KEY_COLUMNS} from api_keys k join accounts a on a.id = k.account_id"  # noqa: S608
            " where %s::text is null or a.name = %s order by k.created_at, k.id",
            (account, account),
        )
        return await cursor.fetchall()


async def revoke_key(conn: Connection, id: str) -> None:
    await conn.execute(
        "update api_keys set revoked_at = now() where id = %s and revoked_at is null", (id,)
    )


async def delete_key(conn: Connection, id: str) -> None:
    await conn.execute("delete from api_keys where id = %s", (id,))


async def expire_key(conn: Connection, id: str, grace: timedelta) -> None:
    """Let an API key expire after `grace`, or at its own expiry if that is earlier."""
    await conn.execute(
        "update api_keys set expires_at = least(expires_at, now() + %s) where id = %s",
        (grace, id),
    )


async def note_use(conn: Connection, id: str, at: datetime) -> None:
    """Record the time at which an API key was last used; an earlier time than the stored one is
    ignored."""
    await conn.execute(
        "update api_keys set last_used_at = greatest(last_used_at, %s) where id = %s", (at, id)
    )


async def insert_link(
    conn: Connection, token_hash: bytes, account_id: str, expires_at: datetime
) -> None:
    await conn.execute(
        "insert into sign_in_links (token_hash, account_id, expires_at) values (%s, %s, %s)",
        (token_hash, account_id, expires_at),
    )


async def use_link(conn: Connection, token_hash: bytes, now: datetime) -> str | None:
    """Delete a one-time sign-in link and return its account's id; None if the link is unknown or
    too old."""
    await conn.execute("delete from sign_in_links where expires_at <= %s", (now,))
    cursor = await conn.execute(
        "delete from sign_in_links where token_hash = %s returning account_id", (token_hash,)
    )
    row = await cursor.fetchone()
    return row[0] if row else None


async def insert_session(
    conn: Connection,
    *,
    id: str,
    token_hash: bytes,
    account_id: str,
    key_id: str | None,
    scopes: Sequence[str],
    expires_at: datetime,
) -> None:
    await conn.execute(
        """
        insert into console_sessions (id, token_hash, account_id, key_id, scopes, expires_at)
        values (%s, %s, %s, %s, %s, %s)
        """,
        (id, token_hash, account_id, key_id, list(scopes), expires_at),
    )


async def session(conn: Connection, token_hash: bytes, now: datetime) -> StoredSession | None:
    """The console session whose cookie has this hash, with the current scopes of the API key that
    opened it. None if the session has ended, or its key is not valid any more."""
    async with conn.cursor(row_factory=class_row(StoredSession)) as cursor:
        await cursor.execute(
            """
            select s.id, s.account_id, a.name as account, s.key_id, s.scopes,
                   k.scopes as key_scopes, k.expires_at as key_expires_at, a.rvol_approved,
                   s.expires_at
              from console_sessions s
              join accounts a on a.id = s.account_id
              left join api_keys k on k.id = s.key_id
             where s.token_hash = %(hash)s and s.expires_at > %(now)s
               and k.revoked_at is null and (k.expires_at is null or k.expires_at > %(now)s)
            """,
            {"hash": token_hash, "now": now},
        )
        return await cursor.fetchone()


async def delete_session(conn: Connection, token_hash: bytes) -> None:
    await conn.execute("delete from console_sessions where token_hash = %s", (token_hash,))


async def prune_sessions(conn: Connection, now: datetime) -> None:
    await conn.execute("delete from console_sessions where expires_at <= %s", (now,))
