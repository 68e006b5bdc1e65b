from __future__ import annotations

from pathlib import Path

import numpy as np

from rankmax.papers.corpora import FolderCorpus
from rankmax.papers.letor_folds import LetorCollection
from rankmax.papers.setup import Setup
from rankmax.papers.yang2010.folds import EmbeddedFolds, folded_collections


def test_letor_data_comes_first(tmp_path: Path, small_setup: Setup) -> None:
    for part in range(1, 6):
        (tmp_path / f"S{part}.txt").write_text(f"1 qid:{part} 1:0.5\n0 qid:{part} 1:0.25\n")
    setup = Setup(small_setup.corpora, (LetorCollection(tmp_path),), (), tmp_path)
    (collection,) = folded_collections(setup)
    assert collection.name == tmp_path.name
    assert len(list(collection.folds())) == 5


def test_texts_of_ones_own_are_nothing_to_learn_from(tmp_path: Path) -> None:
    assert folded_collections(Setup((FolderCorpus(tmp_path),), (), (), tmp_path)) == []


def test_the_embedded_collection_has_grades_and_scaled_features(small_setup: Setup) -> None:
    (collection,) = folded_collections(small_setup)
    assert collection.name == EmbeddedFolds.name
    for fold in collection.folds():
        for part in (fold.train, fold.validation, fold.test):
            assert set(part.grades) <= {0, 1, 2}
            assert (np.asarray(part.features).min(), np.asarray(part.features).max()) == (0, 1)
        queries = [*fold.train.query_ids, *fold.validation.query_ids, *fold.test.query_ids]
        assert len(queries) == len(set(queries)) == 100
