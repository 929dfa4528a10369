"""Compose, Kubernetes, Prometheus, Grafana: what can be checked of their files where none of them
runs. The distribution's promtool and docker-compose look too, where they are installed."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from prometheus_client import REGISTRY
from prometheus_client.metrics import MetricWrapperBase

import augury.serving  # noqa: F401  (every metric is made)
from augury.settings import Settings

DEPLOY = Path(__file__).parents[1] / "deploy"
COMPOSE = DEPLOY / "compose"
_METRIC = re.compile(r"\b(augury_[a-z_]+|up)\b(?:\{([^}]*)\})?")
_SUFFIXES = {"counter": ("_total",), "histogram": ("_bucket", "_count", "_sum"), "gauge": ("",)}


def exported() -> dict[str, set[str]]:
    """Names of the series that /metrics has, and the labels of each."""
    found = {"up": {"job", "instance"}}
    for metric in set(REGISTRY._collector_to_names):
        if isinstance(metric, MetricWrapperBase):
            for suffix in _SUFFIXES[str(metric._type)]:
                labels = set(metric._labelnames) | ({"le"} if suffix == "_bucket" else set())
                found[metric._name + suffix] = labels
    return found


def queries() -> list[str]:
    rules = yaml.safe_load((COMPOSE / "rules.yml").read_text())
    panels = json.loads((COMPOSE / "dashboard.json").read_text())["panels"]
    return [rule["expr"] for group in rules["groups"] for rule in group["rules"]] + [
        target["expr"] for panel in panels for target in panel["targets"]
    ]


@pytest.mark.parametrize("query", queries())
def test_every_query_reads_what_metrics_exports(query: str) -> None:
    there = exported()
    found = _METRIC.findall(query)
    assert found, query
    used: set[str] = set()
    for name, selected in found:
        assert name in there, query
        used |= there[name]
        for label in re.findall(r"(\w+)\s*[!=]", selected):
            assert label in there[name], (query, label)
    for grouped in re.findall(r"\bby\s*\(([^)]*)\)", query):
        assert {label.strip() for label in grouped.split(",")} <= used, query


def test_the_dashboard_s_panels_lie_beside_each_other_and_read_the_source_there_is() -> None:
    board = json.loads((COMPOSE / "dashboard.json").read_text())
    source = yaml.safe_load((COMPOSE / "grafana-source.yml").read_text())["datasources"][0]
    taken: set[tuple[int, int]] = set()
    for panel in board["panels"]:
        assert panel["datasource"] == {"type": source["type"], "uid": source["uid"]}
        at = panel["gridPos"]
        cells = {
            (x, y)
            for x in range(at["x"], at["x"] + at["w"])
            for y in range(at["y"], at["y"] + at["h"])
        }
        assert at["x"] + at["w"] <= 24
        assert not cells & taken
        taken |= cells
    ids = [panel["id"] for panel in board["panels"]]
    assert len(set(ids)) == len(ids)


def test_prometheus_asks_services_that_there_are_at_their_ports() -> None:
    jobs = yaml.safe_load((COMPOSE / "prometheus.yml").read_text())["scrape_configs"]
    services = compose()["services"]
    ports = {
        "service": Settings.model_fields["port"].default,
        "worker": int(services["worker"]["environment"]["AUGURY_WORKER_METRICS_PORT"]),
    }
    asked = [target for job in jobs for c in job["static_configs"] for target in c["targets"]]
    assert sorted(asked) == [f"{name}:{port}" for name, port in sorted(ports.items())]


@pytest.mark.skipif(shutil.which("promtool") is None, reason="promtool is not installed")
def test_promtool_reads_the_rules_and_their_alerts_fire_when_they_should() -> None:
    for command in (["check", "rules", "rules.yml"], ["test", "rules", "rules.test.yml"],
                    ["check", "config", "--syntax-only", "prometheus.yml"]):  # fmt: skip
        done = subprocess.run(["promtool", *command], cwd=COMPOSE, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr


def compose() -> dict[str, Any]:
    return yaml.safe_load((COMPOSE / "compose.yaml").read_text())


def _names(given: Any) -> set[str]:
    return set(given or ())


def test_what_compose_names_is_there() -> None:
    whole = compose()
    text = (COMPOSE / "compose.yaml").read_text()
    assert not re.search(r"\$\{[A-Z_]*(PASSWORD|KEY):-", text), "a secret has a default"
    for name, service in whole["services"].items():
        assert _names(service["networks"]) <= _names(whole["networks"]), name
        assert _names(service.get("depends_on")) <= _names(whole["services"]), name
        image, _, version = service["image"].rpartition(":")
        assert image == "augury" or re.search(r"\d", version), f"{name}: any version"
        assert not service.get("privileged")
        for port in service.get("ports", ()):
            assert port.startswith("127.0.0.1:"), f"{name} is open to the network"
        for volume in service.get("volumes", ()):
            source = volume.partition(":")[0]
            if source.startswith("."):
                assert (COMPOSE / source).exists(), source
            elif not source.startswith("$"):
                assert source in whole["volumes"], source
        for other, condition in (service.get("depends_on") or {}).items():
            if condition["condition"] == "service_healthy":
                assert "healthcheck" in whole["services"][other]
    # The databases and their guard are reached from inside alone.
    assert whole["networks"]["inside"] == {"internal": True}
    for name in ("postgres", "qdrant", "prometheus"):
        assert whole["services"][name]["networks"] == ["inside"]
        assert "ports" not in whole["services"][name]


def test_service_and_worker_of_compose_share_their_settings() -> None:
    services = compose()["services"]
    service, worker = (services[name]["environment"] for name in ("service", "worker"))
    own = {"AUGURY_WORKER_METRICS_HOST", "AUGURY_WORKER_METRICS_PORT"}
    assert {k: v for k, v in worker.items() if k not in own} == service


@pytest.mark.skipif(shutil.which("docker-compose") is None, reason="docker-compose is missing")
def test_docker_compose_reads_the_file(tmp_path: Path) -> None:
    """Debian's is of 2021: it knows neither a project's name nor a limit of processes."""
    text = (COMPOSE / "compose.yaml").read_text()
    shutil.copytree(COMPOSE, tmp_path / "compose")
    file = tmp_path / "compose" / "compose.yaml"
    file.write_text(text.replace("\nname: augury\n", "\n").replace(", pids: 512", ""))
    secrets = set(re.findall(r"\$\{([A-Z_]+):\?\}", text))
    done = subprocess.run(
        ["docker-compose", "-f", file, "config", "--quiet"],
        env=os.environ | dict.fromkeys(secrets, "x"), capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    done = subprocess.run(
        ["docker-compose", "-f", file, "config", "--quiet"], capture_output=True, text=True
    )
    assert done.returncode, "it starts without its secrets"


def manifests() -> list[dict[str, Any]]:
    return list(yaml.safe_load_all((DEPLOY / "kubernetes" / "augury.yaml").read_text()))


def test_what_the_manifests_name_is_there() -> None:
    by_kind: dict[str, dict[str, Any]] = {}
    for one in manifests():
        by_kind.setdefault(one["kind"], {})[one["metadata"]["name"]] = one
        assert one["kind"] == "Namespace" or one["metadata"]["namespace"] == "augury"
    (level,) = by_kind["Namespace"]["augury"]["metadata"]["labels"].values()
    assert level == "restricted"
    pods = {n: d["spec"]["template"] for n, d in by_kind["Deployment"].items()}
    for name, deployment in by_kind["Deployment"].items():
        labels = pods[name]["metadata"]["labels"]
        assert deployment["spec"]["selector"]["matchLabels"] == labels
        pod = pods[name]["spec"]
        volumes = {volume["name"] for volume in pod["volumes"]}
        for container in pod["containers"]:
            ports = {port["name"] for port in container.get("ports", ())}
            for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
                for how in ("httpGet", "tcpSocket"):
                    if how in container.get(probe, {}):
                        assert container[probe][how]["port"] in ports, (name, probe)
            assert {mount["name"] for mount in container["volumeMounts"]} == volumes
            assert {"cpu", "memory"} <= set(container["resources"]["requests"])
            for source in container["envFrom"]:
                if "configMapRef" in source:
                    assert source["configMapRef"]["name"] in by_kind["ConfigMap"]
    (service,), (budget,) = by_kind["Service"].values(), by_kind["PodDisruptionBudget"].values()
    labels = pods["service"]["metadata"]["labels"]
    assert service["spec"]["selector"] == labels
    assert budget["spec"]["selector"]["matchLabels"] == labels
    assert budget["spec"]["minAvailable"] < by_kind["Deployment"]["service"]["spec"]["replicas"]
    (ingress,) = by_kind["Ingress"].values()
    (rule,) = ingress["spec"]["rules"]
    (path,) = rule["http"]["paths"]
    behind = path["backend"]["service"]
    assert (behind["name"], behind["port"]["name"]) == (
        service["metadata"]["name"],
        service["spec"]["ports"][0]["name"],
    )
    assert rule["host"] in ingress["spec"]["tls"][0]["hosts"]
    hosts = by_kind["ConfigMap"]["augury"]["data"]["AUGURY_ALLOWED_HOSTS"].split(",")
    assert rule["host"] in hosts
