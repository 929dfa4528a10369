"""What lies in `deploy/` is well formed and names what there is; no engine runs it here."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from augury.settings import Settings

ROOT = Path(__file__).parents[1]
DEPLOY = ROOT / "deploy"
YAML = sorted(p for p in DEPLOY.rglob("*") if p.suffix in (".yaml", ".yml"))
TEXTS = [p for p in DEPLOY.rglob("*") if p.is_file()] + [ROOT / "Containerfile"]


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


def test_every_licence_fits() -> None:
    done = subprocess.run(
        [sys.executable, "-P", str(DEPLOY / "licences.py")], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout
