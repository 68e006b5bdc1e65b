"""The scale of grades that ERR and its power approximation assume."""

from __future__ import annotations

import numpy as np
import pytest

from rankmax.data.judgments import Judgments
from rankmax.errors import InvalidDataError
from rankmax.metrics import ERR, DCGLike, PowerERR

GRADES = [3, 0, 2, 1]
SCORES = np.array([4.0, 3.0, 2.0, 1.0])
JUDGMENTS = Judgments.from_grades(GRADES, [0, 4])


@pytest.mark.parametrize("metric", [ERR, PowerERR])
class TestMaxGrade:
    def test_none_is_the_highest_in_the_data(self, metric):
        found = metric().per_query(SCORES, JUDGMENTS)
        assert found == metric(max_grade=3).per_query(SCORES, JUDGMENTS)
        assert found > metric(max_grade=4).per_query(SCORES, JUDGMENTS)

    def test_a_higher_grade_is_refused(self, metric):
        with pytest.raises(InvalidDataError, match="grade 3 is above max_grade=2, the highest of the scale"):
            metric(max_grade=2).per_query(SCORES, JUDGMENTS)

    def test_stays_the_same_for_some_of_the_queries(self, metric):
        judgments = Judgments.from_grades([*GRADES, 1], [0, 4, 5])
        alone = metric().per_query(np.zeros(1), judgments.select([1]))
        assert alone == metric(max_grade=3).per_query(np.zeros(1), judgments.select([1]))

    def test_without_grades_nobody_is_satisfied(self, metric):
        assert metric().per_query(np.zeros(2), Judgments.from_grades([np.nan, 0], [0, 2])) == [0.0]


@pytest.mark.parametrize("beta", [1.0, 1.5, 3.0])
def test_power_err_is_dcg_like(beta):
    """Yang et al. 2010, below equation 5: G(r) = (2^r - 1) / 2^K, F(j) = j^beta."""
    same = DCGLike(gain="exp2", divisor=np.arange(1.0, 5.0) ** beta, scale=2.0**-3)
    assert PowerERR(beta=beta).per_query(SCORES, JUDGMENTS) == pytest.approx(same.per_query(SCORES, JUDGMENTS))
