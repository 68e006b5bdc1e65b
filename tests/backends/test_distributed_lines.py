"""A line over parts against the sweep of the whole."""

from __future__ import annotations

from functools import reduce

import numpy as np
import pytest

from rankmax.backends.distributed_lines import Line, counted, facts_of
from rankmax.data.dataset import RankingDataset
from rankmax.line_search.metric_sweep import MetricSweep
from rankmax.line_search.query_subset import Part
from rankmax.line_search.sweep_facts import SweepFacts
from rankmax.metrics import parse_metric


@pytest.mark.parametrize("metric", ["AP", "nDCG(gain='exp2')@5", "RR@3"])
def test_peaks_are_those_of_the_whole(metric: str, data: RankingDataset) -> None:
    n = data.n_queries
    parts = [Part(data.select(q), parse_metric(metric)) for q in (np.arange(7), np.arange(7, 9), np.arange(9, n))]
    for part in parts:
        part.data.judgments.__dict__.update(vars(part.data.judgments.with_levels(data.judgments.levels)))
    facts = SweepFacts.of_all([facts_of(part) for part in parts])
    weights, direction = np.array([1.0, 0.2, 0.1, -0.01]), np.array([0.0, 1.0, 0.0, 0.5])
    scores, slopes = data.scores(weights), data.scores(direction)
    whole = MetricSweep(parse_metric(metric), data.judgments)
    line = Line(weights, direction, -np.inf, np.inf, size=0.05)

    def ask(function, *arguments, combine):
        first, *others = (function(part, *arguments) for part in parts)
        return [first, reduce(combine, others)]  # as if the others were in one place

    ((found, typical),) = counted(ask, facts, [line])
    best = whole.best(scores, slopes)
    assert typical > 0
    assert found.bound >= best.value
    theirs = [peak for peak in whole.peaks(scores, slopes) if peak.value > best.value - 0.01]
    ours = [peak for peak in found.peaks(best.value - 0.01) if peak.value > best.value - 0.01]
    assert ours == theirs
