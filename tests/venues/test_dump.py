"""Dump files: what is read, what is derived, what is refused, and the import as a whole."""

from __future__ import annotations

import json
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests.serving import served
from tests.venues.conftest import small_catalogue
from tests.venues.simulator import Simulator
from tests.venues.stored import scalar, stored
from typer.testing import CliRunner

from augury.errors import SetupProblem
from augury.markets.records import Market
from augury.storage.database import Database
from augury.venues import dump, dump_markets
from augury.venues.importing import import_file
from augury.venues.records import Refusal

SHARED = Path(__file__).parents[3] / "shared" / "data"
AS_OF = datetime(2026, 4, 1, 8)


def row(**fields: Any) -> dict[str, Any]:
    return {
        "id": "polymarket:1",
        "platform": "polymarket",
        "platform_id": "1",
        "question": "Will it rain?",
        "title": "Will it rain?",
        "subtitle": None,
        "description": None,
        "outcomes": ["Yes", "No"],
        "prices": [0.3, 0.7],
        "status": "active",
        "result": None,
        "event_id": "E1",
        "event_title": "Rain",
        "category": "Weather",
        "tags": ["rain"],
        "opens_at": AS_OF,
        "closes_at": AS_OF,
        "resolved_at": None,
        "volume": 10.0,
        "best_bid": 0.29,
        "best_ask": 0.31,
        "strike": None,
        "as_of": AS_OF,
        **fields,
    }


def ok(**fields: Any) -> Market:
    found = dump_markets.market(row(**fields))
    assert isinstance(found, Market), found
    return found


def test_a_row() -> None:
    market = ok()
    assert market.prices == (0.3, 0.7)
    assert market.price_as_of == market.observed_at == AS_OF.replace(tzinfo=UTC)
    assert market.origin == "dump"
    assert market.event_name == "Rain"
    assert market.tags == ("rain",)


def test_a_whole_question_of_kalshi_is_taken_apart() -> None:
    asked = "How many storms this year? — Above 12"
    kalshi = {"id": "kalshi:K-1", "platform": "kalshi", "question": asked, "title": None}
    market = ok(**kalshi)
    assert (market.question, market.title) == (asked, "How many storms this year?")
    assert market.subtitle == "Above 12"
    assert ok(**{**kalshi, "title": "Storms?", "subtitle": "13+"}).subtitle == "13+"
    assert ok(**{**kalshi, "question": "Storms?"}).subtitle is None
    assert ok(question=asked, title=asked).subtitle is None  # a dash of Polymarket's is a dash


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"platform": "elsewhere"}, "unknown platform"),
        ({"id": "polymarket:"}, "no id"),
        ({"id": "kalshi:1"}, "no id"),
        ({"question": "  "}, "no question"),
        ({"status": "paused"}, "unknown status"),
        ({"prices": [1.7, -0.7]}, "bad price"),
        ({"best_bid": 1.7}, "bad price"),
        ({"prices": [0.1, 0.2, 0.7]}, "prices do not match outcomes"),
        ({"outcomes": ["", ""]}, "bad outcomes"),
        ({"question": "Will Player 13 win the award?"}, "placeholder"),
        (
            {"id": "kalshi:KXMVE-1", "platform": "kalshi", "platform_id": "KXMVE-1"},
            "parlay",
        ),
    ],
)
def test_refusals(fields: dict[str, Any], reason: str) -> None:
    found = dump_markets.market(row(**fields))
    assert isinstance(found, Refusal)
    assert found.reason == reason


@pytest.mark.parametrize(
    "fields",
    [
        {"prices": [1.0, 0.0]},
        {"prices": [0.0, 0.0]},
        {"prices": None},
        {"prices": [0.5, 0.5], "best_bid": 0.01, "best_ask": 0.99},
        {"as_of": None},
    ],
)
def test_no_quote(fields: dict[str, Any]) -> None:
    market = ok(**fields)
    assert market.prices == (None, None)
    assert market.price_as_of is None


