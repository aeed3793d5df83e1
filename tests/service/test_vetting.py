"""A vetting run on real workers, which are killed while it goes on: nothing is lost, nothing differs."""

from __future__ import annotations

import os
import signal
from datetime import UTC, datetime
from pathlib import Path

import httpx2

from tests.support.service import children, serving, wait_for
from tests.support.vetting import QUICK

DAYS = 4
SPEC = {"name": "quick", "variant": "spider-1", "difficulty": "any", "effort": {**QUICK, "games": 64}}


def test_killed_workers_lose_nothing(tmp_path: Path) -> None:
    with serving(tmp_path / "data", lease_s="3", resend_s="3") as service:
        assert service.post("/v1/vetting/calendars", SPEC).status_code == 201
        host = service.workers()[0]
        run = service.post("/v1/vetting", {"calendar": "quick", "from": "2031-03-01", "days": DAYS})
        assert run.status_code == 202, run.text
        job = run.json()["id"]
        for n in range(2):
            service.wait_done(job, n)
            wait_for("work under way", lambda: service.job(job)["counts"]["leased"])
            child = wait_for("a worker's child", lambda: children(int(host["pid"])))[0]
            os.kill(child, signal.SIGKILL)
        done = service.finished(job, 240)
        assert done["state"] == "completed"
        assert done["counts"]["done"] == DAYS + 1
        found = service.get(f"/v1/vetting/runs/{job}")["days"]
        assert [d["state"] for d in found] == ["proposed"] * DAYS
        assert all(d["verdict"] == "solved" and d["tried"][-1]["games"] >= 64 for d in found)
        _publish_today(service.url)
        daily = service.get("/v1/daily/quick/today")
        assert daily["signature"]["algorithm"] == "Ed25519"


def _publish_today(url: str) -> None:
    """Vet, approve and publish today's date through the API."""
    day = datetime.now(UTC).date().isoformat()
    path = f"{url}/v1/vetting/calendars/quick/days/{day}"
    assert httpx2.post(f"{url}/v1/vetting", json={"calendar": "quick", "from": day}).status_code == 202
    wait_for("a proposal", lambda: httpx2.get(path).json()["state"] == "proposed")
    for step in ("approve", "publish"):
        tag = httpx2.get(path).headers["etag"]
        assert httpx2.post(f"{path}/{step}", headers={"If-Match": tag}).status_code == 200
