"""A trained model as a PyTerrier transformer."""

from __future__ import annotations

import os
from functools import cache
from typing import Any

import numpy as np

from rankmax.engines.curves import used_curves
from rankmax.engines.export_target import AnyModel
from rankmax.engines.formulas import inputs_of
from rankmax.errors import InvalidDataError, MissingDependencyError
from rankmax.learners.row_scoring import score_rows
from rankmax.models.additive_model import AdditiveModel
from rankmax.models.model_files import load_model


def pyterrier_transformer(model: AnyModel | str | os.PathLike[str]) -> Any:
    """Return a ``pt.Transformer`` that scores and ranks the documents of a result frame by a model.

    The frame has a column ``features``, as PyTerrier's operator ``**`` makes it, in the order of the model's features;
    or one column per feature that the model uses. In these columns, NaN means that a system did not retrieve the
    document, and 0 is a score; in ``features``, where PyTerrier writes 0 for such documents, 0 means not retrieved.

    Parameters
    ----------
    model : LinearModel, ExpectedGainModel or path
        The model to score with, or its file.

    Examples
    --------
    >>> from rankmax import LinearModel
    >>> rerank = pyterrier_transformer(LinearModel([0.5, 2.0], ("bm25", "pl2")))  # doctest: +SKIP
    >>> pipeline = bm25 >> (pt.Transformer.identity() ** pl2) >> rerank  # doctest: +SKIP
    """
    loaded = load_model(model) if isinstance(model, str | os.PathLike) else model
    return _transformer_class()(loaded)


@cache
def _transformer_class() -> Any:
    try:
        import pyterrier
    except ImportError:
        raise MissingDependencyError("pyterrier", "pyterrier", "a PyTerrier transformer") from None

    class RankmaxTransformer(pyterrier.Transformer):
        """Ranks by a rankmax model."""

        def __init__(self, model: AnyModel) -> None:
            self.model = model
            if isinstance(model, AdditiveModel):
                self.weighed = list(used_curves(model))
            else:
                self.weighed = list(dict.fromkeys(each.feature for each in inputs_of(model)))

        def transform(self, inp: Any) -> Any:
            """Return the frame with the model's scores and ranks."""
            with pyterrier.validate.any(inp, context=self) as frame:
                frame.result_frame(extra_columns=["features"])
                frame.result_frame(extra_columns=self.weighed)
            if len(inp) == 0:
                scores = np.empty(0)
            elif "features" in inp.columns:
                scores = score_rows(self.model, _stacked(inp["features"]), inp["qid"])
            else:
                scores = score_rows(self.model, inp[self.weighed], inp["qid"], nan_is_missing=True)
            return pyterrier.model.add_ranks(inp.assign(score=scores))

    return RankmaxTransformer


def _stacked(features: Any) -> Any:
    try:
        return np.stack(features.to_list())
    except ValueError:
        raise InvalidDataError("the documents have different numbers of features") from None
