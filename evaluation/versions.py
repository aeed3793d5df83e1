"""The version that results are pinned to: engine code and players' weights together."""

from __future__ import annotations

from functools import lru_cache

from engine import _core


@lru_cache(maxsize=1)
def engine_version() -> str:
    """Text such as ``0.1.0``; rows of different versions are never mixed in one job."""
    return str(_core.version)
