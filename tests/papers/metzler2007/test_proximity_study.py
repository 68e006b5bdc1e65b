from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rankmax.papers.metzler2007.proximity_study import OPTIMIZERS
from rankmax.papers.store import StoredStudy
from rankmax.spaces.lattice import simplex_lattice


def test_the_small_version(small_study: Callable[[str, str], StoredStudy]) -> None:
    stored = small_study("metzler2007", "table-6")
    weights, smoothed, surface, optimizers, optimum = stored.values.values()
    assert 0 < smoothed["terms_alone"] < 1
    assert 0 < smoothed["feature_based"] < 1
    assert np.isclose(np.sum(weights["weights"]), 1)
    assert min(weights["weights"]) >= 0
    assert len(surface) == len(simplex_lattice(3, stored.settings["lattice"]))
    assert set(optimizers) == set(OPTIMIZERS)
    # The grid's points are on the lattice, and exact lines from several starts end no lower than its best, nearly.
    assert np.isclose(optimizers["grid"]["values"][0], max(surface), atol=1e-4)
    assert max(optimizers["coordinate ascent"]["values"]) >= 0.99 * max(surface)
    # Nothing that was found exceeds what is proven.
    found = [*surface, *(value for one in optimizers.values() for value in one["values"])]
    assert max(found) <= optimum["bound"] + 1e-5
