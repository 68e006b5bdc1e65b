"""Base of scoring functions: smooth functions of a few linear functions of the features."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from rankmax._arrays import F64
from rankmax.data.dataset import RankingDataset
from rankmax.data.judgments import Judgments
from rankmax.errors import IncompatibleError, InvalidParameterError
from rankmax.preprocessing.feature_normalization import Normalization, Unchanged


@dataclass(frozen=True, kw_only=True)
class ScoringFunction(ABC):
    r"""Base of scoring functions :math:`h_w(x) = f(a_1, ..., a_K)` with :math:`a_k = w_k^T x + b_k`.

    Subclasses are frozen dataclasses that define the number of linear functions, :meth:`n_outputs`, and how they are
    combined, :meth:`combine`. Features, gradients with respect to weights and the descent are the same for all.

    Parameters
    ----------
    intercept : bool
        Whether there are intercepts b; without them, functions are 0 where all features are.

    Examples
    --------
    A user-defined scoring function: a product of two sigmoids, for relevance that requires two features at once.

    >>> @dataclass(frozen=True, kw_only=True)
    ... class BothOf(ScoringFunction):
    ...     def n_outputs(self):
    ...         return 2
    ...     def combine(self, outputs):
    ...         a, b = 1 / (1 + np.exp(-outputs))
    ...         return a * b, np.array([a * b * (1 - a), a * b * (1 - b)])
    ...     def start(self, linear):
    ...         return np.array([linear, linear])
    >>> from rankmax import SurrogateRanker
    >>> X = [[2.0, 0.0], [0.0, 2.0], [1.0, 1.0], [0.0, 0.1], [3.0, 0.0], [0.9, 0.9]]
    >>> ranker = SurrogateRanker("squared", BothOf(), n_restarts=5)
    >>> ranker.fit(X, [0, 0, 1, 0, 0, 1], qid=[1, 1, 1, 2, 2, 2]).predict(X).round() + 0.0
    array([0., 0., 1., 0., 0., 1.])
    """

    intercept: bool = True

    def __post_init__(self) -> None:
        if not isinstance(self.intercept, bool):
            raise InvalidParameterError(f"{type(self).__name__}: intercept={self.intercept!r} must be True or False")

    def bind(self, judgments: Judgments) -> Self:
        """Return the function with its settings taken from the training judgments; by default the function itself.

        Parameters
        ----------
        judgments : Judgments
        """
        return self

    def variants(self) -> tuple[ScoringFunction, ...]:
        """Return the variants that validation queries select from if only the name is given; here this one alone."""
        return (self,)

    @abstractmethod
    def n_outputs(self) -> int:
        """Return K, the number of linear functions."""

    @abstractmethod
    def combine(self, outputs: F64) -> tuple[F64, F64]:
        """Return the score of each document, and its derivative with respect to each output.

        Parameters
        ----------
        outputs : array of float64, shape (n_outputs, n_documents)

        Returns
        -------
        scores : array of float64, shape (n_documents,)
        slopes : array of float64, shape (n_outputs, n_documents)
        """

    @abstractmethod
    def start(self, linear: F64) -> F64:
        """Return parameters whose scores rank as a linear function does, as the start of a descent.

        Parameters
        ----------
        linear : array of float64, shape (n_columns,)
            The linear function's parameters for standardized features, the intercept last if there is one; its scores
            have standard deviation 1 within queries.

        Returns
        -------
        array of float64, shape (n_outputs, n_columns)
        """

    def model(
        self,
        weights: F64,
        intercepts: F64,
        feature_names: tuple[str, ...],
        normalization: Normalization,
        metric: str,
    ) -> Any:
        """Return the model that ranks by this function.

        Parameters
        ----------
        weights : array of float64, shape (n_outputs, n_features)
        intercepts : array of float64, shape (n_outputs,)
        feature_names : tuple of str
        normalization : Normalization
        metric : str
            Name of the metric it was trained for.
        """
        return FunctionModel(self, weights, intercepts, feature_names, normalization)


@dataclass(frozen=True, eq=False)
class FunctionModel:
    """A model that ranks by a user-defined scoring function; it has no file format.

    Attributes
    ----------
    function : ScoringFunction
    weights : array of float64, shape (n_outputs, n_features)
    intercepts : array of float64, shape (n_outputs,)
    feature_names : tuple of str
    normalization : Normalization

    Examples
    --------
    >>> from rankmax.learners.surrogate.scoring.linear_scoring import LinearScore
    >>> model = FunctionModel(LinearScore(), np.array([[2.0]]), np.array([1.0]), ("bm25",))
    >>> data = RankingDataset.from_arrays([[0.5], [3.0]], [0, 1], qid=[7, 7], feature_names=["bm25"])
    >>> model.scores(data)
    array([2., 7.])
    """

    function: ScoringFunction
    weights: F64
    intercepts: F64
    feature_names: tuple[str, ...]
    normalization: Normalization = field(default_factory=Unchanged)

    def scores(self, data: RankingDataset) -> F64:
        """Return the score of each document.

        Parameters
        ----------
        data : RankingDataset
            Must have every feature, under its name; others are ignored.
        """
        view = self.normalization.apply(data.select_features(self.feature_names))
        outputs = np.array([view.scores(row) for row in self.weights]) + self.intercepts[:, None]
        return self.function.combine(outputs)[0]

    def to_json(self) -> bytes:
        """Raise an error, because user-defined code cannot be written to a file."""
        raise IncompatibleError(
            f"a model of {type(self.function).__name__} has no file format; "
            "give the scoring function a method `model` that returns a model with one"
        )
