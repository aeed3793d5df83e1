"""Errors as problem details (RFC 9457): the one place that makes them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

import orjson
import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError
from pydantic_core import ErrorDetails
from sqlalchemy.exc import SQLAlchemyError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from evaluation.access.quota import QuotaError
from evaluation.db import trouble
from evaluation.ledger.control import NoSuchJobError, WrongStateError
from evaluation.ledger.submit import KeyReusedError
from evaluation.spec import FieldFault, SpecError, faults_of, field_path, named_faults
from evaluation.vetting.errors import (
    ChangedError,
    NotFoundError,
    ReplayRefusedError,
    TooManyError,
    VettingError,
    WithdrawnError,
)
from evaluation.vetting.scalefile import NoScaleError
from evaluation.vetting.signing import KeyUnusableError

log = structlog.get_logger("spidervet.api")
MEDIA_TYPE = "application/problem+json"
SHOWN = 50
_PHRASES = {413: "Content Too Large", 422: "Unprocessable Content"}
"""Of RFC 9110. Python before 3.13 has older ones; answers do not hang on the interpreter."""


def phrase(status: int) -> str:
    """What a status is called."""
    return _PHRASES.get(status) or HTTPStatus(status).phrase


@dataclass
class Problem(Exception):  # noqa: N818 (RFC 9457's own word)
    """Raise it to answer with it. errors: what is wrong, by field."""

    status: int
    detail: str
    type: str = "about:blank"
    errors: Sequence[FieldFault] = ()
    headers: dict[str, str] = field(default_factory=dict)

    def response(self, request: Request) -> Response:
        body: dict[str, Any] = {
            "type": self.type,
            "title": phrase(self.status),
            "status": self.status,
            "detail": self.detail,
            "instance": request.url.path,
        }
        if self.errors:
            body["errors"] = [{"field": f.field, "message": f.message} for f in self.errors[:SHOWN]]
        return Response(orjson.dumps(body), self.status, self.headers, MEDIA_TYPE)


Answer = Callable[[Request, Problem], Response]
"""How a problem is told to whoever asks: as a page to a browser, else as it is."""


def _invalid(faults: Sequence[FieldFault]) -> Problem:
    shown = "; ".join(f"{f.field}: {f.message}" for f in faults[:3])
    return Problem(HTTPStatus.UNPROCESSABLE_ENTITY, shown, "/problems/invalid", faults)


def _request_faults(error: RequestValidationError) -> list[FieldFault]:
    def named(item: ErrorDetails) -> tuple[list[str], str, ErrorDetails]:
        where, *path = (str(part) for part in item["loc"])
        return field_path(path) if where == "body" else path, where, item

    return named_faults(map(named, error.errors()))


def _of_request(error: RequestValidationError) -> Problem:
    first = error.errors()[0]
    if first["type"] == "json_invalid":
        return _not_json(str((first.get("ctx") or {}).get("error", "not JSON")))
    if (
        isinstance(error.body, bytes) and error.body
    ):  # the framework decodes what is sent as JSON, nothing else
        why = "send JSON, with the header Content-Type: application/json"
        fault = FieldFault("body", why)
        return Problem(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, why, "/problems/not-json", [fault])
    return _invalid(_request_faults(error))


def _not_json(why: str) -> Problem:
    detail = f"the body is not JSON: {why}"
    return Problem(HTTPStatus.BAD_REQUEST, detail, "/problems/not-json", [FieldFault("body", why)])


def _of_http(error: HTTPException) -> Problem:
    """The framework's own; a body that its decoder fails on has the reason as its cause."""
    match error.__cause__:
        case UnicodeDecodeError():
            return _not_json("not in UTF-8")
        case RecursionError():
            return _not_json("nested too deeply")
        case ValueError() as cause:
            return _not_json(str(cause))
    return Problem(error.status_code, str(error.detail), headers=dict(error.headers or {}))


def _of_vetting(error: Exception) -> Problem:
    """Vetting's own errors; whatever is not told apart is a step that the day's state does not allow."""
    match error:
        case NotFoundError():
            return Problem(HTTPStatus.NOT_FOUND, str(error), "/problems/not-found")
        case ChangedError():
            headers = {"ETag": f'"{error.found}"'}
            return Problem(HTTPStatus.PRECONDITION_FAILED, str(error), "/problems/changed", headers=headers)
        case WithdrawnError():
            return Problem(HTTPStatus.GONE, str(error), "/problems/withdrawn")
        case ReplayRefusedError():
            where = "replay" if error.entry is None else f"moves.{error.entry}"
            faults = [FieldFault(where, str(error))]
            if error.shown:
                faults.append(FieldFault("position", error.shown))
            return Problem(HTTPStatus.UNPROCESSABLE_ENTITY, str(error), "/problems/replay-refused", faults)
        case TooManyError():
            return Problem(HTTPStatus.TOO_MANY_REQUESTS, str(error), "/problems/too-many")
        case KeyUnusableError():
            log.error("vetting.key", error=str(error))
            return Problem(HTTPStatus.SERVICE_UNAVAILABLE, str(error), "/problems/key")
        case NoScaleError():
            return _invalid([FieldFault("variant", str(error))])
    return Problem(HTTPStatus.CONFLICT, str(error), "/problems/wrong-state")


def to_problem(error: Exception) -> Problem:
    """The problem that an exception is answered with."""
    match error:
        case Problem():
            return error
        case RequestValidationError():
            return _of_request(error)
        case SpecError():
            return _invalid(error.faults)
        case ValidationError():
            return _invalid(faults_of(error))
        case NoSuchJobError():
            return Problem(
                HTTPStatus.NOT_FOUND, f"there is no job {str(error)[:60]!r}", "/problems/no-such-job"
            )
        case WrongStateError():
            return Problem(HTTPStatus.CONFLICT, str(error), "/problems/wrong-state")
        case QuotaError():
            return Problem(HTTPStatus.TOO_MANY_REQUESTS, str(error), "/problems/quota")
        case KeyReusedError():
            return Problem(HTTPStatus.CONFLICT, str(error), "/problems/idempotency-key-reused")
        case VettingError() | NoScaleError():
            return _of_vetting(error)
        case HTTPException():
            return _of_http(error)
        case SQLAlchemyError() | OSError():
            log.error("request.ledger", error=str(error).splitlines()[0])
            return Problem(
                HTTPStatus.SERVICE_UNAVAILABLE,
                f"{trouble(error)}; try again",
                "/problems/ledger",
                headers={"Retry-After": "2"},
            )
    log.exception("request.failed")
    return Problem(HTTPStatus.INTERNAL_SERVER_ERROR, "an error of the service itself; it was logged")


def install(app: FastAPI) -> None:
    """Answer every exception of the application as a problem."""

    async def handler(request: Request, error: Exception) -> Response:
        return to_problem(error).response(request)

    for kind in (
        Problem,
        RequestValidationError,
        SpecError,
        ValidationError,
        NoSuchJobError,
        WrongStateError,
        QuotaError,
        KeyReusedError,
        HTTPException,
        VettingError,
        NoScaleError,
        SQLAlchemyError,
        OSError,
        Exception,
    ):
        app.add_exception_handler(kind, handler)
