"""The same service over Redis."""

from pathlib import Path
from typing import Any

import pytest

from tests.support.redis import Redis
from tests.support.service import serving

JOB: dict[str, Any] = {
    "deals": {"first": 1, "count": 60},
    "variants": ["spider-1", "spider-4"],
    "evaluators": [{"player": "hint"}, {"solver": {"nodes": 5000}}],
}


@pytest.mark.redis
def test_a_job_runs_over_redis(tmp_path: Path, broker: Redis) -> None:
    with serving(tmp_path / "data", broker_url=broker.url) as service:
        job_id = service.submit(JOB)
        job = service.finished(job_id)
        assert (job["state"], job["counts"]["done"]) == ("completed", 240)
        rows = service.rows(job_id)
        assert len({(r["arm"], r["seed"]) for r in rows}) == len(rows) == 240
    assert not (tmp_path / "data" / "broker").exists()
