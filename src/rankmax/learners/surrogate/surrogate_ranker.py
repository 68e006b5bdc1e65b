"""Ranking functions learned by minimizing a surrogate loss."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, ClassVar, Self, TypeVar

import numpy as np

from rankmax._arrays import F64
from rankmax.backends.backend import Backend
from rankmax.backends.registry import opened
from rankmax.backends.training_data import TrainingData, require_local
from rankmax.data.dataset import RankingDataset
from rankmax.errors import IncompatibleError, InvalidParameterError
from rankmax.formats.shards import Shards
from rankmax.learners.declared_options import Option
from rankmax.learners.learner import MetricLearner, QueryWeightedLearner, QueryWeights
from rankmax.learners.presets import SURROGATE_RANKER
from rankmax.learners.query_samples import weights_by_query
from rankmax.learners.surrogate.gain_polish import polish_gains
from rankmax.learners.surrogate.scoring.registry import scoring_named
from rankmax.learners.surrogate.scoring.scoring_function import ScoringFunction
from rankmax.learners.surrogate.surrogate_fit import SurrogateFit, SurrogateFitter
from rankmax.learners.surrogate.surrogate_problem import SurrogateProblem
from rankmax.losses.cross_entropy import CrossEntropy
from rankmax.losses.descent import Descent
from rankmax.losses.registry import loss_named
from rankmax.losses.surrogate_loss import Surrogate
from rankmax.metrics.evaluator import mean_of_counted
from rankmax.metrics.metric import Metric
from rankmax.metrics.metric_parameters import check_number, plain
from rankmax.models import Provenance, TrainingRecord
from rankmax.models.expected_gain_model import ExpectedGainModel
from rankmax.models.model import Model
from rankmax.models.provenance import Parameter
from rankmax.preprocessing.feature_normalization import Normalization

_Part = TypeVar("_Part", Surrogate, ScoringFunction)


def several(value: float | Sequence[float]) -> Sequence[float]:
    """Return a single value as a sequence of one, and a sequence unchanged.

    Parameters
    ----------
    value : float or sequence of float

    Examples
    --------
    >>> several(0.5), several((1, 2))
    ((0.5,), (1, 2))
    """
    return value if isinstance(value, Sequence) else (value,)


@dataclass(frozen=True, eq=False)
class Candidate:
    """A fit that validation queries can select.

    Attributes
    ----------
    fit : SurrogateFit
    ridge : float
    model : Model
    validation_value : float or None
        The metric on the validation queries, if there are any.
    """

    fit: SurrogateFit
    ridge: float
    model: Model
    validation_value: float | None


class SurrogateRanker(QueryWeightedLearner, MetricLearner):
    r"""Minimize a surrogate loss of a scoring function over the training queries.

    Any loss can be combined with any scoring function. With linear scores, cross entropy gives ListNet, the cosine
    RankCosine, and :class:`~rankmax.losses.smooth_ndcg.SmoothNDCG` SmoothRank; the scoring function
    :class:`~rankmax.learners.surrogate.scoring.expected_gain_scoring.ExpectedGain` has the form of the Bayes-optimal
    one for DCG-like metrics.

    Given several losses, scoring functions or penalties, validation queries select the best combination. They also
    select parameters that a name leaves open: the paper's :data:`~rankmax.losses.cross_entropy.ALPHAS` of
    "cross-entropy" and its :data:`~rankmax.learners.surrogate.scoring.expected_gain_scoring.EPSILONS` of
    "expected-gain", which makes 40 fits if both are named. Without validation queries, a name stands for the defaults
    of its class.

    Parameters
    ----------
    loss : str or Surrogate, or a sequence of them
        "cosine", "cross-entropy", "pairwise-logistic", "plackett-luce", "proportional-cross-entropy", "smooth-ndcg" or
        "squared".
    scoring : str or ScoringFunction, or a sequence of them
        "expected-gain" or "linear".
    metric : str or Metric
        Metric for model selection and `score`. It is not part of the loss.
    ridge : float, or a sequence of them
        Nonnegative penalty on the distance of the weights from the start of the descent (see
        :class:`~rankmax.learners.surrogate.surrogate_fit.SurrogateFitter`). At 0, with epsilon 1, weights may grow
        until the iteration limit is reached.
    optimizer : str
        "lbfgs" or "gradient-descent".
    n_restarts : int
        Number of descents from random weights, of which the one with the lowest loss is taken; with 0, one descent from
        the linear optimum of the same loss.
    polish : bool
        Whether the gains of an expected-gain model are finally chosen to maximize the metric itself
        (:func:`~rankmax.learners.surrogate.gain_polish.polish_gains`), unless that lowers it on validation queries.
    max_iterations : int
        Maximum number of iterations per descent.
    tolerance : float
        Largest component of the gradient at which a descent stops.
    normalization : str or Normalization
        Applied within each query before fitting, and again when predicting.
    seed : int
        Nonnegative random seed, for random starts.
    backend : str or Backend, optional
        Backend for sharded data, as for :class:`~rankmax.learners.direct.linear_ranker.LinearRanker`: data is then
        given as :class:`~rankmax.formats.shards.Shards`. The weights do not depend on it.

    Attributes
    ----------
    model_ : LinearModel, ExpectedGainModel or FunctionModel
        The model, by scoring function: linear, expected gain, or user-defined.
    loss_ : Surrogate
    scoring_ : ScoringFunction
    ridge_ : float
        The selected loss, scoring function and penalty.
    value_ : float
        The metric on the training queries.
    validation_value_ : float or None
        The metric on the validation queries, if there are any.
    loss_value_ : float
        Mean loss on the training queries relative to that of scores that are all 0, plus the penalty.
    n_iterations_ : int
    converged_ : bool
        Whether the gradient fell to the tolerance.
    candidates_ : list of Candidate
        All fits that were compared.

    Examples
    --------
    >>> from rankmax.data import planted_linear
    >>> data = planted_linear(30, 10, 3, noise=0.2, seed=1).data
    >>> ranker = SurrogateRanker("cosine", "expected-gain").fit_dataset(data)
    >>> ranker.model_.probabilities(data).shape, ranker.value_ > 0.95
    ((300, 3), True)

    References
    ----------
    Yang, Ravikumar & Lease 2010, A new class of ranking functions for DCG-like evaluation metrics using conditional
    probability models, Algorithm 2 and section 6.
    """

    options: ClassVar[tuple[Option, ...]] = SURROGATE_RANKER.options

    @classmethod
    def from_options(cls, metric: Metric, normalization: str, options: Mapping[str, Any]) -> Self:
        """Return a learner of linear scores, unless the options name another scoring function.

        Parameters
        ----------
        metric : Metric
        normalization : str
        options : mapping of str to object
        """
        own = {"scoring": "linear", **options}
        if "alpha" in own:
            own["loss"] = [CrossEntropy(alpha=alpha) for alpha in several(own.pop("alpha"))]
        return cls(metric=metric, normalization=normalization, **own)

    def __init__(
        self,
        loss: str | Surrogate | Sequence[str | Surrogate] = "cross-entropy",
        scoring: str | ScoringFunction | Sequence[str | ScoringFunction] = "expected-gain",
        metric: str | Metric = "nDCG@10",
        ridge: float | Sequence[float] = 0.1,
        optimizer: Descent = "lbfgs",
        n_restarts: int = 0,
        polish: bool = False,
        max_iterations: int = 200,
        tolerance: float = 1e-3,
        normalization: str | Normalization = "none",
        seed: int = 0,
        backend: str | Backend | None = None,
    ) -> None:
        self.loss = loss
        self.scoring = scoring
        self.metric = metric
        self.ridge = ridge
        self.optimizer = optimizer
        self.n_restarts = n_restarts
        self.polish = polish
        self.max_iterations = max_iterations
        self.tolerance = tolerance
        self.normalization = normalization
        self.seed = seed
        self.backend = backend

    def fit_dataset(
        self,
        data: RankingDataset | Shards,
        *,
        validation: RankingDataset | None = None,
        query_weights: QueryWeights | None = None,
    ) -> Self:
        """Learn from a data set.

        Parameters
        ----------
        data : RankingDataset or Shards
        validation : RankingDataset, optional
            Validation queries: the combination of loss, stage of the loss, scoring function and penalty with the
            highest metric on these queries is selected, the first one of equals.
        query_weights : mapping or array-like, optional
            Nonnegative weight of each query: by query id, or in the order of the data.
        """
        grid = self._grid(choosing=validation is not None)
        if validation is None and len(grid) > 1:
            raise IncompatibleError(
                f"{len(grid)} combinations of loss, scoring and ridge are given, and no validation queries to select "
                "one by: give such queries, or one of each"
            )
        if self.polish:
            require_local(data, "gains are polished on data in this process, so polish is not for shards")
        with opened(data, self.backend, Normalization.named(self.normalization)) as training_data:
            return self._fit(grid, training_data, validation, weights_by_query(query_weights, training_data))

    def _fit(
        self,
        grid: Sequence[tuple[float, Surrogate, ScoringFunction]],
        data: TrainingData,
        validation: RankingDataset | None,
        query_weights: F64,
    ) -> Self:
        self.candidates_ = list(self._fits(grid, data, validation, query_weights))
        chosen = self.candidates_[-1]
        if validation is not None:
            chosen = max(self.candidates_, key=lambda candidate: candidate.validation_value or 0.0)
        self.loss_, self.scoring_, self.ridge_ = chosen.fit.loss, chosen.fit.scoring, chosen.ridge
        self.loss_value_, self.n_iterations_ = chosen.fit.value, chosen.fit.n_iterations
        self.converged_ = chosen.fit.converged
        model, self.validation_value_ = self._polished(chosen, data.source, validation)
        self.value_ = mean_of_counted(data.values(model, [self._metric()])[0])
        self.model_ = self._with_record(model, data)
        return self

    @property
    def coef_(self) -> F64:
        """The learned weights, with a row per grade if the scores are expected gains."""
        self._fitted_model()
        weights: F64 = self.model_.weights  # type: ignore[attr-defined]
        return weights

    def _grid(self, *, choosing: bool) -> list[tuple[float, Surrogate, ScoringFunction]]:
        for name, value in (("n_restarts", self.n_restarts), ("seed", self.seed)):
            if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 0:
                raise InvalidParameterError(f"{name} is {value!r}; expected a nonnegative whole number")
        ridges = _several(self.ridge)
        for ridge in ridges:
            check_number("SurrogateRanker", "ridge", plain(ridge), "a nonnegative number", lambda value: value >= 0)
        losses = _candidates(self.loss, loss_named, choosing=choosing)
        functions = _candidates(self.scoring, scoring_named, choosing=choosing)
        grid = list(product(ridges, losses, functions))
        if not grid:
            raise InvalidParameterError("SurrogateRanker: give at least one loss, one scoring function and one ridge")
        return grid

    def _fits(
        self,
        grid: Sequence[tuple[float, Surrogate, ScoringFunction]],
        data: TrainingData,
        validation: RankingDataset | None,
        query_weights: F64,
    ) -> Iterator[Candidate]:
        normalization = Normalization.named(self.normalization)
        problem = SurrogateProblem(data, query_weights)
        fitters: dict[float, SurrogateFitter] = {}  # they keep the linear optima that several fits start from
        for ridge, loss, scoring in grid:
            if ridge not in fitters:
                fitters[ridge] = SurrogateFitter(
                    problem=problem,
                    ridge=float(ridge),
                    method=self.optimizer,
                    n_restarts=int(self.n_restarts),
                    max_iterations=self.max_iterations,
                    tolerance=self.tolerance,
                    seed=int(self.seed),
                )
            stages = fitters[ridge].fit(loss, scoring)
            for fit in stages if validation is not None else stages[-1:]:
                model = fit.scoring.model(
                    fit.weights, fit.intercepts, data.feature_names, normalization, self._metric().name
                )
                yield Candidate(fit, ridge, model, None if validation is None else self._mean(model, validation))

    def _polished(
        self, chosen: Candidate, data: RankingDataset | Shards, validation: RankingDataset | None
    ) -> tuple[Model, float | None]:
        if not self.polish or not isinstance(chosen.model, ExpectedGainModel) or isinstance(data, Shards):
            return chosen.model, chosen.validation_value
        polished = polish_gains(chosen.model, data, self._metric(), seed=int(self.seed))
        if validation is None or chosen.validation_value is None:
            return polished, None
        value = self._mean(polished, validation)
        return (polished, value) if value >= chosen.validation_value else (chosen.model, chosen.validation_value)

    def _with_record(self, model: Model, data: TrainingData) -> Model:
        """Return the model with its provenance, if it has a file format."""
        if not hasattr(model, "provenance"):
            return model
        provenance = Provenance(
            learner=type(self).__name__,
            parameters=self._described_parameters(),
            seed=int(self.seed),
            data_hash=data.content_hash,
        )
        training = TrainingRecord(
            value=self.value_,
            validation_value=self.validation_value_,
            n_ascents=len(self.candidates_),
            stopped_by="converged" if self.converged_ else "iterations",
        )
        recorded: Model = replace(model, provenance=provenance, training=training)  # type: ignore[type-var]
        return recorded

    def _described_parameters(self) -> dict[str, Parameter]:
        """Return the parameters with the selected values in place of all candidates."""
        named = {
            "loss": repr(self.loss_),
            "scoring": repr(self.scoring_),
            "ridge": float(self.ridge_),
            "metric": self._metric().name,
            "normalization": Normalization.named(self.normalization).name,
        }
        kept = {name: value for name, value in self.get_params().items() if name != "backend"}  # changes no weight
        return {**kept, **named}


def _candidates(given: Any, named: Callable[[Any], _Part], *, choosing: bool) -> list[_Part]:
    """Return the losses or scoring functions to fit, with all variants of a name if there are validation queries."""
    found: list[_Part] = []
    for one in _several(given):
        part = named(one)
        found += part.variants() if choosing and isinstance(one, str) else (part,)
    return found


def _several(given: Any) -> list[Any]:
    return list(given) if isinstance(given, Sequence | np.ndarray) and not isinstance(given, str) else [given]
