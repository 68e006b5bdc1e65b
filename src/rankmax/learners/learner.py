"""Base classes of learners."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from functools import wraps
from types import MappingProxyType
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankmax._arrays import F64
from rankmax.data.dataset import RankingDataset
from rankmax.errors import InvalidDataError, NotFittedError
from rankmax.learners.declared_options import Option
from rankmax.learners.estimator import Estimator
from rankmax.learners.row_scoring import rows_for, score_rows, warn_of_divided_queries
from rankmax.learners.tied_scores import ranks_by_ties, warn_of_ties
from rankmax.metrics.evaluator import evaluate_metrics, mean_of_counted
from rankmax.metrics.metric import Metric
from rankmax.metrics.registry import parse_metric
from rankmax.models import LinearModel
from rankmax.models.model import Model
from rankmax.models.provenance import Parameter
from rankmax.preprocessing.feature_normalization import Normalization

_USUAL_METRIC = "nDCG@10"  # of every verb

Validation = RankingDataset | tuple[Any, ArrayLike, ArrayLike]
"""Validation queries: a data set, or features, grades and queries as `fit` takes them."""
QueryWeights = ArrayLike | Mapping[Any, float]
"""Query weights: an array in the order of the queries, or a mapping from query id to weight."""


class Learner(Estimator, ABC):
    """Base of learners.

    A subclass's :meth:`fit_dataset` sets `model_`. If the model ranks by ties alone, as with weights that are all 0,
    every learner issues a :class:`~rankmax.errors.TiedScoresWarning`.

    Attributes
    ----------
    model_ : Model
        The learned model, set by fitting.
    """

    options: ClassVar[tuple[Option, ...]] = ()
    """Options that users can set in ``rankmax train --learner`` and in the studio."""

    model_: Model
    _documents_by_query: Mapping[str, int] = MappingProxyType({})
    """Number of documents of each query in the training data, if that is in this process."""

    @classmethod
    def from_options(cls, metric: Metric, normalization: str, options: Mapping[str, Any]) -> Self:
        """Return a learner with the given options; the options of :meth:`fit_dataset` are left to its caller.

        Parameters
        ----------
        metric : Metric
            Ignored by a learner that has no parameter of that name.
        normalization : str
        options : mapping of str to object
        """
        given = {name: value for name, value in options.items() if name not in cls._routed_names("fit_dataset")}
        if "metric" in cls._parameter_names():
            given["metric"] = metric
        return cls(**given, normalization=normalization)  # type: ignore[call-arg]  # which every subclass has

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        own = vars(cls).get("fit_dataset")
        if own is not None and not getattr(own, "__isabstractmethod__", False):
            cls.fit_dataset = _checked(own)  # type: ignore[method-assign]

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
        return self.fit_dataset(training_data(X, y, qid))

    def predict(self, X: Any, *, qid: ArrayLike | None = None) -> F64:
        """Return a score for each row of `X`, in its order; higher is better.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix, shape (n_documents, n_features)
            The columns of a data frame are found by name, those of a matrix by position.
        qid : array-like, optional
            Needed where the model normalizes within queries.
        """
        return score_rows(self._fitted_model(), X, qid)

    def score(self, X: Any, y: ArrayLike, *, qid: ArrayLike) -> float:
        """Return the mean over queries of the learner's metric, nDCG@10 if it has none.

        Queries that the metric leaves out do not count. A :class:`~rankmax.errors.DividedQueriesWarning` says so where
        a query has other documents here than in training, as when a cross-validation splits rows instead of queries.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix, shape (n_documents, n_features)
        y : array-like, shape (n_documents,)
            Grades.
        qid : array-like, shape (n_documents,)
        """
        model, data = self._fitted_model(), self._dataset(X, y, qid)
        warn_of_divided_queries(self._documents_by_query, data)
        return self._mean(model, data)

    @property
    def n_features_in_(self) -> int:
        """Number of features in the training data."""
        return len(self._fitted_model().feature_names)

    @property
    def feature_names_in_(self) -> NDArray[np.object_]:
        """Names of the features in the training data; f1, f2, ... if they had none."""
        return np.array(self._fitted_model().feature_names, dtype=object)

    def _mean(self, model: Model, data: RankingDataset) -> float:
        return mean_value(self._metric(), model.scores(data), data)

    def _metric(self) -> Metric:
        return parse_metric(_USUAL_METRIC)

    def _dataset(self, X: Any, y: ArrayLike, qid: ArrayLike) -> RankingDataset:
        """Return rows that the fitted model can score, with columns named as in the training data."""
        return rows_for(self._fitted_model(), X, y, qid)

    def _described_parameters(self) -> dict[str, Parameter]:
        """Return the parameters as a model's provenance keeps them."""
        return {
            name: value.name if isinstance(value, Normalization) else value for name, value in self.get_params().items()
        }

    def _remedy_of_ties(self) -> str:
        """Return advice for the case that all documents score the same."""
        return "check that features differ between documents, and try other parameters or another learner"

    def _fitted_model(self) -> Model:
        if not hasattr(self, "model_"):
            raise _not_fitted(f"this {type(self).__name__} has learned nothing yet; call fit first")
        return self.model_


def _not_fitted(message: str) -> NotFittedError:
    """Return the error, which is also scikit-learn's NotFittedError if scikit-learn is imported."""
    theirs = getattr(sys.modules.get("sklearn.exceptions"), "NotFittedError", None)
    if theirs is None:
        return NotFittedError(message)
    both: type[NotFittedError] = type("NotFittedError", (NotFittedError, theirs), {})
    return both(message)


