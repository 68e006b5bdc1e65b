"""SmoothRank: nDCG with soft ranks and decreasing smoothing."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from rankmax._arrays import F64, I64
from rankmax.errors import InvalidParameterError
from rankmax.losses.surrogate_loss import Surrogate
from rankmax.metrics.discounts import discount_by_rank
from rankmax.metrics.gains import Gain
from rankmax.metrics.metric_parameters import check_number


@dataclass(frozen=True, kw_only=True)
class SmoothNDCG(Surrogate):
    r"""One minus an nDCG in which documents of similar scores share a rank.

    .. math:: \ell(s, \psi) = 1 - \frac{1}{N} \sum_{r=1}^{k} D(r) \sum_i \psi_i h_{ir}, \quad
              h_{ir} = \frac{\exp(-(s_i - s_{(r)})^2 / \sigma)}{\sum_j \exp(-(s_j - s_{(r)})^2 / \sigma)}

    where :math:`s_{(r)}` is the r-th highest score, :math:`D(r) = 1 / \log_2(1 + r)` and N the ideal sum. A large
    :math:`\sigma` makes it smooth but insensitive, a small :math:`\sigma` makes it the metric, with all its plateaus
    and local minima. A fit therefore goes through :meth:`stages`: the first with `first_smoothing`, each later one from
    the minimum of the one before and with half its smoothing, down to `smoothing`.

    Parameters
    ----------
    cutoff : int, optional
        Number of ranks k that count; None: all, which takes time quadratic in the number of documents.
    smoothing : float
        :math:`\sigma`, in squared units of the scores.
    first_smoothing : float
        Smoothing of the first stage.
    gain : str or tuple of float
        See :class:`~rankmax.losses.surrogate_loss.Surrogate`.

    Examples
    --------
    >>> from rankmax import Judgments
    >>> judgments = Judgments.from_grades([0, 1, 2], query_offsets=[0, 3])
    >>> scores = np.array([0.1, 0.6, 0.4])
    >>> for loss in SmoothNDCG(smoothing=0.01, first_smoothing=0.08).stages():
    ...     print(loss.smoothing, round(loss.value_and_gradient(scores, judgments)[0], 4))
    0.08 0.1026
    0.04 0.1403
    0.02 0.1792
    0.01 0.1996

    References
    ----------
    Chapelle & Wu 2010, Gradient descent optimization of smoothed information retrieval metrics, sections 3 and 4.
    """

    gain: Gain = "exp2"
    cutoff: int | None = 10
    smoothing: float = 2.0**-6
    first_smoothing: float = 2.0**4

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("smoothing", "first_smoothing"):
            check_number("SmoothNDCG", name, getattr(self, name), "a positive number", lambda value: value > 0)
        if self.cutoff is not None and (type(self.cutoff) is not int or self.cutoff < 1):
            raise InvalidParameterError(f"SmoothNDCG: cutoff={self.cutoff!r} must be a positive whole number or None")

    def stages(self) -> tuple[Surrogate, ...]:
        """Return the losses by decreasing smoothing, this one last."""
        halvings = max(0, round(np.log2(self.first_smoothing / self.smoothing)))
        return tuple(replace(self, smoothing=self.smoothing * 2.0**step) for step in range(halvings, -1, -1))

    def by_query(self, scores: F64, gains: F64, query_offsets: I64) -> tuple[F64, F64]:
        """Return one minus the smooth nDCG of each query, and its gradient."""
        from rankmax._kernels.losses.smooth_ranks import smooth_ranks

        longest = int(np.diff(query_offsets).max(initial=0))
        depth = longest if self.cutoff is None else min(self.cutoff, longest)
        discount = discount_by_rank("log2", np.arange(1.0, depth + 1))
        values, gradient = np.empty(query_offsets.size - 1), np.empty_like(scores)
        smooth_ranks(scores, gains, query_offsets, discount, float(self.smoothing), values, gradient)
        return values, gradient
