"""Curves of additive models for targets: intervals, decisions between them, sums that are not negative, trees."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from rankmax.errors import IncompatibleError
from rankmax.models.additive_model import AdditiveModel
from rankmax.models.curve import Curve
from rankmax.models.tree_ensemble_model import TreeEnsembleModel
from rankmax.models.trees.structure import MISSING_KINDS, Tree
from rankmax.preprocessing.feature_normalization import Unchanged
from rankmax.preprocessing.indicators import Indicator

_Made = TypeVar("_Made")
N_STEPS = 512
"""Number of steps of a curve of straight lines, as a tree."""

ANYWHERE = "python or sql"
"""Targets that compute everything that an additive model may ask for."""


def used_curves(model: AdditiveModel) -> dict[str, Curve]:
    """Return the curves that change scores, by feature.

    Parameters
    ----------
    model : AdditiveModel

    Examples
    --------
    >>> model = AdditiveModel([Curve([1.0, 2.0], [0.0, 1.0]), Curve([], [0.0], "constant")], ("bm25", "age"))
    >>> list(used_curves(model))
    ['bm25']
    """
    used = {model.feature_names[j]: model.curves[j] for j in model.used}
    if not used:
        raise IncompatibleError("every curve of the model is 0: it ranks nothing")
    binned = next((name for name in used if Indicator.parse(name)), None)
    if binned is not None:
        raise IncompatibleError(f"a curve of the indicator {binned!r} is not exported: learn one of the feature itself")
    return used


def used_products(model: AdditiveModel) -> list[tuple[str, str, float]]:
    """Return the products of used curves: two features and a weight.

    Parameters
    ----------
    model : AdditiveModel
    """
    used = {model.feature_names[j] for j in model.used}
    return [(p.first, p.second, p.weight) for p in model.products if p.first in used and p.second in used and p.weight]


def require_plain_features(model: AdditiveModel, title: str) -> None:
    """Refuse a model of normalized features, for a target that sees one document at a time.

    Parameters
    ----------
    model : AdditiveModel
    title : str
        Of the target, for messages.
    """
    if model.normalization != Unchanged():
        raise IncompatibleError(
            f"{title} cannot normalize within a query by {model.normalization.name!r}, as the model's curves ask, "
            f"because documents are scored one by one: learn with --normalize none, or export to {ANYWHERE}"
        )


@dataclass(frozen=True)
class Piece:
    """A curve in one of its intervals: value + rise · (x - start) / length, or the value alone.

    Attributes
    ----------
    value : float
    rise, start, length : float
        All 0 where the curve is flat.
    """

    value: float
    rise: float = 0.0
    start: float = 0.0
    length: float = 0.0


def pieces(curve: Curve) -> list[Piece]:
    """Return the curve in each interval between its knots, from the one below the first to the one above the last.

    Parameters
    ----------
    curve : Curve

    Examples
    --------
    >>> [piece.value for piece in pieces(Curve([1.0, 3.0], [0.0, 4.0]))], pieces(Curve([1.0, 3.0], [0.0, 4.0]))[1].rise
    ([0.0, 0.0, 4.0], 4.0)
    """
    knots, values = curve.knots.tolist(), curve.values.tolist()
    if curve.kind == "constant":
        return [Piece(value) for value in values]
    inner = [
        Piece(values[i], values[i + 1] - values[i], knots[i], knots[i + 1] - knots[i]) for i in range(len(knots) - 1)
    ]
    return [Piece(values[0]), *inner, Piece(values[-1])]


def piece_text(piece: Piece, x: str, written: Callable[[float], str]) -> str:
    """Return a piece as an expression with + - * / and parentheses.

    Parameters
    ----------
    piece : Piece
    x : str
        The feature.
    written : callable
        Formats a number.

    Examples
    --------
    >>> piece_text(Piece(1.0, -2.0, -0.5, 3.0), "x", str)
    '1.0 - 2.0 * ((x + 0.5) / 3.0)'
    """
    if not piece.rise:
        return written(piece.value)
    rise, start = (f"{'-' if number < 0 else '+'} {written(abs(number))}" for number in (piece.rise, -piece.start))
    return f"{written(piece.value)} {rise} * (({x} {start}) / {written(piece.length)})"


def decided(curve: Curve, leaf: Callable[[Piece], _Made], split: Callable[[float, _Made, _Made], _Made]) -> _Made:
    """Return a binary decision between the intervals of a curve: ``split(knot, low, high)`` is low for x <= knot.

    Parameters
    ----------
    curve : Curve
    leaf : callable
    split : callable

    Examples
    --------
    >>> steps = Curve([1.0, 2.0, 3.0], [5.0, 6.0, 7.0, 8.0], "constant")
    >>> decided(steps, lambda piece: f"{piece.value:g}", lambda knot, low, high: f"({low} <={knot:g} {high})")
    '((5 <=1 6) <=2 (7 <=3 8))'
    """
    every, knots = pieces(curve), curve.knots.tolist()

    def between(first: int, last: int) -> _Made:
        if first == last:
            return leaf(every[first])
        middle = (first + last) // 2
        return split(knots[middle], between(first, middle), between(middle + 1, last))

    return between(0, len(every) - 1)


def lowest_score(model: AdditiveModel) -> float:
    """Return a lower bound of the scores: the lowest value of each curve, and of each product of two.

    Parameters
    ----------
    model : AdditiveModel

    Examples
    --------
    >>> lowest_score(AdditiveModel([Curve([1.0, 2.0], [-0.5, 1.0])], ("bm25",)))
    -0.5
    """
    ranges = {name: (curve.values.min(), curve.values.max()) for name, curve in used_curves(model).items()}
    low = sum(float(lowest) for lowest, _ in ranges.values())
    for first, second, weight in used_products(model):
        low += min(float(x * y) * weight for x in ranges[first] for y in ranges[second])
    return low


def require_steps(model: AdditiveModel, title: str, instead: str) -> None:
    """Refuse straight lines and products, for a target that compares features with thresholds.

    Parameters
    ----------
    model : AdditiveModel
    title : str
        Of the target, for messages.
    instead : str
        Targets that compute them.
    """
    require_plain_features(model, title)
    sloped = [name for name, curve in used_curves(model).items() if curve.kind == "linear" and curve.height]
    if sloped:
        raise IncompatibleError(
            f"{title} has steps and no straight lines, as the curve of {sloped[0]!r} has: export to {instead}"
        )
    require_no_products(model, title, instead)


def require_no_products(model: AdditiveModel, title: str, instead: str) -> None:
    """Refuse products of curves, for a target that adds up functions of one feature.

    Parameters
    ----------
    model : AdditiveModel
    title, instead : str
        As in :func:`require_steps`.
    """
    if used_products(model):
        first, second, _ = used_products(model)[0]
        raise IncompatibleError(
            f"{title} adds up and cannot multiply the curves of {first!r} and {second!r}: learn without products, or "
            f"export to {instead}"
        )


def stepped(curve: Curve, n_steps: int = N_STEPS) -> Curve:
    """Return a piecewise constant curve that differs from a curve by half of a step's height at most.

    Each straight line becomes steps of equal height, at its values in the middle of each.

    Parameters
    ----------
    curve : Curve
    n_steps : int
        Number of steps; there is one more for each line whose rise is no multiple of their height.

    Examples
    --------
    >>> steps = stepped(Curve([0.0, 1.0], [0.0, 2.0]), 4)
    >>> steps.knots, steps.values
    (array([0.  , 0.25, 0.5 , 0.75, 1.  ]), array([0.  , 0.25, 0.75, 1.25, 1.75, 2.  ]))
    """
    if curve.kind == "constant":
        return curve
    rises = np.diff(curve.values)
    height = np.abs(rises).sum() / n_steps
    knots, values = [float(curve.knots[0])], [float(curve.values[0])]
    for i, rise in enumerate(rises.tolist()):
        n = max(1, math.ceil(abs(rise) / height)) if height else 1
        shares = np.arange(1, n + 1) / n
        low, high = float(curve.knots[i]), float(curve.knots[i + 1])
        ends = [*(low + (high - low) * shares[:-1]).tolist(), high]
        for end, share in zip(ends, (shares - 0.5 / n).tolist(), strict=True):
            if end > knots[-1]:  # where floats are too coarse for steps, there are fewer
                knots.append(end)
                values.append(float(curve.values[i]) + rise * share)
    return Curve(np.array(knots), np.array([*values, float(curve.values[-1])]), "constant", curve.absent)


def trees_of_curves(model: AdditiveModel, title: str, instead: str) -> tuple[TreeEnsembleModel, str]:
    """Return an additive model as a sum of trees, one for each curve, and a remark on straight lines that became steps.

    Parameters
    ----------
    model : AdditiveModel
    title, instead : str
        As in :func:`require_steps`.
    """
    require_plain_features(model, title)
    require_no_products(model, title, instead)
    curves = used_curves(model)
    trees = tuple(_tree(stepped(curve), place) for place, curve in enumerate(curves.values()))
    sloped = [curve for curve in curves.values() if curve.kind == "linear" and curve.height]
    error = sum(float(np.abs(np.diff(curve.values)).sum()) for curve in sloped) / (2 * N_STEPS)
    remark = (
        f" Straight lines of curves are {N_STEPS} steps, so scores differ from the model's by at most {error:.3g}; "
        f"{instead} has no such difference."
        if sloped
        else ""
    )
    return TreeEnsembleModel(trees, tuple(curves), metric=model.metric, provenance=model.provenance), remark


def _tree(curve: Curve, feature: int) -> Tree:
    values: list[float] = []
    thresholds: list[float] = []
    left: list[int] = []
    right: list[int] = []
    every, knots = pieces(curve), curve.knots.tolist()

    def between(first: int, last: int) -> int:
        if first == last:
            values.append(every[first].value)
            return ~(len(values) - 1)
        node, middle = len(thresholds), (first + last) // 2
        thresholds.append(knots[middle])
        left.append(0)
        right.append(0)
        left[node], right[node] = between(first, middle), between(middle + 1, last)
        return node

    between(0, len(every) - 1)
    n_nodes = len(thresholds)
    zero_if_missing = np.full(n_nodes, MISSING_KINDS.index("zero-if-missing"), np.uint8)
    return Tree(
        np.full(n_nodes, feature),
        np.array(thresholds),
        np.array(left, np.int64),
        np.array(right, np.int64),
        np.array(values),
        np.array(thresholds) >= 0,
        zero_if_missing,
    )
