from __future__ import annotations

import numpy as np

from rankmax.data.synthetic import planted_linear
from rankmax.line_search.linear_objective import LinearObjective
from rankmax.metrics import AP, parse_metric
from rankmax.preprocessing.feature_normalization import Normalization
from rankmax.workflows.surface.metric_surface import metric_surface
from rankmax.workflows.surface.proven import with_proof

DATA = planted_linear(30, 10, 4, noise=1.0, seed=1).data
NAMES = ["f4", "f1", "f3"]


def test_what_is_shaded_holds_nothing_as_good() -> None:
    plain = metric_surface(DATA, NAMES, AP(), normalization="min-max", resolution=16)
    surface = with_proof(plain, DATA, normalization="min-max")
    assert plain.proof is None
    assert surface.proof is not None
    level = surface.optimum.value - surface.optimum.standard_error
    objective = LinearObjective(Normalization.named("min-max").apply(DATA.select_features(NAMES)), AP())
    shares = np.random.default_rng(0).dirichlet(np.ones(3), 5)
    for cells, reached in ((surface.proof.is_below, False), (surface.proof.is_above, True)):
        inside = (shares @ surface.proof.vertices[cells]).reshape(-1, 3)
        assert len(inside) > 0
        assert ((objective.values(inside) >= level) == reached).all()
    assert surface.proof.at_most - surface.proof.at_least < 0.2


def test_nothing_is_proven_of_a_metric_without_tables() -> None:
    surface = metric_surface(DATA, NAMES, parse_metric("ERR"), resolution=4)
    assert with_proof(surface, DATA) is surface
