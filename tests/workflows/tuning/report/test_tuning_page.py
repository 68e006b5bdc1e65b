"""The page contains its data, loads nothing, and no name in it can become anything but text.

What a browser shows of it is tested in tests/studio/page/test_tuning_report.py.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.tuning_pages import Tuned, content_of, page_of, tuned
from rankmax.data.dataset import RankingDataset
from rankmax.data.synthetic import planted_linear
from rankmax.preprocessing.feature_normalization import Unchanged
from rankmax.workflows.tuning.tuning_summary import summarize


def test_the_page_loads_nothing_and_has_the_summary(tmp_path: Path, results: Tuned) -> None:
    page = page_of(*results, tmp_path)
    for loading in (r"<(script|img|iframe|link)[^>]*(src|href)=(?![\"']?data:)", r"@import", r"url\(", r"fetch\("):
        assert not re.search(loading, page), loading
    assert "{{" not in page
    assert content_of(page)["summary"] == json.loads(json.dumps(summarize(*results)))


FRAGMENTS = ["<script>alert(1)</script>", "</script>", '"', "'", "&", "&lt;", "<b>", "-->", "<!--", "</title>", "a"]
NAMES = st.lists(st.sampled_from(FRAGMENTS), min_size=1, max_size=3).map("".join)


@settings(max_examples=12, deadline=None)
@given(names=st.lists(NAMES, min_size=9, max_size=9, unique=True), n_systems=st.sampled_from([2, 3, 4]))
def test_hostile_names_are_data(tmp_path_factory: pytest.TempPathFactory, names: list[str], n_systems: int) -> None:
    plain = planted_linear(5, 6, n_systems, noise=1.0, seed=3).data
    systems, queries = names[:n_systems], names[4:]
    documents = [names[i % 9] + str(i) for i in range(plain.n_documents)]
    qid = np.repeat(queries, np.diff(plain.query_offsets))
    data = RankingDataset.from_arrays(
        plain.features, plain.grades, qid=qid, feature_names=systems, document_ids=documents
    )
    tuning, confidence = tuned(data, normalizations=[Unchanged()], current=systems[0])
    page = page_of(tuning, confidence, tmp_path_factory.mktemp("page"), command=names[0], files=[names[1]])
    assert page.count("<script") == page.count("</script>") == 2
    assert "<!--" not in page
    content = content_of(page)
    assert list(content["summary"]["weights"]) == systems
    assert {query["id"] for query in content["queries"]} == set(queries)
    assert content["provenance"]["facts"][0] == ["command", names[0]]
