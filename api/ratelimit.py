"""Requests a minute, by a bucket for each key, in the memory of one process."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

KEPT = 10_000


@dataclass
class _Bucket:
    """level: requests still free. at: when that was reckoned."""

    level: float
    at: float


class RateLimit:
    """Buckets of ``rate`` requests that refill within a minute."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._buckets: OrderedDict[str, _Bucket] = OrderedDict()
        self._lock = threading.Lock()

    def wait_s(self, key: str, rate: int) -> float:
        """Take one request; 0 where it is free, else the seconds until the next one is."""
        with self._lock:
            bucket = self._filled(key, rate)
            if bucket.level < 1:
                return (1 - bucket.level) * 60 / rate
            bucket.level -= 1
            return 0.0

    def is_spent(self, key: str, rate: int) -> bool:
        """Whether nothing is free; takes nothing."""
        with self._lock:
            return self._filled(key, rate).level < 1

    def _filled(self, key: str, rate: int) -> _Bucket:
        at = self._clock()
        bucket = self._buckets.setdefault(key, _Bucket(float(rate), at))
        self._buckets.move_to_end(key)
        bucket.level = min(float(rate), bucket.level + (at - bucket.at) * rate / 60)
        bucket.at = at
        if len(self._buckets) > KEPT:
            self._buckets.popitem(last=False)
        return bucket
