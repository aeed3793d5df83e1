"""A PostgreSQL server of the tests' own, in a folder that is thrown away."""

from __future__ import annotations

from tests.support.needed import absent
from tools.servers import MissingProgramError, postgres


class Postgres(postgres.Postgres):
    """As that one; where the programs are missing, the test is skipped or fails in CI."""

    def __init__(self, also: tuple[str, ...] = ()) -> None:
        try:
            super().__init__(also)
        except MissingProgramError as error:
            absent(str(error))
