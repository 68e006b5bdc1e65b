"""No model that ranks by ties alone is returned without a word."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Self

import numpy as np
import pytest

from rankmax.data.dataset import RankingDataset
from rankmax.data.splits import concatenate
from rankmax.data.synthetic import planted_linear
from rankmax.errors import RankmaxWarning, TiedScoresWarning
from rankmax.formats.letor import read_letor
from rankmax.fusion.signals import signals_of_features
from rankmax.learners.learner import Learner
from rankmax.learners.pointwise.least_squares import LeastSquaresRanker
from rankmax.learners.structural.structural_svm import StructuralSVM
from rankmax.learners.tied_scores import ranks_by_ties
from rankmax.metrics import parse_metric
from rankmax.models import LinearModel
from rankmax.workflows.proofs.proven_optimum import prove_optimum
from rankmax.workflows.tuning.tuning import tune_systems

DATA = planted_linear(20, 8, 3, noise=0.3, seed=1).data


class Fixed(Learner):
    """Learns weights that it is given."""

    def __init__(self, weights: tuple[float, ...] = (0.0, 0.0, 0.0)) -> None:
        self.weights = weights

    def fit_dataset(self, data: RankingDataset) -> Self:
        self.model_ = LinearModel(np.array(self.weights), data.feature_names)
        return self


class Derived(Fixed):
    """Goes on where another learner ended."""

    def fit_dataset(self, data: RankingDataset) -> Self:
        super().fit_dataset(data)
        self.model_ = LinearModel(np.array([1.0, 0.0, 0.0]), data.feature_names)
        return self


def test_any_learner_says_that_its_weights_are_all_0() -> None:
    with pytest.warns(
        TiedScoresWarning, match="Fixed: all weights are 0, so all documents of a query score the same"
    ) as said:
        Fixed().fit(DATA.features, DATA.grades, qid=DATA.judgments.query_of_document)
    assert len(said) == 1
    assert issubclass(TiedScoresWarning, RankmaxWarning)


def test_weights_that_see_only_constant_features_are_told_too() -> None:
    columns = np.column_stack([DATA.judgments.query_of_document, DATA.features[:, 1:]])
    data = RankingDataset(columns, DATA.feature_names, DATA.judgments)
    with pytest.warns(TiedScoresWarning, match="Fixed: all documents of a query score the same"):
        Fixed((2.0, 0.0, 0.0)).fit_dataset(data)


def test_only_what_is_returned_in_the_end_counts() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Derived().fit_dataset(DATA)
        LeastSquaresRanker().fit_dataset(DATA)


def test_a_difference_in_a_late_query_is_seen() -> None:
    scores = np.zeros(DATA.n_documents)
    tied = RankingDataset(np.zeros_like(DATA.features), DATA.feature_names, DATA.judgments)
    assert ranks_by_ties(lambda part: np.zeros(part.n_documents), tied)
    scores[-1] = 1.0
    late = RankingDataset(np.column_stack([scores] * 3), DATA.feature_names, DATA.judgments)
    assert not ranks_by_ties(lambda part: part.features[:, 0], late)
    lonely = RankingDataset.from_arrays([[1.0], [2.0]], [1, 0], qid=[1, 2])
    assert not ranks_by_ties(lambda part: np.zeros(part.n_documents), lonely)


def test_a_structural_svm_with_a_cutoff_says_that_0_is_its_optimum() -> None:
    rng = np.random.default_rng(0)
    qid = np.repeat(np.arange(20), 60)
    data = RankingDataset.from_arrays(rng.normal(size=(qid.size, 3)), rng.random(qid.size) < 0.3, qid=qid)
    with pytest.warns(TiedScoresWarning, match=r"StructuralSVM: all weights are 0.*give the loss without its cutoff"):
        svm = StructuralSVM("P@3", C=10.0).fit_dataset(data)
    assert not svm.coef_.any()


def test_ohsumed_for_ndcg_at_10(shared_data: Path) -> None:
    folder = shared_data / "letor" / "OHSUMED"
    data = concatenate([read_letor(folder / f"S{i}.txt.gz") for i in (1, 2, 3)])
    with pytest.warns(TiedScoresWarning, match="without its cutoff"):
        assert not StructuralSVM("nDCG@10", C=100.0, tolerance=1e-2).fit_dataset(data).coef_.any()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert StructuralSVM("nDCG", C=100.0, tolerance=1e-2).fit_dataset(data).coef_.any()


def test_a_proof_and_a_tuning_say_so_too() -> None:
    # The relevant document is first, and every feature that differs within queries can only spoil that.
    qid = np.repeat(np.arange(10), 4)
    spoiling = np.tile([0.0, 1.0, 2.0, 3.0], 10)
    data = RankingDataset.from_arrays(np.column_stack([qid, spoiling]), np.tile([1, 0, 0, 0], 10), qid=qid)
    with pytest.warns(TiedScoresWarning) as said:
        assert prove_optimum(data, metric="RR").value == pytest.approx(1.0)
    assert len(said) == 1
    tied = RankingDataset(np.column_stack([qid, qid + 1.0]), data.feature_names, data.judgments)
    with pytest.warns(TiedScoresWarning, match="check that the systems"):
        tune_systems(signals_of_features(tied), [parse_metric("RR")], n_repeats=1)
