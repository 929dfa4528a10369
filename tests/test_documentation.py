"""The documentation keeps its promises: every setting is in it, with its default."""

from __future__ import annotations

from pathlib import Path

import pytest

from augury import cli
from augury.handbook.reference import every_command
from augury.settings import Settings

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
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


def test_every_command_has_an_example_and_json() -> None:
    found = every_command()
    assert {name.split()[0] for name in found} == set(cli.COMMANDS)
    told = {n: c.help for n, c in found.items()}
    assert [n for n, h in told.items() if "Example" not in h or f"augury {n}" not in h] == []
    report_nothing = {"serve", "worker", "rvol chart", "mcp", "completion", "man"}
    without = {n for n, c in found.items() if "--json" not in {o for p in c.params for o in p.opts}}
    assert without == report_nothing


@pytest.mark.parametrize("name", cli.COMMANDS)
def test_the_readme_names_every_command(name: str) -> None:
    assert f"\n./augury {name} " in README
