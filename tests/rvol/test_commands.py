"""`augury rvol ...` on a data folder of its own, and the chart."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.rvol.bar_files import bars, written
from typer.testing import CliRunner

from augury.errors import SetupProblem
from augury.rvol import chart, commands


@pytest.fixture
def run(database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Runs a command; without a service, on the test's database."""
    monkeypatch.setenv("AUGURY_DATABASE_URL", database_url)
    monkeypatch.setenv("AUGURY_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("AUGURY_RVOL_HORIZONS", "1,7")
    monkeypatch.setenv("AUGURY_RVOL_REPLAY_DAYS", "4")

    def invoke(*arguments: str) -> str:
        done = CliRunner().invoke(commands.app, arguments, catch_exceptions=False)
        assert done.exit_code == 0, done.output
        return done.stdout

    return invoke


def test_the_first_command_shows_volatility_offline_and_says_it_is_a_sample(run: Any) -> None:
    text = run("latest", "BTC")
    assert text.count("BTC") == 2
    assert "sample" in text
    rows = json.loads(run("latest", "BTC", "--horizon", "7d", "--json"))
    assert len(rows) == 1
    assert rows[0]["prediction"]["unit"] == "log_return_variance_over_horizon"
    with pytest.raises(SetupProblem, match="BNB, BTC"):
        run("latest", "NOPE")


def test_refresh_import_scorecard_and_chart(run: Any, tmp_path: Path) -> None:
    run("latest")
    done = json.loads(run("refresh", "--json"))
    assert done["sets"] == 3
    assert json.loads(run("refresh", "--json"))["sets"] == 0
    table = run("scorecard")
    assert table.splitlines()[1].split()[:3] == ["all", "1d", "blend"] or "blend" in table
    picture = tmp_path / "btc.svg"
    run("chart", "BTC", str(picture), "--horizon", "1d")
    assert picture.read_text().startswith("<svg")
    file = written(bars(days=5), tmp_path / "BTC_5m.csv")
    out = json.loads(run("import", str(file), "--json"))
    assert out["assets"][0]["added"] == 5
    with pytest.raises(SetupProblem, match="No volatility forecast exists yet"):
        run("latest")  # the sample is gone, and five days are too few


def test_the_scorecard_works_at_once_too(run: Any) -> None:
    """On a fresh folder, and where only the newest forecasts of the sample are there."""
    rows = json.loads(run("scorecard", "--json"))
    assert {row["origin"] for row in rows} == {"sample"}
    assert json.loads(run("refresh", "--json"))["sets"] == 0


def forecast(day: int, variance: float) -> tuple[Any, ...]:
    at = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(days=day)
    return (
        "blend", "v", "A<&B", 1, at, at, at + timedelta(days=1), 1, variance, variance**0.5 * 19.1,
        variance * 0.5, variance * 2, variance * 0.4, variance * 3, variance * 0.3, variance * 4,
        "live", at, "live",
    )  # fmt: skip


def test_a_chart_is_well_formed_whatever_it_shows() -> None:
    many = [forecast(day, 1e-3 * (1 + day % 5)) for day in range(60)]
    actuals = [(*f[2:5], f[5], f[6], 1, f[8] * 1.1, "final", 0, *f[17:]) for f in many[:50]]
    for drawn in (chart.svg(many, actuals), chart.svg(many[:1], []), chart.svg([], [])):
        ET.fromstring(drawn)
    root = ET.fromstring(chart.svg(many, actuals))
    shapes = [e.tag.split("}")[1] for e in root]
    assert shapes.count("polygon") == 2
    assert shapes.count("path") == 2
    assert chart.png(chart.svg(many, actuals)).startswith(b"\x89PNG")
