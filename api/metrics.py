"""/metrics from the ledger: a collector that reads SQL at each scrape, so nothing is lost with a process."""

from __future__ import annotations

from collections.abc import Iterator

import orjson
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

from evaluation.db import Database
from evaluation.ledger.depth import QueueDepth, queue_depth
from evaluation.ledger.workers import list_workers, live_processes
from evaluation.metrics import BUCKETS, BucketSums, read_totals
from evaluation.settings import Settings

COUNTERS = {
    "deals": "Deals evaluated, by outcome",
    "chunk_retries": "Chunks sent again, by reason",
}
HISTOGRAMS = {
    "moves": "Actions in a player's game",
    "score": "Score of a player's game under windows scoring",
    "solver_nodes": "Rated positions a deal by the solver",
    "chunk_seconds": "Wall time of a chunk",
}


class LedgerCollector(Collector):
    """Counters and histograms from the table of totals, gauges from chunks, jobs and workers."""

    def __init__(self, db: Database, settings: Settings) -> None:
        self._db = db
        self._settings = settings

    def collect(self) -> Iterator[Metric]:
        yield from self._totals()
        depth = queue_depth(self._db)
        yield from _queue(depth)
        workers = GaugeMetricFamily("spidervet_workers", "Worker processes that take chunks now")
        alive = list_workers(self._db, self._settings.worker_stale_s)
        workers.add_metric([], live_processes(alive))
        yield workers
        jobs = GaugeMetricFamily("spidervet_jobs", "Jobs in the ledger, by state", labels=["state"])
        for state, n in depth.jobs.items():
            jobs.add_metric([state], n)
        yield jobs

    def _totals(self) -> Iterator[Metric]:
        totals = read_totals(self._db)
        for name, text in COUNTERS.items():
            labels = {"deals": ["variant", "evaluator", "outcome"], "chunk_retries": ["reason"]}[name]
            family = CounterMetricFamily(f"spidervet_{name}", text, labels=labels)
            for key, value in totals.get(name, {}).items():
                named = orjson.loads(key)
                assert isinstance(value, int)
                family.add_metric([named[label] for label in labels], value)
            yield family
        for name, text in HISTOGRAMS.items():
            histogram = HistogramMetricFamily(f"spidervet_{name}", text, labels=["variant", "evaluator"])
            for key, value in totals.get(name, {}).items():
                named = orjson.loads(key)
                assert isinstance(value, BucketSums)
                histogram.add_metric(
                    [named["variant"], named["evaluator"]], _cumulative(name, value), value.total
                )
            yield histogram


def _cumulative(name: str, sums: BucketSums) -> list[tuple[str, float]]:
    out, running = [], 0
    bounds = [*(f"{float(b)}" for b in BUCKETS[name]), "+Inf"]
    for bound, n in zip(bounds, sums.counts, strict=True):
        running += n
        out.append((bound, float(running)))
    return out


def _queue(depth: QueueDepth) -> Iterator[Metric]:
    chunks = GaugeMetricFamily("spidervet_queue_chunks", "Chunks cut and not finished", labels=["state"])
    for state, n in depth.chunks.items():
        chunks.add_metric([state], n)
    yield chunks
    yield GaugeMetricFamily("spidervet_queue_units", "Rows still to come in open jobs", value=depth.units)
    yield GaugeMetricFamily(
        "spidervet_queue_oldest_seconds",
        "Age of the oldest job that still waits for work",
        value=depth.oldest_s,
    )
