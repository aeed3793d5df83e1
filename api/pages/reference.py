"""/docs: the OpenAPI description as a page of the service, with no script and nothing from elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import orjson
from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from api.pages.render import page

router = APIRouter(include_in_schema=False)
METHODS = ("get", "post", "put", "patch", "delete")


@dataclass(frozen=True)
class Parameter:
    """A value that a request carries beside its body."""

    name: str
    where: str
    required: bool
    text: str


@dataclass(frozen=True)
class Operation:
    """One method of one path. examples: bodies, by what they show."""

    method: str
    path: str
    title: str
    text: str
    parameters: tuple[Parameter, ...]
    examples: tuple[tuple[str, str], ...]


def operations(description: dict[str, Any]) -> dict[str, list[Operation]]:
    """Operations by their tag, in the description's order."""
    found: dict[str, list[Operation]] = {}
    for path, item in description["paths"].items():
        for method in METHODS:
            if method in item:
                data = item[method]
                found.setdefault(data.get("tags", ["other"])[0], []).append(_operation(method, path, data))
    return found


def _operation(method: str, path: str, data: dict[str, Any]) -> Operation:
    body = data.get("requestBody", {}).get("content", {}).get("application/json", {})
    examples = tuple(
        (name, orjson.dumps(example["value"], option=orjson.OPT_INDENT_2).decode())
        for name, example in body.get("examples", {}).items()
    )
    parameters = tuple(
        Parameter(p["name"], p["in"], p.get("required", False), p.get("description", ""))
        for p in data.get("parameters", ())
    )
    return Operation(
        method.upper(), path, data.get("summary", ""), data.get("description", ""), parameters, examples
    )


@router.get("/docs")
def reference(request: Request) -> HTMLResponse:
    """Every route of the API."""
    description = request.app.openapi()
    return page(
        request, "reference.html", groups=operations(description), about=description["info"]["description"]
    )
