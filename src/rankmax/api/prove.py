"""`rankmax.prove`: the best weights of a few features, proven to be the best."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rankmax.api.inputs import MetricLike, as_dataset
from rankmax.errors import InvalidParameterError
from rankmax.optimizers.proof import ProofProgress
from rankmax.preprocessing.feature_normalization import Normalization
from rankmax.workflows.proofs.certificate import Certificate
from rankmax.workflows.proofs.proven_optimum import box_of, prove_optimum


def prove(
    data: Any,
    metric: MetricLike = "nDCG@10",
    *,
    features: Sequence[str] | None = None,
    normalize: str | Normalization = "none",
    space: str | None = None,
    bounds: Mapping[str, tuple[float, float]] | None = None,
    gap: float = 0.0,
    time_limit: float | None = 60.0,
    callback: Callable[[ProofProgress], None] | None = None,
) -> Certificate:
    """Find the weights with the highest metric over all queries, and prove that no others are better.

    Parameters
    ----------
    data : RankingDataset or path of a data file
        Queries whose documents have features and grades.
    metric : str or Metric, default "nDCG@10"
        The metric to maximize.
    features : sequence of str, optional
        Names of up to six features; all when left out.
    normalize : str or Normalization, default "none"
        Normalization of the features within each query.
    space : {"simplex", "euclidean"}, optional
        Constraint on the weights: nonnegative ("simplex", when left out) or of any sign.
    bounds : mapping of str to pair of float, optional
        Lowest and highest weight of every feature, instead of a space.
    gap : float, default 0
        Largest allowed gap between the value and the proven bound.
    time_limit : float or None, default 60
        Time limit in seconds, None for none; the certificate then has the gap that is left.
    callback : callable, optional
        Receives the progress of the proof.

    Returns
    -------
    Certificate
        With the `weights`, their `value`, and the `bound` that no weights exceed; it can be saved and verified.

    Examples
    --------
    >>> from rankmax.data import planted_linear
    >>> certificate = prove(planted_linear(10, 5, 2, noise=0.4, seed=1).data, "AP")
    >>> certificate.gap
    0.0
    """
    if bounds is not None and space is not None:
        raise InvalidParameterError("bounds stand in the place of a space; give one of the two")
    judged = as_dataset(data)
    return prove_optimum(
        judged,
        features,
        metric,
        normalization=normalize,
        space=(space or "simplex") if bounds is None else box_of(bounds, features or judged.feature_names),
        gap=gap,
        seconds=time_limit,
        callback=callback,
    )
