"""The learner expected-gain: a surrogate loss of the expected-gain scoring function."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rankmax.learners.options import SEED, Option, Preset
from rankmax.learners.surrogate.scoring.expected_gain_scoring import ExpectedGain
from rankmax.learners.surrogate.surrogate_ranker import SurrogateRanker, several
from rankmax.metrics.metric import Metric


def _build(metric: Metric, normalization: str, options: Mapping[str, Any]) -> SurrogateRanker:
    own = dict(options)
    scoring = [ExpectedGain(epsilon=epsilon) for epsilon in several(own.pop("epsilon", ()))]
    return SurrogateRanker.from_options(metric, normalization, {"scoring": scoring or "expected-gain", **own})


EXPECTED_GAIN = Preset(
    (
        *SurrogateRanker.options,
        Option(
            "epsilon",
            float,
            help="Probability above which a grade counts as certain in training; validation queries select one of "
            "several.  [default: 1, or validation queries select from 0.6 to 1]",
            many=True,
            above=0.5,
            maximum=1,
        ),
        Option("n_restarts", int, help="Number of random starts, in place of the linear optimum.", minimum=1),
        Option("polish", bool, default=False, help="After training, choose the gains that maximize the metric itself."),
        SEED,
    ),
    _build,
)
"""The learner of Yang, Ravikumar & Lease 2010."""
