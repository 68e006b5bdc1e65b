"""Which model of users fits clicks better: one that looks by position, or one that stops."""

from __future__ import annotations

import math
from dataclasses import dataclass

from rankmax._arrays import F64
from rankmax.data.click_log import ClickLog
from rankmax.evaluation.click_cascade import Cascade
from rankmax.evaluation.click_propensities import position_log_likelihoods

_SIGNIFICANT = 1.96


@dataclass(frozen=True)
class ClickModelFit:
    """Mean log likelihood of a search's clicks by each model, and how sure the difference is.

    Attributes
    ----------
    position, cascade : float
    z : float
        The mean difference over its standard error: above 1.96 the cascade fits better, below -1.96 positions do.
    """

    position: float
    cascade: float
    z: float

    @property
    def better(self) -> str | None:
        """The model that fits better, or None if these searches cannot tell."""
        if abs(self.z) < _SIGNIFICANT:
            return None
        return "cascade" if self.z > 0 else "position"


def click_model_fit(log: ClickLog, propensities: F64, cascade: Cascade) -> ClickModelFit:
    """Compare both models by Vuong's test over searches.

    Both have a relevance for each document and a probability for each position (the cascade one more), so their
    likelihoods are compared as they are.

    Parameters
    ----------
    log : ClickLog
        With the clicks of each search.
    propensities : array, shape (n_positions,)
    cascade : Cascade

    Examples
    --------
    >>> import numpy as np
    >>> from rankmax.evaluation.click_cascade import fit_cascade
    >>> turns = [(i, k, (i + k) % 3) for i in range(3) for k in range(3)]
    >>> log = ClickLog.from_searches((f"s{i}", "q", "abc"[d], k + 1, d == 1, 40) for i, k, d in turns)
    >>> click_model_fit(log, np.ones(3), fit_cascade(log, (np.zeros(3), 1.0))).better is None
    True

    References
    ----------
    Vuong 1989, *Likelihood ratio tests for model selection and non-nested hypotheses*.
    """
    assert log.searches is not None
    counts = log.searches.counts
    by_position = position_log_likelihoods(log, propensities)
    n, difference = counts.sum(), cascade.log_likelihoods - by_position
    mean = float(counts @ difference / n)
    spread = math.sqrt(float(counts @ (difference - mean) ** 2 / n))
    z = mean * math.sqrt(n) / spread if spread > 0 else 0.0
    return ClickModelFit(float(counts @ by_position / n), float(counts @ cascade.log_likelihoods / n), z)
