"""Optimizers built on the exact line search, each of which can be stopped at any time."""

from rankmax._exports import exports

__getattr__, __dir__, __all__ = exports(__name__, __file__)
