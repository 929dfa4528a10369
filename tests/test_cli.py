"""Mistakes on the command line are told in one plain line."""

from __future__ import annotations

import sys
from typing import NoReturn

import httpx2
import pytest
import typer
from typer.testing import CliRunner

from augury import cli, commands, service_file
from augury.errors import AuguryError


def run_into(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails() -> NoReturn:
        raise error

    monkeypatch.setattr(cli, "app", fails)
    monkeypatch.setattr(cli, "mount", lambda *_: None)
    monkeypatch.setattr(sys, "argv", ["augury", "graph", "x"])
    cli.main()


def test_a_file_that_can_t_be_written_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as left:
        run_into(FileNotFoundError(2, "No such file or directory", "/no/x.svg"), monkeypatch)
    assert left.value.code == 1
    assert capsys.readouterr().err == "augury: /no/x.svg: No such file or directory.\n"


def test_what_is_no_mistake_of_the_operator_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    for error in (OSError("a fault of ours"), ValueError("another")):
        with pytest.raises(type(error), match=str(error)):
            run_into(error, monkeypatch)


def test_a_port_that_is_none() -> None:
    app = typer.Typer()
    app.command()(commands.serve)
    outcome = CliRunner().invoke(app, ["--port", "99999"])
    assert outcome.exit_code == 2
    assert "less than or equal to 65535" in " ".join(outcome.output.split())


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("detail", "told"),
    [
        ("It is late.", "It is late."),
        (
            [{"loc": ["body", "top_k"], "msg": "Should be less", "type": "x"},
             {"loc": ["query"], "msg": "Field required", "type": "missing"}],
            "top_k: Should be less; query: Field required",
        ),
    ],
)  # fmt: skip
async def test_what_a_running_service_refuses_reads_as_text(detail: object, told: str) -> None:
    transport = httpx2.MockTransport(lambda _: httpx2.Response(422, json={"detail": detail}))
    async with httpx2.AsyncClient(transport=transport, base_url="http://augury.test") as client:
        with pytest.raises(AuguryError) as said:
            await service_file.ask(client, "/v1/search", {})
    assert str(said.value) == f"The service answered with an error: {told}"
