"""Every command and request of the documentation is run against a service on the sample."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from tests.handbook import examples
from tests.processes import environment

PAGES = {page.name: page for page in examples.pages()}


def with_language(*languages: str) -> list[str]:
    return [n for n, p in PAGES.items() if any(examples.run_on(p, lang) for lang in languages)]


def test_what_is_run_is_said() -> None:
    """A block is run, read, or says why it is not; none escapes by having no language."""
    for page in PAGES.values():
        assert "\n  ```" not in page.read_text(encoding="utf-8"), f"{page.name}: blocks in lists"
        for example in examples.of(page):
            if example.language in examples.RUN | examples.READ or example.reason:
                continue
            assert example.language in examples.SHOWN | {""}, example
            assert not examples.COMMAND.search(example.text), f"{example}: sh, or say why not"


@pytest.mark.parametrize("name", with_language("sh"))
def test_commands_run(name: str, service: tuple[str, str, Path], tmp_path: Path) -> None:
    if (curl := shutil.which("curl")) is None:
        pytest.skip("no curl on this machine")
    url, key, data = service
    tools = tmp_path / "bin"
    tools.mkdir()
    for path, line in {
        tools / "augury": f"{sys.executable} -P -m augury",
        tools / "curl": f"{curl} --fail-with-body",
        tmp_path / "augury": f"{sys.executable} -P -m augury",
    }.items():
        path.write_text(f'#!/bin/sh\nexec {line} "$@"\n')
        path.chmod(0o755)
    script = examples.run_on(PAGES[name], "sh").replace("aug_...", key)
    for address in ("http://127.0.0.1:8000", "http://localhost:8000", "localhost:8000"):
        script = script.replace(address, url)
    source = str(examples.ROOT / "src")
    done = subprocess.run(
        ["bash", "-eu", "-o", "pipefail", "-c", script],
        cwd=tmp_path, capture_output=True, text=True, timeout=1200,
        env=environment(data) | {
            "PATH": f"{tools}:{os.environ['PATH']}", "PYTHONPATH": source, "COLUMNS": "120",
            "TMPDIR": str(tmp_path),
        },
    )  # fmt: skip
    assert done.returncode == 0, f"{done.stdout[-3000:]}\n{done.stderr[-3000:]}"


@pytest.mark.parametrize("name", with_language("python"))
def test_python_runs(
    name: str, service: tuple[str, str, Path], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("AUGURY_URL", service[0])
    monkeypatch.setenv("AUGURY_API_KEY", service[1])
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "examples"}
    try:
        for example in examples.of(PAGES[name]):
            if example.language == "python" and example.reason is None:
                text = example.text.replace("aug_...", service[1])
                text = text.replace("http://127.0.0.1:8000", service[0])
                exec(compile("\n" * example.line + text, name, "exec"), names)
    finally:
        if (client := names.get("augury")) is not None:
            client.close()  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", with_language("json", "toml"))
def test_documents_are_read(name: str) -> None:
    for example in examples.of(PAGES[name]):
        if example.language == "toml":
            tomllib.loads(example.text)
        if example.language == "json":
            decoder, rest = json.JSONDecoder(), example.text.strip()
            while rest:
                _, end = decoder.raw_decode(rest)
                rest = rest[end:].lstrip()
