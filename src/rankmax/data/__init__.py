"""The data model: ranking data sets, judgments, runs and identifiers."""

from rankmax._exports import exports

__getattr__, __dir__, __all__ = exports(__name__, __file__)
