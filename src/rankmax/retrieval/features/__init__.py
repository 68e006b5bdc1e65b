"""Features of a document for a query: retrieval functions, the papers' features, columns; one module per family."""

from rankmax._exports import exports

__getattr__, __dir__, __all__ = exports(__name__, __file__)
