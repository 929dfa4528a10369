"""Augury as a package: wheel and sdist, installed where nothing else is, serving from nowhere."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tarfile
import urllib.request
import zipfile
from pathlib import Path
from typing import Any

import pytest
from tests.pace import PATIENCE

REPOSITORY = Path(__file__).parents[1]
UV = [sys.executable, "-m", "uv", "--quiet", "--no-config"]
MOST_MB = 400
"""Of an installation without extras, bytecode left out; docs/production.md says what takes it."""


def asked(url: str, body: dict[str, Any] | None = None) -> str:
    request = urllib.request.Request(
        url, None if body is None else json.dumps(body).encode(),
        {"Content-Type": "application/json"},
    )  # fmt: skip
    with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
        return answer.read().decode()


@pytest.mark.slow
def test_wheel_and_sdist_serve_from_an_empty_folder(tmp_path: Path) -> None:
    built = tmp_path / "built"
    # The wheel is made of the sdist, as whoever builds from one does.
    subprocess.run([*UV, "build", "--out-dir", built, REPOSITORY], check=True)
    (wheel,), (sdist,) = built.glob("*.whl"), built.glob("*.tar.gz")
    with zipfile.ZipFile(wheel) as file:
        held = set(file.namelist())
    with tarfile.open(sdist) as file:
        given = {name.partition("/")[2] for name in file.getnames()}
    sources = {
        path.relative_to(REPOSITORY / "src").as_posix()
        for path in (REPOSITORY / "src" / "augury").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and "dist.new" not in path.parts
    }
    assert "augury/console/dist/manifest.json" in sources
    assert sources <= held
    assert {f"src/{name}" for name in sources} <= given
    assert {"LICENSE", "NOTICE", "SECURITY.md", "pyproject.toml", "hatch_build.py"} <= given
    assert not any(name.startswith(("tests/", "training/")) for name in given)

    home = tmp_path / "venv"
    subprocess.run([*UV, "venv", "--python", sys.executable, home], check=True)
    python = home / "bin" / "python"
    subprocess.run([*UV, "pip", "install", "--python", python, wheel], check=True)
    installed = next((home / "lib").glob("python*/site-packages"))
    files = [p for p in installed.rglob("*") if p.is_file() and "__pycache__" not in p.parts]
    assert sum(p.stat().st_size for p in files) <= MOST_MB * 1_000_000
    _serves(home / "bin" / "augury", tmp_path)


def _serves(augury: Path, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    environment = {
        "PATH": os.environ["PATH"], "HOME": str(tmp_path), "AUGURY_SYNC": "off",
        "AUGURY_DATA_DIR": str(tmp_path / "data"), "AUGURY_PORT": "0",
    }  # fmt: skip
    with (
        (tmp_path / "log").open("w") as log,
        subprocess.Popen(
            [augury, "serve"], cwd=empty, env=environment, stdout=subprocess.PIPE, stderr=log,
            text=True,
        ) as service,
    ):  # fmt: skip
        try:
            _answers(service)
        finally:
            service.send_signal(signal.SIGTERM)
    assert list(empty.iterdir()) == []
    shutil.rmtree(tmp_path / "data")


def _answers(service: subprocess.Popen[str]) -> None:
    assert service.stdout is not None
    url = service.stdout.readline().split()[3]
    assert json.loads(asked(f"{url}/v1/health"))["status"] in ("ok", "degraded")
    found = json.loads(asked(f"{url}/v1/search", {"query": "Will the Fed cut rates in December?"}))
    assert found["results"]["direct"]
    page = asked(f"{url}/")
    assert "<script" in page
    script = page.partition('src="')[2].partition('"')[0]
    assert len(asked(f"{url}{script}")) > 10_000


def test_the_command_starts_without_what_it_may_not_need() -> None:
    """Importing it takes 70 to 90 ms of a quiet processor; each of these more than that."""
    told = subprocess.run(
        [sys.executable, "-c", "import augury.cli, sys; print(*sys.modules)"],
        check=True, capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY / "src")},
    ).stdout.split()  # fmt: skip
    heavy = {
        "numpy",
        "polars",
        "onnxruntime",
        "fastapi",
        "pydantic",
        "psycopg",
        "ccxt",
        "structlog",
    }
    assert heavy.isdisjoint(told)
