"""Models as formulas, for targets that compute arbitrary expressions: inputs, identifiers, sums."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from rankmax.engines.export_target import AnyModel
from rankmax.errors import IncompatibleError
from rankmax.models import LinearModel
from rankmax.models.additive_model import AdditiveModel
from rankmax.models.varying_model import VaryingModel
from rankmax.preprocessing.feature_normalization import Normalization
from rankmax.preprocessing.indicators import Indicator
from rankmax.preprocessing.qdrant_ranks import QdrantReciprocalRank
from rankmax.preprocessing.run_normalization import ReciprocalRank


@dataclass(frozen=True)
class Input:
    """An input of a model, with its weights.

    Attributes
    ----------
    feature : str
        Name of the feature in the data.
    indicator : Indicator or None
        Set where the input is whether the feature exceeds a threshold, rather than the feature itself.
    weights : tuple of float
        One for a linear model, one per grade for a model of expected gain. Where weights depend on the query, one per
        number or group that has weights, then the one of all other queries.
    """

    feature: str
    indicator: Indicator | None
    weights: tuple[float, ...]


def inputs_of(model: AnyModel | VaryingModel) -> list[Input]:
    """Return the inputs of the model that have nonzero weights.

    Parameters
    ----------
    model : LinearModel, ExpectedGainModel or VaryingModel

    Examples
    --------
    >>> from rankmax import LinearModel
    >>> inputs_of(LinearModel([0.5, 0.0, 2.0], ("bm25", "age", "bm25>12.5")))[1]
    Input(feature='bm25', indicator=Indicator(feature='bm25', threshold=12.5, ...), weights=(2.0,))
    """
    if isinstance(model, AdditiveModel):
        raise IncompatibleError("an additive model has curves in place of weights")
    if isinstance(model, VaryingModel):
        rows = np.vstack([model.weights, model.otherwise]).T.tolist()
    else:
        rows = np.atleast_2d(model.weights).T.tolist()
    inputs = []
    for name, row in zip(model.feature_names, rows, strict=True):
        if any(row):
            indicator = Indicator.parse(name)
            inputs.append(Input(indicator.feature if indicator else name, indicator, tuple(row)))
    if not inputs:
        raise IncompatibleError("every weight of the model is 0: it ranks nothing")
    return inputs


def normalizations_of(model: AnyModel | VaryingModel, inputs: Sequence[Input]) -> list[Normalization]:
    """Return the normalization of each input: the model's, unless that depends on the weights.

    Parameters
    ----------
    model : LinearModel, ExpectedGainModel or VaryingModel
    inputs : sequence of Input

    Examples
    --------
    >>> from rankmax import LinearModel
    >>> model = LinearModel([3.0, 1.0], ("bm25", "e5"), QdrantReciprocalRank(10))
    >>> normalizations_of(model, inputs_of(model))
    [ReciprocalRank(k=15.0), ReciprocalRank(k=5.0)]
    """
    normalization = model.normalization
    if isinstance(normalization, QdrantReciprocalRank) and isinstance(model, LinearModel):
        constants = normalization.constants(np.array([each.weights[0] for each in inputs]))
        return [ReciprocalRank(constant) for constant in constants.tolist()]
    return [normalization] * len(inputs)


def identifiers(names: Iterable[str], prefix: str) -> dict[str, str]:
    """Return an identifier for each name: letters, digits and underscores, unique even when case is ignored.

    Parameters
    ----------
    names : iterable of str
    prefix : str
        Prefix of every identifier.

    Examples
    --------
    >>> identifiers(["bm25(title)", "bm25[title]", "âge"], "feature_")
    {'bm25(title)': 'feature_bm25_title', 'bm25[title]': 'feature_bm25_title_2', 'âge': 'feature_ge'}
    """
    found: dict[str, str] = {}
    taken: set[str] = set()
    for name in names:
        if name in found:
            continue
        stem = identifier = prefix + re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_")
        number = 1
        while identifier.casefold() in taken:
            number += 1
            identifier = f"{stem}_{number}"
        taken.add(identifier.casefold())
        found[name] = identifier
    return found


def weighted_sum(
    terms: Iterable[tuple[float, str]], constant: float = 0.0, written: Callable[[float], str] | None = None
) -> str:
    """Return the sum of weighted expressions, those of weight 0 left out.

    Parameters
    ----------
    terms : iterable of (weight, expression)
    constant : float
        Constant term, left out where it is 0.
    written : callable, optional
        Formats a number in the target language; :func:`number` by default.

    Examples
    --------
    >>> weighted_sum([(0.5, "a"), (0.0, "b"), (-1e-9, "c")], constant=2.0)
    '2.0 + 0.5 * a - 1.0e-09 * c'
    """
    written = written or number
    parts = [(constant, written(abs(constant)))] if constant else []
    parts += [(weight, f"{written(abs(weight))} * {expression}") for weight, expression in terms if weight]
    if not parts:
        return "0.0"
    first, *rest = parts
    return ("-" if first[0] < 0 else "") + first[1] + "".join(f" {'-' if w < 0 else '+'} {term}" for w, term in rest)


def number(value: float) -> str:
    """Return a number that every language reads as the same double: with a decimal point, also before an exponent.

    Examples
    --------
    >>> number(0.1), number(1e-9), number(3.0)
    ('0.1', '1.0e-09', '3.0')
    """
    mantissa, exponent, power = repr(float(value)).partition("e")
    return (mantissa if "." in mantissa else f"{mantissa}.0") + exponent + power
