"""Scoring functions by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankmax._registry import Registry

if TYPE_CHECKING:
    from rankmax.learners.surrogate.scoring.scoring_function import ScoringFunction

SCORING_FUNCTIONS: Registry[type[ScoringFunction]] = Registry(
    "scoring function",
    "rankmax.learners.surrogate.scoring",
    {
        "expected-gain": ("expected_gain_scoring:ExpectedGain", "Expected gain under a logistic model of the grades."),
        "linear": ("linear_scoring:LinearScore", "A weighted sum of the features."),
    },
)
"""The functions that :func:`scoring_named` knows."""


def scoring_named(scoring: str | ScoringFunction) -> ScoringFunction:
    """Return a scoring function by its name, with its defaults; a scoring function is returned as it is.

    Parameters
    ----------
    scoring : str or ScoringFunction

    Examples
    --------
    >>> scoring_named("linear")
    LinearScore(intercept=True)
    """
    from rankmax.learners.surrogate.scoring.scoring_function import ScoringFunction

    return scoring if isinstance(scoring, ScoringFunction) else SCORING_FUNCTIONS.load(scoring)()
