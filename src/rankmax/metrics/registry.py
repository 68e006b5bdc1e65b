"""Metrics by name, in ir-measures' spelling."""

from __future__ import annotations

import ast
import re
from dataclasses import fields
from typing import Any, TypeVar

from rankmax._registry import Registry, location_of
from rankmax.errors import InvalidParameterError, UnknownNameError
from rankmax.metrics.metric import Metric

_M = TypeVar("_M", bound=type[Metric])
_TREC_CUTOFF = re.compile(r"(?P<name>\w+)_(?P<cutoff>[0-9]{1,9})")

METRICS: Registry[type[Metric]] = Registry(
    "metric",
    "rankmax.metrics",
    {
        "AP": ("average_precision:AveragePrecision", "Mean of the precisions at the relevant documents' ranks."),
        "Bpref": ("bpref:BinaryPreference", "Fraction of kept preferences for relevant over judged non-relevant."),
        "DCG": ("dcg:DiscountedCumulativeGain", "Sum of the gains, each discounted by its rank."),
        "DCGLike": ("dcg_like:DCGLike", "Scaled sum of G(grade) / F(rank)."),
        "ERR": ("err:ExpectedReciprocalRank", "Expected reciprocal of the rank that satisfies a user."),
        "Judged": ("judged:JudgedRate", "Fraction of the first k documents that were judged."),
        "LetorAP": ("letor_scripts:LetorAveragePrecision", "MAP of LETOR's scripts."),
        "LetorMeanNDCG": ("letor_scripts:LetorMeanNDCG", "Mean NDCG of LETOR 4.0's script."),
        "LetorNDCG": ("letor_scripts:LetorNDCG", "NDCG@k of LETOR's scripts."),
        "LetorP": ("letor_scripts:LetorPrecision", "P@k of LETOR's scripts."),
        "nDCG": ("dcg:NormalizedDCG", "DCG divided by that of the ideal ranking."),
        "P": ("precision:Precision", "Fraction of the first k ranks that hold a relevant document."),
        "PowerERR": ("dcg_like:PowerERR", "ERR with the chance of reading on as a power of the rank."),
        "R": ("precision:Recall", "Fraction of the relevant documents that the first k ranks hold."),
        "RBP": ("rbp:RankBiasedPrecision", "Rate of relevant documents seen by a user of patience p."),
        "ROC": ("roc:ROCArea", "Chance that a relevant document stands above another."),
        "Rprec": ("precision:RPrecision", "Precision at rank R, the number of relevant documents."),
        "RR": ("reciprocal_rank:ReciprocalRank", "One over the rank of the first relevant document."),
        "Success": ("precision:Success", "Whether the first k ranks hold a relevant document."),
        "Tables": ("custom:TableMetric", "A metric given by its tables."),
    },
)
"""Metrics by symbol; their aliases are known to the classes."""


def register(metric: _M) -> _M:
    """Make a metric class known to :func:`parse_metric` under its `symbol` and `aliases`; use as a decorator.

    Examples
    --------
    >>> from rankmax.metrics import AveragePrecision
    >>> register(AveragePrecision) is AveragePrecision
    True
    """
    known = _by_folded_name()
    for name in (metric.symbol, *metric.aliases):
        other = known.get(name.casefold(), metric)
        if location_of(other) != location_of(metric):
            raise InvalidParameterError(
                f"{metric.__qualname__} cannot be called {name!r}: that is {other.__qualname__} already"
            )
    METRICS.add(metric.symbol, metric, (metric.__doc__ or "").partition("\n")[0])
    return metric


def registered_metrics() -> list[type[Metric]]:
    """Return the metric classes that :func:`parse_metric` knows, in the order of their symbols.

    Examples
    --------
    >>> [metric.symbol for metric in registered_metrics()][:3]
    ['AP', 'Bpref', 'DCG']
    """
    return sorted(METRICS.load_all().values(), key=lambda metric: metric.symbol.casefold())


def parse_metric(text: str) -> Metric:
    """Return the metric that `text` names: ``NAME``, ``NAME@CUTOFF`` or ``NAME(parameter=value,...)@CUTOFF``.

    Upper and lower case of the name do not matter, and words need no quotes: ``nDCG(gain=exp2)@10``. trec_eval's
    ``ndcg_cut_10`` and ``P_10`` are understood, too.

    Parameters
    ----------
    text : str
        Name with optional parameters and cutoff, such as "nDCG@10" or "AP(rel=2)".

    Returns
    -------
    Metric
        ``parse_metric(metric.name) == metric`` for every registered metric.

    Examples
    --------
    >>> parse_metric("ndcg@10")
    NormalizedDCG(cutoff=10, no_relevant=<NoRelevant.ZERO: 'zero'>, gain='linear', discount='log2')
    >>> parse_metric("RBP(p=0.8)@20").name, parse_metric("MAP(rel=2, no_relevant='skip')").name
    ('RBP@20', "AP(rel=2,no_relevant='skip')")
    >>> parse_metric("ndcg_cut_10") == parse_metric("nDCG@10")
    True
    """
    name, parameters = _split(text)
    if (trec := _TREC_CUTOFF.fullmatch(name)) and not parameters and trec["name"].casefold() in _by_folded_name():
        name, parameters = trec["name"], {"cutoff": int(trec["cutoff"])}
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
    if name in METRICS:
        return METRICS.load(name)
    known = _by_folded_name()
    if name.casefold() not in known:
        raise UnknownNameError(METRICS.kind, name, _names_and_aliases())
    return known[name.casefold()]


def _by_folded_name() -> dict[str, type[Metric]]:
    return {name.casefold(): metric for name, metric in _names_and_aliases().items()}


def _names_and_aliases() -> dict[str, type[Metric]]:
    return {name: metric for metric in METRICS.load_all().values() for name in (metric.symbol, *metric.aliases)}


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
