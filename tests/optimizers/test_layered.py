from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from rankmax.data.dataset import RankingDataset
from rankmax.data.judgments import Judgments
from rankmax.errors import IncompatibleError
from rankmax.line_search.linear_objective import LinearObjective
from rankmax.metrics import ERR, from_tables, parse_metric
from rankmax.metrics.average_precision import AveragePrecision
from rankmax.metrics.metric import Metric, MetricTables
from rankmax.optimizers.layered import layered_objective


class Backwards(AveragePrecision):
    """A metric to which the last rank is the best."""

    def build_tables(self, judgments: Judgments) -> MetricTables:
        tables = super().build_tables(judgments)
        return replace(tables, discount=tables.discount[::-1])


def objective(metric: Metric, features: object = ((0.0, 1.0), (1.0, 0.5), (0.2, 0.3))) -> LinearObjective:
    return LinearObjective(RankingDataset.from_arrays(features, [1, 0, 2], qid=[7, 7, 7]), metric)


@pytest.mark.parametrize(
    ("metric", "complaint"),
    [
        (ERR(), "has no tables"),
        (Backwards(), "values some rank more than a higher one"),
        (from_tables(prefix=[1, 0.5]), "a prefix and several gains"),
    ],
)
def test_says_why_a_metric_has_no_bounds(metric: Metric, complaint: str) -> None:
    with pytest.raises(IncompatibleError, match=complaint):
        layered_objective(objective(metric))


def test_refuses_numbers_whose_products_underflow() -> None:
    with pytest.raises(IncompatibleError, match="magnitudes from 1e-200 to 1"):
        layered_objective(objective(parse_metric("AP"), [[1e-200, 1.0], [0.0, 1.0], [0.5, 0.5]]))


def test_counts_pairs_of_different_gain() -> None:
    assert layered_objective(objective(parse_metric("AP"))).n_pairs == 2
    assert layered_objective(objective(parse_metric("nDCG"))).n_pairs == 3


def test_sums_of_large_gains_do_not_overflow() -> None:
    data = RankingDataset.from_arrays(np.eye(3), [0, 40, 50], qid=[7, 7, 7])
    bounded = layered_objective(LinearObjective(data, parse_metric("DCG(gain='exp2')")))
    best = bounded.settled_cell(np.array([[0.0, 0.1, 0.9]])).bound[0]
    assert bounded.value(int(best)) == pytest.approx(2.0**50 - 1 + (2.0**40 - 1) / np.log2(3), rel=1e-12)
