"""`augury markets`: what is held, and its release; an import says what it replaces."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from augury.markets import commands as markets
from augury.markets.service import MarketService
from augury.settings import Settings
from augury.storage.database import Database
from augury.venues import commands as venues

ROW: dict[str, Any] = {
    "id": "kalshi:KXA-27", "platform": "kalshi", "question": "Will A happen in 2027?",
    "status": "active", "prices": [0.0057, 0.9943], "best_bid": 0.0055, "best_ask": 0.0059,
    "as_of": "2026-11-20T12:00:00Z",
}  # fmt: skip


@pytest.fixture
def run(database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("AUGURY_DATABASE_URL", database_url)
    monkeypatch.setenv("AUGURY_DATA_DIR", str(tmp_path / "data"))
    app = typer.Typer()
    app.add_typer(markets.app, name="markets")
    app.command("import")(venues.import_)
    return lambda *arguments: CliRunner().invoke(app, list(arguments))


def test_what_an_import_holds_is_listed_and_released(run: Any, tmp_path: Path) -> None:
    assert "No quotes are held." in run("markets", "quarantine").stdout
    dump = tmp_path / "dump.jsonl"
    dump.write_text(json.dumps(ROW))
    shown = run("import", str(dump)).stdout
    assert "in quarantine 1: unit" in shown
    assert "augury markets quarantine" in shown
    shown = run("markets", "quarantine").stdout
    assert "kalshi:KXA-27  Will A happen in 2027?" in shown
    assert "quote 0.0057, 0.9943, book 0.0055 to 0.0059, 2026-11-20 12:00 UTC" in shown
    [held] = json.loads(run("markets", "quarantine", "KXA-27", "--json").stdout)["items"]
    assert (held["market_id"], held["reason"], held["outcome"]) == ("kalshi:KXA-27", "unit", None)
    assert run("markets", "quarantine", "--reason", "book", "--json").stdout.strip() == (
        '{"items": []}'
    )
    assert run("markets", "release").exit_code == 2
    assert run("markets", "quarantine", "--reason", "odd").exit_code == 2
    assert "has the id kalshi:NONE" in str(run("markets", "release", "kalshi:NONE").exception)
    assert "Released: 1 quotes" in run("markets", "release", "kalshi:KXA-27").stdout
    assert "No quotes are held." in run("markets", "quarantine").stdout
    found = json.loads(run("import", str(dump), "--json").stdout)
    assert (found["quarantined"], found["unchanged"]) == ({}, 1)


async def fill() -> None:
    database = await Database.open(Settings())
    try:
        await MarketService(database).ensure_sample()
    finally:
        await database.close()


def test_an_import_over_the_sample_says_so_first(run: Any, tmp_path: Path) -> None:
    asyncio.run(fill())
    dump = tmp_path / "dump.jsonl"
    dump.write_text(json.dumps(ROW))
    result = run("import", str(dump), "--json")
    assert "This import replaces the sample" in result.stderr
    assert json.loads(result.stdout)["replaced_sample"] > 0
    result = run("import", str(dump), "--json")
    assert "sample" not in result.stderr
    assert json.loads(result.stdout)["replaced_sample"] == 0
