"""One `serve` a data folder."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager

from evaluation.settings import Settings


class FolderInUseError(Exception):
    """Another `serve` runs on the data folder."""


@contextmanager
def own_folder(settings: Settings) -> Iterator[None]:
    """Hold the data folder's lock; the kernel frees it however this process ends. Raises FolderInUseError."""
    settings.data.mkdir(parents=True, exist_ok=True)
    path = settings.data / "serve.lock"
    with path.open("a+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            holder = file.read().strip() or "unknown"
            raise FolderInUseError(f"{settings.data} is in use by another serve (process {holder})") from None
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        yield
