from __future__ import annotations

from collections.abc import Callable

from rankmax.papers.store import StoredStudy
from rankmax.papers.yang2010.study import EXPECTED, LINEAR, MEASURED, WAYS, direct_name, step_name


def test_the_small_version(small_study: Callable[[str, str], StoredStudy]) -> None:
    stored = small_study("yang2010", "table-1")
    names = {step_name("docstrings", way, loss) for way in WAYS for loss in stored.settings["losses"]}
    direct = direct_name("docstrings")
    assert set(stored.values) == {*names, direct}
    assert all(0 < stored.values[direct][metric] < 1 for metric in MEASURED)
    for name in names:
        found = stored.values[name]
        assert set(found) == set(MEASURED)
        for case in found.values():
            assert 0 < case[LINEAR] < 1
            assert 0 < case[EXPECTED] < 1
            assert 0 < case["p_value"] <= 1
