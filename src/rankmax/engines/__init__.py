"""Export of models as requests to and configurations of search engines, one module per engine."""

from rankmax._exports import exports

__getattr__, __dir__, __all__ = exports(__name__, __file__)
