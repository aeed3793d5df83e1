"""/metrics: a collector that reads the ledger at each scrape, so nothing is lost with a process.

Its sums were added chunk by chunk (`evaluation.metrics`), so a scrape costs the same at ten rows and at ten
million. What only this process knows (its requests, its event streams) is added in `api.observe`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date

import orjson
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    InfoMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector
from sqlalchemy.exc import SQLAlchemyError

from api.state import Service
from evaluation.ledger.depth import QueueDepth, queue_depth
from evaluation.ledger.workers import WorkerView, list_workers, live_processes
from evaluation.metrics import BUCKETS, BucketSums, read_totals
from evaluation.versions import engine_version
from evaluation.vetting.days import unpublished

ARM = ("variant", "evaluator")
COUNTERS: dict[str, tuple[str, tuple[str, ...]]] = {
    "deals": ("Deals evaluated, by outcome", (*ARM, "outcome")),
    "wins": ("Games that players won", ARM),
    "verdicts": ("Deals that the solver searched, by verdict", ("variant", "verdict")),
    "positions": ("Positions rated by players and solver", ARM),
    "chunk_retries": ("Chunks taken back or sent again, by reason", ("reason",)),
    "jobs_ended": ("Jobs that came to an end, by state", ("state",)),
    "notifications": ("Completion messages, by outcome", ("outcome",)),
}
HISTOGRAMS = {
    "moves": "Actions in a player's game",
    "score": "Score of a player's game under windows scoring",
    "solver_nodes": "Rated positions a deal by the solver",
    "chunk_seconds": "Wall time of a chunk",
}


class LedgerCollector(Collector):
    """Counters and histograms from the table of totals, gauges from chunks, jobs and workers."""

    def __init__(self, service: Service) -> None:
        self._service = service

    def collect(self) -> Iterator[Metric]:
        """Everything, or `spidervet_ledger_up` 0 alone where the ledger does not answer."""
        service = self._service
        try:
            families = [*self._totals(), *_queue(queue_depth(service.db))]
            families.append(_dailies(unpublished(service.db, service.settings.vetting_days)))
            families += _workers(list_workers(service.db, service.settings.worker_stale_s))
            up = 1
        except (SQLAlchemyError, OSError):
            families, up = [], 0
        yield GaugeMetricFamily("spidervet_ledger_up", "1 while the ledger answers", value=up)
        yield from families
        yield GaugeMetricFamily(
            "spidervet_dispatcher_failing",
            "1 while this process cannot send chunks or take leases back",
            value=1 if service.dispatcher.failing else 0,
        )
        yield GaugeMetricFamily(
            "spidervet_event_streams", "Event streams open in this process", value=service.streams
        )
        info = InfoMetricFamily("spidervet_build", "The program's version")
        info.add_metric([], {"version": engine_version()})
        yield info

    def _totals(self) -> Iterator[Metric]:
        totals = read_totals(self._service.db)
        for name, (text, labels) in COUNTERS.items():
            family = CounterMetricFamily(f"spidervet_{name}", text, labels=labels)
            for key, value in totals.get(name, {}).items():
                named = orjson.loads(key)
                assert isinstance(value, int)
                family.add_metric([named[label] for label in labels], value)
            yield family
        for name, text in HISTOGRAMS.items():
            histogram = HistogramMetricFamily(f"spidervet_{name}", text, labels=ARM)
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
    jobs = GaugeMetricFamily("spidervet_jobs", "Jobs in the ledger, by state", labels=["state"])
    for state, n in depth.jobs.items():
        jobs.add_metric([state], n)
    yield jobs


def _dailies(missing: Mapping[str, Sequence[date]]) -> Metric:
    family = GaugeMetricFamily(
        "spidervet_daily_unpublished_days",
        "Days from today on that have no published deal and should have",
        labels=["calendar"],
    )
    for calendar, days in missing.items():
        family.add_metric([calendar], len(days))
    return family


def _workers(workers: list[WorkerView]) -> Iterator[Metric]:
    yield GaugeMetricFamily(
        "spidervet_workers", "Worker processes that take chunks now", value=live_processes(workers)
    )
    hosts = GaugeMetricFamily("spidervet_worker_hosts", "Worker hosts, by state", labels=["state"])
    for state in ("ready", "draining", "silent"):
        hosts.add_metric([state], sum(w.state == state for w in workers))
    yield hosts
    yield GaugeMetricFamily(
        "spidervet_workers_busy", "Worker processes with a chunk in hand", value=sum(w.busy for w in workers)
    )
