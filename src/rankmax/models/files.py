"""Model files of every kind, told apart by the schema that they name."""

from __future__ import annotations

import os

from rankmax.files import read_bytes
from rankmax.models.expected_gain import ExpectedGainModel
from rankmax.models.json_file import check_schema
from rankmax.models.linear import LinearModel

_BY_SCHEMA: dict[str, type[LinearModel] | type[ExpectedGainModel]] = {
    kind.schema: kind for kind in (LinearModel, ExpectedGainModel)
}


def model_from_json(content: bytes, *, source: str | os.PathLike[str] = "<model>") -> LinearModel | ExpectedGainModel:
    """Build a model of whatever kind from JSON.

    Parameters
    ----------
    content : bytes
    source : path
        Named in errors.

    Examples
    --------
    >>> type(model_from_json(LinearModel([1.0], ("bm25",)).to_json())).__name__
    'LinearModel'
    """
    return _BY_SCHEMA[check_schema(content, tuple(_BY_SCHEMA), source)].from_json(content, source=source)


def load_model(path: str | os.PathLike[str]) -> LinearModel | ExpectedGainModel:
    """Read a model of whatever kind from a JSON file.

    Parameters
    ----------
    path : path

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
