r"""Strictly increasing links that make scoring functions linear.

A score S with :math:`l(S) = w^T f + Z`, where *l* is strictly increasing and Z the same for all documents of a query,
ranks as :math:`w^T f` does. Whatever is learned for linear scores therefore holds for probabilities and odds, too.
"""

from __future__ import annotations

from enum import Enum

import numpy as np
from numpy.typing import ArrayLike

from rankmax._arrays import F64
from rankmax.errors import InvalidDataError


class Link(Enum):
    r"""A strictly increasing function from scores to linear scores.

    ``IDENTITY`` is the linear model itself. ``LOG`` belongs to exponential models such as maximum entropy,
    :math:`S = \exp(w^T f) / Z`; ``LOGIT`` to logistic regression, :math:`S = 1 / (1 + \exp(-w^T f - Z))`.

    Examples
    --------
    >>> linear = np.array([-1.0, 2.0, 0.5])
    >>> probabilities = Link.LOGIT.scores(linear)
    >>> np.argsort(-probabilities), np.argsort(-linear)
    (array([1, 2, 0]), array([1, 2, 0]))
    >>> Link.LOGIT.linear(probabilities)
    array([-1. ,  2. ,  0.5])

    Rank by the linear scores where possible: scores saturate, and then tie.

    >>> Link.LOGIT.scores([40.0, 50.0])
    array([1., 1.])

    References
    ----------
    Metzler (2005), section 3.2; Metzler & Croft (2007), section 2.1.
    """

    IDENTITY = "identity"
    LOG = "log"
    LOGIT = "logit"

    def linear(self, scores: ArrayLike) -> F64:
        """Return l(S); infinite at the ends of the link's domain.

        Parameters
        ----------
        scores : array-like
            Nonnegative for ``LOG``, in [0, 1] for ``LOGIT``.
        """
        values = np.asarray(scores, np.float64)
        low, high = _DOMAINS[self]
        inside = (values >= low) & (values <= high)
        if not inside.all():
            raise InvalidDataError(
                f"score {values[~inside].flat[0]} has no {self.value}; scores must be from {low:g} to {high:g}"
            )
        with np.errstate(divide="ignore"):
            if self is Link.LOG:
                return np.log(values)
            if self is Link.LOGIT:
                return np.log(values) - np.log1p(-values)
        return values.copy()

    def scores(self, linear: ArrayLike) -> F64:
        """Return the scores S that the link maps to the given linear scores.

        Parameters
        ----------
        linear : array-like
        """
        values = np.asarray(linear, np.float64)
        with np.errstate(over="ignore", under="ignore"):
            if self is Link.LOG:
                return np.exp(values)
            if self is Link.LOGIT:
                return 1 / (1 + np.exp(-values))
        return values.copy()


_DOMAINS = {Link.IDENTITY: (-np.inf, np.inf), Link.LOG: (0.0, np.inf), Link.LOGIT: (0.0, 1.0)}
