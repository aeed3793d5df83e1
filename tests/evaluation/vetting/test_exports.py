"""Published days as files, and a site's own deals from files."""

from __future__ import annotations

import csv
import io
import json
from datetime import date, timedelta
from pathlib import Path

import orjson
import pytest

from engine.deals import deal
from engine.formats.dealjson import deal_object
from engine.variants import resolve
from evaluation.db import Database
from evaluation.settings import Settings
from evaluation.spec import SpecError
from evaluation.vetting import exports, owndeals, publishing
from evaluation.vetting.publishing import Edition
from tests.support.vetting import published

DAY = date(2031, 3, 1)
GAME = resolve("spider-1")
RELAXED = {"base": "spider-1", "name": "relaxed", "stock_deal_over_empty": "allowed"}
OTHER_GAME = deal_object(deal(GAME, 7)) | {"variant": RELAXED}


@pytest.fixture
def editions(lite: Database, settings: Settings, quick: str) -> list[Edition]:
    for i in range(2):
        published(lite, settings, quick, DAY + timedelta(days=i))
    with lite.read() as conn:
        return publishing.in_force(conn, quick, DAY, DAY + timedelta(days=30))


def test_every_format_tells_the_same_days(editions: list[Edition]) -> None:
    ids = [e.content["id"] for e in editions]
    as_json = orjson.loads(exports.write("json", "quick", editions))
    assert [d["id"] for d in as_json["days"]] == ids
    lines = exports.write("ndjson", "quick", editions).splitlines()
    assert [json.loads(line) for line in lines] == as_json["days"]
    rows = list(csv.DictReader(io.StringIO(exports.write("csv", "quick", editions).decode())))
    assert [r["id"] for r in rows] == ids
    columns = [column.split() for column in rows[0]["columns"].split("|")]
    assert columns == as_json["days"][0]["deal"]["columns"]
    assert not any(b"solution" in exports.write(k, "quick", editions) and k != "json" for k in ("csv", "ics"))


def test_icalendar_is_well_formed(editions: list[Edition]) -> None:
    text = exports.write("ics", "quick", editions).decode()
    lines = text.split("\r\n")
    assert lines[0] == "BEGIN:VCALENDAR"
    assert lines[-2:] == ["END:VCALENDAR", ""]
    assert "\n" not in text.replace("\r\n", "")
    assert max(len(line.encode()) for line in lines) <= 75
    unfolded = text.replace("\r\n ", "")
    assert unfolded.count("BEGIN:VEVENT") == unfolded.count("END:VEVENT") == 2
    assert "DTSTART;VALUE=DATE:20310301\r\nDTEND;VALUE=DATE:20310302" in unfolded
    assert exports.write("ics", "quick", editions).decode() == text


def test_icalendar_without_days_still_holds_a_component() -> None:
    text = exports.write("ics", "quick", []).decode()
    assert "BEGIN:VEVENT" not in text
    assert text.count("BEGIN:VTIMEZONE") == text.count("END:VTIMEZONE") == 1


def test_icalendar_text_is_escaped_and_folded_between_characters() -> None:
    assert exports._text("a, b; c\\d\ne") == "a\\, b\\; c\\\\d\\ne"
    folded = exports._folded("SUMMARY:" + "ä" * 80)
    assert max(len(line.encode()) for line in folded.split("\r\n")) <= 75
    assert folded.replace("\r\n ", "") == "SUMMARY:" + "ä" * 80 + "\r\n"


def test_own_deals_from_every_kind_of_file(tmp_path: Path) -> None:
    items = [
        {"date": "2031-03-01", "id": "spidervet:spider-1:7"},
        {"date": "2031-03-02", "deal": deal_object(deal(GAME, 8))},
    ]
    (tmp_path / "a.json").write_bytes(orjson.dumps({"deals": items}))
    (tmp_path / "a.ndjson").write_bytes(b"\n".join(map(orjson.dumps, items)))
    (tmp_path / "a.csv").write_text("date,id\n2031-03-01,spidervet:spider-1:7\n")
    for name, count in (("a.json", 2), ("a.ndjson", 2), ("a.csv", 1)):
        found = owndeals.read_file(tmp_path / name, GAME)
        assert len(found) == count
        assert found[DAY] == deal(GAME, 7)


@pytest.mark.parametrize(
    ("items", "message"),
    [
        ([], "the list is empty"),
        ([{"id": "spidervet:spider-1:7"}], r"deals\.0\.date"),
        ([{"date": "2031-02-30", "id": "spidervet:spider-1:7"}], "is not a date"),
        ([{"date": "2031-03-01"}], "'id' or 'deal' is missing"),
        ([{"date": "2031-03-01", "id": "spidervet:spider-4:7"}], "a deal of spider-4"),
        ([{"date": "2031-03-01", "id": "nonsense"}], "not a deal identity"),
        ([{"date": "2031-03-01", "id": "spidervet:spider-1:7", "deal": {}}], "either id or deal"),
        ([{"date": "2031-03-01", "deal": OTHER_GAME}], r"deals\.0\.deal\.variant: a deal of relaxed"),
        ([{"date": "2031-03-01", "id": "spidervet:spider-1:7", "x": 1}], "unknown key 'x'"),
        ([{"date": "2031-03-01", "id": "spidervet:spider-1:7"}] * 2, "is there twice"),
        ([{"date": "2031-03-01", "deal": {"format": "spidervet-deal/1"}}], r"deals\.0"),
        (["x"], "expected"),
    ],
)
def test_own_deals_that_are_none_are_named(items: list[object], message: str) -> None:
    with pytest.raises(SpecError, match=message):
        owndeals.read_deals(items, GAME)


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("{nonsense")
    with pytest.raises(SpecError, match=r"a\.json"):
        owndeals.read_file(tmp_path / "a.json", GAME)
