from __future__ import annotations

from pathlib import Path

from rankmax.retrieval.index.builder import build_index
from rankmax.retrieval.index.document_files import Document
from rankmax.workflows.projects.texts import ProjectTexts


def test_a_folder_without_texts_has_none(tmp_path: Path) -> None:
    (tmp_path / "index").mkdir()
    (tmp_path / "topics.tsv").write_text("no tab here")
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "meta.json").write_text("{}")
    texts = ProjectTexts.of(tmp_path)
    assert (texts.topics, texts.index, texts.snippets("q1", ["d1"])) == ({}, None, {})


def test_snippets_show_the_words_of_the_query(tmp_path: Path) -> None:
    documents = [
        Document("d1", {"title": "Lift", "text": "the wing of a plane"}),
        Document("d2", {"title": "Nothing", "text": "longer, but about heat"}),
    ]
    build_index(documents, tmp_path / "docs.index", store=("title", "text"))
    (tmp_path / "train.topics.tsv").write_text("q1\twings and a wing\n")
    (tmp_path / "test.topics.tsv").write_text("q2\theat\n")
    texts = ProjectTexts.of(tmp_path)
    assert texts.topics == {"q1": "wings and a wing", "q2": "heat"}
    found = texts.snippets("q1", ["d1", "d2", "d3"])
    assert set(found) == {"d1", "d2"}
    assert ("wing", True) in found["d1"]
    assert "".join(text for text, _ in found["d2"]) == "longer, but about heat"


def test_an_index_may_keep_no_text(tmp_path: Path) -> None:
    build_index([Document("d1", {"text": "wing"})], tmp_path / "docs.index")
    assert ProjectTexts.of(tmp_path).snippets("q1", ["d1"]) == {}
