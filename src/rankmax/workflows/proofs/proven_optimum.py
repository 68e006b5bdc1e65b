"""Proven optimal weights for a few features."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from rankmax.data.content_hash import data_hash
from rankmax.data.dataset import RankingDataset
from rankmax.errors import InvalidParameterError, UnknownNameError
from rankmax.learners.direct.linear_ranker import LinearRanker
from rankmax.learners.tied_scores import all_tied, warn_of_ties
from rankmax.line_search.linear_objective import LinearObjective
from rankmax.metrics.metric import Metric
from rankmax.metrics.registry import parse_metric
from rankmax.optimizers.branch_and_bound import MOST_FEATURES, BranchAndBound
from rankmax.optimizers.faces import Box
from rankmax.optimizers.proof import ProofProgress
from rankmax.preprocessing.feature_normalization import Normalization
from rankmax.spaces import ParameterSpace, space_named
from rankmax.workflows.proofs.certificate import Certificate

_N_STARTS = 3  # ascents before cells are cut: good weights make most cuts unnecessary


def prove_optimum(
    data: RankingDataset,
    features: Sequence[str] | None = None,
    metric: str | Metric = "nDCG@10",
    *,
    normalization: str | Normalization = "none",
    space: str | ParameterSpace | Box = "simplex",
    gap: float = 0.0,
    seconds: float | None = None,
    seed: int = 0,
    n_threads: int | None = None,
    callback: Callable[[ProofProgress], None] | None = None,
) -> Certificate:
    """Find the weights with the highest mean of a metric, and prove that none are better.

    Ascents as in :class:`~rankmax.learners.direct.linear_ranker.LinearRanker` first find good weights to start from.
    Then the space of weights is cut into cells until no cell can hold better ones, or the time is up.

    Parameters
    ----------
    data : RankingDataset
    features : sequence of str, optional
        Names of up to six features; all by default. With five or six it may take long.
    metric : str or Metric
        A tabular metric: nDCG, AP, RR, P and nearly all others, but not ERR.
    normalization : str or Normalization
        Normalization of the features within each query, before weighting.
    space : str, ParameterSpace or Box
        "simplex" (nonnegative weights), "euclidean" (any sign), or bounds of each weight.
    gap : float
        Largest allowed difference between the bound and the best value found; 0 proves the maximum itself.
    seconds : float, optional
        Time limit in seconds; the certificate then has the remaining gap.
    seed : int
        Random seed of the ascents.
    n_threads : int, optional
    callback : callable, optional
        Called with a :class:`~rankmax.optimizers.proof.ProofProgress` several times a second.

    Examples
    --------
    >>> from rankmax.data import planted_linear
    >>> data = planted_linear(20, 10, 3, noise=0.5, seed=1).data
    >>> certificate = prove_optimum(data, ["f1", "f2", "f3"], "AP")
    >>> certificate.is_maximum, certificate.stopped_by
    (True, 'proven')
    """
    names = data.feature_names if features is None else tuple(features)
    _require_few(names, data)
    chosen = parse_metric(metric) if isinstance(metric, str) else metric
    where = space if isinstance(space, Box) else space_named(space)
    prepared = Normalization.named(normalization).apply(data.select_features(names))
    search = BranchAndBound(gap=gap, seconds=seconds, n_threads=n_threads)
    searched = space_named("euclidean" if min(where.low) < 0 else "simplex") if isinstance(where, Box) else where
    ascent = LinearRanker(
        chosen, searched, n_restarts=_N_STARTS, shrinkage=0.0, smoothing=0.0, seed=seed, time_limit=seconds
    )
    ascent.fit_dataset(prepared)
    proof = search.prove(LinearObjective(prepared, chosen), where, start=ascent.coef_, callback=callback)
    tied = (all_tied(prepared.scores(weights), prepared.query_offsets) for weights in (ascent.coef_, proof.weights))
    if tuple(tied) == (False, True):  # of its own weights, the ascent has warned
        warn_of_ties("the best weights", proof.weights, "no weights that tell documents apart are better")
    return Certificate(
        metric=chosen,
        features=names,
        normalization=Normalization.named(normalization),
        space=where.name,
        weights=proof.weights,
        value=proof.value,
        bound=proof.bound,
        stopped_by=proof.stopped_by,
        data_hash=data_hash(data),
        cuts=proof.cuts,
        bounds=tuple(zip(where.low, where.high, strict=True)) if isinstance(where, Box) else None,
    )


def box_of(bounds: Mapping[str, tuple[float, float]], features: Sequence[str]) -> Box:
    """Return the box of weights within bounds that are given by feature.

    Parameters
    ----------
    bounds : mapping of str to pair of float
        The lowest and the highest weight of each feature.
    features : sequence of str

    Examples
    --------
    >>> box_of({"clicks": (0.0, 4.0), "bm25": (1.0, 1.0)}, ["bm25", "clicks"])
    Box(low=(1.0, 0.0), high=(1.0, 4.0))
    """
    for name in bounds:
        if name not in features:
            raise UnknownNameError("feature", name, features)
    missing = [name for name in features if name not in bounds]
    if missing:
        raise InvalidParameterError(f"no bounds for {', '.join(missing)}; every weight needs bounds, such as 0:1")
    return Box(tuple(bounds[name][0] for name in features), tuple(bounds[name][1] for name in features))


def _require_few(names: Sequence[str], data: RankingDataset) -> None:
    if not 1 <= len(names) <= MOST_FEATURES:
        raise InvalidParameterError(
            f"{len(names)} features: the best weights can be proven for 1 to {MOST_FEATURES}; select the important "
            "ones, such as those that `rankmax inspect MODEL` lists first"
        )
    if len(set(names)) != len(names):
        raise InvalidParameterError(f"each feature may be given once, not {', '.join(names)}")
    for name in names:
        if name not in data.feature_names:
            raise UnknownNameError("feature", name, data.feature_names)
