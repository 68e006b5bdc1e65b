"""Query templates with placeholders, which are filled inside values and never by rewriting text that is parsed again.

`{query}` is the text of a query, `{vector}` its vector and `{depth}` the number of documents to return. A string that
is nothing but a placeholder becomes the value itself; inside a longer string the value is written out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

import msgspec

from rankmax.errors import InvalidParameterError

Template: TypeAlias = dict[str, Any] | str
"""Body of a request, or a statement of SQL."""

PLACEHOLDERS = ("query", "vector", "depth")
"""Names of the placeholders."""

_PLACEHOLDER = re.compile(r"\{(query|vector|depth)\}")


def filled(value: Any, given: Mapping[str, Any]) -> Any:
    """Return a copy of a JSON value with its placeholders filled.

    Parameters
    ----------
    value : JSON value
    given : mapping of str to object
        Values of the placeholders.

    Examples
    --------
    >>> filled({"match": {"body": "{query}"}, "k": "{depth}"}, {"query": 'say "{vector}"', "depth": 10})
    {'match': {'body': 'say "{vector}"'}, 'k': 10}
    >>> filled("{!knn f=v topK={depth}}{vector}", {"depth": 5, "vector": [0.5, 1.0]})
    '{!knn f=v topK=5}[0.5,1.0]'
    """
    if isinstance(value, dict):
        return {key: filled(one, given) for key, one in value.items()}
    if isinstance(value, list):
        return [filled(one, given) for one in value]
    if not isinstance(value, str):
        return value
    whole = _PLACEHOLDER.fullmatch(value)
    if whole:
        return _value(whole[1], given)
    return _PLACEHOLDER.sub(lambda found: _written(_value(found[1], given)), value)


def placeholders(value: Any) -> set[str]:
    """Return the names of the placeholders in a JSON value.

    Parameters
    ----------
    value : JSON value

    Examples
    --------
    >>> sorted(placeholders({"match": {"body": "{query}"}, "sizes": ["{depth}", 1]}))
    ['depth', 'query']
    """
    return {name for text in _texts(value) for name in _PLACEHOLDER.findall(text)}


def json_template(template: Template) -> dict[str, Any]:
    """Return the body of a request, which may be given as JSON text.

    Parameters
    ----------
    template : dict or str

    Examples
    --------
    >>> json_template('{"query": {"match": {"body": "{query}"}}}')
    {'query': {'match': {'body': '{query}'}}}
    """
    if isinstance(template, dict):
        return template
    try:
        return msgspec.json.decode(template, type=dict[str, Any])
    except msgspec.DecodeError as error:
        raise InvalidParameterError(f"the template is no JSON object: {error}") from None


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _texts(one)


def _value(name: str, given: Mapping[str, Any]) -> Any:
    if name not in given:
        raise InvalidParameterError(f"the template asks for {{{name}}}, and there is none")
    return given[name]


def _written(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