@pytest.mark.parametrize(
    ("question", "result", "outcomes"),
    [
        ("Will it rain?", None, ("Yes", "No")),
        ("Lions vs. Tigers", None, ("Lions", "Tigers")),
        ("LoL: Blue vs Red (BO3) - Northern-Eastern Kickoff: Playoffs", None, ("Blue", "Red")),
        ("NBA: Who will win the Lions vs. Tigers, March 10?", None, ("Lions", "Tigers")),
        ("Set Handicap: Ada (-1.5) vs Bea (+1.5)", None, ("Ada (-1.5)", "Bea (+1.5)")),
        ("Coin Up or Down - May 1", None, ("Up", "Down")),
        ("Ada vs. Bea: Total Sets O/U 2.5", None, ("Over", "Under")),
        ("Map 1: Odd/Even Total Kills?", None, ("Odd", "Even")),
        ("Lions vs. Tigers: Both Teams to Score", None, ("Yes", "No")),
        ("Lions vs. Tigers", "no", ("Yes", "No")),
        ("Another song first?", None, ("Yes", "No")),
        ("Who wins the cup?", None, dump_markets.UNKNOWN_OUTCOMES),
        ("Margin over 60%", None, dump_markets.UNKNOWN_OUTCOMES),
    ],
)
def test_outcomes_that_a_dump_lacks(
    question: str, result: str | None, outcomes: tuple[str, str]
) -> None:
    assert dump_markets.derive_outcomes(question, result) == outcomes


@pytest.mark.parametrize(
    ("result", "winner"),
    [("yes", "Yes"), ("outcome[1]", "No"), ("outcome[9]", None), ("Maybe", None), (None, None)],
)
def test_results(result: str | None, winner: str | None) -> None:
    market = ok(status="resolved", result=result, prices=None)
    assert market.resolution == winner
    # A result read off the price of a market still open is no result.
    assert ok(status="closed", result=result).resolution is None


# --- files -----------------------------------------------------------------------------------


def markets_frame() -> pl.DataFrame:
    kalshi = {
        "platform": "kalshi",
        "event_id": "KXR",
        "prices": [0.6, 0.4],
        "strike": '{"strike_type": "greater", "floor_strike": 3.0}',
    }
    return pl.DataFrame(
        [
            row(),
            row(id="polymarket:2", platform_id="2", question="Lions vs. Tigers", outcomes=None,
                prices=None, event_id=None),
            row(id="kalshi:KXR-3", platform_id="KXR-3", subtitle="Above 3%", **kalshi),
            row(id="kalshi:KXR-4", platform_id="KXR-4", subtitle="Above 4%", **kalshi),
            row(id="kalshi:KXMVE-1", **{**kalshi, "platform_id": "KXMVE-1"}),
            row(id="polymarket:9", question="Will Placeholder 20 win?"),
        ]
    )  # fmt: skip


def prices_frame() -> pl.DataFrame:
    rows = [
        ("polymarket:1", "Yes", 0.31),
        ("polymarket:1", "No", 0.69),
        ("polymarket:2", "tigers ", 0.4),
        ("kalshi:event:KXR", "Above 4%", 0.2),
        ("kalshi:event:KXR", "Above 9%", 0.2),
        ("kalshi:event:KXNO", "Yes", 0.2),
        ("polymarket:1", "Maybe", 0.2),
        ("polymarket:77", "Yes", 0.2),
        ("polymarket:1", "Yes", 0.0),
        ("polymarket:1", "Yes", 1.7),
        ("polymarket:", "", 0.5),
    ]
    return pl.DataFrame(
        [
            {"market_id": id_, "outcome": label, "ts": AS_OF.replace(minute=n + 1), "price": price,
             "kind": "snapshot"}
            for n, (id_, label, price) in enumerate(rows)
        ]
    )  # fmt: skip


