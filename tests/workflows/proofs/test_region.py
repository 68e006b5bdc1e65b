from __future__ import annotations

import numpy as np
import pytest

from rankmax.data.synthetic import planted_linear
from rankmax.line_search.linear_objective import LinearObjective
from rankmax.metrics import parse_metric
from rankmax.optimizers.faces import Box
from rankmax.preprocessing.feature_normalization import Normalization
from rankmax.workflows.proofs.proven_optimum import prove_optimum
from rankmax.workflows.proofs.region import near_best

DATA = planted_linear(40, 10, 3, noise=1.0, seed=3).data


@pytest.mark.parametrize("space", ["simplex", "euclidean"])
def test_shares_hold_for_sampled_weights(space: str) -> None:
    certificate = prove_optimum(DATA, metric="AP", space=space, normalization="z-score")
    near = near_best(certificate, DATA)
    objective = LinearObjective(Normalization.named("z-score").apply(DATA), parse_metric("AP"))
    points = np.random.default_rng(0).dirichlet(np.ones(3), 2000)
    if space == "euclidean":
        points *= np.random.default_rng(1).choice([-1, 1], points.shape)
    share = (objective.values(points) >= near.level).mean()
    assert near.at_least - 0.04 <= share <= near.at_most + 0.04  # of 2000 samples
    assert near.at_most - near.at_least < 0.1
    by_query = objective.metric.per_query(objective.data.scores(certificate.weights), objective.data.judgments)
    assert near.standard_error == pytest.approx(np.nanstd(by_query, ddof=1) / np.sqrt(40))
    assert near.level == certificate.value - near.standard_error
    assert near.rounded is not None
    assert objective.at(near.rounded).value >= near.level
    assert (near.rounded * 10 == (near.rounded * 10).round()).all()


def test_bounds_leave_weights_as_they_are() -> None:
    near = near_best(prove_optimum(DATA, metric="AP", space=Box((1.0, 0.0, 0.0), (1.0, 2.0, 2.0))), DATA)
    assert 0 < near.at_least <= near.at_most <= 1
    assert near.rounded is None


def test_one_query_has_no_standard_error() -> None:
    one = DATA.select(np.array([0]))
    assert near_best(prove_optimum(one, metric="AP"), one).standard_error == 0
