"""What a starting service does when its database fails after the services have opened."""

from __future__ import annotations

import psycopg
import pytest

from augury import serving

pytestmark = pytest.mark.anyio


class FailingSessions:
    """Makes links once the database has failed `failures` times."""

    def __init__(self, failures: int, error: Exception) -> None:
        self.failures = failures
        self.error = error

    async def new_link(self) -> str:
        if self.failures:
            self.failures -= 1
            raise self.error
        return "secret"


LOST = psycopg.OperationalError("consuming input failed: server closed the connection")


async def test_a_link_is_made_once_the_database_is_back() -> None:
    assert await serving._sign_in_link(FailingSessions(1, LOST)) == "secret"  # type: ignore[arg-type]


async def test_a_service_goes_on_without_a_link(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "LINK_PATIENCE", 0.2)
    assert await serving._sign_in_link(FailingSessions(99, LOST)) is None  # type: ignore[arg-type]


async def test_a_fault_of_ours_is_not_hidden() -> None:
    with pytest.raises(KeyError):
        await serving._sign_in_link(FailingSessions(1, KeyError("x")))  # type: ignore[arg-type]
