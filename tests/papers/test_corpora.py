from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from rankmax.errors import InvalidDataError
from rankmax.papers.corpora import EmbeddedCorpus, FolderCorpus
from rankmax.retrieval.analysis.analyzer import Analyzer


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "aero"
    folder.mkdir()
    (folder / "docs-1.tsv").write_text("d1\twing\nd2\theat\n")
    (folder / "docs-2.jsonl.gz").write_bytes(gzip.compress(b'{"id": "d3", "text": "flow"}\n'))
    (folder / "queries.tsv").write_text("".join(f"q{n}\twing {n}\n" for n in range(1, 8)))
    (folder / "qrels.txt").write_text("".join(f"q{n} 0 d{n % 3 + 1} {int(n != 4)}\n" for n in range(1, 7)))
    return folder


def test_a_folder_is_read(folder: Path) -> None:
    corpus = FolderCorpus(folder)
    assert corpus.name == "aero"
    assert [document.id for document in corpus.documents] == ["d1", "d2", "d3"]
    assert list(corpus.queries.topics) == ["q1", "q2", "q3", "q5", "q6"]  # q4 has nothing relevant, q7 no judgments
    assert corpus.queries.relevant["q1"] == ["d2"]
    assert not corpus.queries.has_others


def test_incomplete_folders_do_not_fit(folder: Path) -> None:
    assert FolderCorpus.fits(folder)
    (folder / "qrels.txt").unlink()
    assert not FolderCorpus.fits(folder)
    assert not FolderCorpus.fits(folder / "none")


def test_halves_are_drawn_by_the_seed(folder: Path) -> None:
    corpus = FolderCorpus(folder)
    train, test = corpus.parts(1, most=100)
    assert set(train) | set(test) == set(corpus.queries.topics)
    assert not set(train) & set(test)
    assert corpus.parts(1, most=100) == (train, test)
    assert sum(map(len, corpus.parts(1, most=4))) == 4


def test_lists_decide_what_is_trained_and_tested_on(folder: Path) -> None:
    (folder / "train.txt").write_text("q6\nq1\n")
    (folder / "test.txt").write_text("q2\nq99\n")
    assert [list(part) for part in FolderCorpus(folder).parts(1, most=100)] == [["q6", "q1"], ["q2"]]
    (folder / "test.txt").write_text("q99\n")
    with pytest.raises(InvalidDataError, match=r"test\.txt"):
        FolderCorpus(folder).parts(1, most=100)


def test_an_index_is_built_once_for_one_content(folder: Path, tmp_path: Path) -> None:
    first = FolderCorpus(folder).index(tmp_path, Analyzer())
    assert FolderCorpus(folder).index(tmp_path, Analyzer()).n_documents == first.n_documents == 3
    assert len(list((tmp_path / "indexes").iterdir())) == 1
    (folder / "docs-1.tsv").write_text("d1\twing\n")
    assert FolderCorpus(folder).index(tmp_path, Analyzer()).n_documents == 2


def test_the_embedded_collection_needs_nothing() -> None:
    corpus = EmbeddedCorpus()
    assert len(list(corpus.documents)) > 1000
    assert len(corpus.queries.topics) > 500
    assert corpus.queries.excluded
