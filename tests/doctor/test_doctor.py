"""`augury doctor` says what is wrong and what mends it; `augury upgrade` tells before it acts."""

from __future__ import annotations

import asyncio
import json
import socket
from functools import partial
from pathlib import Path
from typing import Any

import psycopg
import pytest
from prometheus_client import REGISTRY
from pydantic import SecretStr
from typer.testing import CliRunner

from augury.doctor import checks, commands
from augury.doctor.exposure import exposure_warnings
from augury.settings import Settings
from augury.storage import scheduled
from augury.storage.vault import KEY_FILE

pytestmark = pytest.mark.anyio


def states(findings: list[checks.Finding]) -> set[tuple[str, str]]:
    return {(f.check, f.state) for f in findings}


def test_a_folder_that_others_may_write_and_a_key_they_may_read(settings: Settings) -> None:
    folder = Path(settings.data_dir)
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o777)
    (folder / KEY_FILE).write_bytes(bytes(32))
    (folder / KEY_FILE).chmod(0o644)
    found = checks.folder(settings)
    assert {("folder", "problem"), ("keys", "problem")} <= states(found)
    assert {f"chmod go-w {folder}", f"chmod 600 {folder / KEY_FILE}"} <= {f.mend for f in found}
    folder.chmod(0o700)
    (folder / KEY_FILE).chmod(0o600)
    assert {f.state for f in checks.folder(settings) if f.check != "disk"} == set()


@pytest.mark.heavy
def test_a_port_in_use(settings: Settings) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        number = taken.getsockname()[1]
        [found] = checks.port(settings.model_copy(update={"port": number}), None)
        assert (found.state, found.mend) == ("problem", f"AUGURY_PORT={number + 1}")


def test_what_is_exposed(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    open_: dict[str, Any] = {"host": "0.0.0.0", "allowed_hosts": (), "metrics": "open"}
    found = " ".join(exposure_warnings(settings.model_copy(update=open_)))
    for word in ("TLS", "AUGURY_ALLOWED_HOSTS", "/metrics"):
        assert word in found
    closed = {"host": "127.0.0.1", "metrics": "key", "search_url": None}
    assert exposure_warnings(settings.model_copy(update=closed)) == []
    monkeypatch.setattr("os.geteuid", lambda: 0)
    assert "root" in exposure_warnings(settings.model_copy(update=closed))[0]


async def test_the_database_and_its_key(settings: Settings, database_url: str) -> None:
    given = settings.model_copy(update={"database_url": SecretStr(database_url)})
    found = await checks.database(given)
    assert ("database", "ok") in states(found)
    assert ("database", "warning") in states(found), "the tests' own role is superuser"
    assert ("keys", "ok") in states(found)
    with psycopg.connect(database_url) as connection:
        connection.execute("update sealed_constant set sealed = '\\x00'")
    assert ("keys", "problem") in states(await checks.database(given))
    away = settings.model_copy(update={"database_url": SecretStr("postgresql:///x?host=/nowhere")})
    assert states(await checks.database(away)) == {("database", "problem")}


async def test_backups_on_a_schedule_are_verified_and_few(
    settings: Settings, database_url: str, tmp_path: Path
) -> None:
    given = settings.model_copy(
        update={
            "database_url": SecretStr(database_url),
            "backup_every": 3600.0,
            "backup_keep": 2,
            "backup_dir": tmp_path / "kept",
        }
    )
    assert checks.backup(given)[0].state == "warning"
    scheduled.measure(given)
    verified = partial(REGISTRY.get_sample_value, "augury_backup_verified_timestamp_seconds")
    assert verified() == 0
    made = []
    for _ in range(3):
        made.append(await scheduled.make(given))
        await asyncio.sleep(1.1)  # names have seconds
    assert sorted((tmp_path / "kept").iterdir()) == made[1:]
    assert checks.backup(given)[0].state == "ok"
    assert scheduled.newest(given) == made[-1]
    assert verified() == made[-1].stat().st_mtime


@pytest.fixture
def cli(settings: Settings, database_url: str, monkeypatch: pytest.MonkeyPatch) -> CliRunner:
    monkeypatch.setenv("AUGURY_DATABASE_URL", database_url)
    monkeypatch.setenv("AUGURY_DATA_DIR", str(settings.data_dir))
    monkeypatch.setenv("AUGURY_SYNC", "off")
    return CliRunner()


def run(cli: CliRunner, command: Any, *arguments: str) -> Any:
    import typer

    app = typer.Typer()
    app.command()(command)
    return cli.invoke(app, [*arguments, "--json"])


def test_the_commands_answer_in_json(cli: CliRunner, monkeypatch: pytest.MonkeyPatch) -> None:
    found = json.loads(run(cli, commands.doctor).stdout)["findings"]
    assert {"settings", "database", "service", "backups"} <= {f["check"] for f in found}
    report = json.loads(run(cli, commands.upgrade, "--check").stdout)
    assert report["pending"] == []
    monkeypatch.setenv("AUGURY_PROT", "1")
    answer = run(cli, commands.doctor)
    assert answer.exit_code == 1
    assert "AUGURY_PORT" in json.loads(answer.stdout)["findings"][0]["text"]
