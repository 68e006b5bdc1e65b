"""Tuning the weights of a hybrid search: what learned weights are worth on queries that they were not learned from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from rankmax.arrays import F64
from rankmax.data.content_hash import data_hash
from rankmax.data.normalise import Normalisation
from rankmax.data.splits import k_folds
from rankmax.errors import InvalidDataError, InvalidParameterError
from rankmax.evaluation.bootstrap import bootstrap_interval
from rankmax.evaluation.compare import compare_systems
from rankmax.fusion.constraint import Constraint
from rankmax.fusion.methods import FusionMethod, Learned, WeightedFusion
from rankmax.fusion.search import MOST_WEIGHTS, WeightSearch
from rankmax.fusion.signals import Signals
from rankmax.fusion.standard import LEARNED, describe, fusion_methods, usual_normalisations
from rankmax.fusion.varying import OTHERS, QueryColumn, Varying, VaryingFusion
from rankmax.learners.tied_scores import all_tied, warn_of_ties
from rankmax.metrics.base import Metric
from rankmax.models import LinearModel, Provenance, TrainingRecord
from rankmax.models.varying import VaryingModel
from rankmax.workflows.tuning.verdict import Verdict, judge_gain

_FEWEST_QUERIES = 4


@dataclass(frozen=True, eq=False)
class MethodResult:
    """What one way to fuse gives on queries that took no part in deciding it.

    Attributes
    ----------
    name : str
    values : array, shape (n_metrics, n_queries)
        The metrics by query, averaged over the repeats of cross-validation.
    mean : float
        Of the first metric, as all that follows.
    interval : pair of float
        95% bootstrap interval of the mean.
    gain : float
        The mean of the learned weights minus this one; 0 for the learned weights themselves.
    gain_interval : pair of float
        95% bootstrap interval of the gain.
    p_value : float
        Of a paired randomisation test of the gain, corrected for the number of methods.
    marker : str
        ▲ where the learned weights are significantly better, ▼ where they are worse.
    """

    name: str
    values: F64
    mean: float
    interval: tuple[float, float]
    gain: float = 0.0
    gain_interval: tuple[float, float] = (0.0, 0.0)
    p_value: float = 1.0
    marker: str = ""


@dataclass(frozen=True, eq=False)
class SystemTuning:
    """Learned weights, and what they and other ways to fuse are worth.

    Attributes
    ----------
    metrics : tuple of Metric
        The first is maximised.
    signals : Signals
    methods : tuple of MethodResult
        The learned weights first.
    fusion : WeightedFusion
        The learned weights for use: normalisation and weights decided by all queries.
    search : WeightSearch
        Where they come from.
    choices : dict of str to int
        How often cross-validation chose each normalisation.
    verdict : Verdict
    n_folds, n_repeats, seed : int
    constraint : Constraint or None
    by : QueryColumn or None
        What weights may depend on.
    varying : VaryingFusion or None
        Weights that depend on the query, decided by all queries, where they were asked for.
    varying_verdict : Verdict or None
        On these against fixed weights.
    """

    metrics: tuple[Metric, ...]
    signals: Signals
    methods: tuple[MethodResult, ...]
    fusion: WeightedFusion
    search: WeightSearch
    choices: dict[str, int]
    verdict: Verdict
    n_folds: int
    n_repeats: int
    seed: int
    constraint: Constraint | None = None
    by: QueryColumn | None = None
    varying: VaryingFusion | None = None
    varying_verdict: Verdict | None = None

    @property
    def metric(self) -> Metric:
        """What is maximised."""
        return self.metrics[0]

    def model(self, weights: F64 | None = None) -> LinearModel:
        """Return a model with the learned weights, or others.

        Parameters
        ----------
        weights : array, shape (n_systems,), optional
        """
        chosen = self.fusion.weights if weights is None else weights
        on_all = float(self.search.values(chosen[None])[0, 0].mean())
        return LinearModel(
            chosen,
            self.signals.names,
            self.fusion.normalisation,
            self.metric.name,
            Provenance(
                learner=type(self.search).__name__,
                parameters={"folds": self.n_folds, "repeats": self.n_repeats},
                seed=self.seed,
                data_hash=data_hash(self.signals.data),
            ),
            TrainingRecord(value=on_all, validation_value=self.methods[0].mean),
        )

    def varying_model(self) -> VaryingModel | None:
        """Return a model with the weights that depend on the query, where they were asked for.

        Queries of no known group get the weights of small groups, or else the fixed ones.
        """
        if self.varying is None or self.by is None:
            return None
        by_label = self.varying.weights_by_label
        numbers = None if self.by.numbers is None else (float(self.by.numbers.min()), float(self.by.numbers.max()))
        fixed = self.model()
        return VaryingModel(
            self.by.name,
            numbers,
            () if numbers else tuple(by_label),
            np.array(list(by_label.values())) * (2 if numbers else 1),  # those of both numbers add up to 1 together
            by_label.get(OTHERS, fixed.weights),
            fixed.feature_names,
            self.varying.normalisation,
            fixed.metric,
            fixed.provenance,
        )


def tune_systems(
    signals: Signals,
    metrics: Sequence[Metric],
    *,
    normalisations: Sequence[Normalisation] | None = None,
    constraint: Constraint | None = None,
    by: QueryColumn | None = None,
    n_folds: int = 5,
    n_repeats: int | None = None,
    seed: int = 0,
    tick: Callable[[], None] = lambda: None,
) -> SystemTuning:
    """Learn weights for several systems, and measure by cross-validation what they and simpler fusions are worth.

    Queries are dealt into folds, several times over. What the queries of the other folds decide (weights,
    normalisation, constants) is measured on each fold. The normalisation is chosen by a second cross-validation inside
    those queries, so nothing of a query's own judgments goes into its value.

    Parameters
    ----------
    signals : Signals
    metrics : sequence of Metric
        The first is maximised; the others are told beside it.
    normalisations : sequence of Normalisation, optional
        To choose from; see :func:`rankmax.fusion.standard.usual_normalisations`.
    constraint : Constraint, optional
        What the learned weights must keep to on the queries that they are learned from; for up to six systems.
    by : QueryColumn, optional
        Learn weights that depend on it, too; of the signals' queries, in their order.
    n_folds : int
        From 2; as many as there are queries at most.
    n_repeats : int, optional
        How often the queries are dealt; 5 when left out, and 1 for more than six systems, which take longer.
    seed : int
    tick : callable
        Called after each fold.

    Examples
    --------
    >>> from rankmax.data.synthetic import planted_linear
    >>> from rankmax.fusion.signals import signals_of_features
    >>> from rankmax.metrics import AP
    >>> data = planted_linear(40, 10, 2, noise=0.3, seed=1).data
    >>> tuning = tune_systems(signals_of_features(data), [AP()], n_repeats=1)
    >>> [method.name for method in tuning.methods]
    ['learned', 'f1', 'f2', 'CombSUM', 'CombMNZ', 'RRF', 'best equal weights', 'weighted RRF']
    >>> tuning.fusion.weights.round(1), tuning.verdict.take_it
    (array([0.2, 0.8]), False)
    """
    metrics = _with_constraint(metrics, constraint)
    n_queries, n_systems = signals.data.n_queries, len(signals.names)
    if signals.counted_by(metrics) is not signals:
        raise InvalidDataError("the metrics leave queries out; take signals.counted_by(metrics)")
    if not (signals.data.grades > 0).any():
        raise InvalidDataError(
            "no document that there is to rank is judged relevant (a grade above 0), so all weights do alike: check "
            "that the judgments are of the same collection, with the same document ids"
        )
    if n_systems < 2:
        raise InvalidDataError(f"{signals.names[0]!r} is all there is to weigh; give at least two systems")
    if n_queries < _FEWEST_QUERIES:
        raise InvalidDataError(
            f"{n_queries} judged {'query is' if n_queries == 1 else 'queries are'} too few to tell what weights are "
            f"worth: cross-validation needs at least {_FEWEST_QUERIES}, and an answer to rely on some dozens; "
            "judge more queries"
        )
    if n_folds < 2:
        raise InvalidParameterError(f"n_folds is {n_folds}; expected at least 2")
    if n_repeats is None:
        n_repeats = 5 if n_systems <= MOST_WEIGHTS else 1
    if n_repeats < 1:
        raise InvalidParameterError(f"n_repeats is {n_repeats}; expected at least 1")
    n_folds = min(n_folds, n_queries)
    chosen = normalisations or usual_normalisations(signals)
    learned, others = fusion_methods(signals, metrics, chosen, constraint=constraint, seed=seed)
    simple = [method.name for method in others if not isinstance(method, Learned)]
    varying = None if by is None else Varying(f"by {by.name}", by, learned, metrics)
    methods: list[FusionMethod] = [learned, *others, *([] if varying is None else [varying])]
    held_out = {method.name: np.zeros((len(metrics), n_queries)) for method in methods}
    choices: Counter[str] = Counter()
    for repeat in range(n_repeats):
        for fold in k_folds(signals.data, n_folds, seed=seed + repeat):
            for method in methods:
                fusion = method.fit(fold.train)
                held_out[method.name][:, fold.test] += fusion.values[:, fold.test] / n_repeats
                if method is learned and isinstance(fusion, WeightedFusion):
                    choices[describe(fusion.normalisation)] += 1
            tick()
    results = _results(held_out, seed)
    everything = np.arange(n_queries)
    final = learned.fit(everything)
    fused = learned.searches[final.normalisation].data
    if all_tied(fused.scores(final.weights), fused.query_offsets):
        warn_of_ties("the learned weights", final.weights, "see that the systems' scores differ within queries")
    return SystemTuning(
        metrics=tuple(metrics),
        signals=signals,
        methods=results,
        fusion=final,
        search=learned.searches[final.normalisation],
        choices=dict(choices.most_common()),
        verdict=_verdict(results, LEARNED, simple, seed),
        n_folds=n_folds,
        n_repeats=n_repeats,
        seed=seed,
        constraint=constraint,
        by=by,
        varying=None if varying is None else varying.fit(everything),
        varying_verdict=None if varying is None else _verdict(results, varying.name, [LEARNED], seed),
    )


def _with_constraint(metrics: Sequence[Metric], constraint: Constraint | None) -> Sequence[Metric]:
    if constraint is None or constraint.metric in metrics:
        return metrics
    return [*metrics, constraint.metric]


def _results(held_out: dict[str, F64], seed: int) -> tuple[MethodResult, ...]:
    first = {name: values[0] for name, values in held_out.items()}
    low, high = bootstrap_interval(list(first.values()), seed=seed)
    intervals = dict(zip(first, zip(low.tolist(), high.tolist(), strict=True), strict=True))
    results = [MethodResult(LEARNED, held_out[LEARNED], float(first[LEARNED].mean()), intervals[LEARNED])]
    turned = {"▲": "▼", "▼": "▲", "": ""}  # a row says how the method differs from the learned weights
    for row in compare_systems(first, LEARNED, seed=seed).rows:
        results.append(
            MethodResult(
                row.system,
                held_out[row.system],
                row.mean,
                intervals[row.system],
                0.0 - row.difference,
                (0.0 - row.interval[1], 0.0 - row.interval[0]),
                row.corrected_p_value,
                turned[row.marker],
            )
        )
    return tuple(results)


def _verdict(results: Sequence[MethodResult], favourite: str, rivals: Sequence[str], seed: int) -> Verdict:
    by_name = {result.name: result for result in results}
    rival = max(rivals, key=lambda name: by_name[name].mean)
    p_value = by_name[rival if favourite == LEARNED else favourite].p_value
    return judge_gain(by_name[favourite].values[0] - by_name[rival].values[0], favourite, rival, p_value, seed=seed)
