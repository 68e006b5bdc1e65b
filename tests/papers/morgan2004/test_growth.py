from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rankmax.papers.store import StoredStudy


def test_growth_of_the_small_version(small_study: Callable[[str, str], StoredStudy]) -> None:
    stored = small_study("morgan2004", "table-1")
    assert len(stored.steps) == stored.settings["topics_each"] == 3
    for growth in stored.values.values():
        search, entropy = np.array(growth["weight_search"]), np.array(growth["maximum_entropy"])
        assert search.size == entropy.size == len(growth["terms"]) == len(set(growth["terms"])) == 8
        assert (np.diff(search) >= 0).all()
        assert search[0] == entropy[0]  # of one term, every positive weight gives the same ranking
        assert growth["ours"]["8"] >= growth["ours"]["5"] - 0.01
        assert 0 < growth["relevant"] < growth["documents"]
        assert all(relevant in (0.0, 1.0) for _, _, relevant in growth["lines"])
