"""Scoring functions by name."""

from __future__ import annotations

from rankmax.errors import UnknownNameError
from rankmax.learners.scoring.base import ScoringFunction
from rankmax.learners.scoring.expected_gain import ExpectedGain
from rankmax.learners.scoring.linear import LinearScore

SCORING_FUNCTIONS: dict[str, type[ScoringFunction]] = {"expected-gain": ExpectedGain, "linear": LinearScore}
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
    if isinstance(scoring, ScoringFunction):
        return scoring
    if scoring not in SCORING_FUNCTIONS:
        raise UnknownNameError("scoring function", str(scoring), SCORING_FUNCTIONS)
    return SCORING_FUNCTIONS[scoring]()
