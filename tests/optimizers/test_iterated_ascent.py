"""Escapes."""

from __future__ import annotations

import numpy as np
import pytest

from rankmax.data.synthetic import planted_linear
from rankmax.errors import InvalidParameterError
from rankmax.line_search.linear_objective import LinearObjective
from rankmax.metrics import nDCG
from rankmax.optimizers.iterated_ascent import IteratedAscent
from rankmax.spaces import Euclidean


def test_escapes_gain_where_an_ascent_has_ended():
    objective = LinearObjective(planted_linear(30, 15, 8, noise=2.0, seed=4).data, nDCG() @ 5)
    ended, went_on = (
        IteratedAscent(n_escapes=n).maximize(objective, Euclidean(), start=np.ones(8), rng=np.random.default_rng(0))
        for n in (0, 5)
    )
    assert went_on.value > ended.value
    assert went_on.history[: len(ended.history)][-1].value == ended.value


@pytest.mark.parametrize(
    ("wrong", "message"),
    [({"n_escapes": -1}, "nonnegative"), ({"shake": 0.0}, "positive"), ({"tolerance": -1.0}, "nonnegative")],
)
def test_wrong_parameters(wrong, message):
    with pytest.raises(InvalidParameterError, match=message):
        IteratedAscent(**wrong)
