"""When the console is built, and what is said where it can't be."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from augury.console import build


@pytest.fixture
def sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Sources of a console whose build writes one page."""
    folder = tmp_path / "console"
    folder.mkdir()
    (folder / "package-lock.json").write_text("{}")
    (folder / "page.html").write_text("<p>hello</p>")
    monkeypatch.setattr(build, "SOURCES", folder)
    monkeypatch.setattr(build, "WORK", folder / ".build")
    monkeypatch.setattr(build, "STATUS", folder / ".build" / "status.json")
    monkeypatch.setattr(build, "DIST", tmp_path / "dist")
    monkeypatch.setattr(build, "digest", lambda: original(folder))
    return folder


original = build.digest


@pytest.fixture
def commands(sources: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the build ran; in place of Node.js a few lines of Python do what it would."""
    ran: list[str] = []

    def run(command: list[str]) -> None:
        ran.append(command[1])
        if command[1] == "build.mjs":
            out = Path(command[command.index("--out") + 1])
            out.mkdir()
            (out / "index.html").write_text((sources / "page.html").read_text())
            made = {"digest": command[-1], "files": ["index.html"]}
            (out / "manifest.json").write_text(json.dumps(made))

    monkeypatch.setattr(build, "_run", run)
    monkeypatch.setattr(build, "_node", lambda: build._Node("node", ["npm"]))
    return ran


def test_it_is_built_once_and_again_when_the_sources_change(
    sources: Path, commands: list[str]
) -> None:
    build.build()
    assert commands == ["ci", "build.mjs"]
    assert build.status()["state"] == "done"
    build.build()
    assert len(commands) == 2
    (sources / "page.html").write_text("<p>changed</p>")
    build.build()
    assert len(commands) == 4
    assert "changed" in (build.DIST / "index.html").read_text()


def test_packages_that_are_there_are_not_fetched_again(sources: Path, commands: list[str]) -> None:
    installed = sources / "node_modules" / ".package-lock.json"
    installed.parent.mkdir()
    installed.write_text("{}")
    build.build()
    assert commands == ["build.mjs"]
    lock = sources / "package-lock.json"
    lock.write_text("{ }")
    later = installed.stat().st_mtime + 10
    os.utime(lock, (later, later))
    build.build()
    assert commands == ["build.mjs", "ci", "build.mjs"]


@pytest.mark.usefixtures("commands")
def test_a_failure_leaves_what_was_built_and_says_why(
    sources: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    build.build()

    def fail(command: list[str]) -> None:
        raise build.BuildFailed("the bundler failed.")

    monkeypatch.setattr(build, "_run", fail)
    (sources / "page.html").write_text("<p>broken</p>")
    assert build.main() == 1
    assert "the bundler failed" in capsys.readouterr().err
    assert build.status() == {"state": "failed", "detail": "the bundler failed."}
    assert "hello" in (build.DIST / "index.html").read_text()


def test_without_sources_there_is_nothing_to_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build, "SOURCES", tmp_path)
    with pytest.raises(build.BuildFailed, match="can't be built here"):
        build.build()


def test_what_is_no_source_does_not_make_it_stale(sources: Path) -> None:
    before = original(sources)
    for part in (
        "node_modules/x/index.js", "tests/a.ts", ".build/log", ".build-x/a.mjs", "src/schema.ts",
    ):  # fmt: skip
        path = sources / part
        path.parent.mkdir(parents=True)
        path.write_text("x")
    assert original(sources) == before
    (sources / "src" / "main.tsx").write_text("x")
    assert original(sources) != before


@pytest.mark.parametrize(("has_pip", "steps"), [(True, ["pip"]), (False, ["ensurepip", "pip"])])
def test_an_environment_without_pip_gets_it_for_the_wheel_of_node(
    sources: Path, monkeypatch: pytest.MonkeyPatch, has_pip: bool, steps: list[str]
) -> None:
    ran: list[str] = []
    monkeypatch.setattr(build, "_run", lambda command: ran.append(command[2]))
    monkeypatch.setattr(build.shutil, "which", lambda name: None)
    there = {"pip"} if has_pip else set[str]()
    monkeypatch.setattr(
        build.importlib.util, "find_spec", lambda name: object() if name in there else None
    )
    (sources / ".build").mkdir()
    with pytest.raises(build.BuildFailed, match="no prebuilt Node"):
        build._node()
    assert ran == steps
