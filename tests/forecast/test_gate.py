"""The evidence gate against questions with a known end: its arithmetic, and a run on real ones."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

from augury import cli
from augury.forecast.gate import TrialForecast, effect
from augury.forecast.titles import PER_EVENT
from augury.forecast.trials import DAYS_BEFORE, before_the_end
from augury.venues.dump import DumpFile

GOOD = TrialForecast("a", 1.0, 0.8, 0.9, "asked", 0.9, 0.2, 1.0)
DATA = Path(__file__).parents[3] / "shared" / "data"
MARKETS, PRICES = DATA / "catalog" / "markets.parquet", DATA / "history" / "prices.parquet"


@pytest.mark.parametrize(
    ("weak", "condition"),
    [
        ({"grade": "hinted"}, "grade"), ({"confidence": 0.4}, "confidence"),
        ({"width": 0.6}, "interval"), ({"width": None}, "interval"),
        ({"age_hours": 49.0}, "age"), ({"age_hours": None}, "age"),
    ],
)  # fmt: skip
def test_each_condition_refuses_by_itself(weak: dict[str, object], condition: str) -> None:
    gates = effect([GOOD, replace(GOOD, **weak)])["gates"]  # type: ignore[arg-type]
    refused = {name for name, sides in gates.items() if sides["refused"]["n"]}
    assert refused == {condition, "all four"}
    assert all(sides["kept"]["n"] + sides["refused"]["n"] == 2 for sides in gates.values())


def test_scores_are_beside_the_crowds_and_its_error_counts_events() -> None:
    wrong = TrialForecast("b", 0.0, 0.4, 0.6, "hinted", 0.2, 0.7, 1.0)
    told = effect([GOOD, replace(GOOD, event="c"), wrong, replace(wrong, probability=None)])
    assert (told["asked"], told["answered"]) == (4, 3)
    kept, refused = (told["gates"]["grade"][side] for side in ("kept", "refused"))
    assert (kept["brier"], kept["crowd_brier"], kept["worse"]) == (0.01, 0.04, -0.03)
    assert (refused["brier"], refused["crowd_brier"], refused["worse"]) == (0.36, 0.16, 0.2)
    assert refused["error"] is None
    everything = told["gates"]["none"]["kept"]
    # (-0.03, -0.03, 0.2): one event each, so the usual error of a mean.
    assert everything["error"] == pytest.approx(0.0767, abs=1e-4)
    # The same answers in one event beside another: as if asked twice, not three times.
    told = effect([GOOD, GOOD, wrong])["gates"]["none"]["kept"]
    assert told["events"] == 2
    assert told["error"] > 0.09
    assert effect([])["gates"]["all four"]["kept"]["brier"] is None


@pytest.mark.parametrize("suffix", [".parquet", ".csv"])
def test_titles_are_asked_some_days_before_their_end_at_the_last_price(
    tmp_path: Path, suffix: str
) -> None:
    end = datetime(2026, 3, 1)
    markets = pl.DataFrame(
        [
            {"id": f"polymarket:{n}", "platform": "polymarket", "status": status,
             "question": f"Will event {n} happen?", "result": "Yes" if n % 3 == 0 else "No",
             "outcomes": json.dumps(["Yes", "No"]), "closes_at": end.isoformat(),
             "event_id": f"e{n // 10}"}
            for n, status in enumerate(["resolved"] * 30 + ["active"] * 5)
        ]
    )  # fmt: skip
    prices = pl.DataFrame(
        [
            {"market_id": f"polymarket:{n}", "ts": (end - timedelta(days=days)).isoformat(),
             "outcome": outcome, "price": price}
            for n in range(35)
            for days in (1, 15)
            for outcome, price in (("Yes", days / 20), ("No", 1 - days / 20))
        ]
    )  # fmt: skip
    files = []
    for name, frame in (("markets", markets), ("prices", prices)):
        file = tmp_path / f"{name}{suffix}"
        frame.write_parquet(file) if suffix == ".parquet" else frame.write_csv(file)
        files.append(DumpFile(file))
    asked = before_the_end(*files, most=100, seed=1)
    assert len(asked) == 3 * PER_EVENT
    # Days that the first price does not reach are not asked; the last price before is the crowd's.
    early = {end.replace(tzinfo=UTC) - timedelta(days=n) for n in DAYS_BEFORE if n < 15}
    assert {one.as_of for one in asked} == early
    assert {one.p for one in asked} == {0.75}
    assert all(one.outcome == float(int(one.qid.split(":")[1]) % 3 == 0) for one in asked)
    assert (
        asked
        == before_the_end(*files, most=100, seed=1)
        != before_the_end(*files, most=100, seed=2)
    )
    assert len(before_the_end(*files, most=5, seed=1)) == 5


@pytest.mark.skipif(not PRICES.is_file(), reason="no real histories in ../shared/data")
def test_real_resolved_questions_pass_the_gate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    resolved = pl.scan_parquet(MARKETS).filter(
        (pl.col("status") == "resolved") & pl.col("resolved_at").is_not_null()
    )
    ids = (
        pl.scan_parquet(PRICES)
        .group_by(id="market_id")
        .agg(pl.col("ts").min())
        .join(resolved, on="id")
        .filter(pl.col("ts") < pl.min_horizontal("closes_at", "resolved_at").dt.offset_by("-10d"))
        .unique(pl.coalesce("event_id", "id"))
        .sort("id")
        .head(12)
        .collect()["id"]
    )
    few, their = tmp_path / "markets.parquet", tmp_path / "prices.parquet"
    pl.scan_parquet(MARKETS).filter(pl.col("id").is_in(ids.implode())).collect().write_parquet(few)
    pl.scan_parquet(PRICES).filter(
        pl.col("market_id").is_in(ids.implode())
    ).collect().write_parquet(their)
    # The database that the environment names is not touched: this one would not be found.
    monkeypatch.setenv("AUGURY_DATABASE_URL", "postgresql://nobody@127.0.0.1:1/none")
    if not cli.app.registered_commands:
        cli.mount(cli.app)
    run = CliRunner().invoke(
        cli.app,
        ["eval", "gate", "--markets", str(few), "--prices", str(their), "--titles", "9", "--json"],
    )
    assert run.exit_code == 0, run.exception
    told = json.loads(run.stdout)
    own, others = told["with its market"], told["without its market"]
    assert own["asked"] == others["asked"] == 9
    assert own["answered"] >= others["answered"]
    everything = own["gates"]["none"]["kept"]
    assert everything["n"] == own["answered"]
    assert 0 <= everything["brier"] <= 1
