"""The Celery application's configuration, shared by who publishes (API) and who works.

Two transports, one code: Redis for several machines, files under the data folder for one. The
settings are those that held when brokers were killed (docs/notes/broker.md).
"""

from __future__ import annotations

import os
import shutil
import time
import uuid
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from celery import Celery
from kombu import Queue
from kombu.transport import TRANSPORT_ALIASES, filesystem
from kombu.utils.encoding import bytes_to_str, str_to_bytes
from kombu.utils.json import dumps, loads

from evaluation.ledger.submit import BATCH, INTERACTIVE
from evaluation.settings import Settings

TASK = "spidervet.evaluate_chunk"
FILES = "spidervetfiles"


class Channel(filesystem.Channel):  # type: ignore[misc]
    """Celery's filesystem transport, made safe against a reader that meets a half-written message.

    A message is written under another name and renamed into place; a reader takes it by renaming
    it into a folder of the same file system, so exactly one reader gets it.
    """

    def _put(self, queue: str, payload: Any, **kwargs: Any) -> None:
        folder = Path(self.data_folder_out)
        name = f"{_milliseconds():020d}_{uuid.uuid4().hex}.{queue}.msg"
        draft = folder / f".{name}.draft"
        draft.write_bytes(str_to_bytes(dumps(payload)))
        draft.rename(folder / name)

    def _get(self, queue: str) -> Any:
        taken = Path(self.processed_folder)
        for name in sorted(os.listdir(self.data_folder_in)):
            if name.startswith(".") or name.partition(".")[2] != f"{queue}.msg":
                continue
            mine = taken / name
            try:
                os.rename(Path(self.data_folder_in) / name, mine)
            except OSError:
                continue  # another reader was faster
            payload = mine.read_bytes()
            mine.unlink()
            return loads(bytes_to_str(payload))
        raise filesystem.Empty


class Transport(filesystem.Transport):  # type: ignore[misc]
    """The transport in Celery's event loop, as Redis is, where every process has pipes of its own.

    Without a loop, processes share one pipe and its lock: whoever is killed while it waits for a message
    takes the lock along, and the host never hands out another (docs/notes/broker.md).
    """

    Channel = Channel
    _leave_loop: Callable[[], None] | None = None
    implements = filesystem.Transport.implements.extend(asynchronous=True)

    def register_with_event_loop(self, connection: Any, loop: Any) -> None:
        def take() -> None:
            with suppress(TimeoutError):
                while True:  # until there is no message, or no process is free
                    self.drain_events(connection, timeout=0)

        loop.on_tick.add(take)
        loop.call_repeatedly(self.polling_interval, lambda: None)  # there is a tick at least as often
        self._leave_loop = lambda: loop.on_tick.discard(take)

    def close_connection(self, connection: Any) -> None:
        if self._leave_loop is not None:
            self._leave_loop()
        super().close_connection(connection)


TRANSPORT_ALIASES[FILES] = "evaluation.broker:Transport"


def _milliseconds() -> int:
    return time.time_ns() // 1_000_000


def queue_name(queue: str, engine: str) -> str:
    """Queues carry the engine's version: a worker of another version never even sees the message."""
    return f"spidervet-{queue}-{engine}"


def make_app(settings: Settings, engine: str) -> Celery:
    """A configured Celery application without tasks."""
    app = Celery("spidervet", set_as_current=False)
    app.conf.update(
        broker_url=broker_url(settings),
        broker_transport_options=transport_options(settings),
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,
        worker_cancel_long_running_tasks_on_connection_loss=False,
        task_acks_late=True,
        task_reject_on_worker_lost=False,
        task_ignore_result=True,
        task_store_errors_even_if_ignored=False,
        task_publish_retry_policy={"max_retries": 1, "interval_start": 0, "interval_step": 0.2},
        task_serializer="json",
        accept_content=["json"],
        task_soft_time_limit=settings.chunk_hard_s * 0.95,
        task_time_limit=settings.chunk_hard_s,
        worker_prefetch_multiplier=1,
        worker_max_memory_per_child=settings.worker_max_memory_kb,
        worker_hijack_root_logger=False,
        worker_redirect_stdouts=False,  # else log lines on standard error are taken for output, and dropped
        worker_enable_remote_control=settings.broker_url is not None,
        worker_proc_alive_timeout=60.0,
        task_queues=[Queue(queue_name(q, engine)) for q in (INTERACTIVE, BATCH)],
        task_default_queue=queue_name(BATCH, engine),
        result_backend=None,
    )
    return app


def broker_url(settings: Settings) -> str:
    """The configured broker, or files under the data folder."""
    if settings.broker_url is not None:
        return settings.broker_url.get_secret_value()
    return f"{FILES}://localhost//"


def transport_options(settings: Settings) -> dict[str, Any]:
    """Options of the transport in use; makes the folders of the filesystem transport."""
    if settings.broker_url is not None:
        return {
            "visibility_timeout": max(3600.0, settings.chunk_hard_s * 2.5),
            "unacked_restore_throttle": 1,
            "socket_timeout": 5,
            "socket_connect_timeout": 2,
            "health_check_interval": 25,
        }
    root = settings.data.absolute() / "broker"
    folders = {
        "data_folder_in": "queue",
        "data_folder_out": "queue",
        "processed_folder": "taken",
        "control_folder": "control",
    }
    for name in folders.values():
        (root / name).mkdir(parents=True, exist_ok=True)
    return {**{key: str(root / name) for key, name in folders.items()}, "polling_interval": 0.1}


def clear_files(settings: Settings) -> None:
    """Drop messages left from an earlier run: the ledger sends again what still matters."""
    if settings.broker_url is None:
        shutil.rmtree(settings.data.absolute() / "broker", ignore_errors=True)


def publish(app: Celery, chunk_id: int, queue: str, engine: str) -> None:
    """Send a chunk's id. Raises kombu's OperationalError when the broker does not answer."""
    app.send_task(TASK, args=[chunk_id], queue=queue_name(queue, engine), ignore_result=True)
