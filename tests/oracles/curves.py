"""Curves by their definition, one case after the other."""

from __future__ import annotations

from rankmax.models.curve import Curve


def by_definition(curve: Curve, x: float) -> float:
    """Return a curve's value as its docstring states it, one case after the other."""
    knots, values = curve.knots.tolist(), curve.values.tolist()
    if x != x:
        return curve.absent
    if curve.kind == "constant":
        for knot, value in zip(knots, values, strict=False):
            if x <= knot:
                return value
        return values[-1]
    if x <= knots[0]:
        return values[0]
    for i in range(len(knots) - 1):
        if x <= knots[i + 1]:
            return values[i] + (values[i + 1] - values[i]) * ((x - knots[i]) / (knots[i + 1] - knots[i]))
    return values[-1]
