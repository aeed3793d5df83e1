"""Published days as files, for sites that host their own game: JSON, NDJSON, CSV, iCalendar (RFC 5545).

They hold what players may see of a day; solutions are apart.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any, Literal

import orjson

from evaluation.reports.text import harmless
from evaluation.vetting.publishing import Edition

Kind = Literal["json", "ndjson", "csv", "ics"]
MEDIA = {
    "json": "application/json",
    "ndjson": "application/x-ndjson",
    "csv": "text/csv; charset=utf-8",
    "ics": "text/calendar; charset=utf-8",
}
COLUMNS = (
    "date", "calendar", "edition", "id", "variant", "difficulty", "win_rate", "win_low", "win_high", "par",
    "columns", "face_down", "stock", "key", "signature",
)  # fmt: skip

NO_EVENT = (
    "BEGIN:VTIMEZONE", "TZID:Etc/UTC", "BEGIN:STANDARD", "DTSTART:19700101T000000", "TZOFFSETFROM:+0000",
    "TZOFFSETTO:+0000", "END:STANDARD", "END:VTIMEZONE",
)  # fmt: skip
"""A calendar holds at least one component (RFC 5545, 3.6): without days, the time zone of its dates."""


def write(kind: Kind, calendar: str, editions: Sequence[Edition]) -> bytes:
    """The editions, in order of date, in one format."""
    if kind == "json":
        return orjson.dumps(
            {"format": "spidervet-dailies/1", "calendar": calendar, "days": [e.signed() for e in editions]}
        )
    if kind == "ndjson":
        return b"".join(orjson.dumps(e.signed()) + b"\n" for e in editions)
    return _csv(editions) if kind == "csv" else _ics(calendar, editions)


def _csv(editions: Sequence[Edition]) -> bytes:
    """One line a day; the cards of a column are separated by spaces, columns by bars."""
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(COLUMNS)
    for edition in editions:
        writer.writerow([harmless(cell) for cell in _cells(edition)])
    return out.getvalue().encode()


def _cells(edition: Edition) -> list[Any]:
    data = edition.signed()
    low, high = data["win_interval"] or (None, None)
    deal = data["deal"]
    return [
        data["date"], data["calendar"], data["edition"], data["id"], data["variant"]["name"],
        data["difficulty"], data["win_rate"], low, high, data["par"],
        "|".join(" ".join(column) for column in deal["columns"]),
        " ".join(map(str, deal["face_down"])),
        " ".join(deal["stock"]),
        data["signature"]["key"],
        data["signature"]["value"],
    ]  # fmt: skip


def _ics(calendar: str, editions: Sequence[Edition]) -> bytes:
    """One all-day event a day. Its stamp is when it was published, so the same days give the same file."""
    lines = [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "PRODID:-//spidervet//daily//EN",
        f"X-WR-CALNAME:{_text(calendar)}",
    ]
    for edition in editions:
        lines += _event(edition)
    if not editions:
        lines += NO_EVENT
    lines.append("END:VCALENDAR")
    return "".join(_folded(line) for line in lines).encode()


def _event(edition: Edition) -> list[str]:
    data = edition.content
    day: date = edition.date
    stamp = datetime.fromtimestamp(edition.published_at, UTC).strftime("%Y%m%dT%H%M%SZ")
    label = f" ({data['difficulty']})" if data["difficulty"] else ""
    about = f"{data['id']}\\npar {data['par']}"
    return [
        "BEGIN:VEVENT",
        f"UID:{edition.calendar}-{day.isoformat()}@spidervet",
        f"SEQUENCE:{edition.number - 1}",
        f"DTSTAMP:{stamp}",
        f"DTSTART;VALUE=DATE:{day.strftime('%Y%m%d')}",
        f"DTEND;VALUE=DATE:{(day + timedelta(days=1)).strftime('%Y%m%d')}",
        f"SUMMARY:{_text(data['title'] + label)}",
        f"DESCRIPTION:{about}",
        "TRANSP:TRANSPARENT",
        "END:VEVENT",
    ]


def _text(value: str) -> str:
    for mark, written in (("\\", "\\\\"), (";", "\\;"), (",", "\\,"), ("\n", "\\n")):
        value = value.replace(mark, written)
    return value


def _folded(line: str) -> str:
    """A content line of at most 75 bytes each, continued by a space (RFC 5545, 3.1)."""
    out, size = [], 0
    for char in line:
        width = len(char.encode())
        if size + width > 74:
            out.append("\r\n ")
            size = 1
        out.append(char)
        size += width
    return "".join(out) + "\r\n"
