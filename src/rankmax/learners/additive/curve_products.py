"""Products of two curves that add to a sum of curves, chosen one after the other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations

import numpy as np

from rankmax._arrays import F64
from rankmax.learners.additive.curve_training import CurveTraining
from rankmax.learners.additive.knot_basis import Curves
from rankmax.line_search.smoothed_line import Smoothing
from rankmax.models.additive_model import Product

_MOST_CURVES = 8  # of which all pairs are tried, those of largest spread
_REACH = 2.0  # standard deviations of the scores
_SHARE = 0.5  # of the best weight, which is too large by what is chance in it
_SURE = 2.0  # standard errors of the gain over queries: many pairs are tried, and some would gain by chance


def choose_products(
    training: CurveTraining, curves: Curves, feature_names: Sequence[str], n_products: int
) -> tuple[Product, ...]:
    """Return products with weights, each the one by which the expected metric gains most beside those before it.

    Monotone curves are in none: the score would fall with one of them where the other factor is low enough.

    Parameters
    ----------
    training : CurveTraining
    curves : Curves
    feature_names : sequence of str
    n_products : int
        Maximum number; there are fewer where the gain may be chance.
    """
    basis, search = training.basis, training.search
    columns = {j: basis.column(j, curves.rises[j], float(curves.absents[j])) for j in range(basis.n_features)}
    spreads = {j: basis.spread(column) for j, column in columns.items()}
    free = (j for j in spreads if spreads[j] > 0 and not training.signs[j])
    used = sorted(free, key=lambda j: -spreads[j])[:_MOST_CURVES]
    pairs = [(min(pair), max(pair)) for pair in combinations(used, 2)]
    scores = basis.scores(curves)
    chosen: list[Product] = []
    while pairs and len(chosen) < n_products:
        spread = basis.spread(scores)
        found = []
        for first, second in pairs:
            column = columns[first] * columns[second]
            unit = basis.spread(column)
            if unit > 0:
                noise = Smoothing((training.smoothing or 0.5) * spread / unit, _REACH * spread / unit)
                peak = search.smoothed_peak(scores, column, noise)
                found.append((peak.gain, peak.place, first, second))
        gain, place, first, second = max(found, default=(0.0, 0.0, 0, 0))
        weight = _SHARE * float(place)
        moved = scores + columns[first] * columns[second] * weight
        if gain <= 0 or not _surely_better(training, scores, moved):
            break
        chosen.append(Product(feature_names[first], feature_names[second], weight))
        scores = moved
        pairs.remove((first, second))
    return tuple(chosen)


def _surely_better(training: CurveTraining, scores: F64, moved: F64) -> bool:
    gains = training.values(moved) - training.values(scores)
    counted = ~np.isnan(gains) & (training.query_weights > 0)
    weights = training.query_weights[counted] / max(training.query_weights[counted].sum(), 1e-300)
    mean = float(weights @ gains[counted])
    error = math.sqrt(float(weights**2 @ (gains[counted] - mean) ** 2))
    return mean > _SURE * error
