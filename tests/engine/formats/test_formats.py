"""Deal files: round trips, other programs' own files, autodetection, and what is refused, where and why."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import pytest

from engine.deals import SCHEMES, Deal, deal
from engine.formats import Format, FormatError, UnsayableError, read_deal, write_deal
from engine.formats.dealjson import deal_object
from engine.variants import NAMED, resolve

FILES = Path(__file__).parents[2] / "data" / "formats"
ROUND = [Format.TEXT, Format.JSON]
ALL = [(scheme, name) for scheme, s in SCHEMES.items() for name in s.variants or NAMED]


@pytest.mark.parametrize("form", ROUND)
@pytest.mark.parametrize(("scheme", "name"), ALL)
def test_our_own_forms_give_back_the_deal_and_its_identity(scheme: str, name: str, form: Format) -> None:
    made = deal(name, 42, scheme)
    assert read_deal(write_deal(made, form)) == made


@pytest.mark.parametrize("form", [Format.PYSOLFC, Format.SOLVITAIRE, Format.KPAT])
@pytest.mark.parametrize(("scheme", "name"), ALL)
def test_other_forms_give_back_the_cards_or_say_that_they_cannot(
    scheme: str, name: str, form: Format
) -> None:
    made = deal(name, 42, scheme)
    kpats = name in ("spider-1", "spider-2", "spider-4", "black-widow", "simple-simon-4")
    sayable = {Format.PYSOLFC: not made.stock, Format.SOLVITAIRE: True, Format.KPAT: kpats}[form]
    if sayable:
        assert read_deal(write_deal(made, form), made.variant).packed() == made.packed()
    else:
        with pytest.raises(UnsayableError, match=name):
            write_deal(made, form)


def test_a_custom_variants_record_travels_in_json_and_its_name_in_text() -> None:
    odd = resolve({"base": "spider-2", "name": "odd", "face_down": [0] * 10, "sequence_removal": "optional"})
    made = deal(odd, 7)
    assert read_deal(write_deal(made, Format.JSON)) == made
    text = write_deal(made, Format.TEXT)
    assert read_deal(text, odd) == made
    with pytest.raises(FormatError, match="does not name its variant"):
        read_deal(text)


def test_presets_travel_by_label() -> None:
    made = deal(resolve("spider-1+tavern"), 3)
    assert "variant: spider-1+tavern~" in write_deal(made)
    assert read_deal(write_deal(made)) == made


def test_json_has_the_keys_that_others_parse() -> None:
    made = deal("spiderette", 9)
    assert deal_object(made) == {
        "format": "spidervet-deal/1",
        "id": "spidervet:spiderette-4:9",
        "variant": "spiderette-4",
        "columns": [[str(card) for card in column] for column in made.columns],
        "face_down": [0, 1, 2, 3, 4, 5, 6],
        "stock": [str(card) for card in made.stock],
    }


def test_a_board_that_pysolfc_exported_is_read() -> None:
    data = (FILES / "pysolfc_board_export_simple_simon_ms24.board").read_bytes()
    assert read_deal(data, NAMED["simple-simon-4"]).columns == deal("simple-simon", 24, "pysolfc").columns
    assert write_deal(deal("simple-simon", 24, "pysolfc"), Format.PYSOLFC).encode() == data


def test_a_deal_that_solvitaire_exported_is_read() -> None:
    data = (FILES / "solvitaire_spider_seed1.json").read_bytes()
    assert read_deal(data, NAMED["spider-4"]).packed() == deal("spider-4", 1, "solvitaire").packed()


def test_a_game_that_kpatience_saved_is_read_with_its_number() -> None:
    data = (FILES / "kpat_save_spider_example.xml").read_bytes()
    assert read_deal(data) == deal("spider-4", 955057167, "kpat")


def test_a_kpatience_file_differs_from_ours_in_the_ids_of_twin_cards_only() -> None:
    text = (FILES / "kpat_save_spider_example.xml").read_text()
    ours = write_deal(deal("spider-4", 955057167, "kpat"), Format.KPAT)

    def without_ids(xml: str) -> list[str]:
        return [line.split("suit=")[-1] for line in xml.splitlines()]

    def ids(xml: str) -> list[str]:
        return sorted(line.split('id="')[1][:7] for line in xml.splitlines() if 'id="' in line)

    assert without_ids(ours) == without_ids(text)
    assert ids(ours) == ids(text)


def test_a_kpatience_file_without_its_suit_count_is_inferred() -> None:
    for name in ("spider-1", "spider-2", "spider-4"):
        text = write_deal(deal(name, 5, "kpat"), Format.KPAT)
        bare = text.replace(f' game-type-options="{name[-1]}"', "")
        assert bare != text
        assert read_deal(bare) == deal(name, 5, "kpat")


def test_a_kpatience_number_that_deals_other_cards_is_not_believed() -> None:
    text = write_deal(deal("spider-4", 5, "kpat"), Format.KPAT).replace('deal-number="5"', 'deal-number="6"')
    assert read_deal(text).scheme == "layout"


def test_without_marks_the_variants_usual_cards_are_face_down() -> None:
    text = write_deal(deal("spider-4", 1, "pysolfc")).replace("(", "").replace(")", "")
    assert read_deal(text).face_down == (5, 4, 4, 5, 4, 4, 5, 4, 4, 5)


def test_a_byte_order_mark_latin_1_tens_and_small_letters_are_read() -> None:
    simon = NAMED["simple-simon-4"]
    made = deal(simon, 24, "pysolfc")
    text = write_deal(made, Format.PYSOLFC).replace("T", "10").lower()
    assert read_deal(b"\xef\xbb\xbf" + text.encode(), simon).columns == made.columns
    assert read_deal("# Café\n".encode("latin-1") + text.encode(), simon).columns == made.columns
    assert read_deal("Founds: H-0 C-0 D-0 S-0\n" + text, simon).columns == made.columns


def test_an_explicit_variant_goes_before_the_files_own() -> None:
    made = deal("spider-4", 5)
    tavern = resolve("spider-4+tavern")
    for form in ROUND:
        read = read_deal(write_deal(made, form), tavern)
        assert (read.variant, read.scheme) == (tavern, "layout")


def text_of(made: Deal) -> str:
    return write_deal(made, Format.TEXT)


SPIDER = text_of(deal("spider-4", 5))
SIMON = write_deal(deal("simple-simon", 24, "pysolfc"), Format.PYSOLFC)
JSON = json.dumps(deal_object(deal("spider-4", 5)), indent=1)
KPAT = write_deal(deal("spider-4", 5, "kpat"), Format.KPAT)

REFUSED_TEXT = [
    ("", "the file is empty", 1, 1),
    (" \n\t\n", "the file is empty", 1, 1),
    ("# only a comment\n", "no column", 1, 1),
    ("variant: spider-4\n", "no column", 1, 17),
    ("variant: spyder\n" + SIMON, "no variant is named 'spyder'", 1, 1),
    (SIMON, "does not name its variant", 10, 2),
    (SPIDER.replace("4S", "4X", 1), "'4X' is not a card", 3, 28),
    (SPIDER.replace("4S", "1S", 1), "'1S' is not a card", 3, 28),
    (SPIDER.replace("4S", "A" * 500, 1), "is not a card", 3, 28),
    (SPIDER.replace("(8D)", "()", 1), "'' is not a card", 3, 3),
    (SPIDER.replace("(8D)", "(8D", 1), "'(8D' is not a card", 3, 3),
    (SPIDER.replace(" 4S", " 6S", 1), "6S once too often: spider-4 has it twice", 5, 8),
    (SPIDER.replace(" 4S", "", 1), "missing: 4S", 17, 36),
    (SPIDER.replace("4S\n", "4S QS\n", 1).replace("stock: QS", "stock:"), "columns of 7 6 6 6 5", 17, 36),
    (SPIDER.replace("(8D) (7D)", "8D (7D)", 1), "column 1: a face-down card lies on a face-up one", 3, 21),
    (SPIDER.replace("(8D) (7D)", "8D 7D", 1), "column 1: a face-down card lies on", 3, 14),
    (SPIDER.replace("stock: QS", "stock: (QS)"), "no face-down mark", 13, 8),
    (SPIDER + ": AS\n", "11 columns; spider-4 has 10", 18, 3),
    (SPIDER + "talon: AS\n", "unknown line 'talon'", 18, 1),
    (SPIDER.replace(":5", ":6"), "deals other cards than these", 2, 1),
    (SPIDER.replace("id: spidervet:spider-4:5", "id: spider"), "not a deal identity", 2, 1),
    (SPIDER.replace("id: spidervet", "id: windows"), "no scheme is named", 2, 1),
    (SPIDER.replace("spidervet:spider-4:5", "layout:spider-4:00"), "these cards are layout:spider-4:", 2, 1),
    (
        SPIDER.replace("spidervet:spider-4:5", "spidervet:spider-2:5"),
        "a deal of spider-2, not of spider-4",
        2,
        1,
    ),
    ("Founds: H-A\n" + SIMON, "this is no start position", 1, 1),
]


@pytest.mark.parametrize(("text", "message", "line", "column"), REFUSED_TEXT)
def test_a_bad_board_is_refused_with_line_and_column(text: str, message: str, line: int, column: int) -> None:
    with pytest.raises(FormatError) as caught:
        read_deal(text)
    assert message in caught.value.message
    assert (caught.value.spot.line, caught.value.spot.column) == (line, column)
    assert str(caught.value).startswith(f"line {line}, column ")


REFUSED_JSON = [
    ("{", "not JSON: it ends too early"),
    ("[1, 2]", "deal: expected an object"),
    ("{'format': 1}", "not JSON: expected a value"),
    ('{"a": 1, "a": 2}', "stands twice"),
    ('{"a": 1} x', "text after the end"),
    ("{" * 30, "not JSON"),
    ('{"by": "\\ud800"}', "half a character"),
    ('{"\ud800": 1}', "half a character"),
    ("[" * 30, "nested deeper than 20"),
    ('{"format": "spidervet-deal/2", "columns": [], "stock": []}', "expected 'spidervet-deal/1'"),
    (JSON.replace('"stock"', '"stok"'), "'stock' is missing"),
    (JSON.replace('"id"', '"idd"'), "unknown key 'idd'"),
    (JSON.replace('"4S"', "4", 1), "columns[0][5]: expected text, not 4"),
    (JSON.replace('"4S"', '"44"', 1), "'44' is not a card"),
    (JSON.replace('"spider-4"', '{"base": "spider-4", "suits": 3}'), "suits: 3 is not 1, 2 or 4"),
    (JSON.replace('"spider-4"', "null"), "expected a name or a record, not null"),
    (JSON.replace('"face_down": [\n  5', '"face_down": [\n  false'), "face_down[0]: expected a whole number"),
    (JSON.replace('"face_down": [\n  5', '"face_down": [\n  6'), "face_down[0]: 6 of 6 cards"),
    (JSON.replace('"face_down": [\n  5', '"face_down": [\n  4'), "face-down cards 4 5 5 5 4"),
    (JSON.replace('"face_down": [\n  5,', '"face_down": ['), "9 entries for 10 columns"),
    (JSON.replace('"spidervet:spider-4:5"', "5"), "id: expected text, not 5"),
    ('{"tableau piles": [], "stock": []}', "does not name its variant"),
]


@pytest.mark.parametrize(("text", "message"), REFUSED_JSON)
def test_bad_json_is_refused_with_line_and_column(text: str, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        read_deal(text)
    assert message in caught.value.message
    assert str(caught.value).startswith(f"line {caught.value.spot.line}, column {caught.value.spot.column}: ")


def test_an_error_in_json_points_at_the_value() -> None:
    with pytest.raises(FormatError) as caught:
        read_deal(JSON.replace('"4S"', '"44"', 1))
    line = JSON.splitlines()[caught.value.spot.line - 1]
    assert line[caught.value.spot.column - 1 :] == '"4S"'


REFUSED_XML = [
    (KPAT[: KPAT.index("</state>")], "not XML: no element found"),
    (KPAT.replace("kpat-game", "game"), "expected <kpat-game>"),
    (KPAT.replace('"spider"', '"golf"'), "only spider and simplesimon are read"),
    (KPAT.replace('options="4"', 'options="3"'), "'3' suits: KPatience's Spider has 1, 2 or 4"),
    (KPAT.replace("state", "estate"), "no <state>"),
    (KPAT.replace('"stack0"', '"leg0"'), "pile 'leg0' in the layout"),
    (KPAT.replace("redeals4", "redeals5"), "pile 'redeals5' in the layout"),
    (KPAT.replace("</state>", '<move pile="store0" position="0"/></state>'), "pile 'store0' in the layout"),
    (KPAT.replace('position="5"', 'position="6"'), "position '6' in stack0, which holds 5 cards"),
    (KPAT.replace('rank="ace"', 'rank="one"'), "'one' of"),
    (KPAT.replace('turn="face-up"', 'turn="up"'), "turn 'up'"),
    (KPAT.replace("face-up", "face-down"), "face-down cards 6 6 6 6 5"),
    ('<!DOCTYPE a [<!ENTITY b "c">]><kpat-game/>', "document type declaration"),
    (KPAT.replace("</state>", "</stat>"), "not XML: mismatched tag"),
]


@pytest.mark.parametrize(("text", "message"), REFUSED_XML)
def test_a_bad_kpatience_file_is_refused_with_line_and_column(text: str, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        read_deal(text)
    assert message in caught.value.message
    assert caught.value.spot.line >= 1


def test_nine_or_eleven_columns_and_missing_cards_are_refused_for_every_form() -> None:
    made = deal("spider-4", 5)
    record = deal_object(made)
    nine = {**record, "columns": record["columns"][:9], "face_down": record["face_down"][:9]}
    with pytest.raises(FormatError, match="9 columns; spider-4 has 10"):
        read_deal(json.dumps(nine))
    short = {**record, "stock": record["stock"][:-1]}
    with pytest.raises(FormatError, match=f"missing: {made.stock[-1]}"):
        read_deal(json.dumps(short))
    with pytest.raises(FormatError, match="spider-1 is not played with"):
        read_deal(json.dumps({**record, "variant": "spider-1", "id": None}))


def test_an_endless_file_is_refused_unread() -> None:
    with pytest.raises(FormatError, match="1,000,001 bytes; at most 1,000,000 are read"):
        read_deal("A" * 1_000_001)
    with pytest.raises(FormatError, match="1,000,002 bytes"):
        read_deal("♠" * 333_334)


class Loaded:
    """Unpickling one leaves a mark."""

    marks: list[str] = []  # noqa: RUF012

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return Loaded.marks.append, ("loaded",)


def test_a_pickled_save_is_never_loaded() -> None:
    data = pickle.dumps(Loaded())
    with pytest.raises(FormatError):
        read_deal(data, NAMED["spider-4"])
    assert Loaded.marks == []
