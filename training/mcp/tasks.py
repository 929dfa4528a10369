"""The thirty tasks with their dates written out, and how an output's cost is counted."""

from __future__ import annotations

import re
import tomllib
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("tasks.toml")
CHARACTERS_A_TOKEN = 3
"""Compact JSON with ids and decimals: tokenizers make one token of about three characters."""


def load(at: datetime) -> list[dict[str, Any]]:
    """The tasks as of `at`, which the sample was loaded at: its dates are relative to that."""
    from augury.markets.samples import dated  # brings numpy, which a call needs not

    at = at.astimezone(UTC)

    def ago(found: re.Match[str]) -> str:
        return f"{at - timedelta(days=int(found[1])):%Y-%m-%dT%H:%M:%SZ}"

    text = re.sub(r"\{ago:(\d+)\}", ago, FILE.read_text(encoding="utf-8"))
    return tomllib.loads(dated(text, at))["task"]


def ids() -> set[str]:
    """The names of the tasks."""
    return {task["id"] for task in tomllib.loads(FILE.read_text(encoding="utf-8"))["task"]}


def tokens(text: str) -> int:
    """What a text costs a model, by a rule that needs no tokenizer."""
    return -(-len(text) // CHARACTERS_A_TOKEN)
