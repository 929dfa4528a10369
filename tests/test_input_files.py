"""Every command that takes a file says in one line what is wrong with one it did not expect."""

from __future__ import annotations

import os
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

from augury import cli
from augury.errors import AuguryError, SetupProblem
from augury.rvol import ingest

BAD = {
    "a folder": None,
    "empty": b"",
    "binary": bytes(range(256)) * 40,
    "another shape": b'[1, {"two": 3}]\n',
    "a table of something else": b"color\nred\n",  # Parquet where the name says so
}
COMMANDS = {
    "import": ["import", "{file}.parquet"],
    "import a csv": ["import", "{file}.csv"],
    "import lines": ["import", "{file}.jsonl"],
    "rvol import": ["rvol", "import", "{file}.parquet"],
    "rvol import a csv": ["rvol", "import", "{file}.csv", "--asset", "SPY"],
    "db restore": ["db", "restore", "{file}.zip"],
    "eval search": ["eval", "search", "--labels", "{file}.jsonl", "--markets", "{markets}"],
    "eval search, markets": [
        "eval",
        "search",
        "--labels",
        "{labels}",
        "--markets",
        "{file}.parquet",
    ],
    "eval forecast": [
        *("eval", "forecast", "--questions", "{file}.jsonl"),
        *("--markets", "{markets}", "--prices", "{prices}"),
    ],
    "eval leave-one-out": [
        *("eval", "leave-one-out", "--questions", "{questions}"),
        *("--markets", "{prices}", "--prices", "{file}.parquet"),
    ],
    "eval gate": ["eval", "gate", "--markets", "{markets}", "--prices", "{file}.parquet"],
    "eval properties": ["eval", "properties", "--markets", "{file}.parquet"],
    "eval calibration": [
        "eval",
        "calibration",
        "--markets",
        "{file}.parquet",
        "--prices",
        "{prices}",
    ],
    "eval rvol": ["eval", "rvol", "--realized", "{file}.parquet"],
    "relations lint": ["relations", "lint", "--catalogue", "{file}.parquet"],
    "language lint": ["language", "lint", "--catalogue", "{file}.parquet"],
}


@pytest.fixture(scope="module", autouse=True)
def _mounted() -> None:
    if not cli.app.registered_commands:
        cli.mount(cli.app)


@pytest.mark.parametrize("kind", BAD)
@pytest.mark.parametrize("command", COMMANDS)
def test_a_file_that_is_not_what_is_expected_gets_one_line(
    command: str, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AUGURY_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("AUGURY_SYNC", "off")
    # No server is started for a file that can't be read: this one would not be found.
    monkeypatch.setenv("AUGURY_DATABASE_URL", "postgresql://nobody@127.0.0.1:1/none")
    names = {name: str(tmp_path / name) for name in ("labels", "questions")}
    Path(names["labels"]).write_text('{"qid": "1", "query": "q", "labels": []}\n')
    Path(names["questions"]).write_text(
        '{"qid": "1", "kind": "near", "question": "q", "as_of": "2026-01-01",'
        ' "market_id": "kalshi:X", "p": 0.5}\n'
    )
    names["markets"] = str(tmp_path / "markets.parquet")
    pl.DataFrame({"id": ["X"], "platform": ["kalshi"], "question": ["q"]}).write_parquet(
        names["markets"]
    )
    names["prices"] = str(tmp_path / "prices.parquet")
    pl.DataFrame({"market_id": ["X"], "ts": ["2026"], "price": [0.5]}).write_parquet(
        names["prices"]
    )
    arguments = [part.format(file=tmp_path / "bad", **names) for part in COMMANDS[command]]
    (bad,) = [Path(one) for one in arguments if "bad." in one]
    if kind == "a folder":
        bad.mkdir()
    elif kind == "a table of something else" and bad.suffix == ".parquet":
        pl.DataFrame({"color": ["red"]}).write_parquet(bad)
    else:
        bad.write_bytes(BAD[kind] or b"")
    result = CliRunner().invoke(cli.app, arguments)
    assert result.exit_code != 0
    error = result.exception
    if isinstance(error, SystemExit):  # said by the command line itself, or by the command
        said = result.output.replace("\n", " ")
        assert bad.name in said.replace(" ", "") or "bad" in said
        assert "Traceback" not in said
    else:
        assert isinstance(error, AuguryError | OSError), repr(error)
        told = str(error)
        assert os.linesep not in told.strip(), told
        assert bad.name in told or names["prices"] in told, told


@pytest.mark.parametrize("kind", [kind for kind in BAD if kind != "a folder"])
@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_bars_that_are_none_get_one_line(suffix: str, kind: str, tmp_path: Path) -> None:
    bad = tmp_path / f"bad{suffix}"
    if kind == "a table of something else" and suffix == ".parquet":
        pl.DataFrame({"color": ["red"]}).write_parquet(bad)
    else:
        bad.write_bytes(BAD[kind] or b"")
    with pytest.raises(SetupProblem, match=bad.name) as caught:
        ingest.read(bad, "SPY")
    assert "\n" not in str(caught.value)
