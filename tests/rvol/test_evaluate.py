"""`augury eval rvol`: its output, and the gates on real data where that is here."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from tests.rvol import simulated
from typer.testing import CliRunner

from augury.rvol import evaluate

REALIZED = Path(__file__).parents[3] / "shared" / "data" / "rvol" / "realized.parquet"


@pytest.fixture
def realized(tmp_path: Path) -> Path:
    panel = simulated.panel(assets=3, rows=520)
    frames = [
        pl.DataFrame(
            {
                "asset": name,
                "group": "crypto",
                "date": pl.Series(panel.days[i]).cast(pl.Int32).cast(pl.Date),
                "rv": panel.rv[i],
                "bv": panel.bv[i],
                "rsv_neg": panel.rsv_neg[i],
                "rsv_pos": panel.rsv_pos[i],
                "rq": panel.rq[i],
                "open_to_close": panel.ret[i],
                "overnight": 0.0,
            }
        )
        for i, name in enumerate(panel.assets)
    ]
    path = tmp_path / "realized.parquet"
    pl.concat(frames).write_parquet(path)
    return path


def run(*arguments: str) -> str:
    from augury import cli

    app = cli._evaluations()
    done = CliRunner().invoke(app, ["rvol", *arguments], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


def test_the_command_prints_the_promised_object(realized: Path) -> None:
    found = json.loads(run("--realized", str(realized), "--horizons", "1,5", "--json"))
    assert found["assets"] == ["A0", "A1", "A2"]
    assert found["horizons"] == [1, 5]
    assert {"champion", "log-har", "har", "ewma"} <= set(found["models"])
    score = found["models"]["champion"]["1"]
    assert score["n"] == 3 * 119
    assert set(score["coverage"]) == {"80", "90", "95"}
    assert score["ratio_to_har"] == score["qlike"] / found["models"]["har"]["1"]["qlike"]
    assert found["models"]["har"]["1"]["ratio_to_har"] == 1
    assert found["groups"]["crypto"]["models"]["champion"]["5"]["n"] == 3 * 115
    assert found["by_asset"]["A1"]["champion"]["1"]["n"] == 119


def test_assets_and_windows_can_be_chosen(realized: Path) -> None:
    day = np.datetime64(simulated.FIRST_DAY + 450, "D")
    text = run(
        "--realized", str(realized), "--assets", "A1", "--horizons", "5",
        "--exclude-window", str(day), "--json",
    )  # fmt: skip
    score = json.loads(text)["models"]["champion"]["5"]
    assert score["n"] == 115 - 5
    assert "champion" in run("--realized", str(realized), "--horizons", "1")


GATES = {
    "SPX.OM": (0.85, 0.85, 0.91),
    "SP500.BPQ": (0.83, 0.76, 0.80),
    "index24": (0.90, 0.89, 1.00),
    "crypto": (0.56, 0.66, 0.82),
}


@pytest.mark.slow
@pytest.mark.skipif(not REALIZED.is_file(), reason="the shared realized measures are not here")
def test_the_gates_hold_on_real_data() -> None:
    from datetime import date

    found = evaluate.evaluate(evaluate.load(REALIZED), (1, 5, 22), exclude=date(2025, 10, 10))
    for name, gates in GATES.items():
        of = found["groups"].get(name, {}).get("models") or found["by_asset"][name]
        for days, gate, log_har, slack in zip(
            (1, 5, 22), gates, (0.98, 1.00, 1.01), (0.03, 0.03, 0.04), strict=True
        ):
            score = of["champion"][str(days)]
            assert score["ratio_to_har"] <= gate, (name, days)
            assert score["ratio_to_log_har"] <= log_har, (name, days)
            for level, share in score["coverage"].items():
                assert abs(share - int(level) / 100) <= slack, (name, days, level)
