"""What files are called that a browser saves: every name begins with what made it and says what is in it.

Reports ``spidervet-JOB[-partial].ext``, calendars ``spidervet-CALENDAR-DATE.ext``, deals and games by their
identity: ``spidervet-spider-4-12345.ext``, ``pysolfc-spider-4-12345-player-club.json``.
"""

from __future__ import annotations

import re
from urllib.parse import quote

LONGEST_NAME = 40
"""Most characters of a job's name in a file's name."""


def job_file(name: str, job_id: str, kind: str, partial: bool) -> str:
    """A report's name. JOB is the job's name in letters, digits and hyphens, and the last group of its id,
    which tells jobs of one name apart."""
    slug = re.sub(r"[\W_]+", "-", name).strip("-")[:LONGEST_NAME].rstrip("-")
    parts = ["spidervet", slug, job_id.rpartition("-")[2], "partial" if partial else ""]
    return "-".join(part for part in parts if part) + f".{kind}"


def calendar_file(calendar: str, first: object, kind: str) -> str:
    """The name of an export that begins at a date."""
    return f"spidervet-{calendar}-{first}.{kind}"


def disposition(name: str, *, inline: bool = False) -> dict[str, str]:
    """The header that names a file, also one that is looked at first and saved then."""
    how = "inline" if inline else "attachment"
    plain = name.encode("ascii", "replace").decode().replace("?", "_")
    return {"Content-Disposition": f"{how}; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}"}
