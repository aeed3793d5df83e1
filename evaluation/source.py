"""Where a job's deals come from: a range of seeds, a list of seeds, or the cards themselves.

A source numbers its deals from 0 and gives for each its seed text and, per variant, its packed
position. Every arm of a job uses the same source, which is what makes arms comparable in pairs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from engine.batches import packed_deals
from engine.cards import Card
from engine.deals import DealError, canonical_seed, laid_out, scheme_named
from engine.layouts import Layout
from engine.variants import Variant


class SourceError(ValueError):
    """Deals that cannot be had. ``field`` is the key of the request's ``deals`` at fault, or "variants"."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field
        self.message = message


class DealSource(Protocol):
    """Deals numbered 0 … count - 1 under one scheme."""

    @property
    def scheme(self) -> str: ...

    @property
    def count(self) -> int: ...

    def seed(self, index: int) -> str:
        """Canonical text of the seed of a deal."""

    def packed(self, variant: Variant, indices: Sequence[int]) -> list[bytes]:
        """Packed positions (`engine.core`) of some deals under a variant."""


@dataclass(frozen=True)
class RangeSource:
    """Seeds first, first + 1, …"""

    scheme: str
    first: int
    count: int

    @classmethod
    def checked(cls, scheme: str, first: int | str, count: int, variants: Iterable[Variant]) -> RangeSource:
        """Raises SourceError unless every seed of the range is one of the scheme for every variant."""
        if isinstance(first, str) and not (first.isascii() and first.isdigit() and len(first) <= 40):
            raise SourceError("first", f"{first[:60]!r} is not a whole number")
        start = int(first)
        try:
            if scheme_named(scheme).integers is None:
                raise SourceError("first", f"seeds of {scheme} are not whole numbers; send a list of seeds")
        except DealError as error:
            raise SourceError(error.field, error.message) from error
        for variant in variants:
            _canonical(scheme, variant, start, "first")
            _canonical(scheme, variant, start + count - 1, "count")
        return cls(scheme, start, count)

    def seed(self, index: int) -> str:
        return str(self.first + index)

    def packed(self, variant: Variant, indices: Sequence[int]) -> list[bytes]:
        return packed_deals(variant, [self.seed(i) for i in indices], self.scheme)


@dataclass(frozen=True)
class ListSource:
    """Named seeds in the order of the request."""

    scheme: str
    seeds: tuple[str, ...]

    @classmethod
    def checked(cls, scheme: str, seeds: Sequence[int | str], variants: Sequence[Variant]) -> ListSource:
        """Raises SourceError for a seed that some variant cannot have, and for one sent twice."""
        texts: dict[str, int] = {}
        for i, seed in enumerate(seeds):
            forms = {_canonical(scheme, variant, seed, f"seeds.{i}") for variant in variants}
            text = forms.pop()
            if text in texts:
                raise SourceError(f"seeds.{i}", f"{text} is also seeds.{texts[text]}")
            texts[text] = i
        return cls(scheme, tuple(texts))

    @property
    def count(self) -> int:
        return len(self.seeds)

    def seed(self, index: int) -> str:
        return self.seeds[index]

    def packed(self, variant: Variant, indices: Sequence[int]) -> list[bytes]:
        return packed_deals(variant, [self.seeds[i] for i in indices], self.scheme)


@dataclass(frozen=True)
class LayoutSource:
    """Deals by their cards; a deal's seed is a hash of them."""

    layouts: tuple[Layout, ...]
    hashes: tuple[str, ...]
    scheme: str = "layout"

    @classmethod
    def checked(cls, data: Sequence[Mapping[str, Any]], variants: Sequence[Variant]) -> LayoutSource:
        """Raises SourceError for cards that are no start position of a variant, or that repeat."""
        layouts: list[Layout] = []
        hashes: dict[str, int] = {}
        for i, item in enumerate(data):
            layout = _layout(item, variants[0], f"layouts.{i}")
            for variant in variants:
                try:
                    digest = laid_out(variant, layout).seed
                except DealError as error:
                    raise SourceError(f"layouts.{i}", error.message) from error
            if digest in hashes:
                raise SourceError(f"layouts.{i}", f"the same cards as layouts.{hashes[digest]}")
            hashes[digest] = i
            layouts.append(layout)
        return cls(tuple(layouts), tuple(hashes))

    @property
    def count(self) -> int:
        return len(self.layouts)

    def seed(self, index: int) -> str:
        return self.hashes[index]

    def packed(self, variant: Variant, indices: Sequence[int]) -> list[bytes]:
        return [self.layouts[i].packed() for i in indices]


def _canonical(scheme: str, variant: Variant, seed: int | str, field: str) -> str:
    try:
        return canonical_seed(scheme, variant, seed)
    except DealError as error:
        where = {"seed": field, "variant": "variants"}.get(error.field, error.field)
        raise SourceError(where, error.message) from error


def _layout(data: Mapping[str, Any], variant: Variant, field: str) -> Layout:
    try:
        columns = tuple(tuple(Card.parse(card) for card in column) for column in data["columns"])
        stock = tuple(Card.parse(card) for card in data.get("stock", ()))
    except ValueError as error:
        raise SourceError(field, str(error)) from error
    return Layout(columns, tuple(data.get("face_down", variant.face_down)), stock)
