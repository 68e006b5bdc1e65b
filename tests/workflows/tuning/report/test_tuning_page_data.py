"""A page's data are the summary's numbers, and what charts need beside them."""

from __future__ import annotations

import numpy as np

from oracles.tuning_pages import Tuned, planted, tuned
from rankmax.fusion.constraint import Constraint
from rankmax.metrics import P
from rankmax.workflows.tuning.report.tuning_page_data import tuning_page_data
from rankmax.workflows.tuning.tuning_summary import summarize


def test_the_numbers_are_those_of_the_summary(results: Tuned) -> None:
    tuning, confidence = results
    data = tuning_page_data(*results, notes=["a note"])
    assert data["summary"] == summarize(*results)
    assert data["notes"] == ["a note"]
    assert data["trade_off"] is None
    for j, name in enumerate(tuning.signals.names):
        counts = data["resampled"][name]
        weights = confidence.resampled[:, j]
        assert sum(counts) == weights.size
        assert counts[-1] == np.count_nonzero(weights >= 0.975)


def test_a_trade_off_has_both_fusions_in_both_metrics() -> None:
    tuning, confidence = tuned(planted(2), constraint=Constraint(P(cutoff=1), 0.4))
    data = tuning_page_data(tuning, confidence)
    for kind, row in (("pick", tuning.pick), ("current", tuning.current_row)):
        assert data["trade_off"][kind] == [float(values.mean()) for values in row.fusion.values]
