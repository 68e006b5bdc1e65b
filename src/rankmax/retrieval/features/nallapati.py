"""Nallapati's six features: sums over the distinct terms that query and document share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankmax._arrays import F64
from rankmax.retrieval.features.feature import ExpressionSum, Sought
from rankmax.retrieval.queries.query import Expression, Query, Term


@dataclass(frozen=True)
class SharedTerms(ExpressionSum):
    r"""A sum over the distinct terms of the query that a document has, :math:`\sum_{w \in Q \cap D}`.

    Repetitions in the query do not count. These features are numbered as in Table 1 of the paper, where
    :math:`tf` is the number of occurrences of :math:`w` in the document and :math:`cf` in all documents,
    :math:`df` the number of documents that have it, :math:`|D|` and :math:`|C|` the number of terms of the document
    and of all, and :math:`N` the number of documents.

    References
    ----------
    Metzler, Croft (2007), Linear feature-based models for information retrieval, Table 1; Nallapati (2004),
    Discriminative models for information retrieval, SIGIR.
    """

    def expressions(self, query: Query) -> Sequence[tuple[Expression, float]]:
        """Return the distinct terms, each with weight 1."""
        return [(Term(term), 1.0) for term in query.term_counts]


@dataclass(frozen=True)
class LogFrequency(SharedTerms):
    r"""Logarithms of frequencies, :math:`\sum_{w \in Q \cap D} \log tf`: feature 1 of :class:`SharedTerms`.

    Examples
    --------
    >>> LogFrequency(fields=("title",)).name
    'log-tf:title'
    """

    symbol: ClassVar[str] = "log-tf"

    def gain(self, frequencies: F64, lengths: F64, sought: Sought) -> F64:
        """Return log tf."""
        return np.log(frequencies)


@dataclass(frozen=True)
class LogShare(SharedTerms):
    r"""Relative frequencies, :math:`\sum_{w \in Q \cap D} \log(1 + tf / |D|)`: feature 2 of :class:`SharedTerms`.

    Examples
    --------
    >>> LogShare().name
    'log-share'
    """

    symbol: ClassVar[str] = "log-share"

    def gain(self, frequencies: F64, lengths: F64, sought: Sought) -> F64:
        """Return ``log(1 + tf / |D|)``."""
        return np.log1p(frequencies / lengths)


@dataclass(frozen=True)
class LogInverseDocuments(SharedTerms):
    r"""Rarity among documents, :math:`\sum_{w \in Q \cap D} \log(N / df)`: feature 3 of :class:`SharedTerms`.

    Examples
    --------
    >>> LogInverseDocuments().name
    'log-idf'
    """

    symbol: ClassVar[str] = "log-idf"

    def gain(self, frequencies: F64, lengths: F64, sought: Sought) -> F64:
        """Return log(N / df)."""
        return np.full(frequencies.size, np.log(sought.n_documents / sought.document_frequency))


@dataclass(frozen=True)
class LogInverseOccurrences(SharedTerms):
    r"""Rarity among all words, :math:`\sum_{w \in Q \cap D} \log(|C| / cf)`: feature 4 of :class:`SharedTerms`.

    Examples
    --------
    >>> LogInverseOccurrences().name
    'log-icf'
    """

    symbol: ClassVar[str] = "log-icf"

    def gain(self, frequencies: F64, lengths: F64, sought: Sought) -> F64:
        """Return ``log(|C| / cf)``."""
        return np.full(frequencies.size, np.log(sought.n_occurrences / sought.collection_frequency))


@dataclass(frozen=True)
class LogShareByDocuments(SharedTerms):
    r"""Share by df, :math:`\sum_{w \in Q \cap D} \log(1 + \frac{tf}{|D|} \frac{N}{df})`: feature 5 in the table.

    Examples
    --------
    >>> LogShareByDocuments().name
    'log-share-idf'
    """

    symbol: ClassVar[str] = "log-share-idf"

    def gain(self, frequencies: F64, lengths: F64, sought: Sought) -> F64:
        """Return ``log(1 + tf / |D| * N / df)``."""
        return np.log1p(frequencies / lengths * (sought.n_documents / sought.document_frequency))


@dataclass(frozen=True)
class LogShareByOccurrences(SharedTerms):
    r"""Share by cf, :math:`\sum_{w \in Q \cap D} \log(1 + \frac{tf}{|D|} \frac{|C|}{cf})`: feature 6 in the table.

    Examples
    --------
    >>> LogShareByOccurrences().name
    'log-share-icf'
    """

    symbol: ClassVar[str] = "log-share-icf"

    def gain(self, frequencies: F64, lengths: F64, sought: Sought) -> F64:
        """Return ``log(1 + tf / |D| * |C| / cf)``."""
        return np.log1p(frequencies / lengths * (sought.n_occurrences / sought.collection_frequency))
