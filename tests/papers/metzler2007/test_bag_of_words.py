from __future__ import annotations

from collections.abc import Callable

from rankmax.papers.metzler2007.bag_of_words import DIRECT, MODELS, PARTS, UNBALANCED
from rankmax.papers.store import StoredStudy


def test_the_small_version(small_study: Callable[[str, str], StoredStudy]) -> None:
    (result,) = small_study("metzler2007", "table-3").values.values()
    assert result["topics"]["train"] == result["topics"]["test"]
    for part in PARTS:
        means = result[part]["means"]
        assert set(means) == set(MODELS)
        assert all(0 < mean < 1 for mean in means.values())
        assert means[DIRECT] > means[UNBALANCED]
        # Both directions of one-tailed tests add up to 1.
        p_values = result[part]["p_values"]
        assert abs(p_values[DIRECT][UNBALANCED] + p_values[UNBALANCED][DIRECT] - 1) < 1e-5
