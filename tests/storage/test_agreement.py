"""Hosts with different secret keys do not serve one database."""

from __future__ import annotations

import asyncio
import base64

import pytest
from pydantic import SecretStr

from augury.errors import SetupProblem
from augury.settings import Settings
from augury.storage import agreement
from augury.storage.database import Database
from augury.storage.vault import Vault

pytestmark = pytest.mark.anyio


def vault(settings: Settings, byte: int) -> Vault:
    key = SecretStr(base64.b64encode(bytes([byte]) * 32).decode())
    return Vault(settings.model_copy(update={"secret_key": key}))


async def test_the_second_host_needs_the_key_of_the_first(
    database: Database, settings: Settings
) -> None:
    await agreement.check_key(database, vault(settings, 1))
    await agreement.check_key(database, vault(settings, 1))
    with pytest.raises(SetupProblem, match="AUGURY_SECRET_KEY"):
        await agreement.check_key(database, vault(settings, 2))


async def test_of_hosts_that_come_at_once_one_key_wins(
    database: Database, settings: Settings
) -> None:
    tries = [agreement.check_key(database, vault(settings, n % 2)) for n in range(8)]
    outcomes = await asyncio.gather(*tries, return_exceptions=True)
    assert sum(outcome is None for outcome in outcomes) == 4
    assert sum(isinstance(outcome, SetupProblem) for outcome in outcomes) == 4


async def test_secrets_of_an_older_version_decide_where_there_is_no_constant(
    database: Database, settings: Settings
) -> None:
    async with database.transaction() as conn:
        await conn.execute("insert into accounts (id, name) values ('a', 'a')")
        await conn.execute(
            "insert into series (id, account_id, name, kind, source_type, url)"
            " values ('s', 'a', 'n', 'macro_indicator', 'csv', %s)",
            (vault(settings, 1).seal(b"https://a.example/?token=x", "s"),),
        )
    with pytest.raises(SetupProblem, match="forget-secrets"):
        await agreement.check_key(database, vault(settings, 2))
    await agreement.check_key(database, vault(settings, 1))


async def test_a_lost_key_is_not_the_end(database: Database, settings: Settings) -> None:
    await agreement.check_key(database, vault(settings, 1))
    assert await agreement.forget(database) == {"endpoints": 0, "series": 0}
    await agreement.check_key(database, vault(settings, 2))
