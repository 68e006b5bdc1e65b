from __future__ import annotations

import numpy as np

from rankmax.line_search.step_function import StepFunction
from rankmax.studio.screen_steps import described_function


def test_a_function_without_steps_is_drawn_once() -> None:
    told = described_function(StepFunction(np.empty(0), np.array([0.5])), 0.0)
    assert (told["n_steps"], len(told["windows"])) == (0, 1)
    assert told["windows"][0]["highs"] == [0.5]
