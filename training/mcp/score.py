"""Checks what a reader did with the thirty tasks, and what it cost.

    python training/mcp/score.py TRANSCRIPTS.jsonl URL KEY

A line a task: {"id", "answer", "calls": [{"tool", "arguments", "output", "error"}]}. What a
`truth` is, is asked of the service at URL by the tools themselves. Runs no model.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

import httpx2
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client

TASKS = Path(__file__).with_name("tasks.toml").read_text(encoding="utf-8")
NUMBER = re.compile(r"(\d+(?:\.\d+)?)\s*(%?)")


def at(answer: Any, path: str) -> Any:
    """The value at a path like `forecasts.0.annualized_volatility`."""
    for step in path.split("."):
        answer = answer[int(step)] if step.isdigit() else answer[step]
    return answer


def has(text: str, value: float, within: float) -> bool:
    """Whether a text has a number that near to a share, as it is or in percent."""
    return any(
        abs(float(n) / (100 if percent else 1) - value) <= within + 1e-9
        for n, percent in NUMBER.findall(text)
    )


def failures(task: dict[str, Any], done: dict[str, Any], truth: float | None) -> list[str]:
    """What a transcript lacks of a task's end; nothing: it is done."""
    found = []
    said = done["answer"]
    if truth is not None and not has(said, truth, task["truth"]["within"]):
        found.append(f"the answer has no number near {truth:.4g}")
    if "says" in task and not re.search(task["says"], said, re.IGNORECASE):
        found.append("the answer does not say it")
    if "never" in task and re.search(task["never"], said, re.IGNORECASE):
        found.append("the answer says what it must not")
    if "did" in task:
        wanted = task["did"]
        if not any(
            call["tool"] == wanted["tool"]
            and not call.get("error")
            and wanted["arguments"].items() <= call["arguments"].items()
            for call in done["calls"]
        ):
            found.append(f"{wanted['tool']} was not called so")
    return found


async def main(transcripts: str, url: str, key: str) -> None:
    """Print a line a task, then the totals."""
    tasks = tomllib.loads(TASKS)["task"]
    lines = [json.loads(line) for line in transcripts.splitlines()]
    by_id = {line["id"]: line for line in lines}
    http = httpx2.AsyncClient(headers={"Authorization": f"Bearer {key}"}, timeout=60)
    passed = calls = tokens = 0
    async with Client(streamable_http_client(f"{url}/mcp", http_client=http)) as client:
        for task in tasks:
            done = by_id.get(task["id"], {"answer": "", "calls": []})
            truth = None
            if "truth" in task:
                asked = task["truth"]
                result = await client.call_tool(asked["tool"], asked["arguments"])
                truth = at(result.structured_content, asked["path"])
            found = failures(task, done, truth)
            cost = sum(len(call["output"]) for call in done["calls"]) // 4
            passed, calls, tokens = passed + (not found), calls + len(done["calls"]), tokens + cost
            state = "; ".join(found) or "done"
            print(f"{task['id']:14} {len(done['calls']):3} calls {cost:6} tokens  {state}")
    print(f"{passed} of {len(tasks)} done, {calls} calls, {tokens} tokens of tool output")


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]).read_text(), sys.argv[2].rstrip("/"), sys.argv[3]))
