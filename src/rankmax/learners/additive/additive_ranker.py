"""Additive ranker: a curve per feature, for the metric itself."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar, Self

import numpy as np

from rankmax._arrays import F64
from rankmax.backends.training_data import LocalData, require_local
from rankmax.data.content_hash import data_hash
from rankmax.data.dataset import RankingDataset
from rankmax.errors import InvalidParameterError, UnknownNameError
from rankmax.learners.additive.curve_products import choose_products
from rankmax.learners.additive.curve_training import DEFAULT_SMOOTHNESS, SMOOTHNESSES, CurveTraining, selected
from rankmax.learners.additive.knot_basis import Curves, KnotBasis
from rankmax.learners.declared_options import Option
from rankmax.learners.learner import MetricLearner, QueryWeightedLearner, QueryWeights
from rankmax.learners.presets import ADDITIVE_RANKER
from rankmax.learners.query_samples import weights_by_query
from rankmax.metrics.evaluator import evaluate_metrics
from rankmax.metrics.metric import Metric
from rankmax.models.additive_model import AdditiveModel, Product
from rankmax.models.curve import Curve, Kind
from rankmax.models.provenance import Parameter, Provenance, TrainingRecord
from rankmax.preprocessing.feature_normalization import Normalization, Unchanged

_WAYS = {"up": 1.0, "down": -1.0}
_KINDS: dict[str, Kind] = {"lines": "linear", "steps": "constant"}
_N_KNOTS = {"lines": 16, "steps": 64}
_DIGITS = 6  # behind the decimal point, of values at knots


class AdditiveRanker(QueryWeightedLearner, MetricLearner):
    r"""Find one curve per feature whose sum ranks the training queries well by a metric.

    .. math:: h(x) = \sum_j f_j(x_j)

    Curves are piecewise linear on knots at quantiles, or piecewise constant. They are first fitted to smooth
    surrogates, as the start of :class:`~rankmax.learners.direct.linear_ranker.LinearRanker` is, with a penalty on their
    distance from straight lines. It weighs as much as 100 queries, unless cross-validation within the training queries
    finds that another, or straight lines, are clearly better. From there, exact line searches over slopes and sizes of
    curves maximize the metric itself, expected under noise of the step; and the result is averaged with the
    surrogates'.

    Parameters
    ----------
    metric : str or Metric
        The metric to maximize.
    curves : {"lines", "steps"}
        Course of the curves between knots: straight lines, or steps, which exports as trees keep as they are.
    n_knots : int, optional
        Maximum number of knots of a curve; by default 16, and 64 of steps.
    smoothness : float, optional
        Penalty on the distance of curves from straight lines, as a number of queries; infinite for straight lines. By
        default 100, unless another is better by two standard errors in cross-validation, or on validation queries.
    monotone : str, sequence of str, or mapping of str to str
        Features whose curves must not fall ("up") or not rise ("down"), such as ``{"recency": "up"}`` or
        ``"recency=up"``.
    n_products : int
        Maximum number of products of two curves that are added to their sum; monotone curves are in none.
    n_bags : int
        Number of bootstrap samples of the queries to average over, which also gives the curves' uncertainty; with 0,
        learn from all queries at once.
    shrinkage : float
        Share of the surrogates' curves in the result, from 0 to 1.
    smoothing : float
        Standard deviation of the noise of a step, in standard deviations of the scores within queries; with 0, the
        surrogate's curves are the result.
    sweep_knots : bool
        Whether line searches move the values at single knots, too. It takes several times as long, and gained hardly
        anything on new queries (benchmarks/curve_choices.py).
    normalization : str or Normalization
        Applied within each query before fitting, and again when predicting.
    seed : int
        Nonnegative random seed, for folds and bootstrap samples.

    Attributes
    ----------
    model_ : AdditiveModel
    smoothness_ : float
        The selected penalty.
    held_out_ : dict of float to float
        Metric on held-out queries by smoothness, where it was selected.
    value_ : float
        The metric on the training queries.
    validation_value_ : float or None
        The metric on the validation queries, if there are any.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> X = rng.random((400, 2))
    >>> grades = (np.abs(X[:, 0] - 0.5) < 0.15).astype(float)  # the middle is best: no weight can say so
    >>> ranker = AdditiveRanker("AP").fit(X, grades, qid=np.arange(400) // 10)
    >>> ranker.value_ > 0.95
    True
    >>> ranker.model_.curve("f1").at(np.array([0.1, 0.5, 0.9])).round(0)
    array([-1.,  2., -1.])
    """

    options: ClassVar[tuple[Option, ...]] = ADDITIVE_RANKER.options

    model_: AdditiveModel

    def __init__(
        self,
        metric: str | Metric = "nDCG@10",
        curves: str = "lines",
        n_knots: int | None = None,
        smoothness: float | None = None,
        monotone: str | Sequence[str] | Mapping[str, str] = (),
        n_products: int = 0,
        n_bags: int = 0,
        shrinkage: float = 0.75,
        smoothing: float = 0.5,
        sweep_knots: bool = False,
        normalization: str | Normalization = "none",
        seed: int = 0,
    ) -> None:
        self.metric = metric
        self.curves = curves
        self.n_knots = n_knots
        self.smoothness = smoothness
        self.monotone = monotone
        self.n_products = n_products
        self.n_bags = n_bags
        self.shrinkage = shrinkage
        self.smoothing = smoothing
        self.sweep_knots = sweep_knots
        self.normalization = normalization
        self.seed = seed

    def fit_dataset(
        self,
        data: RankingDataset,
        *,
        validation: RankingDataset | None = None,
        query_weights: QueryWeights | None = None,
    ) -> Self:
        """Learn from a data set.

        Parameters
        ----------
        data : RankingDataset
        validation : RankingDataset, optional
            Validation queries, which select the smoothness in place of cross-validation.
        query_weights : mapping or array-like, optional
            Nonnegative weight of each query: by query id, or in the order of the data.
        """
        require_local(data, "curves are learned from data in this process, so additive is not for shards")
        self._check()
        normalization = Normalization.named(self.normalization)
        training = CurveTraining(
            KnotBasis.of(data, normalization, self._most_knots(), _KINDS[self.curves]),
            self._metric(),
            weights_by_query(query_weights, LocalData(data, Unchanged())),
            monotone_signs(self.monotone, data.feature_names),
            float(self.smoothing),
            float(self.shrinkage),
            bool(self.sweep_knots),
        )
        self.smoothness_ = self._selected(training, data, validation)
        if self.n_bags:
            samples = [training.bag(int(self.seed), number) for number in range(self.n_bags)]
            bags = [training.scaled(sample.curves(self.smoothness_)) for sample in samples]
            curves = training.scaled(mean_curves(bags))
        else:
            bags, curves = [], training.curves(self.smoothness_)
        terms: tuple[Product, ...] = ()
        if self.n_products:
            terms = choose_products(training, curves, data.feature_names, int(self.n_products))
        model = AdditiveModel(
            model_curves(training, curves, bags),
            data.feature_names,
            terms,
            normalization,
            self._metric().name,
            Provenance(
                learner=type(self).__name__,
                parameters={**self._described_parameters(), "selected smoothness": _plain(self.smoothness_)},
                seed=int(self.seed),
                data_hash=data_hash(data),
            ),
        )
        self.value_ = self._mean(model, data)
        self.validation_value_ = None if validation is None else self._mean(model, validation)
        record = TrainingRecord(
            value=self.value_, validation_value=self.validation_value_, n_ascents=max(int(self.n_bags), 1)
        )
        self.model_ = replace(model, training=record)
        return self

    def _check(self) -> None:
        if self.curves not in _KINDS:
            raise InvalidParameterError(f"curves is {self.curves!r}; expected {' or '.join(_KINDS)}")
        for name, least in (("n_knots", 2), ("n_products", 0), ("n_bags", 0), ("seed", 0)):
            value = self._most_knots() if name == "n_knots" else getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
                raise InvalidParameterError(f"{name} is {value!r}; expected a whole number from {least} on")
        for name, most in (("shrinkage", 1.0), ("smoothing", math.inf)):
            value = getattr(self, name)
            if not 0 <= value <= most or value == math.inf:
                expected = f"a number from 0 to {most:g}" if math.isfinite(most) else "a nonnegative finite number"
                raise InvalidParameterError(f"{name} is {value!r}; expected {expected}")
        if self.smoothness is not None and not self.smoothness > 0:
            raise InvalidParameterError(f"smoothness is {self.smoothness!r}; expected a positive number, or inf")

    def _most_knots(self) -> int:
        return _N_KNOTS[self.curves] if self.n_knots is None else self.n_knots

    def _selected(self, training: CurveTraining, data: RankingDataset, validation: RankingDataset | None) -> float:
        self.held_out_: dict[float, float] = {}
        if self.smoothness is not None:
            return float(self.smoothness)
        weights = training.query_weights if validation is None else np.ones(validation.n_queries)
        values = self._values(training, data, validation)
        chosen = selected(values, weights, SMOOTHNESSES.index(DEFAULT_SMOOTHNESS))
        counted = ~np.isnan(values[0]) & (weights > 0)
        if counted.any():
            means = np.average(values[:, counted], axis=1, weights=weights[counted]).tolist()
            self.held_out_ = dict(zip(SMOOTHNESSES, means, strict=True))
        return SMOOTHNESSES[chosen]

    def _values(self, training: CurveTraining, data: RankingDataset, validation: RankingDataset | None) -> F64:
        """Return the metric of each held-out query, or validation query, by curves of each smoothness."""
        if validation is None:
            return training.held_out_values(SMOOTHNESSES, int(self.seed))
        normalization, names = Normalization.named(self.normalization), data.feature_names
        models = [
            AdditiveModel(
                model_curves(training, training.fit(smoothness).curves, []), names, normalization=normalization
            )
            for smoothness in SMOOTHNESSES
        ]
        scores = [model.scores(validation) for model in models]
        return np.array([evaluate_metrics([training.metric], row, validation.judgments)[0] for row in scores])

    def _described_parameters(self) -> dict[str, Parameter]:
        signs = [f"{name}={way}" for name, way in monotone_ways(self.monotone).items()]
        smoothness = None if self.smoothness is None else _plain(self.smoothness)
        named = {"metric": self._metric().name, "normalization": Normalization.named(self.normalization).name}
        own = {"n_knots": self._most_knots(), "monotone": signs, "smoothness": smoothness}
        return {**self.get_params(), **named, **own}


def monotone_ways(given: str | Sequence[str] | Mapping[str, str]) -> dict[str, str]:
    """Return "up" or "down" by feature.

    Parameters
    ----------
    given : str, sequence of str, or mapping of str to str
        As of :class:`AdditiveRanker`.

    Examples
    --------
    >>> monotone_ways(["recency=up", "price=down"])
    {'recency': 'up', 'price': 'down'}
    >>> monotone_ways("recency")
    Traceback (most recent call last):
    rankmax.errors.InvalidParameterError: monotone is 'recency'; expected a feature and its way, such as recency=up ...
    """
    if isinstance(given, Mapping):
        pairs = [(str(name), str(way)) for name, way in given.items()]
    else:
        texts = [given] if isinstance(given, str) else list(given)
        pairs = [(name, way) for name, _, way in (str(text).rpartition("=") for text in texts)]
    for name, way in pairs:
        if way not in _WAYS or not name:
            shown = f"{name}={way}" if name else way
            raise InvalidParameterError(
                f"monotone is {shown!r}; expected a feature and its way, such as recency=up or price=down"
            )
    ways = dict(pairs)
    if len(ways) < len(set(pairs)):
        raise InvalidParameterError("monotone gives a feature two ways, up and down; give one")
    return ways


def monotone_signs(given: str | Sequence[str] | Mapping[str, str], feature_names: Sequence[str]) -> F64:
    """Return 1 for features whose curves must not fall, -1 for those that must not rise, 0 for others.

    Parameters
    ----------
    given : str, sequence of str, or mapping of str to str
        As of :class:`AdditiveRanker`.
    feature_names : sequence of str
    """
    signs, place = np.zeros(len(feature_names)), {name: j for j, name in enumerate(feature_names)}
    for name, way in monotone_ways(given).items():
        if name not in place:
            raise UnknownNameError("feature", name, feature_names)
        signs[place[name]] = _WAYS[way]
    return signs


def mean_curves(bags: Sequence[Curves]) -> Curves:
    """Return the mean of curves on common knots.

    Parameters
    ----------
    bags : sequence of Curves
    """
    rises = np.mean([bag.rises for bag in bags], axis=0)
    return Curves(rises, np.mean([bag.absents for bag in bags], axis=0))


def model_curves(training: CurveTraining, curves: Curves, bags: Sequence[Curves]) -> tuple[Curve, ...]:
    """Return the curves as a model has them, with their deviations over bags and the weights of straight lines.

    Numbers have the digits that may matter, as scores have the standard deviation 1, and knots are where curves bend.

    Parameters
    ----------
    training : CurveTraining
    curves : Curves
    bags : sequence of Curves
    """
    basis, lines = training.basis, training.straight
    size = basis.spread(basis.scores(lines.curves)) / (basis.spread(basis.scores(curves)) or 1.0)
    found = []
    for j, knots in enumerate(basis.knots):
        values, deviations = basis.heights(j, curves.rises[j]), None
        if bags:
            deviations = np.std([basis.heights(j, bag.rises[j]) for bag in bags], axis=0, ddof=min(len(bags) - 1, 1))
        if not curves.rises[j].any():
            values = np.zeros(values.size)
        kind: Kind = basis.kind if knots.size else "constant"
        weight = float(f"{lines.slopes[j] / size:.6g}") if size > 0 else 0.0
        absent = round(float(curves.absents[j]), _DIGITS)
        curve = _rounded(Curve(knots, values, kind, absent, deviations, weight).without_idle_knots())
        if kind == "constant":  # steps that only rounding made equal
            curve = curve.without_idle_knots()
        found.append(Curve(np.empty(0), np.zeros(1), "constant", weight=weight) if curve.is_zero else curve)
    return tuple(found)


def _rounded(curve: Curve) -> Curve:
    deviations = None if curve.deviations is None else curve.deviations.round(_DIGITS)
    return replace(curve, values=curve.values.round(_DIGITS), deviations=deviations)


def _plain(smoothness: float) -> float | str:
    """Return the smoothness as JSON can have it."""
    return float(smoothness) if math.isfinite(smoothness) else "straight"
