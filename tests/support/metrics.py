"""What /metrics can carry: every family's name as Prometheus stores it."""

from __future__ import annotations

from prometheus_client.parser import text_string_to_metric_families
from starlette.testclient import TestClient

SUFFIXES = {
    "counter": ("_total",),
    "gauge": ("",),
    "info": ("_info",),
    "histogram": ("_bucket", "_sum", "_count"),
}


def families(client: TestClient) -> dict[str, tuple[str, str, dict[tuple[str, ...], float]]]:
    """By name: type, help, and samples by (sample's name, label=value …)."""
    answer = client.get("/metrics")
    assert answer.status_code == 200, answer.text
    found = {}
    for family in text_string_to_metric_families(answer.text):
        samples = {
            (s.name, *(f"{k}={v}" for k, v in sorted(s.labels.items()))): s.value for s in family.samples
        }
        found[family.name] = (family.type, family.documentation, samples)
    return found


def stored_names(client: TestClient) -> set[str]:
    """Names that queries may use."""
    names = set()
    for name, (kind, _, _) in families(client).items():
        names |= {name + suffix for suffix in SUFFIXES[kind]}
    return names
