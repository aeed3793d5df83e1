"""What a deal page shows, read from its address and written back into addresses."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote, urlencode

from api.pages.links import LinkError, pack_cards, pack_rules, unpack_cards, unpack_line, unpack_rules
from api.pages.playback import Playback, playback
from api.pages.queries import whole
from api.pages.render import PageError
from engine.deals import Deal, DealError, deal, laid_out
from engine.guests import installed
from engine.players import Level
from engine.variants import NAMED, Variant, VariantError, resolve

MAX_LINES = 2
_PLAYER = re.compile(
    r"player:([a-z0-9_.-]{1,40})(\([a-z0-9_=.,-]{1,60}\))?"
    r"( rng [0-9]{1,20})?( \(again, by engine [a-z0-9.+-]{1,40}\))?"
)
LAYOUT = "layout"


@dataclass(frozen=True)
class Line:
    """A game of the deal. text: as `links.pack_line` writes. by: ``solver``, ``player:club``, ``import``."""

    text: str
    by: str


def author(by: str) -> str:
    """Who a link or a file says played, where it is someone this service knows; else ``import``.

    The page sets it in its own headings, so no other text of a link may get there.
    """
    player = _PLAYER.fullmatch(by)
    return by if by == "solver" or (player and player[1] in levels()) else "import"


def levels() -> list[str]:
    """The shipped players and those of other packages."""
    return [*(level.value for level in Level), *installed()]


@dataclass(frozen=True)
class View:
    """A deal, up to two games of it, and where one is in them. cards and rules: as in `links`, empty where
    scheme, seed and the variant's name say it all."""

    scheme: str
    variant: str
    seed: str
    move: int = 0
    hidden: bool = False
    lines: tuple[Line, ...] = ()
    cards: str = ""
    rules: str = ""

    @classmethod
    def of(cls, scheme: str, variant: str, seed: str, query: Mapping[str, Any]) -> View:
        """Read a page's address. Raises PageError for a move that is no number."""
        move = whole(str(query.get("move") or "0"), "move", "No such move")
        lines = tuple(
            Line(str(query[f"line{n}"]), author(str(query.get(f"by{n}"))))
            for n in ("", "2")
            if query.get(f"line{n}")
        )
        return cls(
            scheme,
            variant,
            seed,
            move,
            query.get("hidden") == "1",
            lines,
            str(query.get("cards") or ""),
            str(query.get("rules") or ""),
        )

    @classmethod
    def of_deal(cls, shown: Deal, lines: tuple[Line, ...] = ()) -> View:
        """The view of a deal, with what its name alone does not say."""
        cards = pack_cards(shown) if shown.scheme == LAYOUT else ""
        rules = "" if _by_name(shown.variant) else pack_rules(shown.variant)
        return cls(shown.scheme, shown.variant.label, shown.seed, lines=lines, cards=cards, rules=rules)

    def with_line(self, line: Line) -> View:
        """The view with one more game: in place of one by the same hand, else of the last."""
        kind = line.by.partition(":")[0]
        kept = [x for x in self.lines if x.by.partition(":")[0] != kind][: MAX_LINES - 1]
        both = sorted([*kept, line], key=lambda x: x.by != "solver")
        return replace(self, lines=tuple(both), move=0)

    @property
    def path(self) -> str:
        parts = (quote(part, safe="+~") for part in (self.scheme, self.variant, self.seed))
        return "/deals/" + "/".join(parts)

    def fields(self, **changes: Any) -> dict[str, str]:
        """The query of this view, or of one that differs from it, without what is at its default."""
        view = replace(self, **changes)
        out: dict[str, str] = {}
        for n, line in zip(("", "2"), view.lines, strict=False):
            out |= {f"line{n}": line.text, f"by{n}": line.by}
        out |= {"cards": view.cards, "rules": view.rules}
        out |= {"hidden": "1" if view.hidden else "", "move": str(view.move or "")}
        return {key: value for key, value in out.items() if value}

    def url(self, ending: str = "", **changes: Any) -> str:
        query = urlencode(self.fields(**changes), safe=":")
        return self.path + ending + (f"?{query}" if query else "")

    def deal(self) -> Deal:
        """The deal itself. Raises PageError where there is none."""
        try:
            variant = unpack_rules(self.rules) if self.rules else resolve(self.variant)
            if self.scheme != LAYOUT:
                return deal(variant, self.seed, self.scheme)
            if not self.cards:
                raise PageError(
                    404,
                    "This deal is known by its cards alone",
                    "A deal of the scheme “layout” needs a link that carries its cards, or an import.",
                )
            return laid_out(variant, unpack_cards(self.cards))
        except VariantError as error:
            raise PageError(404, "No such game", f"{error.field}: {error.message}") from error
        except DealError as error:
            raise PageError(404, "No such deal", f"{error.field}: {error.message}") from error
        except LinkError as error:
            raise PageError(400, "This link cannot be read", str(error)) from error

    def games(self, of: Deal) -> list[Playback]:
        """The games of the view, played; one without moves where it has none. Raises PageError."""
        try:
            played = [playback(of, unpack_line(line.text), line.by) for line in self.lines]
        except LinkError as error:
            raise PageError(400, "This link cannot be read", str(error)) from error
        return played or [playback(of, [])]


def _by_name(variant: Variant) -> bool:
    try:
        return resolve(variant.label) == variant
    except VariantError:
        return variant.name in NAMED
