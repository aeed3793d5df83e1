"""A Redis server of the tests' own."""

from __future__ import annotations

from pathlib import Path

from tests.support.needed import absent
from tools.servers import MissingProgramError, redis


class Redis(redis.Redis):
    """As that one; where the program is missing, the test is skipped or fails in CI."""

    def __init__(self, folder: Path, persistent: bool = False, also: tuple[str, ...] = ()) -> None:
        try:
            super().__init__(folder, persistent, also)
        except MissingProgramError as error:
            absent(str(error))
