"""When two values of a metric are the same."""

from __future__ import annotations

SAME_VALUE = 1e-9
"""Means of a metric, and shares of weights, that differ by less are the same, rounded differently."""
