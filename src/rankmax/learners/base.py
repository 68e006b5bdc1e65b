"""What the learners of linear models share: scikit-learn's shape, without needing scikit-learn."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from rankmax.arrays import F64
from rankmax.data.dataset import RankingDataset
from rankmax.data.normalise import Normalisation, Unchanged
from rankmax.errors import IncompatibleError, InvalidDataError, UnknownNameError
from rankmax.models import LinearModel, Parameter


class LinearLearner(ABC):
    """Base of learners that return a :class:`~rankmax.models.LinearModel`.

    A subclass's ``__init__`` stores its arguments unchanged under their own names (so scikit-learn can clone it)
    and its :meth:`fit_dataset` sets `model_`.

    Attributes
    ----------
    model_ : LinearModel
        Set by fitting.
    """

    model_: LinearModel

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
        model = self._fitted_model()
        n_rows, n_columns = np.shape(X) if not hasattr(X, "shape") else X.shape
        if qid is None:
            if not isinstance(model.normalisation, Unchanged):
                raise IncompatibleError(
                    f"the model applies the normalisation {model.normalisation.name!r} within each query; give qid"
                )
            qid = np.zeros(n_rows, np.int64)
        names = None
        if not hasattr(X, "columns"):
            names = model.feature_names
            if n_columns != len(names):
                raise InvalidDataError(f"X has {n_columns} columns; the model was trained on {len(names)}")
        data = RankingDataset.from_arrays(X, np.zeros(n_rows), qid=qid, feature_names=names)
        scores = model.scores(data)
        if data.rows is None:
            return scores
        in_order = np.empty_like(scores)
        in_order[data.rows] = scores
        return in_order

    @property
    def coef_(self) -> F64:
        """The weights that were learned."""
        return self._fitted_model().weights

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name.

        Parameters
        ----------
        deep : bool
            Ignored: no parameter is a learner.
        """
        return {name: getattr(self, name) for name in self._parameter_names()}

    def set_params(self, **parameters: Any) -> Self:
        """Change some parameters and return the learner itself."""
        known = self._parameter_names()
        for name, value in parameters.items():
            if name not in known:
                raise UnknownNameError(f"parameter of {type(self).__name__}", name, known)
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in self.get_params().items())
        return f"{type(self).__name__}({shown})"

    def _described_parameters(self) -> dict[str, Parameter]:
        """Return the parameters as a model's provenance keeps them."""
        return {
            name: value.name if isinstance(value, Normalisation) else value for name, value in self.get_params().items()
        }

    def _fitted_model(self) -> LinearModel:
        if not hasattr(self, "model_"):
            raise IncompatibleError(f"this {type(self).__name__} has learned nothing yet; call fit first")
        return self.model_

    @classmethod
    def _parameter_names(cls) -> list[str]:
        return [name for name in inspect.signature(cls.__init__).parameters if name != "self"]
