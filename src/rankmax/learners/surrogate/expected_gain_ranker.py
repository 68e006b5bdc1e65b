"""The learner expected-gain: a surrogate loss of the expected-gain scoring function."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rankmax.learners.surrogate.scoring.expected_gain_scoring import ExpectedGain
from rankmax.learners.surrogate.surrogate_ranker import SurrogateRanker, several
from rankmax.metrics.metric import Metric


def expected_gain_ranker(metric: Metric, normalization: str, options: Mapping[str, Any]) -> SurrogateRanker:
    """Return the learner of Yang, Ravikumar & Lease 2010.

    Parameters
    ----------
    metric : Metric
    normalization : str
    options : mapping of str to object
    """
    own = dict(options)
    scoring = [ExpectedGain(epsilon=epsilon) for epsilon in several(own.pop("epsilon", ()))]
    return SurrogateRanker.from_options(metric, normalization, {"scoring": scoring or "expected-gain", **own})
