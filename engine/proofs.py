"""Proofs that a deal cannot be won: what a certificate says, and how it is checked again.

A certificate is the outcome of the native exhaustive search (docs/proofs.md). Checking it runs that
search anew and, where the space is small, walks the whole space with the reference rules as well,
without any pruning but that columns are interchangeable once the stock is gone.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from engine import _core, game
from engine.core import rules_of
from engine.layouts import Layout
from engine.position import Position
from engine.solver import Reason, Verdict
from engine.variants import Variant

FORMAT = "spidervet-proof/1"
PRUNINGS: tuple[str, ...] = tuple(_core.prunings())
"""The search's prunings, in the order of its bits."""
PLAIN_BOUND = 50_000
"""Positions that the reference walks through before it leaves a check to the native search alone."""


MOST = 1 << 62  # no count of a search comes near; twice as many still fit the core's 64 bits


class CertificateError(ValueError):
    """Text that is no certificate; says what is wrong."""


@dataclass(frozen=True)
class Certificate:
    """How a deal was proved unsolvable.

    hash_bits: width of the hashes that stand for positions. prunings: those that were on. positions:
    different hashes met. nodes: rated child positions, duplicates included. dead: subtrees that the relaxed
    game closed.
    """

    hash_bits: int
    prunings: tuple[str, ...]
    positions: int
    nodes: int
    dead: int

    def record(self) -> dict[str, Any]:
        """The JSON form."""
        return {
            "method": "exhaustive",
            "hash_bits": self.hash_bits,
            "prunings": list(self.prunings),
            "positions": self.positions,
            "nodes": self.nodes,
            "dead": self.dead,
        }

    @classmethod
    def parse(cls, text: str) -> Certificate:
        """Read a certificate's JSON text. Raises CertificateError."""
        try:
            raw = json.loads(text)
        except ValueError as error:
            raise CertificateError(f"not JSON: {error}") from error
        return cls.of(raw)

    @classmethod
    def of(cls, raw: object) -> Certificate:
        """Read a certificate's JSON form. Raises CertificateError naming the key at fault."""
        if not isinstance(raw, dict) or raw.get("method") != "exhaustive":
            raise CertificateError('expected an object with "method": "exhaustive"')
        numbers = {}
        for key in ("hash_bits", "positions", "nodes", "dead"):
            value = raw.get(key)
            if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MOST:
                raise CertificateError(f"{key}: {value!r} is not a count")
            numbers[key] = value
        names = raw.get("prunings")
        if not isinstance(names, list) or not all(name in PRUNINGS for name in names):
            raise CertificateError(f"prunings: {names!r} is not a list of {', '.join(PRUNINGS)}")
        unknown = set(raw) - {"method", "prunings", *numbers}
        if unknown:
            raise CertificateError(f"unknown key {sorted(unknown)[0]!r}")
        return cls(prunings=tuple(names), **numbers)


def mask_of(prunings: tuple[str, ...]) -> int:
    """The native search's bits for names of prunings."""
    return sum(1 << PRUNINGS.index(name) for name in set(prunings))


@dataclass(frozen=True)
class Plain:
    """What the reference found. winnable: None where the bound came first. positions: those seen."""

    winnable: bool | None
    positions: int


def search_plainly(variant: Variant, layout: Layout, bound: int = PLAIN_BOUND) -> Plain:
    """Walk every position that legal actions reach, depth first, with the reference rules alone.

    A move limit is not looked at: more actions can only win more.
    """
    first = game.start(variant, layout)
    seen, stack = {_canonical(first)}, [first]
    while stack:
        position = stack.pop()
        if game.won(variant, position):
            return Plain(winnable=True, positions=len(seen))
        for action in game.legal_moves(variant, position):
            child = game.played(variant, position, action)
            key = _canonical(child)
            if key not in seen:
                if len(seen) >= bound:
                    return Plain(winnable=None, positions=len(seen))
                seen.add(key)
                stack.append(child)
    return Plain(winnable=False, positions=len(seen))


def _canonical(position: Position) -> object:
    """The position, with its columns sorted once no stock can tell them apart."""
    if position.stock:
        return position
    return tuple(sorted(zip(position.columns, position.face_down, strict=True))), position.off


@dataclass(frozen=True)
class Recheck:
    """What checking a certificate again found.

    holds: both searches agree that the deal cannot be won, and the native count is the certificate's.
    plain: the reference's own walk, None where it was not tried or the bound came first. fault: why it does
    not hold.
    """

    holds: bool
    positions: int
    plain: Plain | None
    fault: str = ""


def recheck(
    variant: Variant,
    layout: Layout,
    certificate: Certificate,
    memory_mb: int = 4096,
    plain_bound: int = PLAIN_BOUND,
) -> Recheck:
    """Run the native search of a certificate again, and the reference's where the space is small enough.

    memory_mb: for the native search, which needs at most what the proof needed.
    """
    # More than the proof spent, so that a certificate which names too few nodes is told from a refuted one.
    nodes = 2 * certificate.nodes + 1_000_000
    verdict, reason, _, _, text = _core.exhaust(
        rules_of(variant), layout.packed(), nodes, memory_mb << 20, mask_of(certificate.prunings)
    )
    said = list(Verdict)[verdict]
    if said is Verdict.UNKNOWN and list(Reason)[reason] is Reason.MEMORY:
        return Recheck(False, 0, None, f"undecided: the search filled the {memory_mb} MB that it may use")
    if said is not Verdict.UNSOLVABLE:
        return Recheck(False, 0, None, f"the native search says {said.value}")
    again = Certificate.parse(text)
    if again != certificate:
        return Recheck(
            False, again.positions, None, f"the search now says {again.record()}, not {certificate.record()}"
        )
    plain = search_plainly(variant, layout, plain_bound) if again.positions < plain_bound else None
    if plain is not None and plain.winnable:
        return Recheck(False, again.positions, plain, "the reference rules find a win")
    decided = plain if plain is not None and plain.winnable is not None else None
    return Recheck(True, again.positions, decided)
