from __future__ import annotations

import numpy as np
import pytest

from rankmax.metrics import RR
from rankmax.workflows import systems
from rankmax.workflows.systems import evaluate_runs


def test_large_runs_take_the_compiled_path_with_the_same_values(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "qrels").write_text("q1 0 a 1\nq2 0 a 1\n")
    (tmp_path / "run").write_text("q1 Q0 b 1 1 x\nq1 Q0 a 1 1 x\nq2 Q0 a 1 0.5 x\nq2 Q0 b 1 0.75 x\n")
    small = evaluate_runs(str(tmp_path / "qrels"), [str(tmp_path / "run")], [RR()])
    monkeypatch.setattr(systems, "COMPILE_FROM", 1)
    large = evaluate_runs(str(tmp_path / "qrels"), [str(tmp_path / "run")], [RR()])
    np.testing.assert_array_equal(small[0].evaluation.values, [[0.5, 0.5]])
    np.testing.assert_array_equal(large[0].evaluation.values, small[0].evaluation.values)
