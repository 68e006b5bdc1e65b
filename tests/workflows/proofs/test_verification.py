from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from rankmax.data.dataset import RankingDataset
from rankmax.errors import InvalidDataError
from rankmax.optimizers.faces import Box
from rankmax.workflows.proofs.certificate import Certificate
from rankmax.workflows.proofs.proven_optimum import prove_optimum
from rankmax.workflows.proofs.verification import verify_certificate


def problem(n_features: int = 3, *, coarse: bool = False) -> RankingDataset:
    rng = np.random.default_rng(8)
    shape = (60, n_features)
    features = rng.integers(0, 4, shape).astype(np.float64) if coarse else rng.normal(size=shape)
    return RankingDataset.from_arrays(features, rng.integers(0, 3, 60), qid=np.repeat(np.arange(6), 10))


@pytest.mark.parametrize("metric", ["nDCG@3", "nDCG", "AP", "RR", "ROC", "P@2"])
@pytest.mark.parametrize("coarse", [False, True])
def test_comes_to_the_same_bound(metric: str, coarse: bool) -> None:
    data = problem(coarse=coarse)
    certificate = prove_optimum(data, metric=metric, seconds=1.0)
    found = verify_certificate(certificate, data)
    assert found.value == pytest.approx(certificate.value, abs=1e-9)
    assert max(found.bound, found.value) == pytest.approx(certificate.bound, abs=1e-9)


def test_an_unfinished_proof_and_weights_of_any_sign() -> None:
    data = problem(4)
    certificate = prove_optimum(data, metric="AP", space="euclidean", gap=0.2, normalization="z-score")
    assert certificate.gap > 0
    assert verify_certificate(certificate, data).bound == pytest.approx(certificate.bound, abs=1e-9)


def test_weights_between_bounds() -> None:
    data = problem()
    certificate = prove_optimum(data, metric="AP", space=Box((1.0, -2.0, 0.0), (1.0, 2.0, 0.3)))
    assert certificate.is_maximum
    assert verify_certificate(certificate, data).bound == pytest.approx(certificate.bound, abs=1e-9)
    assert certificate.bounds is not None
    outside = np.array([1.0, 3.0, 0.1])
    false = replace(certificate, weights=outside, value=prove_at(data, outside))
    with pytest.raises(InvalidDataError, match="no multiple"):
        verify_certificate(false, data)
    wider = replace(certificate, bounds=((1.0, 1.0), (-4.0, 4.0), (-1.0, 1.0)))
    with pytest.raises(InvalidDataError, match=r"may hold|end before|go on after"):
        verify_certificate(wider, data)


def prove_at(data: RankingDataset, weights: np.ndarray) -> float:
    """Return the value of some weights as a certificate states it."""
    return prove_optimum(data, metric="AP", space=Box(tuple(weights), tuple(weights))).value


@pytest.fixture(scope="module")
def proven() -> tuple[RankingDataset, Certificate]:
    data = problem()
    return data, prove_optimum(data, metric="AP")


def test_reports_how_far_it_is(proven: tuple[RankingDataset, Certificate]) -> None:
    data, certificate = proven
    shares: list[float] = []
    verify_certificate(certificate, data, callback=shares.append)
    assert shares == sorted(shares)
    assert 0 < shares[0] < shares[-1] <= 1


def test_tells_false_claims(proven: tuple[RankingDataset, Certificate]) -> None:
    data, true = proven
    lower = true.bound - 0.01
    for false, complaint in (
        (replace(true, value=true.value + 0.01), "the weights give"),
        (replace(true, weights=np.array([0.0, 0.0, 1.0])), "the weights give"),
        (replace(true, cuts=true.cuts[:-1]), "end before"),
        (replace(true, cuts=true.cuts + true.cuts[-1:]), "go on after"),
        (replace(true, cuts=bytes([254] * 7), bound=lower), "may hold weights that give"),
        (replace(true, cuts=bytes([80, *true.cuts])), "edge 10"),
        (replace(true, space="sphere"), "sphere"),
        (replace(true, space="box"), "with its bounds"),
        (replace(true, bound=lower), "may hold weights that give"),
    ):
        with pytest.raises(InvalidDataError, match=complaint):
            verify_certificate(false, data)


def test_weights_outside_the_space_prove_nothing() -> None:
    data = problem()
    anywhere = prove_optimum(data, metric="AP", space="euclidean")
    assert anywhere.weights.min() < 0
    with pytest.raises(InvalidDataError, match="outside the space simplex"):
        verify_certificate(replace(anywhere, space="simplex"), data)


def test_other_data_have_no_proof(proven: tuple[RankingDataset, Certificate]) -> None:
    data, certificate = proven
    with pytest.raises(InvalidDataError, match="other data"):
        verify_certificate(certificate, data.select(np.arange(5)))
