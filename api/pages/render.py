"""Templates of the dashboard: one Jinja environment, its filters, and `page` that fills one in."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

import orjson
from fastapi import Request
from fastapi.responses import HTMLResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from api.pages import words
from api.pages.playback import sign
from engine.words import plural
from evaluation.access.roles import Role
from evaluation.versions import engine_version

NAV = [
    ("/", "Jobs", Role.VIEWER),
    ("/jobs/new", "New job", Role.SUBMITTER),
    ("/deals", "Deals", Role.VIEWER),
    ("/workers", "Workers", Role.VIEWER),
    ("/compare", "Compare", Role.VIEWER),
    ("/vetting", "Vetting", Role.EDITOR),
]
"""The main menu: address, label, and the least role that is shown it."""
HERE = Path(__file__).parent.parent
STATIC = HERE / "static"


class PageError(Exception):
    """A page that cannot be shown; becomes an error page with this status."""

    def __init__(self, status: int, title: str, detail: str) -> None:
        super().__init__(f"{status} {title}: {detail}")
        self.status, self.title, self.detail = status, title, detail


@lru_cache(maxsize=64)
def static_url(name: str) -> str:
    """A static file's address with a hash of its content, so that browsers may keep it for ever."""
    digest = hashlib.sha256((STATIC / name).read_bytes()).hexdigest()[:10]
    return f"/static/{name}?v={digest}"


def number(value: float | None, digits: int = 0) -> str:
    """A number with narrow spaces between thousands; an en dash for None."""
    return "–" if value is None else f"{value:,.{digits}f}".replace(",", "\u202f")


def counted(count: int, what: str, many: str = "") -> str:
    """A number of things: ``1 deal``, ``12 000 deals``."""
    return f"{number(count)} {plural(count, what, many)}"


def percent(share: float | None, digits: int = 1) -> str:
    """A share as per cent."""
    return "–" if share is None else f"{100 * share:.{digits}f}\u202f%"


def duration(seconds: float | None) -> str:
    """A span of time in its two largest units."""
    if seconds is None:
        return "–"
    if seconds < 1:
        return "under 1 s"
    whole = round(seconds)
    for size, unit, below, small in ((86400, "d", 3600, "h"), (3600, "h", 60, "min"), (60, "min", 1, "s")):
        if whole >= size:
            rest = whole % size // below
            return f"{whole // size} {unit}" + (f" {rest} {small}" if rest else "")
    return f"{whole} s"


def moment(at: float | None) -> str:
    """A time of the ledger, in UTC, to the second."""
    return "–" if at is None else datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def clock(at: float | None) -> str:
    """The time of day of a time of the ledger, in UTC."""
    return "–" if at is None else datetime.fromtimestamp(at, UTC).strftime("%H:%M:%S UTC")


def points(share: float | None) -> str:
    """A difference of shares in points, with its sign."""
    return "–" if share is None else f"{100 * share:+.1f}".replace("-", "\u2212")


def p_value(p: float) -> str:
    """A test's p, never rounded to nothing."""
    return f"{p:.3f}" if p >= 0.001 else f"{p:.1e}" if p >= 1e-99 else "< 1e-99"


def iso(at: float | None) -> str:
    """A time for ``<time datetime>``."""
    return "" if at is None else datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds")


def embedded(value: Any) -> Markup:
    """JSON for a data block inside a page; nothing in it can end the block."""
    text = orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS).decode()
    return Markup(text.replace("<", "\\u003c").replace("&", "\\u0026"))  # noqa: S704  escaped just here


def environment() -> Environment:
    """The environment of every page; unknown names in templates are errors."""
    env = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    env.filters.update(
        number=number,
        counted=counted,
        percent=percent,
        duration=duration,
        moment=moment,
        clock=clock,
        iso=iso,
        embedded=embedded,
        points=points,
        p_value=p_value,
    )
    env.filters["sign"] = sign
    env.globals.update(static=static_url, version=engine_version)
    for said in (
        words.who,
        words.status,
        words.rank_sign,
        words.suit_sign,
        words.stock_words,
        words.off_words,
        words.text_lines,
    ):
        env.globals[said.__name__] = said
    return env


@lru_cache(maxsize=1)
def _shared() -> Environment:
    return environment()


def rendered(request: Request, name: str, **context: Any) -> str:
    """A template filled in. Adds what every page has: who is asking and the token of its forms."""
    user = getattr(request.state, "user", None)
    csrf_token = getattr(request.state, "csrf", "")
    identity = getattr(request.state, "identity", None)
    role = Role.VIEWER if identity is None else identity.role
    may_submit = identity is not None and role.covers(Role.SUBMITTER)
    return (
        _shared()
        .get_template(name)
        .render(
            request=request,
            path=request.url.path,
            user=user,
            csrf_token=csrf_token,
            may_submit=may_submit,
            nav=[(href, label) for href, label, least in NAV if role.covers(least)],
            **context,
        )
    )


def page(request: Request, name: str, status: int = 200, **context: Any) -> HTMLResponse:
    """A whole page as a response. It is made for one reader: caches keep no copy."""
    html = rendered(request, name, **context)
    return HTMLResponse(html, status_code=status, headers={"Cache-Control": "no-store"})
