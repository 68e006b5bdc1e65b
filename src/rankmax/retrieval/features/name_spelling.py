"""Spelling of feature names: ``symbol(value,parameter=value,...):field+field``."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass

from rankmax.errors import InvalidParameterError

_QUOTED = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
_VALUE = rf"(?:{_QUOTED}|[^\s,()='\"]+)"
_WORD = r"[^\s,()=+:'\"]+"
_FIELD = rf"(?:{_QUOTED}|{_WORD})"
_ARGUMENT = rf"\s*(?:(?P<parameter>[^\W\d]\w*)\s*=\s*)?(?P<value>{_VALUE})\s*"
_ANY_ARGUMENT = re.sub(r"\?P<\w+>", "?:", _ARGUMENT)
_FEATURE = re.compile(
    r"(?P<symbol>[^\W\d][\w-]*)"
    rf"(?:\((?P<arguments>(?:{_ANY_ARGUMENT}(?:,{_ANY_ARGUMENT})*)?)\))?"
    rf"(?::(?P<fields>{_FIELD}(?:\+{_FIELD})*))?"
)

_LARGE = 1e15  # from this number on, a power of ten is shorter


@dataclass(frozen=True, slots=True)
class Spelled:
    """The parts of a feature's name; values are still text, quoted as in the name.

    Attributes
    ----------
    symbol : str
    values : tuple of str
        Values without the name of a parameter.
    parameters : dict of str to str
    fields : tuple of str
    """

    symbol: str
    values: tuple[str, ...]
    parameters: dict[str, str]
    fields: tuple[str, ...]


def take_apart(text: str) -> Spelled:
    """Split a feature's name into its parts.

    Parameters
    ----------
    text : str

    Examples
    --------
    >>> take_apart("bm25(k1=0.9, b=0.4):title+body")
    Spelled(symbol='bm25', values=(), parameters={'k1': '0.9', 'b': '0.4'}, fields=('title', 'body'))
    >>> take_apart("bm25(k1=0.9")
    Traceback (most recent call last):
    rankmax.errors.InvalidParameterError: cannot read the feature 'bm25(k1=0.9'; write NAME, NAME(parameter=value,...) \
or either with fields, NAME:field+field, for instance bm25(k1=0.9,b=0.4):title
    """
    parts = _FEATURE.fullmatch(text.strip())
    if parts is None:
        raise _malformed(text)
    values: list[str] = []
    parameters: dict[str, str] = {}
    for argument in re.finditer(_ARGUMENT, parts["arguments"] or ""):
        parameter, value = argument["parameter"], argument["value"]
        if parameter is None and not parameters:
            values.append(value)
        elif parameter is None or parameter in parameters:
            raise _malformed(text)
        else:
            parameters[parameter] = value
    fields = tuple(unquoted(field) for field in re.findall(_FIELD, parts["fields"] or ""))
    return Spelled(parts["symbol"], tuple(values), parameters, fields)


def put_together(symbol: str, arguments: Iterable[str], fields: Iterable[str]) -> str:
    """Return the name made of the given parts; arguments are already spelled.

    Examples
    --------
    >>> put_together("bm25", ["k1=0.9"], ["title", "full text"])
    "bm25(k1=0.9):title+'full text'"
    """
    inner = ",".join(arguments)
    named = "+".join(map(spelled_value, fields))
    return f"{symbol}{f'({inner})' if inner else ''}{f':{named}' if named else ''}"


def spelled_value(value: object) -> str:
    """Return a value as names show it: text without quotes if possible, numbers as short as possible.

    Examples
    --------
    >>> spelled_value(1500.0), spelled_value("pagerank"), spelled_value("page rank"), spelled_value(None)
    ('1500', 'pagerank', "'page rank'", 'none')
    """
    if isinstance(value, str):
        return value if re.fullmatch(_WORD, value) else repr(value)
    if value is None or isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer() and abs(value) < _LARGE:
        return str(int(value))
    return str(value)


def unquoted(text: str) -> str:
    """Return text without its quotes, if it has any.

    Examples
    --------
    >>> unquoted("'page rank'"), unquoted("pagerank")
    ('page rank', 'pagerank')
    """
    if text[0] not in "'\"":
        return text
    try:
        return str(ast.literal_eval(text))
    except (SyntaxError, ValueError):  # a line that ends within the quotes, an incomplete escape
        raise _malformed(text) from None


def _malformed(text: str) -> InvalidParameterError:
    return InvalidParameterError(
        f"cannot read the feature {text!r}; write NAME, NAME(parameter=value,...) or either with fields, "
        "NAME:field+field, for instance bm25(k1=0.9,b=0.4):title"
    )
