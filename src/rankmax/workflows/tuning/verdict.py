"""Whether learned weights are worth having: what the judged queries say, and how little."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from rankmax.arrays import F64

_N_SAMPLES = 10_000
_DETECTED = 1.96 + 0.84  # in standard errors: a difference found at the level 0.05 in four of five experiments


@dataclass(frozen=True)
class Verdict:
    """What is learned against the best that is simpler.

    Attributes
    ----------
    favourite : str
        What was learned.
    rival : str
        The simpler fusion, or single system, with the highest mean on held-out queries.
    gain : float
        The favourite's mean minus the rival's.
    p_value : float
        Of the gain, corrected for the number of methods.
    sign_flips : float
        Share of bootstrap samples of the queries in which the gain has the other sign, or none.
    queries_needed : int or None
        About how many queries would be needed to tell a gain of this size from none; None where there is no gain.
    n_queries : int
    level : float
    """

    favourite: str
    rival: str
    gain: float
    p_value: float
    sign_flips: float
    queries_needed: int | None
    n_queries: int
    level: float = 0.05

    @property
    def take_it(self) -> bool:
        """Whether what was learned is significantly better than anything simpler."""
        return self.gain > 0 and self.p_value < self.level

    def __str__(self) -> str:
        """Return the recommendation, and what it rests on."""
        rival = "fixed weights" if self.rival == "learned" else self.rival
        against = f"{self.gain:+.4f} against {rival}, p = {self.p_value:.4f}"
        flips = f"the sign flips in {self.sign_flips:.0%} of bootstrap samples of the {self.n_queries} queries"
        if self.take_it:
            return f"use {self.favourite} weights: {against}; {flips}."
        if self.gain <= 0:
            return f"stay with {rival}: {self.favourite} weights gain nothing on held-out queries ({against})."
        more = "" if self.queries_needed is None else f" About {self.queries_needed:,} queries could tell such a gain."
        return f"stay with {rival}: the gain is not significant ({against}; {flips}).{more}"


def judge_gain(differences: F64, favourite: str, rival: str, p_value: float, *, seed: int = 0) -> Verdict:
    r"""Return the verdict on paired differences between what was learned and a rival.

    To find a mean difference :math:`\delta` of standard deviation s in four of five experiments at the level 0.05
    takes about :math:`(2.8\, s / \delta)^2` queries.

    Parameters
    ----------
    differences : array, shape (n_queries,)
        Favourite minus rival, on held-out queries.
    favourite, rival : str
    p_value : float
        Of their mean.
    seed : int
        Of the bootstrap.

    Examples
    --------
    >>> print(judge_gain(np.array([0.1, 0.2, 0.05, -0.15]), "learned", "RRF", 0.5))
    stay with RRF: the gain is not significant (+0.0500 against RRF, p = 0.5000; the sign flips in 19% of bootstrap
    samples of the 4 queries). About 68 queries could tell such a gain.
    """
    n = differences.size
    gain = float(differences.mean())
    counts = np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), size=_N_SAMPLES)
    resampled = counts @ differences
    flips = float(np.mean(resampled * np.sign(gain) <= 0)) if gain else 1.0
    spread = float(differences.std(ddof=1)) if n > 1 else 0.0
    needed = math.ceil((_DETECTED * spread / gain) ** 2) if gain > 0 and spread > 0 else None
    return Verdict(favourite, rival, gain, p_value, flips, needed, n)
