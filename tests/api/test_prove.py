from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import rankmax
from rankmax import write_letor
from rankmax.data.synthetic import planted_linear
from rankmax.errors import InvalidDataError, InvalidParameterError
from rankmax.workflows.proofs.proven_optimum import prove_optimum


def test_a_proof_is_that_of_the_workflow(tmp_path: Path) -> None:
    data = planted_linear(8, 5, 2, noise=0.4, seed=3).data
    write_letor(data, tmp_path / "data.txt")
    expected = prove_optimum(data, metric="AP")
    for given in (data, tmp_path / "data.txt", (data.features, data.grades, data.judgments.query_of_document)):
        certificate = rankmax.prove(given, "AP")
        assert (certificate.value, certificate.bound, certificate.gap) == (expected.value, expected.bound, 0.0)
        np.testing.assert_array_equal(certificate.weights, expected.weights)


def test_mistakes_are_explained() -> None:
    data = planted_linear(4, 4, 2, seed=3).data
    with pytest.raises(InvalidParameterError, match="one of the two"):
        rankmax.prove(data, space="simplex", bounds={"f1": (0, 1), "f2": (1, 1)})
    with pytest.raises(InvalidDataError, match="int holds no features"):
        rankmax.prove(7)
