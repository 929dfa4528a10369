"""The thirty tasks for a reader that has only the tools, and how their ends are checked."""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "training" / "mcp"))

import call  # pyright: ignore[reportMissingImports]
import score  # pyright: ignore[reportMissingImports]
import tasks  # pyright: ignore[reportMissingImports]

from augury.mcp import server

AT = datetime(2026, 11, 22, 12, tzinfo=UTC)
TASKS: list[dict[str, Any]] = tasks.load(AT)
MARKET = {"tool": "get_market", "arguments": {"market_id": "a"}, "path": "market.volume"}


def _named(task: dict[str, Any]) -> list[dict[str, Any]]:
    """Every tool that a task's end names, with its arguments."""
    did = [inner for one in task.get("did", ()) for inner in one.get("either", [one])]
    names = [task["names"]] if "names" in task else []
    return [*task.get("truths", ()), *task.get("larger", ()), *names, *did]


def test_there_are_thirty_and_their_dates_are_written_out() -> None:
    assert len({task["id"] for task in TASKS}) == len(TASKS) == 30
    assert sum(task.get("twelve", False) for task in TASKS) == 12
    assert "{" not in json.dumps([task["ask"] for task in TASKS])
    first = next(task for task in TASKS if task["id"] == "find-1")
    assert "December 2026" in first["ask"]
    assert "2026-11-12T12:00:00Z" in json.dumps(TASKS)


@pytest.mark.anyio
async def test_every_tool_and_argument_of_an_end_is_there() -> None:
    def nothing(_: Any) -> Any:
        raise AssertionError

    known = {tool.name: tool.input_schema for tool in await server.make(nothing).list_tools()}
    for task in TASKS:
        assert _named(task) or "says" in task, f"{task['id']} has no end"
        for one in _named(task):
            wanted = {*one.get("arguments", {}), *one.get("given", ())}
            assert wanted <= set(known[one["tool"]]["properties"]), task["id"]


@pytest.mark.parametrize(
    ("said", "value", "found"),
    [
        ("It is 44%.", 0.44, True),
        ("It is 44 percent.", 0.44, True),
        ("0.4391, so 44%", 0.44, True),
        ("from 30% to 52 %", 0.52, True),
        ("44¢", 0.44, True),
        ("a volume of $1,234,567", 1_234_567, True),
        ("about $1.23M traded", 1_230_000, True),
        ("It is 54%.", 0.44, False),
        ("It is 44.", 0.44, False),
        ("no number", 0.44, False),
    ],
)
def test_a_number_is_read_with_its_unit(said: str, value: float, found: bool) -> None:
    assert score.has(said, value, 0.005) is found


async def _truth(asked: dict[str, Any]) -> Any:
    return {"a": 0.3, "b": 0.4}[asked["arguments"]["market_id"]]


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("task", "said", "lacks"),
    [
        ({"truths": [MARKET | {"within": 0.01}]}, "It is 30%.", ""),
        ({"truths": [MARKET | {"within": 0.01}]}, "It is 40%.", "no number near 0.3"),
        ({"says": "sample-1"}, "polymarket:sample-1", ""),
        ({"says": "sample-1"}, "polymarket:sample-2", "it does not say what it should"),
        ({"says": "no", "never": "%"}, "No, perhaps 3%.", "it says what it must not"),
        ({"names": MARKET}, "0.3 it is", ""),
        ({"names": MARKET}, "0.4 it is", "it does not name 0.3"),
    ],
)
async def test_what_an_answer_must_say(task: dict[str, Any], said: str, lacks: str) -> None:
    assert "; ".join(await score.failures(task, [], said, _truth)) == lacks


@pytest.mark.anyio
async def test_the_last_word_is_the_larger() -> None:
    other = MARKET | {"arguments": {"market_id": "b"}}
    task = {"larger": [MARKET | {"word": "hold"}, other | {"word": "cut"}]}
    assert await score.failures(task, [], "Likelier than hold: **cut**.", _truth) == []
    assert await score.failures(task, [], "cut, likelier than hold", _truth)


@pytest.mark.anyio
async def test_what_a_reader_must_have_done() -> None:
    made = {"tool": "watch", "arguments": {"value": 0.4, "name": ""}, "error": False}
    exact = {"did": [{"tool": "watch", "arguments": {"value": 0.4}}]}
    assert await score.failures(exact, [made], "Done.", _truth) == []
    assert await score.failures(exact, [made | {"error": True}], "Done.", _truth)
    assert await score.failures(exact, [], "Done.", _truth)
    given = {"did": [{"tool": "watch", "given": ["name"]}]}
    assert await score.failures(given, [made], "Done.", _truth)
    either = {"did": [{"either": [{"tool": "silence"}, {"tool": "watch"}]}]}
    assert await score.failures(either, [made], "Done.", _truth) == []


def test_a_reader_is_told_the_tasks_and_none_of_the_ends(tmp_path: Path) -> None:
    told = call.main(tmp_path, "tasks")
    assert len(told.splitlines()) == 30
    assert "sample-" not in told
    assert call.main(tmp_path, "find-1", "answer", "44%") == "find-1 is answered."
    assert (tmp_path / "find-1.txt").read_text() == "44%"
    with pytest.raises(SystemExit, match="no task"):
        call.main(tmp_path, "find-99", "search_markets")
    with pytest.raises(SystemExit, match="no JSON"):
        call.main(tmp_path, "find-1", "search_markets", "{")
