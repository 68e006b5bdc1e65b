"""The feature matrix, dense, sparse or binned, stored by feature so that one feature's column is contiguous."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from rankmax._arrays import F32, F64, I64
from rankmax.data.binned_matrix import BinnedMatrix
from rankmax.errors import InvalidDataError

if TYPE_CHECKING:
    from scipy.sparse import csc_array

    Features: TypeAlias = F32 | F64 | csc_array | BinnedMatrix


def feature_matrix(X: Any, *, copy: bool = True) -> Features:
    """Return a matrix, data frame or scipy sparse matrix as checked features.

    Parameters
    ----------
    X : array-like, pandas or polars DataFrame, or scipy sparse matrix, shape (n_documents, n_features)
        float32 stays float32; everything else becomes float64.
    copy : bool
        Whether to copy `X`. If False, `X` itself is used where it already has the right type and order.

    Examples
    --------
    >>> features = feature_matrix([[1, 0], [2, 5]])
    >>> features.dtype, features.flags.f_contiguous
    (dtype('float64'), True)
    """
    if isinstance(X, BinnedMatrix):
        return X
    if hasattr(X, "tocsc"):
        return _sparse_matrix(X, copy=copy)
    if hasattr(X, "to_numpy"):
        X = X.to_numpy()
    try:
        raw = np.asarray(X)
        if raw.dtype.kind not in "biufO":
            raise TypeError(f"found {raw.dtype.name}")
        dense = np.array(raw, dtype=_float_type(raw.dtype), order="F", copy=True if copy else None)
    except (TypeError, ValueError) as error:
        raise InvalidDataError(f"features must be numbers in rows of equal length: {error}") from None
    if dense.ndim != 2:
        raise InvalidDataError(
            f"features have shape {dense.shape}; expected (n_documents, n_features). Reshape your data"
        )
    for j in range(dense.shape[1]):
        finite = np.isfinite(dense[:, j])
        if not finite.all():
            _refuse(int(np.argmin(finite)), j, dense)
    return cast("F64", dense)


def take_rows(features: Features, rows: I64) -> Features:
    """Return the given rows, in the given order, as a new matrix."""
    if isinstance(features, BinnedMatrix):
        return features.take_rows(rows)
    if not isinstance(features, np.ndarray):
        return features.tocsr()[rows].tocsc()
    taken = np.empty((rows.size, features.shape[1]), features.dtype, order="F")
    for j in range(features.shape[1]):
        np.take(features[:, j], rows, out=taken[:, j])
    return taken


def take_columns(features: Features, columns: I64) -> Features:
    """Return the given columns, in the given order, as a new matrix."""
    if isinstance(features, BinnedMatrix):
        return features.take_columns(columns)
    if not isinstance(features, np.ndarray):
        return features[:, columns]
    return cast("F64", np.asfortranarray(features[:, columns]))


def stack_rows(matrices: Sequence[Features]) -> Features:
    """Stack matrices on top of each other; the result is binned or sparse if all are."""
    binned = [matrix for matrix in matrices if isinstance(matrix, BinnedMatrix)]
    if len(binned) == len(matrices) and all(matrix.stacks_with(binned[0]) for matrix in binned):
        codes = np.concatenate([matrix.codes.T for matrix in binned], axis=1).T
        return BinnedMatrix(codes, binned[0].bases, binned[0].cuts)
    plain = [matrix.tocsc() if isinstance(matrix, BinnedMatrix) else matrix for matrix in matrices]
    sparse = [matrix for matrix in plain if not isinstance(matrix, np.ndarray)]
    if len(sparse) == len(matrices):
        from scipy.sparse import vstack

        together: csc_array = vstack(sparse, format="csc")
        return together
    n_rows, n_columns = sum(matrix.shape[0] for matrix in plain), plain[0].shape[1]
    stacked = np.empty((n_rows, n_columns), np.result_type(*(m.dtype for m in plain)), order="F")
    first = 0
    for matrix in plain:
        dense = matrix if isinstance(matrix, np.ndarray) else matrix.toarray(order="F")
        stacked[first : first + len(dense)] = dense
        first += len(dense)
    return cast("F64", stacked)


def feature_major(features: Features) -> Features:
    """Return Fortran order or sorted CSC, copying only what is in another order, and make the arrays read-only."""
    if isinstance(features, BinnedMatrix):
        return features.feature_major()
    if isinstance(features, np.ndarray):
        features = cast("F64", np.asfortranarray(features))
    elif not features.has_canonical_format:
        features = features.copy()
        features.sum_duplicates()
    arrays = [features] if isinstance(features, np.ndarray) else [features.data, features.indices, features.indptr]
    for array in arrays:
        array.flags.writeable = False
    return features


def _sparse_matrix(X: Any, *, copy: bool) -> csc_array:
    from scipy.sparse import csc_array

    if X.ndim != 2:
        raise InvalidDataError(f"features have shape {X.shape}; expected (n_documents, n_features). Reshape your data")
    if X.dtype.kind not in "biuf":
        raise InvalidDataError(f"features must be numbers: found {X.dtype.name}")
    sparse = csc_array(X, dtype=_float_type(X.dtype), copy=copy)
    if not sparse.has_canonical_format:
        if not copy:  # sorting works in place, and these arrays may be the caller's
            sparse = sparse.copy()
        sparse.sum_duplicates()
    finite = np.isfinite(sparse.data)
    if not finite.all():
        entry = int(np.argmin(finite))
        _refuse(int(sparse.indices[entry]), int(np.searchsorted(sparse.indptr, entry, "right")) - 1, sparse)
    return sparse


def _float_type(dtype: np.dtype[Any]) -> type[np.float32] | type[np.float64]:
    return np.float32 if dtype == np.float32 else np.float64


def _refuse(row: int, column: int, features: NDArray[Any] | csc_array) -> None:
    value = features[row, column]
    raise InvalidDataError(f"features[{row}, {column}] is {value}; features must be finite numbers, not NaN or inf")
