"""What the learners share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankmax.arrays import F64
from rankmax.data.dataset import RankingDataset
from rankmax.data.normalise import Normalisation
from rankmax.errors import NotFittedError
from rankmax.learners.estimator import Estimator
from rankmax.learners.rows import rows_for, score_rows
from rankmax.learners.tied_scores import ranks_by_ties, warn_of_ties
from rankmax.metrics.base import Metric
from rankmax.metrics.evaluate import evaluate_metrics, mean_of_counted
from rankmax.metrics.parse import parse
from rankmax.models import LinearModel, Parameter

QueryWeights = ArrayLike | Mapping[Any, float]
"""Numbers in the order of the queries, or a number for each query id."""


class Model(Protocol):
    """What a learner returns: scores for the documents of any data that has its features."""

    @property
    def feature_names(self) -> tuple[str, ...]:
        """Names by which features are found."""

    @property
    def normalisation(self) -> Normalisation:
        """What is applied within each query."""

    def scores(self, data: RankingDataset) -> F64:
        """Return the score of each document.

        Parameters
        ----------
        data : RankingDataset
        """


class Learner(Estimator, ABC):
    """Base of learners.

    A subclass's :meth:`fit_dataset` sets `model_`. Where that ranks by ties alone, as with weights that are all 0, a
    :class:`~rankmax.errors.TiedScoresWarning` says so, whichever the learner.

    Attributes
    ----------
    model_ : Model
        Set by fitting.
    """

    model_: Model

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        own = vars(cls).get("fit_dataset")
        if own is not None and not getattr(own, "__isabstractmethod__", False):
            cls.fit_dataset = _telling_of_ties(own)  # type: ignore[method-assign]

    @abstractmethod
    def fit_dataset(self, data: RankingDataset) -> Self:
        """Learn from a data set.

        Parameters
        ----------
        data : RankingDataset
        """

    def fit(self, X: Any, y: ArrayLike, *, qid: ArrayLike) -> Self:
        """Learn from a matrix.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix, shape (n_documents, n_features)
        y : array-like, shape (n_documents,)
            Grades.
        qid : array-like, shape (n_documents,)
            The query of each row, in any order.
        """
        return self.fit_dataset(RankingDataset.from_arrays(X, y, qid=qid))

    def predict(self, X: Any, *, qid: ArrayLike | None = None) -> F64:
        """Return a score for each row of `X`, in its order; higher is better.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix, shape (n_documents, n_features)
            The columns of a data frame are found by name, those of a matrix by position.
        qid : array-like, optional
            Needed where the model normalises within queries.
        """
        return score_rows(self._fitted_model(), X, qid)

    @property
    def n_features_in_(self) -> int:
        """Number of features that were learned from."""
        return len(self._fitted_model().feature_names)

    @property
    def feature_names_in_(self) -> NDArray[np.object_]:
        """Names of the features that were learned from; f1, f2, ... where they had none."""
        return np.array(self._fitted_model().feature_names, dtype=object)

    def _dataset(self, X: Any, y: ArrayLike, qid: ArrayLike) -> RankingDataset:
        """Return rows that the fitted model can score, their columns named as those it was trained on."""
        return rows_for(self._fitted_model(), X, y, qid)

    def _described_parameters(self) -> dict[str, Parameter]:
        """Return the parameters as a model's provenance keeps them."""
        return {
            name: value.name if isinstance(value, Normalisation) else value for name, value in self.get_params().items()
        }

    def _remedy_of_ties(self) -> str:
        """Return what to do where all documents score the same."""
        return "see that the features tell documents apart, and try other parameters or another learner"

    def _fitted_model(self) -> Model:
        if not hasattr(self, "model_"):
            raise NotFittedError(f"this {type(self).__name__} has learned nothing yet; call fit first")
        return self.model_


def _telling_of_ties(fit_dataset: Callable[..., Any]) -> Callable[..., Any]:
    """Return a learner's `fit_dataset` that warns where the model ranks by ties alone."""

    @wraps(fit_dataset)
    def fit_and_tell(self: Learner, data: Any, *arguments: Any, **options: Any) -> Any:
        fitted = fit_dataset(self, data, *arguments, **options)
        if type(self).fit_dataset is fit_and_tell:  # else a subclass goes on
            model = self._fitted_model()
            weights = getattr(model, "weights", None)
            no_weights = isinstance(weights, np.ndarray) and not weights.any()
            if no_weights or (isinstance(data, RankingDataset) and ranks_by_ties(model.scores, data)):
                warn_of_ties(type(self).__name__, weights, self._remedy_of_ties())
        return fitted

    return fit_and_tell


class QueryWeightedLearner(Learner, ABC):
    """Base of learners in which one query may count for more than another."""

    @abstractmethod
    def fit_dataset(self, data: RankingDataset, *, query_weights: QueryWeights | None = None) -> Self:
        """Learn from a data set.

        Parameters
        ----------
        data : RankingDataset
        query_weights : mapping or array-like, optional
            How much each query counts, from 0: by query id, or in the order of the data.
        """

    def fit(self, X: Any, y: ArrayLike, *, qid: ArrayLike, query_weights: QueryWeights | None = None) -> Self:
        """Learn from a matrix.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix, shape (n_documents, n_features)
        y : array-like, shape (n_documents,)
            Grades.
        qid : array-like, shape (n_documents,)
            The query of each row, in any order.
        query_weights : mapping or array-like, optional
            How much each query counts, from 0: by query id, or in the order of the queries' first rows. In
            cross-validation only a mapping works, as it may have more queries than a fold.
        """
        return self.fit_dataset(RankingDataset.from_arrays(X, y, qid=qid), query_weights=query_weights)


class LinearLearner(Learner, ABC):
    """Base of learners that return a :class:`~rankmax.models.linear.LinearModel`.

    Attributes
    ----------
    model_ : LinearModel
    """

    model_: LinearModel

    @property
    def coef_(self) -> F64:
        """The weights that were learned."""
        self._fitted_model()
        return self.model_.weights


class MetricLearner(Learner, ABC):
    """Base of learners that know the metric they are judged by.

    Attributes
    ----------
    metric : str or Metric
    """

    metric: str | Metric

    def score(self, X: Any, y: ArrayLike, *, qid: ArrayLike) -> float:
        """Return the mean of the metric over queries; those it leaves out do not count.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix, shape (n_documents, n_features)
        y : array-like, shape (n_documents,)
            Grades.
        qid : array-like, shape (n_documents,)
        """
        return self._mean(self._fitted_model(), self._dataset(X, y, qid))

    def _mean(self, model: Model, data: RankingDataset) -> float:
        return mean_value(self._metric(), model.scores(data), data)

    def _metric(self) -> Metric:
        return parse(self.metric) if isinstance(self.metric, str) else self.metric


def mean_value(metric: Metric, scores: F64, data: RankingDataset) -> float:
    """Return the mean of a metric over the queries that it counts; NaN where there are none.

    Parameters
    ----------
    metric : Metric
    scores : array of float64, shape (n_documents,)
    data : RankingDataset

    Examples
    --------
    >>> data = RankingDataset.from_arrays([[1.0], [2.0], [3.0]], [1, 0, 0], qid=[1, 1, 2])
    >>> mean_value(parse("RR(no_relevant='skip')"), np.array([1.0, 2.0, 3.0]), data)
    0.5
    """
    return mean_of_counted(evaluate_metrics([metric], scores, data.judgments)[0])
