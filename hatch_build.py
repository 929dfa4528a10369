"""Builds the console before a wheel or sdist is made of a checkout, so that both hold it, and puts
the pages of the documentation into the wheel.

An sdist carries the built files and not their sources: of it a wheel is made without Node.js.
`AUGURY_CONSOLE=off` leaves the console out.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

OF_THE_README = {"console/journey.webm", "console/search.png"}
"""Pictures under `docs` that no page of the documentation shows."""


class Console(BuildHookInterface):
    """Runs `augury.console.build`, which needs nothing but Python and Node.js."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        root = Path(self.root)
        sources = root / "console" / "package-lock.json"
        if version == "editable":
            return
        if self.target_name == "wheel" and (root / "docs").is_dir():
            for page in (root / "docs").rglob("*"):
                name = page.relative_to(root / "docs")
                if page.is_file() and name.as_posix() not in OF_THE_README:
                    build_data["force_include"][str(page)] = f"augury/handbook/pages/{name}"
        if sources.exists() and os.environ.get("AUGURY_CONSOLE") != "off":
            done = subprocess.run(
                [sys.executable, "-m", "augury.console.build"],
                env={**os.environ, "PYTHONPATH": str(root / "src")},
                cwd=root,
            )
            if done.returncode:
                raise SystemExit("AUGURY_CONSOLE=off makes a package without the console.")
