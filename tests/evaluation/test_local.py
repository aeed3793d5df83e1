"""Work on this machine's processes ends, also when they die."""

from __future__ import annotations

from concurrent.futures.process import BrokenProcessPool
from typing import Any

import pytest

from evaluation import local
from evaluation.db import Database
from evaluation.settings import Settings


def test_processes_that_die_before_they_work_are_not_started_for_ever(
    db: Database, ledger_settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[int] = []

    def dies(*_: Any) -> None:
        begun.append(1)
        raise BrokenProcessPool("died")

    monkeypatch.setattr(local, "_feed", dies)
    with pytest.raises(ChildProcessError, match="3 times in a row"):
        local.work_on(db, ledger_settings, "any", 1, lambda _: None)
    assert len(begun) == 3
