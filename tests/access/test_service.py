"""Accounts and keys over a real database; how long a revoked key lives."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from augury.access.keys import mint
from augury.access.service import AccessService, is_temporary
from augury.errors import InvalidInput, NotFound
from augury.storage.database import Database

pytestmark = pytest.mark.anyio


class Times:
    """A clock set by hand."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def monotonic(self) -> float:
        return self.seconds

    def now(self) -> datetime:
        return datetime.now(UTC) + timedelta(seconds=self.seconds)


@pytest.fixture
def times() -> Times:
    return Times()


@pytest.fixture
def access(database: Database, times: Times) -> AccessService:
    return AccessService(database, remember=3, monotonic=times.monotonic, now=times.now)


async def test_a_key_stands_for_its_account(access: AccessService) -> None:
    key, text = await access.create_key("  Ada ", ["search:read", "rvol:read", "search:read"])
    assert key.account == "Ada"
    assert key.scopes == ["search:read", "rvol:read"]
    assert key.id.startswith("key_")
    principal = await access.authenticate(text)
    assert principal is not None
    assert (principal.key_id, principal.account_id) == (key.id, key.account_id)
    assert principal.scopes == {"search:read", "rvol:read"}
    assert not principal.rvol_approved


async def test_accounts_are_shared_by_name(access: AccessService) -> None:
    first, _ = await access.create_key("ada", ["search:read"])
    second, _ = await access.create_key("ada", ["search:read"])
    other, _ = await access.create_key("bob", ["search:read"])
    assert first.account_id == second.account_id != other.account_id
    assert [k.id for k in await access.list_keys("ada")] == [first.id, second.id]
    assert len(await access.list_keys()) == 3
    assert [a.name for a in await access.list_accounts()] == ["ada", "bob"]


async def test_the_secret_is_not_stored(access: AccessService, database: Database) -> None:
    _, text = await access.create_key("ada", ["search:read"])
    async with database.reading() as conn:
        rows = await (await conn.execute("select k::text from api_keys k")).fetchall()
    assert text.split("_")[2] not in str(rows)
    assert text.split("_")[1] in str(rows)


async def test_tokens_that_are_no_keys(access: AccessService) -> None:
    _, text = await access.create_key("ada", ["search:read"])
    forged = text[:13] + mint().text[13:]
    for token in ("", "x", forged, mint().text, text + "a", text.lower()):
        assert await access.authenticate(token) is None


async def test_a_revoked_key_ends_here_at_once_and_elsewhere_in_seconds(
    access: AccessService, database: Database, times: Times
) -> None:
    elsewhere = AccessService(database, remember=3, monotonic=times.monotonic, now=times.now)
    key, text = await access.create_key("ada", ["search:read"])
    assert await elsewhere.authenticate(text)
    assert (await access.revoke_key(key.id)).revoked_at
    assert (await access.revoke_key(key.id)).revoked_at
    assert await access.authenticate(text) is None
    times.seconds = 2.9
    assert await elsewhere.authenticate(text)
    times.seconds = 3.0
    assert await elsewhere.authenticate(text) is None


async def test_most_requests_ask_no_database(
    access: AccessService, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, text = await access.create_key("ada", ["search:read"])
    asked = 0
    look_up = access._look_up

    async def counting(prefix: str, digest: bytes) -> object:
        nonlocal asked
        asked += 1
        return await look_up(prefix, digest)

    monkeypatch.setattr(access, "_look_up", counting)
    unknown = mint().text
    for _ in range(50):
        await access.authenticate(text)
        await access.authenticate(unknown)
    assert asked == 2


async def test_what_is_remembered_is_bounded(
    access: AccessService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("augury.access.service._MOST_REMEMBERED", 10)
    for _ in range(50):
        await access.authenticate(mint().text)
    assert len(access._known) == 10


async def test_a_key_runs_out(access: AccessService, times: Times) -> None:
    ends = datetime.now(UTC) + timedelta(seconds=2)
    _, text = await access.create_key("ada", ["search:read"], expires_at=ends)
    assert await access.authenticate(text)
    times.seconds = 2.5  # still remembered, and no longer good
    assert await access.authenticate(text) is None


async def test_rotation_overlaps_by_the_grace(access: AccessService, times: Times) -> None:
    old, old_text = await access.create_key("ada", ["search:read", "*"], label="bot")
    new, new_text = await access.rotate_key(old.id, grace=timedelta(seconds=60))
    assert (new.scopes, new.label, new.account_id) == (old.scopes, "bot", old.account_id)
    assert await access.authenticate(old_text)
    assert await access.authenticate(new_text)
    times.seconds = 61
    assert await access.authenticate(old_text) is None
    assert await access.authenticate(new_text)
    with pytest.raises(InvalidInput, match="expired or was revoked"):
        await access.rotate_key(old.id, grace=timedelta(0))
    newest, _ = await access.rotate_key(new.id, grace=timedelta(0))
    assert await access.authenticate(new_text) is None
    assert newest.id != new.id


async def test_rvol_approval(access: AccessService, times: Times) -> None:
    _, text = await access.create_key("ada", ["rvol:read"])
    for approved in (True, False):
        assert (await access.set_rvol_approved("ada", approved)).rvol_approved is approved
        principal = await access.authenticate(text)
        assert principal is not None
        assert principal.rvol_approved is approved
    with pytest.raises(NotFound):
        await access.set_rvol_approved("nobody", True)


@pytest.mark.parametrize("scopes", [[], ["search"], ["search:read", "everything"]])
async def test_unknown_scopes(access: AccessService, scopes: list[str]) -> None:
    with pytest.raises(InvalidInput, match="Scopes are: search:read"):
        await access.create_key("ada", scopes)


@pytest.mark.parametrize("name", ["", "  ", "a\nb", "a" * 201])
async def test_accounts_need_a_name(access: AccessService, name: str) -> None:
    with pytest.raises(InvalidInput, match="name"):
        await access.create_key(name, ["search:read"])


async def test_unknown_keys(access: AccessService) -> None:
    with pytest.raises(NotFound):
        await access.revoke_key("key_nothing")
    with pytest.raises(NotFound):
        await access.rotate_key("key_nothing", grace=timedelta(0))


async def test_a_lent_key_is_told_by_more_than_its_label(access: AccessService) -> None:
    """The list of keys leaves lent ones out; whoever makes a key chooses its label."""
    until = datetime.now(UTC) + timedelta(days=1)
    await access.create_key("operator", ["admin"], label="lent", expires_at=until)
    await access.create_key("operator", ["admin"], label="lent")
    await access.create_key("ghost", ["admin"], label="lent", expires_at=until - timedelta(days=1))
    assert not any(map(is_temporary, await access.list_keys()))
    async with access.temporary_key("search:read"):
        assert sum(map(is_temporary, await access.list_keys())) == 1


async def test_a_label_is_one_line_of_visible_characters(access: AccessService) -> None:
    for label in ("a\nb", "\x1b[31mred", "\x07"):
        with pytest.raises(InvalidInput):
            await access.create_key("a", ["search:read"], label=label)
