"""Features from their names: ``bm25(k1=0.9,b=0.4):title+body``."""

from __future__ import annotations

import dataclasses
from types import NoneType
from typing import Any, TypeVar, get_args, get_type_hints

from rankmax.errors import InvalidParameterError
from rankmax.retrieval.features.feature import NamedFeature
from rankmax.retrieval.features.name_spelling import Spelled, take_apart, unquoted
from rankmax.retrieval.registry import FEATURES

_F = TypeVar("_F", bound=type[NamedFeature])

_READ_AS = {"true": True, "false": False}


def register(feature: _F) -> _F:
    """Make a class of features known to :func:`parse_feature` under its `symbol`; use as a decorator.

    Its parameters are the fields of a frozen dataclass, each a number, a string or a truth value; those without a
    default are written without their names.

    Examples
    --------
    >>> from rankmax.retrieval.features import BM25
    >>> register(BM25) is BM25
    True
    """
    FEATURES.add(feature.symbol, feature, (feature.__doc__ or "").partition("\n")[0])
    return feature


def registered_features() -> list[type[NamedFeature]]:
    """Return the classes that :func:`parse_feature` knows, in the order of their symbols.

    Examples
    --------
    >>> "bm25" in [feature.symbol for feature in registered_features()]
    True
    """
    return sorted(FEATURES.load_all().values(), key=lambda feature: feature.symbol)


def parse_feature(text: str) -> NamedFeature:
    """Return the feature that `text` names: ``NAME``, ``NAME(parameter=value,...)``, ``NAME(...):field+field``.

    Without fields it is that of all fields, read as one text.

    Parameters
    ----------
    text : str

    Returns
    -------
    NamedFeature
        ``parse_feature(feature.name) == feature`` for every registered feature.

    Examples
    --------
    >>> parse_feature("bm25(k1=0.9, b=0.75):title").name
    'bm25(k1=0.9):title'
    >>> parse_feature("bm52")
    Traceback (most recent call last):
    rankmax.errors.UnknownNameError: unknown feature 'bm52'; did you mean 'bm25'? Known: ...
    """
    spelled = take_apart(text)
    folded = spelled.symbol.lower()
    feature = FEATURES.load(folded if folded in FEATURES else spelled.symbol)
    return feature(**_arguments(feature, spelled, text))


def _arguments(feature: type[NamedFeature], spelled: Spelled, text: str) -> dict[str, Any]:
    declared = [field for field in dataclasses.fields(feature) if field.name != "fields"]
    needed = [field.name for field in declared if field.default is dataclasses.MISSING]
    known = [field.name for field in declared]
    for parameter in spelled.parameters:
        if parameter not in known:
            allowed = ", ".join(known) or "none"
            raise InvalidParameterError(
                f"{text!r}: {feature.symbol} has no parameter {parameter!r}; its parameters: {allowed}"
            )
    given = dict(zip(needed, spelled.values, strict=False)) | spelled.parameters
    if len(given) < len(spelled.values) + len(spelled.parameters) or not given.keys() >= set(needed):
        raise InvalidParameterError(f"{text!r}: write {_pattern(feature.symbol, needed)}")
    kinds = get_type_hints(feature)
    arguments = {name: _read(value, kinds[name], f"{text!r}: {name}") for name, value in given.items()}
    if spelled.fields and len(known) == len(dataclasses.fields(feature)):
        raise InvalidParameterError(f"{text!r}: {feature.symbol} looks at no field; leave out what follows the colon")
    return arguments | ({"fields": spelled.fields} if spelled.fields else {})


def _pattern(symbol: str, needed: list[str]) -> str:
    inner = ",".join(name.upper() for name in needed)
    return f"{symbol}({inner})" if needed else f"{symbol}(parameter=value,...), every value with its parameter"


def _read(value: str, kind: Any, where: str) -> Any:
    """Return a value as its parameter's type says."""
    kinds = get_args(kind) or (kind,)
    if NoneType in kinds and value == "none":
        return None
    if bool in kinds:
        if value not in _READ_AS:
            raise InvalidParameterError(f"{where}={value} must be true or false")
        return _READ_AS[value]
    for number in (int, float):
        if number in kinds:
            try:
                return number(value)
            except ValueError:
                wanted = "a whole number" if number is int else "a number"
                raise InvalidParameterError(f"{where}={value} must be {wanted}") from None
    return unquoted(value)
