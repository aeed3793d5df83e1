"""deploy/ by parsing: what each file says, and that the files agree with each other and with the program."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from starlette.testclient import TestClient

from api.app import create_app
from evaluation.db import Database
from evaluation.migrate import upgrade
from evaluation.settings import Settings
from tests.support.metrics import stored_names
from tests.support.needed import need

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
PROMETHEUS = DEPLOY / "prometheus"
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
MANIFESTS = [
    document
    for path in sorted((DEPLOY / "kubernetes").glob("*.yaml"))
    for document in yaml.safe_load_all(path.read_text())
]
NAME = re.compile(r"\b(spidervet[_:][a-z0-9_:]*[a-z0-9])\b")


def of_kind(kind: str) -> list[dict[str, Any]]:
    return [m for m in MANIFESTS if m["kind"] == kind]


def pods() -> list[tuple[str, dict[str, Any]]]:
    return [
        (f"{m['kind']}/{m['metadata']['name']}", m["spec"]["template"]["spec"])
        for kind in ("Deployment", "StatefulSet", "Job")
        for m in of_kind(kind)
    ]


def settings_named() -> set[str]:
    return {f"SPIDERVET_{name.upper()}" for name in Settings.model_fields} | {"SPIDERVET_SECRETS_DIR"}


def test_compose_has_the_whole_service() -> None:
    wanted = {"api", "worker", "redis", "postgres", "migrate", "prometheus", "grafana"}
    assert wanted <= set(SERVICES)


@pytest.mark.parametrize("name", SERVICES)
def test_a_container_is_hardened(name: str) -> None:
    service = SERVICES[name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["user"].split(":")[0] not in ("0", "root")
    assert "privileged" not in service


@pytest.mark.parametrize("name", [n for n, s in SERVICES.items() if s["restart"] != "no"])
def test_what_keeps_running_has_a_health_check(name: str) -> None:
    assert SERVICES[name]["healthcheck"]["test"][0] in ("CMD", "CMD-SHELL")


def test_ports_are_bound_to_loopback() -> None:
    ports = [p for s in SERVICES.values() for p in s.get("ports", [])]
    assert len(ports) == 2
    assert all(p.startswith("127.0.0.1:") for p in ports)


def test_no_secret_stands_in_compose() -> None:
    for name, service in SERVICES.items():
        for key, value in service.get("environment", {}).items():
            if re.search("PASSWORD|TOKEN|KEY|URL", key):
                assert key.endswith("FILE"), f"{name}: {key}"
                assert str(value).startswith("/secrets/")


def test_mounts_and_dependencies_exist() -> None:
    for name, service in SERVICES.items():
        for mount in service.get("volumes", []):
            source = mount.split(":")[0]
            if source.startswith("./"):
                assert (ROOT / source).exists(), f"{name}: {source}"
            else:
                assert source in COMPOSE["volumes"], f"{name}: {source}"
        for needed, how in service.get("depends_on", {}).items():
            if how["condition"] == "service_healthy":
                assert "healthcheck" in SERVICES[needed]
            else:
                assert SERVICES[needed]["restart"] == "no", f"{name} waits for {needed} to end"


def test_secrets_are_written_by_one_and_read_only_for_the_others() -> None:
    for name, service in SERVICES.items():
        for mount in service.get("volumes", []):
            source, _, target = mount.partition(":")
            if source.startswith("secrets-"):
                writers = {"secrets-admin": "migrate", "secrets-prometheus": "migrate"}
                assert target.endswith(":ro") != (name == writers.get(source, "secrets")), f"{name}: {mount}"


def test_redis_keeps_what_it_is_told_and_refuses_rather_than_forgets() -> None:
    lines = (DEPLOY / "redis.conf").read_text().splitlines()
    assert {"appendonly yes", "maxmemory-policy noeviction"} <= set(lines)


def test_every_setting_named_in_deploy_exists() -> None:
    named = set()
    for path in [ROOT / "docker-compose.yml", *DEPLOY.rglob("*")]:
        if path.is_file():
            named |= set(re.findall(r"SPIDERVET_[A-Z_]+", path.read_text()))
    assert named - settings_named() - {"SPIDERVET_TAG"} == set()


def test_the_image_is_built_in_two_stages_and_runs_as_nobody() -> None:
    text = (DEPLOY / "Dockerfile").read_text()
    stages = re.split(r"^FROM ", text, flags=re.MULTILINE)[1:]
    assert len(stages) == 2
    last = stages[1]
    assert "USER 10001:10001" in last
    assert "g++" not in last
    assert 'ENTRYPOINT ["spidervet"]' in last
    assert "--require-hashes" in stages[0]
    ignored = (ROOT / ".dockerignore").read_text().splitlines()
    for source in re.findall(r"^COPY (?!--)(.+) \S+$", text, re.MULTILINE):
        for name in source.split():
            assert (ROOT / name).exists(), name
            assert f"!{name}" in ignored, f".dockerignore keeps {name} out"


def test_what_runs_in_the_image_is_pinned_as_what_is_tested() -> None:
    def pins(name: str) -> set[str]:
        return set(re.findall(r"^([a-z0-9._-]+==\S+)", (ROOT / name).read_text(), re.MULTILINE))

    runtime, everything = pins("requirements-runtime.lock"), pins("requirements.lock")
    assert runtime < everything
    text = (ROOT / "pyproject.toml").read_text()
    wanted = re.findall(
        r'^  "([a-zA-Z0-9_-]+)[^"]*",$', text.split("dependencies = [")[1].split("]\n")[0], re.M
    )
    assert len(wanted) > 15
    assert set(wanted) <= {p.partition("==")[0] for p in runtime}


@pytest.mark.parametrize(("name", "pod"), pods())
def test_a_pod_is_restricted(name: str, pod: dict[str, Any]) -> None:
    assert pod["automountServiceAccountToken"] is False
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    for container in pod["containers"]:
        context = container["securityContext"]
        assert context["readOnlyRootFilesystem"] is True
        assert context["allowPrivilegeEscalation"] is False
        assert context["capabilities"] == {"drop": ["ALL"]}
        assert {"cpu", "memory"} <= set(container["resources"]["requests"])
        assert "memory" in container["resources"]["limits"]


def test_selectors_find_their_pods() -> None:
    labels = [
        m["spec"]["template"]["metadata"]["labels"] for k in ("Deployment", "StatefulSet") for m in of_kind(k)
    ]
    wanted = [m["spec"]["selector"] for m in of_kind("Service")]
    wanted += [m["spec"]["podSelector"]["matchLabels"] for m in of_kind("NetworkPolicy")]
    wanted += [
        m["spec"]["selector"]["matchLabels"] for k in ("Deployment", "StatefulSet") for m in of_kind(k)
    ]
    assert len(wanted) >= 7
    for selector in wanted:
        assert any(selector.items() <= found.items() for found in labels), selector


def test_kustomization_lists_every_manifest() -> None:
    (kustomization,) = of_kind("Kustomization")
    files = {p.name for p in (DEPLOY / "kubernetes").glob("*.yaml")}
    assert set(kustomization["resources"]) == files - {"kustomization.yaml", "secret.example.yaml"}


def test_workers_scale_on_the_depth_of_the_queue() -> None:
    (scaler,) = of_kind("ScaledObject")
    target = scaler["spec"]["scaleTargetRef"]["name"]
    assert target in [m["metadata"]["name"] for m in of_kind("Deployment")]
    (trigger,) = scaler["spec"]["triggers"]
    assert "spidervet_queue_chunks" in trigger["metadata"]["query"]
    (config,) = of_kind("ConfigMap")
    assert int(trigger["metadata"]["threshold"]) == 2 * int(config["data"]["SPIDERVET_WORKERS"])
    worker = next(m for m in of_kind("Deployment") if m["metadata"]["name"] == target)
    assert "replicas" not in worker["spec"], "the scaler's business"


def test_secrets_in_kubernetes_are_the_settings_files() -> None:
    (secret,) = of_kind("Secret")
    files = {k for k in secret["stringData"] if k.startswith("spidervet_")}
    assert {f.upper() for f in files} <= settings_named()


def promtool(*arguments: str) -> None:
    done = subprocess.run([need("promtool"), *arguments], cwd=PROMETHEUS, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_rules_do_what_their_tests_say() -> None:
    promtool("check", "rules", "recording.yml", "alerts.yml")
    promtool("test", "rules", "tests.yml")
    promtool("check", "config", "--syntax-only", "prometheus.yml")


def alerts() -> list[dict[str, Any]]:
    groups = yaml.safe_load((PROMETHEUS / "alerts.yml").read_text())["groups"]
    return [rule for group in groups for rule in group["rules"]]


def test_every_alert_is_tested_and_says_what_to_do() -> None:
    tested = set(re.findall(r"alertname: (\w+)", (PROMETHEUS / "tests.yml").read_text()))
    assert tested == {a["alert"] for a in alerts()}
    assert all(a["annotations"]["action"] and a["labels"]["severity"] in ("page", "ticket") for a in alerts())


@pytest.fixture(scope="module")
def known_names(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """Metrics of the program and records of the rules."""
    settings = Settings(data=tmp_path_factory.mktemp("deploy"))
    db = Database.from_settings(settings)
    upgrade(db)
    db.dispose()
    with TestClient(create_app(settings)) as client:
        names = stored_names(client)
    groups = yaml.safe_load((PROMETHEUS / "recording.yml").read_text())["groups"]
    return names | {rule["record"] for group in groups for rule in group["rules"]}


def test_rules_and_scaler_ask_for_metrics_that_exist(known_names: set[str]) -> None:
    for path in [PROMETHEUS / "alerts.yml", PROMETHEUS / "recording.yml"]:
        rules = [r for g in yaml.safe_load(path.read_text())["groups"] for r in g["rules"]]
        used = {name for rule in rules for name in NAME.findall(rule["expr"])}
        assert len(used) > 5
        assert used <= known_names
    (scaler,) = of_kind("ScaledObject")
    assert set(NAME.findall(scaler["spec"]["triggers"][0]["metadata"]["query"])) <= known_names


def dashboard() -> dict[str, Any]:
    return dict(json.loads((DEPLOY / "grafana" / "dashboards" / "spidervet.json").read_text()))


def test_the_dashboard_asks_for_metrics_that_exist(known_names: set[str]) -> None:
    used = set()
    for panel in dashboard()["panels"]:
        for target in panel.get("targets", []):
            found = NAME.findall(target["expr"])
            assert found, f"{panel['title']} asks for nothing of ours"
            used |= set(found)
    assert used <= known_names
    assert len(used) > 15


def test_the_dashboard_is_laid_out_without_overlaps() -> None:
    panels = dashboard()["panels"]
    assert len({p["id"] for p in panels}) == len(panels)
    cells: set[tuple[int, int]] = set()
    for panel in panels:
        at = panel["gridPos"]
        area = {(x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])}
        assert at["x"] + at["w"] <= 24
        assert not area & cells, panel["title"]
        cells |= area


def test_the_dashboards_queries_parse(tmp_path: Path) -> None:
    """As rules, since promtool checks those; Grafana's own variable stands for a span."""
    rules = [
        {"record": f"panel:{i}", "expr": target["expr"].replace("$__interval", "1m")}
        for i, target in enumerate(t for p in dashboard()["panels"] for t in p.get("targets", []))
    ]
    file = tmp_path / "panels.yml"
    file.write_text(yaml.safe_dump({"groups": [{"name": "panels", "rules": rules}]}))
    promtool("check", "rules", str(file))


def test_grafana_is_provisioned_with_the_dashboards_source() -> None:
    folder = DEPLOY / "grafana" / "provisioning"
    (source,) = yaml.safe_load((folder / "datasources" / "prometheus.yml").read_text())["datasources"]
    assert source["url"] == "http://prometheus:9090"
    for panel in dashboard()["panels"]:
        if panel["type"] != "row":
            assert panel["datasource"]["uid"] == source["uid"]
    (provider,) = yaml.safe_load((folder / "dashboards" / "spidervet.yml").read_text())["providers"]
    mounts = SERVICES["grafana"]["volumes"]
    assert f"./deploy/grafana/dashboards:{provider['options']['path']}:ro" in mounts
