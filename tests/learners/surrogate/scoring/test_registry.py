from __future__ import annotations

import pytest

from rankmax.errors import UnknownNameError
from rankmax.learners.surrogate.scoring.expected_gain_scoring import ExpectedGain
from rankmax.learners.surrogate.scoring.linear_scoring import LinearScore
from rankmax.learners.surrogate.scoring.registry import scoring_named


def test_names_and_functions():
    assert scoring_named("linear") == LinearScore()
    assert scoring_named("expected-gain") == ExpectedGain()
    function = ExpectedGain(epsilon=0.7)
    assert scoring_named(function) is function


def test_unknown_names():
    with pytest.raises(UnknownNameError, match="unknown scoring function 'expected'; did you mean 'expected-gain'"):
        scoring_named("expected")
