from __future__ import annotations

import pytest

from rankmax.errors import UnknownNameError
from rankmax.learners.scoring.expected_gain import ExpectedGain
from rankmax.learners.scoring.linear import LinearScore
from rankmax.learners.scoring.named import scoring_named


def test_names_and_functions():
    assert scoring_named("linear") == LinearScore()
    assert scoring_named("expected-gain") == ExpectedGain()
    function = ExpectedGain(epsilon=0.7)
    assert scoring_named(function) is function


def test_unknown_names():
    with pytest.raises(UnknownNameError, match="unknown scoring function 'expected'; did you mean 'expected-gain'"):
        scoring_named("expected")
