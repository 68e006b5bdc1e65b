"""The contract catches what it is meant to catch."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest

from rankmax.metrics import RR, AveragePrecision, Judged
from rankmax.testing.metrics import MetricContract


def contract(*metrics, **attributes):
    return type("Case", (MetricContract,), {"metrics": metrics, **attributes})()


@dataclass(frozen=True, kw_only=True)
class Doubled(AveragePrecision):
    def build_tables(self, judgments):
        tables = super().build_tables(judgments)
        return replace(tables, norm=tables.norm * 2)


@dataclass(frozen=True, kw_only=True)
class ShortDiscount(AveragePrecision):
    def build_tables(self, judgments):
        tables = super().build_tables(judgments)
        return replace(tables, discount=tables.discount[:3])


@dataclass(frozen=True, kw_only=True)
class Entangled(AveragePrecision):
    def build_tables(self, judgments):
        tables = super().build_tables(judgments)
        return replace(tables, norm=np.full(judgments.n_queries, 1 / judgments.n_queries))


@pytest.mark.parametrize(
    ("case", "test"),
    [
        (contract(), "test_values_lie_in_the_declared_range"),
        (contract(Doubled()), "test_values_lie_in_the_declared_range"),
        (contract(Doubled()), "test_name_leads_back_to_the_metric"),
        (contract(ShortDiscount()), "test_tables_mean_what_their_formula_says"),
        (contract(Entangled()), "test_queries_are_independent"),
        (contract(Judged @ 5), "test_ideal_ranking_is_maximal"),
        (contract(RR(), definition=lambda *_: 0.5), "test_agrees_with_the_definition"),
    ],
)
def test_a_broken_metric_fails(case, test):
    with pytest.raises(AssertionError):
        getattr(case, test)()
