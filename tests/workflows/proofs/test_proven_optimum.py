from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from oracles.arrangement import best_value
from rankmax.data.dataset import RankingDataset
from rankmax.data.judging import join_runs
from rankmax.errors import InvalidParameterError, UnknownNameError
from rankmax.formats.trec import read_qrels, read_run
from rankmax.metrics import parse_metric
from rankmax.metrics.evaluator import evaluate_metrics
from rankmax.preprocessing.feature_normalization import Normalization
from rankmax.workflows.proofs.proven_optimum import prove_optimum


@pytest.fixture
def small() -> RankingDataset:
    rng = np.random.default_rng(5)
    return RankingDataset.from_arrays(
        rng.normal(size=(16, 3)), rng.integers(0, 3, 16), qid=np.repeat(np.arange(4), 4), feature_names=["a", "b", "c"]
    )


def test_proves_the_maximum_of_normalized_features(small: RankingDataset) -> None:
    certificate = prove_optimum(small, ["c", "a"], "AP", normalization="min-max")
    prepared = Normalization.named("min-max").apply(small.select_features(["c", "a"]))
    assert certificate.value == pytest.approx(best_value(prepared, parse_metric("AP")), abs=1e-9)
    assert certificate.is_maximum
    assert (certificate.features, certificate.normalization.name) == (("c", "a"), "min-max")


def test_gap_and_space_are_passed_on(small: RankingDataset) -> None:
    anywhere = prove_optimum(small, space="euclidean", gap=0.05, metric="RR")
    assert anywhere.space == "euclidean"
    assert 0 <= anywhere.gap <= 0.05
    assert anywhere.bound >= prove_optimum(small, metric="RR").value


def test_refuses_features_that_it_cannot_take(small: RankingDataset) -> None:
    with pytest.raises(UnknownNameError, match="'d'"):
        prove_optimum(small, ["a", "d"])
    with pytest.raises(InvalidParameterError, match="once"):
        prove_optimum(small, ["a", "a"])
    with pytest.raises(InvalidParameterError, match="7 features"):
        prove_optimum(RankingDataset.from_arrays(np.eye(7), [1] * 7, qid=[1] * 7))


def test_three_real_systems(shared_data: Path) -> None:
    folder = shared_data / "runs" / "dl19-passage"
    runs = {name: read_run(folder / f"{name}.run.gz") for name in ("bm25", "e5", "splade")}
    data = join_runs(runs, read_qrels(folder / "qrels.trec.gz"), missing="minimum")
    certificate = prove_optimum(data, normalization="min-max")
    assert certificate.is_maximum
    scores = Normalization.named("min-max").apply(data).scores(certificate.weights)
    assert evaluate_metrics([parse_metric("nDCG@10")], scores, data.judgments).mean() == pytest.approx(
        0.755151, abs=1e-6
    )
