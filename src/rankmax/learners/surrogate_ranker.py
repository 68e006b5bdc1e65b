"""Ranking functions learned by minimising a surrogate loss."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, Self, TypeVar

import numpy as np

from rankmax.arrays import F64
from rankmax.data.content_hash import data_hash
from rankmax.data.dataset import RankingDataset
from rankmax.data.normalise import Normalisation
from rankmax.data.shards import Shards
from rankmax.engines.base import Engine
from rankmax.engines.dataset import EngineDataset
from rankmax.engines.named import opened
from rankmax.errors import IncompatibleError, InvalidParameterError
from rankmax.learners.base import MetricLearner, Model, QueryWeightedLearner, QueryWeights
from rankmax.learners.polish import polish_gains
from rankmax.learners.scoring.base import ScoringFunction
from rankmax.learners.scoring.named import scoring_named
from rankmax.learners.surrogate_fit import SurrogateFit, SurrogateFitter
from rankmax.learners.surrogate_problem import ProblemHere, ProblemThere, SurrogateProblem
from rankmax.learners.training import weights_by_query
from rankmax.losses.base import Surrogate
from rankmax.losses.descent import Descent
from rankmax.losses.named import loss_named
from rankmax.metrics.base import Metric
from rankmax.metrics.evaluate import mean_of_counted
from rankmax.metrics.parameters import check_number, plain
from rankmax.models import Parameter, Provenance, TrainingRecord
from rankmax.models.expected_gain import ExpectedGainModel

_Part = TypeVar("_Part", Surrogate, ScoringFunction)


@dataclass(frozen=True, eq=False)
class Candidate:
    """One of the fits that validation queries choose among.

    Attributes
    ----------
    fit : SurrogateFit
    ridge : float
    model : Model
    validation_value : float or None
        The metric on the validation queries, where there are any.
    """

    fit: SurrogateFit
    ridge: float
    model: Model
    validation_value: float | None


class SurrogateRanker(QueryWeightedLearner, MetricLearner):
    r"""Minimise a surrogate loss of a scoring function over the training queries.

    Any loss goes with any scoring function. With linear scores and cross entropy it is ListNet, with the cosine
    RankCosine, with :class:`~rankmax.losses.smooth_ndcg.SmoothNDCG` SmoothRank; the scoring function
    :class:`~rankmax.learners.scoring.expected_gain.ExpectedGain` has the form of the Bayes-optimal one for DCG-like
    metrics.

    Give several losses, scoring functions or penalties, and validation queries choose the best combination. They also
    choose what a name leaves open: the paper's :data:`~rankmax.losses.cross_entropy.ALPHAS` of "cross-entropy" and its
    :data:`~rankmax.learners.scoring.expected_gain.EPSILONS` of "expected-gain", 40 fits where both are named. Without
    such queries, a name stands for the defaults of its class.

    Parameters
    ----------
    loss : str or Surrogate, or a sequence of them
        "cosine", "cross-entropy", "pairwise-logistic", "plackett-luce", "proportional-cross-entropy", "smooth-ndcg" or
        "squared".
    scoring : str or ScoringFunction, or a sequence of them
        "expected-gain" or "linear".
    metric : str or Metric
        What validation queries choose by, and `score` returns. It has no part in the loss.
    ridge : float, or a sequence of them
        From 0: penalty on moving weights away from where the descent starts (see
        :class:`~rankmax.learners.surrogate_fit.SurrogateFitter`). At 0, with epsilon 1, weights may grow until the
        iterations are used up.
    optimizer : str
        "lbfgs" or "gradient-descent".
    n_restarts : int
        From 0. So many descents from random weights, of which that to the lowest loss is taken; 0: one descent, from
        the linear optimum of the same loss.
    polish : bool
        Whether the gains of an expected-gain model are chosen, in the end, by the metric itself
        (:func:`~rankmax.learners.polish.polish_gains`); validation queries may refuse.
    max_iterations : int
        Of each descent.
    tolerance : float
        A descent ends when no component of the gradient is larger.
    normalisation : str or Normalisation
        Applied within each query before fitting, and again when predicting.
    seed : int
        From 0. Of random starts.
    engine : str or Engine, optional
        Where documents lie, as for :class:`~rankmax.learners.linear_ranker.LinearRanker`: data is then given as
        :class:`~rankmax.data.shards.Shards`. Changes no weight.

    Attributes
    ----------
    model_ : LinearModel, ExpectedGainModel or FunctionModel
        Of linear scores, of expected gain, or of a scoring function of one's own.
    loss_ : Surrogate
    scoring_ : ScoringFunction
    ridge_ : float
        What was chosen, of each.
    value_ : float
        The metric on the training queries.
    validation_value_ : float or None
        The metric on the validation queries, where there are any.
    loss_value_ : float
        The mean loss on the training queries, relative to that of scores that are all 0, plus the penalty.
    n_iterations_ : int
    converged_ : bool
        Whether the gradient fell to the tolerance.
    candidates_ : list of Candidate
        All that there was to choose from.

    Examples
    --------
    >>> from rankmax.data.synthetic import planted_linear
    >>> data = planted_linear(30, 10, 3, noise=0.2, seed=1).data
    >>> ranker = SurrogateRanker("cosine", "expected-gain").fit_dataset(data)
    >>> ranker.model_.probabilities(data).shape, ranker.value_ > 0.95
    ((300, 3), True)

    References
    ----------
    Yang, Ravikumar & Lease 2010, A new class of ranking functions for DCG-like evaluation metrics using conditional
    probability models, Algorithm 2 and section 6.
    """

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
        normalisation: str | Normalisation = "none",
        seed: int = 0,
        engine: str | Engine | None = None,
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
        self.normalisation = normalisation
        self.seed = seed
        self.engine = engine

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
            Queries to choose by: the combination of loss, stage of the loss, scoring function and penalty that has the
            highest metric on these is taken, the first of equals.
        query_weights : mapping or array-like, optional
            How much each query counts, from 0: by query id, or in the order of the data.
        """
        grid = self._grid(choosing=validation is not None)
        if validation is None and len(grid) > 1:
            raise IncompatibleError(
                f"{len(grid)} combinations of loss, scoring and ridge are given, and no validation queries to choose "
                "by: give such queries, or one of each"
            )
        if self.polish and isinstance(data, Shards):
            raise IncompatibleError("gains are polished on data in this process, so polish is not for shards")
        with opened(data, self.engine, Normalisation.named(self.normalisation)) as there:
            return self._fit(grid, there, validation, weights_by_query(query_weights, there))

    def _fit(
        self,
        grid: Sequence[tuple[float, Surrogate, ScoringFunction]],
        data: RankingDataset | EngineDataset,
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
        model, self.validation_value_ = chosen.model, chosen.validation_value
        if isinstance(data, EngineDataset):
            self.value_ = mean_of_counted(data.values(model, [self._metric()])[0])
        else:
            model, self.validation_value_ = self._polished(chosen, data, validation)
            self.value_ = self._mean(model, data)
        self.model_ = self._with_record(model, data)
        return self

    @property
    def coef_(self) -> F64:
        """The weights that were learned, with a row for each grade where the scores are expected gains."""
        self._fitted_model()
        weights: F64 = self.model_.weights  # type: ignore[attr-defined]
        return weights

    def _grid(self, *, choosing: bool) -> list[tuple[float, Surrogate, ScoringFunction]]:
        for name, value in (("n_restarts", self.n_restarts), ("seed", self.seed)):
            if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 0:
                raise InvalidParameterError(f"{name} is {value!r}; expected a whole number from 0")
        ridges = _several(self.ridge)
        for ridge in ridges:
            check_number("SurrogateRanker", "ridge", plain(ridge), "a number from 0", lambda value: value >= 0)
        losses = _candidates(self.loss, loss_named, choosing=choosing)
        functions = _candidates(self.scoring, scoring_named, choosing=choosing)
        grid = list(product(ridges, losses, functions))
        if not grid:
            raise InvalidParameterError("SurrogateRanker: give at least one loss, one scoring function and one ridge")
        return grid

    def _fits(
        self,
        grid: Sequence[tuple[float, Surrogate, ScoringFunction]],
        data: RankingDataset | EngineDataset,
        validation: RankingDataset | None,
        query_weights: F64,
    ) -> Iterator[Candidate]:
        normalisation = Normalisation.named(self.normalisation)
        problem: SurrogateProblem
        if isinstance(data, EngineDataset):
            problem = ProblemThere(data, query_weights)
        else:
            problem = ProblemHere(normalisation.apply(data), query_weights)
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
                    fit.weights, fit.intercepts, data.feature_names, normalisation, self._metric().name
                )
                yield Candidate(fit, ridge, model, None if validation is None else self._mean(model, validation))

    def _polished(
        self, chosen: Candidate, data: RankingDataset, validation: RankingDataset | None
    ) -> tuple[Model, float | None]:
        if not self.polish or not isinstance(chosen.model, ExpectedGainModel):
            return chosen.model, chosen.validation_value
        polished = polish_gains(chosen.model, data, self._metric(), seed=int(self.seed))
        if validation is None or chosen.validation_value is None:
            return polished, None
        value = self._mean(polished, validation)
        return (polished, value) if value >= chosen.validation_value else (chosen.model, chosen.validation_value)

    def _with_record(self, model: Model, data: RankingDataset | EngineDataset) -> Model:
        """Return the model with what its file tells of where it comes from, if it has a file."""
        if not hasattr(model, "provenance"):
            return model
        provenance = Provenance(
            learner=type(self).__name__,
            parameters=self._described_parameters(),
            seed=int(self.seed),
            data_hash=data.shards.content_hash if isinstance(data, EngineDataset) else data_hash(data),
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
        """Return the parameters with what was chosen in place of what there was to choose from."""
        named = {
            "loss": repr(self.loss_),
            "scoring": repr(self.scoring_),
            "ridge": float(self.ridge_),
            "metric": self._metric().name,
            "normalisation": Normalisation.named(self.normalisation).name,
        }
        kept = {name: value for name, value in self.get_params().items() if name != "engine"}  # changes no weight
        return {**kept, **named}


def _candidates(given: Any, named: Callable[[Any], _Part], *, choosing: bool) -> list[_Part]:
    """Return the losses or scoring functions to fit; validation queries choose what a name leaves open."""
    found: list[_Part] = []
    for one in _several(given):
        part = named(one)
        found += part.variants() if choosing and isinstance(one, str) else (part,)
    return found


def _several(given: Any) -> list[Any]:
    return list(given) if isinstance(given, Sequence | np.ndarray) and not isinstance(given, str) else [given]
