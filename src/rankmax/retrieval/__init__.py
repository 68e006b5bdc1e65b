"""Retrieval: text analysis, a positional index, search, and features of documents."""

from rankmax._exports import exports

__getattr__, __dir__, __all__ = exports(__name__, __file__)
