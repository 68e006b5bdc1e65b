"""Exact line search: a metric's value along a line in weight space (Morgan, Greiff & Henderson 2004, section 3.3)."""

from rankmax._exports import exports

__getattr__, __dir__, __all__ = exports(__name__, __file__)
