"""Which scale of difficulty a variant is rated by: one made or refitted here, else a shipped one."""

from __future__ import annotations

from dataclasses import dataclass, replace

import orjson
from sqlalchemy import Connection, insert, select

from engine.variants import Variant
from evaluation.versions import engine_version, plays_alike
from evaluation.vetting.scale import Scale
from evaluation.vetting.scalefile import from_json, nearest, shipped, to_json
from evaluation.vetting.tables import VetScale

SAMPLE, REFIT = "sample", "refit"
BORROWED = "borrowed"
"""Key in the sample of a refitted scale that is another game's: whose."""


@dataclass(frozen=True)
class Chosen:
    """A scale and what to tell of it. own: made for exactly these rules."""

    scale: Scale
    own: bool

    @property
    def remarks(self) -> tuple[str, ...]:
        """What an editor should know before trusting it."""
        said = []
        if not self.own:
            lender = self.scale.sample.get(BORROWED, self.scale.variant)
            said.append(f"rated on the scale of {lender}, the nearest game with a scale")
        if not _fresh(self.scale):
            said.append(
                f"the scale was made with engine {self.scale.engine}, this is {engine_version()}:"
                " predicted win rates may be off until it is remade"
            )
        return tuple(said)


def _fresh(scale: Scale) -> bool:
    """Whether its raters still play as they did when it was made."""
    return all(plays_alike(rater.player, scale.engine) for rater in scale.raters)


def scale_for(conn: Connection, variant: Variant) -> Chosen:
    """The newest scale of exactly these rules in the ledger, else a shipped one. Raises NoScaleError.

    Where this release ships one for its players and the ledger's is an older one that was refitted to people,
    the release's scale is used with their curve: by construction difficulties have the same units.
    """
    stored = conn.execute(
        select(VetScale.scale, VetScale.kind)
        .where(VetScale.variant_key == variant.key)
        .order_by(VetScale.id.desc())
        .limit(1)
    ).one_or_none()
    if stored is None:
        return Chosen(*nearest(variant))
    scale = from_json(orjson.loads(stored.scale))
    newer = shipped().get(variant.key)
    if stored.kind == REFIT and newer is not None and not _fresh(scale) and _fresh(newer):
        scale = replace(newer, people=scale.people)
    return Chosen(scale, BORROWED not in scale.sample)


def store(conn: Connection, scale: Scale, kind: str, at: float, by: str) -> None:
    """Keep a scale; from now on it is the one that its variant is rated by."""
    conn.execute(
        insert(VetScale).values(
            variant_key=scale.variant_key,
            kind=kind,
            scale=orjson.dumps(to_json(scale)).decode(),
            at=at,
            by=by,
        )
    )
