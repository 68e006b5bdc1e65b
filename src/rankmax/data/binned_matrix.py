"""Indicators of thresholds, stored as codes: one byte per document and base feature, however many the thresholds."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from rankmax._arrays import F32, F64, I64, readonly
from rankmax.errors import InvalidDataError

if TYPE_CHECKING:
    from scipy.sparse import csc_array, csr_array

ABSENT = 0
"""Code of a document that has no value of the base feature: it passes no threshold, not even the lowest."""

LOWEST = 1
"""Code of a document that has a value which passes no threshold; one that passes k of them has the code LOWEST + k."""

Codes: TypeAlias = NDArray[np.uint8] | NDArray[np.uint16]


@dataclass(frozen=True, eq=False)
class BinnedMatrix:
    r"""A matrix of indicators, each of which is 1 from some code of its base feature on.

    .. math:: x_{ij} = 1_{[code_{i, base_j} \ge cut_j]}

    The codes of a base feature decide all its indicators, so scores are sums of table entries, one per base feature,
    and X^T g is a histogram of g by code (_kernels/numerics/binned_products.py). The thresholds themselves are in the
    names of the columns (:class:`~rankmax.preprocessing.indicators.Indicator`).

    Attributes
    ----------
    codes : array of uint8 or uint16, shape (n_documents, n_bases)
        :data:`ABSENT`, or :data:`LOWEST` and the number of thresholds passed; in Fortran order.
    bases, cuts : arrays of int64, shape (n_columns,)
        Base feature of each column, and the lowest code whose documents have the indicator, above :data:`LOWEST`.

    Examples
    --------
    >>> matrix = BinnedMatrix.of_passed([np.array([0, 2, -1])], [2])
    >>> matrix.codes.ravel(), matrix.toarray()
    (array([1, 3, 0], dtype=uint8), array([[0., 0.],
           [1., 1.],
           [0., 0.]], dtype=float32))
    >>> matrix.scores(np.array([0.5, 0.25]))
    array([0.  , 0.75, 0.  ])
    """

    codes: Codes
    bases: I64
    cuts: I64

    def __post_init__(self) -> None:
        if self.codes.ndim != 2 or self.codes.dtype not in (np.uint8, np.uint16):
            raise InvalidDataError(
                f"codes have shape {self.codes.shape} and type {self.codes.dtype.name}; expected bytes, "
                "shape (n_documents, n_bases)"
            )
        if self.bases.ndim != 1 or self.bases.shape != self.cuts.shape:
            raise InvalidDataError(f"{self.bases.size} base features for {self.cuts.size} cuts; each column has both")
        if self.bases.size and not 0 <= self.bases.min() <= self.bases.max() < self.codes.shape[1]:
            raise InvalidDataError(f"a column's base feature is not one of the {self.codes.shape[1]} with codes")
        if self.cuts.size and not LOWEST < self.cuts.min() <= self.cuts.max() <= np.iinfo(np.uint16).max:
            raise InvalidDataError(f"a column's cut is not a code above {LOWEST}")

    @classmethod
    def of_passed(cls, passed: Iterable[I64], n_thresholds: Sequence[int]) -> BinnedMatrix:
        """Build the matrix with a column for each threshold of each base feature, by ascending threshold.

        Parameters
        ----------
        passed : iterable of arrays of int64, shape (n_documents,)
            Number of thresholds that each document passes, or -1 where it has no value, by base feature; one of them is
            in memory at a time.
        n_thresholds : sequence of int
        """
        most = LOWEST + max(n_thresholds, default=0)
        if most > np.iinfo(np.uint16).max:
            raise InvalidDataError(f"a feature has {most - LOWEST} thresholds; codes have room for 65,534")
        kind = np.uint8 if most <= np.iinfo(np.uint8).max else np.uint16
        columns = [(count + LOWEST).astype(kind) for count in passed]
        codes = np.array(columns).T if columns else np.empty((0, 0), kind)
        cuts = [LOWEST + 1 + np.arange(n) for n in n_thresholds]
        return cls(
            codes,
            np.repeat(np.arange(len(cuts)), np.array(n_thresholds, np.int64)),
            np.concatenate([np.empty(0, np.int64), *cuts]),
        )

    @property
    def shape(self) -> tuple[int, int]:
        """Number of documents and of indicators."""
        return self.codes.shape[0], self.bases.size

    @property
    def dtype(self) -> np.dtype[np.float32]:
        """Type of the indicators where they are written out."""
        return np.dtype(np.float32)

    @property
    def nbytes(self) -> int:
        """Bytes in memory."""
        return self.codes.nbytes + self.bases.nbytes + self.cuts.nbytes

    @property
    def n_codes(self) -> int:
        """One more than the highest code that a table needs an entry for."""
        highest = int(self.codes.max()) if self.codes.size else LOWEST
        return 1 + max(highest, int(self.cuts.max(initial=LOWEST)))

    def column(self, j: int) -> F64:
        """Return one indicator of every document.

        Parameters
        ----------
        j : int
        """
        column: F64 = (self.codes[:, self.bases[j]] >= self.cuts[j]).astype(np.float64)
        return column

    def tables(self, weights: F64) -> F64:
        """Return the sum of each code's weights, shape (n_bases, n_codes).

        Weights are first rounded to multiples of a power of two that is 2^52 times smaller than their absolute sum, so
        that every sum of them is exact: documents whose weights add up to the same have the same score, whatever the
        order of the features.

        Parameters
        ----------
        weights : array of float64, shape (n_columns,)
        """
        tables = np.zeros((self.codes.shape[1], self.n_codes))
        total = float(np.abs(weights).sum())
        if 0 < total < math.inf:
            exponent = math.frexp(total)[1] - 52
            weights = np.ldexp(np.rint(np.ldexp(weights, -exponent)), exponent)
        np.add.at(tables, (self.bases, self.cuts), weights)
        return np.cumsum(tables, axis=1)

    def scores(self, weights: F64) -> F64:
        """Return X w, one number per document.

        Parameters
        ----------
        weights : array of float64, shape (n_columns,)
        """
        scores: F64 = self.outputs(weights[np.newaxis])[0]
        return scores

    def outputs(self, weights: F64) -> F64:
        """Return X w for each row w, shape (n_rows, n_documents).

        Parameters
        ----------
        weights : array of float64, shape (n_rows, n_columns)
        """
        from rankmax._kernels.numerics.binned_products import sum_entries

        tables = np.array([self.tables(row) for row in weights]).reshape(len(weights), self.codes.shape[1], -1)
        return sum_entries(self.codes.T, tables)

    def moment_digits(self, gradients: F64, query_offsets: I64) -> I64:
        """Return the digits (_numerics/exact_sums.py) of X^T g for each row g, shape (n_rows, n_columns, n_digits).

        Parameters
        ----------
        gradients : array of float64, shape (n_rows, n_documents)
        query_offsets : array of int64, shape (n_queries + 1,)
        """
        from rankmax._kernels.numerics.binned_products import sum_by_code

        by_code = sum_by_code(self.codes.T, gradients, query_offsets, self.n_codes)
        from_code = np.cumsum(by_code[:, :, ::-1], axis=2)[:, :, ::-1]
        digits: I64 = from_code[:, self.bases, self.cuts]
        return digits

    def counts(self, query_offsets: I64 | None = None) -> I64:
        """Return how many documents have each indicator, in each query, shape (n_queries, n_columns).

        Parameters
        ----------
        query_offsets : array of int64, shape (n_queries + 1,), optional
            By default all documents count as one query.
        """
        offsets = np.array([0, len(self.codes)]) if query_offsets is None else query_offsets
        n_queries, n_codes = offsets.size - 1, self.n_codes
        place = np.repeat(np.arange(n_queries) * n_codes, np.diff(offsets))
        counts = np.empty((n_queries, self.bases.size), np.int64)
        for f in range(self.codes.shape[1]):
            own = np.flatnonzero(self.bases == f)
            by_code = np.bincount(place + self.codes[:, f], minlength=n_queries * n_codes).reshape(n_queries, n_codes)
            counts[:, own] = np.cumsum(by_code[:, ::-1], axis=1)[:, ::-1][:, self.cuts[own]]
        return counts

    def stretches(self) -> tuple[I64, I64, I64, I64]:
        """Return the ones of each document as stretches of columns that are sorted by base feature and cut.

        Returns
        -------
        order : array of int64, shape (n_columns,)
            The columns, sorted.
        offsets : array of int64, shape (n_documents + 1,)
            A document's stretches are `offsets[i]:offsets[i + 1]`.
        starts, stops : arrays of int64
            First and last + 1 of the sorted columns of each stretch.

        Examples
        --------
        >>> matrix = BinnedMatrix.of_passed([np.array([0, 2]), np.array([1, 1])], [2, 1])
        >>> [part.tolist() for part in matrix.stretches()]
        [[0, 1, 2], [0, 1, 3], [2, 0, 2], [3, 2, 3]]
        """
        order = np.lexsort((self.cuts, self.bases))
        begin = np.searchsorted(self.bases[order], np.arange(self.codes.shape[1] + 1))
        n_passed = np.empty(self.codes.shape, np.int64, order="F")
        for f in range(self.codes.shape[1]):
            cuts = self.cuts[order[begin[f] : begin[f + 1]]]
            n_passed[:, f] = np.searchsorted(cuts, np.arange(self.n_codes), side="right")[self.codes[:, f]]
        document, base = np.nonzero(n_passed)
        offsets = np.searchsorted(document, np.arange(len(self.codes) + 1))
        return order, offsets, begin[base], begin[base] + n_passed[document, base]

    def take_rows(self, rows: I64) -> BinnedMatrix:
        """Return the given documents, in the given order.

        Parameters
        ----------
        rows : array of int64
        """
        codes = np.empty((rows.size, self.codes.shape[1]), self.codes.dtype, order="F")
        for f in range(self.codes.shape[1]):
            np.take(self.codes[:, f], rows, out=codes[:, f])
        return replace(self, codes=codes)

    def take_columns(self, columns: I64) -> BinnedMatrix:
        """Return the given indicators, in the given order; base features that none of them needs are dropped.

        Parameters
        ----------
        columns : array of int64
        """
        used, bases = np.unique(self.bases[columns], return_inverse=True)
        codes = self.codes if used.size == self.codes.shape[1] else np.asfortranarray(self.codes[:, used])
        return BinnedMatrix(cast(Codes, codes), bases, self.cuts[columns])

    def stacks_with(self, other: BinnedMatrix) -> bool:
        """Return whether the columns of another matrix have the same base features and cuts.

        Parameters
        ----------
        other : BinnedMatrix
        """
        same_bases = self.codes.shape[1] == other.codes.shape[1] and np.array_equal(self.bases, other.bases)
        return same_bases and np.array_equal(self.cuts, other.cuts)

    def feature_major(self) -> BinnedMatrix:
        """Return the matrix with codes in Fortran order, and make its arrays read-only."""
        if not self.codes.flags.f_contiguous:
            return replace(self, codes=cast(Codes, np.asfortranarray(self.codes))).feature_major()
        for array in (self.codes, self.bases, self.cuts):
            readonly(array)
        return self

    def tocsc(self) -> csc_array:
        """Return the indicators written out, as a sparse matrix by column."""
        from scipy.sparse import csc_array

        columns = zip(self.bases.tolist(), self.cuts.tolist(), strict=True)
        documents = [np.flatnonzero(self.codes[:, base] >= cut).astype(np.int32) for base, cut in columns]
        indptr = np.concatenate([[0], np.cumsum([column.size for column in documents], dtype=np.int64)])
        indices = np.concatenate([np.empty(0, np.int32), *documents])
        return csc_array((np.ones(indices.size, self.dtype), indices, indptr), shape=self.shape)

    def tocsr(self) -> csr_array:
        """Return the indicators written out, as a sparse matrix by row."""
        return self.tocsc().tocsr()

    def toarray(self, order: Literal["C", "F"] = "C") -> F32:
        """Return the indicators written out, as a dense matrix.

        Parameters
        ----------
        order : {"C", "F"}
        """
        dense: Any = self.codes[:, self.bases] >= self.cuts
        return np.array(dense, self.dtype, order=order)