def write(frame: pl.DataFrame, path: Path) -> Path:
    if path.suffix == ".parquet":
        frame.write_parquet(path)
    elif path.suffix == ".jsonl":
        path.write_text(
            "".join(json.dumps(r, default=datetime.isoformat) + "\n" for r in frame.to_dicts())
        )
    else:
        packed = [
            pl.col(name).map_elements(
                lambda v: None if v is None else json.dumps(v.to_list()), return_dtype=pl.String
            )
            for name, dtype in frame.schema.items()
            if isinstance(dtype, pl.List)
        ]
        frame.with_columns(packed).write_csv(path)
    return path


@pytest.mark.anyio
@pytest.mark.parametrize("suffix", [".parquet", ".jsonl", ".csv"])
async def test_an_import_of_both_kinds(suffix: str, tmp_path: Path, database: Database) -> None:
    file = dump.DumpFile(write(markets_frame(), tmp_path / f"m{suffix}"))
    assert file.kind == "markets"
    summary = await import_file(database, file)
    assert (summary.read, summary.added) == (6, 4)
    assert summary.refused == {"parlay": 1, "placeholder": 1}
    found = await stored(database)
    assert found["polymarket:2"].outcomes == ["Lions", "Tigers"]
    assert found["kalshi:KXR-3"].strike_floor == 3.0
    assert found["kalshi:KXR-3"].series_id == "KXR"

    again = await import_file(database, file)
    assert (again.added, again.updated, again.unchanged) == (0, 0, 4)

    file = dump.DumpFile(write(prices_frame(), tmp_path / f"p{suffix}"))
    assert file.kind == "prices"
    summary = await import_file(database, file)
    assert summary.added == 4
    assert summary.refused == {
        "this label fits no market of the event, or several": 2,
        "unknown outcome": 1,
        "unknown market": 1,
        "no quote (0 or 1)": 1,
        "bad price": 1,
        "no id": 1,
    }
    assert summary.examples["unknown market"] == ["polymarket:77 Yes: 0.2"]
    series = await scalar(
        database,
        "select array_agg(distinct p.outcome || ' ' || p.price) from prices p"
        " join markets m on m.seq = p.market_seq"
        " where m.id = 'kalshi:KXR-4' and p.source = 'dump:snapshot'",
    )
    assert "0 0.2" in series


def test_lines_that_are_no_json_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "m.jsonl"
    path.write_text('{"id": "polymarket:1", "platform": "x", "question": "q"}\n{"broken\n[1]\n\n')
    file = dump.DumpFile(path)
    assert (len(file), file.unreadable) == (1, 2)


@pytest.mark.parametrize(
    ("name", "body", "words"),
    [
        ("gone.parquet", None, "does not exist"),
        ("a.parquet", b"not parquet", "can't be read"),
        ("a.csv", b"a,b\n1,2\n", "neither a market's columns"),
        ("a.xlsx", b"?", "only .parquet"),
        ("a.jsonl", b"", "neither a market's columns"),
    ],
)
def test_files_that_are_none(tmp_path: Path, name: str, body: bytes | None, words: str) -> None:
    if body is not None:
        (tmp_path / name).write_bytes(body)
    with pytest.raises(SetupProblem, match=words):
        dump.DumpFile(tmp_path / name)


