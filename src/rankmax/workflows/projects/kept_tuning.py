"""Kept tunings: files of a project with all that a page shows of a tuning, and the recommended fusion as a model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from rankmax.errors import DataFormatError
from rankmax.models import LinearModel
from rankmax.models.model_files import model_from_json

_FORMAT = "rankmax-tuning"
_VERSION = 1
_PAGE = {"summary", "notes", "queries", "resampled", "landscape", "trade_off", "export", "provenance"}


class _File(msgspec.Struct, frozen=True):
    format: str
    version: int
    model: msgspec.Raw
    page: msgspec.Raw


def kept_tuning(page: dict[str, Any], model: LinearModel) -> bytes:
    """Return the content of a kept tuning's file.

    Parameters
    ----------
    page : dict
        Result of :func:`rankmax.workflows.tuning.report.tuning_page_data.tuning_page_data`.
    model : LinearModel
        The recommended fusion.
    """
    return msgspec.json.encode(
        _File(_FORMAT, _VERSION, msgspec.Raw(model.to_json()), msgspec.Raw(msgspec.json.encode(page)))
    )


def read_kept_page(path: Path) -> dict[str, Any]:
    """Return what a page shows of a kept tuning.

    Parameters
    ----------
    path : Path
    """
    page: dict[str, Any] = msgspec.json.decode(_read(path).page)
    return page


def read_kept_model(path: Path) -> LinearModel:
    """Return the recommended fusion of a kept tuning.

    Parameters
    ----------
    path : Path
    """
    model = model_from_json(bytes(_read(path).model), source=str(path))
    if not isinstance(model, LinearModel):
        raise DataFormatError(path, "its model has no weights")
    return model


def _read(path: Path) -> _File:
    try:
        file = msgspec.json.decode(path.read_bytes(), type=_File)
        page = msgspec.json.decode(file.page, type=dict[str, msgspec.Raw])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, OSError) as error:
        raise DataFormatError(path, f"not a kept tuning: {error}") from None
    if file.format != _FORMAT or file.version != _VERSION or not page.keys() >= _PAGE:
        raise DataFormatError(path, f"not a tuning as this version keeps it ({_FORMAT}, version {_VERSION})")
    return file
