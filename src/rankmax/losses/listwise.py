"""Listwise losses, computed by the kernels."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np

from rankmax._arrays import F64, I64

ListwiseKind: TypeAlias = Literal["divergence", "cosine", "squared", "plackett_luce"]
"""Names of the losses in _kernels/losses/query_losses.py."""


def listwise_loss(kind: ListwiseKind, scores: F64, targets: F64, query_offsets: I64) -> tuple[F64, F64]:
    """Return the loss of each query, NaN where all targets are equal, and its gradient by document.

    Parameters
    ----------
    kind : str
    scores, targets : arrays of float64, shape (n_documents,)
    query_offsets : array of int64, shape (n_queries + 1,)

    Examples
    --------
    >>> listwise_loss("squared", np.array([1.0, 2.0]), np.array([1.0, 0.0]), np.array([0, 2]))
    (array([4.]), array([0., 4.]))
    """
    from rankmax._kernels.losses import query_losses as losses

    values, gradient = np.empty(query_offsets.size - 1), np.empty_like(scores)
    losses.listwise(getattr(losses, kind), scores, targets, query_offsets, values, gradient)
    return values, gradient