def test_the_commands(database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import typer

    from augury.venues import commands

    app = typer.Typer()
    app.command("import")(commands.import_)
    app.command("sync")(commands.sync)
    closed = "http://127.0.0.1:9"
    for name, value in {
        "DATA_DIR": str(tmp_path),
        "DATABASE_URL": database_url,
        "KALSHI_URL": closed,
        "POLYMARKET_GAMMA_URL": closed,
    }.items():
        monkeypatch.setenv(f"AUGURY_{name}", value)

    async def indexed(*_: object) -> None:
        """The index is tested with the search."""

    monkeypatch.setattr(commands, "make_searchable", indexed)
    runner = CliRunner()
    files = [
        str(write(prices_frame(), tmp_path / "p.parquet")),
        str(write(markets_frame(), tmp_path / "m.parquet")),
    ]
    result = runner.invoke(app, ["import", *files, "--json"])
    assert result.exit_code == 0, result.output
    summary = json.loads(result.stdout)
    assert (summary["read"], summary["added"]) == (17, 8), "markets go first in any order"

    result = runner.invoke(app, ["import", files[1]])
    assert "0 added" in result.stdout
    assert "refused 1: parlay" in result.stdout

    result = runner.invoke(app, ["import", str(tmp_path / "nothing.csv")])
    assert result.exit_code == 1
    assert "does not exist" in result.output

    result = runner.invoke(app, ["sync", "--venue", "kalshi"])
    assert result.exit_code == 1
    assert "Kalshi can't be reached (no connection)" in result.output
    result = runner.invoke(app, ["sync", "--venue", "polymarket", "--json"])
    assert [flow["failure"] is None for flow in json.loads(result.stdout)["flows"]] == [False]

    result = runner.invoke(app, ["sync", "--full", "--market", "kalshi:KXDONE-26"])
    assert result.exit_code == 2
    with served(Simulator(small_catalogue())) as port:
        monkeypatch.setenv("AUGURY_KALSHI_URL", f"http://127.0.0.1:{port}/kalshi")
        wanted = ["--market", "kalshi:KXDONE-26", "--market", "kalshi:KXNO", "--market", "x:1"]
        result = runner.invoke(app, ["sync", *wanted, "--json"])
        assert result.exit_code == 1
        assert json.loads(result.stdout)["markets"] == [
            {"id": "kalshi:KXDONE-26", "status": "resolved", "problem": None},
            {"id": "kalshi:KXNO", "status": None, "problem": "No market has this id."},
            {"id": "x:1", "status": None, "problem": "No market has this id."},
        ]
        result = runner.invoke(app, ["sync", *wanted[:2]])
        assert (result.exit_code, result.stdout) == (0, "kalshi:KXDONE-26: resolved\n")


@pytest.mark.heavy
@pytest.mark.skipif(not SHARED.is_dir(), reason="the real catalogue (../shared/data) is not here")
@pytest.mark.parametrize("rows", [3_000, pytest.param(1_000_000, marks=pytest.mark.slow, id="all")])
def test_the_real_catalogue(rows: int) -> None:
    file = dump.DumpFile(SHARED / "catalog" / "markets.parquet")
    file.frame = file.frame.sample(min(rows, len(file)), seed=1)
    found = [one for part in dump_markets.read_markets(file) for one in part]
    refused = Counter(one.reason for one in found if isinstance(one, Refusal))
    assert set(refused) <= {"placeholder", "bad outcomes", "no id"}
    assert refused.total() < 400
    markets = [one for one in found if isinstance(one, Market)]
    named = sum(m.resolution is not None for m in markets if m.status == "resolved")
    assert named / sum(m.status == "resolved" for m in markets) > 0.99
    unknown = sum(m.outcomes == dump_markets.UNKNOWN_OUTCOMES for m in markets)
    assert unknown < 40
    assert all(p is None or 0 < p < 1 for m in markets if m.status != "resolved" for p in m.prices)


@pytest.mark.skipif(not SHARED.is_dir(), reason="the real parlays (../shared/data) are not here")
def test_the_real_parlays_are_all_refused() -> None:
    file = dump.DumpFile(SHARED / "catalog" / "kalshi_parlays.parquet")
    file.frame = file.frame.head(2_000)
    reasons = Counter(
        one.reason
        for part in dump_markets.read_markets(file)
        for one in part
        if isinstance(one, Refusal)
    )
    assert reasons == {"parlay": 2_000}
