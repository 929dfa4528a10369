"""The documentation keeps its promises: every setting is in it, with its default."""

from __future__ import annotations

from pathlib import Path

import pytest

from augury.settings import Settings

ROOT = Path(__file__).parents[1]
CONFIGURATION = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", Settings.model_fields)
def test_every_setting_is_documented_with_its_default(name: str) -> None:
    variable = f"AUGURY_{name.upper()}"
    row = next(line for line in CONFIGURATION.splitlines() if line.startswith(f"| `{variable}` |"))
    default = Settings.model_fields[name].default
    if isinstance(default, str | int | float):
        shown = f"{default:g}" if isinstance(default, float) else str(default)
        assert f"| `{shown}` |" in row
    description = Settings.model_fields[name].description
    assert description is not None
    assert description in row


def test_no_setting_is_documented_that_does_not_exist() -> None:
    documented = {
        line.split("`")[1].removeprefix("AUGURY_").lower()
        for line in CONFIGURATION.splitlines()
        if line.startswith("| `AUGURY_")
    }
    assert documented == set(Settings.model_fields)
