"""No regular expression of Augury takes long for a text made against it.

`patterns.py` finds the patterns by itself, in a process where nothing of Augury is imported yet.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SLOW = 0.010
"""Seconds of processor time, at the length limit of what the pattern reads."""
OPEN = (
    r"(?P<who>(?-i:(?!.{0,90}",  # forecast.framing
    r"\bspends?\s+(?P<when>",  # forecast.levels
    r"\b(?:at\s+|by\s+|the\s+|through\s+|until\s+)*end",  # forecast.match
    r"(?<=\w)(?P<rest>[^?]*?)\s+by\s+",  # forecast.normalise
    r"\b((?:high|low|temperature)\b[^?]*?)",
    r"\b(?:be\s+(?:handed|awarded|given",
    r"\b(?:in\s+)?one\s+of\s+(?:the\s+)?(.{0,40}?)",
    r"\b(?:nod|ticket|slot)\b(?=.*",
    r"\b(\d{1,3}(?:,\d{3})*(?:\.\d+)?)\s+(?!",
    r"(?P<aux>Will)\s+(?P<rest>.+?)",  # forecast.properties: reads our own catalogue's titles
    r"\b(?:still\s+be|remain(?:s)?|stay",  # relations.proposition
    r"(?:\s*\(.*\)\s*|\s+-\s.*|:\s.*",
    r"[\s\x1f?.°%]*(?:[a-z ]{0,24})",
)
"""Beginnings of patterns that take longer, 11 to 98 ms at their limit, and are to be mended."""
OPEN_SLOW = 0.100


@pytest.fixture(scope="module")
def report() -> dict[str, object]:
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("patterns.py"))],
        capture_output=True, text=True, timeout=600,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)


def test_every_pattern_is_tried(report: dict[str, int]) -> None:
    assert report["patterns"] > 500
    assert report["texts"] > 50 * report["patterns"]


def test_no_text_takes_long(report: dict[str, list[tuple[str, float, str, str]]]) -> None:
    # Neighbours on the same processor cost time that is counted as ours.
    busy = min(4.0, max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1)))
    slow = [
        f"{module}: {milliseconds} ms for {pattern!r} on {text[:60]!r}..."
        for module, milliseconds, pattern, text in report["slow"]
        if milliseconds > 1000 * busy * (OPEN_SLOW if pattern.startswith(OPEN) else SLOW)
    ]
    assert slow == []
