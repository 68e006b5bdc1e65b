"""The library that a model file comes from, told by its content."""

from __future__ import annotations

import os
from collections.abc import Callable

import msgspec

from rankmax.errors import DataFormatError
from rankmax.models.trees.catboost_json import read_catboost
from rankmax.models.trees.library_model import LibraryModel
from rankmax.models.trees.lightgbm_text import FIRST_LINE, read_lightgbm
from rankmax.models.trees.xgboost_json import read_xgboost

_READERS: dict[str, Callable[[bytes, str | os.PathLike[str]], LibraryModel]] = {
    "LightGBM": read_lightgbm,
    "XGBoost": read_xgboost,
    "CatBoost": read_catboost,
}
LIBRARY_FILES = "a model that LightGBM (text), XGBoost or CatBoost (JSON) saved"
_SAVE_AS = {
    b"CBM1": 'a binary model of CatBoost: write it with save_model("model.json", format="json")',
    b"{L": 'a binary model of XGBoost (UBJSON): write it with save_model("model.json")',
    b"binf": 'a binary model of XGBoost: write it with save_model("model.json")',
    b"\x80": "a pickle, which could run any program when it is read: write the model with its library's save_model",
    b"booster[": 'a dump of XGBoost\'s trees: write the model itself with save_model("model.json")',
    **dict.fromkeys(
        (b"## LambdaMART", b"## MART", b"## Random Forests"),
        "a model of RankLib, which rankmax does not read: train with LightGBM, XGBoost or CatBoost",
    ),
}
_CUT_OFF = {
    b'{"learner":': 'a model of XGBoost, and no complete JSON ({}): write it again with save_model("model.json")',
    b'"float_features"': "a model of CatBoost, and no complete JSON ({}): write it again with "
    'save_model("model.json", format="json")',
}
_ABSENT = msgspec.Raw(b"")


class _Keys(msgspec.Struct):
    """The top of a JSON file, as far as it tells the library."""

    class_: msgspec.Raw = msgspec.field(name="class", default=_ABSENT)
    learner: msgspec.Raw = _ABSENT
    features_info: msgspec.Raw = _ABSENT
    tree_info: msgspec.Raw = _ABSENT
    schema: msgspec.Raw = _ABSENT


def library_of(content: bytes, source: str | os.PathLike[str]) -> str | None:
    r"""Return the library that wrote a model file, or None if it is not of one of these.

    Parameters
    ----------
    content : bytes
        Content of the file.
    source : path
        Path to name in error messages.

    Examples
    --------
    >>> library_of(b"tree\nversion=v4\n", "model.txt"), library_of(b'{"schema": "rankmax/linear-model/1"}', "m.json")
    ('LightGBM', None)
    """
    if content.replace(b"\r\n", b"\n", 1).startswith(FIRST_LINE):
        return "LightGBM"
    for start, reason in _SAVE_AS.items():
        if content.startswith(start):
            raise DataFormatError(source, reason)
    try:
        keys = msgspec.json.decode(content, type=_Keys)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        for key, reason in _CUT_OFF.items():
            if key in content:
                raise DataFormatError(source, reason.format(error)) from None
        if content.lstrip().startswith(b"[") and b'"nodeid"' in content:
            raise DataFormatError(source, _SAVE_AS[b"booster["]) from None
        return None  # whatever is wrong with it, a reader of our own models says
    if bytes(keys.schema):
        return None
    if bytes(keys.tree_info):
        raise DataFormatError(source, "a dump of LightGBM's model: write the model itself with save_model")
    if b"MultipleAdditiveTreesModel" in bytes(keys.class_):
        raise DataFormatError(source, "a model as Solr stores it, without the library's: give the one it was made from")
    if bytes(keys.learner):
        return "XGBoost"
    return "CatBoost" if bytes(keys.features_info) else None


def is_tree_file(head: bytes) -> bool:
    """Return whether a file is a model of one of the libraries that is not JSON, by its first bytes.

    Parameters
    ----------
    head : bytes
    """
    return head.replace(b"\r\n", b"\n", 1).startswith((FIRST_LINE, *_SAVE_AS))


def read_library_model(content: bytes, source: str | os.PathLike[str]) -> LibraryModel:
    """Read a model file of LightGBM, XGBoost or CatBoost.

    Parameters
    ----------
    content : bytes
    source : path
        Path to name in error messages.
    """
    library = library_of(content, source)
    if library is None:
        raise DataFormatError(
            source, "not a model of LightGBM (text), XGBoost (JSON) or CatBoost (JSON) as their save_model writes it"
        )
    return _READERS[library](content, source)
