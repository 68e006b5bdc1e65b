"""Backends: computation in this process, on data larger than its memory, or on many machines."""

from rankmax._exports import exports

__getattr__, __dir__, __all__ = exports(__name__, __file__)
