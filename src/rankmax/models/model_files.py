"""Reading of model files of any kind, identified by the schema that they name."""

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
from rankmax.models.varying_model import VaryingModel

AnyKind: TypeAlias = LinearModel | ExpectedGainModel | AdditiveModel | VaryingModel | QueryWeightsModel
"""A model of any kind that has a file format."""

MODELS_BY_SCHEMA: dict[str, type[AnyKind]] = {
    kind.schema: kind for kind in (LinearModel, ExpectedGainModel, VaryingModel, QueryWeightsModel, AdditiveModel)
}


FixedKind: TypeAlias = LinearModel | ExpectedGainModel | AdditiveModel
"""A model that scores the documents of all queries alike."""


def model_from_json(content: bytes, *, source: str | os.PathLike[str] = "<model>") -> FixedKind:
    """Build a linear, expected-gain or additive model from JSON; one whose weights vary with the query is refused.

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
    model = _any_model(content, source)
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
    """Read a model of any kind from a JSON file, including one whose weights vary with the query.

    Parameters
    ----------
    path : path
        Model file (JSON).

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     VaryingModel("kind", None, ("what",), [[0.5]], [1.0], ("bm25",)).save(Path(folder) / "model.json")
    ...     load_any_model(Path(folder) / "model.json").groups
    ('what',)
    """
    return _any_model(read_bytes(path), path)


def _any_model(content: bytes, source: str | os.PathLike[str]) -> AnyKind:
    return MODELS_BY_SCHEMA[check_schema(content, tuple(MODELS_BY_SCHEMA), source)].from_json(content, source=source)