def _checked(fit_dataset: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a learner's `fit_dataset` to check its options first, and to warn if the model ranks by ties alone."""

    @wraps(fit_dataset)
    def checked_fit(self: Learner, data: Any, *arguments: Any, **options: Any) -> Any:
        for option in self.options:
            option.check(options.get(option.name, getattr(self, option.name, None)))
        fitted = fit_dataset(self, data, *arguments, **options)
        if isinstance(data, RankingDataset):
            counts = data.judgments.documents_by_query.tolist()
            self._documents_by_query = dict(zip(data.query_ids, counts, strict=True))
        if type(self).fit_dataset is checked_fit:  # otherwise a subclass has more to do
            model = self._fitted_model()
            weights = getattr(model, "weights", None)
            no_weights = isinstance(weights, np.ndarray) and not weights.any()
            if no_weights or (isinstance(data, RankingDataset) and ranks_by_ties(model.scores, data)):
                warn_of_ties(type(self).__name__, weights, self._remedy_of_ties())
        return fitted

    return checked_fit


class ValidatedLearner(Learner, ABC):
    """Base of learners that select among models by validation queries."""

    @abstractmethod
    def fit_dataset(self, data: RankingDataset, *, validation: RankingDataset | None = None) -> Self:
        """Learn from a data set.

        Parameters
        ----------
        data : RankingDataset
        validation : RankingDataset, optional
            Validation queries, by which the model is selected.
        """

    def fit(self, X: Any, y: ArrayLike, *, qid: ArrayLike, validation: Validation | None = None) -> Self:
        """Learn from a matrix.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix, shape (n_documents, n_features)
        y : array-like, shape (n_documents,)
            Grades.
        qid : array-like, shape (n_documents,)
            The query of each row, in any order.
        validation : RankingDataset, or tuple (X, y, qid), optional
            Validation queries, by which the model is selected.
        """
        return self.fit_dataset(training_data(X, y, qid), validation=validation_data(validation))


class QueryWeightedLearner(ValidatedLearner, ABC):
    """Base of learners that support query weights."""

    @abstractmethod
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
            Validation queries, by which the model is selected.
        query_weights : mapping or array-like, optional
            Nonnegative weight of each query: by query id, or in the order of the data.
        """

    def fit(
        self,
        X: Any,
        y: ArrayLike,
        *,
        qid: ArrayLike,
        validation: Validation | None = None,
        query_weights: QueryWeights | None = None,
    ) -> Self:
        """Learn from a matrix.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix, shape (n_documents, n_features)
        y : array-like, shape (n_documents,)
            Grades.
        qid : array-like, shape (n_documents,)
            The query of each row, in any order.
        validation : RankingDataset, or tuple (X, y, qid), optional
            Validation queries, by which the model is selected.
        query_weights : mapping or array-like, optional
            Nonnegative weight of each query: by query id, or in the order of the queries' first rows. In
            cross-validation only a mapping works, as it may have more queries than a fold.
        """
        return self.fit_dataset(
            training_data(X, y, qid),
            validation=validation_data(validation),
            query_weights=query_weights,
        )


class LinearLearner(Learner, ABC):
    """Base of learners that return a :class:`~rankmax.models.linear_model.LinearModel`.

    Attributes
    ----------
    model_ : LinearModel
    """

    model_: LinearModel

    @property
    def coef_(self) -> F64:
        """The learned weights."""
        self._fitted_model()
        return self.model_.weights


class MetricLearner(Learner, ABC):
    """Base of learners that have a metric to score by.

    Attributes
    ----------
    metric : str or Metric
    """

    metric: str | Metric

    def _metric(self) -> Metric:
        return parse_metric(self.metric) if isinstance(self.metric, str) else self.metric


def training_data(X: Any, y: ArrayLike, qid: ArrayLike) -> RankingDataset:
    """Return rows as a data set to learn from; errors are worded as scikit-learn words them.

    Parameters
    ----------
    X : array-like, data frame or sparse matrix, shape (n_documents, n_features)
    y : array-like, shape (n_documents,)
        Grades.
    qid : array-like, shape (n_documents,)

    Examples
    --------
    >>> training_data([[1.0], [2.0]], None, ["q1", "q1"])
    Traceback (most recent call last):
    rankmax.errors.InvalidDataError: a learner requires y to be passed, but the target y is None; y has the grades
    """
    if y is None:
        raise InvalidDataError("a learner requires y to be passed, but the target y is None; y has the grades")
    if np.iscomplexobj(X):
        raise InvalidDataError("Complex data not supported: features are real numbers")
    data = RankingDataset.from_arrays(X, y, qid=qid)
    if not data.n_documents or not data.n_features:
        shape, what = (data.n_documents, data.n_features), "feature(s)" if data.n_documents else "sample(s)"
        raise InvalidDataError(f"0 {what} (shape={shape}) while a minimum of 1 is required.")
    return data


def validation_data(validation: Validation | None) -> RankingDataset | None:
    """Return validation queries as a data set.

    Parameters
    ----------
    validation : RankingDataset, tuple (X, y, qid), or None

    Examples
    --------
    >>> validation_data(([[1.0], [2.0]], [0, 1], ["q1", "q1"])).n_queries
    1
    """
    if validation is None or isinstance(validation, RankingDataset):
        return validation
    if not (isinstance(validation, tuple) and len(validation) == 3):
        raise InvalidDataError(
            f"validation is {type(validation).__name__}; expected a RankingDataset or a tuple (X, y, qid)"
        )
    X, y, qid = validation
    return RankingDataset.from_arrays(X, y, qid=qid)


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
    >>> mean_value(parse_metric("RR(no_relevant='skip')"), np.array([1.0, 2.0, 3.0]), data)
    0.5
    """
    return mean_of_counted(evaluate_metrics([metric], scores, data.judgments)[0])
