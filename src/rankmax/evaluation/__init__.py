"""Evaluation: means over queries with confidence intervals, and significance tests."""

from rankmax._exports import exports

__getattr__, __dir__, __all__ = exports(__name__, __file__)
