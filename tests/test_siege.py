"""A service besieged for a minute or two: nothing is kept, nothing fails (see siege)."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

CLASSES = ("slow heads", "slow bodies", "never reading", "idle", "half open", "decompression")


@pytest.mark.slow
def test_a_besieged_service_keeps_nothing_and_answers_others() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.siege", "--scale", "0.1", *CLASSES],
        capture_output=True,
        text=True,
    )
    assert done.stdout, done.stderr[-2000:]
    found = json.loads(done.stdout)
    assert [name for name in CLASSES if not found[name]["held"]] == []
    assert found["left_with"] == 0
