"""What the OpenAPI description says of every route: who may ask, and how errors look."""

from __future__ import annotations

from typing import Any

from fastapi import Depends
from fastapi.security import HTTPBearer
from pydantic import BaseModel, ConfigDict, Field

from api.problems import MEDIA_TYPE, phrase


class FieldProblem(BaseModel):
    """One thing wrong with a request."""

    field: str
    message: str


class ProblemDetails(BaseModel):
    """An error, as RFC 9457 has it."""

    model_config = ConfigDict(extra="allow")

    type: str = Field(description="a path that names the kind of problem, or about:blank")
    title: str
    status: int
    detail: str
    instance: str
    errors: list[FieldProblem] | None = None


_MEANINGS = {
    400: "the body is not what its type says",
    401: "a token is needed, or the one sent opens nothing",
    403: "the token's role is too small, the job is another's, or a foreign page made the request",
    404: "there is nothing of this name",
    405: "this path does not take this method",
    408: "the body did not arrive in time",
    409: "the state does not allow it, or an idempotency key came with another body",
    412: "somebody changed it meanwhile: If-Match names another version",
    413: "the body is too large",
    415: "this path does not take this type of body",
    422: "the request cannot be carried out; `errors` names the fields",
    428: "say with If-Match which version you looked at",
    429: "too many requests or open jobs; Retry-After says how long to wait",
    503: "the ledger does not answer, or too much is going on at once",
}

_SCHEMA = {"schema": {"$ref": "#/components/schemas/ProblemDetails"}}

RESPONSES: dict[int | str, dict[str, Any]] = {
    status: {"description": f"{phrase(status)}: {text}", "content": {MEDIA_TYPE: _SCHEMA}}
    for status, text in _MEANINGS.items()
}
"""For `include_router`; a route's own description of a status wins."""

BEARER = Depends(HTTPBearer(auto_error=False, description="a token made by `spidervet token create`"))
"""Says in the description that routes take a token; `api.access` asks for it."""


def add_schema(description: dict[str, Any]) -> dict[str, Any]:
    """Put the shape of errors into a description, each error once: operations refer to it."""
    schema = ProblemDetails.model_json_schema(ref_template="#/components/schemas/{model}")
    components = description.setdefault("components", {})
    schemas = components.setdefault("schemas", {})
    schemas.update(schema.pop("$defs", {}))
    schemas["ProblemDetails"] = schema
    shared = {str(status): response for status, response in RESPONSES.items()}
    components["responses"] = {f"Problem{status}": response for status, response in shared.items()}
    for item in description["paths"].values():
        for operation in item.values():
            answers = operation["responses"]
            for status in [s for s, answer in answers.items() if answer == shared.get(s)]:
                answers[status] = {"$ref": f"#/components/responses/Problem{status}"}
    return description
