"""Requests made up from the OpenAPI description: nothing answers with an error of the service itself, and
every answer is one that the description tells of."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.checks import CHECKS, load_all_checks

from api.app import create_app
from evaluation.settings import Settings
from tests.support.service import Service

load_all_checks()
HELD = CHECKS.get_by_names(
    [
        "not_a_server_error",
        "status_code_conformance",
        "content_type_conformance",
        "response_schema_conformance",
    ]
)
MANY = int(os.environ.get("SPIDERVET_FUZZ_EXAMPLES", "100"))
LIMITS = {
    "SPIDERVET_INTERACTIVE_NODES": "500",
    "SPIDERVET_INTERACTIVE_SECONDS": "2",
    "SPIDERVET_MAX_SEEDS": "1000",
    "SPIDERVET_LOG_LEVEL": "WARNING",
}


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    arguments = ("serve", "--port", "0", "--api-only")
    it = Service(tmp_path_factory.mktemp("fuzz") / "data", LIMITS, arguments)
    try:
        yield it.start()
    finally:
        it.stop()


schema = schemathesis.openapi.from_dict(create_app(Settings()).openapi())


def asked(examples: int) -> settings:
    """The same requests in every run, so many for each operation."""
    return settings(
        max_examples=examples, deadline=None, derandomize=True, database=None,
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip


@schema.parametrize()
@asked(4)
def test_made_up_requests(case: Any, service: Service) -> None:
    case.call_and_validate(base_url=service.url, checks=HELD, timeout=60)


@pytest.mark.slow
@schema.parametrize()
@asked(MANY)
def test_many_made_up_requests(case: Any, service: Service) -> None:
    case.call_and_validate(base_url=service.url, checks=HELD, timeout=60)


def test_nothing_was_logged_as_an_error_of_the_service(service: Service) -> None:
    log = Path(service.log).read_text()
    assert "request.failed" not in log
    assert "Traceback" not in log
