"""Deals and their identities: scheme, variant, seed. The numbering schemes themselves are in `schemes`.

An identity is for ever: what a scheme deals under its name never changes; vectors in the tests hold it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from engine.layouts import Layout, LayoutError, fitted
from engine.schemes import aisleriot, kpat, pysolfc, solvitaire, spidervet
from engine.variants import NAMED, Variant, resolve

MAX_SEED_DIGITS = 40
"""Longer seed texts are refused before they are read as numbers."""


class DealError(ValueError):
    """A deal that cannot be made. ``field`` is "scheme", "variant" or "seed"."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(f"{field}: {message}")
        self.field = field
        self.message = message


@dataclass(frozen=True)
class DealId:
    """The name of a deal, printed ``spidervet:spider-4:12345``.

    variant: the variant's label (`Variant.label`; a custom one carries its key). seed: canonical text.
    """

    scheme: str
    variant: str
    seed: str

    def __str__(self) -> str:
        return f"{self.scheme}:{self.variant}:{self.seed}"

    @classmethod
    def parse(cls, text: str) -> DealId:
        """Read the printed form. Raises ValueError naming the text; does not look at scheme or variant."""
        parts = text.split(":")
        if len(parts) != 3 or not all(parts):
            raise ValueError(f"{text!r} is not a deal identity such as spidervet:spider-4:12345")
        return cls(*parts)


@dataclass(frozen=True)
class Deal(Layout):
    """A start position with its variant and where it came from."""

    variant: Variant
    scheme: str
    seed: str

    @property
    def identity(self) -> DealId:
        return DealId(self.scheme, self.variant.label, self.seed)


@dataclass(frozen=True)
class Scheme:
    """One numbering.

    seeds: the range, in words. variants: names of the variants it deals, empty for every variant, custom
    ones included. canonical: the canonical text of a seed, or DealError. layout: canonical seed and a variant
    to the cards. integers: first and last whole-number seed, None where seeds are no numbers.
    """

    name: str
    title: str
    seeds: str
    variants: tuple[str, ...]
    integers: tuple[int, int] | None
    canonical: Callable[[str | int], str]
    layout: Callable[[str, Variant], Layout]

    def deals(self, variant: Variant) -> bool:
        """Whether the scheme deals the variant. A custom variant counts as the named one whose cards,
        columns and face-down cards it shares: a scheme knows cards, not rules."""
        if not self.variants or variant.label in self.variants:
            return True
        custom = NAMED.get(variant.name) != variant
        return custom and any(_same_cards(variant, NAMED[name]) for name in self.variants)


def _same_cards(a: Variant, b: Variant) -> bool:
    return (a.decks, a.suits, a.ranks, a.columns, a.face_down) == (
        b.decks,
        b.suits,
        b.ranks,
        b.columns,
        b.face_down,
    )


def whole_number(seed: str | int, first: int, last: int) -> int:
    """A seed as a number from first to last. Raises DealError with the range."""
    wanted = f"a whole number from {first} to {last}"
    if isinstance(seed, bool) or not isinstance(seed, int | str):
        raise DealError("seed", f"expected {wanted}, not {seed!r}")
    if isinstance(seed, str):
        if not re.fullmatch(r"[0-9]+", seed) or len(seed) > MAX_SEED_DIGITS:
            raise DealError("seed", f"{seed[:60]!r} is not {wanted}")
        seed = int(seed)
    if not first <= seed <= last:
        raise DealError("seed", f"{seed} is not {wanted}")
    return seed


def _numbers(first: int, last: int) -> Callable[[str | int], str]:
    return lambda seed: str(whole_number(seed, first, last))


def _pysolfc_seed(seed: str | int) -> str:
    """A number, or ``ms`` and a number for the Microsoft generator; ``ms24`` is the deal 24."""
    if isinstance(seed, str) and seed.startswith("ms"):
        try:
            number = whole_number(seed[2:], pysolfc.FIRST, pysolfc.MICROSOFT_LAST)
        except DealError as error:
            raise DealError("seed", f"ms and a number: {error.message}") from error
        return str(number) if number in pysolfc.PLAIN_MICROSOFT else f"ms{number}"
    return str(whole_number(seed, pysolfc.FIRST, pysolfc.LAST))


