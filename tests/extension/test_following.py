"""How the games of a catalogue are read beside other work."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from tests.extension.conftest import GAMES, Service

from augury.extension import games
from augury.extension import service as extension

pytestmark = pytest.mark.anyio


async def test_others_have_their_turn_between_two_games(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extension, "GAMES_TURN", 0.0)
    turns = 0
    at: list[int] = []
    read = games.game_of

    def game_of(*args: Any, **told: Any) -> games.Game | None:
        at.append(turns)
        return read(*args, **told)

    async def others() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    monkeypatch.setattr(games, "game_of", game_of)
    built = service.app.state.services
    again = extension.ExtensionService(built.database, built.search, built.relations, built.graph)
    working = asyncio.create_task(others())
    try:
        await again.catch_up()
    finally:
        working.cancel()
    assert len(again.roster) == len(built.extension.roster) >= len(GAMES)
    assert len(set(at)) == len(at)
