"""Query likelihood under a smoothed language model of each document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankmax._arrays import F64
from rankmax.metrics.metric_parameters import check_number
from rankmax.retrieval.features.feature import ExpressionSum, Sought


@dataclass(frozen=True)
class Dirichlet(ExpressionSum):
    r"""Log-likelihood of the query with Dirichlet smoothing.

    .. math:: \sum_{t \in Q} qtf \, \log \frac{tf + \mu \, cf / |C|}{|D| + \mu}

    over the distinct terms of the query that any document has; qtf is the number of occurrences in the query.

    Parameters
    ----------
    mu : float, default 2500
        Number of words of the collection added to a document, positive; the default is Indri's.
    fields : tuple of str
        Fields to read as one text; all fields of the index if empty.

    References
    ----------
    Zhai, Lafferty (2004), A study of smoothing methods for language models applied to information retrieval, TOIS,
    section 3 and equation 6.

    Examples
    --------
    >>> Dirichlet(mu=1500).name
    'dirichlet(mu=1500)'
    >>> Dirichlet(mu=0)
    Traceback (most recent call last):
    rankmax.errors.InvalidParameterError: dirichlet: mu=0 must be a number above 0
    """

    symbol: ClassVar[str] = "dirichlet"

    mu: float = 2500.0

    def __post_init__(self) -> None:
        super().__post_init__()
        check_number(self.symbol, "mu", self.mu, "a number above 0", lambda mu: mu > 0)

    def gain(self, frequencies: F64, lengths: F64, sought: Sought) -> F64:
        """Return ``log(1 + tf / (mu cf / |C|))``."""
        gained: F64 = np.log1p(frequencies / (self.mu * collection_probability(sought)))
        return gained

    def base(self, lengths: F64, sought: Sequence[Sought]) -> F64:
        """Return the sum of ``log(mu cf / |C|) - log(|D| + mu)``."""
        weight = sum(one.weight for one in sought)
        constant = sum(one.weight * np.log(self.mu * collection_probability(one)) for one in sought)
        found: F64 = constant - weight * np.log(lengths + self.mu)
        return found


@dataclass(frozen=True)
class JelinekMercer(ExpressionSum):
    r"""Log-likelihood of the query with Jelinek-Mercer smoothing.

    .. math:: \sum_{t \in Q} qtf \, \log \left( (1 - \lambda) \frac{tf}{|D|} + \lambda \frac{cf}{|C|} \right)

    over the distinct terms of the query that any document has; qtf is the number of occurrences in the query.

    Parameters
    ----------
    background : float, default 0.4
        Weight lambda of the collection, above 0 and at most 1; the default is Indri's.
    fields : tuple of str
        Fields to read as one text; all fields of the index if empty.

    References
    ----------
    Zhai, Lafferty (2004), A study of smoothing methods for language models applied to information retrieval, TOIS,
    section 3 and equation 5.

    Examples
    --------
    >>> JelinekMercer(background=0.7, fields=("title", "body")).name
    'jelinek-mercer(background=0.7):title+body'
    """

    symbol: ClassVar[str] = "jelinek-mercer"

    background: float = 0.4

    def __post_init__(self) -> None:
        super().__post_init__()
        allowed = "a number above 0 and at most 1"
        check_number(self.symbol, "background", self.background, allowed, lambda weight: 0 < weight <= 1)

    def gain(self, frequencies: F64, lengths: F64, sought: Sought) -> F64:
        """Return ``log(1 + (1 - lambda) tf / |D| / (lambda cf / |C|))``."""
        seen = (1 - self.background) * frequencies / lengths
        gained: F64 = np.log1p(seen / (self.background * collection_probability(sought)))
        return gained

    def base(self, lengths: F64, sought: Sequence[Sought]) -> F64:
        """Return the sum of ``log(lambda cf / |C|)``."""
        constant = sum(one.weight * np.log(self.background * collection_probability(one)) for one in sought)
        return np.full(len(lengths), float(constant))


def collection_probability(sought: Sought) -> float:
    """Return ``cf / |C|``."""
    return sought.collection_frequency / sought.n_occurrences
