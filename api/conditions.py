"""ETag and If-Match of things that editors change: no edit over one that its author never saw."""

from __future__ import annotations

import re
from typing import Annotated

from fastapi import Depends, Header, Request

from api.access import identity_of
from api.problems import Problem
from evaluation.vetting.days import Editor

REQUIRED = "/problems/if-match-required"


def etag(revision: int) -> dict[str, str]:
    """The header of a revision."""
    return {"ETag": f'"{revision}"'}


def revision_of(text: str | None) -> int:
    """The revision in an If-Match header. Raises Problem: 428 without one, 412 for what is no revision."""
    if text is None:
        raise Problem(
            428, "say which revision you looked at: If-Match with the ETag of the last answer", REQUIRED
        )
    found = re.fullmatch(r'(?:W/)?"(\d{1,9})"', text.strip())
    if found is None:
        raise Problem(412, f"If-Match: {text[:40]} is no ETag of this service", "/problems/changed")
    return int(found[1])


def _editor(request: Request, if_match: Annotated[str | None, Header(max_length=40)] = None) -> Editor:
    return Editor(identity_of(request).name, revision_of(if_match))


Conditional = Annotated[Editor, Depends(_editor)]
"""Who changes a day, and the revision that their If-Match names."""
