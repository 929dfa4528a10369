"""`augury keys` and `augury accounts`."""

from __future__ import annotations

import json
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from augury.access import commands


@pytest.fixture
def run(database_url: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("AUGURY_DATABASE_URL", database_url)
    app = typer.Typer()
    app.add_typer(commands.keys, name="keys")
    app.add_typer(commands.accounts, name="accounts")
    return lambda *arguments: CliRunner().invoke(app, list(arguments))


def test_a_key_s_life(run: Any) -> None:
    made = run("keys", "create", "--account", "ada", "--scope", "search:read", "--scope",
               "rvol:read", "--label", "bot", "--json")  # fmt: skip
    assert made.exit_code == 0, made.output
    created = json.loads(made.stdout)
    assert list(created) == ["id", "key", "scopes"]
    assert created["scopes"] == ["search:read", "rvol:read"]
    assert created["key"].startswith("aug_")

    listed = json.loads(run("keys", "list", "--json").stdout)
    assert [(k["id"], k["state"], k["account"]) for k in listed] == [
        (created["id"], "active", "ada")
    ]
    assert created["key"] not in json.dumps(listed)
    assert "(bot)" in run("keys", "list", "--account", "ada").stdout

    rotated = json.loads(run("keys", "rotate", created["id"], "--grace", "0", "--json").stdout)
    assert list(rotated) == ["id", "key", "scopes"]
    assert run("keys", "revoke", rotated["id"]).exit_code == 0
    assert {k["state"] for k in json.loads(run("keys", "list", "--json").stdout)} == {"revoked"}


def test_for_people(run: Any) -> None:
    assert "No keys yet" in run("keys", "list").stdout
    made = run("keys", "create", "--account", "ada", "--scope", "*", "--expires-in", "30")
    assert made.stdout.startswith("aug_")
    assert "not shown again" in made.output
    assert "approved" in run("accounts", "approve-rvol", "ada").stdout
    assert "approved for rvol" in run("accounts", "list").stdout
    assert json.loads(run("accounts", "list", "--json").stdout)[0]["rvol_approved"] is True
    assert "no longer" in run("accounts", "revoke-rvol", "ada").stdout
    for command, approved in (("approve-rvol", True), ("revoke-rvol", False)):
        told = json.loads(run("accounts", command, "ada", "--json").stdout)
        assert told == {"name": "ada", "rvol_approved": approved}
    assert "bob has no keys" in run("keys", "list", "--account", "bob").stdout


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("keys", "create", "--account", "a", "--scope", "everything"), "Unknown scope"),
        (("keys", "revoke", "key_x"), "No key has this id"),
        (("accounts", "approve-rvol", "nobody"), "No account has this name"),
    ],
)
def test_mistakes_are_told_plainly(run: Any, arguments: tuple[str, ...], text: str) -> None:
    outcome = run(*arguments)
    assert outcome.exit_code == 1
    assert text in outcome.output
    assert "Traceback" not in outcome.output
