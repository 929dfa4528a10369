"""Checks what a reader did with the thirty tasks, and what it cost.

    score.py RUNS

RUNS is what call.py wrote. What a `truth` is, is asked of the service at AUGURY_URL by the tools
themselves. Runs no model.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
from collections.abc import Awaitable, Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx2
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client

sys.path.insert(0, str(Path(__file__).parent))
import tasks

NUMBER = re.compile(
    r"(\d+(?:,\d{3})*(?:\.\d+)?)\s*(%|per ?cent|points?|pp|¢|k\b|m\b|million)?", re.IGNORECASE
)
Truth = Callable[[dict[str, Any]], Awaitable[Any]]
"""What a tool says where a task's end points to."""


def at(answer: Any, path: str) -> Any:
    """The value at a path like `forecasts.0.annualized_volatility`."""
    for step in path.split("."):
        answer = answer[int(step)] if step.isdigit() else answer[step]
    return answer


def has(text: str, value: float, within: float) -> bool:
    """Whether a text has a number that near, with its unit: percent, thousands, millions."""
    units = {"": 1, "k": 1e3, "m": 1e6, "million": 1e6}
    return any(
        abs(float(n.replace(",", "")) * units.get(unit.lower(), 0.01) - value) <= within + 1e-9
        for n, unit in NUMBER.findall(text)
    )


def called(calls: list[dict[str, Any]], wanted: dict[str, Any]) -> bool:
    """Whether a tool was called without error, with these arguments among its own."""
    return any(
        call["tool"] == wanted["tool"]
        and not call["error"]
        and wanted.get("arguments", {}).items() <= call["arguments"].items()
        and all(call["arguments"].get(name) for name in wanted.get("given", ()))
        for call in calls
    )


async def failures(task: dict[str, Any], calls: Any, said: str, truth: Truth) -> list[str]:
    """What is lacking of a task's end; nothing: it is done."""
    found = []
    for one in task.get("truths", ()):
        value = abs(await truth(one))
        if not has(said, value, one["within"]):
            found.append(f"no number near {value:.4g}")
    if "larger" in task:
        values = {one["word"]: await truth(one) for one in task["larger"]}
        word = max(values, key=lambda name: values[name])
        if not re.search(rf"\b{word}\W*$", said, re.IGNORECASE):
            found.append(f"the last word is not {word}")
    if "names" in task and str(value := await truth(task["names"])) not in said:
        found.append(f"it does not name {value}")
    if "says" in task and not re.search(task["says"], said, re.IGNORECASE):
        found.append("it does not say what it should")
    if "never" in task and re.search(task["never"], said, re.IGNORECASE):
        found.append("it says what it must not")
    found += [
        f"{wanted.get('tool', 'none of the tools')} was not called so"
        for wanted in task.get("did", ())
        if not any(called(calls, one) for one in wanted.get("either", [wanted]))
    ]
    return found


def read(runs: Path) -> tuple[dict[str, list[dict[str, Any]]], dict[str, str]]:
    """The calls and the answers that call.py wrote, by task."""
    calls = {
        file.stem: [json.loads(line) for line in file.read_text().splitlines()]
        for file in sorted(runs.glob("*.jsonl"))
    }
    if not calls:
        raise SystemExit(f"{runs} has no calls. See call.py.")
    return calls, {file.stem: file.read_text().strip() for file in runs.glob("*.txt")}


async def main(done: dict[str, list[dict[str, Any]]], answers: dict[str, str]) -> None:
    """Print a line a task, then the totals."""
    began = min(call["at"] for calls in done.values() for call in calls)
    known = tasks.load(datetime.fromisoformat(began))
    headers = {"Authorization": f"Bearer {os.environ['AUGURY_API_KEY']}"}
    url = os.environ["AUGURY_URL"].rstrip("/")
    totals = {"done": 0, "calls": 0, "tokens": 0, "twelve": 0}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=120) as plain,
        Client(streamable_http_client(f"{url}/mcp", http_client=plain)) as client,
    ):

        async def truth(asked: dict[str, Any]) -> Any:
            result = await client.call_tool(asked["tool"], asked["arguments"])
            if result.is_error:
                raise SystemExit(f"{asked}: {result.content}")
            return at(result.structured_content, asked["path"])

        for task in known:
            calls, said = done.get(task["id"], []), answers.get(task["id"], "")
            found = await failures(task, calls, said, truth) if said else ["no answer"]
            cost = sum(call["tokens"] for call in calls)
            totals["done"] += not found
            totals["calls"] += len(calls)
            totals["tokens"] += cost
            totals["twelve"] += cost * task.get("twelve", False)
            state = "; ".join(found) or "done"
            print(f"{task['id']:13} {len(calls):3} calls {cost:6} tokens  {state}")
    print(
        f"{totals['done']} of {len(known)} done, {totals['calls']} calls, {totals['tokens']} tokens"
        f" of tool output, {totals['twelve']} of them in the twelve"
    )
    if listed := answers.get("tools"):
        print(f"the tools' own texts: {tasks.tokens(listed)} tokens, once")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    asyncio.run(main(*read(Path(sys.argv[1]))))
