"""The notebooks run on the sample, and each draws a figure that shows something."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import matplotlib as mpl
import pytest
from augury_client import Augury
from tests.handbook import examples
from tests.pace import wait_until

from augury.handbook import notebooks, pages

FOLDER = examples.ROOT / "docs" / pages.NOTEBOOKS
NAMES = sorted(path.stem for path in FOLDER.glob("*.py"))


def test_there_are_six_and_the_page_lists_them() -> None:
    assert len(NAMES) == 6
    page = (examples.ROOT / "docs" / "notebooks.md").read_text(encoding="utf-8")
    assert all(f"(notebooks/{name}.py)" in page for name in NAMES)
    assert set(pages.notebooks()) == {f"notebooks/{name}.ipynb" for name in NAMES}
    assert "(/docs/notebooks/ladder.ipynb)" in pages.written()["notebooks"]


def test_cells_become_a_notebook_of_jupyter() -> None:
    text = "# %% [markdown]\n# # Title\n#\n# Text.\n\n# %%\nx = 1\n\n\n# %%\nprint(x)\n"
    assert list(notebooks.cells(text)) == [
        ("markdown", "# Title\n\nText."), ("code", "x = 1"), ("code", "print(x)"),
    ]  # fmt: skip
    made = json.loads(notebooks.ipynb(text))
    assert (made["nbformat"], made["nbformat_minor"]) == (4, 5)
    assert [cell["cell_type"] for cell in made["cells"]] == ["markdown", "code", "code"]
    assert made["cells"][1]["outputs"] == []
    for name in NAMES:
        script = (FOLDER / f"{name}.py").read_text(encoding="utf-8")
        code = "\n\n".join(body for kind, body in notebooks.cells(script) if kind == "code")
        compile(code, name, "exec")


@pytest.mark.parametrize("name", NAMES)
def test_it_runs_and_draws(
    name: str,
    service: tuple[str, str, Path],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    mpl.use("agg")
    from matplotlib import pyplot

    monkeypatch.setenv("AUGURY_URL", service[0])
    monkeypatch.setenv("AUGURY_API_KEY", service[1])
    monkeypatch.chdir(tmp_path)
    if name == "volatility":
        _wait_for_the_past(*service[:2])
    pyplot.close("all")
    text = (FOLDER / f"{name}.py").read_text(encoding="utf-8")
    names: dict[str, Any] = {"__name__": name}
    try:
        exec(compile(text, name, "exec"), names)
        figure = names["fig"]
        drawn = [a for axes in figure.axes for a in (*axes.lines, *axes.patches, *axes.collections)]
        assert drawn
        assert all(axes.get_xlabel() or axes.get_ylabel() for axes in figure.axes)
        figure.savefig(tmp_path / f"{name}.png", dpi=80)
        assert (tmp_path / f"{name}.png").stat().st_size > 5_000
    finally:
        pyplot.close("all")
        if (client := names.get("augury")) is not None:
            client.close()


def _wait_for_the_past(url: str, key: str) -> None:
    """Wait until the new service has issued the volatility forecasts of past days."""
    with Augury(url=url, api_key=key) as augury:
        history = partial(augury.rvol.history, asset="BTC", horizon="7d")
        wait_until(lambda: len(history().first()) > 8, "they are issued", every=0.5)
