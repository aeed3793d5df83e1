"""Steps of a worker on a ledger, without a worker."""

from evaluation.db import Database
from evaluation.ledger.check import check_ledger
from evaluation.ledger.claim import Lease, claim
from evaluation.ledger.cut import next_to_send
from evaluation.ledger.finish import finish
from evaluation.ledger.reap import reap
from evaluation.ledger.views import get_job
from evaluation.settings import Settings
from evaluation.versions import engine_version
from tests.support.jobs import rows_of

ME = "host/1"


def take(db: Database, settings: Settings, chunk_id: int | None = None) -> Lease:
    """Claim a chunk, by default the next that is sent."""
    if chunk_id is None:
        chunk_id = next_to_send(db, settings)[0].chunk_id
    lease = claim(db, chunk_id, ME, engine_version(), settings.lease_s)
    assert isinstance(lease, Lease)
    return lease


def run_all(db: Database, settings: Settings) -> int:
    """Evaluate whatever is sent, what was sent before too; gives the number of chunks."""
    count = 0
    reap(db, settings.model_copy(update={"resend_s": -1.0}))
    while sent := next_to_send(db, settings):
        for item in sent:
            lease = claim(db, item.chunk_id, ME, engine_version(), settings.lease_s)
            if isinstance(lease, Lease):
                finish(db, lease, rows_of(lease), 0.3, ME)
                count += 1
    return count


def assert_sound(db: Database, job_id: str) -> None:
    """Counts add up in this snapshot, and sums equal a recount."""
    counts = get_job(db, job_id, Settings()).counts
    assert counts.pending + counts.leased + counts.done + counts.failed + counts.cancelled == counts.total
    assert min(vars(counts).values()) >= 0
    assert check_ledger(db).faults == ()
