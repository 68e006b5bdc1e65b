"""Primitive features: the components of retrieval functions as features of their own.

The number of matching terms and of their occurrences are :class:`~rankmax.retrieval.features.boolean.Coordination` and
:class:`~rankmax.retrieval.features.boolean.Occurrences`, and the rarity of terms is
:class:`~rankmax.retrieval.features.nallapati.LogInverseDocuments`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rankmax._arrays import F64
from rankmax.retrieval.features.feature import ExpressionSum, NamedFeature, Sought
from rankmax.retrieval.features.proximity import check_window, ordered_phrases, unordered_windows
from rankmax.retrieval.queries.query import MOST_SUBSETS, Expression, Query


@dataclass(frozen=True)
class Length(NamedFeature):
    """Number of terms of a document; the same for every query.

    Parameters
    ----------
    fields : tuple of str
        Fields whose terms count; all fields of the index if empty.

    References
    ----------
    Metzler, Croft (2007), Linear feature-based models for information retrieval, section 2.5.

    Examples
    --------
    >>> Length(fields=("title",)).name
    'length:title'
    """

    symbol: ClassVar[str] = "length"

    fields: tuple[str, ...] = field(default=(), kw_only=True)

    def values(self, query: Query, documents: NDArray[Any]) -> F64:
        """Return the values of the given documents, in their order."""
        lengths: F64 = query.scope(self.fields).lengths[documents].astype(np.float64)
        return lengths


@dataclass(frozen=True)
class PhraseCount(ExpressionSum):
    r"""Number of phrases of the query, :math:`\sum_{q_i, \ldots, q_{i+k}} tf_{\#1(q_i \ldots q_{i+k})}`.

    Parameters
    ----------
    most, fields
        As in :class:`~rankmax.retrieval.features.proximity.OrderedPhrases`, which sums over the same phrases.

    References
    ----------
    Metzler, Croft (2007), Linear feature-based models for information retrieval, section 2.5: term proximity.

    Examples
    --------
    >>> PhraseCount().name
    'phrase-count'
    """

    symbol: ClassVar[str] = "phrase-count"

    most: int = MOST_SUBSETS

    def __post_init__(self) -> None:
        super().__post_init__()
        check_window(self.symbol, 1, self.most)

    def expressions(self, query: Query) -> Sequence[tuple[Expression, float]]:
        """Return the phrases."""
        return ordered_phrases(query, self.most)

    def gain(self, frequencies: F64, lengths: F64, sought: Sought) -> F64:
        """Return the number of occurrences."""
        return frequencies


@dataclass(frozen=True)
class WindowCount(ExpressionSum):
    r"""Number of windows of the query's terms, :math:`\sum_{q_i, \ldots, q_j} tf_{\#uw8(q_i \ldots q_j)}`.

    Parameters
    ----------
    width, per_term, most, fields
        As in :class:`~rankmax.retrieval.features.proximity.UnorderedWindows`, which sums over the same windows.

    References
    ----------
    Metzler, Croft (2007), Linear feature-based models for information retrieval, section 2.5: term proximity.

    Examples
    --------
    >>> WindowCount(width=12).name
    'window-count(width=12)'
    """

    symbol: ClassVar[str] = "window-count"

    width: int = 8
    per_term: bool = False
    most: int = MOST_SUBSETS

    def __post_init__(self) -> None:
        super().__post_init__()
        check_window(self.symbol, self.width, self.most)

    def expressions(self, query: Query) -> Sequence[tuple[Expression, float]]:
        """Return the windows."""
        return unordered_windows(query, self.width, self.per_term, self.most)

    def gain(self, frequencies: F64, lengths: F64, sought: Sought) -> F64:
        """Return the number of occurrences."""
        return frequencies
