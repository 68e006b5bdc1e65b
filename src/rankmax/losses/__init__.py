"""Smooth surrogate losses of rank metrics, and the linear fit that minimizes them."""

from rankmax._exports import exports

__getattr__, __dir__, __all__ = exports(__name__, __file__)
