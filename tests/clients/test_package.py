"""The Python client as a package: wheel and sdist, installed where nothing else is."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "clients" / "python"
SIZE = 8 * 2**20


@pytest.mark.slow
def test_wheel_and_sdist_hold_the_package_and_install_alone(tmp_path: Path) -> None:
    uv = [sys.executable, "-m", "uv", "--quiet", "--no-config"]
    subprocess.run([*uv, "build", "--out-dir", tmp_path, FOLDER], check=True)
    (wheel,), (sdist,) = tmp_path.glob("*.whl"), tmp_path.glob("*.tar.gz")
    modules = {path.name for path in (FOLDER / "src" / "augury_client").glob("*.py")}
    with zipfile.ZipFile(wheel) as file:
        held = {n.removeprefix("augury_client/") for n in file.namelist() if "dist-info" not in n}
    assert held == modules | {"py.typed"}
    with tarfile.open(sdist) as file:
        assert any(name.endswith("/src/augury_client/py.typed") for name in file.getnames())
    home = tmp_path / "venv"
    subprocess.run([*uv, "venv", "--python", sys.executable, home], check=True)
    python = home / "bin" / "python"
    subprocess.run([*uv, "pip", "install", "--python", python, wheel], check=True)
    installed = next((home / "lib").glob("python*/site-packages"))
    size = sum(p.stat().st_size for p in installed.rglob("*") if "__pycache__" not in p.parts)
    assert size <= SIZE, f"{size / 2**20:.1f} MB with dependencies"
    told = subprocess.run(
        [python, "-c", "import augury_client as a; print(a.Augury('http://x:1'))"],
        check=True, capture_output=True, text=True,
    ).stdout  # fmt: skip
    assert told == "Augury('http://x:1')\n"
