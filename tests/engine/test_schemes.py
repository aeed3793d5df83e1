"""Other programs' numbers: every layout that the programs themselves made is reproduced card by card."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine.deals import SCHEMES, Deal, DealError, canonical_seed, deal
from engine.variants import NAMED, Variant, resolve

VECTORS = Path(__file__).parents[1] / "data" / "vectors"

GAMES: dict[str, str | dict[str, Any]] = {
    "aisleriot_scorpion": "scorpion",
    "aisleriot_spider1suit": "spider-1",
    "aisleriot_spider2suit": "spider-2",
    "aisleriot_spider4suit": "spider-4",
    "aisleriot_spiderette": "spiderette-4",
    "aisleriot_willothewisp": "will-o-the-wisp-4",
    "kpat_spider1suit": "spider-1",
    "kpat_spider2suit": "spider-2",
    "kpat_spider4suit": "spider-4",
    "pysolfc_babyspiderette": {"base": "spiderette-4", "name": "baby", "group_move": "any-suit"},
    "pysolfc_blackwidow": "black-widow",
    "pysolfc_doublescorpion": "double-scorpion",
    "pysolfc_relaxedspider": {"base": "spider-4", "name": "relaxed", "stock_deal_over_empty": "allowed"},
    "pysolfc_scorpion": "scorpion",
    "pysolfc_scorpionii": "scorpion-ii",
    "pysolfc_simplesimon": "simple-simon-4",
    "pysolfc_spider": "spider-4",
    "pysolfc_spider1suit": "spider-1",
    "pysolfc_spider2suits": "spider-2",
    "pysolfc_spiderette": "spiderette-4",
    "pysolfc_willothewisp": "will-o-the-wisp-4",
    "solvitaire_simplesimon": "simple-simon-4",
    "solvitaire_spider": "spider-4",
    "solvitaire_spiderette": "spiderette-4",
    "solvitaire_willothewisp": "will-o-the-wisp-4",
}
OTHER_GAMES = {  # vectors of games that are not in the table of games, and of solvers' verdicts
    "aisleriot_spiderthreedecks",
    "fcsolve_simplesimon_verdicts_ms1-60",
    "pysolfc_mrsmop",
    "pysolfc_openspider",
    "pysolfc_tarantula",
    "simplesimon_ms_proven_unsolvable_1-400",
    "solvitaire_mrsmop",
}


def test_no_vector_file_is_left_out() -> None:
    assert {path.stem for path in VECTORS.glob("*.json")} == GAMES.keys() | OTHER_GAMES


def vectors() -> list[Any]:
    out = []
    for stem in sorted(GAMES):
        for vector in json.loads((VECTORS / f"{stem}.json").read_text())["vectors"]:
            seed = str(vector.get("seed", vector.get("deal_number")))
            out.append(pytest.param(stem, seed, vector, id=f"{stem}-{seed}"))
    return out


@pytest.mark.parametrize(("stem", "seed", "vector"), vectors())
def test_a_layout_that_the_program_made_is_reproduced(stem: str, seed: str, vector: dict[str, Any]) -> None:
    scheme = stem.partition("_")[0]
    variant = resolve(GAMES[stem])
    made = deal(variant, seed, scheme)
    ours = (lambda text: text.replace("C", "S")) if scheme == "pysolfc" and variant.suits < 4 else str
    columns = [
        [ours(card).replace("10", "T") for card in column] for column in vector["columns_bottom_to_top"]
    ]
    stock = [ours(card).replace("10", "T") for card in vector["stock_in_deal_order"]]
    assert shown_columns(made, marks=scheme != "solvitaire") == columns
    assert [str(card) for card in made.stock] == stock


def shown_columns(made: Deal, *, marks: bool) -> list[list[str]]:
    return [
        [f"({card})" if marks and i < down else str(card) for i, card in enumerate(column)]
        for column, down in zip(made.columns, made.face_down, strict=True)
    ]


def test_pysolfc_and_aisleriot_deal_spiders_long_columns_at_1_4_7_and_10() -> None:
    for scheme in ("pysolfc", "aisleriot"):
        made = deal("spider-4", 1, scheme)
        assert [len(column) for column in made.columns] == [6, 5, 5, 6, 5, 5, 6, 5, 5, 6]
        assert made.face_down == (5, 4, 4, 5, 4, 4, 5, 4, 4, 5)


def test_solvitaires_simple_simon_stands_mirrored() -> None:
    assert [len(column) for column in deal("simple-simon", 0, "solvitaire").columns] == [
        1,
        2,
        3,
        4,
        5,
        6,
        7,
        8,
        8,
        8,
    ]


def test_kpats_simple_simon_numbers_are_pysolfcs() -> None:
    assert deal("simple-simon", 24, "kpat").columns == deal("simple-simon", 24, "pysolfc").columns
    assert deal("simple-simon", 40000, "kpat").columns == deal("simple-simon", "ms40000", "pysolfc").columns


def test_pysolfc_numbers_below_32000_are_microsoft_numbers() -> None:
    simon = NAMED["simple-simon-4"]
    assert canonical_seed("pysolfc", simon, "ms24") == "24"
    assert canonical_seed("pysolfc", simon, "ms32000") == "ms32000"
    assert deal(simon, "32000", "pysolfc").columns != deal(simon, "ms32000", "pysolfc").columns
    assert canonical_seed("pysolfc", simon, "98804262199142645760") == "98804262199142645760"


@pytest.mark.parametrize("seed", [2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**33 - 1])
def test_pysolfcs_large_microsoft_seeds_deal_whole_packs(seed: int) -> None:
    cards = deal("spider-4", f"ms{seed}", "pysolfc").cards
    assert len(set(cards)) == 52
    assert len(cards) == 104


RANGES = [
    ("pysolfc", "0", "from 1 to 100000000000000000000"),
    ("pysolfc", 10**20 + 1, "from 1 to 100000000000000000000"),
    ("pysolfc", "ms0", "from 1 to 8589934591"),
    ("pysolfc", "ms8589934592", "from 1 to 8589934591"),
    ("pysolfc", "ms", "from 1 to 8589934591"),
    ("pysolfc", "ms-1", "from 1 to 8589934591"),
    ("kpat", "0", "from 1 to 2147483647"),
    ("kpat", 2**31, "from 1 to 2147483647"),
    ("kpat", "ms1", "from 1 to 2147483647"),
    ("aisleriot", -1, "from 0 to 4294967295"),
    ("aisleriot", 2**32, "from 0 to 4294967295"),
    ("solvitaire", 2**32, "from 0 to 4294967295"),
]


@pytest.mark.parametrize(("scheme", "seed", "said"), RANGES)
def test_a_number_out_of_range_is_refused_with_the_range(scheme: str, seed: str | int, said: str) -> None:
    with pytest.raises(DealError, match=said) as caught:
        deal("spider-4", seed, scheme)
    assert caught.value.field == "seed"


@pytest.mark.parametrize("scheme", sorted(SCHEMES))
def test_the_table_of_schemes_holds_for_every_named_variant(scheme: str) -> None:
    dealt = set(SCHEMES[scheme].variants) or set(NAMED)
    for name, variant in NAMED.items():
        if name in dealt:
            assert len(deal(variant, 1, scheme).cards) == variant.cards
        else:
            with pytest.raises(DealError, match=f"{scheme} does not deal {name}"):
                deal(variant, 1, scheme)


def test_a_custom_variant_counts_as_the_game_whose_cards_it_shares() -> None:
    tavern = resolve("spider-2+tavern")
    assert deal(tavern, 5, "kpat").columns == deal("spider-2", 5, "kpat").columns
    fewer = resolve({"base": "spider-4", "name": "open", "face_down": [0] * 10})
    with pytest.raises(DealError, match="kpat does not deal open"):
        deal(fewer, 5, "kpat")


def test_microsofts_own_numbers_are_not_promised() -> None:
    assert set(SCHEMES) == {"spidervet", "pysolfc", "kpat", "aisleriot", "solvitaire"}


def test_the_same_number_is_another_deal_in_every_scheme() -> None:
    variant: Variant = NAMED["spider-4"]
    assert len({deal(variant, 7, scheme).packed() for scheme in SCHEMES}) == len(SCHEMES)
