"""/v1/jobs/{id}/events: a job as it runs, by Server-Sent Events.

Event ids are ``STORED.REVISION``: the last stored event (states, log lines) and the job's revision
(progress, arms). A client that comes back with Last-Event-ID misses no stored event.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Annotated, Any

import orjson
from fastapi import APIRouter, Header, Query
from fastapi.sse import format_sse_event
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import StreamingResponse

from api.owners import SeenJob
from api.problems import Problem
from api.state import Ledger, Service
from evaluation.ledger import views

router = APIRouter(prefix="/v1/jobs", tags=["events"])
LOOK_S = 0.5
ALIVE_S = 15.0
HEADERS = {"Cache-Control": "no-cache, no-transform", "X-Accel-Buffering": "no"}


@router.get("/{job_id}/events", summary="Follow a job", response_class=StreamingResponse)
async def get_events(
    request: Request,
    service: Ledger,
    job_id: SeenJob,
    last_event_id: Annotated[str | None, Header(max_length=60)] = None,
    resume: Annotated[str | None, Query(max_length=60)] = None,
) -> StreamingResponse:
    """Events ``state``, ``progress``, ``arm`` and ``log``; the stream ends when the job has.

    ``resume`` says the same as Last-Event-ID, for a page that opens its stream anew after it was hidden.
    """
    await run_in_threadpool(views.get_job, service.db, job_id, service.settings)
    if service.streams >= service.settings.max_open_streams:
        raise Problem(
            503, "too many open event streams; ask for the job instead", headers={"Retry-After": "5"}
        )
    stream = Follower(service, job_id, *_parse_id(last_event_id or resume))
    return StreamingResponse(stream.events(request), headers=HEADERS, media_type="text/event-stream")


def _parse_id(text: str | None) -> tuple[int, int]:
    stored, _, revision = (text or "").partition(".")
    return (int(stored), int(revision)) if stored.isdigit() and revision.isdigit() else (0, -1)


class Follower:
    """One client's stream. Reads the ledger in short transactions; holds nothing between them."""

    def __init__(self, service: Service, job_id: str, stored: int, revision: int) -> None:
        self._service = service
        self._job_id = job_id
        self._stored = stored
        self._revision = revision
        self._arms_done: dict[int, int] = {}

    async def events(self, request: Request) -> AsyncIterator[bytes]:
        self._service.streams += 1
        try:
            yield b"retry: 2000\n\n"
            quiet = 0.0
            while not self._service.stopping.is_set():
                pieces, ended = await run_in_threadpool(self._look)
                for piece in pieces:
                    yield piece
                if ended or await request.is_disconnected():
                    return
                quiet = 0.0 if pieces else quiet + LOOK_S
                if quiet >= ALIVE_S:
                    quiet = 0.0
                    yield b": alive\n\n"
                await self._pause()
        finally:
            self._service.streams -= 1

    async def _pause(self) -> None:
        try:
            await asyncio.wait_for(self._service.stopping.wait(), LOOK_S)
        except TimeoutError:
            return

    def _look(self) -> tuple[list[bytes], bool]:
        """What is new, and whether the job has ended and everything was told."""
        pieces: list[bytes] = []
        service = self._service
        job = views.get_job(service.db, self._job_id, service.settings)
        if job.revision != self._revision:
            detail = views.get_detail(service.db, self._job_id, service.settings)
            job, self._revision = detail.job, detail.job.revision
            pieces.append(self._event("progress", job.to_json()))
            for arm in detail.arms:
                if self._arms_done.get(arm.id) != arm.summary.tally.rows:
                    self._arms_done[arm.id] = arm.summary.tally.rows
                    pieces.append(self._event("arm", arm.summary.to_json()))
        for event in views.events_after(service.db, self._job_id, self._stored):
            self._stored = event.id
            pieces.append(self._event(event.kind, {"at": views.iso(event.at), **event.data}))
        return pieces, job.state.final

    def _event(self, kind: str, data: dict[str, Any]) -> bytes:
        return format_sse_event(
            data_str=orjson.dumps(data).decode(), event=kind, id=f"{self._stored}.{self._revision}"
        )
