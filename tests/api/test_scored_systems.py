from __future__ import annotations

import numpy as np
import pytest

from rankmax.api import scored_systems
from rankmax.api.evaluate import evaluate


def test_large_runs_take_the_compiled_path_with_the_same_values(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "qrels").write_text("q1 0 a 1\nq2 0 a 1\n")
    (tmp_path / "run").write_text("q1 Q0 b 1 1 x\nq1 Q0 a 1 1 x\nq2 Q0 a 1 0.5 x\nq2 Q0 b 1 0.75 x\n")
    small = evaluate(tmp_path / "qrels", tmp_path / "run", "RR")
    monkeypatch.setattr(scored_systems, "COMPILE_FROM", 1)
    large = evaluate(tmp_path / "qrels", tmp_path / "run", "RR")
    assert small.per_query == {"run": {"RR": {"q1": 0.5, "q2": 0.5}}}
    np.testing.assert_array_equal(large.systems[0].values.values, small.systems[0].values.values)
