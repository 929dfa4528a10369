"""What Containerfile says, done in a clean root, and containers of it (no engine is needed)."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
NEEDED = "debootstrap", "bwrap", "nsenter", "setpriv"
MOST_MB = 500
"""Of the image; docs/production.md says what takes it."""


@pytest.mark.slow
def test_containers_of_a_clean_root_serve_and_are_replaced() -> None:
    if os.geteuid() or not all(map(shutil.which, NEEDED)):
        pytest.skip(f"needs root and {', '.join(NEEDED)}")
    done = subprocess.run(
        [sys.executable, ROOT / "deploy" / "clean_root.py"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-4000:] or done.stdout
    found = json.loads(done.stdout)
    assert [one["ok"] for one in found["containers"]] == [True, True]
    assert found["image_mb"] <= MOST_MB