_ALL = (
    Scheme(
        name="spidervet",
        title="this project's own numbering",
        seeds="0 to 18446744073709551615 (2^64-1)",
        variants=(),
        integers=(0, spidervet.MASK),
        canonical=_numbers(0, spidervet.MASK),
        layout=lambda seed, variant: spidervet.deal(int(seed), variant),
    ),
    Scheme(
        name="pysolfc",
        title="PySolFC 3.6",
        seeds="1 to 100000000000000000000 (10^20), or ms1 to ms8589934591 (2^33-1); the same below 32000",
        variants=pysolfc.VARIANTS,
        integers=(pysolfc.FIRST, pysolfc.LAST),
        canonical=_pysolfc_seed,
        layout=pysolfc.deal,
    ),
    Scheme(
        name="kpat",
        title="KPatience 22.12",
        seeds="1 to 2147483647 (2^31-1)",
        variants=kpat.VARIANTS,
        integers=(kpat.FIRST, kpat.LAST),
        canonical=_numbers(kpat.FIRST, kpat.LAST),
        layout=kpat.deal,
    ),
    Scheme(
        name="aisleriot",
        title="AisleRiot",
        seeds="0 to 4294967295 (2^32-1)",
        variants=aisleriot.VARIANTS,
        integers=(aisleriot.FIRST, aisleriot.LAST),
        canonical=_numbers(aisleriot.FIRST, aisleriot.LAST),
        layout=aisleriot.deal,
    ),
    Scheme(
        name="solvitaire",
        title="Solvitaire's --random",
        seeds="0 to 4294967295 (2^32-1)",
        variants=solvitaire.VARIANTS,
        integers=(solvitaire.FIRST, solvitaire.LAST),
        canonical=_numbers(solvitaire.FIRST, solvitaire.LAST),
        layout=solvitaire.deal,
    ),
)

SCHEMES: Mapping[str, Scheme] = MappingProxyType({s.name: s for s in _ALL})
"""Every scheme that deals from a seed. ``layout`` is not among them: its deals carry their cards."""


def scheme_records() -> list[dict[str, Any]]:
    """Every scheme for people, in JSON spelling, ``layout`` last; variants null means every one."""
    numbered = [
        {"name": s.name, "title": s.title, "seeds": s.seeds, "variants": list(s.variants) or None}
        for s in SCHEMES.values()
    ]
    cards = {
        "name": "layout",
        "title": "the cards themselves",
        "seeds": "a hash of the cards",
        "variants": None,
    }
    return [*numbered, cards]


def scheme_named(name: str) -> Scheme:
    """A numbering scheme by name. Raises DealError."""
    scheme = SCHEMES.get(name)
    if scheme is None:
        raise DealError("scheme", f"no scheme is named {name!r}; there are {', '.join(SCHEMES)}")
    return scheme


def canonical_seed(scheme: str, variant: Variant, seed: str | int) -> str:
    """The canonical text of a seed. Raises DealError: scheme, a variant that it does not deal, the range."""
    numbering = scheme_named(scheme)
    if not numbering.deals(variant):
        raise DealError(
            "variant", f"{scheme} does not deal {variant.name}; it deals {', '.join(numbering.variants)}"
        )
    return numbering.canonical(seed)


def deal(variant: Variant | str, seed: str | int, scheme: str = "spidervet") -> Deal:
    """The deal of a seed. Raises DealError, or VariantError for an unknown variant name."""
    variant = resolve(variant)
    text = canonical_seed(scheme, variant, seed)
    cards = scheme_named(scheme).layout(text, variant)
    return Deal(cards.columns, cards.face_down, cards.stock, variant, scheme, text)


def laid_out(variant: Variant, layout: Layout) -> Deal:
    """A deal of the scheme ``layout``: the cards themselves; its seed is a hash of them (32 hex digits).

    Raises DealError for cards that are no start position of the variant.
    """
    try:
        fitted(variant, layout)
    except LayoutError as error:
        raise DealError("layout", str(error)) from error
    digest = hashlib.sha256(layout.packed()).hexdigest()[:32]
    return Deal(layout.columns, layout.face_down, layout.stock, variant, "layout", digest)


def deal_by_id(text: str, variant: Variant | None = None) -> Deal:
    """The deal of a printed identity. variant: what a custom variant's label stands for; named ones, with
    presets, speak for themselves. Raises ValueError."""
    identity = DealId.parse(text)
    if variant is None or variant.label != identity.variant:
        variant = resolve(identity.variant)
    return deal(variant, identity.seed, identity.scheme)
