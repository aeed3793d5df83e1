"""A range of dates in a request: ``from`` and ``days``."""

from __future__ import annotations

import datetime as dt
from typing import Annotated

from fastapi import Depends, Query

from api.state import Ledger
from evaluation.vetting import owndeals, runs

MOST_DAYS = 400


def _asked(
    service: Ledger,
    first: Annotated[str, Query(alias="from")],
    count: Annotated[int, Query(alias="days", ge=1, le=MOST_DAYS)] = 31,
) -> list[dt.date]:
    return runs.dates_from(owndeals.parse_date(first, "from"), count, service.settings)


Dates = Annotated[list[dt.date], Depends(_asked)]
"""The dates that a request asks for."""
