"""A trained model as a scikit-learn transformer."""

from __future__ import annotations

import os
from functools import cached_property
from importlib import import_module
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankmax.engines.export_target import AnyModel
from rankmax.errors import UnknownNameError
from rankmax.learners.estimator import Estimator
from rankmax.learners.row_scoring import score_rows
from rankmax.models.model_files import load_model

_COLUMNS = {"pandas": "columns", "polars": "schema"}  # what data frames call the names of their columns


class ScoreTransformer(Estimator):
    """A trained model as a step of a scikit-learn pipeline: features in, a column of scores out.

    Fitting does nothing; the model is already trained.

    Parameters
    ----------
    model : LinearModel, ExpectedGainModel or path
        Trained model; a path is read when scores are first needed.

    Examples
    --------
    >>> from rankmax import LinearModel
    >>> ScoreTransformer(LinearModel([1.0, 0.5], ("bm25", "clicks"))).fit_transform([[3.0, 2.0], [1.0, 4.0]])
    array([[4.],
           [3.]])
    """

    def __init__(self, model: AnyModel | str | os.PathLike[str]) -> None:
        self.model = model

    def fit(self, X: Any, y: Any = None) -> Self:
        """Return the transformer itself.

        Parameters
        ----------
        X, y : ignored
        """
        return self

    def transform(self, X: Any, *, qid: ArrayLike | None = None) -> Any:
        """Return the scores, shape (n_documents, 1), as an array or what :meth:`set_output` chose.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix, shape (n_documents, n_features)
            The columns of a data frame are found by name, those of a matrix by position. NaN, or an entry that a
            sparse matrix does not store, means that a system did not retrieve the document; 0 is a score.
        qid : array-like, optional
            Needed where the model normalizes within queries.
        """
        scores = score_rows(self._loaded, X, qid, nan_is_missing=True)[:, None]
        container = getattr(self, "_sklearn_output_config", {}).get("transform", "default")
        if container == "default":
            return scores
        frame = import_module(container).DataFrame(scores, **{_COLUMNS[container]: list(self.get_feature_names_out())})
        if container == "pandas" and hasattr(X, "index"):
            frame.index = X.index
        return frame

    def fit_transform(self, X: Any, y: Any = None, *, qid: ArrayLike | None = None) -> Any:
        """Return the scores, shape (n_documents, 1).

        Parameters
        ----------
        X : array-like, data frame or sparse matrix, shape (n_documents, n_features)
        y : ignored
        qid : array-like, optional
            Needed where the model normalizes within queries.
        """
        return self.transform(X, qid=qid)

    def set_output(self, *, transform: str | None = None) -> Self:
        """Choose the container of the scores, and return the transformer itself.

        Parameters
        ----------
        transform : {"default", "pandas", "polars"}, optional
            An array by default; None changes nothing.
        """
        if transform is not None:
            if transform not in ("default", *_COLUMNS):
                raise UnknownNameError("output", transform, ("default", *_COLUMNS))
            self._sklearn_output_config = {"transform": transform}  # the name that clone looks for
        return self

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Return the name of the column of scores.

        Parameters
        ----------
        input_features : ignored
        """
        return np.array(["score"], dtype=object)

    def set_params(self, **parameters: Any) -> Self:
        """Change some parameters and return the transformer itself."""
        self.__dict__.pop("_loaded", None)
        return super().set_params(**parameters)

    def __sklearn_is_fitted__(self) -> bool:
        return True

    @cached_property
    def _loaded(self) -> AnyModel:
        return load_model(self.model) if isinstance(self.model, str | os.PathLike) else self.model
