"""The only door for strings: metrics from their names in ir-measures' spelling."""

from __future__ import annotations

import ast
from dataclasses import fields
from typing import Any, TypeVar

from rankmax.errors import InvalidParameterError, UnknownNameError
from rankmax.metrics.base import Metric

_M = TypeVar("_M", bound=type[Metric])

_REGISTERED: dict[str, type[Metric]] = {}  # by symbol and alias


def register(metric: _M) -> _M:
    """Make a metric class known to :func:`parse` under its `symbol` and `aliases`; use as a decorator.

    Examples
    --------
    >>> from rankmax.metrics import AveragePrecision
    >>> register(AveragePrecision) is AveragePrecision
    True
    """
    folded = {name.casefold(): known for name, known in _REGISTERED.items()}
    for name in (metric.symbol, *metric.aliases):
        known = folded.get(name.casefold())
        if known is not None and (known.__module__, known.__qualname__) != (metric.__module__, metric.__qualname__):
            raise InvalidParameterError(
                f"{metric.__qualname__} cannot be called {name!r}: that is {known.__qualname__} already"
            )
        _REGISTERED[name] = metric
    return metric


def registered_metrics() -> list[type[Metric]]:
    """Return the metric classes that :func:`parse` knows, in the order of their symbols.

    Examples
    --------
    >>> [metric.symbol for metric in registered_metrics()][:3]
    ['AP', 'Bpref', 'DCG']
    """
    return sorted(set(_REGISTERED.values()), key=lambda metric: metric.symbol.casefold())


def parse(text: str) -> Metric:
    """Return the metric that `text` names: ``NAME``, ``NAME@CUTOFF`` or ``NAME(parameter=value,...)@CUTOFF``.

    Upper and lower case of the name do not matter, and words need no quotes: ``nDCG(gain=exp2)@10``.

    Parameters
    ----------
    text : str

    Returns
    -------
    Metric
        ``parse(metric.name) == metric`` for every registered metric.

    Examples
    --------
    >>> parse("ndcg@10")
    NormalizedDCG(cutoff=10, no_relevant=<NoRelevant.ZERO: 'zero'>, gain='linear', discount='log2')
    >>> parse("RBP(p=0.8)@20").name, parse("MAP(rel=2, no_relevant='skip')").name
    ('RBP@20', "AP(rel=2,no_relevant='skip')")
    """
    name, parameters = _split(text)
    metric = _class_of(name)
    parameters = metric.translate_parameters(parameters)
    known = [field.name for field in fields(metric) if field.repr]
    for parameter in parameters:
        if parameter not in known:
            raise InvalidParameterError(
                f"{text!r}: {metric.symbol} has no parameter {parameter!r}; its parameters: {', '.join(known)}"
            )
    parsed = metric(**parameters)
    parsed.require_cutoff()
    return parsed


def _class_of(name: str) -> type[Metric]:
    folded = {known.casefold(): metric for known, metric in _REGISTERED.items()}
    if name.casefold() not in folded:
        raise UnknownNameError("metric", name, _REGISTERED)
    return folded[name.casefold()]


def _split(text: str) -> tuple[str, dict[str, Any]]:
    """Return the name and the parameters; the spelling happens to be a subset of Python's expressions."""
    parameters: dict[str, Any] = {}
    try:
        expression = ast.parse(text.strip(), mode="eval").body
        if isinstance(expression, ast.BinOp) and isinstance(expression.op, ast.MatMult):
            parameters["cutoff"] = ast.literal_eval(expression.right)
            expression = expression.left
        if isinstance(expression, ast.Call) and not expression.args:
            for keyword in expression.keywords:
                if keyword.arg is None or keyword.arg in parameters:
                    raise _malformed(text)
                parameters[keyword.arg] = _value(keyword.value)
            expression = expression.func
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        raise _malformed(text) from None
    if not isinstance(expression, ast.Name):
        raise _malformed(text)
    return expression.id, parameters


def _value(node: ast.expr) -> Any:
    """Return what a parameter is set to; words such as exp2 or exp-log2 need no quotes, which a shell takes away."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub):
        words = _value(node.left), _value(node.right)
        if all(isinstance(word, str) for word in words):
            return "-".join(words)
    return ast.literal_eval(node)


def _malformed(text: str) -> InvalidParameterError:
    return InvalidParameterError(
        f"cannot read the metric {text!r}; write NAME, NAME@CUTOFF or NAME(parameter=value,...)@CUTOFF, "
        "for instance nDCG(gain=exp2)@10"
    )
