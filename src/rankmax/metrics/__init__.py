"""Rank metrics as value objects: ``nDCG(gain="exp2") @ 10``, or from a name with :func:`parse_metric`."""

from rankmax._exports import exports

__getattr__, __dir__, __all__ = exports(__name__, __file__)
