"""Several judgments of the same documents: a query's value is a weighted sum of its values by each of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import ArrayLike

from rankmax._arrays import F64, I64, readonly
from rankmax.data.dataset import RankingDataset
from rankmax.data.feature_matrix import take_rows
from rankmax.data.judgments import Judgments, segments
from rankmax.errors import InvalidDataError


@dataclass(frozen=True, eq=False)
class MixedJudgments(Judgments):
    r"""Judgments from several sources, each with a coefficient for every query.

    With coefficients a, which may be negative, the value of query q is

    .. math:: \sum_s a_{sq} \, \mathrm{metric}(\mathrm{ranking}_q; \mathrm{judgments}_s)

    Each term is a step function of weights, so line searches and proofs apply to the sum as to one metric. Whatever
    else asks for grades gets those of the judgments that this is made of with :meth:`of`.

    Attributes
    ----------
    sources : tuple of Judgments
        Judgments of the same queries and documents.
    coefficients : array, shape (n_sources, n_queries)
    emphasis : array, shape (n_queries,)
        Weight of each query where something is learned or selected, rather than estimated; by default 1.

    Examples
    --------
    >>> people = Judgments.from_grades([1, 0, np.nan, np.nan], [0, 2, 4])
    >>> machine = Judgments.from_grades([1, 1, 0, 1], [0, 2, 4])
    >>> mixed = MixedJudgments.of(machine, [people, machine], np.array([[2.0, 0.0], [-1.0, 1.0]]))
    >>> mixed.select([1]).coefficients
    array([[0.],
           [1.]])
    >>> mixed.groups
    array([1, 0])
    """

    sources: tuple[Judgments, ...]
    coefficients: F64
    emphasis: F64

    @classmethod
    def of(
        cls, shown: Judgments, sources: Sequence[Judgments], coefficients: F64, emphasis: F64 | None = None
    ) -> MixedJudgments:
        """Combine judgments of the same queries and documents.

        Parameters
        ----------
        shown : Judgments
            Judgments that grades are taken from wherever single grades are asked for.
        sources : sequence of Judgments
        coefficients : array, shape (n_sources, n_queries)
        emphasis : array, shape (n_queries,), optional
        """
        for source in sources:
            if not np.array_equal(source.query_offsets, shown.query_offsets):
                raise InvalidDataError("the sources judge other queries or documents than the first")
        if coefficients.shape != (len(sources), shown.n_queries) or not np.isfinite(coefficients).all():
            raise InvalidDataError(f"coefficients must be {len(sources)} rows of {shown.n_queries} finite numbers")
        own = {field.name: getattr(shown, field.name) for field in fields(Judgments)}
        weights = np.ones(shown.n_queries) if emphasis is None else np.array(emphasis, np.float64)
        return cls(
            **own,
            sources=tuple(sources),
            coefficients=readonly(np.array(coefficients, np.float64)),
            emphasis=readonly(weights),
        )

    @property
    def groups(self) -> I64:
        """Group of each query: those of one group have coefficients other than 0 for the same sources."""
        _, groups = np.unique(self.coefficients != 0, axis=1, return_inverse=True)
        return groups.reshape(-1).astype(np.int64)

    def select(self, queries: ArrayLike) -> MixedJudgments:
        """Keep only the given queries (indices or a boolean mask), in the given order."""
        chosen = np.arange(self.n_queries)[np.asarray(queries)]
        kept = super().select(chosen)
        assert isinstance(kept, MixedJudgments)
        return replace(
            kept,
            sources=tuple(source.select(chosen) for source in self.sources),
            coefficients=readonly(self.coefficients[:, chosen]),
            emphasis=readonly(self.emphasis[chosen]),
        )


def separated(data: RankingDataset, query_weights: ArrayLike | None = None) -> tuple[RankingDataset, F64]:
    """Return data whose judgments are mixed as data with plain judgments, and the weights of its queries.

    A query is repeated for each source in which its coefficient is not 0.

    Parameters
    ----------
    data : RankingDataset
        With :class:`MixedJudgments`.
    query_weights : array-like, shape (n_queries,), optional
        Weights of the queries; by default 1 each.

    Examples
    --------
    >>> people = Judgments.from_grades([1, 0, np.nan, np.nan], [0, 2, 4])
    >>> machine = Judgments.from_grades([1, 1, 0, 1], [0, 2, 4])
    >>> mixed = MixedJudgments.of(machine, [people, machine], np.array([[2.0, 0.0], [-1.0, 1.0]]))
    >>> plain, weights = separated(RankingDataset(np.zeros((4, 1)), ("bm25",), mixed))
    >>> plain.query_ids, weights
    (('0', '0/2', '1/2'), array([ 2., -1.,  1.]))
    """
    judgments = data.judgments
    assert isinstance(judgments, MixedJudgments)
    own = np.ones(data.n_queries) if query_weights is None else np.asarray(query_weights, np.float64)
    weights = judgments.coefficients * own
    chosen = [np.flatnonzero(row) for row in judgments.coefficients]
    ids = [q if s == 0 else f"{q}/{s + 1}" for s, some in enumerate(chosen) for q in _named(judgments, some)]
    rows = np.concatenate([segments(judgments.query_offsets, some)[0] for some in chosen])
    parts = [source.select(some) for source, some in zip(judgments.sources, chosen, strict=True)]
    stacked = Judgments.from_grades(
        np.concatenate([part.grades for part in parts]),
        _joined([part.query_offsets for part in parts]),
        query_ids=ids,
        unretrieved_grades=np.concatenate([part.levels[part.unretrieved_levels] for part in parts]),
        unretrieved_offsets=_joined([part.unretrieved_offsets for part in parts]),
    )
    features = take_rows(data.features, rows)
    kept = np.concatenate([row[some] for row, some in zip(weights, chosen, strict=True)])
    return RankingDataset(features, data.feature_names, stacked), kept


def _named(judgments: Judgments, queries: I64) -> list[str]:
    return [judgments.query_ids[q] for q in queries]


def _joined(offsets: Sequence[I64]) -> I64:
    """Return the offsets of segments that are laid end to end."""
    lengths = np.concatenate([np.diff(one) for one in offsets])
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
