"""Gains by grade of DCG-like metrics."""

from __future__ import annotations

import numpy as np

from rankmax._arrays import F64
from rankmax.data.judgments import Judgments
from rankmax.errors import IncompatibleError
from rankmax.metrics.gains import Gain, check_gain, gain_by_level
from rankmax.metrics.metric import CascadeMetric, Metric, TabularMetric


def gains_of(gain: Gain | Metric, grades: F64) -> F64:
    """Return the gain of each grade, by name, by table, or of a DCG-like metric.

    A metric is DCG-like if a document's contribution depends on its grade and rank alone, as in DCG, nDCG and the power
    approximation of ERR. For ERR itself, the probability that a document of the grade satisfies the user is taken.

    Parameters
    ----------
    gain : str, tuple of float or Metric
    grades : array of float64
        Distinct, ascending.

    Examples
    --------
    >>> from rankmax.metrics import AP, DCG, ERR
    >>> gains_of("exp2", np.arange(3.0)), gains_of(DCG(), np.arange(3.0)), gains_of(ERR(max_grade=2), np.arange(3.0))
    (array([0., 1., 3.]), array([0., 1., 2.]), array([0.  , 0.25, 0.75]))
    >>> gains_of(AP(), np.arange(3.0))
    Traceback (most recent call last):
    rankmax.errors.IncompatibleError: AP has no gain by grade: what a document is worth to it depends on ...

    References
    ----------
    Yang, Ravikumar & Lease 2010, Definition 1 and eq. 5.
    """
    # Some documents of each grade, as a metric may tell only the second relevant one from the first.
    judgments = Judgments.from_grades(np.repeat(grades, 3), [0, 3 * grades.size])
    if not isinstance(gain, Metric):
        check_gain("expected gain", gain)
        return gain_by_level(gain, judgments)[1:]
    if isinstance(gain, CascadeMetric):
        stop: F64 = gain.cascade(judgments).stop[1:]
        return stop
    if isinstance(gain, TabularMetric):
        tables = gain.tables(judgments)
        if (np.diff(tables.prefix) == 0).all():
            gains: F64 = tables.gain[1:] * tables.prefix[0]
            return gains
    raise IncompatibleError(
        f"{gain.name} has no gain by grade: what a document is worth to it depends on the documents above; "
        "give a DCG-like metric, 'linear', 'exp2' or a table by grade"
    )
