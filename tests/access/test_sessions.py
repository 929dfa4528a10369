"""Sessions of the console: signing in by key and by link, how they end, what a write needs."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta
from typing import Any

import pytest

from augury import clock
from augury.access.keys import SCOPES
from augury.access.service import OPERATOR, AccessService
from augury.access.sessions import (
    LINK_LASTS,
    SESSION_LASTS,
    SessionService,
    csrf_matches,
    csrf_of,
)
from augury.errors import Unauthenticated
from augury.storage.database import Database

pytestmark = pytest.mark.anyio


class Hands:
    """A clock set by hand."""

    def __init__(self) -> None:
        self.at: datetime = clock.now()

    def __call__(self) -> datetime:
        return self.at


@pytest.fixture
def hands() -> Hands:
    return Hands()


@pytest.fixture
def access(database: Database) -> AccessService:
    return AccessService(database, remember=0)


@pytest.fixture
def sessions(database: Database, access: AccessService, hands: Hands) -> SessionService:
    return SessionService(database, access, remember=0, now=hands)


async def test_a_link_signs_the_owner_in_once(sessions: SessionService) -> None:
    link = await sessions.new_link()
    token, session = await sessions.sign_in_by_link(link)
    assert session.account == OPERATOR
    assert session.principal.scopes == set(SCOPES)
    assert session.principal.rvol_approved
    assert not session.by_key
    assert await sessions.authenticate(token) == session
    with pytest.raises(Unauthenticated, match="used before"):
        await sessions.sign_in_by_link(link)


async def test_of_two_that_use_a_link_at_once_one_gets_in(sessions: SessionService) -> None:
    link = await sessions.new_link()
    tried = await asyncio.gather(
        *(sessions.sign_in_by_link(link) for _ in range(4)), return_exceptions=True
    )
    assert sum(isinstance(one, tuple) for one in tried) == 1


async def test_a_link_is_too_old_after_minutes(sessions: SessionService, hands: Hands) -> None:
    link = await sessions.new_link()
    hands.at += LINK_LASTS + timedelta(seconds=1)
    with pytest.raises(Unauthenticated):
        await sessions.sign_in_by_link(link)


async def test_a_session_has_the_scopes_of_its_key_and_ends_with_it(
    sessions: SessionService, access: AccessService
) -> None:
    key, text = await access.create_key("analyst", ["search:read", "watch:write"])
    token, session = await sessions.sign_in_by_key(text)
    assert session.by_key
    assert session.account == "analyst"
    assert session.principal.scopes == {"search:read", "watch:write"}
    assert session.principal.key_id == key.id  # limits are those of the key
    await access.revoke_key(key.id)
    assert await sessions.authenticate(token) is None


async def test_a_session_ends_when_its_key_runs_out(
    sessions: SessionService, access: AccessService, hands: Hands
) -> None:
    ends = hands.at + timedelta(minutes=5)
    _, text = await access.create_key("analyst", ["search:read"], expires_at=ends)
    token, session = await sessions.sign_in_by_key(text)
    assert session.expires_at == ends
    hands.at = ends
    assert await sessions.authenticate(token) is None


async def test_a_session_ends_by_itself_and_by_signing_out(
    sessions: SessionService, hands: Hands
) -> None:
    first, _ = await sessions.sign_in_by_link(await sessions.new_link())
    second, _ = await sessions.sign_in_by_link(await sessions.new_link())
    await sessions.sign_out(first)
    await sessions.sign_out(first)
    assert await sessions.authenticate(first) is None
    assert await sessions.authenticate(second) is not None
    hands.at += SESSION_LASTS
    assert await sessions.authenticate(second) is None


@pytest.mark.parametrize("token", ["", "x", "A" * 43, "A" * 44, "aug_x", "Ä" * 43])
async def test_what_is_no_session_stands_for_nobody(sessions: SessionService, token: str) -> None:
    assert await sessions.authenticate(token) is None


async def test_a_key_that_is_not_valid_signs_nobody_in(sessions: SessionService) -> None:
    with pytest.raises(Unauthenticated):
        await sessions.sign_in_by_key("aug_nonsense")


async def test_neither_link_nor_cookie_is_stored(
    sessions: SessionService, database: Database
) -> None:
    link = await sessions.new_link()
    token, _ = await sessions.sign_in_by_link(await sessions.new_link())
    async with database.reading() as conn:
        rows: list[Any] = []
        for table in ("console_sessions", "sign_in_links"):
            cursor = await conn.execute(f"select t::text from {table} t")  # type: ignore[arg-type]
            rows += await cursor.fetchall()
    told = str(rows)
    assert len(rows) == 2
    assert link not in told
    assert token not in told


def test_csrf_tokens_belong_to_one_session() -> None:
    assert csrf_matches("a", csrf_of("a"))
    assert not csrf_matches("a", csrf_of("b"))
    assert not csrf_matches("a", "")
    assert not csrf_matches("a", "\xe9")
    assert not csrf_matches("a", csrf_of("a") + "\xff")
    assert "a" * 43 not in csrf_of("a" * 43)


async def test_the_last_use_of_a_key_is_known_to_the_minute(access: AccessService) -> None:
    key, text = await access.create_key("analyst", ["search:read"])
    assert key.last_used_at is None
    await access.authenticate(text)
    first = (await access.list_keys("analyst"))[0].last_used_at
    assert first is not None
    await access.authenticate(text)
    assert (await access.list_keys("analyst"))[0].last_used_at == first
