"""The TypeScript client: it says what the OpenAPI document says, its own tests pass, and its
package installs where nothing else is."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.clients.generated import API, CALLS, SCHEMAS, loaded
from tests.clients.generated import generate as python

FOLDER = Path(__file__).parents[2] / "clients" / "typescript"
PACKAGES = FOLDER / "node_modules"
DOCS = FOLDER.parents[1] / "docs" / "clients.md"
EXAMPLE = re.compile(r"^```ts\n(.*?)^```", re.MULTILINE | re.DOTALL)
INTERFACE = re.compile(r"^export interface (\w+) \{\n(.*?)^\}", re.MULTILINE | re.DOTALL)
FIELD = re.compile(r"^  ([\w$]+)(\??): ", re.MULTILINE)
SENT = re.compile(r'method: "(\w+)", address: "([^"]+)"(.*?) \}, options\)')

needs_node = pytest.mark.skipif(
    shutil.which("npm") is None or not (PACKAGES / ".bin" / "tsc").exists(),
    reason="no Node.js, or no packages: npm ci --ignore-scripts --prefix clients/typescript",
)

MADE: dict[str, str] = loaded(FOLDER).made(API)
MODELS = {name: FIELD.findall(body) for name, body in INTERFACE.findall(MADE["models.ts"])}
METHODS = {f"{verb} {path}": sent for verb, path, sent in SENT.findall(MADE["api.ts"])}


@pytest.mark.parametrize("name", SCHEMAS)
def test_every_field_of_a_schema_is_a_field_of_its_interface(name: str) -> None:
    fields = dict(MODELS[name])
    assert set(fields) == set(SCHEMAS[name].get("properties", {}))
    required = set(SCHEMAS[name].get("required", []))
    assert {field for field, mark in fields.items() if not mark} == required


def test_every_operation_is_a_method() -> None:
    assert set(METHODS) == set(CALLS)


@pytest.mark.parametrize("call", CALLS)
def test_a_method_sends_every_parameter_and_field_of_its_operation(call: str) -> None:
    verb, path = call.split(" ")
    asked, _ = python.parameters(API["paths"][path][verb.lower()], API)
    sent = METHODS[call]
    for where, field, *_ in asked:
        assert re.search(rf"\b{where}: [\[{{][^\]}}]*\b{field}\b", sent), f"{field} in {where}"


def _run(command: list[str | Path], folder: Path, **env: str) -> str:
    done = subprocess.run(
        command, cwd=folder, env=os.environ | env, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-4000:]
    return done.stdout


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The client's sources with what is generated, in a folder of their own."""
    folder = tmp_path_factory.mktemp("typescript") / "client"
    left_out = shutil.ignore_patterns("node_modules", ".build", "dist")
    shutil.copytree(FOLDER, folder, ignore=left_out)
    (folder / "node_modules").symlink_to(PACKAGES)
    for name, text in MADE.items():
        (folder / "src" / name).write_text(text)
    return folder


@needs_node
def test_its_own_tests_and_the_documentation_against_a_service(
    sources: Path, service: tuple[str, str]
) -> None:
    examples = "".join(EXAMPLE.findall(DOCS.read_text()))
    (sources / "tests" / "docs.ts").write_text(
        examples.replace('from "augury-client"', 'from "../src/index.js"')
    )
    _run([PACKAGES / ".bin" / "tsc", "-p", "tests"], sources)
    tests = [f".build/tests/{name}.test.js" for name in ("faults", "service")]
    node: list[str | Path] = ["node", "--test", "--test-reporter=tap", *tests]
    url, key = service
    said = _run(node, sources, AUGURY_URL=url, AUGURY_API_KEY=key)
    assert "\n# fail 0\n" in said
    assert "\n# skipped 0\n" in said
    told = _run(["node", ".build/tests/docs.js"], sources, AUGURY_URL=url, AUGURY_API_KEY=key)
    assert "2 of 2\n" in told
    assert "Check the id" in told


@needs_node
def test_its_package_installs_alone(sources: Path, tmp_path: Path) -> None:
    npm = ["npm", "--silent", "--offline", "--no-audit", "--no-fund"]
    told = json.loads(_run([*npm, "pack", "--json", "--pack-destination", tmp_path], sources))[0]
    held = {file["path"] for file in told["files"]}
    modules = {path.stem for path in (sources / "src").glob("*.ts")}
    built = {f"dist/{name}.{kind}" for name in modules for kind in ("js", "d.ts")}
    assert held == built | {"package.json", "README.md"}
    home = tmp_path / "elsewhere"
    home.mkdir()
    (home / "package.json").write_text('{"type": "module", "private": true}')
    _run([*npm, "install", "--ignore-scripts", tmp_path / told["filename"]], home)
    assert [path.name for path in (home / "node_modules").glob("[!.]*")] == ["augury-client"]
    (home / "use.ts").write_text(
        'import { Augury, priceOf, type Progress } from "augury-client";\n'
        'const augury = new Augury({ url: "http://x:1" });\n'
        "export const price = async (): Promise<number | undefined> =>\n"
        '  priceOf((await augury.markets.get("kalshi:A")).market);\n'
        "export const tell: Progress = (done, of) => console.log(done / of);\n"
        "console.log(augury.url);\n"
    )
    strict = ["--strict", "--target", "ES2022", "--module", "NodeNext", "--lib", "ES2023,DOM"]
    _run([PACKAGES / ".bin" / "tsc", *strict, "use.ts"], home)
    assert _run(["node", "use.js"], home) == "http://x:1\n"
    code = "".join(path.read_text() for path in (home / "node_modules").rglob("*.js"))
    assert not re.search(r"""from ["'](?!\./)""", code), "it needs what a browser does not have"
