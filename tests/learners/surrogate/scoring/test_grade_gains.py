"""Gains by name, table and metric."""

from __future__ import annotations

import numpy as np
import pytest

from rankmax.errors import IncompatibleError, InvalidDataError, UnknownNameError
from rankmax.learners.surrogate.scoring.grade_gains import gains_of
from rankmax.metrics import AP, DCG, ERR, P, nDCG, parse_metric

GRADES = np.array([0.0, 1.0, 3.0])


@pytest.mark.parametrize(
    ("gain", "expected"),
    [
        ("linear", [0, 1, 3]),
        ("exp2", [0, 1, 7]),
        ((0.0, 2.0, 5.0, 6.0), [0, 2, 6]),
        (nDCG(gain="exp2") @ 10, [0, 1, 7]),
        (DCG(), [0, 1, 3]),
        (ERR(), [0, 1 / 8, 7 / 8]),
        (ERR(max_grade=4), [0, 1 / 16, 7 / 16]),
        (parse_metric("PowerERR(max_grade=4)"), [0, 1 / 16, 7 / 16]),
        (parse_metric("DCGLike(gain=[0,1,1,4],divisor=[1,2,3])"), [0, 1, 4]),
        (P() @ 5, [0, 1, 1]),
    ],
)
def test_gains(gain, expected):
    np.testing.assert_allclose(gains_of(gain, GRADES), expected)


def test_metrics_without_a_gain_by_grade():
    with pytest.raises(IncompatibleError, match="AP has no gain by grade"):
        gains_of(AP(), GRADES)
    with pytest.raises(IncompatibleError, match="AP has no gain by grade"):
        gains_of(AP(), np.array([0.0, 1.0]))
    with pytest.raises(IncompatibleError, match="Bpref has no gain by grade"):
        gains_of(parse_metric("Bpref"), GRADES)


def test_mistakes_are_named():
    with pytest.raises(UnknownNameError, match="unknown gain of expected gain 'exp3'"):
        gains_of("exp3", GRADES)
    with pytest.raises(InvalidDataError, match="grade 3 has no gain"):
        gains_of((0.0, 1.0), GRADES)
