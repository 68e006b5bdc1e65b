"""The share of rare terms, by an index and by a table of frequencies, counted by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from rankmax.errors import DataFormatError, InvalidDataError
from rankmax.retrieval import Analyzer, Document, build_index
from rankmax.retrieval.queries.rare_terms import read_frequencies, with_rare_terms

TEXTS = {"q1": {"text": "Wings and flutter"}, "q2": {"text": "common"}, "q3": {"text": "!"}, "q4": {"text": "unknown"}}


def shares(rows: dict[str, dict[str, str]]) -> list[float]:
    return [float(row["rare terms"]) for row in rows.values()]


def test_an_index_and_a_table_agree(tmp_path: Path) -> None:
    # 200 documents: "flutter" is in 2 of them (rare: at most 1%), "wing" in 3, which no field but the body has
    texts = [["common"] + ["wings"] * (i < 3) + ["flutter"] * (i < 2) + ["and"] for i in range(200)]
    documents = [Document(f"d{i}", {"title": "common", "body": " ".join(words)}) for i, words in enumerate(texts)]
    index = build_index(documents, tmp_path / "index", analyzer=Analyzer(stemmer="porter2", stop="english"))
    stemmed = with_rare_terms(TEXTS, tmp_path / "index")
    assert shares(stemmed) == shares(with_rare_terms(TEXTS, index)) == [1 / 2, 0.0, 0.0, 1.0]
    table = tmp_path / "frequencies.tsv"
    table.write_text("".join(f"{word}\t{sum(word in own for own in texts)}\n" for word in ("wings", "flutter", "and")))
    assert shares(with_rare_terms(TEXTS, table)) == [1 / 3, 1.0, 0.0, 1.0]  # all but "common", which it does not list
    assert with_rare_terms(TEXTS, table)["q1"]["text"] == "Wings and flutter"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("the\t9\nwing\n", ":2: expected a word, a tab"),
        ("wing\t-1\n", ":1: expected a word"),
        ("wing\t1.5\n", ":1: expected a word"),
        ("wing\t3\nWing\t4\n", ":2: 'wing' occurs twice, with different numbers"),
        ("\n", "has no words"),
    ],
)
def test_mistakes_in_a_table_name_the_line(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "frequencies.tsv"
    path.write_text(content)
    with pytest.raises(DataFormatError, match=message):
        read_frequencies(path)


def test_there_must_be_texts_and_one_column_of_that_name() -> None:
    with pytest.raises(InvalidDataError, match="'q1' has no text"):
        with_rare_terms({"q1": {"clicks": "7"}}, {"wing": 1})
    with pytest.raises(InvalidDataError, match="a column 'rare terms' of their own"):
        with_rare_terms({"q1": {"text": "wing", "rare terms": "7"}}, {"wing": 1})
