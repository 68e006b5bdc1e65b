"""Queries are counted and sorted by their differences, and rankings are those of the two fusions."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from oracles.tuning_pages import Reader, Tuned, page_of, tuned
from rankmax.data.dataset import RankingDataset
from rankmax.data.synthetic import planted_linear
from rankmax.preprocessing.feature_normalization import Unchanged
from rankmax.workflows.tuning.tuning_summary import summarize


def test_queries_are_counted_and_sorted(tmp_path: Path, results: Tuned) -> None:
    tuning, _ = results
    seen = Reader(page_of(*results, tmp_path))
    picked, current = tuning.pick.values[0], tuning.current_row.values[0]
    by_query = sorted(zip((picked - current).tolist(), tuning.signals.data.query_ids, strict=True), reverse=True)
    better, worse = sum(gain > 1e-9 for gain, _ in by_query), sum(gain < -1e-9 for gain, _ in by_query)
    counts = re.search(r"in AP: (\d+) quer\w+ better, (\d+) worse, (\d+) the same; (\S+) on average", seen.text)
    assert counts is not None
    assert [int(n) for n in counts.groups()[:3]] == [better, worse, len(by_query) - better - worse]
    assert counts[4] == f"{summarize(*results)['rows'][0]['gain']:+.4f}"
    order = {query: i for i, query in enumerate(tuning.signals.data.query_ids)}
    largest = [row for row in seen.rows if len(row) == 4 and row[0] in order and row[3].startswith(("+", "-"))]
    assert len(largest) == min(better, 5) + min(worse, 5)
    for query, now, then, gain in largest:
        q = order[query]
        expected = (f"{current[q]:.4f}", f"{picked[q]:.4f}", f"{picked[q] - current[q]:+.4f}")
        assert (now, then, gain) == expected
    assert [float(row[3]) for row in largest[:better][:5]] == pytest.approx(
        [gain for gain, _ in by_query[: min(better, 5)]], abs=1e-4
    )


def test_rankings_are_by_the_score_of_each_fusion(tmp_path: Path) -> None:
    data = planted_linear(12, 15, 3, noise=1.0, seed=3).data
    ids = [f"d{i}" for i in range(data.n_documents)]
    qid = np.repeat(data.query_ids, np.diff(data.query_offsets))
    named = RankingDataset.from_arrays(data.features, data.grades, qid=qid, document_ids=ids)
    tuning, confidence = tuned(named, normalizations=[Unchanged()], current="f1")
    seen = Reader(page_of(tuning, confidence, tmp_path))
    gains = tuning.pick.values[0] - tuning.current_row.values[0]
    starts = [i for i, row in enumerate(seen.rows) if row[:2] == ["document", "grade"]]
    shown = [seen.rows[start + 1 : start + 11] for start in starts]
    features, offsets = np.asarray(named.features), named.query_offsets
    expected, others = [], []
    for q in (int(gains.argmax()), int(gains.argmin())):
        documents = range(offsets[q], offsets[q + 1])
        by_current = sorted(documents, key=lambda i: -features[i, 0])
        by_pick = sorted(documents, key=lambda i: -(features[i] @ tuning.pick.fusion.weights))
        expected += [by_current, by_pick]
        others += [by_pick, by_current]
    assert len(shown) == 4
    for rows, order, other in zip(shown, expected, others, strict=True):
        for rank, (row, document) in enumerate(zip(rows, order, strict=False), start=1):
            assert row == [f"{rank} d{document}", f"{named.grades[document]:g}", f"{other.index(document) + 1}"]


def test_there_are_no_two_rankings_where_the_current_fusion_is_picked(tmp_path: Path, results: Tuned) -> None:
    tuning, confidence = results
    same = replace(tuning, verdict=replace(tuning.verdict, pick=tuning.verdict.current))
    page = page_of(same, confidence, tmp_path)
    assert "Largest gain: query" not in page
    assert "itself, so there are no two rankings" in page
    assert 'class="odds"' not in page
    assert "Keep the current one" in page
