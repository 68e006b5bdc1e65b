from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles.docstrings import few_docstrings
from rankmax.api.evaluate import evaluate
from rankmax.formats.trec import read_qrels, read_run
from rankmax.models import LinearModel
from rankmax.retrieval.index.inverted_index import Index
from rankmax.workflows.demo import demonstration as demo_module
from rankmax.workflows.demo.demonstration import BASELINE, METRICS, RUN_DEPTH, Demo, file_name, run_demo, split_by_text
from rankmax.workflows.searching.topic_search import model_ranker, search_topics


def test_the_values_are_those_of_the_files(small_demo: tuple[Demo, Path]) -> None:
    demo, folder = small_demo
    metric = METRICS[1]  # looks no deeper than the files
    paths = [str(folder / f"{file_name(name, metric)}.run") for name in demo.values[metric]]
    systems = evaluate(folder / "test.qrels", paths, metric).systems
    for values, system in zip(demo.values[metric].values(), systems, strict=True):
        assert system.values.query_ids == tuple(demo.test)
        np.testing.assert_allclose(values, system.values.values[0], atol=1e-12)


def test_a_saved_model_ranks_as_the_one_that_was_compared(small_demo: tuple[Demo, Path]) -> None:
    demo, folder = small_demo
    name = file_name("proximity", METRICS[0])
    ranker = model_ranker(LinearModel.load(folder / f"{name}.json"))
    topics = dict(list(demo.test.items())[:5])
    index = Index.open(folder / "index")
    found = search_topics(index, topics, ranker, RUN_DEPTH, excluded=demo.collection.excluded).to_dict()
    written = read_run(folder / f"{name}.run").to_dict()
    assert {query_id: found[query_id] for query_id in topics} == {query_id: written[query_id] for query_id in topics}


def test_no_query_finds_its_own_document_and_none_is_in_both_halves(small_demo: tuple[Demo, Path]) -> None:
    demo, folder = small_demo
    assert not set(demo.train.values()) & set(demo.test.values())
    assert {**demo.train, **demo.test} == demo.collection.topics
    assert set(read_qrels(folder / "test.qrels").query_ids) == set(demo.test)
    for path in folder.glob("*.run"):
        assert all(query_id not in found for query_id, found in read_run(path).to_dict().items())
    ids = demo.data.document_ids.to_list()
    for query_id, (begin, end) in zip(demo.data.query_ids, pairwise(demo.data.query_offsets), strict=True):
        assert query_id in demo.train
        assert query_id not in ids[begin:end]


def test_baselines_are_tuned_for_each_metric(small_demo: tuple[Demo, Path]) -> None:
    demo, _ = small_demo
    for metric in METRICS:
        for tuning in (demo.language_models[metric], demo.bm25s[metric]):
            assert tuning.metric == metric
            assert tuning.best.value >= tuning.start.value
        assert demo.comparisons[metric].baseline == BASELINE
        assert [row.system for row in demo.comparisons[metric].rows] == ["BM25", "bag of words", "proximity", "fields"]


def test_same_seed_same_files(small_demo: tuple[Demo, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, folder = small_demo
    monkeypatch.setattr(demo_module, "docstrings", few_docstrings)
    run_demo(tmp_path, seed=3)
    names = sorted(path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    assert names == sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*") if path.is_file())
    for name in names:
        assert (folder / name).read_bytes() == (tmp_path / name).read_bytes(), name


@given(st.dictionaries(st.text(min_size=1), st.sampled_from("AaBbCcDd")), st.integers(0, 99))
def test_equal_texts_stay_together(topics: dict[str, str], seed: int) -> None:
    first, second = split_by_text(topics, seed=seed)
    assert {**first, **second} == topics
    n_texts = [len({text.casefold() for text in part.values()}) for part in (first, second)]
    assert sum(n_texts) == len({text.casefold() for text in topics.values()})
    assert 0 <= n_texts[1] - n_texts[0] <= 1
