"""The console in a real Chromium over a real service (console/tests), and its own checks.

They need Node.js, the packages of console/ with those for development (`npm ci`), a build, and
Chromium; `.ci/run` has all of them. Elsewhere these tests say what is missing and skip.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from augury.app import create_app
from augury.console import build
from augury.console.assets import DIST, MANIFEST
from augury.http import openapi
from augury.settings import Settings

CONSOLE = Path(__file__).parents[2] / "console"
PACKAGES = CONSOLE / "node_modules"
PATIENCE = 900

pytestmark = pytest.mark.whole


def needs(*commands: str, built: bool = False) -> None:
    missing = [command for command in commands if shutil.which(command) is None]
    if missing:
        pytest.skip(f"{', '.join(missing)}: not on this machine")
    if not (PACKAGES / "playwright-core").exists():
        pytest.skip("the packages of console/ are not installed: npm ci --prefix console")
    if built and not build.is_fresh():
        pytest.skip("the console is not built: python -m augury.console.build")


def run(*command: str, **more: str) -> None:
    done = subprocess.run(
        command, cwd=CONSOLE, env=os.environ | more, capture_output=True, text=True,
        timeout=PATIENCE,
    )  # fmt: skip
    assert done.returncode == 0, (done.stdout + done.stderr)[-6000:]


def test_types_follow_the_openapi_document(settings: Settings) -> None:
    needs("node", "npm")
    document = openapi.document(create_app(settings), "all")
    build.WORK.mkdir(exist_ok=True)
    (build.WORK / "openapi.json").write_text(json.dumps(document))
    run("npm", "run", "--silent", "types")
    run("npm", "run", "--silent", "check")


def test_the_parts_by_themselves() -> None:
    needs("node", "npm")
    run("npm", "run", "--silent", "test")


def test_pages_stay_small() -> None:
    needs("node", built=True)
    made = json.loads((DIST / MANIFEST).read_text())
    sizes = {name: size["gzip"] for name, size in made["sizes"].items() if name.endswith(".js")}
    assert sum(sizes[name] for name in made["first"]) <= 150_000
    assert sum(sizes.values()) <= 600_000


@pytest.fixture
def service(tmp_path: Path) -> Iterator[tuple[str, str]]:
    """Address and sign-in link of `augury serve` on the sample."""
    needs("node", "npm", "chromium", built=True)
    environment = os.environ | {
        "AUGURY_DATA_DIR": str(tmp_path / "data"),
        "AUGURY_SYNC": "off",
        "AUGURY_PORT": "0",
        "AUGURY_FORECAST_RATE": "1000/min",
        "AUGURY_ANONYMOUS_SEARCH_BURST": "20",
        "AUGURY_WORK": "here",
    }
    with (
        (tmp_path / "log").open("wb") as log,
        subprocess.Popen(
            [sys.executable, "-m", "augury", "serve"], env=environment, stdout=subprocess.PIPE,
            stderr=log, text=True,
        ) as process,
    ):  # fmt: skip
        try:
            assert process.stdout is not None
            for line in process.stdout:
                if found := re.search(r"Console: (http://\S+)/sign-in#(\S+)", line):
                    break
            else:
                raise AssertionError((tmp_path / "log").read_text()[-3000:])
            yield found[1], found[2]
        finally:
            process.terminate()
            process.wait(120)


def test_journeys_in_chromium(service: tuple[str, str]) -> None:
    url, link = service
    chromium = shutil.which("chromium") or ""
    run(
        "npm", "run", "--silent", "test:browser",
        AUGURY_TEST_URL=url, AUGURY_TEST_LINK=link, AUGURY_TEST_CHROMIUM=chromium,
    )  # fmt: skip
