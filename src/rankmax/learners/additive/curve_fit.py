"""Convex fit of curves: a surrogate loss with a penalty on what distinguishes the curves from straight lines."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from rankmax._arrays import F64
from rankmax.learners.additive.knot_basis import ABSENT, Curves, KnotBasis
from rankmax.losses.descent import minimize
from rankmax.losses.surrogate_loss import Surrogate

STRAIGHT = math.inf
"""Smoothness at which all curves are straight lines."""


@dataclass(frozen=True, eq=False)
class CurveFit:
    """Result of :func:`fit_curves`.

    Attributes
    ----------
    curves : Curves
    slopes : array of float64, shape (n_features,)
        Slope of the line that each curve is shrunk toward.
    value : float
        Mean loss plus the penalty; of a sum of fits, the sum of theirs.
    """

    curves: Curves
    slopes: F64
    value: float

    def __add__(self, other: CurveFit) -> CurveFit:
        """Return the sums of the curves and of their slopes."""
        return CurveFit(self.curves + other.curves, self.slopes + other.slopes, self.value + other.value)

    def times(self, factor: float) -> CurveFit:
        """Return the curves with all heights and slopes multiplied.

        Parameters
        ----------
        factor : float
        """
        return CurveFit(self.curves.times(factor), factor * self.slopes, factor * self.value)


def fit_curves(
    loss: Surrogate,
    basis: KnotBasis,
    *,
    smoothness: float,
    prior: float,
    query_weights: F64,
    signs: F64,
    start: CurveFit | None = None,
) -> CurveFit:
    r"""Minimize a loss of the sum of curves by L-BFGS.

    .. math:: \min_{w, d, a} L(s) + \frac{1}{2n} \Big( \lambda \sum_j \frac{K_j}{15} \sum_k (d_{jk} - w_j \Delta_{jk})^2
        + \tau \sum_j (\sigma_j w_j)^2 + \tau \sum_j a_j^2 \Big)

    where d are the curves' rises over their K segments of length :math:`\Delta`, a their values for absent documents,
    w slopes with the penalty of a linear model (:math:`\sigma` is a feature's standard deviation within queries), and
    n the number of queries that have a loss. With growing :math:`\lambda` the curves become straight lines. The rises
    of a monotone curve are bounded by 0.

    Parameters
    ----------
    loss : Surrogate
    basis : KnotBasis
    smoothness : float
        The penalty :math:`\lambda`, in queries; :data:`STRAIGHT` for lines.
    prior : float
        The penalty :math:`\tau`, in queries.
    query_weights : array of float64, shape (n_queries,)
    signs : array of float64, shape (n_features,)
        1 for a curve that must not fall, -1 for one that must not rise, 0 for others.
    start : CurveFit, optional
        Fit with another smoothness, to start from.
    """
    n = telling_queries(loss, basis, query_weights)
    sigma, own, bends = basis.feature_spread, basis.lengths > 0, math.isfinite(smoothness)
    stiffness = bending_penalty(basis, smoothness)[:, None] if bends else 0.0
    by_slope = np.where(sigma > 0, 1 / np.where(sigma > 0, sigma, 1.0), 0.0)
    spread = _ramp_variance(basis)
    by_rise = np.where(own & (sigma > 0)[:, None], 1 / np.sqrt(spread + stiffness / n + 1e-9), 0.0) if bends else None
    by_absent = np.where(basis.has_absent, 1.0, 0.0)
    bounded = signs != 0
    ruled = np.where(bounded, signs, 1.0)[:, None]  # parameters of monotone curves are rises times sign, at least 0

    n_features, n_rises = basis.n_features, basis.lengths.size if bends else 0

    def split(p: F64) -> tuple[F64, F64, F64]:
        slopes, bent = by_slope * p[:n_features], np.zeros(basis.lengths.shape)
        if by_rise is not None:
            bent = by_rise * p[n_features : n_features + n_rises].reshape(bent.shape)
        return slopes, bent, by_absent * p[n_features + n_rises :]

    def curves_of(slopes: F64, bent: F64, absents: F64) -> Curves:
        line = slopes[:, None] * basis.lengths
        if not bends:
            return Curves(line, absents)
        return Curves(np.where(bounded[:, None], ruled * bent, line + bent), absents)

    def function(p: F64) -> tuple[float, F64]:
        slopes, bent, absents = split(p)
        curves = curves_of(slopes, bent, absents)
        value, by_document = loss.value_and_gradient(basis.scores(curves), basis.judgments, query_weights=query_weights)
        gradient = basis.gradient(by_document)
        line = slopes[:, None] * basis.lengths
        off_line = curves.rises - line
        penalty = prior * float(((sigma * slopes) ** 2).sum() + (absents**2).sum())
        by_slopes = prior * sigma**2 * slopes / n
        by_rises = gradient.rises
        if bends:
            penalty += float((stiffness * off_line**2).sum())
            by_rises = by_rises + stiffness / n * off_line
            # a free curve's rises move with its slope; a monotone one's do not, but the line it is compared with does
            moved = np.where(bounded[:, None], -stiffness / n * off_line, gradient.rises)
            by_slopes = by_slopes + (moved * basis.lengths).sum(axis=1)
            scaled = [(by_rise * np.where(bounded[:, None], ruled, 1.0) * by_rises).ravel()]
        else:
            by_slopes = by_slopes + (gradient.rises * basis.lengths).sum(axis=1)
            scaled = []
        by_absents = by_absent * (gradient.absents + prior / n * absents)
        return value + penalty / (2 * n), np.concatenate([by_slope * by_slopes, *scaled, by_absents])

    given = np.zeros(2 * n_features + n_rises)
    if start is not None:
        given[:n_features] = start.slopes * sigma
        given[n_features + n_rises :] = start.curves.absents
        if by_rise is not None:
            line = start.slopes[:, None] * basis.lengths
            bent = np.where(bounded[:, None], ruled * start.curves.rises, start.curves.rises - line)
            given[n_features : n_features + n_rises] = np.where(
                by_rise > 0, bent / np.where(by_rise > 0, by_rise, 1), 0
            ).ravel()
    lower, upper = np.full(given.size, -np.inf), np.full(given.size, np.inf)
    if bends:
        at_least = np.where(bounded[:, None] & own, 0.0, -np.inf).ravel()
        lower[n_features : n_features + n_rises] = at_least
    lower[:n_features] = np.where(signs > 0, 0.0, -np.inf)
    upper[:n_features] = np.where(signs < 0, 0.0, np.inf)
    found = minimize(function, given, bounds=(lower, upper) if bounded.any() else None)
    slopes, bent, absents = split(found.parameters)
    return CurveFit(curves_of(slopes, bent, absents), slopes, found.value)


def bending_penalty(basis: KnotBasis, smoothness: float) -> F64:
    """Return the penalty on squared deviations of a feature's rises; with more segments these are smaller.

    Parameters
    ----------
    basis : KnotBasis
    smoothness : float
    """
    penalty: F64 = smoothness * (basis.lengths > 0).sum(axis=1) / 15.0
    return penalty


def telling_queries(loss: Surrogate, basis: KnotBasis, query_weights: F64) -> int:
    """Return the number of queries that have a loss and some weight, at least 1.

    Parameters
    ----------
    loss : Surrogate
    basis : KnotBasis
    query_weights : array of float64, shape (n_queries,)
    """
    judgments = basis.judgments
    losses = loss.by_query(np.zeros(judgments.n_documents), loss.document_gains(judgments), judgments.query_offsets)[0]
    return max(int(np.count_nonzero((query_weights > 0) & ~np.isnan(losses))), 1)


def _ramp_variance(basis: KnotBasis) -> F64:
    """Return the variance of each ramp over the documents that have a value."""
    counts = basis.counts.astype(np.float64)
    counts[:, ABSENT] = 0.0
    totals = np.maximum(counts.sum(axis=1), 1.0)[:, None]
    variance: F64 = np.einsum("fc,fck->fk", counts, basis.ramps**2) / totals - basis.means**2
    return np.maximum(variance, 0.0)
