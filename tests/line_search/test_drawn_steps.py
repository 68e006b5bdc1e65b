from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rankmax.line_search.drawn_steps import drawn_steps
from rankmax.line_search.step_function import StepFunction


@given(st.integers(0, 60), st.integers(0, 2**32 - 1))
def test_columns_bound_the_function_everywhere(n_steps: int, seed: int) -> None:
    """Against the function itself at places inside each column."""
    rng = np.random.default_rng(seed)
    function = StepFunction(np.sort(rng.normal(size=n_steps)), rng.random(n_steps + 1))
    window = (-1.0, 1.5)
    for columns in (1000, 7):
        drawn = drawn_steps(function, window, columns)
        edges = np.array(drawn["edges"])
        assert len(drawn["lows"]) == len(drawn["highs"]) == edges.size - 1 <= max(columns, n_steps + 1)
        for low, high, least, most in zip(edges[:-1], edges[1:], drawn["lows"], drawn["highs"], strict=True):
            inside = function.breakpoints[(function.breakpoints > low) & (function.breakpoints < high)]
            ends = np.concatenate([[low], inside, [high]])
            values = function((ends[:-1] + ends[1:]) / 2)
            assert (values.min(), values.max()) == (least, most)
