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
from datetime import UTC, datetime, timedelta
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


def settings_in(folder: Path) -> dict[str, str]:
    return os.environ | {
        "AUGURY_DATA_DIR": str(folder / "data"),
        "AUGURY_SYNC": "off",
        "AUGURY_PORT": "0",
        "AUGURY_FORECAST_RATE": "1000/min",
        "AUGURY_ANONYMOUS_SEARCH_BURST": "20",
        "AUGURY_WORK": "here",
    }


@pytest.fixture
def service(tmp_path: Path) -> Iterator[tuple[str, str]]:
    """Address and sign-in link of `augury serve`, on the sample where nothing was imported."""
    needs("node", "npm", "chromium", built=True)
    environment = settings_in(tmp_path)
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


def drive(file: str, service: tuple[str, str]) -> None:
    url, link = service
    chromium = shutil.which("chromium") or ""
    run(
        "node", "--test", f"tests/browser/{file}",
        AUGURY_TEST_URL=url, AUGURY_TEST_LINK=link, AUGURY_TEST_CHROMIUM=chromium,
    )  # fmt: skip


def test_journeys_in_chromium(service: tuple[str, str]) -> None:
    drive("console.test.mjs", service)


@pytest.fixture
def stale_import(tmp_path: Path) -> None:
    """Markets and prices of a venue that were last heard of weeks ago."""
    needs("node", "npm", "chromium", built=True)
    last = datetime.now(UTC) - timedelta(days=40)
    markets = ["id,platform,question,outcomes,prices,status,as_of,closes_at,volume"]
    prices = ["market_id,ts,price"]
    for name, question, price in (
        ("RECESSION", "Will the US enter a recession by the end of 2099?", 0.31),
        ("CUT", "Will the Fed cut rates by the end of 2099?", 0.62),
    ):
        market = f"kalshi:STALE-{name}"
        outcomes, quoted = '"[""Yes"", ""No""]"', f'"[{price}, {1 - price:.2f}]"'
        markets.append(
            f"{market},kalshi,{question},{outcomes},{quoted},active,{last.isoformat()},"
            "2099-12-31T00:00:00Z,120000"
        )
        prices += [
            f"{market},{(last - timedelta(days=days)).isoformat()},{price - days / 500:.3f}"
            for days in range(30)
        ]
    files = [tmp_path / "markets.csv", tmp_path / "prices.csv"]
    for file, lines in zip(files, (markets, prices), strict=True):
        file.write_text("\n".join(lines) + "\n")
    done = subprocess.run(
        [sys.executable, "-m", "augury", "import", *files], env=settings_in(tmp_path),
        capture_output=True, text=True, timeout=PATIENCE,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.usefixtures("stale_import")
def test_a_stale_import_says_so_in_chromium(service: tuple[str, str]) -> None:
    drive("stale.test.mjs", service)
