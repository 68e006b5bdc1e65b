"""Parsing of one line of JSON."""

from __future__ import annotations

import json
from typing import Any

_SHOWN = 60  # characters of a bad line in a message


def json_object(line: str) -> dict[str, Any]:
    """Return the fields of the JSON object on a line, or raise a ValueError saying what the line is instead.

    Parameters
    ----------
    line : str

    Examples
    --------
    >>> json_object('{"id": "q1"}')
    {'id': 'q1'}
    >>> json_object("[1, 2]")
    Traceback (most recent call last):
    ValueError: expected a JSON object, found '[1, 2]'
    """
    fields = json_value(line)
    if not isinstance(fields, dict):
        raise ValueError(f"expected a JSON object, found {shortened(line)!r}")
    return fields


def json_value(line: str) -> Any:
    """Return the JSON value on a line, or raise a ValueError saying what the line is instead.

    Parameters
    ----------
    line : str

    Examples
    --------
    >>> json_value("[1, 2]")
    [1, 2]
    """
    try:
        value = json.loads(line)
        if "\\ud" in line or "\\uD" in line:  # a lone surrogate has no UTF-8: it could not be written again
            json.dumps(value, ensure_ascii=False).encode()
    except RecursionError:
        raise ValueError("JSON nested too deeply") from None
    except UnicodeEncodeError:
        raise ValueError("not Unicode text: a lone surrogate") from None
    except ValueError as error:
        raise ValueError(f"not JSON ({error}): {shortened(line)!r}") from None
    return value


def shortened(line: str) -> str:
    """Return the beginning of a line, short enough for a message.

    Parameters
    ----------
    line : str

    Examples
    --------
    >>> len(shortened("x" * 1000))
    63
    """
    return line if len(line) <= _SHOWN else f"{line[:_SHOWN]}..."
