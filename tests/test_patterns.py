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

SLOW = 0.020
"""Seconds of processor time, at the length limit of what the pattern reads: twice the budget of
`patterns.py`, which prints what is above it. One run of a pattern differs from the next by half."""


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
        if milliseconds > 1000 * busy * SLOW
    ]
    assert slow == []
