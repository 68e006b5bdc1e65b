"""Optimizers built on the exact line search: none ends below its start, and each can be stopped at any time."""

from rankmax._exports import exports

__getattr__, __dir__, __all__ = exports(__name__, __file__)
