"""Reading of model files of any kind, identified by the schema that they name, or by the library that wrote them."""

from __future__ import annotations

import os
from typing import TypeAlias

from rankmax._io.files import read_bytes
from rankmax.errors import IncompatibleError
from rankmax.models.additive_model import AdditiveModel
from rankmax.models.expected_gain_model import ExpectedGainModel
from rankmax.models.json_file import check_schema
from rankmax.models.linear_model import LinearModel
from rankmax.models.query_weights_model import QueryWeightsModel
from rankmax.models.stacked_model import StackedModel
from rankmax.models.tree_ensemble_model import TreeEnsembleModel, tree_model
from rankmax.models.trees.tree_files import LIBRARY_FILES, library_of
from rankmax.models.varying_model import VaryingModel

FixedKind: TypeAlias = LinearModel | ExpectedGainModel | AdditiveModel
"""A model that scores the documents of all queries alike, as learners of rankmax return it."""

ScoringModel: TypeAlias = FixedKind | TreeEnsembleModel | StackedModel
"""A model that needs nothing but the features of documents to score them."""

AnyKind: TypeAlias = ScoringModel | VaryingModel | QueryWeightsModel
"""A model of any kind that has a file format."""

_KINDS: tuple[type[AnyKind], ...] = (
    LinearModel,
    ExpectedGainModel,
    VaryingModel,
    QueryWeightsModel,
    AdditiveModel,
    TreeEnsembleModel,
    StackedModel,
)
MODELS_BY_SCHEMA: dict[str, type[AnyKind]] = {kind.schema: kind for kind in _KINDS}


def model_from_json(content: bytes, *, source: str | os.PathLike[str] = "<model>") -> FixedKind:
    """Build a linear, expected-gain or additive model from JSON; other models are refused.

    Parameters
    ----------
    content : bytes
        Content of a model file.
    source : path
        Path to name in error messages.

    Examples
    --------
    >>> type(model_from_json(LinearModel([1.0], ("bm25",)).to_json())).__name__
    'LinearModel'
    """
    model = _fixed(any_model(content, source), source)
    if isinstance(model, TreeEnsembleModel | StackedModel):
        what = "a sum of trees" if isinstance(model, TreeEnsembleModel) else "a stack of models"
        raise IncompatibleError(
            f"{os.fspath(source)}: {what} has no weights of features; rankmax rank and evaluate take it, inspect shows "
            "it"
        )
    return model


def load_scoring_model(path: str | os.PathLike[str]) -> ScoringModel:
    """Read a model that needs nothing but the features of documents; one whose weights vary with the query is refused.

    Parameters
    ----------
    path : path
        Model file of rankmax, LightGBM (text), XGBoost (JSON) or CatBoost (JSON).
    """
    return _fixed(load_any_model(path), path)


def _fixed(model: AnyKind, source: str | os.PathLike[str]) -> ScoringModel:
    if isinstance(model, VaryingModel):
        raise IncompatibleError(
            f"{os.fspath(source)}: the weights depend on {model.column!r} of the query; rankmax rank --topics ranks by "
            "them, rankmax inspect shows them, and rankmax export --at VALUE writes those of some queries"
        )
    if isinstance(model, QueryWeightsModel):
        raise IncompatibleError(
            f"{os.fspath(source)}: the weights depend on the query; rankmax rank ranks by them, and rankmax inspect "
            "shows them"
        )
    return model


def load_model(path: str | os.PathLike[str]) -> FixedKind:
    """Read a model from a JSON file, as :func:`model_from_json` does.

    Parameters
    ----------
    path : path
        Model file (JSON).

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     LinearModel([1.0], ("bm25",)).save(Path(folder) / "model.json")
    ...     load_model(Path(folder) / "model.json").feature_names
    ('bm25',)
    """
    return model_from_json(read_bytes(path), source=path)


def load_any_model(path: str | os.PathLike[str]) -> AnyKind:
    """Read a model of any kind from a file, including one whose weights vary with the query.

    Parameters
    ----------
    path : path
        Model file of rankmax (JSON), LightGBM (text), XGBoost (JSON) or CatBoost (JSON).

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     VaryingModel("kind", None, ("what",), [[0.5]], [1.0], ("bm25",)).save(Path(folder) / "model.json")
    ...     load_any_model(Path(folder) / "model.json").groups
    ('what',)
    """
    return any_model(read_bytes(path), path)


def any_model(content: bytes, source: str | os.PathLike[str]) -> AnyKind:
    """Build a model of any kind from the content of its file.

    Parameters
    ----------
    content : bytes
    source : path
        Path to name in error messages.
    """
    if library_of(content, source) is not None:
        return tree_model(content, source)
    schema = check_schema(content, tuple(MODELS_BY_SCHEMA), source, other=LIBRARY_FILES)
    return MODELS_BY_SCHEMA[schema].from_json(content, source=source)
