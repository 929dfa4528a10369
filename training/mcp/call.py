"""Calls one tool of a running service over MCP for a reader, and notes what it cost.

    call.py RUNS tasks                    the tasks, a line each: nothing of how they are checked
    call.py RUNS tools                    what a model is told at the start: the tools
    call.py RUNS TASK TOOL '{"a": 1}'     the tool's text, as a model gets it
    call.py RUNS TASK answer 'TEXT'       the answer for the user; ends the task

RUNS is the reader's folder: TASK.jsonl has a line a call, TASK.txt the answer. The service is at
AUGURY_URL, its key in AUGURY_API_KEY.
"""

from __future__ import annotations

import json
import os
import sys
import time
import urllib.error
import urllib.request
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
import tasks

PROTOCOL = "2025-06-18"
PATIENCE = 300.0


def post(method: str, params: dict[str, Any]) -> dict[str, Any]:
    """The result of one message to /mcp.

    The standard library alone: the official client, which the tests use, takes seconds to load on a
    busy machine, once a call.
    """
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    request = urllib.request.Request(
        os.environ["AUGURY_URL"].rstrip("/") + "/mcp",
        json.dumps(body).encode(),
        {
            "Authorization": f"Bearer {os.environ['AUGURY_API_KEY']}",
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": PROTOCOL,
        },
    )
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            text = answer.read().decode()
    except urllib.error.HTTPError as error:
        raise SystemExit(f"/mcp answered {error.code}: {error.read().decode()}") from None
    except OSError as error:
        raise SystemExit(f"No service answers at {request.full_url}: {error}.") from None
    lines = [line.removeprefix("data:") for line in text.splitlines() if line.startswith("data:")]
    messages = [json.loads(line) for line in lines or [text] if line.strip()]
    said = next(one for one in messages if one.get("id") == 1)
    if "error" in said:
        raise SystemExit(f"/mcp refused: {said['error']}")
    return said["result"]


def listed() -> str:
    """What a model reads at the start: the instructions; each tool's name, text and parameters."""
    about = {"name": "reader", "version": "1"}
    hello = {"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": about}
    parts = [post("initialize", hello)["instructions"]]
    for tool in post("tools/list", {})["tools"]:
        parameters = json.dumps(tool["inputSchema"])
        parts.append(f"{tool['name']}: {tool['description']}\nparameters: {parameters}")
    return "\n\n".join(parts)


def ask(runs: Path, task: str, tool: str, arguments: dict[str, Any]) -> str:
    """A tool's text, which is noted with its cost."""
    started = time.perf_counter()
    result = post("tools/call", {"name": tool, "arguments": arguments})
    seconds = time.perf_counter() - started
    text = "\n".join(block.get("text", "") for block in result["content"])
    note = {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "tool": tool,
        "arguments": arguments,
        "error": bool(result.get("isError")),
        "seconds": round(seconds, 3),
        "tokens": tasks.tokens(text),
        "output": text,
    }
    with (runs / f"{task}.jsonl").open("a") as log:
        log.write(json.dumps(note, ensure_ascii=False) + "\n")
    return text


def main(runs: Path, task: str, tool: str = "", given: str = "{}") -> str:
    """What is printed."""
    runs.mkdir(parents=True, exist_ok=True)
    if task == "tasks":
        known = tasks.load(datetime.now(UTC))
        return "\n".join(f"{one['id']}: {one['ask']}" for one in known)
    if task == "tools":
        text = listed()
        (runs / "tools.txt").write_text(text)
        return text
    if task not in tasks.ids():
        raise SystemExit(f"There is no task {task!r}. See: call.py RUNS tasks")
    if tool == "answer":
        (runs / f"{task}.txt").write_text(given)
        return f"{task} is answered."
    try:
        arguments = json.loads(given)
    except ValueError as error:
        raise SystemExit(f"The arguments are no JSON: {error}.") from None
    return ask(runs, task, tool, arguments)


if __name__ == "__main__":
    if not 3 <= len(sys.argv) <= 5:
        raise SystemExit(__doc__)
    print(main(Path(sys.argv[1]), *sys.argv[2:]))
