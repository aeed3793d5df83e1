"""/docs: every route of the description, and nothing from elsewhere."""

from __future__ import annotations

import re

from starlette.testclient import TestClient


def test_the_page_shows_every_route_and_loads_nothing_foreign(client: TestClient) -> None:
    text = client.get("/docs").text
    paths = client.get("/openapi.json").json()["paths"]
    shown = set(re.findall(r"<code>[A-Z]+ (/[^<]*)</code>", text))
    assert shown == set(paths)
    loaded = re.findall(r'(?:src|href)="([^"]+)"', text)
    assert all(address.startswith(("/", "#")) and not address.startswith("//") for address in loaded)


def test_errors_and_tokens_are_described(client: TestClient) -> None:
    description = client.get("/openapi.json").json()
    assert description["components"]["securitySchemes"]["HTTPBearer"]["scheme"] == "bearer"
    post = description["paths"]["/v1/jobs"]["post"]
    for status in ("401", "403", "409", "413", "422", "429"):
        assert post["responses"][status] == {"$ref": f"#/components/responses/Problem{status}"}
        answer = description["components"]["responses"][f"Problem{status}"]
        assert list(answer["content"]) == ["application/problem+json"]
    assert "ProblemDetails" in description["components"]["schemas"]
