"""What CONTRIBUTING.md, the release checklist and the templates name is there."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.conftest import HEAVY, HERE, WHOLE
from tests.source_code import modules, text_of

import augury
from augury.http import openapi
from augury.relations.causal import knowledge

ROOT = Path(__file__).parents[1]
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
RELEASING = (ROOT / "docs" / "releasing.md").read_text(encoding="utf-8")
FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))
TOP = "src|tests|docs|console|clients|deploy|training|requirements|\\.github"


def test_every_path_that_a_contributor_is_sent_to_exists() -> None:
    for text in (CONTRIBUTING, RELEASING):
        named = re.findall(rf"(?<![\w/.])((?:{TOP})/[\w./-]*\w)", text)
        assert named
        assert [path for path in named if not (ROOT / path).exists()] == []


def test_every_name_of_the_code_that_it_mentions_is_there() -> None:
    words = {word for path in modules() for word in re.findall(r"\w+", text_of(path))}
    named = re.findall(r"`(?:augury\.[\w.]+\.)?([A-Z]\w+|[a-z]+_[a-z_]+)`", CONTRIBUTING)
    elsewhere = ("BODIES", "METRICS", "NAMES", "MAX_QUERY_FACTORS")
    assert [n for n in named if n not in elsewhere and n not in words] == []


@pytest.mark.heavy
def test_the_factor_of_the_example_passes_the_lint() -> None:
    example = next(b for b in re.findall(r"```toml\n(.*?)```", CONTRIBUTING, re.DOTALL))
    texts = {**knowledge.texts(), "example.toml": f'domain = "science"\n{example}'}
    assert [found for found in knowledge.lint(knowledge.parse(texts)) if "lisbon" in found] == []


def test_every_noun_has_an_owner_and_no_owner_owns_nothing() -> None:
    lines = (ROOT / ".github" / "CODEOWNERS").read_text(encoding="utf-8").splitlines()
    rules = [line.split() for line in lines if line and not line.startswith("#")]
    for path, *owners in rules:
        assert owners
        assert all(re.fullmatch(r"@[\w-]+/[\w-]+", owner) for owner in owners)
        assert path == "*" or (ROOT / path.lstrip("/")).exists(), path
    owned = {path.strip("/") for path, *_ in rules}
    nouns = {p.parent.name for p in (ROOT / "src" / "augury").glob("*/__init__.py")}
    assert {noun for noun in nouns if f"src/augury/{noun}" not in owned} == set()


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.stem)
def test_issue_forms_are_complete(path: Path) -> None:
    form = yaml.safe_load(path.read_text(encoding="utf-8"))
    if path.stem == "config":
        return
    assert {"name", "description", "labels", "body"} <= set(form)
    ids = [part["id"] for part in form["body"]]
    assert len(set(ids)) == len(ids)
    for part in form["body"]:
        assert part["type"] in ("textarea", "input", "checkboxes")
        assert part["attributes"]["label"]


def test_one_version() -> None:
    def toml(path: str) -> dict[str, Any]:
        return tomllib.loads((ROOT / path).read_text(encoding="utf-8"))

    def data(path: str) -> dict[str, Any]:
        return json.loads((ROOT / path).read_text(encoding="utf-8"))

    client = ROOT / "clients" / "python" / "src" / "augury_client"
    server = data("deploy/mcp/server.json")
    found = {
        toml("pyproject.toml")["project"]["version"],
        toml("clients/python/pyproject.toml")["project"]["version"],
        *re.findall(r'__version__ = "(.+)"', (client / "__init__.py").read_text("utf-8")),
        *re.findall(r"augury-client/([\d.]+)", (client / "transport.py").read_text("utf-8")),
        data("clients/typescript/package.json")["version"],
        data("console/package.json")["version"],
        server["version"],
        *(package["version"] for package in server["packages"]),
        data("deploy/mcp/bundle/manifest.json")["version"],
    }
    assert found == {augury.__version__}
    assert re.fullmatch(r"\d+\.\d+\.\d+", openapi.PUBLIC_VERSION)


def test_every_file_that_is_never_quick_exists() -> None:
    """A file that was moved would run in `./augury test --quick` again."""
    assert [name for name in WHOLE | HEAVY if not (HERE / name).exists()] == []
