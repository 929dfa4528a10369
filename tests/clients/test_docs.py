"""Every Python example of docs/clients.md runs, in the order of the page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "clients.md").read_text(encoding="utf-8")


def test_the_examples_run(service: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUGURY_URL", service[0])
    monkeypatch.setenv("AUGURY_API_KEY", service[1])
    blocks = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert len(blocks) >= 8
    names: dict[str, object] = {"__name__": "examples"}
    try:
        for block in blocks:
            exec(compile(block, "docs/clients.md", "exec"), names)
    finally:
        names["augury"].close()  # type: ignore[attr-defined]
    assert names["frame"].height > 0  # type: ignore[attr-defined]
