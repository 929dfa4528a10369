"""The command line as a client of a service elsewhere: its own data folder stays empty."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from augury_client import Augury
from tests.processes import augury

from augury.remote import as_csv

QUESTION = "Will the Fed cut rates?"


@pytest.mark.parametrize("command", ["search", "forecast", "graph", "scorecard", "rvol latest"])
def test_a_read_command_asks_the_service_it_is_told(
    command: str, service: tuple[str, str], tmp_path: Path, client: Augury
) -> None:
    asked = [QUESTION] if command in ("search", "forecast", "graph") else []
    data = tmp_path / "data"
    done = augury(
        data, *command.split(), *asked, "--url", service[0], "--json", AUGURY_API_KEY=service[1]
    )
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert not data.exists()
    match command:
        case "search":
            found = client.search(QUESTION, top_k=10, fold=True).results
            assert {d: [r["id"] for r in rows] for d, rows in said["results"].items()} == {
                d: [r.id for r in rows] for d, rows in found.items()
            }
        case "forecast":
            assert said["probability"] == client.forecast(QUESTION).probability
        case "graph":
            assert {"nodes", "edges"} <= set(said["graph"])
        case "scorecard":
            assert said["forecasts"] >= 0
        case _:
            assert {row["origin"] for row in said} == {"sample"}


def test_the_address_may_stand_in_the_environment_and_rows_come_as_csv(
    service: tuple[str, str], tmp_path: Path
) -> None:
    known = {"AUGURY_URL": service[0], "AUGURY_API_KEY": service[1]}
    for command in (["search", QUESTION], ["rvol", "latest"]):
        done = augury(tmp_path / "data", *command, "--csv", **known)
        assert done.returncode == 0, done.stderr
        rows = list(csv.DictReader(done.stdout.splitlines()))
        assert rows
        assert all(row["origin"] == "sample" for row in rows)
    for command in (["search", QUESTION], ["forecast", QUESTION], ["rvol", "latest", "BTC"]):
        done = augury(tmp_path / "data", *command, **known)
        assert done.returncode == 0, done.stderr
        assert "%" in done.stdout


def test_what_is_wrong_is_said_in_one_line(service: tuple[str, str], tmp_path: Path) -> None:
    for url, key, told in (
        (service[0], "", "AUGURY_API_KEY"),
        ("http://127.0.0.1:9", "", "No service answers at http://127.0.0.1:9."),
        ("localhost", "", "--url is not the address"),
    ):
        done = augury(tmp_path, "forecast", QUESTION, "--url", url, AUGURY_API_KEY=key)
        assert done.returncode == 1
        assert told in done.stderr
        assert len(done.stderr.splitlines()) == 1


def test_csv_keeps_formulas_from_spreadsheets() -> None:
    rows = [{"a": "=1+1", "b": None, "c": [1, "x"]}, {"a": "plain, text", "b": -2.5, "c": {}}]
    told = list(csv.reader(as_csv(rows).splitlines()))
    assert told == [["a", "b", "c"], ["'=1+1", "", '[1, "x"]'], ["plain, text", "-2.5", "{}"]]
    assert as_csv([]) == ""
