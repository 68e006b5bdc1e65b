"""Gey's six features: logarithms of frequencies of the terms that query and document share.

His model adds up the log odds of relevance given by each shared term, and each of these is linear in six logarithms, so
as a linear model of query and document it is linear in their sums over the distinct shared terms::

    query absolute frequency      log qtf          LogQueryFrequency
    query relative frequency      log(qtf / |Q|)   LogQueryShare
    document absolute frequency   log tf           LogFrequency, of Nallapati's
    document relative frequency   log(tf / |D|)    LogRelativeFrequency
    inverse document frequency    log(N / df)      LogInverseDocuments, of Nallapati's
    frequency in all documents    log(cf / |C|)    LogCollectionShare

The last is the negative of Nallapati's fourth feature.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from typing import ClassVar

import numpy as np

from rankmax._arrays import F64
from rankmax.retrieval.features.feature import Sought
from rankmax.retrieval.features.nallapati import SharedTerms
from rankmax.retrieval.queries.query import Expression, Query, Term


@dataclass(frozen=True)
class LogQueryFrequency(SharedTerms):
    r"""Query frequencies of shared terms, :math:`\sum_{w \in Q \cap D} \log qtf`.

    References
    ----------
    Gey (1994), Inferring probability of relevance using the method of logistic regression, SIGIR; Metzler, Croft
    (2007), Linear feature-based models for information retrieval, section 3.

    Examples
    --------
    >>> LogQueryFrequency().name
    'log-qtf'
    """

    symbol: ClassVar[str] = "log-qtf"

    def expressions(self, query: Query) -> Sequence[tuple[Expression, float]]:
        """Return the distinct terms with log qtf."""
        return [(Term(term), log(count)) for term, count in query.term_counts.items()]

    def gain(self, frequencies: F64, lengths: F64, sought: Sought) -> F64:
        """Return 1."""
        return np.ones(frequencies.size)


@dataclass(frozen=True)
class LogQueryShare(SharedTerms):
    r"""Query frequencies relative to the query's length, :math:`\sum_{w \in Q \cap D} \log(qtf / |Q|)`.

    References
    ----------
    See :class:`LogQueryFrequency`.

    Examples
    --------
    >>> LogQueryShare().name
    'log-query-share'
    """

    symbol: ClassVar[str] = "log-query-share"

    def expressions(self, query: Query) -> Sequence[tuple[Expression, float]]:
        """Return the distinct terms with ``log(qtf / |Q|)``."""
        return [(Term(term), log(count / len(query.terms))) for term, count in query.term_counts.items()]

    def gain(self, frequencies: F64, lengths: F64, sought: Sought) -> F64:
        """Return 1."""
        return np.ones(frequencies.size)


@dataclass(frozen=True)
class LogRelativeFrequency(SharedTerms):
    r"""Term frequencies relative to length, :math:`\sum_{w \in Q \cap D} \log(tf / |D|)`.

    References
    ----------
    See :class:`LogQueryFrequency`.

    Examples
    --------
    >>> LogRelativeFrequency().name
    'log-relative-tf'
    """

    symbol: ClassVar[str] = "log-relative-tf"

    def gain(self, frequencies: F64, lengths: F64, sought: Sought) -> F64:
        """Return ``log(tf / |D|)``."""
        return np.log(frequencies / lengths)


@dataclass(frozen=True)
class LogCollectionShare(SharedTerms):
    r"""Collection frequencies of shared terms, :math:`\sum_{w \in Q \cap D} \log(cf / |C|)`.

    References
    ----------
    See :class:`LogQueryFrequency`.

    Examples
    --------
    >>> LogCollectionShare().name
    'log-collection-share'
    """

    symbol: ClassVar[str] = "log-collection-share"

    def gain(self, frequencies: F64, lengths: F64, sought: Sought) -> F64:
        """Return ``log(cf / |C|)``."""
        return np.full(frequencies.size, np.log(sought.collection_frequency / sought.n_occurrences))
