"""Tables of clicks, and propensities."""

from __future__ import annotations

from pathlib import Path

import pytest

from rankmax.data.click_log import ClickLog
from rankmax.errors import DataFormatError
from rankmax.formats.click_files import read_clicks, read_propensities, write_click_table


def counts(log: ClickLog) -> dict:
    names = [(log.query_ids[log.query_of_document[p]], log.document_ids[int(p)]) for p in log.pairs]
    cells = zip(log.positions.tolist(), log.shown.tolist(), log.clicks.tolist(), strict=True)
    return {(*name, cell[0]): cell[1:] for name, cell in zip(names, cells, strict=True)}


EXPECTED = {("lamp", "d1", 1): (2, 1), ("lamp", "d2", 2): (2, 0)}


def test_a_table_says_the_same(tmp_path: Path) -> None:
    text = "query,doc,position,clicked,count\nlamp,d1,1,1,1\nlamp,d1,1,0,1\nlamp,d2,2,false,2\n"
    (tmp_path / "a.csv").write_text(text)
    assert counts(read_clicks(tmp_path / "a.csv")) == EXPECTED
    (tmp_path / "b.tsv").write_text("click\trank\tquery-id\tdoc\n1\t1\tlamp\td1\n0\t1\tlamp\td1\n0\t2\tlamp\td2\n")
    assert counts(read_clicks(tmp_path / "b.tsv")) == EXPECTED | {("lamp", "d2", 2): (1, 0)}


@pytest.mark.parametrize(
    "text",
    [
        "\ufeffQuery;Doc;Position;Clicked;Count\r\nlamp;d1;1;1;1\r\nlamp;d1;1;0;1\r\nlamp;d2;2;0;2\r\n",
        "query,doc,position,clicked\nlamp,d1,1.0,1.0\nlamp,d1,1,0\n lamp,d2,2,0\nlamp,d2,2,no\n",
    ],
)
def test_tables_of_spreadsheets_say_the_same(tmp_path: Path, text: str) -> None:
    """Byte order mark, semicolons, capitals, CRLF; no counts, so equal rows add up, and whole numbers with a point."""
    (tmp_path / "a.csv").write_bytes(text.encode())
    assert counts(read_clicks(tmp_path / "a.csv")) == EXPECTED


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("query,doc,position,clicked\nq,d,0,1\n", "positions count from 1 to 10,000; add 1 if yours count from 0"),
        ("query,doc,position,clicked\nq,d,x,1\n", "a.csv:2: position 'x' is not an integer"),
        ("query,doc,position,clicked\nq,d,1,7\n", "a.csv:2: clicked is '7'; expected 1 or 0"),
        ("query,doc,position,clicked,n\nq,d,1,1,1e308\n", "a.csv:2: count 1e+308 of document 'd' in query 'q' is not"),
        ("query,doc,clicked\nq,d,1\n", "no column of positions"),
        ("q 0 d 1\n", "expected columns query, doc, position, clicked"),
        ("query;doc;position;clicked;count\nq;d;1;1;3,0\n", "a.csv:2: count '3,0' is not a finite number"),
        ("query,doc,position,clicked\nlamp shade,d,1,1\n", "query 'lamp shade' is a text"),
        ("query,doc,position,clicked,search\nq,d,1,1,\n", "a.csv:2: the search is empty"),
        ("query,doc,position,clicked,search\nq,d,1,1,s\nq,e,1,1,s\n", "search 's' for query 'q' shows two documents"),
        ("\0q\0u", "binary file, or not UTF-8"),
    ],
)
def test_mistakes_are_named(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "a.csv").write_text(text)
    with pytest.raises(DataFormatError) as caught:
        read_clicks(tmp_path / "a.csv")
    assert message in str(caught.value)


def test_a_column_of_searches_says_which_clicks_are_of_one(tmp_path: Path) -> None:
    """The log of an application has a line for what was shown and one for what was clicked."""
    rows = ["lamp,d1,1,0,a", "lamp,d2,2,0,a", "lamp,d1,1,1,a", "lamp,d1,1,0,7", "lamp,d2,2,0,7"]
    (tmp_path / "a.csv").write_text("\n".join(["query,doc,position,clicked,session_id", *rows]))
    log = read_clicks(tmp_path / "a.csv")
    assert counts(log) == EXPECTED
    assert log.searches.clicked.tolist() == [True, False, False, False]
    write_click_table(log, tmp_path / "b.csv")
    assert (tmp_path / "b.csv").read_text().splitlines()[:2] == [
        "query,doc,position,clicked,count,search",
        "lamp,d1,1,1,1,1",
    ]
    again = read_clicks(tmp_path / "b.csv")
    assert counts(again) == EXPECTED
    assert again.searches.offsets.tolist() == [0, 2, 4]
    assert read_clicks_without(tmp_path / "a.csv", "session_id").searches is None


def read_clicks_without(path: Path, column: str) -> ClickLog:
    path.write_text(path.read_text().replace(column, "other"))
    return read_clicks(path)


def test_propensities_are_numbers(tmp_path: Path) -> None:
    (tmp_path / "p.txt").write_text("1, 0.5\n0.25\n")
    assert read_propensities(tmp_path / "p.txt") == [1, 0.5, 0.25]
    (tmp_path / "p.txt").write_text("1\nhalf\n")
    with pytest.raises(DataFormatError, match=r"p.txt:2: propensity 'half'"):
        read_propensities(tmp_path / "p.txt")
    (tmp_path / "p.txt").write_text("")
    with pytest.raises(DataFormatError, match="holds no numbers"):
        read_propensities(tmp_path / "p.txt")
