from __future__ import annotations

from pathlib import Path

from rankmax.formats.trec import read_qrels, read_run
from rankmax.workflows.demo.demonstration import METRICS, Demo, file_name


def test_runs_are_left_to_tune_a_hybrid_search_on(small_demo: tuple[Demo, Path]) -> None:
    demo, folder = small_demo
    parts = [read_qrels(place / "qrels.txt").to_dict() for place in (folder / "hybrid", folder / "hybrid" / "new")]
    assert not set(parts[0]) & set(parts[1])
    assert {**parts[0], **parts[1]} == {q: demo.collection.qrels.to_dict()[q] for q in demo.test}
    texts = [{demo.test[query].casefold() for query in part} for part in parts]
    assert not texts[0] & texts[1]
    whole = read_run(folder / f"{file_name('BM25', METRICS[1])}.run").to_dict()
    for part, place in zip(parts, (folder / "hybrid", folder / "hybrid" / "new"), strict=True):
        runs = {name: read_run(place / f"{name}.run").to_dict() for name in ("bm25", "windows", "names")}
        assert runs["bm25"] == {query: found for query, found in whole.items() if query in part}
        assert all(set(run) <= set(part) for run in runs.values())
        assert all(query not in found for run in runs.values() for query, found in run.items())
