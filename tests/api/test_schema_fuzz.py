"""Requests made up from the OpenAPI description: nothing answers with an error of the service itself, and
every answer is one that the description tells of."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis import Case
from schemathesis.checks import CHECKS, load_all_checks
from schemathesis.schemas import APIOperation

from api.app import create_app
from evaluation.settings import Settings
from tests.support.service import Service

pytestmark = pytest.mark.xdist_group("processes")  # one service, whose log the last test reads
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


# Parametrized here and not by `schema.parametrize()`, whose tests of one function all have the same id.
SCHEMA = schemathesis.openapi.from_dict(create_app(Settings()).openapi())
OPERATIONS = pytest.mark.parametrize(
    "operation", [found.ok() for found in SCHEMA.get_all_operations()], ids=lambda found: found.label
)


def ask(operation: APIOperation, service: Service, examples: int) -> None:
    """The same requests in every run, so many."""

    @settings(
        max_examples=examples, deadline=None, derandomize=True, database=None,
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(case=operation.as_strategy())
    def asked(case: Case) -> None:
        case.call_and_validate(base_url=service.url, checks=HELD, timeout=60)

    asked()


@OPERATIONS
def test_made_up_requests(operation: APIOperation, service: Service) -> None:
    ask(operation, service, 4)


@pytest.mark.slow
@OPERATIONS
def test_many_made_up_requests(operation: APIOperation, service: Service) -> None:
    ask(operation, service, MANY)


def test_nothing_was_logged_as_an_error_of_the_service(service: Service) -> None:
    log = Path(service.log).read_text()
    assert "request.failed" not in log
    assert "Traceback" not in log
